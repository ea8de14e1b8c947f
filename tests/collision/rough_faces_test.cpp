// SPDX-License-Identifier: Apache-2.0
// Hulls from points with seven digits: their faces are merged from facets that are not quite in one plane.
#include <gtest/gtest.h>

#include <numbers>

#include "tests/collision/support.h"

namespace repose::testing {
namespace {

constexpr double kNoise = 4e-7, kGap = 0.01, kMargin = 0.02, kHalf = 0.1;

double digits(Random& random) { return kNoise * random.uniform(-1, 1); }

/// A disc of 1 m, its outline a polygon.
Geometry rough_prism(Random& random, int sides) {
  std::vector<Vec3> corners;
  for (int k = 0; k < sides; ++k)
    for (const double z : {-kHalf, kHalf}) {
      const double angle = 2 * std::numbers::pi * k / sides;
      corners.push_back(
          {0.5 * std::cos(angle) + digits(random), 0.5 * std::sin(angle) + digits(random), z + digits(random)});
    }
  return Hull{convex_hull(corners)};
}

/// The box's upright edges are almost parallel to those of the prism, and their common normal is one of rounding.
TEST(RoughFaces, ABoxAboveAPrismIsFound) {
  Random random(3);
  for (int round = 0; round < 500; ++round) {
    const int sides = 6 + static_cast<int>(random.bits() % 35);
    const Geometry prism = rough_prism(random, sides);
    const Pose at{{1, 2, 3}, random_rotation(random)};
    const double reach = 0.3 * std::cos(std::numbers::pi / sides);
    const Pose above{{random.uniform(-reach, reach), 0, 2 * kHalf + kGap}, {}};
    const Contacts found = contacts(prism, at, Box{{kHalf, kHalf, kHalf}}, at * above, kMargin);
    ASSERT_FALSE(found.empty()) << round;
    ASSERT_NEAR(found.smallest_gap(), kGap, 1e-5) << round;
    ASSERT_GT(dot(found.normal, rotate(at.rotation, {0, 0, 1})), 1 - 1e-9) << round;
  }
}

}  // namespace
}  // namespace repose::testing
