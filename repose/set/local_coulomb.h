// SPDX-License-Identifier: Apache-2.0
// The exact law at one contact: v = W λ + b, K*_μ ∋ ṽ ⊥ λ ∈ K_μ, in closed form up to one scalar root.
//
// While sliding, v_T = −k λ_T with a rate k > 0. Eliminating λ_N through v_N = 0 leaves the 2×2 system
// (S + k I) λ_T = −b̂ with S = W_TT − w_TN w_NT / W_NN and b̂ = b_T − w_TN b_N / W_NN, hence
//   λ_T(k) = −p(k)/d(k),  p = k b̂ + adj(S) b̂,  d = k² + tr(S) k + det(S),
//   λ_N(k) = m(k) / (W_NN d(k)),  m = −b_N d + w_NT·p,
// and the rate is the root of φ(k) = W_NN ‖p(k)‖ − μ max(m(k), 0), with φ(0) > 0 (not sticking) and φ(∞) < 0.
// W may be nonsymmetric (public data).  [the quartic of Bonnefon & Daviet 2011 is φ = 0 squared]
#pragma once

#include "repose/math/vec3.h"
#include "repose/set/coulomb_cone.h"

namespace repose {

/// The quantities that do not depend on b, prepared once per contact.
struct LocalCoulomb {
  double s11 = 0, s12 = 0, s21 = 0, s22 = 0;  ///< S, 1/kg
  double trace = 0, det = 0;                  ///< of S
  double w1n = 0, w2n = 0;                    ///< W_TN / W_NN
  double wn1 = 0, wn2 = 0;                    ///< W_NT
  double wnn = 0, inverse_wnn = 0;
  double mu = 0;
  bool delicate = false;  ///< det(S) is ill-conditioned: answers are refined

  LocalCoulomb() = default;
  /// W in the order (t1, t2, n) with W_NN > 0.
  REPOSE_HD LocalCoulomb(const Mat3& W, double friction) {
    mu = friction;
    wnn = W.m[2][2];
    inverse_wnn = wnn > 0 ? 1.0 / wnn : 0.0;
    w1n = W.m[0][2] * inverse_wnn, w2n = W.m[1][2] * inverse_wnn;
    wn1 = W.m[2][0], wn2 = W.m[2][1];
    s11 = W.m[0][0] - w1n * wn1, s12 = W.m[0][1] - w1n * wn2;
    s21 = W.m[1][0] - w2n * wn1, s22 = W.m[1][1] - w2n * wn2;
    trace = s11 + s22;
    det = s11 * s22 - s12 * s21;
    delicate = det < 1e-3 * trace * trace;
  }

  /// Returns λ; b is the velocity of this contact without its own impulse. `rate` is k of the last call (start of the
  /// root search) and receives that of this one; 0 while sticking or open.
  REPOSE_HD [[nodiscard]] ContactVec solve(ContactVec b, double& rate) const {
    if (!(b.n < 0) || wnn <= 0) return rate = 0, ContactVec{};  // open: λ = 0 leaves v_N = b_N ≥ 0
    if (mu <= 0) return rate = 0, ContactVec{0, 0, -b.n * inverse_wnn};
    const double h1 = b.t1 - w1n * b.n, h2 = b.t2 - w2n * b.n;        // b̂
    const double c1 = s22 * h1 - s12 * h2, c2 = s11 * h2 - s21 * h1;  // adj(S) b̂
    if (delicate) {
      const ContactVec stuck = stick(b.n, h1, h2);
      if (tangential_norm(stuck) <= mu * stuck.n) return rate = 0, stuck;
    }
    const double q0 = -b.n * det + wn1 * c1 + wn2 * c2, q1 = -b.n * trace + wn1 * h1 + wn2 * h2, q2 = -b.n;
    if (!delicate && det > 0 && wnn * std::sqrt(c1 * c1 + c2 * c2) <= mu * q0) {  // φ(0) ≤ 0: stick
      rate = 0;
      return impulse(c1, c2, det, q0);
    }
    const double k = rate = sliding_rate(h1, h2, c1, c2, q0, q1, q2, rate);
    const double p1 = k * h1 + c1, p2 = k * h2 + c2, d = (k + trace) * k + det;
    if (delicate) return polished(b.n, h1, h2, -p1, -p2);
    ContactVec lambda = impulse(p1, p2, d, (q2 * k + q1) * k + q0);
    // The root is known up to rounding only: λ is put onto the boundary of the cone with the λ_N of v_N = 0.
    const double slip = tangential_norm(lambda), radius = mu * lambda.n;
    if (slip > 0) lambda.t1 *= radius / slip, lambda.t2 *= radius / slip;
    return lambda;
  }

 private:
  REPOSE_HD [[nodiscard]] ContactVec impulse(double p1, double p2, double d, double m) const {
    const double inverse = 1.0 / d;
    const double n = m * inverse * inverse_wnn;
    return {-p1 * inverse, -p2 * inverse, n > 0 ? n : 0.0};
  }

  /// Solves S λ_T = −b̂ and v_N = 0 by elimination, whose backward error stays at rounding level where det(S) suffers
  /// from cancellation.
  REPOSE_HD [[nodiscard]] ContactVec stick(double bn, double h1, double h2) const {
    if (!(s11 > 0)) return {};
    const double l = s21 / s11, pivot = s22 - l * s12;
    if (!(pivot > 0)) return {};
    const double t2 = -(h2 - l * h1) / pivot, t1 = -(h1 + s12 * t2) / s11;
    return {t1, t2, -(bn + wn1 * t1 + wn2 * t2) * inverse_wnn};
  }

  /// Slides along the direction (e1, e2), which Newton's method rotates until S λ_T + b̂ is parallel to it.
  REPOSE_HD [[nodiscard]] ContactVec polished(double bn, double h1, double h2, double e1, double e2) const {
    double last = -1, t = 0;  // t = ‖λ_T‖
    for (int turns = 0;; ++turns) {
      const double inverse = 1.0 / std::sqrt(e1 * e1 + e2 * e2);
      e1 *= inverse, e2 *= inverse;
      const double along = wnn + mu * (wn1 * e1 + wn2 * e2), across = mu * (wn2 * e1 - wn1 * e2);
      t = -mu * bn / along;  // v_N = 0 with λ_N = t/μ
      const double se1 = s11 * e1 + s12 * e2, se2 = s21 * e1 + s22 * e2;
      const double v1 = t * se1 + h1, v2 = t * se2 + h2, side = e1 * v2 - e2 * v1;
      const double size = std::fabs(side);
      if (turns == 4 || (last >= 0 && !(size < 0.5 * last))) break;
      last = size;
      const double sn1 = s12 * e1 - s11 * e2, sn2 = s22 * e1 - s21 * e2;  // S applied across
      const double slope = t * (e1 * sn2 - e2 * sn1) - (e1 * v1 + e2 * v2) - t * across / along * (e1 * se2 - e2 * se1);
      const double angle = slope > 0 ? -side / slope : 0.0;
      if (!(std::fabs(angle) > 1e-16) || std::fabs(angle) > 0.5) break;
      const double turned1 = e1 - angle * e2, turned2 = e2 + angle * e1;
      e1 = turned1, e2 = turned2;
    }
    return {t * e1, t * e2, t / mu};
  }

  /// Returns the root of φ by Newton's method on m(k)/‖p(k)‖ = W_NN/μ, safeguarded by a bracket. The left side is
  /// linear when S is a multiple of the identity and W_TN = 0, and close to linear otherwise: three or four steps
  /// suffice.
  REPOSE_HD [[nodiscard]] double sliding_rate(double h1, double h2, double c1, double c2, double q0, double q1,
                                              double q2, double guess) const {
    const double target = wnn / mu;
    double low = 0, high = -1;  // no upper end known yet
    double k = guess > 0 ? guess : 0.5 * trace;
    for (int iteration = 0; iteration < 80; ++iteration) {
      const double p1 = k * h1 + c1, p2 = k * h2 + c2, pp = p1 * p1 + p2 * p2, p = std::sqrt(pp);
      const double m = (q2 * k + q1) * k + q0, miss = m - target * p;
      if (miss < 0)
        low = k;
      else
        high = k;
      const double slope = (2 * q2 * k + q1) * pp - m * (p1 * h1 + p2 * h2);
      double next = slope > 0 ? k - miss * pp / slope : -1.0;
      const bool bracketed = high >= 0, newton = next > low && (!bracketed || next < high);
      if (!newton) next = bracketed ? 0.5 * (low + high) : 4.0 * k;
      const double change = next > k ? next - k : k - next;
      k = next;
      // Newton's method squares its error: after a step of 1e-8 only rounding is left.
      if (change <= (newton ? 1e-8 : 4e-16) * k || (bracketed && high - low <= 4e-16 * high)) break;
    }
    return k;
  }
};

}  // namespace repose
