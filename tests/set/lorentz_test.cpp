// SPDX-License-Identifier: Apache-2.0
// The algebra of the second-order cone: what defines the scaling point, the product and the step to the boundary.
#include "repose/set/lorentz.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/random_block.h"

namespace repose {
namespace {

using testing::length;
using testing::random_vec;

/// A point of the interior of any size; `depth` is 1 on the axis and falls to 0 at the surface.
ContactVec inside(Random& random, double smallest_depth) {
  const double depth = std::pow(10.0, random.uniform(std::log10(smallest_depth), 0)),
               n = std::exp(random.uniform(-5, 5));
  const double angle = random.uniform(0, 6.283), t = n * (1 - depth);
  return {t * std::cos(angle), t * std::sin(angle), n};
}

TEST(NesterovTodd, ScalesBothPointsToTheSameOne) {  // W z = W⁻¹ x
  Random random(1);
  for (const double depth : {0.1, 1e-3, 1e-6})
    for (int trial = 0; trial < 2000; ++trial) {
      const ContactVec x = inside(random, depth), z = inside(random, depth);
      const NesterovTodd<double> scale = nesterov_todd(x, z, 0.0);
      const ContactVec from_z = scale.root * z, from_x = scale.inverse_root * x;
      // Near the surface W has a condition number of up to 1/depth.
      ASSERT_LE(length(from_z - from_x), 1e-14 / depth * length(from_z)) << "depth " << depth << ", trial " << trial;
    }
}

TEST(NesterovTodd, RootAndInverseRootUndoEachOther) {
  Random random(2);
  for (int trial = 0; trial < 2000; ++trial) {
    const NesterovTodd<double> scale = nesterov_todd(inside(random, 1e-3), inside(random, 1e-3), 0.0);
    const ContactVec y = random_vec(random);
    ASSERT_LE(length(scale.root * (scale.inverse_root * y) - y), 1e-11) << trial;
    const ContactVec twice = scale.root * (scale.root * y);
    ASSERT_LE(length(scale.square * y - twice), 1e-11 * length(twice)) << trial;
  }
}

TEST(NesterovTodd, DampingBoundsTheSquare) {  // W² ← (W⁻² + δ)⁻¹
  Random random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    const ContactVec x = inside(random, 1e-2), z = inside(random, 1e-2), y = random_vec(random);
    const double damping = std::pow(10.0, random.uniform(-3, 3));
    const NesterovTodd<double> scale = nesterov_todd(x, z, damping);
    const ContactVec stiff = scale.inverse_root * (scale.inverse_root * y) + damping * y;
    ASSERT_LE(length(scale.square * stiff - y), 1e-11) << trial;
    ASSERT_LE(length(scale.square * y), (1 + 1e-14) / damping * length(y)) << trial;
  }
}

TEST(Jordan, DivisionUndoesTheProduct) {
  Random random(4);
  for (int trial = 0; trial < 2000; ++trial) {
    const ContactVec x = inside(random, 1e-3), r = random_vec(random), y = jordan_divide(x, r);
    ASSERT_LE(length(jordan(x, y) - r), 1e-14 * length(x) * length(y)) << trial;
  }
}

TEST(Jordan, ProductCommutesAndHasAUnit) {
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const ContactVec x = random_vec(random), y = random_vec(random), unit{0, 0, 1};
    EXPECT_LE(length(jordan(x, y) - jordan(y, x)), 1e-15);
    EXPECT_EQ(length(jordan(x, unit) - x), 0);
  }
}

TEST(Jordan, DeterminantVanishesOnTheSurface) {
  EXPECT_EQ(lorentz_det(ContactVec{3, 4, 5}), 0);
  EXPECT_EQ(lorentz_det(ContactVec{3, 4, 6}), 11);
  EXPECT_LT(lorentz_det(ContactVec{3, 4, 4.9}), 0);
}

TEST(StepToBoundary, EndsOnTheSurface) {
  Random random(6);
  int ended = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const ContactVec x = inside(random, 1e-2), d = length(x) * random_vec(random);
    const double inverse = inverse_step_to_boundary(x, d);
    if (inverse <= 0) {  // never leaves: d is in the cone
      ASSERT_GE(d.n, tangential_norm(d) - 1e-12 * length(d)) << trial;
      continue;
    }
    const auto depth = [&](double step) {
      const ContactVec y = x + step * d;
      return (y.n - tangential_norm(y)) / (length(x) + step * length(d));
    };
    ASSERT_NEAR(depth(1 / inverse), 0, 1e-12) << trial;
    ASSERT_GT(depth(0.999 / inverse), 0) << trial;
    ++ended;
  }
  EXPECT_GT(ended, 1000);
}

TEST(StepToBoundary, ClosedForms) {
  EXPECT_DOUBLE_EQ(inverse_step_to_boundary(ContactVec{0, 0, 2}, {0, 0, -1}), 0.5);  // to the tip
  EXPECT_DOUBLE_EQ(inverse_step_to_boundary(ContactVec{0, 0, 2}, {1, 0, 0}), 0.5);   // sideways
  EXPECT_LE(inverse_step_to_boundary(ContactVec{0, 0, 2}, {0, 0, 1}), 0);            // inwards
}

}  // namespace
}  // namespace repose
