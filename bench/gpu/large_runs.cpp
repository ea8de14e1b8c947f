// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/large_runs.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "problems/bricks.h"
#include "problems/sequence.h"
#include "repose/base/error.h"
#include "repose/contact/problem_file.h"
#include "repose/scheme/solve.h"

namespace repose::bench {
namespace {

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// As `repose bench piles`: boxes in layers, with random velocities.
LargeProblem bricks(int nx, int ny, int nz) {
  const problems::Sequence sequence(problems::pile({.nx = nx, .ny = ny, .nz = nz}), {.random = 1, .random_spin = 2});
  return {"bricks", sequence.problem()};
}

std::vector<ContactVec> zeros(const ContactProblem& problem) {
  return std::vector<ContactVec>(static_cast<std::size_t>(problem.size()));
}

/// Binds and solves once, from zero.
LargeSolve timed(OuterSolver& solver, const ContactProblem& problem, std::vector<ContactVec>& lambda) {
  LargeSolve solve;
  const Clock::time_point begin = Clock::now();
  solver.bind(problem);
  solve.status = solver.solve(lambda).status;
  solve.ms = ms_since(begin);
  solve.certificate = certify(problem, lambda, zeros(problem));
  return solve;
}

struct Swept {
  std::vector<ContactVec> lambda;
  SweptReport report;
};
Swept sweep(const ContactProblem& problem, SweptOptions options, int sweeps) {
  options.most_sweeps = sweeps, options.finish = false;
  SweptSolver solver(options);
  solver.limits.tolerance = 1e-14;  // not to be met
  Swept swept{zeros(problem), {}};
  for (int run = 0; run < (options.device == SweepDevice::kCuda ? 2 : 1); ++run) {  // the first one warms up
    swept.lambda = zeros(problem);
    solver.bind(problem);
    static_cast<void>(solver.solve(swept.lambda));
  }
  swept.report = solver.swept();
  return swept;
}

bool equal(const Swept& a, const Swept& b) {
  return a.report.sweeps == b.report.sweeps && std::memcmp(&a.report.worst, &b.report.worst, sizeof(double)) == 0 &&
         std::memcmp(a.lambda.data(), b.lambda.data(), a.lambda.size() * sizeof(ContactVec)) == 0;
}

}  // namespace

std::vector<LargeProblem> large_problems(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<LargeProblem> problems;
  if (!folder.empty())
    for (const fs::directory_entry& file : fs::directory_iterator(folder))
      if (file.path().extension() == ".hdf5")
        problems.push_back({file.path().stem().string(), read_problem(file.path())});
  problems.push_back(bricks(9, 9, 10));
  problems.push_back(bricks(19, 19, 21));
  std::sort(problems.begin(), problems.end(), [](const LargeProblem& a, const LargeProblem& b) {
    return a.problem.size() != b.problem.size() ? a.problem.size() < b.problem.size() : a.name < b.name;
  });
  return problems;
}

LargeSolve solve_by_sweeps(const ContactProblem& problem, double tolerance, const SweptOptions& options, int repeats,
                           double limit) {
  SweptSolver solver(options);
  solver.limits.tolerance = tolerance;
  std::vector<LargeSolve> runs;
  for (int run = 0; run <= repeats; ++run) {
    std::vector<ContactVec> lambda = zeros(problem);
    solver.stop = StopToken(limit);
    LargeSolve solve = timed(solver, problem, lambda);
    solve.swept = solver.swept();
    if (run > 0 || repeats == 0) runs.push_back(solve);
  }
  std::sort(runs.begin(), runs.end(), [](const LargeSolve& a, const LargeSolve& b) { return a.ms < b.ms; });
  return runs[runs.size() / 2];
}

LargeSolve solve_on_processor(const ContactProblem& problem, double tolerance, double limit) {
  const std::unique_ptr<OuterSolver> solver = make_solver({.tolerance = tolerance});
  solver->stop = StopToken(limit);
  std::vector<ContactVec> lambda = zeros(problem);
  return timed(*solver, problem, lambda);
}

LargeBits check_large_bits(const ContactProblem& problem, int sweeps) {
  LargeBits bits;
  bits.sweeps = sweeps;
  const Swept host = sweep(problem, {.device = SweepDevice::kHost}, sweeps);
  bits.host_ms = host.report.sweep_ms;
  for (const SweepCrew crew : {SweepCrew::kBlock, SweepCrew::kCluster, SweepCrew::kGrid}) {
    try {
      const Swept device = sweep(problem, {.crew = crew}, sweeps);
      ++bits.crews;
      bits.unequal += !equal(host, device);
      bits.crew_ms.push_back(device.report.sweep_ms);
    } catch (const InputError&) {
      bits.crew_ms.push_back(-1);  // a device without clusters
    }
  }
  return bits;
}

}  // namespace repose::bench
