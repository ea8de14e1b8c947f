// SPDX-License-Identifier: Apache-2.0
// Configurations that structures live in: flush stacks, tents, edges on faces. Ties everywhere.
#include <gtest/gtest.h>

#include <numbers>
#include <sstream>

#include "repose/base/error.h"
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
  /// Of its face towards the other card, from the left card to the right one.
  [[nodiscard]] Vec3 face(int side) const { return {std::cos(lean), 0, side * std::sin(lean)}; }
};

/// Two points, at the ends of the edges that meet.
void expect_touch_at_apex(const Tent& tent, const Contacts& found) {
  EXPECT_EQ(found.points.size(), 2u);
  for (const ContactPoint& p : found.points) {
    EXPECT_NEAR(p.gap, 0, 1e-14);
    EXPECT_LE(norm(Vec3{p.position.x, std::abs(p.position.y), p.position.z} -
                   Vec3{0, .5 * tent.width, tent.length * std::cos(tent.lean)}),
              1e-14);
  }
}

TEST(TentApex, NormalIsHorizontalWithTwoPointsAtTheEnds) {
  for (const double degrees : {15.0, 20.0, 25.0, 28.0}) {
    Tent tent;
    tent.lean = degrees * std::numbers::pi / 180;
    const Contacts found = contacts(tent.card(), tent.pose(-1), tent.card(), tent.pose(1), .008);
    EXPECT_LE(angle(found.normal, {1, 0, 0}), 1e-12);
    expect_touch_at_apex(tent, found);
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

// ---- the same apex with EdgeNormal::kFace ------------------------------------------------------------------------

TEST(TentApexOnFaces, AtTouchTheNormalIsThatOfTheFirstCard) {
  for (const double degrees : {15.0, 20.0, 25.0, 28.0}) {
    Tent tent;
    tent.lean = degrees * std::numbers::pi / 180;
    const Contacts found = contacts(tent.card(), tent.pose(-1), tent.card(), tent.pose(1), .008, EdgeNormal::kFace);
    const Contacts swapped = contacts(tent.card(), tent.pose(1), tent.card(), tent.pose(-1), .008, EdgeNormal::kFace);
    EXPECT_LE(angle(found.normal, tent.face(-1)), 1e-14);
    EXPECT_LE(angle(-1.0 * swapped.normal, tent.face(1)), 1e-14);
    expect_touch_at_apex(tent, found);
    expect_touch_at_apex(tent, swapped);
  }
}

TEST(TentApexOnFaces, TheFaceStaysWhileCardsShake) {
  Random random(34);
  const Tent tent;
  TwoBodies cards(tent.card(), tent.card(), .008, EdgeNormal::kFace);
  const auto first = cards.at(tent.pose(-1), tent.pose(1)).features();
  for (int round = 0; round < 2000; ++round) {
    Pose left = tent.pose(-1), right = tent.pose(1);
    left.position = left.position + random_vector(random, 5e-5);
    right.position = right.position + random_vector(random, 5e-5);
    right.rotation = exponential(random_vector(random, 5e-5)) * right.rotation;
    const Contacts found = cards.at(left, right);
    ASSERT_EQ(found.points.size(), 2u);
    ASSERT_LE(angle(found.normal, tent.face(-1)), 1e-14);
  }
  EXPECT_EQ(cards.at(tent.pose(-1), tent.pose(1)).features(), first);
}

/// As in a separating-axis test: the edge of the lower card lies against the face of the upper one. The last face stays
/// until the other one is better by more than the band, here 1e-4 of 2.5 m.
TEST(TentApexOnFaces, TheFaceWithTheLeastOverlapWinsAndStays) {
  const Tent tent;
  TwoBodies cards(tent.card(), tent.card(), .008, EdgeNormal::kFace);
  const auto normal = [&](double rise) {
    Pose right = tent.pose(1);
    right.position.z += rise;
    return cards.at(tent.pose(-1), right).normal;
  };
  const double band = 2.5e-4 / (2 * std::sin(tent.lean));  // in height
  for (const double rise : {0.0, .9 * band, -2e-3, .9 * band})
    EXPECT_LE(angle(normal(rise), tent.face(-1)), 1e-14) << rise;
  for (const double rise : {1.1 * band, 0.0, -.9 * band, 2e-3})
    EXPECT_LE(angle(normal(rise), tent.face(1)), 1e-14) << rise;
  EXPECT_LE(angle(normal(-1.1 * band), tent.face(-1)), 1e-14);
}

TEST(TentApexOnFaces, TheEdgeSlidesOntoTheFaceUnderOneNormal) {
  const Tent tent;
  const Vec3 down = rotate(tent.pose(-1).rotation, {0, 0, -1});
  TwoBodies cards(tent.card(), tent.card(), .008, EdgeNormal::kFace);
  for (int i = 0; i <= 1000; ++i) {
    Pose right = tent.pose(1);
    right.position = right.position + 1e-5 * i * down;
    const Contacts found = cards.at(tent.pose(-1), right);
    ASSERT_GE(found.points.size(), 2u);
    ASSERT_LE(angle(found.normal, tent.face(-1)), 1e-13) << i;
    ASSERT_NEAR(found.smallest_gap(), 0, 1e-12);
  }
}

/// Edges further apart than the band (2.5 mm) meet along the nearest direction: what flies past is not stopped by the
/// plane of a face.
TEST(TentApexOnFaces, ApartTheNormalTurnsToTheNearestDirection) {
  const Tent tent;
  TwoBodies cards(tent.card(), tent.card(), .3, EdgeNormal::kFace);
  Vec3 last = tent.face(-1);
  double off = 1;
  for (int i = 0; i <= 2000; ++i) {
    Pose right = tent.pose(1);
    right.position.x += 1e-4 * i;
    const Contacts found = cards.at(tent.pose(-1), right);
    ASSERT_EQ(found.points.size(), 2u);
    ASSERT_LE(angle(found.normal, last), .01) << i;
    ASSERT_LE(found.smallest_gap(), 1e-4 * i + 1e-14);
    last = found.normal;
    off = angle(found.normal, {1, 0, 0});
    ASSERT_LE(off, tent.lean + 1e-14);
  }
  EXPECT_LE(off, .02);
}

TEST(TentApexOnFaces, HistoryIsRestoredAndTheOtherRulesRefused) {
  const Tent tent;
  Pose risen = tent.pose(1);
  risen.position.z += 1e-3;
  TwoBodies cards(tent.card(), tent.card(), .008, EdgeNormal::kFace);
  cards.at(tent.pose(-1), risen);
  std::stringstream stored;
  cards.collision().save(stored);
  TwoBodies again(tent.card(), tent.card(), .008, EdgeNormal::kFace), halving(tent.card(), tent.card(), .008);
  std::stringstream copy(stored.str());
  EXPECT_THROW(halving.collision().load(copy), InputError);
  again.collision().load(stored);
  EXPECT_LE(angle(again.at(tent.pose(-1), tent.pose(1)).normal, tent.face(1)), 1e-14);  // not the first card's
  EXPECT_LE(angle(halving.at(tent.pose(-1), tent.pose(1)).normal, {1, 0, 0}), 1e-12);
  std::stringstream other;
  halving.collision().save(other);
  EXPECT_THROW(again.collision().load(other), InputError);
}

/// Boxes diagonal to each other in all directions, apart, in touch and overlapping: two points, never deeper than the
/// best face has it.
TEST(ParallelEdgesOnFaces, NoDropOutAroundTheEdge) {
  Random random(35);
  for (int round = 0; round < 10000; ++round) {
    const Vec3 ha{random.uniform(.3, 1), random.uniform(.3, 1), random.uniform(.3, 1)};
    const Vec3 hb{random.uniform(.3, 1), random.uniform(.3, 1), random.uniform(.3, 1)};
    const Quat turn = kAboutZ(random.uniform(.1, 1.4));
    const double x = random.uniform(-.002, .02), y = random.uniform(-.002, .02);
    // b's lowest edge, seen along −x −y, is brought to a's edge at +x +y.
    Vec3 lowest{1e300, 0, 0};
    for (const double sx : {-1, 1})
      for (const double sy : {-1, 1}) {
        const Vec3 v = rotate(turn, {sx * hb.x, sy * hb.y, 0});
        if (v.x + v.y < lowest.x + lowest.y) lowest = v;
      }
    const Pose b{Vec3{ha.x + x, ha.y + y, random.uniform(-.2, .2)} - lowest, turn}, world = random_pose(random, 5);
    const Contacts on_face = contacts(Box{ha}, world, Box{hb}, world * b, .05, EdgeNormal::kFace);
    const Contacts halving = contacts(Box{ha}, world, Box{hb}, world * b, .05);
    ASSERT_GE(on_face.points.size(), 2u) << round;
    ASSERT_GE(on_face.smallest_gap(), halving.smallest_gap() - 2e-3) << round;
    ASSERT_LE(on_face.smallest_gap(), std::hypot(x, y) + 1e-12) << round;
  }
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
