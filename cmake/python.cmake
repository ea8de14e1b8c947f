# SPDX-License-Identifier: Apache-2.0
# Decides REPOSE_WITH_PYTHON and REPOSE_PYTHON_EXECUTABLE. scripts/setup makes .venv with everything that is needed;
# a wheel is built by scikit-build-core, which brings its own.
set(REPOSE_WITH_PYTHON OFF)
set(REPOSE_PYTHON_EXECUTABLE "${PROJECT_SOURCE_DIR}/.venv/bin/python" CACHE FILEPATH "Python to build the package for")
if(SKBUILD)
  set(REPOSE_WITH_PYTHON ON)
elseif(REPOSE_PYTHON STREQUAL "AUTO")
  if(REPOSE_TOP_LEVEL AND REPOSE_APPS AND NOT REPOSE_SANITIZE AND EXISTS "${REPOSE_PYTHON_EXECUTABLE}")
    execute_process(COMMAND "${REPOSE_PYTHON_EXECUTABLE}" -c "import nanobind, numpy"
      RESULT_VARIABLE python_lacks OUTPUT_QUIET ERROR_QUIET)
    if(python_lacks EQUAL 0)
      set(REPOSE_WITH_PYTHON ON)
    endif()
  endif()
else()
  set(REPOSE_WITH_PYTHON ${REPOSE_PYTHON})
endif()
message(STATUS "Python package: ${REPOSE_WITH_PYTHON}")
