# SPDX-License-Identifier: Apache-2.0
# Sets `bundle`: a C++ source with the viewer's page as bytes, for the folder that includes this. The page is checked in as
# scripts/viewer built it from apps/viewer_page; it goes into the program as it is, compressed.
set(page "${PROJECT_SOURCE_DIR}/apps/viewer_page/page.html.gz")
set(bundle "${CMAKE_CURRENT_BINARY_DIR}/bundle_data.cpp")
add_custom_command(OUTPUT "${bundle}" DEPENDS "${page}" "${PROJECT_SOURCE_DIR}/cmake/embed.cmake" VERBATIM
  COMMAND "${CMAKE_COMMAND}" -D "INPUT=${page}" -D "OUTPUT=${bundle}" -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake")
