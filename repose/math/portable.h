// SPDX-License-Identifier: Apache-2.0
// Sine, exponential and their relatives from +, ×, ÷, √ and fused multiply-add only: the same bits on every machine,
// host or device. The C library's differ from one version and one processor to the next. Errors of a few units in the
// last place, for angles up to 1e5 rad.
//
// Sine and cosine: Cody and Waite's reduction to |r| ≤ π/4, then Taylor's series, whose first omitted term is below
// 1e-18. Arc tangent: three halvings of the angle, t ← t / (1 + √(1 + t²)), leave t ≤ tan(π/32), then the series.
// Exponential and logarithm: powers of two apart, series for |r| ≤ ln 2 / 2 and for (m − 1)/(m + 1), m in [√½, √2).
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
  if (r > 1 || r < -1) r = 0;                           // an angle beyond 2^53 quarter turns
  const double turns = k - 4.0 * std::floor(0.25 * k);  // NaN where the angle is not finite
  return {r, turns >= 0 && turns < 4 ? static_cast<int>(turns) : 0};
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
REPOSE_HD inline double arc_sine(double x) { return arc_tangent(x, std::sqrt((1.0 - x) * (1.0 + x))); }
REPOSE_HD inline double tangent(double angle) { return sine(angle) / cosine(angle); }

/// eˣ for |x| ≤ 700
inline double exponential_of(double x) {
  const double k = std::floor(x * 0x1.71547652b82fep+0 + 0.5);  // 1/ln 2
  const double r = std::fma(-k, 0x1.abc9e3b39803fp-56, std::fma(-k, 0x1.62e42fefa39efp-1, x));
  double p = 1.0;
  for (int n = 14; n >= 1; --n) p = std::fma(p * r, 1.0 / n, 1.0);  // the next term is below 1e-19
  return std::ldexp(p, static_cast<int>(k));
}
inline double hyperbolic_sine(double x) { return 0.5 * (exponential_of(x) - exponential_of(-x)); }
inline double hyperbolic_cosine(double x) { return 0.5 * (exponential_of(x) + exponential_of(-x)); }

/// ln x for x > 0
inline double logarithm(double x) {
  int power = 0;
  double m = std::frexp(x, &power);
  if (m < 0x1.6a09e667f3bcdp-1) m *= 2, --power;  // √½
  const double t = (m - 1.0) / (m + 1.0), tt = t * t;
  double p = 1.0 / 23.0;
  for (int n = 21; n >= 3; n -= 2) p = std::fma(tt, p, 1.0 / n);
  const double of_m = 2.0 * std::fma(tt * t, p, t);
  return std::fma(power, 0x1.62e42fefa39efp-1, std::fma(power, 0x1.abc9e3b39803fp-56, of_m));
}
/// xᵖ for x ≥ 0
inline double power(double x, double p) { return x > 0 ? exponential_of(p * logarithm(x)) : p == 0 ? 1.0 : 0.0; }

}  // namespace repose::portable
