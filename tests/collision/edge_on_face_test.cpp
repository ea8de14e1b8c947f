// SPDX-License-Identifier: Apache-2.0
// An edge that lies along a face and ends at its rim keeps both of its points: dominoes, cards on cards.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "repose/collision/collision.h"

namespace repose {
namespace {

/// Two slabs of the same width: one stands, the other leans towards it with its upper edge `gap` away from the face,
/// both ends flush with the face's rim, then shifted by `beside` along the edge.
struct Slabs {
  explicit Slabs(double lean) : angle(lean) {
    Collider a, b;
    a.geometry = b.geometry = Box{{0.03, 0.125, 0.25}};
    b.body = 1;
    collision.bind({a, b}, {1, 1});
  }
  void place(double gap, double beside) {
    const Quat turned = exponential({0, angle, 0});
    const Vec3 edge = rotate(turned, {0.03, 0.125, 0.25});  // the leading upper corner
    const Pose poses[2] = {{{-0.03 - gap - edge.x, beside, 0}, turned}, {{0, 0, 0}, {}}};
    const double margins[2] = {0.01, 0.01};
    collision.update(poses, margins);
  }
  double angle;
  Collision collision;
};

TEST(EdgeOnFace, FlushEdgeHasTwoPoints) {
  for (const double angle : {0.1, 0.3, 0.6})
    for (const double gap : {1e-2, 1e-4, 0.0, -1e-4}) {
      Slabs slabs(angle);
      slabs.place(gap, 0);
      ASSERT_EQ(slabs.collision.manifolds().size(), 1U) << angle << " " << gap;
      EXPECT_EQ(slabs.collision.manifolds()[0].count, 2) << angle << " " << gap;
      EXPECT_NEAR(slabs.collision.manifolds()[0].normal.x, 1, 1e-12);
      for (const ContactPoint& p : slabs.collision.points()) {
        EXPECT_NEAR(std::abs(p.position.y), 0.125, 1e-9);
        EXPECT_NEAR(p.gap, gap, 1e-12);
      }
    }
}

/// Once chosen, the face stays while the corner that begins to stick out is no nearer than the rest, within the band.
TEST(EdgeOnFace, KeepsItsPointsWhenAnEndBeginsToStickOut) {
  Slabs slabs(0.4);
  slabs.place(1e-5, 0);
  for (const double beside : {2e-5, 1e-4, 1e-3, 1e-2}) {
    slabs.place(1e-5, beside);
    ASSERT_EQ(slabs.collision.manifolds().size(), 1U);
    EXPECT_EQ(slabs.collision.manifolds()[0].count, 2) << beside;
    EXPECT_NEAR(slabs.collision.manifolds()[0].normal.x, 1, 1e-12) << beside;
  }
}

/// The edge of a wide slab under a narrow cube's face, a little askew: the slab's lowest corner is beside the cube, and
/// what is nearest is the part of the edge below the face.
TEST(EdgeOnFace, IsSeenWhereTheEdgeCrossesTheFaceAskew) {
  for (const double askew : {0.0, 1e-8, 1e-6, 1e-5, 4.4e-5, 1e-4, 1e-3, 1e-2})
    for (const double tilt : {0.01, 0.06, 0.3})
      for (const double gap : {1e-2, 1e-3, 1e-4, -1e-4, -5e-3}) {
        Collider cube, slab;
        cube.geometry = Box{{0.25, 0.25, 0.25}};
        slab.geometry = Box{{1.25, 0.625, 0.0175}};
        slab.body = 1;
        Collision collision;
        collision.bind({cube, slab}, {1, 1});
        // The slab's end is under the middle of the face, its far end lower by the tilt.
        const Quat turned = exponential({askew, 0, 0}) * exponential({0, tilt, 0});
        const Vec3 edge = rotate(turned, {-1.25, 0, 0.0175});
        const Pose poses[2] = {{{0, 0, 0.25}, {}}, {{-edge.x, -edge.y, -gap - edge.z}, turned}};
        const double margins[2] = {0.01, 0.01};
        collision.update(poses, margins);
        ASSERT_EQ(collision.manifolds().size(), 1U) << askew << " " << tilt << " " << gap;
        double least = 1;
        for (const ContactPoint& p : collision.points()) least = std::min(least, p.gap);
        EXPECT_NEAR(least, gap - 0.25 * askew, 1e-3 * askew + 1e-12) << askew << " " << tilt << " " << gap;
        EXPECT_LE(std::hypot(collision.manifolds()[0].normal.x, collision.manifolds()[0].normal.y), 2 * askew + 1e-12);
      }
}

}  // namespace
}  // namespace repose
