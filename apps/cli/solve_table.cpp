// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/solve_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string_view>

#include "repose/base/version.h"

namespace repose::cli {
namespace {

struct Step {
  std::string_view method;
  long long iterations;
};

/// Neighbours of one kind count as one; the look at the start is not a step.
std::vector<Step> steps_of(const OuterReport& report) {
  std::vector<Step> steps;
  for (const Stage& stage : report.stages) {
    if (stage.iterations == 0) continue;
    if (!steps.empty() && steps.back().method == stage.method)
      steps.back().iterations += stage.iterations;
    else
      steps.push_back({stage.method, stage.iterations});
  }
  return steps;
}

}  // namespace

std::string path_text(const OuterReport& report) {
  constexpr std::size_t kShown = 4;
  const std::vector<Step> steps = steps_of(report);
  std::string text;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const bool hidden = steps.size() > kShown && k >= kShown - 2 && k + 1 < steps.size();
    if (hidden && k > kShown - 2) continue;
    if (!text.empty()) text += " → ";
    text += hidden ? fmt::format("… {} more", steps.size() - kShown + 1)
                   : fmt::format("{} {}", steps[k].method, steps[k].iterations);
  }
  if (steps.empty() && !report.stages.empty()) return "the start was enough";
  return text;
}

void Tally::add(const std::string& name, const Certificate& certificate, double ms) {
  ++finished_;
  if (certificate.solved(tolerance_)) ++solved_;
  worst_r_c_ = std::max(worst_r_c_, certificate.r_c());
  worst_nat_ = std::max(worst_nat_, std::isfinite(certificate.nat) ? certificate.nat : HUGE_VAL);
  if (certificate.worst() > worst_) {
    worst_ = certificate.worst();
    worst_name_ = name;
  }
  ms_.push_back(ms);
}

std::string Tally::summary() const {
  return fmt::format("{} of {} solved to {} · worst r_c {} · worst nat {}", solved_, total_, short_power(tolerance_),
                     short_residual(worst_r_c_), short_residual(worst_nat_));
}

std::string Tally::times() const {
  return fmt::format("median {} ms · total {} ms", short_ms(median(ms_)),
                     short_ms(std::accumulate(ms_.begin(), ms_.end(), 0.0)));
}

std::string Tally::alarm() const {
  return fmt::format("NOT SOLVED: {} of {} above {}; the worst is {} at {}", finished_ - solved_, finished_,
                     short_power(tolerance_), worst_name_, short_residual(worst_));
}

SolveTable::SolveTable(const Console& console, const std::vector<std::string>& files, const SolveRequest& request)
    : console_(console), request_(request), shown_(shown_names(files)), width_(8) {
  for (const std::string& name : shown_.names) width_ = std::max(width_, name.size());
  has_path_ = repose::name(request.options.outer) == "auto";
}

const std::string& SolveTable::name(const report::Solved& solved) const {
  return shown_.names[static_cast<std::size_t>(solved.index)];
}

void SolveTable::head() const {
  const std::string inner = report::inner_name(request_.options);
  console_.line(fmt::format("{}  {}{} · outer {}{} · tolerance {}{}",
                            console_.paint(Style::kBold, fmt::format("repose {}", kVersion)),
                            counted(shown_.names.size(), "problem"),
                            shown_.folder.empty() ? "" : " in " + shown_.folder, repose::name(request_.options.outer),
                            inner == "none" ? "" : " · inner " + inner, short_power(request_.options.tolerance),
                            request_.repeat > 1 ? fmt::format(" · times are medians of {}", request_.repeat) : ""));
  console_.line();
  console_.line(
      console_.paint(Style::kDim, fmt::format("{:<{}}  {:>8}  {:<17}  {:>7}  {:>7}  {:>6}  {:>6}  {:>8}{}", "file",
                                              width_, "contacts", "status", "r_c", "nat", "outer", "inner",
                                              request_.threads > 1 ? "ms*" : "ms", has_path_ ? "  path of auto" : "")));
}

std::string SolveTable::residual_cell(double value) const {
  const bool good = value <= request_.options.tolerance;  // false for NaN
  return console_.paint(good ? Style::kPlain : Style::kBad, fmt::format("{:>7}", short_residual(value)));
}

std::string SolveTable::status_cell(const report::Solved& solved) const {
  const Style style = solved.broke_down()                                     ? Style::kBad
                      : solved.certificate.solved(request_.options.tolerance) ? Style::kGood
                                                                              : Style::kWarn;
  return console_.paint(style, fmt::format("{:<17}", to_string(solved.report.status)));
}

void SolveTable::row(const report::Solved& solved) const {
  const std::string path = has_path_ ? "  " + path_text(solved.report) : "";
  console_.line(fmt::format("{:<{}}  {:>8}  {}  {}  {}  {:>6}  {:>6}  {:>8}{}", name(solved), width_,
                            solved.stored.problem.size(), status_cell(solved), residual_cell(solved.certificate.r_c()),
                            residual_cell(solved.certificate.nat), solved.report.outer_iterations,
                            solved.report.inner_iterations, solved.finished() ? short_ms(solved.ms) : "-",
                            console_.paint(Style::kDim, path)));
}

void SolveTable::foot(const Tally& tally) const {
  console_.line();
  const Style style = tally.all_solved() ? Style::kGood : Style::kWarn;
  if (tally.finished() > 0) console_.line(console_.paint(style, tally.summary()) + " · " + tally.times());
  console_.line(
      console_.paint(Style::kDim,
                     "r_c: distance from the exact Coulomb law   nat: error of the impulses   (relative, 0 is "
                     "exact)"));
  if (request_.threads > 1)
    console_.line(console_.paint(
        Style::kDim, fmt::format("* {} problems at a time shared the machine; --threads 1 gives times to compare.",
                                 request_.threads)));
}

}  // namespace repose::cli
