// SPDX-License-Identifier: Apache-2.0
#include "bench/peers/siconos/contest.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "bench/peers/siconos/peer.h"
#include "bench/peers/siconos/sandbox.h"
#include "repose/contact/residual.h"
#include "repose/scheme/auto.h"

namespace repose::bench {
namespace {

/// Siconos stops by its own error, which may be far looser or stricter than our judge. It is run with one tolerance
/// after another, and the first one whose answer passes the judge counts: a user who knew it beforehand would set it.
constexpr double kLadder[] = {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15};

/// Who ran into the time limit in one presentation gets this share of it in the next: the benchmark has to end.
constexpr double kSecondChance = 0.2;

constexpr int kMostRepeats = 1001;

double median(std::vector<double> values) {
  if (values.empty()) return kUnknown;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// bind() and solve(), both timed: everything between the problem and the answer. The solver object lives on from one
/// repeat to the next, as it does in a simulation and as the options of a peer do.
Attempt solve_with_repose(AutoSolver& solver, const ContactProblem& problem, double tolerance,
                          std::span<ContactVec> lambda) {
  Attempt attempt;
  solver.limits.tolerance = tolerance;
  const Stopwatch watch;
  solver.bind(problem);
  const OuterReport report = solver.solve(lambda);
  attempt.seconds = watch.seconds();
  attempt.info = report.status == Status::kConverged ? 0 : 1;
  attempt.iterations = report.outer_iterations;
  return attempt;
}

/// What a peer is asked to do: everything but the problem.
struct Candidate {
  const Configuration* configuration = nullptr;
  Presentation presentation{};
  double tolerance = 0;
};

class Contest {
 public:
  Contest(const ContactProblem& problem, const ContestOptions& options)
      : problem_(problem), options_(options), peer_(problem), zero_(static_cast<std::size_t>(problem.size())) {}

  [[nodiscard]] Solve ours() const {
    const auto solver = std::make_shared<AutoSolver>();
    return [this, solver](std::span<ContactVec> lambda) {
      return solve_with_repose(*solver, problem_, options_.tolerance, lambda);
    };
  }
  [[nodiscard]] Solve peers(const Candidate& candidate) const {
    return [this, candidate](std::span<ContactVec> lambda) {
      return solve_with_siconos(peer_, *candidate.configuration, candidate.presentation, candidate.tolerance, lambda);
    };
  }

  [[nodiscard]] Result run_ours() const {
    Result result{.family = "Repose", .name = "Repose auto", .storage = "blocks", .units = "file"};
    if (std::holds_alternative<BodyForm>(problem_.form())) result.storage = "bodies";
    result.tolerance = options_.tolerance;
    score(run_apart(problem_.size(), options_.cap, {}, ours()), result);
    if (result.verdict == Verdict::kSolved) measure(ours(), result);
    return result;
  }

  /// Every presentation; the quickest that solves, or else the most accurate one. `candidate` leaves as that one.
  [[nodiscard]] Result run_peer(Candidate& candidate) const {
    std::optional<Result> best;
    Candidate chosen = candidate;
    double cap = options_.cap;
    for (const Presentation& presentation : presentations(*candidate.configuration, problem_.size())) {
      candidate.presentation = presentation;
      const Result result = climb(candidate, cap);
      if (result.verdict == Verdict::kTimeLimit) cap = kSecondChance * options_.cap;
      if (best && !better(result, *best)) continue;
      best = result;
      chosen = candidate;
    }
    candidate = chosen;
    return *best;
  }

  /// Turn by turn, so that a busy moment of the machine meets both; timed anew, so that no one is chosen for luck.
  [[nodiscard]] Duel duel(const Candidate& rival) const {
    std::vector<double> ours_ms, rival_ms;
    Result scratch;
    for (int round = 0; round < options_.rounds; ++round) {
      measure(ours(), scratch);
      ours_ms.push_back(scratch.ms);
      measure(peers(rival), scratch);
      rival_ms.push_back(scratch.ms);
    }
    return {.rival = rival.configuration->name, .ours_ms = median(ours_ms), .rival_ms = median(rival_ms)};
  }

 private:
  static bool better(const Result& a, const Result& b) {
    if ((a.verdict == Verdict::kSolved) != (b.verdict == Verdict::kSolved)) return a.verdict == Verdict::kSolved;
    if (a.verdict == Verdict::kSolved) return a.ms < b.ms;
    if (std::isfinite(a.nat) != std::isfinite(b.nat)) return std::isfinite(a.nat);
    return std::max(a.r_c, a.nat) < std::max(b.r_c, b.nat);
  }

  /// One presentation, up the ladder. `candidate.tolerance` leaves as the last one tried.
  [[nodiscard]] Result climb(Candidate& candidate, double cap) const {
    Result result{.family = candidate.configuration->family,
                  .name = candidate.configuration->name,
                  .storage = to_string(candidate.presentation.storage),
                  .units = to_string(candidate.presentation.units)};
    for (const double tolerance : kLadder) {
      candidate.tolerance = result.tolerance = tolerance;
      score(run_apart(problem_.size(), cap, {}, peers(candidate)), result);
      // Met its own test but not ours: the next rung. Everything else would only get worse with a smaller tolerance.
      if (result.verdict != Verdict::kInaccurate) break;
    }
    if (result.verdict == Verdict::kSolved) measure(peers(candidate), result);
    return result;
  }

  void score(const Outcome& outcome, Result& result) const {
    if (outcome.ending != Ending::kReturned) {  // the numbers stay those of the last rung that returned
      result.verdict = outcome.ending == Ending::kTimeLimit ? Verdict::kTimeLimit : Verdict::kCrashed;
      return;
    }
    const Certificate certificate = certify(problem_, outcome.lambda, zero_);  // everybody starts cold: λ⁰ = 0
    result.r_c = certificate.r_c();
    result.nat = certificate.nat;
    result.siconos_error = siconos_error(problem_, outcome.lambda);
    result.iterations = outcome.last.iterations;
    result.ms = 1e3 * outcome.seconds.front();
    result.verdict = certificate.solved(options_.tolerance) ? Verdict::kSolved
                     : outcome.last.info == 0               ? Verdict::kInaccurate
                                                            : Verdict::kNotConverged;
  }

  void measure(const Solve& solve, Result& result) const {
    const Repeats repeats{.at_least = 3, .at_most = kMostRepeats, .budget = options_.budget};
    const Outcome outcome = run_apart(problem_.size(), 2 * options_.cap, repeats, solve);
    if (outcome.seconds.empty()) return;
    result.ms = 1e3 * median(outcome.seconds);
    result.repeats = static_cast<int>(outcome.seconds.size());
  }

  const ContactProblem& problem_;
  const ContestOptions& options_;
  PeerProblem peer_;
  std::vector<ContactVec> zero_;
};

}  // namespace

ProblemResults run_contest(const std::string& file, const ContactProblem& problem,
                           const std::vector<Configuration>& peers, const ContestOptions& options,
                           const Progress& progress) {
  ProblemResults all{.file = file, .contacts = problem.size()};
  const Contest contest(problem, options);
  if (!progress("Repose auto")) return all;
  all.results.push_back(contest.run_ours());
  std::optional<Candidate> best;
  double best_ms = HUGE_VAL;
  for (const Configuration& configuration : peers) {
    if (presentations(configuration, problem.size()).empty()) continue;
    if (!progress(configuration.name)) return all;
    Candidate candidate{.configuration = &configuration};
    const Result result = contest.run_peer(candidate);
    all.results.push_back(result);
    if (result.verdict != Verdict::kSolved || result.ms >= best_ms) continue;
    best = candidate;
    best_ms = result.ms;
  }
  if (best && progress("duel with " + best->configuration->name)) all.duel = contest.duel(*best);
  return all;
}

}  // namespace repose::bench
