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

template <class Value>
struct Field {
  const char* name;
  Value StepCheck::*value;
};
constexpr Field<double> kErrors[] = {{"velocity", &StepCheck::velocity},
                                     {"free_motion", &StepCheck::free_motion},
                                     {"motion", &StepCheck::motion},
                                     {"prescribed", &StepCheck::prescribed},
                                     {"surface", &StepCheck::surface},
                                     {"exact_surface", &StepCheck::exact_surface},
                                     {"time", &StepCheck::time},
                                     {"energy", &StepCheck::energy},
                                     {"lengths", &StepCheck::lengths},
                                     {"frames", &StepCheck::frames},
                                     {"gap_bias", &StepCheck::gap_bias},
                                     {"friction", &StepCheck::friction},
                                     {"joints", &StepCheck::joints},
                                     {"displacement", &StepCheck::displacement},
                                     {"recovery", &StepCheck::recovery},
                                     {"recovery_motion", &StepCheck::recovery_motion},
                                     {"recovery_surface", &StepCheck::recovery_surface}};
constexpr Field<int> kCounts[] = {
    {"overlaps_without_contact", &StepCheck::unaccounted}, {"events_missed", &StepCheck::events_missed},
    {"states_set_from_outside", &StepCheck::changes},      {"off_surface_contacts", &StepCheck::off_surface},
    {"predicted_contacts", &StepCheck::predicted},         {"pairs_missed", &StepCheck::pairs_missed}};

}  // namespace

void CheckTally::add(const StepCheck& check, double tolerance, double accept) {
  ++steps;
  r_c.push_back(check.recomputed.r_c());
  nat.push_back(check.recomputed.nat);
  const StepStatus status = status_of(check.recomputed, tolerance, accept);
  if (status == StepStatus::kAccepted) accepted.push_back(check.step + 1);
  if (status == StepStatus::kUnsolved) unsolved.push_back(check.step + 1);
  if (!check.agrees()) {
    if (disagreeing.empty()) first_fault = check.fault();
    disagreeing.push_back(check.step + 1);
  }
  for (const auto error : kErrors) largest.*error.value = std::max(largest.*error.value, check.*error.value);
  for (const auto count : kCounts) largest.*count.value += check.*count.value;
  whole.push_back(check.whole.worst());
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
                           {"whole", spread(tally.whole)},
                           {"solved_share", share(tally.solved(), 1.0)},
                           {"accepted_share", share(static_cast<double>(tally.accepted.size()), 0.0)},
                           {"accepted_steps", tally.accepted},
                           {"unsolved_steps", tally.unsolved}});
  doc.put("disagreeing_steps", tally.disagreeing);
  doc.put("largest_certificate_difference", tally.largest_difference);
  doc.put("largest_velocity_error", tally.largest.velocity);
  doc.put("first_fault", tally.first_fault);
  JsonRecord errors, counts;
  for (const auto error : kErrors) errors.put(error.name, tally.largest.*error.value);
  for (const auto count : kCounts) counts.put(count.name, tally.largest.*count.value);
  doc.put("errors", errors.finish());
  doc.put("counts", counts.finish());
  return doc.finish();
}

}  // namespace repose::report
