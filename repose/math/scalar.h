// SPDX-License-Identifier: Apache-2.0
// Functions of plain numbers that host and device code can share.
//
// The orders are those of std::max, std::min and std::clamp (the first of two equals, which distinguishes −0 and +0).
// The transcendental functions are the only functions of the C library that kernels call. They are collected here
// because only they may differ in the last bit between two machines; everything else is +, −, ×, ÷ and √. Device code
// and sources that must have the bits of a device (REPOSE_PORTABLE_MATH) use those of portable.h instead.
#pragma once

#include <cmath>

#include "repose/base/pack.h"

#if defined(__CUDACC__) && !defined(REPOSE_PORTABLE_MATH)
#define REPOSE_PORTABLE_MATH 1
#endif
#if defined(REPOSE_PORTABLE_MATH)
#include "repose/math/portable.h"
#endif

namespace repose {

template <class T>
REPOSE_HD [[nodiscard]] constexpr T max_of(T a, T b) {
  return a < b ? b : a;
}
template <class T>
REPOSE_HD [[nodiscard]] constexpr T min_of(T a, T b) {
  return b < a ? b : a;
}
REPOSE_HD [[nodiscard]] constexpr double max_of(double a, double b, double c) { return max_of(max_of(a, b), c); }
REPOSE_HD [[nodiscard]] constexpr double clamped(double x, double low, double high) {
  return min_of(max_of(x, low), high);
}
REPOSE_HD [[nodiscard]] constexpr double square(double x) { return x * x; }

template <class T>
REPOSE_HD constexpr void exchange(T& a, T& b) {
  const T kept = a;
  a = b;
  b = kept;
}

#if defined(REPOSE_PORTABLE_MATH)
using portable::arc_cosine;
using portable::arc_tangent;
using portable::cosine;
using portable::sine;
#else
REPOSE_HD [[nodiscard]] inline double sine(double angle) { return std::sin(angle); }
REPOSE_HD [[nodiscard]] inline double cosine(double angle) { return std::cos(angle); }
REPOSE_HD [[nodiscard]] inline double arc_cosine(double x) { return std::acos(x); }
REPOSE_HD [[nodiscard]] inline double arc_tangent(double y, double x) { return std::atan2(y, x); }
#endif

}  // namespace repose
