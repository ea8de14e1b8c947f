// SPDX-License-Identifier: Apache-2.0
// Slopes D of a block (dλ = −D dw) as matrices, and one by one in the arrays that the Newton systems take.
#pragma once

#include <span>

#include "repose/contact/newton_system.h"
#include "repose/set/alart_curnier.h"

namespace repose::testing {

/// D dw
template <class R>
[[nodiscard]] ContactVecT<R> slope_times(const ContactSlope<R>& D, ContactVecT<R> dw) {
  return {D.t1t1 * dw.t1 + D.t1t2 * dw.t2 + D.t1n * dw.n, D.t2t1 * dw.t1 + D.t2t2 * dw.t2 + D.t2n * dw.n,
          D.nt1 * dw.t1 + D.nt2 * dw.t2 + D.nn * dw.n};
}

/// The slope of one lane.
[[nodiscard]] inline ContactSlope<double> lane(const ContactSlope<Pack>& D, int k) {
  return {D.t1t1[k], D.t1t2[k], D.t2t2[k], D.t1n[k], D.t2n[k], D.nn[k], D.nt1[k], D.nt2[k], D.t2t1[k]};
}

[[nodiscard]] inline ContactVec lane(const ContactPack& x, int k) { return {x.t1[k], x.t2[k], x.n[k]}; }

inline void set_lane(ContactPack& to, int k, ContactVec x) { to.t1[k] = x.t1, to.t2[k] = x.t2, to.n[k] = x.n; }

[[nodiscard]] inline ContactPack packed_lanes(std::span<const ContactVec, kLanes> x) {
  ContactPack p;
  for (int k = 0; k < kLanes; ++k) set_lane(p, k, x[static_cast<std::size_t>(k)]);
  return p;
}

/// Slopes for so many contacts, all zero.
[[nodiscard]] inline SlopeArray no_slopes(int contacts) {
  return SlopeArray(static_cast<std::size_t>(pack_count(contacts)));
}

inline void set_slope(SlopeArray& slopes, int i, const ContactSlope<double>& D) {
  ContactSlope<Pack>& s = slopes[static_cast<std::size_t>(i / kLanes)];
  const int k = i % kLanes;
  s.t1t1[k] = D.t1t1, s.t1t2[k] = D.t1t2, s.t2t2[k] = D.t2t2, s.t1n[k] = D.t1n, s.t2n[k] = D.t2n;
  s.nn[k] = D.nn, s.nt1[k] = D.nt1, s.nt2[k] = D.nt2, s.t2t1[k] = D.t2t1;
}

[[nodiscard]] inline ContactSlope<double> slope(const SlopeArray& slopes, int i) {
  return lane(slopes[static_cast<std::size_t>(i / kLanes)], i % kLanes);
}

}  // namespace repose::testing
