# SPDX-License-Identifier: Apache-2.0
# Install rules and the package file behind find_package(Repose CONFIG).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Repose")
install(TARGETS repose_solver repose_sim EXPORT ReposeTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT ReposeTargets NAMESPACE repose:: DESTINATION "${package_dir}")
install(FILES "${PROJECT_BINARY_DIR}/include/repose/base/version.h" DESTINATION include/repose/base)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE"
  "${PROJECT_SOURCE_DIR}/THIRD_PARTY_NOTICES.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# The static library names its compiled dependencies; the package finds exactly those again.
get_property(links GLOBAL PROPERTY REPOSE_LINKS_solver)
get_property(sim_links GLOBAL PROPERTY REPOSE_LINKS_sim)
list(APPEND links ${sim_links})
set(REPOSE_FIND_DEPENDENCIES "")
foreach(pair "TBB::tbb=TBB" "ZLIB::ZLIB=ZLIB" "fmt::fmt=fmt" "Threads::Threads=Threads"
        "Qhull::qhull_r=Qhull" "Qhull::libqhull_r=Qhull" "assimp::assimp=assimp" "pugixml::pugixml=pugixml"
        "PNG::PNG=PNG")
  string(REPLACE "=" ";" pair "${pair}")
  list(GET pair 0 link)
  list(GET pair 1 package)
  if(link IN_LIST links)
    string(APPEND REPOSE_FIND_DEPENDENCIES "find_dependency(${package})\n")
  endif()
endforeach()
set(REPOSE_NEEDS_HDF5 OFF)
if("hdf5::hdf5" IN_LIST links)
  set(REPOSE_NEEDS_HDF5 ON)
endif()

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/ReposeConfig.cmake.in" "${PROJECT_BINARY_DIR}/ReposeConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ReposeConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/ReposeConfig.cmake" "${PROJECT_BINARY_DIR}/ReposeConfigVersion.cmake"
  DESTINATION "${package_dir}")
