# SPDX-License-Identifier: Apache-2.0
# repose_flags: how every target of this repository is compiled. It is not exported.
# REPOSE_ABI_FLAGS: the part that a program that links repose::solver has to share, because inline kernels over wide
# vectors change their calling convention with the instruction set, and because the linker takes one copy of an inline
# function from whichever source. It travels with the exported target.
include(CheckCXXCompilerFlag)
add_library(repose_flags INTERFACE)
set(REPOSE_ABI_FLAGS "")

# Value-safe floating point: errno and trap handlers are not used; nothing may reorder a sum or assume away NaN and
# infinity, and a b + c rounds twice unless the source says otherwise (pack.h, fused.h). -ffast-math and its relatives
# stay out: every compiler and every instruction set gives the same bits. [docs/decisions/020]
target_compile_options(repose_flags INTERFACE -fno-math-errno -fno-trapping-math)
list(APPEND REPOSE_ABI_FLAGS -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Its vectoriser of straight code makes "multiply, then add and subtract by turns" one instruction all the same.
  target_compile_options(repose_flags INTERFACE -fno-tree-slp-vectorize)
endif()
# Eigen's own vectors differ from one instruction set to the next, in the order of sums too.
target_compile_definitions(repose_flags INTERFACE EIGEN_DONT_VECTORIZE)

target_compile_options(repose_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND
   (REPOSE_SANITIZE OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13 OR CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 16))
  # False alarms: inside GCC 12's own AVX-512 headers (GCC bug 105593), of GCC 16 where a std::function in a variant is
  # destroyed, and wherever sanitizers hide initialisation.
  target_compile_options(repose_flags INTERFACE -Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 15)
  target_compile_options(repose_flags INTERFACE -Wno-deprecated-declarations)  # inside libstdc++ 12's stable_sort
endif()
if(REPOSE_WERROR)
  target_compile_options(repose_flags INTERFACE -Werror)
endif()

if(REPOSE_MARCH)
  list(APPEND REPOSE_ABI_FLAGS -march=${REPOSE_MARCH})
elseif(REPOSE_NATIVE)
  check_cxx_compiler_flag(-march=native REPOSE_HAS_MARCH_NATIVE)
  if(REPOSE_HAS_MARCH_NATIVE)
    list(APPEND REPOSE_ABI_FLAGS -march=native)
  endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  list(APPEND REPOSE_ABI_FLAGS -march=x86-64-v3)
endif()
check_cxx_compiler_flag(-Wno-psabi REPOSE_HAS_WNO_PSABI)
if(REPOSE_HAS_WNO_PSABI)  # GCC's remarks on that calling convention
  list(APPEND REPOSE_ABI_FLAGS -Wno-psabi)
endif()
target_compile_options(repose_flags INTERFACE ${REPOSE_ABI_FLAGS})

if(REPOSE_SANITIZE)
  set(REPOSE_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(repose_flags INTERFACE ${REPOSE_SANITIZE_FLAGS})
  target_link_options(repose_flags INTERFACE ${REPOSE_SANITIZE_FLAGS})
endif()
if(REPOSE_SANITIZE_THREAD)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # false alarms about strings, which the sanitizer's calls hide from GCC 12
    target_compile_options(repose_flags INTERFACE
      -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict
      -Wno-tsan)  # a fence of Boost.Asio, on whose order nothing here relies: posts to its loop take a lock
  endif()
  target_compile_options(repose_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(repose_flags INTERFACE -fsanitize=thread)
endif()
if(REPOSE_FUZZ)  # counts branches for libFuzzer; the targets themselves bring its main()
  target_compile_options(repose_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
