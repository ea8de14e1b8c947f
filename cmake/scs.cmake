# SPDX-License-Identifier: Apache-2.0
# repose::scs: the splitting conic solver SCS, compiled from the C sources in its Python source package. pip fetches
# the package once into the build folder and checks its hash; REPOSE_SCS_ARCHIVE names a copy instead. Without the
# package the build goes on without it.
option(REPOSE_SCS "Build the SCS adapter (needs pip once, or REPOSE_SCS_ARCHIVE)" ON)
set(REPOSE_SCS_ARCHIVE "" CACHE FILEPATH "SCS source package to use instead of fetching it")

set(scs_glue_dir "${PROJECT_SOURCE_DIR}/third_party/scs")
set(scs_work_dir "${PROJECT_BINARY_DIR}/third_party/scs")
file(STRINGS "${scs_glue_dir}/requirements.txt" scs_pin REGEX "^scs==")
string(REGEX MATCH "^scs==([0-9.]+) --hash=sha256:([0-9a-f]+)" scs_pin "${scs_pin}")
set(scs_version "${CMAKE_MATCH_1}")
set(scs_sha256 "${CMAKE_MATCH_2}")
set(scs_archive "${scs_work_dir}/scs-${scs_version}.tar.gz")
if(REPOSE_SCS_ARCHIVE)
  set(scs_archive "${REPOSE_SCS_ARCHIVE}")
endif()
set(scs_source_dir "${scs_work_dir}/scs-${scs_version}/scs_source")

# scs_fetch(): puts the source package into the build folder, if pip can.
function(scs_fetch)
  set(python "${REPOSE_PYTHON_EXECUTABLE}")  # .venv has pip, which the system's Python may lack
  if(NOT EXISTS "${python}")
    find_package(Python3 QUIET COMPONENTS Interpreter)
    if(NOT Python3_Interpreter_FOUND)
      return()
    endif()
    set(python "${Python3_EXECUTABLE}")
  endif()
  file(MAKE_DIRECTORY "${scs_work_dir}")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${scs_glue_dir}/sdist_backend" PYTHONDONTWRITEBYTECODE=1
      "${python}" -m pip download --quiet --disable-pip-version-check --retries 1
        --no-deps --no-binary :all: --no-build-isolation --require-hashes
        --requirement "${scs_glue_dir}/requirements.txt" --dest "${scs_work_dir}"
    RESULT_VARIABLE ignored OUTPUT_QUIET ERROR_QUIET)
endfunction()

# scs_unpack(<out>): is the pinned source unpacked in the build folder? <out> gets "" or the reason why not.
function(scs_unpack out)
  set(${out} "" PARENT_SCOPE)
  if(NOT EXISTS "${scs_archive}" AND NOT REPOSE_SCS_ARCHIVE)
    scs_fetch()
  endif()
  if(NOT EXISTS "${scs_archive}")
    set(${out} "its source package ${scs_version} could not be had" PARENT_SCOPE)
    return()
  endif()
  file(SHA256 "${scs_archive}" found)
  if(NOT found STREQUAL scs_sha256)
    set(${out} "${scs_archive} is not the pinned version ${scs_version}" PARENT_SCOPE)
    return()
  endif()
  if(NOT EXISTS "${scs_source_dir}/include/scs.h")
    file(ARCHIVE_EXTRACT INPUT "${scs_archive}" DESTINATION "${scs_work_dir}")
  endif()
endfunction()

# scs_library(): the direct solver (QDLDL with AMD ordering), double precision, no printing, no signal handler.
function(scs_library)
  set(scs "${scs_source_dir}")
  file(GLOB amd "${scs}/linsys/external/amd/*.c")
  set(common aa cones exp_cone linalg normalize rw scs scs_version util)
  list(TRANSFORM common REPLACE "(.+)" "${scs}/src/\\1.c")
  add_library(repose_scs STATIC
    ${common} "${scs}/linsys/csparse.c" "${scs}/linsys/scs_matrix.c" "${scs}/linsys/cpu/direct/private.c"
    "${scs}/linsys/external/qdldl/qdldl.c" ${amd} "${scs_glue_dir}/small_lapack.c")
  add_library(repose::scs ALIAS repose_scs)
  set_target_properties(repose_scs PROPERTIES EXPORT_NAME scs C_STANDARD 99 C_EXTENSIONS OFF)
  target_include_directories(repose_scs SYSTEM
    PUBLIC "$<BUILD_INTERFACE:${scs}/include>"
    PRIVATE "${scs}/linsys" "${scs}/linsys/cpu/direct" "${scs}/linsys/external/amd" "${scs}/linsys/external/qdldl")
  target_compile_definitions(repose_scs PRIVATE NO_PRINTING=1 NO_READ_WRITE=1 _POSIX_C_SOURCE=200809L)
  # Anderson acceleration is the one part that wants LAPACK, for matrices of ten columns: ours is enough for it, and
  # keeps threads and rounding of a system BLAS out.
  set_source_files_properties("${scs}/src/aa.c" PROPERTIES COMPILE_DEFINITIONS "USE_LAPACK=1;BLASSUFFIX=_repose")
  scs_rename_external_symbols()
  if(NOT MSVC)
    target_compile_options(repose_scs PRIVATE -O2 -w)
    target_link_libraries(repose_scs PRIVATE m)
  endif()
  if(REPOSE_INSTALL)
    include(GNUInstallDirs)
    install(TARGETS repose_scs EXPORT ReposeTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    install(FILES "${scs}/LICENSE.txt" DESTINATION "${CMAKE_INSTALL_DOCDIR}/licenses" RENAME scs.txt)
    install(FILES "${scs}/linsys/external/amd/LICENSE.txt" DESTINATION "${CMAKE_INSTALL_DOCDIR}/licenses"
      RENAME scs-amd.txt)
    install(FILES "${scs}/linsys/external/qdldl/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}/licenses"
      RENAME scs-qdldl.txt)
  endif()
endfunction()

# scs_rename_external_symbols(): a program may link SuiteSparse's AMD or another QDLDL beside these private copies.
function(scs_rename_external_symbols)
  foreach(symbol
      amd_order amd_defaults amd_control amd_info amd_1 amd_2 amd_valid amd_aat amd_postorder amd_post_tree
      amd_preprocess
      SuiteSparse_calloc SuiteSparse_config SuiteSparse_divcomplex SuiteSparse_finish SuiteSparse_free
      SuiteSparse_hypot SuiteSparse_malloc SuiteSparse_realloc SuiteSparse_start SuiteSparse_tic SuiteSparse_time
      SuiteSparse_toc SuiteSparse_version
      QDLDL_etree QDLDL_factor QDLDL_solve QDLDL_Lsolve QDLDL_Ltsolve)
    target_compile_definitions(repose_scs PRIVATE ${symbol}=repose_scs_${symbol})
  endforeach()
endfunction()

if(NOT REPOSE_SCS)
  message(STATUS "SCS: off")
else()
  scs_unpack(scs_reason)
  if(scs_reason)
    message(STATUS "SCS: off, ${scs_reason}")
  else()
    scs_library()
    message(STATUS "SCS: on, version ${scs_version}")
  endif()
endif()
