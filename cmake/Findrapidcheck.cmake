# SPDX-License-Identifier: Apache-2.0
# rapidcheck as Debian ships it: a header tree and one static library, no package file of its own.
# Defines rapidcheck::rapidcheck and, when its GoogleTest header is there, rapidcheck::gtest.
find_path(rapidcheck_INCLUDE_DIR rapidcheck.h)
find_library(rapidcheck_LIBRARY rapidcheck)
mark_as_advanced(rapidcheck_INCLUDE_DIR rapidcheck_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(rapidcheck REQUIRED_VARS rapidcheck_LIBRARY rapidcheck_INCLUDE_DIR)

if(rapidcheck_FOUND AND NOT TARGET rapidcheck::rapidcheck)
  add_library(rapidcheck::rapidcheck UNKNOWN IMPORTED)
  set_target_properties(rapidcheck::rapidcheck PROPERTIES
    IMPORTED_LOCATION "${rapidcheck_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${rapidcheck_INCLUDE_DIR}")
endif()
if(rapidcheck_FOUND AND NOT TARGET rapidcheck::gtest AND EXISTS "${rapidcheck_INCLUDE_DIR}/rapidcheck/gtest.h")
  add_library(rapidcheck::gtest INTERFACE IMPORTED)
  target_link_libraries(rapidcheck::gtest INTERFACE rapidcheck::rapidcheck)
endif()
