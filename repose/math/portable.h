// SPDX-License-Identifier: Apache-2.0
// Sine, cosine and their inverses from +, ×, ÷, √ and fused multiply-add only: the same bits on every machine, host or
// device. Errors of a few units in the last place; angles up to 1e5 rad.
//
// Sine and cosine: Cody and Waite's reduction to |r| ≤ π/4, then Taylor's series, whose first omitted term is below
// 1e-18. Arc tangent: three halvings of the angle, t ← t / (1 + √(1 + t²)), leave t ≤ tan(π/32), then the series.
#pragma once

#include <cmath>

#include "repose/base/pack.h"

namespace repose::portable {

/// The angle less the nearest multiple of π/2, and the number of quarter turns.
struct Quarter {
  double r;
  int turns;
};
REPOSE_HD inline Quarter reduced(double angle) {
  const double k = std::floor(angle * 0x1.45f306dc9c883p-1 + 0.5);  // 2/π
  double r = std::fma(-k, 0x1.921fb54442d18p+0, angle);             // π/2 in three parts
  r = std::fma(-k, 0x1.1a62633145c07p-54, r);
  r = std::fma(-k, -0x1.f1976b7ed8fbcp-110, r);
  return {r, static_cast<int>(k)};
}

REPOSE_HD inline double sine_series(double r) {
  const double x = r * r;
  double p = 1.0 / 355687428096000.0;  // 1/17!
  p = std::fma(-x, p, 1.0 / 1307674368000.0);
  p = std::fma(-x, p, 1.0 / 6227020800.0);
  p = std::fma(-x, p, 1.0 / 39916800.0);
  p = std::fma(-x, p, 1.0 / 362880.0);
  p = std::fma(-x, p, 1.0 / 5040.0);
  p = std::fma(-x, p, 1.0 / 120.0);
  p = std::fma(-x, p, 1.0 / 6.0);
  return std::fma(-x * r, p, r);
}
REPOSE_HD inline double cosine_series(double r) {
  const double x = r * r;
  double p = 1.0 / 6402373705728000.0;  // 1/18!
  p = std::fma(-x, p, 1.0 / 20922789888000.0);
  p = std::fma(-x, p, 1.0 / 87178291200.0);
  p = std::fma(-x, p, 1.0 / 479001600.0);
  p = std::fma(-x, p, 1.0 / 3628800.0);
  p = std::fma(-x, p, 1.0 / 40320.0);
  p = std::fma(-x, p, 1.0 / 720.0);
  p = std::fma(-x, p, 1.0 / 24.0);
  p = std::fma(-x, p, 0.5);
  return std::fma(-x, p, 1.0);
}

REPOSE_HD inline double sine(double angle) {
  const Quarter q = reduced(angle);
  const double s = (q.turns & 1) ? cosine_series(q.r) : sine_series(q.r);
  return (q.turns & 2) ? -s : s;
}
REPOSE_HD inline double cosine(double angle) {
  const Quarter q = reduced(angle);
  const double c = (q.turns & 1) ? sine_series(q.r) : cosine_series(q.r);
  return ((q.turns + 1) & 2) ? -c : c;
}

/// Of 0 ≤ t ≤ 1.
REPOSE_HD inline double arc_tangent_of(double t) {
  for (int k = 0; k < 3; ++k) t = t / (1.0 + std::sqrt(std::fma(t, t, 1.0)));
  const double x = t * t;
  double p = 1.0 / 17.0;
  for (int n = 15; n >= 3; n -= 2) p = std::fma(-x, p, 1.0 / n);
  return 8.0 * std::fma(-x * t, p, t);
}
/// The angle of the point (x, y), −π … π.
REPOSE_HD inline double arc_tangent(double y, double x) {
  const double ax = x < 0 ? -x : x, ay = y < 0 ? -y : y;
  double angle = 0;
  if (ax >= ay)
    angle = ax > 0 ? arc_tangent_of(ay / ax) : 0.0;
  else
    angle = 0x1.921fb54442d18p+0 - arc_tangent_of(ax / ay);
  if (std::signbit(x)) angle = 0x1.921fb54442d18p+1 - angle;
  return std::signbit(y) ? -angle : angle;
}
REPOSE_HD inline double arc_cosine(double x) { return 2.0 * arc_tangent(std::sqrt(1.0 - x), std::sqrt(1.0 + x)); }

}  // namespace repose::portable
