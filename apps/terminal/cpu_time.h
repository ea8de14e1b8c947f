// SPDX-License-Identifier: Apache-2.0
// Time really computed. Unlike the wall clock's, it does not count what other programs of the machine take.
#pragma once

#include <ctime>

namespace repose::cli {

/// CPU milliseconds so far, of one clock of the system: CLOCK_PROCESS_CPUTIME_ID or CLOCK_THREAD_CPUTIME_ID.
[[nodiscard]] inline double cpu_ms(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

}  // namespace repose::cli
