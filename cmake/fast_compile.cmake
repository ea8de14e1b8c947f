# SPDX-License-Identifier: Apache-2.0
# What makes a build from nothing shorter; REPOSE_FAST_COMPILE=OFF leaves all of it out. Every target keeps the same flags:
# the linker takes one copy of an inline function for the whole program, from whichever source.
#
# repose_precompile(<target> <set>): compiles a target's sources behind a precompiled header. Parsing the standard library
# takes half of the time of a typical source.
#   standard  the standard library and the processor's vector instructions
#   json      standard and nlohmann/json
#   text      json and fmt
#   cli       text and CLI11
#   test      standard, GoogleTest and rapidcheck
# The target links the libraries of its set: their definitions are part of the precompiled header.
# A set holds headers of the outside only, so that no change in this repository compiles it again. A source includes what
# it uses all the same: builds without REPOSE_FAST_COMPILE and the test of headers compile without it.
set(REPOSE_PRECOMPILED_standard
  <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <filesystem> <fstream> <functional> <limits> <map> <memory>
  <numeric> <optional> <set> <span> <sstream> <string> <string_view> <utility> <variant> <vector>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  list(APPEND REPOSE_PRECOMPILED_standard <immintrin.h>)
endif()
set(REPOSE_PRECOMPILED_json ${REPOSE_PRECOMPILED_standard} <nlohmann/json.hpp>)
set(REPOSE_PRECOMPILED_text ${REPOSE_PRECOMPILED_json} <fmt/format.h>)
set(REPOSE_PRECOMPILED_cli ${REPOSE_PRECOMPILED_text} <CLI/CLI.hpp>)
set(REPOSE_PRECOMPILED_test ${REPOSE_PRECOMPILED_standard} <gtest/gtest.h> <rapidcheck.h> <rapidcheck/gtest.h>)
set(REPOSE_PRECOMPILED_LINKS_json nlohmann_json::nlohmann_json)
set(REPOSE_PRECOMPILED_LINKS_text ${REPOSE_PRECOMPILED_LINKS_json} fmt::fmt)
set(REPOSE_PRECOMPILED_LINKS_cli ${REPOSE_PRECOMPILED_LINKS_text} CLI11::CLI11)
set(REPOSE_PRECOMPILED_LINKS_test GTest::gtest rapidcheck::gtest)

# repose_precompiled(<set> <name>): the target that compiles the set, made when it is first asked for.
function(repose_precompiled set name)
  if(TARGET ${name})
    return()
  endif()
  set(source "${PROJECT_BINARY_DIR}/precompiled/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "int main() {}  // this target is about its precompiled header\n")
  if(name MATCHES "_executable$")  # position-independent in another way than a library
    add_executable(${name} EXCLUDE_FROM_ALL "${source}")
  else()
    add_library(${name} OBJECT "${source}")
  endif()
  target_link_libraries(${name} PRIVATE repose_flags ${REPOSE_PRECOMPILED_LINKS_${set}})
  target_precompile_headers(${name} PRIVATE ${REPOSE_PRECOMPILED_${set}})
endfunction()

function(repose_precompile target set)
  if(NOT REPOSE_FAST_COMPILE)
    return()
  endif()
  set(name repose_precompiled_${set})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    string(APPEND name _executable)
  endif()
  repose_precompiled(${set} ${name})
  target_precompile_headers(${target} REUSE_FROM ${name})
endfunction()

# repose_merge(<target> [APART <source>...]): compiles a target's sources a few at a time as one, so that what they share of
# templates is compiled once. For sources that compute nothing: which multiplications and additions round once may depend on
# what the compiler sees together. APART names sources that stay by themselves.
function(repose_merge target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "APART")
  if(REPOSE_FAST_COMPILE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    set_source_files_properties(${arg_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()
