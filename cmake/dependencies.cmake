# SPDX-License-Identifier: Apache-2.0
# Everything comes from the system; scripts/setup installs what is missing on Debian and its relatives.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(TBB REQUIRED)
find_package(ZLIB REQUIRED)             # compressed datasets
find_package(Boost 1.74 REQUIRED)       # geometry: the r-tree of the broad phase
find_package(Qhull REQUIRED)            # convex hulls
if(REPOSE_BITS)                         # its program reads no scenes and no meshes
  foreach(target fmt::fmt assimp::assimp pugixml::pugixml PNG::PNG nlohmann_json::nlohmann_json)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
  endforeach()
  return()
endif()
find_package(fmt REQUIRED)
find_package(assimp REQUIRED)           # mesh files
find_package(pugixml REQUIRED)          # MJCF, URDF
find_package(PNG REQUIRED)              # height fields
find_package(nlohmann_json REQUIRED)    # scenes

if(REPOSE_APPS OR REPOSE_WITH_PYTHON)
  find_package(ZLIB REQUIRED)           # pages, .npz
endif()
if(REPOSE_APPS)
  find_package(CLI11 REQUIRED)
endif()
if(REPOSE_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
if(REPOSE_BENCH)
  find_package(benchmark REQUIRED)
endif()
