// SPDX-License-Identifier: Apache-2.0
// `nsgs`: nonlinear Gauss–Seidel over contacts with the exact local law, as in Siconos, and the same with momentum.
#pragma once

#include <memory>

#include "repose/scheme/solver.h"

namespace repose {

struct NsgsOptions {
  bool momentum = false;  ///< Extrapolate per contact between sweeps (gauss_seidel.h).
  int check_every = 10;   ///< Sweeps between two evaluations of the residual; ≥ 1.
};

class NsgsSolver final : public OuterSolver {
 public:
  explicit NsgsSolver(const NsgsOptions& options = {});
  ~NsgsSolver() override;
  void bind(const ContactProblem& problem) override;
  /// Outer iterations are sweeps; the default limit is 10 000.
  OuterReport solve(std::span<ContactVec> lambda) override;

 private:
  struct Workspace;
  NsgsOptions options_;
  std::unique_ptr<Workspace> work_;
};

}  // namespace repose
