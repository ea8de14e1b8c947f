// SPDX-License-Identifier: Apache-2.0
// The convex law at one contact: argmin over λ ∈ K_μ of ½ λᵀWλ + bᵀλ, up to one scalar root.  [paper eq:backward]
//
// In the variables (λ_T, μ λ_N), K_μ is the light cone ‖y_T‖ ≤ y_N, and one Lorentz transformation, which maps that
// cone onto itself, makes W diagonal: λ = B y, BᵀWB = diag(w₁, w₂, w₃). While sliding, v_T = −k λ_T and v_N = k μ² λ_N;
// with c = Bᵀb this reads (w_j + k) y_j = −c_j and (w₃ − k) y_N = −c₃. The rate k passes w₃ when c₃ changes sign, so
// the unknown is y_N: k = w₃ + c₃/y_N leaves
//   Σ_j r_j² / (y_N + e_j)² = 1,   r_j = |c_j|/(w_j + w₃),   e_j = c₃/(w_j + w₃),   j = 1, 2,
// the secular equation of a trust region: Newton's method on the reciprocal root converges monotonically from below.
// Solving 3×3 and then projecting (in the Euclidean norm) is a common substitute; its fixed point is another one.
#pragma once

#include "repose/math/vec3.h"
#include "repose/set/coulomb_cone.h"

namespace repose {

/// The quantities that do not depend on b, prepared once per contact.
class LocalConeQp {
 public:
  LocalConeQp() = default;
  /// W symmetric positive definite in the order (t1, t2, n), 1/kg. A singular W is shifted by 1e-12 of its mean
  /// eigenvalue; W = 0 (no body moves) makes every answer zero.
  REPOSE_HD LocalConeQp(const Mat3& W, double friction) : mu_(friction) {
    w11_ = W.m[0][0], w22_ = W.m[1][1], wnn_ = W.m[2][2];
    w12_ = 0.5 * (W.m[0][1] + W.m[1][0]), w1n_ = 0.5 * (W.m[0][2] + W.m[2][0]), w2n_ = 0.5 * (W.m[1][2] + W.m[2][1]);
    const double mean = (w11_ + w22_ + wnn_) / 3;
    if (!(mean > 0)) return;
    if (!factor(1e-14 * mean)) {
      w11_ += 1e-12 * mean, w22_ += 1e-12 * mean, wnn_ += 1e-12 * mean;
      if (!factor(0)) return;
    }
    if (mu_ > 0) diagonalise();
    sound_ = true;
  }

  REPOSE_HD [[nodiscard]] ContactVec solve(ContactVec b) const {
    if (mu_ * tangential_norm(b) <= b.n || !sound_) return {};  // open: λ = 0 leaves v = b in K*
    if (mu_ <= 0) return {0, 0, -b.n / wnn_};
    const ContactVec stick = minus_inverse(b);
    if (tangential_norm(stick) <= mu_ * stick.n) return stick;
    return on_surface(b, sliding_direction(b));
  }

 private:
  struct Direction {
    double e1 = 1, e2 = 0;  ///< λ_T / ‖λ_T‖
  };

  /// W = L D Lᵀ, normal first (the best conditioned pivot of most contacts). False when a pivot is not above `floor`.
  REPOSE_HD bool factor(double floor) {
    if (!(wnn_ > floor)) return false;
    l1_ = w1n_ / wnn_, l2_ = w2n_ / wnn_;
    const double d1 = w11_ - l1_ * w1n_;
    if (!(d1 > floor)) return false;
    const double s12 = w12_ - l1_ * w2n_;
    l12_ = s12 / d1;
    const double d2 = w22_ - l2_ * w2n_ - l12_ * s12;
    inverse_dn_ = 1.0 / wnn_, inverse_d1_ = 1.0 / d1, inverse_d2_ = 1.0 / d2;
    return d2 > floor;
  }

  /// Returns −W⁻¹b.
  REPOSE_HD [[nodiscard]] ContactVec minus_inverse(ContactVec b) const {
    const double z1 = b.t1 - l1_ * b.n, z2 = b.t2 - l2_ * b.n - l12_ * z1;
    const double t2 = -z2 * inverse_d2_, t1 = -z1 * inverse_d1_ - l12_ * t2;
    return {t1, t2, -b.n * inverse_dn_ - l1_ * t1 - l2_ * t2};
  }

  REPOSE_HD [[nodiscard]] ContactVec times(ContactVec x) const {
    return {w11_ * x.t1 + w12_ * x.t2 + w1n_ * x.n, w12_ * x.t1 + w22_ * x.t2 + w2n_ * x.n,
            w1n_ * x.t1 + w2n_ * x.t2 + wnn_ * x.n};
  }

  /// B and w by one-sided Jacobi: columns of F (FᵀF = scaled W) are made orthogonal pair by pair, two tangents by a
  /// rotation, tangent and normal by a boost. Small w have full relative accuracy.  [Veselić 1993]
  REPOSE_HD void diagonalise() {
    const double tangent = mu_ < 1 ? mu_ : 1.0, normal = mu_ < 1 ? 1.0 : 1.0 / mu_;
    const double rn = std::sqrt(wnn_), r1 = 1.0 / std::sqrt(inverse_d1_), r2 = 1.0 / std::sqrt(inverse_d2_);
    Vec3 f[3] = {{tangent * l1_ * rn, tangent * r1, 0},
                 {tangent * l2_ * rn, tangent * l12_ * r1, tangent * r2},
                 {normal * rn, 0, 0}};
    Vec3 v[3] = {{tangent, 0, 0}, {0, tangent, 0}, {0, 0, normal}};
    for (int sweep = 0; sweep < 20; ++sweep) {
      const bool boosted1 = boost(f[0], f[2], v[0], v[2]), boosted2 = boost(f[1], f[2], v[1], v[2]);
      const bool rotated = rotate(f[0], f[1], v[0], v[1]);
      if (!boosted1 && !boosted2 && !rotated) break;
    }
    const int first = dot(f[0], f[0]) <= dot(f[1], f[1]) ? 0 : 1;  // w₁ ≤ w₂
    const double w1 = dot(f[first], f[first]), w2 = dot(f[1 - first], f[1 - first]), w3 = dot(f[2], f[2]);
    b_[0] = v[first], b_[1] = v[1 - first], b_[2] = v[2];
    inverse_s1_ = 1.0 / (w1 + w3), inverse_s2_ = 1.0 / (w2 + w3);
    spread_ = (w2 - w1) * inverse_s1_ * inverse_s2_;
  }

  static constexpr double kOrthogonal = 1e-15;

  /// Rotates columns p, q to p·q = 0. False when they are orthogonal already.
  REPOSE_HD static bool rotate(Vec3& p, Vec3& q, Vec3& vp, Vec3& vq) {
    const double a = dot(p, p), b = dot(q, q), c = dot(p, q);
    if (c * c <= kOrthogonal * kOrthogonal * a * b) return false;
    const double zeta = (b - a) / (2 * c);
    const double t = (zeta >= 0 ? 1.0 : -1.0) / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta));
    const double cosine = 1.0 / std::sqrt(1 + t * t);
    mix(p, q, cosine, -cosine * t, cosine * t);
    mix(vp, vq, cosine, -cosine * t, cosine * t);
    return true;
  }

  /// The same with a hyperbolic angle: keeps y_p² − y_q² instead of the sum.
  REPOSE_HD static bool boost(Vec3& p, Vec3& q, Vec3& vp, Vec3& vq) {
    const double a = dot(p, p), b = dot(q, q), c = dot(p, q);
    if (c * c <= kOrthogonal * kOrthogonal * a * b) return false;
    const double zeta = (a + b) / (2 * c);  // |ζ| > 1 unless p = ±q, which only rounding can produce
    const double excess = zeta * zeta - 1;
    const double t = (zeta >= 0 ? -1.0 : 1.0) / (std::fabs(zeta) + std::sqrt(excess > 1e-28 ? excess : 1e-28));
    const double cosine = 1.0 / std::sqrt((1 - t) * (1 + t));
    mix(p, q, cosine, cosine * t, cosine * t);
    mix(vp, vq, cosine, cosine * t, cosine * t);
    return true;
  }

  /// (p, q) ← (c p + s q, r p + c q)
  REPOSE_HD static void mix(Vec3& p, Vec3& q, double c, double s, double r) {
    const Vec3 old = p;
    p = c * old + s * q;
    q = r * old + c * q;
  }

  /// Returns the root τ = y_N + e_low of (a/τ)² + (b/(τ + gap))² = 1, all ≥ 0. From the left Newton's method on 1/‖p‖
  /// never overshoots (the function is concave) and takes a few steps.
  REPOSE_HD [[nodiscard]] static double secular_root(double a, double b, double gap) {
    const double top = std::sqrt(a * a + b * b);
    double tau = a > b - gap ? a : b - gap;
    if (!(tau > 0)) tau = top;
    for (int iteration = 0; iteration < 60; ++iteration) {
      const double inverse = 1.0 / tau, inverse_far = 1.0 / (tau + gap);
      const double p = a * inverse, q = b * inverse_far, squared = p * p + q * q;
      const double length = std::sqrt(squared), bend = p * p * inverse + q * q * inverse_far;
      const double step = (length - 1) * squared / bend;
      if (!(step > 0)) break;  // at the root to rounding
      tau += step;
      if (step <= 1e-9 * tau) break;  // the next step would be below rounding
    }
    return tau < top ? tau : top;
  }

  REPOSE_HD [[nodiscard]] Direction sliding_direction(ContactVec b) const {
    const Vec3 force{b.t1, b.t2, b.n};
    const double c1 = dot(b_[0], force), c2 = dot(b_[1], force), c3 = dot(b_[2], force);
    const double r1 = std::fabs(c1) * inverse_s1_, r2 = std::fabs(c2) * inverse_s2_;
    const bool first_is_low = c3 < 0;  // the smaller of e₁, e₂
    const double gap = std::fabs(c3) * spread_;
    const double tau = first_is_low ? secular_root(r1, r2, gap) : secular_root(r2, r1, gap);
    const double tau1 = first_is_low ? tau : tau + gap, tau2 = first_is_low ? tau + gap : tau;
    const double p1 = -c1 * inverse_s1_ / tau1, p2 = -c2 * inverse_s2_ / tau2;
    const Vec3 lambda = p1 * b_[0] + p2 * b_[1] + b_[2];
    return normalised(lambda.x, lambda.y);
  }

  REPOSE_HD [[nodiscard]] static Direction normalised(double e1, double e2) {
    const double length = std::sqrt(e1 * e1 + e2 * e2);
    if (!(length > 0)) return {};
    return {e1 / length, e2 / length};
  }

  /// λ = n d with d = (μ e, 1): n minimises along d, and Newton's method rotates e until the energy is stationary. This
  /// removes the rounding errors of B, usually in one step.
  REPOSE_HD [[nodiscard]] ContactVec on_surface(ContactVec b, Direction e) const {
    double n = 0;
    bool settled = false;
    for (int turns = 0;; ++turns) {
      const ContactVec d{mu_ * e.e1, mu_ * e.e2, 1}, turn{-d.t2, d.t1, 0};
      const ContactVec Wd = times(d);
      const double dWd = dot(d, Wd);
      n = -dot(d, b) / dWd;
      if (!(n > 0)) return {};
      if (settled) break;
      const ContactVec v = n * Wd + b;
      const double torque = dot(turn, v), coupling = torque + n * dot(turn, Wd);
      const double stiffness =
          n * dot(turn, times(turn)) - (d.t1 * v.t1 + d.t2 * v.t2) - coupling * coupling / (n * dWd);
      const double angle = stiffness > 0 ? -torque / stiffness : 0.0;
      if (!(std::fabs(angle) > 1e-16) || std::fabs(angle) > 0.5) break;
      e = normalised(e.e1 - angle * e.e2, e.e2 + angle * e.e1);
      settled = std::fabs(angle) < 1e-8 || turns == 3;  // the next turn would be below rounding
    }
    return {mu_ * n * e.e1, mu_ * n * e.e2, n};
  }

  double w11_ = 0, w12_ = 0, w22_ = 0, w1n_ = 0, w2n_ = 0, wnn_ = 0;                     // W
  double l1_ = 0, l2_ = 0, l12_ = 0, inverse_dn_ = 0, inverse_d1_ = 0, inverse_d2_ = 0;  // its factor
  Vec3 b_[3];                                                                            // columns of B
  double inverse_s1_ = 0, inverse_s2_ = 0;                                               // 1/(w_j + w₃)
  double spread_ = 0;  // 1/(w₁ + w₃) − 1/(w₂ + w₃)
  double mu_ = 0;
  bool sound_ = false;
};

}  // namespace repose
