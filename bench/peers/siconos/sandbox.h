// SPDX-License-Identifier: Apache-2.0
// Runs a solve in a child process: a peer that hangs, crashes or calls exit() costs one result, not the benchmark.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "repose/set/contact_vec.h"

namespace repose::bench {

/// One timed solve.
struct Attempt {
  double seconds = 0;  ///< CPU time of the solving thread
  int info = 0;        ///< 0: the solver says it converged
  int iterations = 0;  ///< as the solver counts them
};

enum class Ending { kReturned, kTimeLimit, kCrashed, kInterrupted };

struct Outcome {
  Ending ending = Ending::kCrashed;
  std::vector<double> seconds{};     ///< of each finished repeat
  Attempt last{};                    ///< of the last finished repeat
  std::vector<ContactVec> lambda{};  ///< of the last finished repeat
};

struct Repeats {
  int at_least = 1, at_most = 1;
  double budget = 0;  ///< s of CPU time after which no further repeat starts, once `at_least` are done
};

using Solve = std::function<Attempt(std::span<ContactVec> lambda)>;

/// Repeats `solve` in a child. Each repeat may take `cap` seconds of CPU time. The child's output goes nowhere.
[[nodiscard]] Outcome run_apart(int contacts, double cap, const Repeats& repeats, const Solve& solve);

/// CPU time of this thread since construction, less what reading the clock costs: the smallest problems take 1 µs.
class Stopwatch {
 public:
  Stopwatch();
  [[nodiscard]] double seconds() const;

 private:
  double start_;
};

}  // namespace repose::bench
