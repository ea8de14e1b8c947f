// SPDX-License-Identifier: Apache-2.0
// One problem, everybody on it: the ladder of tolerances, the timing, and the duel with the best peer.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/peers/siconos/configuration.h"
#include "bench/peers/siconos/scoreboard.h"
#include "repose/contact/problem.h"

namespace repose::bench {

struct ContestOptions {
  double tolerance = 1e-8;  ///< of our judge, on r_c and nat
  double cap = 10;          ///< CPU seconds per solve
  double budget = 0.1;      ///< CPU seconds of repeats behind one median
  int rounds = 5;           ///< turns of the duel
};

/// Says what is being run; false stops the contest.
using Progress = std::function<bool(const std::string& what)>;

[[nodiscard]] ProblemResults run_contest(const std::string& file, const ContactProblem& problem,
                                         const std::vector<Configuration>& peers, const ContestOptions& options,
                                         const Progress& progress);

}  // namespace repose::bench
