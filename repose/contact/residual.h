// SPDX-License-Identifier: Apache-2.0
// The judge: Judge::certify alone scores the answers of every scheme, test, table and peer.
//
//   r_c = max(ε_force, ε_vel, ε_gap)                                                      [paper eq:rc]
//     ε_force = ‖λ − Π_K λ‖ / s_r,  ε_vel = ‖ṽ − Π_K* ṽ‖ / s_u,  ε_gap = |ṽᵀλ| / (s_r s_u) [paper eq:split-residual]
//   nat = ‖λ − Π_K(λ − ρ⁻¹ ṽ)‖ / max(‖λ‖, ‖v_f‖/λ̂_max),  ρ_i = tr(W_ii)/3
//
// Two sets of scales for r_c. The paper fixes s_r = max(‖λ⁰‖, ‖v_f‖/λ̂_max, ε₀), s_u = max(‖ṽ⁰‖, ‖v_f‖, ε₀) at the start
// [paper eq:scales]; on a cold start s_r can be 10⁴ times below ‖λ‖, which puts the rounding floor of ε_gap above any
// useful tolerance, and ε₀ = 1e-12 has units. Here s_r includes the final ‖λ‖, and the paper's own value is reported as
// well. nat is needed too, because r_c is loose for fast sliding: a ball in backspin can satisfy r_c ≤ 1e-6 with an
// impulse error of 0.8 %.
#pragma once

#include <algorithm>
#include <cmath>

#include "repose/contact/operators.h"
#include "repose/contact/problem.h"

namespace repose {

struct Residual {       ///< The three conditions of the law, each dimensionless.  [paper eq:split-residual]
  double force = 0;     ///< distance of λ from K_μ
  double velocity = 0;  ///< distance of ṽ from K*_μ
  double gap = 0;       ///< |ṽᵀλ|
  [[nodiscard]] double worst() const {
    // std::max would drop a NaN in second place; a value that is not finite must never count as solved.
    return std::isfinite(force + velocity + gap) ? std::max({force, velocity, gap}) : HUGE_VAL;
  }
};

struct Certificate {
  Residual residual;   ///< the parts of r_c with the final scales
  Residual paper;      ///< the same with the paper's scales, fixed at the start
  double nat = 0;      ///< scaled natural map
  double natural = 0;  ///< the same before it is scaled, ‖λ − Π_K(λ − ρ⁻¹ṽ)‖, N·s
  double work = 0;     ///< Σ ṽᵀλ, which the law says is zero, J; without its sign
  [[nodiscard]] double r_c() const { return residual.worst(); }
  [[nodiscard]] double worst() const { return std::isfinite(nat) ? std::max(r_c(), nat) : HUGE_VAL; }
  [[nodiscard]] bool solved(double tolerance) const { return worst() <= tolerance; }
};

/// Every scale below this counts as zero. It only keeps 0/0 away: no choice of units, and no mass, brings an impulse or
/// a speed this far down, and its square is still a normal number.
inline constexpr double kScaleFloor = 1e-150;
/// The same in the paper's scales.  [paper eq:scales]
inline constexpr double kPaperScaleFloor = 1e-12;

class Judge {
 public:
  /// Claims memory and computes what depends on W and the sets only. The problem must outlive the judge.
  void bind(const ContactProblem& problem);
  /// Fixes λ⁰ (the scales ‖λ⁰‖, ‖ṽ⁰‖) and reads v_f, which may have changed since bind().
  void open(const ContactArray& lambda0);
  /// Calls open() and scores λ⁰.
  Certificate start(const ContactArray& lambda0);
  Certificate start(std::span<const ContactVec> lambda0);
  /// Scores λ with a freshly computed v = W λ + v_f.
  [[nodiscard]] Certificate certify(const ContactArray& lambda);
  [[nodiscard]] Certificate certify(std::span<const ContactVec> lambda);

  /// Returns v = W λ + v_f of the λ scored last.
  [[nodiscard]] const ContactArray& velocity() const { return v_; }
  [[nodiscard]] const ContactArray& v_free() const { return v_free_; }
  [[nodiscard]] const SetArray& sets() const { return sets_; }
  [[nodiscard]] const ScalarArray& inverse_rho() const { return inverse_rho_; }  ///< ρ_i⁻¹, kg
  [[nodiscard]] double v_free_norm() const { return v_free_norm_; }
  /// Returns λ̂_max(W), computed on the first call: a warm λ of ordinary size does not need it.
  [[nodiscard]] double lambda_max();
  /// Returns max(‖λ‖, ‖v_f‖/λ̂_max), the scale of impulse errors.
  [[nodiscard]] double impulse_scale(double lambda_norm);

 private:
  Certificate score(const ContactArray& lambda);
  void apply_delassus(const ContactArray& x, ContactArray& y);
  [[nodiscard]] double free_impulse(double at_least);  // ‖v_f‖/λ̂_max, or any value ≤ at_least if at_least is larger

  const ContactProblem* problem_ = nullptr;
  ContactArray lambda_, v_, v_free_, krylov_x_, krylov_y_, krylov_before_;
  SetArray sets_;
  ScalarArray inverse_rho_;
  AlignedVector<Pack> body_response_;
  AlignedVector<Quad> contact_response_;
  double rho_max_ = 0, lambda_max_ = -1, v_free_norm_ = 0, start_lambda_norm_ = 0, start_v_norm_ = 0;
};

/// Scores λ against the problem with a new judge (λ⁰ = λ unless given). For tests, files and peers.
[[nodiscard]] Certificate certify(const ContactProblem& problem, std::span<const ContactVec> lambda,
                                  std::span<const ContactVec> lambda0 = {});

/// Returns Siconos' fc3d_compute_error: ‖λ − Π_K(λ − ṽ)‖ / max(‖v_f‖, ‖λ‖, ‖v‖), undivided when the latter is
/// ≤ 2.2e-16. It mixes units; for comparison with published numbers only.
[[nodiscard]] double siconos_error(const ContactProblem& problem, std::span<const ContactVec> lambda);

}  // namespace repose
