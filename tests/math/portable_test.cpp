// SPDX-License-Identifier: Apache-2.0
#include "repose/math/portable.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "repose/base/random.h"
#include "repose/math/scalar.h"

namespace repose {
namespace {

constexpr double kUlp = 0x1p-52;
constexpr int kDraws = 20'000;

/// The largest |f(x) − g(x)| / max(|g(x)|, floor) over random x.
template <class F, class G>
double worst(double low, double high, double floor, F f, G g) {
  Random random(4);
  double most = 0;
  for (int k = 0; k < kDraws; ++k) {
    const double x = random.uniform(low, high);
    most = std::max(most, std::abs(f(x) - g(x)) / std::max(std::abs(g(x)), floor));
  }
  return most;
}

TEST(Portable, AgreesWithTheLibraryToAFewUnits) {
  using namespace portable;
  EXPECT_LT(worst(-7, 7, 1e-3, sine, [](double x) { return std::sin(x); }), 3 * kUlp);
  EXPECT_LT(worst(-7, 7, 1e-3, cosine, [](double x) { return std::cos(x); }), 3 * kUlp);
  EXPECT_LT(worst(-1e5, 1e5, 1e-3, sine, [](double x) { return std::sin(x); }), 3 * kUlp);
  EXPECT_LT(worst(-1.5, 1.5, 0, portable::tangent, [](double x) { return std::tan(x); }), 5 * kUlp);
  EXPECT_LT(worst(-1, 1, 0, arc_sine, [](double x) { return std::asin(x); }), 5 * kUlp);
  EXPECT_LT(worst(-1, 1, 0, arc_cosine, [](double x) { return std::acos(x); }), 5 * kUlp);
  const auto circle = [](double x) { return arc_tangent(std::sin(x), std::cos(x)); };
  EXPECT_LT(worst(-3.1, 3.1, 0, circle, [](double x) { return std::atan2(std::sin(x), std::cos(x)); }), 5 * kUlp);
  EXPECT_LT(worst(-100, 100, 0, exponential_of, [](double x) { return std::exp(x); }), 3 * kUlp);
  EXPECT_LT(worst(-3, 3, 1, hyperbolic_sine, [](double x) { return std::sinh(x); }), 4 * kUlp);
  EXPECT_LT(worst(-3, 3, 0, hyperbolic_cosine, [](double x) { return std::cosh(x); }), 4 * kUlp);
  EXPECT_LT(worst(1e-9, 3, 1e-3, logarithm, [](double x) { return std::log(x); }), 4 * kUlp);
  EXPECT_LT(worst(1, 1e9, 0, logarithm, [](double x) { return std::log(x); }), 4 * kUlp);
  const auto power = [](double x) { return portable::power(x, 2.7); };
  EXPECT_LT(worst(0, 2, 0, power, [](double x) { return std::pow(x, 2.7); }), 100 * kUlp);
}

TEST(Portable, EdgesOfTheRanges) {
  using namespace portable;
  EXPECT_EQ(sine(0.0), 0);
  EXPECT_EQ(cosine(0.0), 1);
  EXPECT_EQ(exponential_of(0), 1);
  EXPECT_EQ(logarithm(1), 0);
  EXPECT_EQ(logarithm(0.5), -std::log(2.0));
  EXPECT_EQ(power(0, 2), 0);
  EXPECT_EQ(power(0, 0), 1);
  EXPECT_EQ(arc_tangent(0, 0), 0);
  EXPECT_EQ(hypotenuse(3, 4), 5);
  for (const double x : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(sine(x)));
    EXPECT_TRUE(std::isnan(cosine(-x)));
  }
  for (const double x : {1e9, 1e15, 1e160, 1e300}) {  // without meaning, but between −1 and 1 or not a number
    EXPECT_FALSE(std::abs(sine(x)) > 1.0000001);
    EXPECT_FALSE(std::abs(cosine(x)) > 1.0000001);
  }
}

}  // namespace
}  // namespace repose
