# SPDX-License-Identifier: Apache-2.0
# The device code of repose/batch, compiled by nvcc for the architectures of REPOSE_CUDA_ARCHITECTURES and, as PTX of the last
# of them, for later ones. nvcc comes from PATH, CUDA_HOME or the wheels of scripts/setup device; CMake's own CUDA support
# does not know the layout of the wheels.
option(REPOSE_CUDA "Build the CUDA code of batches; needs nvcc, no GPU" OFF)
set(REPOSE_CUDA_ARCHITECTURES 80 90 CACHE STRING "Compute capabilities of the CUDA code, ascending")

if(REPOSE_CUDA)
  set(repose_gencode "")
  foreach(architecture ${REPOSE_CUDA_ARCHITECTURES})
    list(APPEND repose_gencode -gencode arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  list(GET REPOSE_CUDA_ARCHITECTURES -1 architecture)
  list(APPEND repose_gencode -gencode arch=compute_${architecture},code=compute_${architecture})
  file(GLOB repose_nvcc_wheels "${PROJECT_SOURCE_DIR}/.venv*/lib/python*/site-packages/nvidia/*/bin")
  find_program(REPOSE_NVCC nvcc HINTS "$ENV{CUDA_HOME}/bin" ${repose_nvcc_wheels})
  if(NOT REPOSE_NVCC)
    message(FATAL_ERROR "REPOSE_CUDA: expected nvcc on PATH, in CUDA_HOME or in .venv-device (scripts/setup device), got none")
  endif()
  get_filename_component(repose_cuda_root "${REPOSE_NVCC}" REALPATH)
  get_filename_component(repose_cuda_root "${repose_cuda_root}/../.." ABSOLUTE)
  find_library(REPOSE_CUDART cudart_static
    HINTS "${repose_cuda_root}/lib64" "${repose_cuda_root}/lib" "${repose_cuda_root}/targets/x86_64-linux/lib")
  if(NOT REPOSE_CUDART)
    message(FATAL_ERROR "REPOSE_CUDA: expected libcudart_static.a beside ${REPOSE_NVCC}, got none")
  endif()
  message(STATUS "CUDA: on, ${REPOSE_NVCC}")
endif()

# repose_cuda_object(<out> <source> <name> [definition]...): one object. Each has a source file of its own, <name>.cu: nvcc
# names what is local to a source after the file's name, and would give all objects of one file the same global names.
function(repose_cuda_object out source name)
  set(object "${CMAKE_CURRENT_BINARY_DIR}/${name}.o")
  set(wrapper "${CMAKE_CURRENT_BINARY_DIR}/${name}.cu")
  list(TRANSFORM ARGN PREPEND -D OUTPUT_VARIABLE definitions)
  file(CONFIGURE OUTPUT "${wrapper}" CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"\n")
  add_custom_command(OUTPUT "${object}"
    COMMAND "${REPOSE_NVCC}" -std=c++20 -O3 -fmad=false ${definitions} "-I${PROJECT_SOURCE_DIR}"
      ${repose_gencode} -ccbin "${CMAKE_CXX_COMPILER}" -Xcompiler -fPIC,-ffp-contract=off -MD -MF "${object}.d"
      -c "${wrapper}" -o "${object}"
    DEPENDS "${wrapper}" "${source}" DEPFILE "${object}.d" COMMENT "nvcc ${source} (${name})" VERBATIM)
  set(${out} "${object}" PARENT_SCOPE)
endfunction()
