// SPDX-License-Identifier: Apache-2.0
// The report of a solve.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "repose/base/stop.h"
#include "repose/contact/residual.h"

namespace repose {

enum class Status {
  kConverged,
  kAccepted,  ///< above tolerance, within SolveLimits::accept
  kIterationLimit,
  kTimeLimit,
  kStalled,
  kNumericalFailure,
  kInterrupted
};

/// Returns "converged", "iteration_limit", …: the words of `repose solve --json`.
[[nodiscard]] const char* to_string(Status status);

/// One stage of a combined scheme (auto): its method and the residual it reached.
struct Stage {
  const char* method = "";  ///< a string literal: "local", "newton", "interior_point", …
  int iterations = 0;
  double worst = 0;  ///< max(r_c, nat) after it
};

/// The stages of a solve in order. The first few are stored inline; no stage is dropped.
class StageList {
 public:
  void clear() {
    size_ = 0;
    more_.clear();
  }
  void add(const Stage& stage) {
    if (size_ < kInline)
      first_[static_cast<std::size_t>(size_)] = stage;
    else
      more_.push_back(stage);
    ++size_;
  }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const Stage& operator[](int k) const {
    return k < kInline ? first_[static_cast<std::size_t>(k)] : more_[static_cast<std::size_t>(k - kInline)];
  }
  class Iterator {
   public:
    Iterator(const StageList& list, int k) : list_(&list), k_(k) {}
    const Stage& operator*() const { return (*list_)[k_]; }
    Iterator& operator++() { return ++k_, *this; }
    bool operator!=(const Iterator& other) const { return k_ != other.k_; }

   private:
    const StageList* list_;
    int k_;
  };
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size_}; }
  /// Claims memory for this many stages, so that add() claims none.
  void reserve(int stages) { more_.reserve(static_cast<std::size_t>(stages > kInline ? stages - kInline : 0)); }

 private:
  static constexpr int kInline = 12;
  int size_ = 0;
  std::array<Stage, kInline> first_{};
  std::vector<Stage> more_;
};

struct OuterReport {
  Status status = Status::kIterationLimit;
  int outer_iterations = 0;
  int inner_iterations = 0;
  Certificate certificate;
  int fallbacks = 0;  ///< number of stages after the first
  double work = 0;    ///< per contact, in block products (auto, newton)
  /// The scheme knows no further way to improve the answer, which is above tolerance: kStalled, or kAccepted without a
  /// limit on work or iterations being reached.
  bool stalled = false;
  StageList stages;
  double gamma = 0;       ///< last step size, kg (fbf)
  int gamma_shrinks = 0;  ///< rejected trial steps (fbf)

  /// Sets how a solve above tolerance ended. An acceptable answer (`accept` > 0) is accepted whatever ended the solve,
  /// except a request to stop.
  void grade(Status end, double accept);
  /// Resets to the state before a solve and keeps the memory.
  void reset() {
    StageList kept = std::move(stages);
    kept.clear();
    *this = {};
    stages = std::move(kept);
  }
};

/// Returns how a solve ends: `solved`, a measure that is not finite, or a request to stop; nothing while it continues.
[[nodiscard]] std::optional<Status> verdict(bool solved, double measure, const StopToken& stop);

}  // namespace repose
