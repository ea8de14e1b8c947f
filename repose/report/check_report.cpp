// SPDX-License-Identifier: Apache-2.0
#include "repose/report/check_report_internal.h"

#include <algorithm>
#include <cmath>

#include "repose/record/summary.h"

namespace repose::report {
namespace {

Json spread(const std::vector<double>& values) {
  const Spread s = spread_of(values);
  JsonRecord record;
  record.put("median", s.median);
  record.put("p99", s.p99);
  record.put("max", s.max);
  return record.finish();
}

}  // namespace

void CheckTally::add(const StepCheck& check, double tolerance, double accept) {
  ++steps;
  r_c.push_back(check.recomputed.r_c());
  nat.push_back(check.recomputed.nat);
  const StepStatus status = status_of(check.recomputed, tolerance, accept);
  if (status == StepStatus::kAccepted) accepted.push_back(check.step + 1);
  if (status == StepStatus::kUnsolved) unsolved.push_back(check.step + 1);
  if (!check.agrees()) disagreeing.push_back(check.step + 1);
  largest_velocity_error = std::max(largest_velocity_error, check.velocity_error);
  largest_difference = std::max({largest_difference, std::abs(check.recomputed.r_c() - check.stored.r_c()),
                                 std::abs(check.recomputed.nat - check.stored.nat)});
  worst = std::max(worst, check.recomputed.worst());
}

Json check_document(const std::string& file, const Recording& recording, const CheckTally& tally, double tolerance,
                    double accept) {
  JsonRecord doc;
  doc.put("recording", file);
  doc.put("scene", recording.scene_name());
  doc.put("steps", tally.steps);
  doc.put("tolerance", tolerance);
  doc.put("accept", accept);
  const auto share = [&](double count, double none) { return tally.steps > 0 ? count / tally.steps : none; };
  doc.put("residual", Json{{"r_c", spread(tally.r_c)},
                           {"nat", spread(tally.nat)},
                           {"solved_share", share(tally.solved(), 1.0)},
                           {"accepted_share", share(static_cast<double>(tally.accepted.size()), 0.0)},
                           {"accepted_steps", tally.accepted},
                           {"unsolved_steps", tally.unsolved}});
  doc.put("disagreeing_steps", tally.disagreeing);
  doc.put("largest_certificate_difference", tally.largest_difference);
  doc.put("largest_velocity_error", tally.largest_velocity_error);
  return doc.finish();
}

}  // namespace repose::report
