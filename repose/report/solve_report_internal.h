// SPDX-License-Identifier: Apache-2.0
// Solved problems in numbers: the records of `repose solve --json`.
#pragma once

#include <string>
#include <vector>

#include "repose/contact/problem_file.h"
#include "repose/large/swept_solver.h"
#include "repose/report/json_record_internal.h"
#include "repose/scheme/options.h"
#include "repose/scheme/report.h"

namespace repose::report {

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
  bool canonical = false;           ///< the impulses are those of least norm
  std::string device;               ///< "cuda" or "cpu-sweeps"; empty: the scheme alone
  SweptReport swept;                ///< of the first repeat, where there is a device
  std::vector<HistoryRow> history;  ///< of the first repeat, where asked for

  [[nodiscard]] bool finished() const { return repeats > 0; }
  /// NaN or overflow.
  [[nodiscard]] bool broke_down() const;
};

/// What the records of one call have in common.
struct SolveFacts {
  FrictionOptions options;
  int threads = 1;       ///< problems at the same time
  bool history = false;  ///< the certificate of every outer iteration is kept
};

/// The name of the inner solver; "none" for schemes without.
[[nodiscard]] std::string inner_name(const FrictionOptions& options);

[[nodiscard]] Json solve_record(const Solved& solved, const SolveFacts& facts);

}  // namespace repose::report
