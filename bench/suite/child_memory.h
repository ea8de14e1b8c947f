// SPDX-License-Identifier: Apache-2.0
// Memory that a piece of work needs, measured in a process of its own.
#pragma once

#include <functional>

namespace repose::bench {

struct ChildMemory {
  double peak_mib = 0;    ///< largest resident size of the child, everything included
  double growth_mib = 0;  ///< the same less that of a child that does nothing
  bool succeeded = false;
};

/// Runs `work` in a child process; it returns whether it succeeded.
[[nodiscard]] ChildMemory measure_memory(const std::function<bool()>& work);

}  // namespace repose::bench
