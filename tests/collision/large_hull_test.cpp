// SPDX-License-Identifier: Apache-2.0
// Meshes with thousands of facets, rolling and touching.
#include <gtest/gtest.h>

#include "tests/collision/support.h"
#include "tests/support/data.h"

namespace repose::testing {
namespace {

std::shared_ptr<const Polyhedron> mesh(const char* name) {
  return convex_hull(read_mesh_vertices((data_dir() / "rigid-ipc/meshes" / name).string()));
}

double lowest(const Polyhedron& poly, const Quat& turn, Vec3 d) {
  double low = 1e300;
  for (const Vec3 v : poly.vertices) low = std::min(low, dot(d, rotate(turn, v)));
  return low;
}

TEST(LargeHull, RollsOnThePlaneWithoutLosingTouch) {
  REPOSE_NEEDS_DATA("rigid-ipc/meshes/gomboc.obj");
  for (const char* name : {"gomboc.obj", "oloid.obj"}) {
    const auto poly = mesh(name);
    for (const Geometry& ground : {Geometry{HalfSpace{}}, Geometry{Box{{50, 50, 5}}}}) {
      const double top = std::holds_alternative<HalfSpace>(ground) ? 0 : 5;
      TwoBodies pair(ground, Hull{poly}, 1e-2 * poly->size);
      Random random(71);
      Quat turn = random_rotation(random);
      for (int i = 0; i < 500; ++i) {
        turn = normalized(exponential({.02, .01, .003}) * turn);
        const Pose pose{{0, 0, top - lowest(*poly, turn, {0, 0, 1})}, turn};
        const Contacts found = pair.at({}, pose);
        ASSERT_FALSE(found.empty()) << name << ' ' << i;
        ASSERT_NEAR(found.smallest_gap(), 0, 1e-12 * poly->size) << name << ' ' << i;
        ASSERT_LE(angle(found.normal, {0, 0, 1}), .045) << name << ' ' << i;
      }
    }
  }
}

TEST(LargeHull, EachOtherFromOverlapToMargin) {
  REPOSE_NEEDS_DATA("rigid-ipc/meshes/gomboc.obj");
  for (const char* name : {"gomboc.obj", "oloid.obj"}) {
    const auto poly = mesh(name);
    Random random(72);
    for (int i = 0; i < 300; ++i) {
      const Vec3 n = random_direction(random);
      const Quat qa = random_rotation(random), qb = random_rotation(random);
      const double gap = random.uniform(-1e-3, 1e-2) * poly->size;
      // b rests on a's supporting plane along n, its extreme vertex over a's.
      Vec3 xa = rotate(qa, poly->vertices[0]), xb = rotate(qb, poly->vertices[0]);
      for (const Vec3 v : poly->vertices) {
        if (dot(n, rotate(qa, v)) > dot(n, xa)) xa = rotate(qa, v);
        if (dot(n, rotate(qb, v)) < dot(n, xb)) xb = rotate(qb, v);
      }
      const Contacts found = contacts(Hull{poly}, {{}, qa}, Hull{poly}, {xa - xb + gap * n, qb}, 1.1e-2 * poly->size);
      ASSERT_FALSE(found.empty()) << name << ' ' << i;
      // Separated along n by `gap`: the distance is not smaller, and not larger than between these two vertices.
      if (gap > 0) {
        EXPECT_LE(found.smallest_gap(), gap * (1 + 1e-6) + 2e-3 * poly->size) << name << ' ' << i;
        EXPECT_GE(found.smallest_gap(), gap - 2e-3 * poly->size) << name << ' ' << i;
      }
    }
  }
}

}  // namespace
}  // namespace repose::testing
