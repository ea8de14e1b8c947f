# SPDX-License-Identifier: Apache-2.0
# repose::clarabel: the Clarabel interior point solver (Rust) behind the C ABI of third_party/clarabel_shim, built by
# cargo with the versions of its lock file. Without cargo or without the crates the build goes on without it.
find_program(REPOSE_CARGO cargo)
mark_as_advanced(REPOSE_CARGO)
option(REPOSE_CLARABEL "Build the Clarabel adapter, where cargo is found" ON)

set(clarabel_cargo_minimum 1.71)
set(clarabel_shim_dir "${PROJECT_SOURCE_DIR}/third_party/clarabel_shim")
set(clarabel_target_dir "${PROJECT_BINARY_DIR}/third_party/clarabel_shim")
set(clarabel_archive
  "${clarabel_target_dir}/release/${CMAKE_STATIC_LIBRARY_PREFIX}repose_clarabel_shim${CMAKE_STATIC_LIBRARY_SUFFIX}")

# clarabel_cargo_works(<out>): is there a cargo that can compile the locked crates?
function(clarabel_cargo_works out)
  set(version "")
  if(REPOSE_CARGO)
    execute_process(COMMAND "${REPOSE_CARGO}" --version OUTPUT_VARIABLE version ERROR_QUIET)
  endif()
  if(version MATCHES "^cargo ([0-9.]+)" AND NOT CMAKE_MATCH_1 VERSION_LESS clarabel_cargo_minimum)
    set(${out} ON PARENT_SCOPE)
  else()
    set(${out} OFF PARENT_SCOPE)
  endif()
endfunction()

# clarabel_fetch(<out>): are all crates of the lock file on this machine? The network is asked only when they are not.
function(clarabel_fetch out)
  foreach(offline "--offline" "")
    execute_process(
      COMMAND "${REPOSE_CARGO}" fetch --quiet --locked ${offline} --manifest-path "${clarabel_shim_dir}/Cargo.toml"
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE reason)
    if(NOT failed)
      set(${out} ON PARENT_SCOPE)
      return()
    endif()
  endforeach()
  string(REGEX REPLACE "\n.*" "" reason "${reason}")
  set(clarabel_reason "${reason}" PARENT_SCOPE)
  set(${out} OFF PARENT_SCOPE)
endfunction()

# clarabel_system_libraries(<out>): what `rustc --print native-static-libs` names, besides the C library itself.
function(clarabel_system_libraries out)
  if(WIN32)
    set(${out} kernel32 ntdll userenv ws2_32 dbghelp PARENT_SCOPE)
  elseif(APPLE)
    set(${out} m PARENT_SCOPE)
  else()
    set(${out} gcc_s util rt pthread m dl PARENT_SCOPE)
  endif()
endfunction()

# clarabel_library(): the archive with its header for our sources, and shipped with the installed package, so that a
# program that links repose::solver finds it again.
function(clarabel_library)
  include(GNUInstallDirs)
  get_filename_component(file "${clarabel_archive}" NAME)
  clarabel_system_libraries(system_libraries)
  add_library(repose_clarabel INTERFACE)
  add_library(repose::clarabel ALIAS repose_clarabel)
  add_dependencies(repose_clarabel repose_clarabel_build)
  set_target_properties(repose_clarabel PROPERTIES EXPORT_NAME clarabel)
  target_include_directories(repose_clarabel SYSTEM INTERFACE "$<BUILD_INTERFACE:${clarabel_shim_dir}>")
  target_link_libraries(repose_clarabel INTERFACE
    "$<BUILD_INTERFACE:${clarabel_archive}>"
    "$<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/${file}>"
    ${system_libraries})
  if(REPOSE_INSTALL)
    install(FILES "${clarabel_archive}" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    install(TARGETS repose_clarabel EXPORT ReposeTargets)
  endif()
endfunction()

# clarabel_build(): the rule that runs cargo.
function(clarabel_build)
  add_custom_command(
    OUTPUT "${clarabel_archive}"
    COMMAND "${CMAKE_COMMAND}" -E env "CARGO_TARGET_DIR=${clarabel_target_dir}"
      "${REPOSE_CARGO}" build --quiet --release --locked --offline --lib
        --manifest-path "${clarabel_shim_dir}/Cargo.toml"
    COMMAND "${CMAKE_COMMAND}" -E touch "${clarabel_archive}"  # cargo leaves an unchanged file's date alone
    DEPENDS "${clarabel_shim_dir}/Cargo.toml" "${clarabel_shim_dir}/Cargo.lock" "${clarabel_shim_dir}/src/lib.rs"
    COMMENT "Building Clarabel with cargo"
    VERBATIM)
  add_custom_target(repose_clarabel_build DEPENDS "${clarabel_archive}")
endfunction()

clarabel_cargo_works(clarabel_cargo_found)
if(NOT REPOSE_CLARABEL)
  message(STATUS "Clarabel: off")
elseif(NOT clarabel_cargo_found)
  message(STATUS "Clarabel: off, needs cargo ${clarabel_cargo_minimum} or newer")
else()
  clarabel_fetch(clarabel_fetched)
  if(clarabel_fetched)
    clarabel_build()
    clarabel_library()
    message(STATUS "Clarabel: on, built by ${REPOSE_CARGO}")
  else()
    message(STATUS "Clarabel: off, its crates could not be fetched (${clarabel_reason})")
  endif()
endif()
