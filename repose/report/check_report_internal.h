// SPDX-License-Identifier: Apache-2.0
// The result of `repose check` on a recording: its steps and their summary.
#pragma once

#include <string>
#include <vector>

#include "repose/report/json_record_internal.h"
#include "repose/verify/verify.h"

namespace repose::report {

/// Sums up the steps of one recording.
struct CheckTally {
  int steps = 0;
  std::vector<double> r_c, nat;                      ///< recomputed, per step: the worst island
  std::vector<double> whole;                         ///< max(r_c, nat) of all islands as one problem
  std::vector<int> accepted, unsolved, disagreeing;  ///< numbers of the steps, from 1
  StepCheck largest;                                 ///< largest errors; the numbers of things left out are sums
  std::string first_fault;                           ///< of the first step that disagrees
  double largest_difference = 0;                     ///< between stored and recomputed certificates
  double worst = 0;                                  ///< largest recomputed max(r_c, nat)

  void add(const StepCheck& check, double tolerance, double accept);
  [[nodiscard]] int solved() const { return steps - static_cast<int>(accepted.size() + unsolved.size()); }
};

[[nodiscard]] Json check_document(const std::string& file, const Recording& recording, const CheckTally& tally,
                                  double tolerance, double accept);

}  // namespace repose::report
