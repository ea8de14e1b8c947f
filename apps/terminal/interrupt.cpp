// SPDX-License-Identifier: Apache-2.0
#include "apps/terminal/interrupt.h"

#include <csignal>
#include <initializer_list>

namespace repose::cli {
namespace {

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

extern "C" void note_signal(int) {
  flag.store(true, std::memory_order_relaxed);
  std::signal(SIGINT, SIG_DFL);  // the next one ends the program
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit fails like one on a full disk
}

const std::atomic<bool>& interrupt_flag() { return flag; }

}  // namespace repose::cli
