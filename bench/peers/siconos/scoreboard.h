// SPDX-License-Identifier: Apache-2.0
// Results of the comparison: what is kept of each run, the summary, and how both are printed and written.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <limits>
#include <string>
#include <vector>

namespace repose::bench {

/// By our judge, for everybody.
enum class Verdict {
  kSolved,        ///< r_c and nat within tolerance
  kInaccurate,    ///< met its own test at every tolerance it was given, but not ours
  kNotConverged,  ///< says itself that it gave up
  kTimeLimit,
  kCrashed  ///< a signal, or exit() from inside
};
[[nodiscard]] const char* to_string(Verdict verdict);

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// One solver on one problem.
struct Result {
  std::string family{}, name{}, storage{}, units{};
  Verdict verdict = Verdict::kCrashed;
  double tolerance = kUnknown;  ///< handed to the solver, in its own measure
  double r_c = kUnknown, nat = kUnknown, siconos_error = kUnknown;
  int iterations = 0;
  double ms = kUnknown;  ///< median over repeats, CPU time of the solve
  int repeats = 0;
};

/// Ours against the peer's best configuration for this problem, timed again turn by turn.
struct Duel {
  std::string rival{};  ///< empty: nobody of the peers solved it
  double ours_ms = kUnknown, rival_ms = kUnknown;
  [[nodiscard]] double ratio() const { return ours_ms / rival_ms; }
};

struct ProblemResults {
  std::string file{};
  int contacts = 0;
  std::vector<Result> results{};  ///< ours first
  Duel duel{};
};

/// Below this a solve takes microseconds, and the ratio says more about claiming memory than about the method.
inline constexpr int kLarger = 10;

struct Summary {
  int problems = 0, ours_solved = 0, peer_solved = 0, compared = 0;
  double geometric_mean = kUnknown;         ///< of ours / best peer, over the problems that both solved
  double geometric_mean_larger = kUnknown;  ///< the same, over those with at least kLarger contacts
  double worst_ratio = kUnknown;
  std::string worst_file{};
  int twice_as_slow = 0;  ///< problems with a ratio above 2
};
[[nodiscard]] Summary summarise(const std::vector<ProblemResults>& all);

/// Circumstances worth keeping beside the numbers.
struct RunFacts {
  std::string peer_version, started;
  double tolerance = 0, cap = 0;
};
[[nodiscard]] RunFacts facts_of_this_run();

void print_problem(std::ostream& out, const ProblemResults& problem);
void print_summary(std::ostream& out, const std::vector<ProblemResults>& all);
/// siconos.json and siconos.csv in the folder, complete or not at all.
void write_results(const std::filesystem::path& folder, const RunFacts& facts, const std::vector<ProblemResults>& all);

}  // namespace repose::bench
