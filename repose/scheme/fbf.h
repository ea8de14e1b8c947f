// SPDX-License-Identifier: Apache-2.0
// The paper's scheme: Tseng's forward–backward–forward splitting of the exact law 0 ∈ A(λ) + B(λ).
//
//   A(λ) = W λ + v_f + N_K(λ),  B(λ) = μ‖v_T(λ)‖ e_N                               [paper eq:A, eq:B]
//   λ̄ = argmin over K_μ of ½ λᵀ(W + γ⁻¹I)λ + (v_f + B(λᵏ) − γ⁻¹λᵏ)ᵀλ              [paper eq:backward, eq:Wgamma]
//   λᵏ⁺¹ = Π_K(λ̄ − γ (B(λ̄) − B(λᵏ)))                                            [paper eq:correction-proj]
//
// γ starts at γ_safe = c_γ / (μ_max λ̂_max) [paper eq:gamma_safe] and shrinks while ρ_k > θ [paper eq:rho]. How it grows
// is the step rule:
//   kBound     never within a solve; after a solve without a rejected step the next one starts from a γ larger by
//              `restore`, up to γ_safe  [paper sec:stepsize]
//   kMeasured  after every iteration γ ← min(restore · γ, c_γ/ℓ_k), ℓ_k = ‖B(λ̄) − B(λᵏ)‖ / ‖λ̄ − λᵏ‖: the Lipschitz
//   constant
//              that the iteration meets in the place of its bound, which is met by none
// The share γ/γ_safe is kept between solves; it has no unit and therefore survives bind().
//
// Beyond the paper: with `acceleration` > 0 one iteration is a map λ ← T(λ) whose last images are mixed (Anderson) and
// projected onto the cones. A mix is rejected if the step ‖T(λ) − λ‖ grows or γ would have to shrink.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "repose/inner/cone_qp.h"
#include "repose/scheme/anderson.h"
#include "repose/scheme/progress.h"
#include "repose/scheme/solver.h"

namespace repose {

enum class FbfStepRule { kBound, kMeasured };

struct FbfOptions {
  double gamma = 0;     ///< Fixed step size, kg, > 0; 0 takes γ_safe and adapts it.
  double safety = 0.5;  ///< c_γ of γ_safe, > 0; the test below never rejects with the paper's 0.5, and often with 100.
  FbfStepRule step_rule = FbfStepRule::kBound;  ///< How γ grows; kBound as in the paper.
  double accept = 0.9;                          ///< θ: a trial step is accepted when ρ_k ≤ θ, in (0, 1).
  double shrink = 0.7;                          ///< β: factor on γ after a rejected step, in (0, 1).
  double restore = 1.1;  ///< Factor by which γ grows, ≥ 1: between solves (kBound), between iterations (kMeasured).
  int acceleration = 0;  ///< Depth of Anderson's mix in iterations, 1 … 16; 0: none, as in the paper.
  StopRule stop_rule = StopRule::kCertificate;  ///< kPaper stops as the paper does.
  /// Products with W of the power iteration that estimates λ̂_max for γ_safe, 1 … 1000 (the paper takes ten); 0:
  /// Lanczos' method to 1e-4, as for the residual's scales.
  int power_products = 0;
  int test_every = 0;   ///< Iterations between tests, ≥ 1; the start is not tested. 0: the start and every iterate.
  bool last = false;    ///< Returns the last iterate, not the best one.
  bool single = false;  ///< Rounds the vectors of an iteration to single precision when they are stored.
};

class FbfSolver final : public OuterSolver {
 public:
  static constexpr int kDefaultIterations = 200;

  FbfSolver(const FbfOptions& options, std::unique_ptr<ConeQpSolver> inner);
  void bind(const ContactProblem& problem) override;
  OuterReport solve(std::span<ContactVec> lambda) override;
  /// Returns γ/γ_safe, negative after a solve with rejected steps.
  [[nodiscard]] double memory() const override { return last_shrinks_ == 0 ? gamma_share_ : -gamma_share_; }
  void set_memory(double memory) override {
    gamma_share_ = std::abs(memory);
    last_shrinks_ = memory < 0 ? 1 : 0;
  }

 private:
  void choose_gamma();
  void grow_gamma();
  void set_gamma(double gamma);
  [[nodiscard]] bool backward_step(std::span<const ContactVec> lambda, bool may_shrink);
  void solve_cone_qp(std::span<const ContactVec> lambda);
  [[nodiscard]] bool adapts() const { return options_.gamma <= 0 && gamma_safe_ > 0; }
  [[nodiscard]] double variation_ratio(std::span<const ContactVec> lambda) const;
  void correct_and_project(std::span<ContactVec> lambda) const;
  [[nodiscard]] bool step(std::span<ContactVec> lambda, bool may_shrink = true);
  void accelerated_step(std::span<ContactVec> lambda);
  void plain_step(std::span<ContactVec> lambda);
  void store(std::span<ContactVec> x) const;
  void take_back(std::span<ContactVec> lambda);
  OuterReport finish(std::span<ContactVec> lambda);

  FbfOptions options_;
  std::unique_ptr<ConeQpSolver> inner_;
  const ContactProblem* problem_ = nullptr;
  Progress progress_;
  Coupling coupling_;
  std::vector<ContactVec> g_, g_bar_, lambda_bar_, c_;
  Anderson anderson_;
  std::vector<ContactVec> before_, plain_;  // λ before an accelerated step; T of the last λ whose mix was accepted
  double last_step_ = 0;                    // ‖T(λ) − λ‖ there; 0: no mix to reject
  double gamma_ = 0, inverse_gamma_ = 0;    // kg, 1/kg; both 0 without coupling, where γ is not used
  double gamma_safe_ = 0;
  double lambda_max_ = 0;   // by the power iteration; 0: the judge's
  double gamma_share_ = 1;  // γ/γ_safe, kept between solves
  double rho_ = 0;          // of the step accepted last
  int shrinks_ = 0, last_shrinks_ = 0;
};

}  // namespace repose
