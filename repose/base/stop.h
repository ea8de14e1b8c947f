// SPDX-License-Identifier: Apache-2.0
// How a caller ends a long solve early. Solvers ask once per outer iteration (or per few sweeps); an answer other
// than kContinue makes them return their best iterate. No clock steers an algorithm otherwise, so that runs repeat.
#pragma once

#include <atomic>
#include <chrono>

namespace repose {

enum class StopReason { kContinue, kTimeLimit, kInterrupted };

class StopToken {
 public:
  StopToken() = default;
  /// Ends `seconds` from now; `interrupted`, where given, ends it as soon as it turns true (set by a signal handler).
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
