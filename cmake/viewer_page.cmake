# SPDX-License-Identifier: Apache-2.0
# Sets `bundle`: a C++ source with the viewer's page (apps/viewer_page) as bytes, for the folder that includes this.
# The page is built with Node where its packages are installed (scripts/setup sees to that); the program works without.
set(viewer "${PROJECT_SOURCE_DIR}/apps/viewer_page")
set(page "${PROJECT_BINARY_DIR}/viewer/index.html")
find_program(REPOSE_NODE node)
file(GLOB installed CONFIGURE_DEPENDS "${viewer}/node_modules/.package-lock.json")
if(REPOSE_NODE AND installed)
  file(GLOB page_sources CONFIGURE_DEPENDS "${viewer}/src/*.ts" "${viewer}/src/*.css" "${viewer}/*.json"
    "${viewer}/index.html" "${viewer}/vite.config.ts")
  add_custom_command(OUTPUT "${page}" DEPENDS ${page_sources} ${installed} WORKING_DIRECTORY "${viewer}"
    COMMAND "${REPOSE_NODE}" node_modules/typescript/bin/tsc --noEmit
    COMMAND "${REPOSE_NODE}" node_modules/vite/bin/vite.js build --logLevel warn --emptyOutDir
            --outDir "${PROJECT_BINARY_DIR}/viewer"
    COMMENT "Building the viewer's page" VERBATIM)
else()
  message(STATUS "The program is built without the viewer's page (needs Node.js 20 and scripts/setup)")
  file(CONFIGURE OUTPUT "${page}" CONTENT "")
endif()
set(bundle "${CMAKE_CURRENT_BINARY_DIR}/bundle_data.cpp")
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_custom_command(OUTPUT "${bundle}" DEPENDS "${page}" "${PROJECT_SOURCE_DIR}/repose/export/embed.py"
  COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/repose/export/embed.py" "${page}" "${bundle}" VERBATIM)

