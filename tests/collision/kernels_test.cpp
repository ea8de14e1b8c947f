// SPDX-License-Identifier: Apache-2.0
// Kernels below the pair functions, one by one: lists of fixed size, the order of features, segments, clipping, the
// pair table.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <type_traits>
#include <vector>

#include "repose/base/random.h"
#include "repose/collision/collision.h"
#include "repose/collision/pair_table_internal.h"
#include "repose/collision/segment_internal.h"
#include "repose/collision/support_internal.h"
#include "repose/math/pose.h"
#include "repose/shape/polyhedron.h"

namespace repose::collision {
namespace {

Relative anywhere(Random& random, double distance) {
  const auto u = [&] { return random.uniform(-1, 1); };
  return {to_matrix(normalized(Quat{u(), u(), u(), u()})), {distance * u(), distance * u(), distance * u()}};
}

TEST(FixedList, SaysWhatDoesNotFit) {
  int memory[3];
  Buffer<int> list{memory, 3};
  for (int i = 0; i < 3; ++i) list.push_back(i);
  EXPECT_FALSE(list.exceeded);
  list.push_back(3);
  EXPECT_TRUE(list.exceeded);
  EXPECT_EQ(list.size(), 3);
  EXPECT_EQ(list.back(), 2);
}

TEST(FeatureOrder, IsAscendingAndKeepsTheFirstOfEquals) {
  Random random(7);
  for (const int count : {0, 1, 5, 16, 17, 40, 200}) {
    std::vector<ContactPoint> memory(static_cast<std::size_t>(2 * count + 2));
    Points points;
    points.data = memory.data(), points.capacity = count + 1, points.spare = memory.data() + count + 1;
    for (int i = 0; i < count; ++i)  // the gap tells equals apart
      points.push_back({{}, static_cast<double>(i), static_cast<std::uint32_t>(random.uniform(0, 0.7 * count))});
    std::vector<ContactPoint> expected(points.begin(), points.end());
    std::stable_sort(expected.begin(), expected.end(),
                     [](const ContactPoint& a, const ContactPoint& b) { return a.feature < b.feature; });
    expected.erase(std::unique(expected.begin(), expected.end(),
                               [](const ContactPoint& a, const ContactPoint& b) { return a.feature == b.feature; }),
                   expected.end());
    sort_features(points);
    ASSERT_EQ(points.size(), static_cast<int>(expected.size()));
    for (int i = 0; i < points.size(); ++i) {
      EXPECT_EQ(points[i].feature, expected[static_cast<std::size_t>(i)].feature);
      EXPECT_EQ(points[i].gap, expected[static_cast<std::size_t>(i)].gap);
    }
  }
}

TEST(Segments, NearestPointsAreStationary) {
  Random random(3);
  const auto point = [&] { return Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; };
  for (int i = 0; i < 1000; ++i) {
    const Segment a{point(), point()}, b{point(), point()};
    const SegmentPair near = nearest_parameters(a, b);
    const double distance = norm(point_at(b, near.t) - point_at(a, near.s));
    for (double s = 0; s <= 1; s += 0.125)
      for (double t = 0; t <= 1; t += 0.125) EXPECT_LE(distance, norm(point_at(b, t) - point_at(a, s)) * (1 + 1e-12));
  }
}

TEST(Segments, ParallelOnesMeetInTheMiddleOfTheirOverlap) {
  const Segment a{{0, 0, 0}, {4, 0, 0}}, b{{6, 1, 0}, {2, 1, 0}};
  const SegmentPair near = nearest_parameters(a, b);
  EXPECT_DOUBLE_EQ(near.s, 0.75);
  EXPECT_DOUBLE_EQ(near.t, 0.75);
  const Overlap shared = overlap_along(a, b);
  EXPECT_DOUBLE_EQ(shared.low, 0.5);
  EXPECT_DOUBLE_EQ(shared.high, 1.0);
}

TEST(Segments, PointsOfNoLengthHaveAParameter) {
  const Segment point{{1, 2, 3}, {1, 2, 3}}, line{{0, 2, 3}, {2, 2, 3}};
  EXPECT_DOUBLE_EQ(nearest_parameters(point, line).t, 0.5);
  EXPECT_DOUBLE_EQ(nearest_parameters(line, point).s, 0.5);
}

using Room = FixedRoom<128, 64, 128>;
// A device makes one for every pair in every step: writing 26 KB of zeros each time took most of a collision.
static_assert(std::is_trivially_default_constructible_v<Room>);

TEST(Clipping, OfTwoSquaresIsTheirOverlap) {
  const auto box = box_polyhedron({1, 1, 1});
  const PolyhedronView view = view_of(*box);
  int top = 0;
  for (int f = 0; f < view.faces.size(); ++f)
    if (view.faces[f].normal.z > 0.5) top = f;
  Room room;
  Points points = room.empty_points();
  Scratch scratch = room.empty_scratch();
  const Relative place{Mat3::identity(), {0.5, 0.25, 2.125}};
  add_face_patch({view, view, place, top, false, 0.5, 1e-9}, lowest_vertex(view, {0, 0, 1}, 0), scratch, points);
  ASSERT_EQ(points.size(), 4);
  double low_x = 9, high_x = -9, low_y = 9, high_y = -9;
  for (const ContactPoint& p : points) {
    EXPECT_DOUBLE_EQ(p.gap, 0.125);
    EXPECT_DOUBLE_EQ(p.position.z, 1.0625);
    low_x = std::min(low_x, p.position.x), high_x = std::max(high_x, p.position.x);
    low_y = std::min(low_y, p.position.y), high_y = std::max(high_y, p.position.y);
  }
  EXPECT_DOUBLE_EQ(low_x, -0.5);
  EXPECT_DOUBLE_EQ(high_x, 1);
  EXPECT_DOUBLE_EQ(low_y, -0.75);
  EXPECT_DOUBLE_EQ(high_y, 1);
}

struct Shapes {
  std::shared_ptr<const Polyhedron> box = box_polyhedron({0.5, 0.4, 0.3});
  PolyhedronView view = view_of(*box);
  ShapeView all[kKinds] = {{Kind::kHalfSpace, 0, 0, nullptr, 1e300},
                           {Kind::kSphere, 0.5, 0, nullptr, 1},
                           {Kind::kCapsule, 0.3, 0.4, nullptr, 1.4},
                           {Kind::kCylinder, 0.4, 0.5, nullptr, 1},
                           {Kind::kPolyhedron, 0, 0, &view, view.size}};
};

bool same_bits(const Points& a, const Points& b) {
  if (a.size() != b.size()) return false;
  for (int i = 0; i < a.size(); ++i)
    if (a[i].feature != b[i].feature ||
        std::bit_cast<std::uint64_t>(a[i].gap) != std::bit_cast<std::uint64_t>(b[i].gap))
      return false;
  return true;
}

TEST(PairTable, EveryPairOfKindsFindsContacts) {
  const Shapes shapes;
  for (int a = 0; a < kKinds; ++a)
    for (int b = 0; b < kKinds; ++b) {
      Room room;
      Points points = room.empty_points();
      Scratch scratch = room.empty_scratch();
      PairMemory memory;
      const PairResult found =
          collide(shapes.all[a], {Mat3::identity(), {}}, shapes.all[b], {Mat3::identity(), {0, 0, 0.25}}, 0.1,
                  EdgeNormal::kBisecting, memory, scratch, points);
      EXPECT_EQ(found.touching, a + b > 0) << a << ' ' << b;  // two half-spaces have no patch
      EXPECT_EQ(points.empty(), a + b == 0) << a << ' ' << b;
    }
}

TEST(PairRoom, ResultsDoNotDependOnItWhenTheyFitAndItSaysWhenNot) {
  const Shapes shapes;
  Random random(11);
  int exceeded = 0, touching = 0;
  for (int i = 0; i < 2000; ++i) {
    const ShapeView &a = shapes.all[1 + i % 4], &b = shapes.all[1 + i / 4 % 4];
    const Relative place = anywhere(random, 0.6);
    Room large;
    FixedRoom<3, 8, 12> small;  // three points at most
    Points in_large = large.empty_points(), in_small = small.empty_points();
    Scratch scratch = large.empty_scratch(), small_scratch = small.empty_scratch();
    PairMemory memory, other;
    const auto run = [&](PairMemory& m, Scratch& s, Points& p) {
      return collide(a, {Mat3::identity(), {}}, b, place, 0.05, EdgeNormal::kBisecting, m, s, p);
    };
    const PairResult found = run(memory, scratch, in_large), again = run(other, small_scratch, in_small);
    ASSERT_FALSE(in_large.exceeded || scratch.exceeded());
    touching += found.touching;
    if (in_large.size() > 3) {
      EXPECT_TRUE(in_small.exceeded || small_scratch.exceeded());
    }
    if (in_small.exceeded || small_scratch.exceeded()) {
      ++exceeded;
      continue;
    }
    EXPECT_EQ(found.touching, again.touching);
    EXPECT_TRUE(same_bits(in_large, in_small));
  }
  EXPECT_GT(exceeded, 20);
  EXPECT_GT(touching, 500);
}

TEST(PairRoom, GrowsUntilEveryPointFits) {
  Random random(4);
  std::vector<Vec3> cloud;
  for (int i = 0; i < 700; ++i)
    cloud.push_back(normalized(Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}));
  const auto hull = convex_hull(cloud);
  Collision collision;
  collision.bind({Collider{0, {}, HalfSpace{}}, Collider{1, {}, Hull{hull}}}, {0, 1});
  const Pose poses[2] = {};
  const double margin[2] = {2, 2};
  collision.update(poses, margin);
  ASSERT_EQ(collision.manifolds().size(), 1u);
  EXPECT_EQ(collision.points().size(), hull->vertices.size());
  for (std::size_t i = 1; i < collision.points().size(); ++i)
    EXPECT_LT(collision.points()[i - 1].feature, collision.points()[i].feature);
}

}  // namespace
}  // namespace repose::collision
