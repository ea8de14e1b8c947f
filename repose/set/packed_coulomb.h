// SPDX-License-Identifier: Apache-2.0
// The exact law at eight contacts at once: the kernel of local_coulomb.h over packs, for symmetric W. Lanes end at
// different iterations of the root search and keep what they found.
#pragma once

#include "repose/set/local_coulomb.h"

namespace repose {

/// Whether any lane holds.
[[nodiscard]] inline bool any_of(PackMask mask) {
  long found = 0;
  for (int lane = 0; lane < kLanes; ++lane) found |= mask[lane];
  return found != 0;
}

/// The quantities of LocalCoulomb that do not depend on b, lane by lane.
struct PackedCoulomb {
  Pack s11{}, s12{}, s22{}, trace{}, det{};  ///< of S, 1/kg
  Pack w1n{}, w2n{};                         ///< W_TN / W_NN
  Pack w11{}, w12{}, w22{};                  ///< W_TT
  Pack wnn{}, inverse_wnn{};
  Pack mu{}, target{};  ///< μ, and W_NN/μ (0 where μ = 0)
  PackMask delicate{};  ///< det(S) is ill-conditioned: these lanes are solved one by one

  void set(int lane, const Mat3& W, double friction) {
    const LocalCoulomb law(W, friction);
    s11[lane] = law.s11, s12[lane] = law.s12, s22[lane] = law.s22;
    trace[lane] = law.trace, det[lane] = law.det;
    w1n[lane] = law.w1n, w2n[lane] = law.w2n;
    w11[lane] = W.m[0][0], w12[lane] = W.m[0][1], w22[lane] = W.m[1][1];
    wnn[lane] = law.wnn, inverse_wnn[lane] = law.inverse_wnn;
    mu[lane] = friction, target[lane] = friction > 0 ? law.wnn / friction : 0.0;
    delicate[lane] = law.delicate && friction > 0 ? -1 : 0;
  }

  /// W λ
  [[nodiscard]] ContactPack times(ContactPack x) const {
    const Pack w1 = w1n * wnn, w2 = w2n * wnn;
    return {w11 * x.t1 + w12 * x.t2 + w1 * x.n, w12 * x.t1 + w22 * x.t2 + w2 * x.n, w1 * x.t1 + w2 * x.t2 + wnn * x.n};
  }

  /// As LocalCoulomb::solve().
  [[nodiscard]] ContactPack solve(ContactPack b, Pack& rate) const {
    const Pack zero{};
    const PackMask closed = (b.n < zero) & (wnn > zero);
    if (!any_of(closed)) {
      rate = zero;
      return {};
    }
    const Pack h1 = b.t1 - w1n * b.n, h2 = b.t2 - w2n * b.n;        // b̂
    const Pack c1 = s22 * h1 - s12 * h2, c2 = s11 * h2 - s12 * h1;  // adj(S) b̂
    const Pack wn1 = w1n * wnn, wn2 = w2n * wnn;
    const Pack q0 = wn1 * c1 + wn2 * c2 - b.n * det, q1 = wn1 * h1 + wn2 * h2 - b.n * trace;
    const PackMask rough = closed & (mu > zero);
    const PackMask sticks = (det > zero) & (wnn * root(c1 * c1 + c2 * c2) <= mu * q0);
    const PackMask slides = rough & ~sticks & ~delicate;
    const Pack k = any_of(slides) ? sliding_rate(slides, {h1, h2}, {c1, c2}, q0, q1, -b.n, rate) : zero;
    const Pack p1 = k * h1 + c1, p2 = k * h2 + c2, d = (k + trace) * k + det;
    const Pack inverse = 1.0 / select(rough & (d > zero), d, d * 0.0 + 1.0);
    const Pack m = ((q1 - b.n * k) * k + q0) * inverse * inverse_wnn;
    const Pack n = select(rough, select(m > zero, m, zero), select(closed, -b.n * inverse_wnn, zero));
    const Pack t1 = select(rough, -p1 * inverse, zero), t2 = select(rough, -p2 * inverse, zero);
    const Pack slip = root(t1 * t1 + t2 * t2);
    const PackMask turned = slides & (slip > zero);  // known up to rounding only: put onto the boundary of the cone
    const Pack onto = select(turned, mu * n / select(turned, slip, slip + 1.0), slip * 0.0 + 1.0);
    rate = select(slides, k, zero);
    ContactPack lambda{onto * t1, onto * t2, n};
    if (any_of(rough & delicate)) solve_delicate(rough & delicate, b, rate, lambda);
    return lambda;
  }

 private:
  struct Plane {
    Pack t1, t2;
  };

  /// As LocalCoulomb::sliding_rate(), in the lanes of `slides`; 0 in the others.
  [[nodiscard]] Pack sliding_rate(PackMask slides, Plane h, Plane c, Pack q0, Pack q1, Pack q2, Pack guess) const {
    const Pack zero{}, none = broadcast(-1.0);
    Pack low = zero, high = none, k = select(guess > zero, guess, 0.5 * trace);
    PackMask searching = slides;
    for (int iteration = 0; iteration < 80 && any_of(searching); ++iteration) {
      const Pack p1 = k * h.t1 + c.t1, p2 = k * h.t2 + c.t2, pp = p1 * p1 + p2 * p2;
      const Pack m = (q2 * k + q1) * k + q0, miss = m - target * root(pp);
      low = select(miss < zero, k, low);
      high = select(miss < zero, high, k);
      const Pack slope = (2.0 * q2 * k + q1) * pp - m * (p1 * h.t1 + p2 * h.t2);
      const PackMask rises = slope > zero, bracketed = high >= zero;
      const Pack step = select(rises, k - miss * pp / select(rises, slope, slope * 0.0 + 1.0), none);
      const PackMask newton = (step > low) & (~bracketed | (step < high));
      const Pack next = select(newton, step, select(bracketed, 0.5 * (low + high), 4.0 * k));
      const Pack change = select(next > k, next - k, k - next);
      k = select(searching, next, k);
      const Pack enough = select(newton, broadcast(1e-8), broadcast(4e-16));
      searching &= ~((change <= enough * k) | (bracketed & (high - low <= 4e-16 * high)));
    }
    return select(slides, k, zero);
  }

  void solve_delicate(PackMask lanes, ContactPack b, Pack& rate, ContactPack& lambda) const {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!lanes[lane]) continue;
      const double n1 = w1n[lane] * wnn[lane], n2 = w2n[lane] * wnn[lane];
      const Mat3 W{{{w11[lane], w12[lane], n1}, {w12[lane], w22[lane], n2}, {n1, n2, wnn[lane]}}};
      double k = rate[lane];
      const ContactVec found = LocalCoulomb(W, mu[lane]).solve({b.t1[lane], b.t2[lane], b.n[lane]}, k);
      rate[lane] = k;
      lambda.t1[lane] = found.t1, lambda.t2[lane] = found.t2, lambda.n[lane] = found.n;
    }
  }
};

}  // namespace repose
