// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "repose/world/summary_internal.h"

namespace repose {
namespace {

void take_worst(Residual& worst, const Residual& r) {
  worst.force = std::max(worst.force, r.force);
  worst.velocity = std::max(worst.velocity, r.velocity);
  worst.gap = std::max(worst.gap, r.gap);
}

void take_worst(Certificate& worst, const Certificate& c) {
  take_worst(worst.residual, c.residual);
  take_worst(worst.paper, c.paper);
  worst.nat = std::max(worst.nat, c.nat);
}

std::size_t at(int k) { return static_cast<std::size_t>(k); }

void add_contacts(StepReport& report, std::span<const Contact> contacts, const WorldSetup& setup) {
  report.contacts = static_cast<int>(contacts.size());
  for (const Contact& c : contacts) {
    report.contacts_ahead += c.is_predicted();
    if (c.is_predicted()) continue;
    report.penetration = std::max(report.penetration, -c.gap);
    if (-c.gap <= setup.rule.slop) continue;
    const double thickness = thinner(setup.models[at(c.body_a)], setup.models[at(c.body_b)]);
    if (thickness > 0) report.overlap_share = std::max(report.overlap_share, -c.gap / thickness);
  }
}

void add_island(StepReport& report, const Island& island, const FrictionOptions& options) {
  const OuterReport& r = island.report();
  take_worst(report.certificate, r.certificate);
  const StepStatus status = island.status(options);
  report.remainder = std::max(report.remainder, island.remainder());
  report.imprecise_islands += status != status_of(r.certificate, options.tolerance, options.accept);
  report.accepted_islands += status == StepStatus::kAccepted;
  report.unsolved_islands += status == StepStatus::kUnsolved;
  report.outer_iterations = std::max(report.outer_iterations, r.outer_iterations);
  report.inner_iterations = std::max(report.inner_iterations, r.inner_iterations);
  report.fallbacks = std::max(report.fallbacks, r.fallbacks);
  report.work = std::max(report.work, r.work);
}

/// Steps of the last digit of the largest impulse by which rounding may miss.
constexpr double kDigits = 4;
const char* const kRounding =
    "rounding: the last digit of the largest impulses moves the lightest body by more than the tolerance";

const char* const kImprecise =
    "self-stress: of impulses this large, what the tolerance leaves changes velocities by more than a hundredth";

/// Whether rounding explains that an island misses the tolerance: its residual is what a few steps of the last digit of
/// an impulse do to a contact's velocity, ε ρ λ, beside ‖v_f‖. [decision 031]
bool is_at_rounding(const Island& island, std::span<const Contact> contacts, double tolerance) {
  const ContactProblem& problem = island.problem();
  double step = 0, scale = 0;
  for (std::size_t i = 0; i < island.contacts().size(); ++i) {
    const Contact& c = contacts[at(island.contacts()[i])];
    step = std::max(step, problem.rho(static_cast<int>(i)) * std::sqrt(squared_norm(c.lambda)));
  }
  for (const ContactVec& v : problem.v_free()) scale += squared_norm(v);
  const Certificate& certificate = island.report().certificate;
  return certificate.nat <= tolerance &&
         certificate.r_c() * std::sqrt(scale) <= kDigits * std::numeric_limits<double>::epsilon() * step;
}

bool is_broken(const OuterReport& r) {
  return !std::isfinite(r.certificate.worst()) || r.status == Status::kNumericalFailure;
}

}  // namespace

const char* to_string(StepStatus status) {
  switch (status) {
    case StepStatus::kSolved: return "solved";
    case StepStatus::kAccepted: return "accepted";
    case StepStatus::kUnsolved: return "unsolved";
    case StepStatus::kBroken: return "broken";
    case StepStatus::kInterrupted: return "interrupted";
  }
  return "unknown";
}

StepStatus status_of(const Certificate& certificate, double tolerance, double accept) {
  if (certificate.solved(tolerance)) return StepStatus::kSolved;
  return accept > 0 && certificate.solved(accept) ? StepStatus::kAccepted : StepStatus::kUnsolved;
}

StepReport summarise(const WorldSetup& setup, const ContactSet& found, const IslandSet& islands) {
  StepReport report;
  bool broken = false, interrupted = false, rounded = true;
  add_contacts(report, found.contacts, setup);
  report.islands = islands.count();
  for (int k = 0; k < islands.count(); ++k) {
    add_island(report, islands[k], setup.options.solver);
    broken = broken || is_broken(islands[k].report());
    interrupted = interrupted || islands[k].report().status == Status::kInterrupted;
    const double tolerance = setup.options.solver.tolerance;
    rounded = rounded && (islands[k].report().certificate.solved(tolerance) ||
                          is_at_rounding(islands[k], found.contacts, tolerance));
  }
  if (report.accepted_islands > 0) report.status = StepStatus::kAccepted;
  if (report.unsolved_islands > 0) report.status = StepStatus::kUnsolved;
  if (report.imprecise_islands > 0)
    report.why = kImprecise;
  else if (report.status != StepStatus::kSolved && rounded)
    report.why = kRounding;
  if (interrupted) report.status = StepStatus::kInterrupted;
  if (broken) {
    report.status = StepStatus::kBroken;
    report.why = "the contact solve gave numbers that are not finite";
  }
  return report;
}

}  // namespace repose
