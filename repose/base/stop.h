// SPDX-License-Identifier: Apache-2.0
// How a caller ends a long solve early. Solvers call asked() once per outer iteration (or every few sweeps) and return
// their best iterate unless the answer is kContinue. No other decision of an algorithm depends on the clock, so that
// runs are repeatable.
#pragma once

#include <atomic>
#include <chrono>

namespace repose {

enum class StopReason { kContinue, kTimeLimit, kInterrupted };

class StopToken {
 public:
  StopToken() = default;
  /// Asks to stop `seconds` from now, and, if `interrupted` is given, as soon as it is true (set by a signal handler).
  explicit StopToken(double seconds, const std::atomic<bool>* interrupted = nullptr)
      : has_deadline_(seconds > 0), interrupted_(interrupted) {
    if (has_deadline_)
      deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  [[nodiscard]] StopReason asked() const {
    if (interrupted_ && interrupted_->load(std::memory_order_relaxed)) return StopReason::kInterrupted;
    if (has_deadline_ && Clock::now() > deadline_) return StopReason::kTimeLimit;
    return StopReason::kContinue;
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool has_deadline_ = false;
  const std::atomic<bool>* interrupted_ = nullptr;
  Clock::time_point deadline_{};
};

}  // namespace repose
