// SPDX-License-Identifier: Apache-2.0
// Functions of plain numbers that host and device code can share.
//
// The orders are those of std::max, std::min and std::clamp (the first of two equals, which distinguishes −0 and +0).
// Sines, exponentials and their relatives are those of portable.h: the C library's may differ in the last bit between
// two machines, everything else is +, −, ×, ÷, √ and std::fma. A test finds the C library's where motion depends on
// them.
#pragma once

#include <cmath>

#include "repose/base/pack.h"
#include "repose/math/portable.h"

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

using portable::arc_cosine;
using portable::arc_sine;
using portable::arc_tangent;
using portable::cosine;
using portable::sine;
using portable::tangent;

/// √(x² + y²)
REPOSE_HD [[nodiscard]] inline double hypotenuse(double x, double y) { return std::sqrt(std::fma(x, x, y * y)); }

}  // namespace repose
