// SPDX-License-Identifier: Apache-2.0
// One solve, timed and judged; and what many of them have in common.
#pragma once

#include <span>
#include <vector>

#include "bench/suite/suite.h"
#include "repose/scheme/solver.h"

namespace repose::bench {

struct MeasureOptions {
  double cap = 0;                ///< CPU seconds after which the solver is asked to stop; 0: never
  int repetitions = 1;           ///< The solve is repeated from the same start and the least time counts …
  double repeat_below = 0.05;    ///< … while all repetitions together took less than this, CPU s.
  std::vector<double> levels{};  ///< residuals whose first passing is timed
};

struct Measured {
  double ms = 0;  ///< CPU time of solve()
  OuterReport report{};
  Certificate certificate{};       ///< of the returned impulses, by a judge of our own
  bool capped = false;             ///< the cap stopped it
  std::vector<double> level_ms{};  ///< per level; infinite where it was never passed
  std::vector<ContactVec> lambda{};
};

/// `solver` is bound to `problem`; its limits are set. Empty `start`: cold.
[[nodiscard]] Measured measure(OuterSolver& solver, const ContactProblem& problem, std::span<const ContactVec> start,
                               const MeasureOptions& how, const SuiteOptions& suite);

/// CPU milliseconds of bind().
[[nodiscard]] double measure_bind(OuterSolver& solver, const ContactProblem& problem);

[[nodiscard]] double median(std::vector<double> values);          ///< NaN of nothing
[[nodiscard]] double largest(const std::vector<double>& values);  ///< NaN of nothing

/// Several solves to one tolerance. Times are over all of them, solved or not.
class Summary {
 public:
  explicit Summary(double tolerance) : tolerance_(tolerance) {}
  void add(const Measured& one);

  [[nodiscard]] int count() const { return static_cast<int>(ms_.size()); }
  [[nodiscard]] int solved() const { return solved_; }
  [[nodiscard]] int solved_within(double ms) const;  ///< solved, and no slower than this
  [[nodiscard]] double ms_median() const { return median(ms_); }
  [[nodiscard]] double ms_max() const { return largest(ms_); }
  [[nodiscard]] double outer_median() const { return median(outer_); }
  [[nodiscard]] double inner_median() const { return median(inner_); }
  [[nodiscard]] double inner_max() const { return largest(inner_); }
  [[nodiscard]] const Certificate& worst() const { return worst_; }  ///< each measure's own largest value
  /// {"tolerance", "solves", "solved", "ms_median", …}
  [[nodiscard]] Json numbers() const;

 private:
  double tolerance_;
  int solved_ = 0;
  std::vector<double> ms_, solved_ms_, outer_, inner_;
  Certificate worst_{};
};

}  // namespace repose::bench
