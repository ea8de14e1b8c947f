// SPDX-License-Identifier: Apache-2.0
// Two schemes that freeze the coupling.
//
// Picard: solve the cone QP with s = μ‖v_T‖ frozen, update s, repeat.  [Acary, Cadoux, Lemaréchal & Malick 2011]
//   λᵏ⁺¹ = argmin over K_μ of ½ λᵀWλ + (v_f + gᵏ)ᵀλ,   gᵏ⁺¹ = (1 − d) gᵏ + d B(λᵏ⁺¹)
// Relaxed: the same QP with g = 0, once. This is the convex law of many engines: sliding contacts lift off with
//   v_N = μ‖v_T‖. It serves for comparison; its report has the certificate of the exact law.
#pragma once

#include <memory>
#include <vector>

#include "repose/inner/cone_qp.h"
#include "repose/scheme/progress.h"
#include "repose/scheme/solver.h"

namespace repose {

struct PicardOptions {
  double damping = 1.0;  ///< Share of the coupling update taken, in (0, 1].
  /// The QP is solved until its natural map is below this share of the change of the coupling, in (0, 1).
  double inner_accuracy = 0.1;
  int max_inner_calls = 100;  ///< Limit on the inner solves per outer iteration, ≥ 1.
};

struct RelaxedOptions {};

class PicardSolver final : public OuterSolver {
 public:
  static constexpr int kDefaultIterations = 200;

  PicardSolver(const PicardOptions& options, std::unique_ptr<ConeQpSolver> inner);
  void bind(const ContactProblem& problem) override;
  OuterReport solve(std::span<ContactVec> lambda) override;

 private:
  void update_coupling();
  void solve_cone_qp(std::span<ContactVec> lambda);

  PicardOptions options_;
  std::unique_ptr<ConeQpSolver> inner_;
  const ContactProblem* problem_ = nullptr;
  Progress progress_;
  Coupling coupling_;
  std::vector<ContactVec> g_, g_next_, c_;
};

class RelaxedSolver final : public OuterSolver {
 public:
  static constexpr int kDefaultIterations = 1000;  ///< calls of the inner solver, each of which continues the last

  RelaxedSolver(const RelaxedOptions& options, std::unique_ptr<ConeQpSolver> inner);
  void bind(const ContactProblem& problem) override;
  /// kConverged: the convex QP is solved (its natural map ≤ tolerance), not the exact law.
  OuterReport solve(std::span<ContactVec> lambda) override;

 private:
  std::unique_ptr<ConeQpSolver> inner_;
  const ContactProblem* problem_ = nullptr;
  Progress progress_;
  Coupling coupling_;  // relaxed: only the skew part of W
  std::vector<ContactVec> g_, c_;
};

}  // namespace repose
