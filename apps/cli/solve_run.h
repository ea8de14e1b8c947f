// SPDX-License-Identifier: Apache-2.0
// Solves stored problems one after another or several at once, and certifies each answer anew.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "repose/contact/problem_file.h"
#include "repose/scheme/options.h"
#include "repose/scheme/report.h"

namespace repose::cli {

/// 0 for an empty list.
[[nodiscard]] double median(std::vector<double> values);

struct SolveRequest {
  FrictionOptions options;
  double time_limit = 0;    ///< s for each solve; 0: none
  int repeat = 1;           ///< solves of each problem; times are medians
  int threads = 1;          ///< problems at the same time
  bool warm_start = false;  ///< start from the file's guess, where it has one
  bool progress = true;
  bool history = false;  ///< keep the certificate of every outer iteration
};

/// One outer iteration of a solve.
struct HistoryRow {
  int iteration = 0;
  double ms = 0;  ///< CPU time since the beginning of bind
  double r_c = 0, nat = 0, r_c_paper = 0;
};

struct Solved {
  int index = 0;  ///< into the list of files
  std::string file;
  StoredProblem stored;
  std::vector<ContactVec> lambda;  ///< N·s
  OuterReport report;
  Certificate certificate;  ///< of lambda, computed after the solver had returned
  double siconos_error = 0;
  int repeats = 0;             ///< solves that came to their end; 0: interrupted
  double ms = 0, bind_ms = 0;  ///< bind + solve, and bind alone; medians over the repeats
  double cpu_ms = 0;           ///< bind + solve: CPU time of the thread; median over the repeats
  bool from_guess = false;
  std::vector<HistoryRow> history;  ///< of the first repeat, where asked for

  [[nodiscard]] bool finished() const { return repeats > 0; }
  /// NaN or overflow.
  [[nodiscard]] bool broke_down() const;
};

/// Hands every answer to `take`, in the order of the files, from one thread at a time. After an interrupt the problems
/// that were under way come with finished() == false, and the rest does not come.
/// Results are the same bits for any number of threads.
void solve_files(const std::vector<std::string>& files, const SolveRequest& request,
                 const std::function<void(Solved&)>& take);

}  // namespace repose::cli
