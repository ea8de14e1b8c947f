// SPDX-License-Identifier: Apache-2.0
// The distance of λ from the minimiser of the cone QP: the judge's natural map (residual.h) with the QP's own gradient.
//
//   ‖λ − Π_K(λ − ρ⁻¹∇)‖ / max(‖λ‖, ‖c‖/(λ̂_max(W) + γ⁻¹), ε₀),   ∇ = (W + γ⁻¹I) λ + c,   ρ_i = tr(W_ii)/3 + γ⁻¹
#pragma once

#include <algorithm>
#include <cmath>

#include "repose/contact/operators.h"
#include "repose/contact/residual.h"
#include "repose/contact/spectrum.h"
#include "repose/inner/two_form_internal.h"
#include "repose/set/set_list.h"

namespace repose {

template <class Form>
class QpResidual {
 public:
  void bind(const BoundQp<Form>& qp) {
    qp_ = qp;
    for (ContactArray* array : {&lambda_, &c_, &gradient_}) array->resize(qp.size());
    for (ScalarArray* array : {&rho_, &inverse_rho_}) array->resize(qp.size());
    sets_.bind(*qp.sets);
    response_.resize(static_cast<std::size_t>(qp.form->nodes()));
    rho_max_ = 0;
    for (int i = 0; i < qp.size(); ++i) {
      rho_.set(i, qp.sets->rho(i, trace(qp.form->diagonal_block(i))));
      rho_max_ = std::max(rho_max_, rho_[i]);
    }
    lambda_max_ = -1;
    set_prox(qp.inverse_gamma);
  }

  void set_prox(double inverse_gamma) {
    qp_.inverse_gamma = inverse_gamma;
    for (int i = 0; i < qp_.size(); ++i) {
      const double rho = rho_[i] + inverse_gamma;
      inverse_rho_.set(i, rho > 0 ? 1.0 / rho : 0.0);
    }
  }

  [[nodiscard]] const SetArray& sets() const { return sets_; }
  [[nodiscard]] const ScalarArray& inverse_rho() const { return inverse_rho_; }  ///< ρ_i⁻¹, kg

  /// gradient ← (W + γ⁻¹I) λ + c, computed from λ alone.
  void gradient(const ContactArray& c, const ContactArray& lambda, ContactArray& gradient) {
    respond(*qp_.form, lambda, response_);
    gather_all(*qp_.form, response_, gradient);
    const Pack prox = broadcast(qp_.inverse_gamma);
    for (int p = 0; p < gradient.packs(); ++p) gradient.pack(p) = gradient.pack(p) + prox * lambda.pack(p) + c.pack(p);
    add_compliance(sets_, lambda, gradient);
  }

  /// Returns the scaled natural map for a known gradient at λ.
  [[nodiscard]] double score(const ContactArray& c, const ContactArray& lambda, const ContactArray& gradient) {
    Pack natural{};
    for (int p = 0; p < lambda.packs(); ++p) {
      const ContactPack l = lambda.pack(p);
      natural += squared_norm(l - project(sets_.pack(p), l - inverse_rho_.pack(p) * gradient.pack(p)));
    }
    return std::sqrt(sum(natural)) / impulse_scale(norm(lambda), norm(c));
  }

  [[nodiscard]] double score(std::span<const ContactVec> c, std::span<const ContactVec> lambda) {
    c_.load(c);
    lambda_.load(lambda);
    gradient(c_, lambda_, gradient_);
    return score(c_, lambda_, gradient_);
  }

  /// Returns max(‖λ‖, ‖c‖/(λ̂_max + γ⁻¹), ε₀); the eigenvalue is computed only if it can matter, once per bind().
  [[nodiscard]] double impulse_scale(double lambda_norm, double c_norm) {
    const double known = std::max(lambda_norm, kScaleFloor);
    if (c_norm <= known * (rho_max_ + qp_.inverse_gamma)) return known;  // λ_max ≥ λ_max(W_ii) ≥ ρ_i
    const double largest = largest_eigenvalue() + qp_.inverse_gamma;
    return largest > 0 ? std::max(known, c_norm / largest) : known;
  }

  /// λ̂_max(W), 1/kg
  [[nodiscard]] double largest_eigenvalue() {
    if (lambda_max_ >= 0) return lambda_max_;
    const auto apply = [this](const ContactArray& x, ContactArray& y) {
      respond(*qp_.form, x, response_);
      gather_all(*qp_.form, response_, y);
      add_compliance(sets_, x, y);
    };
    // c_, λ_ and the gradient are scratch of score(span, span), which no longer needs them when it calls this.
    return lambda_max_ = std::max(lanczos(apply, lambda_, gradient_, c_, {}).largest, rho_max_);
  }

 private:
  BoundQp<Form> qp_;
  ContactArray lambda_, c_, gradient_;
  SetArray sets_;
  ScalarArray rho_, inverse_rho_;
  AlignedVector<typename Form::Node> response_;
  double rho_max_ = 0, lambda_max_ = -1;
};

}  // namespace repose
