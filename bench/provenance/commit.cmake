# SPDX-License-Identifier: Apache-2.0
# Writes the commit of the sources into a file, at build time.   cmake -DSOURCE=folder -DOUT=file -P commit.cmake
# "-dirty" follows when a file that is compiled or run differs from that commit; text and stored results do not count, as
# they change nothing that is measured.
set(watched CMakeLists.txt CMakePresets.json cmake repose scenes problems apps bench python
  ":(exclude)bench/results" ":(exclude)*.md" ":(exclude)**/node_modules")
set(text "unknown")
find_program(git git)
if(git)
  execute_process(COMMAND "${git}" rev-parse HEAD WORKING_DIRECTORY "${SOURCE}"
    OUTPUT_VARIABLE head RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND "${git}" status --porcelain -- ${watched} WORKING_DIRECTORY "${SOURCE}"
    OUTPUT_VARIABLE changes ERROR_QUIET)
  if(NOT failed)
    set(text "${head}")
    if(changes)
      string(APPEND text "-dirty")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT "${OUT}" CONTENT "${text}\n")
