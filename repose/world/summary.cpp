// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

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

void add_contacts(StepReport& report, std::span<const Contact> contacts) {
  report.contacts = static_cast<int>(contacts.size());
  for (const Contact& c : contacts) {
    if (!c.is_predicted()) report.penetration = std::max(report.penetration, -c.gap);
    report.contacts_ahead += c.is_predicted();
  }
}

void add_island(StepReport& report, const Island& island, double tolerance) {
  const OuterReport& r = island.report();
  take_worst(report.certificate, r.certificate);
  report.unsolved_islands += !r.certificate.solved(tolerance);
  report.outer_iterations = std::max(report.outer_iterations, r.outer_iterations);
  report.inner_iterations = std::max(report.inner_iterations, r.inner_iterations);
  report.fallbacks = std::max(report.fallbacks, r.fallbacks);
  report.recoveries += island.recovery() != nullptr;
  report.recoveries_unsolved += !island.recovery_solved();
}

bool is_broken(const OuterReport& r) {
  return !std::isfinite(r.certificate.worst()) || r.status == Status::kNumericalFailure;
}

}  // namespace

StepReport summarise(const WorldSetup& setup, const ContactSet& found, const IslandSet& islands) {
  StepReport report;
  bool broken = false, interrupted = false;
  add_contacts(report, found.contacts);
  report.islands = islands.count();
  for (int k = 0; k < islands.count(); ++k) {
    add_island(report, islands[k], setup.options.solver.tolerance);
    broken = broken || is_broken(islands[k].report());
    interrupted = interrupted || islands[k].report().status == Status::kInterrupted;
  }
  if (report.unsolved_islands > 0) report.status = StepStatus::kUnsolved;
  if (interrupted) report.status = StepStatus::kInterrupted;
  if (broken) {
    report.status = StepStatus::kBroken;
    report.why = "the contact solve gave numbers that are not finite";
  }
  return report;
}

}  // namespace repose
