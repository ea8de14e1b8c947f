// SPDX-License-Identifier: Apache-2.0
// What `repose solve` says about its answers: a table for people, a tally for the exit status.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "apps/cli/solve_run.h"
#include "apps/terminal/console.h"

namespace repose::cli {

/// "interior point 12 → newton 5": the stages of a scheme that combines others.
[[nodiscard]] std::string path_text(const OuterReport& report);

/// Counts over all finished answers.
class Tally {
 public:
  Tally(std::size_t total, double tolerance) : total_(total), tolerance_(tolerance) {}
  void add(const std::string& name, const Certificate& certificate, double ms = 0);

  [[nodiscard]] bool all_solved() const { return solved_ == finished_; }
  /// A certificate that is no number.
  [[nodiscard]] bool broke_down() const { return !std::isfinite(worst_); }
  [[nodiscard]] std::size_t finished() const { return finished_; }
  /// "12 of 12 solved to 1e-8 · worst r_c 3.1e-11 · worst nat 2.0e-12"
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] std::string times() const;
  /// The line that says aloud which answers are not solutions.
  [[nodiscard]] std::string alarm() const;

 private:
  std::size_t total_, finished_ = 0, solved_ = 0;
  double tolerance_, worst_r_c_ = 0, worst_nat_ = 0, worst_ = -1;
  std::string worst_name_;
  std::vector<double> ms_;
};

/// Prints rows as they come, with columns that fit names known beforehand.
class SolveTable {
 public:
  SolveTable(const Console& console, const std::vector<std::string>& files, const SolveRequest& request);
  void head() const;
  void row(const report::Solved& solved) const;
  void foot(const Tally& tally) const;
  [[nodiscard]] const std::string& name(const report::Solved& solved) const;

 private:
  [[nodiscard]] std::string residual_cell(double value) const;
  [[nodiscard]] std::string status_cell(const report::Solved& solved) const;

  const Console& console_;
  const SolveRequest& request_;
  ShownNames shown_;
  std::size_t width_;
  bool has_path_;
};

}  // namespace repose::cli
