// SPDX-License-Identifier: Apache-2.0
// Proximal semismooth Newton on the cone QP: converges quadratically near the minimiser, where an interior point method
// loses accuracy (the λ and v of a sliding contact are on the boundaries of their cones, and the distance to a boundary
// is below rounding).
//
//   λ_{k+1} = argmin QP(λ) + ½ Σ ρ_i/α ‖λ − λ_k‖²  =  Π_K(ĝ(λ_k ρ/α − G y − c)),   ĝ = (γ⁻¹ + ρ/α)⁻¹
//   y − R Π_K(ĝ(λ_k ρ/α − G y − c)) = 0   by Newton with line search,   Jacobian I + R ĝΠ'_K G
#pragma once

#include "repose/contact/newton_system.h"
#include "repose/inner/qp_residual_internal.h"

namespace repose {

template <class Form>
class ConeNewton {
 public:
  void bind(const BoundQp<Form>& qp, QpResidual<Form>& residual, NewtonSystem<Form>& system) {
    qp_ = qp;
    residual_ = &residual;
    system_ = &system;
    for (ContactArray* array : {&centre_, &lambda_, &q_, &dq_, &v_, &dv_, &gradient_}) array->resize(qp.size());
    step_.resize(qp.size());
    D_.resize(static_cast<std::size_t>(lambda_.packs()));
    for (auto* nodes : {&y_, &dy_, &F_}) nodes->assign(static_cast<std::size_t>(qp.form->nodes()), Node{});
  }
  void set_prox(double inverse_gamma) { qp_.inverse_gamma = inverse_gamma; }

  struct Result {
    double residual = 0;     ///< of the λ returned
    int factorisations = 0;  ///< number of factorisations
  };
  /// Improves `lambda` (∈ K, natural map `residual`) until `tolerance`, or until `budget` factorisations are used.
  Result run(const ContactArray& c, ContactArray& lambda, double residual, double tolerance, int budget) {
    Result result{residual, 0};
    double alpha = std::clamp(1.0 / residual, kSmallestStep, kLargestStep);
    int failures = 0;
    while (result.residual > tolerance && result.factorisations < budget && failures < kFailures) {
      const int before = result.factorisations;
      const double now = proximal_step(c, lambda, alpha, result, budget);
      // Slow progress is a failure too: a minimiser at infinity is approached like 1/α and never reached.
      if (!(now < 0.5 * result.residual)) ++failures;
      if (now < result.residual) {
        result.residual = now;
        std::swap(lambda, lambda_);
        alpha *= result.factorisations - before <= 3 ? kQuickGrowth : kSlowGrowth;
      } else {
        alpha /= kShrink;
      }
    }
    return result;
  }

 private:
  using Node = typename Form::Node;
  // α of the proximal term: about 1/residual at first, then growing while Newton's method converges.
  static constexpr double kSmallestStep = 1e2, kLargestStep = 1e6, kQuickGrowth = 30, kSlowGrowth = 3, kShrink = 10;
  static constexpr int kFailures = 3, kSteps = 12, kBisections = 20;

  /// λ_ ← the proximal point of λ; returns its natural map.
  double proximal_step(const ContactArray& c, const ContactArray& lambda, double alpha, Result& result, int budget) {
    set_centre(c, lambda, alpha);
    q_ = lambda;
    respond(*qp_.form, q_, y_);
    gather_all(*qp_.form, y_, v_);
    double size = evaluate();
    const double first = size, goal = 1e-5 * std::min(result.residual, 1.0) * std::max(length(y_), size);
    for (int step = 0; step < kSteps && size > goal && result.factorisations < budget; ++step) {
      if (!system_->factor(D_)) return HUGE_VAL;
      ++result.factorisations;
      direction();
      move(line_search());
      const double last = std::exchange(size, evaluate());
      if (size > 0.3 * last && size < 1e-3 * first) break;  // rounding floor: that of the velocities times ĝ
    }
    residual_->gradient(c, lambda_, gradient_);
    return residual_->score(c, lambda_, gradient_);
  }

  /// Computes what does not depend on y: ĝ and ĝ(λ_k ρ/α − c). An immovable contact keeps its λ.
  void set_centre(const ContactArray& c, const ContactArray& lambda, double alpha) {
    for (int p = 0; p < lambda.packs(); ++p) {
      const Pack inverse = residual_->inverse_rho().pack(p), one = broadcast(1.0);
      const PackMask moves = inverse > Pack{};
      const Pack anchor = 1.0 / (alpha * select(moves, inverse, one));
      step_.pack(p) = select(moves, 1.0 / (qp_.inverse_gamma + anchor), Pack{});
      centre_.pack(p) = select(moves, step_.pack(p) * anchor, one) * lambda.pack(p) - step_.pack(p) * c.pack(p);
    }
  }

  [[nodiscard]] ContactPack projection(int p, ContactPack v) const {
    return project_onto_cone(centre_.pack(p) - step_.pack(p) * v, residual_->sets().pack(p).mu);
  }

  /// λ_ ← Π_K(…) at v, D_ ← its slope, F_ ← y − R λ_; returns ‖F‖.
  double evaluate() {
    for (int p = 0; p < v_.packs(); ++p) {
      ContactSlope<Pack>& D = D_[static_cast<std::size_t>(p)];
      const Pack g = step_.pack(p);
      lambda_.pack(p) = project_onto_cone(centre_.pack(p) - g * v_.pack(p), residual_->sets().pack(p).mu, D);
      for (Pack* entry : {&D.t1t1, &D.t1t2, &D.t2t2, &D.t1n, &D.t2n, &D.nn}) *entry *= g;
      D = mirrored(D);
    }
    respond(*qp_.form, lambda_, F_);
    for (std::size_t k = 0; k < F_.size(); ++k) F_[k] = y_[k] - F_[k];
    return length(F_);
  }

  /// Solves dy = −(I + R D G)⁻¹ F, dv = G dy, and finds the dq with dy = R dq.
  void direction() {
    for (std::size_t k = 0; k < F_.size(); ++k) dy_[k] = -F_[k];
    system_->solve(dy_);
    gather_all(*qp_.form, dy_, dv_);
    for (int p = 0; p < dv_.packs(); ++p) {
      const ContactSlope<Pack>& D = D_[static_cast<std::size_t>(p)];
      const ContactPack dv = dv_.pack(p);
      const ContactPack pull{D.t1t1 * dv.t1 + D.t1t2 * dv.t2 + D.t1n * dv.n,
                             D.t1t2 * dv.t1 + D.t2t2 * dv.t2 + D.t2n * dv.n,
                             D.t1n * dv.t1 + D.t2n * dv.t2 + D.nn * dv.n};
      dq_.pack(p) = lambda_.pack(p) - q_.pack(p) - pull;
    }
  }

  /// Returns the slope at t, along the direction, of the convex energy whose gradient is F (½ qᵀWq + Σ ‖Π_K‖²/2ĝ),
  /// without a W product.
  [[nodiscard]] double slope(double t) const {
    Pack total{};
    for (int p = 0; p < v_.packs(); ++p) {
      const ContactPack dv = dv_.pack(p), q = q_.pack(p) + broadcast(t) * dq_.pack(p);
      total += dot(q - projection(p, v_.pack(p) + broadcast(t) * dv), dv);
    }
    return sum(total);
  }

  /// Line search: the energy is convex along the line, and bisection on [0, 1] reduces its slope to a tenth.
  [[nodiscard]] double line_search() const {
    const double enough = 0.1 * std::abs(slope(0.0));
    double low = 0, high = 1, t = 1;
    for (int bisection = 0; bisection < kBisections; ++bisection) {
      const double here = slope(t);
      if (here <= enough && (t == 1 || here >= -enough)) return t;
      (here > 0 ? high : low) = t;
      t = 0.5 * (low + high);
    }
    return t;
  }

  /// Updates v by its increment: G y from scratch would multiply the rounding of y by ĝ.
  void move(double t) {
    for (std::size_t k = 0; k < y_.size(); ++k) y_[k] += t * dy_[k];
    for (int p = 0; p < v_.packs(); ++p) {
      v_.pack(p) = v_.pack(p) + broadcast(t) * dv_.pack(p);
      q_.pack(p) = q_.pack(p) + broadcast(t) * dq_.pack(p);
    }
  }

  [[nodiscard]] static double length(const AlignedVector<Node>& x) {
    Node total{};
    for (const Node& node : x) total += node * node;
    return std::sqrt(sum(total));
  }

  BoundQp<Form> qp_;
  QpResidual<Form>* residual_ = nullptr;
  NewtonSystem<Form>* system_ = nullptr;
  ContactArray centre_, lambda_, q_, dq_, v_, dv_, gradient_;
  ScalarArray step_;  // ĝ, kg
  SlopeArray D_;
  AlignedVector<Node> y_, dy_, F_;
};

}  // namespace repose
