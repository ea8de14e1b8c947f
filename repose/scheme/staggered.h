// SPDX-License-Identifier: Apache-2.0
// Staggered projections: alternates normal impulses with friction frozen and friction with normal impulses frozen.
//
//   λ_N ← argmin over λ_N ≥ 0        of ½ λ_NᵀW_NNλ_N + (v_f + W λ_T)_Nᵀ λ_N
//   λ_T ← argmin over ‖λ_T‖ ≤ μ λ_N  of ½ λ_TᵀW_TTλ_T + (v_f + W λ_N)_Tᵀ λ_T
//
// A fixed point obeys the exact law: the split is normal against tangential, so no coupling term is dropped. The
// alternation need not converge.  [Kaufman, Sueda, James & Pai 2008]
#pragma once

#include <memory>

#include "repose/scheme/progress.h"
#include "repose/scheme/solver.h"

namespace repose {

struct StaggeredOptions {
  /// A QP ends when a sweep changes λ by less than this share of its first sweep, (0, 1).
  double inner_accuracy = 0.01;
  int max_sweeps = 200;  ///< Limit on the Gauss–Seidel sweeps per QP, ≥ 1.
};

/// The two QPs by Gauss–Seidel over contacts, each contact solved exactly.
class StaggeredQps {
 public:
  virtual ~StaggeredQps() = default;
  /// Recomputes the velocities from λ (sweeps update them).
  virtual void start(std::span<const ContactVec> lambda) = 0;
  /// Makes one sweep; returns ‖change of λ‖.
  virtual double normal_sweep(std::span<ContactVec> lambda) = 0;
  virtual double tangential_sweep(std::span<ContactVec> lambda) = 0;
};

class StaggeredSolver final : public OuterSolver {
 public:
  static constexpr int kDefaultIterations = 1000;

  explicit StaggeredSolver(const StaggeredOptions& options);
  void bind(const ContactProblem& problem) override;
  OuterReport solve(std::span<ContactVec> lambda) override;

 private:
  void solve_normal(std::span<ContactVec> lambda);
  void solve_tangential(std::span<ContactVec> lambda);
  template <class Sweep>
  void repeat(const Sweep& sweep);

  StaggeredOptions options_;
  const ContactProblem* problem_ = nullptr;
  Progress progress_;
  std::unique_ptr<StaggeredQps> qps_;
};

}  // namespace repose
