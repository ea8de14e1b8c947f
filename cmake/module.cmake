# SPDX-License-Identifier: Apache-2.0
# repose_module(<name> [INTERNAL] [LIBRARY solver|sim|output] [DEPS <module>...] [LINKS <target>...] [DEFINES <definition>...]
#               [PRECOMPILE standard|json|text])
#
# Turns the folder it is called from into the object library repose_<name>, made of all its *.cpp files.
#   INTERNAL our own programs use it: nothing of it is installed
#   LIBRARY  the static library it goes into, repose::solver when not given
#   DEPS     modules of this repository whose headers it may include (the arrows of docs/architecture.md)
#   LINKS    outside targets that its sources need; headers of the module must not show them to users
#   DEFINES  private compile definitions
#   PRECOMPILE  its set of precompiled headers, standard when not given
# Headers are installed beside their module, except *_internal.h, which only our own sources may include.
function(repose_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INTERNAL" "LIBRARY;PRECOMPILE" "DEPS;LINKS;DEFINES")
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

  if(NOT arg_PRECOMPILE)
    set(arg_PRECOMPILE standard)
  endif()
  repose_precompile(${target} ${arg_PRECOMPILE})

  if(NOT arg_LIBRARY)
    set(arg_LIBRARY solver)
  endif()
  set_property(GLOBAL APPEND PROPERTY REPOSE_MODULES_${arg_LIBRARY} ${name})
  set_property(GLOBAL APPEND PROPERTY REPOSE_LINKS_${arg_LIBRARY} ${arg_LINKS})
  set_property(GLOBAL APPEND PROPERTY REPOSE_HEADERS ${headers})

  if(REPOSE_INSTALL AND NOT arg_INTERNAL)
    list(FILTER headers EXCLUDE REGEX "_internal\\.h$")
    install(FILES ${headers} DESTINATION "include/repose/${name}")
  endif()
endfunction()

# repose_glob_sources(<out>): the *.cpp and *.h files of the current folder.
macro(repose_glob_sources out)
  file(GLOB ${out} CONFIGURE_DEPENDS "*.cpp" "*.h")
endmacro()

# repose_library(<name>): the static library repose::<name>, made of the modules declared with LIBRARY <name>.
function(repose_library name)
  set(target repose_${name})
  add_library(${target} STATIC)
  add_library(repose::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} OUTPUT_NAME ${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${REPOSE_ABI_FLAGS}>")
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
    "$<INSTALL_INTERFACE:include>")
  get_property(modules GLOBAL PROPERTY REPOSE_MODULES_${name})
  foreach(module ${modules})
    target_sources(${target} PRIVATE "$<TARGET_OBJECTS:repose_${module}>")
  endforeach()
  # Compiled dependencies reach the user's link line; header-only ones stay here.
  get_property(links GLOBAL PROPERTY REPOSE_LINKS_${name})
  list(REMOVE_DUPLICATES links)
  foreach(link ${links})
    if(link MATCHES "^(Eigen3::Eigen|nlohmann_json::nlohmann_json|Boost::headers)$")
      target_link_libraries(${target} PRIVATE "$<BUILD_INTERFACE:${link}>")
    else()
      target_link_libraries(${target} PRIVATE ${link})
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE "$<BUILD_INTERFACE:repose_flags>")
endfunction()
