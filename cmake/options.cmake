# SPDX-License-Identifier: Apache-2.0
# Build switches. A project that pulls Repose in as a subfolder gets the library and nothing else.
if(CMAKE_SOURCE_DIR STREQUAL PROJECT_SOURCE_DIR)
  set(REPOSE_TOP_LEVEL ON)
else()
  set(REPOSE_TOP_LEVEL OFF)
endif()

option(REPOSE_WERROR "Treat warnings as errors" ${REPOSE_TOP_LEVEL})
option(REPOSE_NATIVE "Compile for this machine (off: x86-64-v3 on x86)" ${REPOSE_TOP_LEVEL})
set(REPOSE_MARCH "" CACHE STRING "Compile for this instruction set, in place of REPOSE_NATIVE")
option(REPOSE_SANITIZE "Address and undefined-behaviour sanitizers; the first finding stops the program" OFF)
option(REPOSE_SANITIZE_THREAD "Thread sanitizer" OFF)
option(REPOSE_FUZZ "Fuzzing targets (clang's libFuzzer), under the sanitizers of REPOSE_SANITIZE" OFF)
if(REPOSE_FUZZ)
  set(REPOSE_SANITIZE ON)
endif()
option(REPOSE_TESTS "Build the tests" ${REPOSE_TOP_LEVEL})
option(REPOSE_APPS "Build the command line program" ${REPOSE_TOP_LEVEL})
option(REPOSE_BENCH "Build the benchmarks" ${REPOSE_TOP_LEVEL})
set(REPOSE_PYTHON AUTO CACHE STRING "Build the Python package: ON, OFF, or AUTO (when .venv has nanobind)")
option(REPOSE_INSTALL "Generate the install rules" ${REPOSE_TOP_LEVEL})
option(REPOSE_FAST_COMPILE "Precompiled headers, and several small sources in one unit where nothing is computed"
  ${REPOSE_TOP_LEVEL})

option(REPOSE_BITS "Nothing but the program that prints the frozen hashes (scripts/bits)" OFF)
if(REPOSE_BITS)
  foreach(part TESTS APPS BENCH PYTHON INSTALL CLARABEL SCS)
    set(REPOSE_${part} OFF)
  endforeach()
endif()

# What `make run` configures; the same folder becomes the full one when this is turned off, and keeps its objects.
option(REPOSE_PROGRAM_ONLY "The program and its libraries: no tests, benchmarks, Python package or optional adapters" OFF)
if(REPOSE_PROGRAM_ONLY)
  foreach(part TESTS BENCH PYTHON CLARABEL SCS)
    set(REPOSE_${part} OFF)
  endforeach()
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # the static library may end up in a Python module

if(REPOSE_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
  endif()
  find_program(REPOSE_CCACHE ccache)
  if(REPOSE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER "${REPOSE_CCACHE}")
    # Without this it keeps nothing that is compiled behind a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${REPOSE_CCACHE}")
  endif()
endif()
