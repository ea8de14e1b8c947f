# SPDX-License-Identifier: Apache-2.0
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nfailed with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
step("${CMAKE_COMMAND}" --install "${REPOSE_BUILD}" --prefix "${WORK}/prefix")
step("${CMAKE_COMMAND}" -S "${PROJECT}" -B "${WORK}/build" -G "${GENERATOR}"
  -D CMAKE_BUILD_TYPE=Debug -D "CMAKE_CXX_COMPILER=${CXX}" -D "CMAKE_C_COMPILER=${CC}"
  -D "CMAKE_PREFIX_PATH=${WORK}/prefix" -D "REPOSE_PREFIX=${WORK}/prefix" -D "REPOSE_PAGE=${PAGE}")
step("${CMAKE_COMMAND}" --build "${WORK}/build")
step("${WORK}/build/consumer")
step("${WORK}/build/page")
message("${output}")
