// SPDX-License-Identifier: Apache-2.0
// Solves stored problems one after another or several at once, and certifies each answer anew.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "repose/report/solve_report_internal.h"

namespace repose::cli {

/// 0 for an empty list.
[[nodiscard]] double median(std::vector<double> values);

struct SolveRequest : report::SolveFacts {
  double time_limit = 0;    ///< s for each solve; 0: none
  int repeat = 1;           ///< solves of each problem; times are medians
  bool warm_start = false;  ///< start from the file's guess, where it has one
  bool canonical = false;   ///< the impulses of least norm with the same motion, where the problem is solved
  bool progress = true;
  std::string device = "cpu";  ///< cpu: the scheme; cuda, cpu-sweeps: sweeps first, what they miss finished by it
};

/// Hands every answer to `take`, in the order of the files, from one thread at a time. After an interrupt the problems
/// that were under way come with finished() == false, and the rest does not come.
/// Results are the same bits for any number of threads.
void solve_files(const std::vector<std::string>& files, const SolveRequest& request,
                 const std::function<void(report::Solved&)>& take);

}  // namespace repose::cli
