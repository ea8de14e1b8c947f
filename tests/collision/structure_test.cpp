// SPDX-License-Identifier: Apache-2.0
// Configurations that structures live in: flush stacks, tents, edges on faces. Ties everywhere.
#include <gtest/gtest.h>

#include <numbers>

#include "tests/collision/support.h"

namespace repose::testing {
namespace {

const Quat kAboutX(double a) { return {std::cos(a / 2), std::sin(a / 2), 0, 0}; }
const Quat kAboutY(double a) { return {std::cos(a / 2), 0, std::sin(a / 2), 0}; }
const Quat kAboutZ(double a) { return {std::cos(a / 2), 0, 0, std::sin(a / 2)}; }

struct Arrangement {
  const char* name;
  Geometry a, b;
  Pose pose_b;  // a stands at the origin
  double margin;
  int points;  // expected
  Vec3 normal;
};

std::vector<Arrangement> arrangements() {
  const Geometry cube = Box{{.5, .5, .5}};
  const double pi = std::numbers::pi, corner = std::atan(std::sqrt(2.0));
  const Quat on_corner = kAboutX(corner) * kAboutZ(pi / 4);
  return {
      {"flush stack", cube, cube, {{0, 0, 1}, {}}, .02, 4, {0, 0, 1}},
      {"flush stack with gap", cube, cube, {{0, 0, 1.01}, {}}, .02, 4, {0, 0, 1}},
      {"flush stack overlapping", cube, cube, {{0, 0, .9995}, {}}, .02, 4, {0, 0, 1}},
      {"shifted stack", cube, cube, {{.3, 0, 1}, {}}, .02, 4, {0, 0, 1}},
      {"shifted both ways", cube, cube, {{.3, .2, 1}, {}}, .02, 4, {0, 0, 1}},
      {"small on large", Box{{2, 2, .5}}, cube, {{.3, .2, 1}, kAboutZ(.3)}, .02, 4, {0, 0, 1}},
      {"large on small", cube, Box{{2, 2, .5}}, {{.3, .2, 1}, kAboutZ(.3)}, .02, 4, {0, 0, 1}},
      {"octagon", cube, cube, {{0, 0, 1}, kAboutZ(pi / 4)}, .02, 8, {0, 0, 1}},
      {"on its edge", Box{{2, 2, .5}}, cube, {{0, 0, .5 + std::sqrt(.5)}, kAboutX(pi / 4)}, .02, 2, {0, 0, 1}},
      {"on its corner", Box{{2, 2, .5}}, cube, {{0, 0, .5 + std::sqrt(.75)}, on_corner}, .02, 1, {0, 0, 1}},
      {"on its corner, wide margin", Box{{2, 2, .5}}, cube, {{0, 0, .5 + std::sqrt(.75)}, on_corner}, .7, 4, {0, 0, 1}},
      {"edge over the rim", cube, cube, {{0, .3, .5 + std::sqrt(.5)}, kAboutX(pi / 4)}, .02, 2, {0, 0, 1}},
      {"crossed edges", cube, cube, {{0, 0, 2 * std::sqrt(.5)}, {}}, .02, 0, {}},
  };
}

TEST(Structures, PatchesAreComplete) {
  for (const Arrangement& x : arrangements()) {
    const Contacts found = contacts(x.a, {}, x.b, x.pose_b, x.margin);
    EXPECT_EQ(static_cast<int>(found.points.size()), x.points) << x.name;
    if (x.points == 0) continue;
    EXPECT_LE(angle(found.normal, x.normal), 1e-15) << x.name;
  }
}

TEST(Structures, SamePointsUnderRigidMotion) {
  Random random(31);
  for (const Arrangement& x : arrangements()) {
    const Contacts at_home = contacts(x.a, {}, x.b, x.pose_b, x.margin);
    for (int round = 0; round < 500; ++round) {
      const Pose world = random_pose(random, 100);
      const Contacts found = contacts(x.a, world, x.b, world * x.pose_b, x.margin);
      ASSERT_EQ(found.features(), at_home.features()) << x.name << " round " << round;
      for (std::size_t i = 0; i < found.points.size(); ++i) {
        ASSERT_NEAR(found.points[i].gap, at_home.points[i].gap, 1e-12);
        ASSERT_LE(norm(found.points[i].position - world * at_home.points[i].position), 1e-12);
      }
      if (!found.empty()) {
        ASSERT_LE(angle(found.normal, rotate(world.rotation, at_home.normal)), 1e-13) << x.name;
      }
    }
  }
}

// ---- the apex of a card tent (SCENES 5a) -------------------------------------------------------------------------

struct Tent {
  double lean = 25 * std::numbers::pi / 180, length = 2.5, width = 1.25, thickness = .035;
  [[nodiscard]] Geometry card() const { return Box{{.5 * thickness, .5 * width, .5 * length}}; }
  /// side −1: left card, +1: right card; the upright direction is z.
  [[nodiscard]] Pose pose(int side) const {
    const double a = .5 * length * std::sin(lean) + .5 * thickness * std::cos(lean);
    const double b = .5 * length * std::cos(lean) + .5 * thickness * std::sin(lean);
    return {{side * a, 0, b}, kAboutY(-side * lean)};
  }
};

TEST(TentApex, NormalIsHorizontalWithTwoPointsAtTheEnds) {
  for (const double degrees : {15.0, 20.0, 25.0, 28.0}) {
    Tent tent;
    tent.lean = degrees * std::numbers::pi / 180;
    const Contacts found = contacts(tent.card(), tent.pose(-1), tent.card(), tent.pose(1), .008);
    ASSERT_EQ(found.points.size(), 2u);
    EXPECT_LE(angle(found.normal, {1, 0, 0}), 1e-12);
    for (const ContactPoint& p : found.points) {
      EXPECT_NEAR(p.gap, 0, 1e-14);
      EXPECT_LE(norm(Vec3{p.position.x, std::abs(p.position.y), p.position.z} -
                     Vec3{0, .5 * tent.width, tent.length * std::cos(tent.lean)}),
                1e-14);
    }
  }
}

TEST(TentApex, NormalStaysNearHorizontalWhileCardsShake) {
  Random random(33);
  const Tent tent;
  TwoBodies cards(tent.card(), tent.card(), .008);
  const auto first = cards.at(tent.pose(-1), tent.pose(1)).features();
  for (int round = 0; round < 2000; ++round) {
    Pose left = tent.pose(-1), right = tent.pose(1);
    left.position = left.position + random_vector(random, 1e-4);
    right.position = right.position + random_vector(random, 1e-4);
    right.rotation = exponential(random_vector(random, 1e-4)) * right.rotation;
    const Contacts found = cards.at(left, right);
    ASSERT_EQ(found.points.size(), 2u);
    ASSERT_LE(angle(found.normal, {1, 0, 0}), .15);
  }
  EXPECT_EQ(cards.at(tent.pose(-1), tent.pose(1)).features(), first);
}

TEST(TentApex, NormalTurnsContinuouslyToTheFaceNormal) {
  // The right card sinks along the left one: its edge leaves the apex and rests on the left card's face.
  const Tent tent;
  const Vec3 face = rotate(tent.pose(-1).rotation, {1, 0, 0}), down = rotate(tent.pose(-1).rotation, {0, 0, -1});
  TwoBodies cards(tent.card(), tent.card(), .008);
  Vec3 last{1, 0, 0};
  for (int i = 0; i <= 1000; ++i) {
    Pose right = tent.pose(1);
    right.position = right.position + 1e-5 * i * down;
    const Contacts found = cards.at(tent.pose(-1), right);
    ASSERT_GE(found.points.size(), 2u);
    ASSERT_LE(angle(found.normal, last), .01) << i;
    ASSERT_LE(found.smallest_gap(), 1e-12);
    last = found.normal;
  }
  EXPECT_LE(angle(last, face), 1e-13);
}

TEST(Slide, NamesSurviveWhileTheFeaturesDo) {
  TwoBodies pair(Box{{2, 2, .5}}, Box{{.3, .3, .3}}, .02);
  const auto first = pair.at({}, {{-1, -1, .8}, kAboutZ(.2)}).features();
  ASSERT_EQ(first.size(), 4u);
  for (int i = 0; i <= 1000; ++i) {
    const double s = -1 + .002 * i;
    ASSERT_EQ(pair.at({}, {{s, s, .8 + 1e-7 * std::sin(i)}, kAboutZ(.2 + .001 * i)}).features(), first) << i;
  }
}

TEST(Slide, EqualBoxesPassEachOtherWithoutDropOut) {
  TwoBodies pair(Box{{.5, .5, .5}}, Box{{.5, .5, .5}}, .02);
  for (int i = 0; i <= 4000; ++i) {
    const double s = -1.2 + 2.4 * i / 4000.0;
    const Contacts found = pair.at({}, {{s, .1, 1}, {}});
    if (std::abs(s) < .9999) {
      ASSERT_EQ(found.points.size(), 4u) << s;
      ASSERT_LE(angle(found.normal, {0, 0, 1}), 1e-15);
    } else if (std::abs(s) < 1) {
      ASSERT_FALSE(found.empty());
    } else if (std::abs(s) > 1.021) {
      ASSERT_TRUE(found.empty());
    }
  }
}

TEST(Structures, PatchOfTiltedFacesStaysWhole) {
  // A hinge that opens: equal stones, one edge in touch, the other side opening within the margin.
  TwoBodies pair(Box{{.5, .5, .5}}, Box{{.5, .5, .5}}, .05);
  for (int i = 0; i <= 200; ++i) {
    const double tilt = 1e-4 * i;
    // Turns about the edge x = .5, z = .5.
    const Quat q = kAboutY(tilt);
    const Vec3 hinge{.5, 0, .5};
    const Contacts found = pair.at({}, {hinge + rotate(q, Vec3{-.5, 0, .5}), q});
    ASSERT_EQ(found.points.size(), 4u) << tilt;
    ASSERT_NEAR(found.smallest_gap(), 0, 1e-12);
  }
}

}  // namespace
}  // namespace repose::testing
