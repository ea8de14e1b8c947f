// SPDX-License-Identifier: Apache-2.0
// Polyhedra brought to touch by construction: normal and gap are known without any search.
#include <gtest/gtest.h>

#include <functional>

#include "tests/collision/support.h"

namespace repose::testing {
namespace {

constexpr double kMargin = 0.05;
constexpr int kRounds = 10000;

using Maker = std::function<Geometry(Random&)>;
struct PairType {
  const char* name;
  Maker a, b;
};
/// Some 300 points: the local search takes over from the full comparison.
Geometry large_hull(Random& random) {
  static const std::vector<Geometry> pool = [] {
    Random local(2);
    std::vector<Geometry> hulls;
    for (int i = 0; i < 10; ++i) hulls.push_back(make_hull(local, 300));
    return hulls;
  }();
  return pool[random.bits() % pool.size()];
}

const PairType kTypes[] = {
    {"box-box", random_box, random_box},
    {"box-hull", random_box, [](Random& r) { return random_hull(r); }},
    {"hull-hull", [](Random& r) { return random_hull(r); }, [](Random& r) { return random_hull(r); }},
    {"box-large", random_box, large_hull},
    {"large-hull", large_hull, [](Random& r) { return random_hull(r); }},
    {"large-large", large_hull, large_hull},
};

/// No face of b within 0.065 rad of facing n: such pairs make patches by rule, and the reference may be b's face.
bool faces_apart(const Polyhedron& b, const Quat& turn, Vec3 n) {
  return std::all_of(b.faces.begin(), b.faces.end(),
                     [&](const auto& face) { return dot(rotate(turn, face.normal), n) > -std::cos(0.065); });
}

struct Touch {
  Pose a, b;
  Vec3 normal;
  double gap;
};

/// A vertex of b over the inside of a face of a.
std::optional<Touch> vertex_on_face(Random& random, const Polyhedron& a, const Polyhedron& b, double gap,
                                    double inset = 0.02) {
  const auto& face = a.faces[random.bits() % a.faces.size()];
  Vec3 inside;
  double sum = 0;
  for (int i = 0; i < face.count; ++i) {
    const double w = random.uniform(inset, 1);
    inside = inside + w * a.vertices[a.loop[face.first + i]];
    sum += w;
  }
  inside = 1 / sum * inside;
  inside = inside + (face.offset - dot(face.normal, inside)) * face.normal;
  const Quat turn = random_rotation(random);
  if (!faces_apart(b, turn, face.normal)) return {};
  Vec3 lowest = rotate(turn, b.vertices[0]);
  for (const Vec3 v : b.vertices)
    if (dot(face.normal, rotate(turn, v)) < dot(face.normal, lowest)) lowest = rotate(turn, v);
  const Pose local{inside + gap * face.normal - lowest, turn}, world = random_pose(random, 5);
  return Touch{world, world * local, rotate(world.rotation, face.normal), gap};
}

/// An edge of b across an edge of a, in the middle of both.
std::optional<Touch> edge_on_edge(Random& random, const Polyhedron& a, const Polyhedron& b, double gap) {
  const Quat turn = random_rotation(random);
  for (int attempt = 0; attempt < 400; ++attempt) {
    const auto& ea = a.edges[random.bits() % a.edges.size()];
    const auto& eb = b.edges[random.bits() % b.edges.size()];
    const Vec3 at = a.vertices[ea.tail], ah = a.vertices[ea.head];
    const Vec3 bt = rotate(turn, b.vertices[eb.tail]), bh = rotate(turn, b.vertices[eb.head]);
    Vec3 n = cross(ah - at, bh - bt);
    if (norm(n) < 0.05 * norm(ah - at) * norm(bh - bt)) continue;
    n = normalized(n);
    if (dot(n, a.faces[ea.left].normal + a.faces[ea.right].normal) < 0) n = -1.0 * n;
    // Both edges have to be extreme along n, clearly so: the nearest other vertex is 1e-3 away.
    const auto extreme = [&](const Polyhedron& p, const Quat& q, Vec3 d, const Polyhedron::Edge& e) {
      for (int v = 0; v < static_cast<int>(p.vertices.size()); ++v)
        if (v != e.tail && v != e.head &&
            dot(d, rotate(q, p.vertices[v])) > dot(d, rotate(q, p.vertices[e.tail])) - 1e-3)
          return false;
      return true;
    };
    if (!extreme(a, {}, n, ea) || !extreme(b, turn, -1.0 * n, eb) || !faces_apart(b, turn, n)) continue;
    const Vec3 on_a = at + random.uniform(.05, .95) * (ah - at), on_b = bt + random.uniform(.05, .95) * (bh - bt);
    const Pose local{on_a + gap * n - on_b, turn}, world = random_pose(random, 5);
    return Touch{world, world * local, rotate(world.rotation, n), gap};
  }
  return {};
}

struct Errors {
  double angle = 0, gap = 0;
  int rounds = 0, missing = 0;
  void add(const Contacts& found, const Touch& truth) {
    ++rounds;
    if (found.empty()) {
      ++missing;
      return;
    }
    angle = std::max(angle, testing::angle(found.normal, truth.normal));
    gap = std::max(gap, std::abs(found.smallest_gap() - truth.gap));
  }
};

TEST(PolyhedronTouch, VertexOnFaceInBothRoles) {
  for (const PairType& type : kTypes) {
    Random random(21);
    Errors errors;
    while (errors.rounds < kRounds) {
      const Geometry ga = type.a(random), gb = type.b(random);
      const double gap = errors.rounds % 2 ? 0.0 : random.uniform(0, 0.99 * kMargin);
      const auto touch = vertex_on_face(random, *polyhedron_of(ga), *polyhedron_of(gb), gap);
      if (!touch) continue;
      if (errors.rounds % 4 < 2) {
        errors.add(contacts(ga, touch->a, gb, touch->b, kMargin), *touch);
      } else {  // the body with the face comes second
        Contacts found = contacts(gb, touch->b, ga, touch->a, kMargin);
        found.normal = -1.0 * found.normal;
        errors.add(found, *touch);
      }
    }
    EXPECT_EQ(errors.missing, 0) << type.name;
    EXPECT_LE(errors.angle, 1e-12) << type.name;
    EXPECT_LE(errors.gap, 1e-12) << type.name;
    RecordProperty(std::string(type.name) + "_normal_error_rad", std::to_string(errors.angle * 1e15) + "e-15");
    RecordProperty(std::string(type.name) + "_gap_error", std::to_string(errors.gap * 1e15) + "e-15");
  }
}

TEST(PolyhedronTouch, EdgeOnEdge) {
  for (const PairType& type : kTypes) {
    Random random(22);
    Errors errors;
    while (errors.rounds < kRounds) {
      const Geometry ga = type.a(random), gb = type.b(random);
      const double gap = errors.rounds % 2 ? 0.0 : random.uniform(0, 0.99 * kMargin);
      if (const auto touch = edge_on_edge(random, *polyhedron_of(ga), *polyhedron_of(gb), gap))
        errors.add(contacts(ga, touch->a, gb, touch->b, kMargin), *touch);
    }
    EXPECT_EQ(errors.missing, 0) << type.name;
    EXPECT_LE(errors.angle, 1e-12) << type.name;
    EXPECT_LE(errors.gap, 1e-12) << type.name;
  }
}

/// Slightly inside each other the best axis may change, but the depth cannot be larger than along the known axis.
TEST(PolyhedronTouch, NoDropOutFromOverlapToMargin) {
  for (const PairType& type : kTypes) {
    Random random(23);
    int missing = 0, too_deep = 0, rounds = 0;
    while (rounds < kRounds) {
      const Geometry ga = type.a(random), gb = type.b(random);
      const double gap = random.uniform(-1e-3, kMargin);
      const auto a = polyhedron_of(ga), b = polyhedron_of(gb);
      const auto touch = rounds % 2 ? edge_on_edge(random, *a, *b, gap) : vertex_on_face(random, *a, *b, gap);
      if (!touch) continue;
      ++rounds;
      const Contacts found = contacts(ga, touch->a, gb, touch->b, kMargin);
      if (found.empty()) ++missing;
      if (!found.empty() && found.smallest_gap() < touch->gap - 1e-12) ++too_deep;
    }
    EXPECT_EQ(missing, 0) << type.name;
    EXPECT_EQ(too_deep, 0) << type.name;
  }
}

/// Vertex against vertex and vertex against edge: the direction between them.
TEST(PolyhedronTouch, CornersMeetAlongTheirNearestDirection) {
  Random random(24);
  double worst_angle = 0, worst_gap = 0;
  int missing = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Vec3 ha{random.uniform(.3, 1), random.uniform(.3, 1), random.uniform(.3, 1)};
    const Vec3 hb{random.uniform(.3, 1), random.uniform(.3, 1), random.uniform(.3, 1)};
    // Axis-parallel boxes, diagonal to each other in two or three axes.
    const double gap = random.uniform(1e-4, kMargin);
    Vec3 n{random.uniform(.1, 1), random.uniform(.1, 1), round % 2 ? random.uniform(.1, 1) : 0.0};
    n = normalized(n);
    Vec3 centre = ha + hb + gap * n;
    if (n.z == 0) centre.z = random.uniform(-.2, .2);
    const Pose world = random_pose(random, 5);
    const Contacts found = contacts(Box{ha}, world, Box{hb}, world * Pose{centre, {}}, kMargin);
    if (found.empty()) {
      ++missing;
      continue;
    }
    if (n.z != 0) {  // corner to corner
      worst_angle = std::max(worst_angle, gap * angle(found.normal, rotate(world.rotation, n)));
      worst_gap = std::max(worst_gap, std::abs(found.smallest_gap() - gap));
    } else {  // parallel edges: the normal leans to the bisector within the band, and the gap along it is smaller
      EXPECT_LE(found.smallest_gap(), gap + 1e-12);
      EXPECT_GE(found.smallest_gap(), gap - 1e-3 * 2);
      EXPECT_EQ(found.points.size(), 2u);
    }
  }
  EXPECT_EQ(missing, 0);
  EXPECT_LE(worst_angle, 1e-12);  // the direction of a short distance is known to rounding over that distance
  EXPECT_LE(worst_gap, 1e-12);
}

}  // namespace
}  // namespace repose::testing
