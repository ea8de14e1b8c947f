// SPDX-License-Identifier: Apache-2.0
// The cone QP with an explicit W, for solvers that take sparse matrices:
//
//   argmin over x ∈ K of ½ xᵀP x + qᵀx,   P = D (W + γ⁻¹I) D,   q = D c / s,   λ = s D x
//
// D is one number per contact, (ρ_i + γ⁻¹)^−½ with ρ_i = tr(W_ii)/3, so that it maps each cone onto itself and every
// diagonal block is of order one; s is the root mean square of D c. The absolute tolerances of these solvers then mean
// the same for grams and tonnes, for c of any size, and for any γ. A contact without friction has one variable instead
// of three: its cone {λ_N ≥ 0, λ_T = 0} has no interior, which an interior point method needs.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "repose/inner/cone_qp.h"
#include "repose/inner/qp_residual_internal.h"

namespace repose {

class FormedQp {
 public:
  /// Forms W and claims all memory. The problem must outlive this object; γ⁻¹ starts at 0.
  void bind(const ContactProblem& problem);
  /// Computes D and the values of P for a new γ⁻¹; the pattern of P stays.
  void set_prox(double inverse_gamma);

  /// Wraps a solver of the scaled problem: takes c, calls `solver(lambda)` with λ ∈ K as warm start, and reports the
  /// natural map of the resulting λ. `solver` returns its number of iterations; it is not called when c = 0 (the answer
  /// is 0) or when c is not finite (λ stays).
  template <class Solver>
  InnerReport solve(std::span<const ContactVec> c, std::span<ContactVec> lambda, double tolerance,
                    const Solver& solver) {
    InnerReport report;
    project(lambda);
    const RightHandSide kind = set_c(c);
    if (kind == RightHandSide::kZero)
      for (ContactVec& contact : lambda) contact = {};
    if (kind == RightHandSide::kOrdinary) report.iterations = solver(lambda);
    report.residual = natural_residual(c, lambda);
    report.converged = report.residual <= tolerance;
    return report;
  }

  [[nodiscard]] int variables() const { return static_cast<int>(scale_.size()); }
  // The upper triangle of P in compressed columns, rows ascending, every diagonal entry present.
  [[nodiscard]] const std::vector<int>& column_start() const { return column_start_; }
  [[nodiscard]] const std::vector<int>& row() const { return row_; }
  [[nodiscard]] const std::vector<double>& P() const { return P_; }
  [[nodiscard]] const std::vector<double>& q() const { return q_; }

  /// Returns the first variable of contact i. Its variables are (t1, t2, n), or (n) when it has no friction.
  [[nodiscard]] int first(int i) const { return first_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] bool frictional(int i) const { return problem_->sets().mu()[static_cast<std::size_t>(i)] > 0; }

  /// x ← D⁻¹ λ / s
  void to_variables(std::span<const ContactVec> lambda, std::span<double> x) const;
  /// λ ← Π_K(s D x); the projection removes the solver's error of about 1e-9 outside the cone.
  void to_impulses(std::span<const double> x, std::span<ContactVec> lambda) const;
  /// Computes D ∇ / s with ∇ = (W + γ⁻¹I) λ + c, in the variables' order.
  void scaled_gradient(std::span<const ContactVec> c, std::span<const ContactVec> lambda, std::span<double> scaled);

  /// Returns the scaled natural map of the QP at λ.
  [[nodiscard]] double natural_residual(std::span<const ContactVec> c, std::span<const ContactVec> lambda);

 private:
  enum class RightHandSide { kOrdinary, kZero, kNotFinite };

  /// Computes q and s.
  [[nodiscard]] RightHandSide set_c(std::span<const ContactVec> c);
  /// λ ← Π_K λ; a contact whose impulse is not finite starts at 0.
  void project(std::span<ContactVec> lambda) const;
  void lay_out_variables();
  void form_delassus();
  void append_block(int i, int j, const Mat3& block, int component);
  const ContactProblem* problem_ = nullptr;
  DelassusOperator W_;
  std::variant<QpResidual<BodyForm>, QpResidual<MatrixForm>> residual_;
  double inverse_gamma_ = 0;           // 1/kg
  double rhs_scale_ = 1;               // s, √J
  std::vector<double> rho_;            // tr(W_ii)/3 per contact, 1/kg
  std::vector<double> contact_scale_;  // D per contact, √kg
  std::vector<double> scale_;          // D per variable, √kg
  std::vector<int> first_, column_start_, row_;
  std::vector<double> w_;  // entries of W, 1/kg
  std::vector<double> P_, q_;
  std::vector<ContactVec> gradient_;  // (W + γ⁻¹I) λ + c, m/s
};

}  // namespace repose
