# SPDX-License-Identifier: Apache-2.0
# repose_module(<name> [DEPS <module>...] [LINKS <target>...] [DEFINES <definition>...])
#
# Turns the folder it is called from into the object library repose_<name>, made of all its *.cpp files.
#   DEPS     modules of this repository whose headers it may include (the arrows of docs/architecture.md)
#   LINKS    outside targets that its sources need; headers of the module must not show them to users
#   DEFINES  private compile definitions
# Every module goes into the one static library repose::solver. Headers are installed beside their module, except
# *_internal.h, which only our own sources may include.
function(repose_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPS;LINKS;DEFINES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "repose_module(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "*.cpp")
  file(GLOB headers CONFIGURE_DEPENDS "*.h")
  if(NOT sources)  # an object library needs one source; headers-only modules get an empty one
    set(sources "${CMAKE_CURRENT_BINARY_DIR}/headers_only.cpp")
    file(CONFIGURE OUTPUT "${sources}" CONTENT "// This module has headers only.\n")
  endif()

  set(target repose_${name})
  add_library(${target} OBJECT ${sources} ${headers})
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/include")
  list(TRANSFORM arg_DEPS PREPEND repose_ OUTPUT_VARIABLE dependencies)
  target_link_libraries(${target} PUBLIC ${dependencies} PRIVATE repose_flags ${arg_LINKS})
  target_compile_definitions(${target} PRIVATE ${arg_DEFINES})

  set_property(GLOBAL APPEND PROPERTY REPOSE_MODULES ${name})
  set_property(GLOBAL APPEND PROPERTY REPOSE_MODULE_LINKS ${arg_LINKS})
  set_property(GLOBAL APPEND PROPERTY REPOSE_HEADERS ${headers})

  if(REPOSE_INSTALL)
    list(FILTER headers EXCLUDE REGEX "_internal\\.h$")
    install(FILES ${headers} DESTINATION "include/repose/${name}")
  endif()
endfunction()

# repose_glob_sources(<out>): the *.cpp and *.h files of the current folder.
macro(repose_glob_sources out)
  file(GLOB ${out} CONFIGURE_DEPENDS "*.cpp" "*.h")
endmacro()
