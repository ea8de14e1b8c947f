// SPDX-License-Identifier: Apache-2.0
// Time that this thread has really computed: what a benchmark reads on a machine that it shares with others.
#pragma once

#include <ctime>

#include <atomic>

namespace repose::bench {

/// CPU seconds of the calling thread.
[[nodiscard]] double thread_cpu_seconds();

/// Sets `flag` once the calling thread has computed for `seconds` more (0: never). Forgotten when destroyed.
class CpuDeadline {
 public:
  CpuDeadline(double seconds, std::atomic<bool>& flag);
  ~CpuDeadline();
  CpuDeadline(const CpuDeadline&) = delete;
  CpuDeadline& operator=(const CpuDeadline&) = delete;

 private:
  timer_t timer_{};
  bool armed_ = false;
};

}  // namespace repose::bench
