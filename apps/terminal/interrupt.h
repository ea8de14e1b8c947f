// SPDX-License-Identifier: Apache-2.0
// Ctrl-C: the first SIGINT or SIGTERM asks the solve that is running to stop, the second ends the program at once.
#pragma once

#include <atomic>

namespace repose::cli {

/// Also lets writes beyond the limit of a file's size fail instead of ending the program.
void catch_interrupts();

/// True once a signal came; solvers watch it through their StopToken.
[[nodiscard]] const std::atomic<bool>& interrupt_flag();
[[nodiscard]] inline bool interrupted() { return interrupt_flag().load(std::memory_order_relaxed); }

}  // namespace repose::cli
