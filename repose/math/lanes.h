// SPDX-License-Identifier: Apache-2.0
// N doubles with the operators of a Pack, for compilers without vector types: block kernels take either, and every lane
// has the same operations in the same order.
#pragma once

#include "repose/base/pack.h"

namespace repose {

template <int N>
struct Lanes {
  double x[N] = {};
  REPOSE_HD double& operator[](int k) { return x[k]; }
  REPOSE_HD double operator[](int k) const { return x[k]; }
};

template <int N>
REPOSE_HD inline Lanes<N>& operator+=(Lanes<N>& a, const Lanes<N>& b) {
  for (int k = 0; k < N; ++k) a.x[k] += b.x[k];
  return a;
}
template <int N>
REPOSE_HD inline Lanes<N>& operator-=(Lanes<N>& a, const Lanes<N>& b) {
  for (int k = 0; k < N; ++k) a.x[k] -= b.x[k];
  return a;
}
template <int N>
REPOSE_HD inline Lanes<N> operator+(Lanes<N> a, const Lanes<N>& b) {
  return a += b;
}
template <int N>
REPOSE_HD inline Lanes<N> operator-(Lanes<N> a, const Lanes<N>& b) {
  return a -= b;
}
template <int N>
REPOSE_HD inline Lanes<N> operator-(Lanes<N> a) {
  for (int k = 0; k < N; ++k) a.x[k] = -a.x[k];
  return a;
}
template <int N>
REPOSE_HD inline Lanes<N> operator*(Lanes<N> a, const Lanes<N>& b) {
  for (int k = 0; k < N; ++k) a.x[k] *= b.x[k];
  return a;
}
template <int N>
REPOSE_HD inline Lanes<N> operator*(Lanes<N> a, double s) {
  for (int k = 0; k < N; ++k) a.x[k] *= s;
  return a;
}

/// c + a b and c − a b, each number rounded once.
template <int N>
REPOSE_HD inline Lanes<N> plus_product(Lanes<N> c, const Lanes<N>& a, const Lanes<N>& b) {
  for (int k = 0; k < N; ++k) c.x[k] = std::fma(a.x[k], b.x[k], c.x[k]);
  return c;
}
template <int N>
REPOSE_HD inline Lanes<N> plus_product(Lanes<N> c, const Lanes<N>& a, double b) {
  for (int k = 0; k < N; ++k) c.x[k] = std::fma(a.x[k], b, c.x[k]);
  return c;
}
template <int N>
REPOSE_HD inline Lanes<N> minus_product(Lanes<N> c, const Lanes<N>& a, double b) {
  for (int k = 0; k < N; ++k) c.x[k] = std::fma(-a.x[k], b, c.x[k]);
  return c;
}

/// Copies lane k of x to every lane.
template <int k, int N>
REPOSE_HD inline Lanes<N> spread(const Lanes<N>& x) {
  Lanes<N> all;
  for (double& lane : all.x) lane = x.x[k];
  return all;
}
/// Returns x with y in lane k.
template <int k, int N>
REPOSE_HD inline Lanes<N> with_lane(Lanes<N> x, double y) {
  x.x[k] = y;
  return x;
}

}  // namespace repose
