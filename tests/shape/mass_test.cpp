// SPDX-License-Identifier: Apache-2.0
#include "repose/shape/mass.h"

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

#include "repose/base/error.h"
#include "repose/base/random.h"
#include "repose/shape/polyhedron.h"

namespace repose {
namespace {

void expect_same(const MassProperties& a, const MassProperties& b, double tolerance) {
  const double size = std::cbrt(b.mass / 1000), moment = b.mass * size * size;
  EXPECT_NEAR(a.mass, b.mass, tolerance * b.mass);
  EXPECT_LE(norm(a.centre - b.centre), tolerance * (size + norm(b.centre)));
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(a.inertia.m[r][c], b.inertia.m[r][c], tolerance * moment);
}

Pose random_pose(Random& random) {
  return {{random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3)},
          normalized({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)})};
}

TEST(Mass, BoxAndItsHullAgreeInAnyPlace) {
  Random random(3);
  for (int round = 0; round < 100; ++round) {
    const Vec3 half{random.uniform(.2, 2), random.uniform(.2, 2), random.uniform(.2, 2)};
    const Pose pose = random_pose(random);
    std::vector<Vec3> corners = box_polyhedron(half)->vertices;
    for (Vec3& v : corners) v = pose * v;
    const MassProperties direct = moved(mass_properties(Box{half}, 1000), pose);
    expect_same(mass_properties(Hull{convex_hull(corners)}, 1000), direct, 1e-12);
  }
}

TEST(Mass, TetrahedronInClosedForm) {
  const auto hull = convex_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  const MassProperties m = mass_properties(Hull{hull}, 6.0);  // mass 1
  EXPECT_NEAR(m.mass, 1.0, 1e-15);
  EXPECT_LE(norm(m.centre - Vec3{.25, .25, .25}), 1e-15);
  // ∫x² = 1/10, ∫xy = 1/20 about the corner; about the centroid 1/10 − 1/16 and 1/20 − 1/16.
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(m.inertia.m[r][c], r == c ? 2 * (.1 - .0625) : .0125, 1e-15);
}

// The capsule against a fine solid of revolution would only be as good as the facets: it is compared with the sum of
// its slices instead, m = ∫ρπR²dz, Izz = ∫ρπR⁴/2 dz, Ixx = ∫ρπR²(R²/4 + z²)dz by Simpson's rule on both parts.
TEST(Mass, CapsuleIsTheSumOfItsSlices) {
  const double r = 0.3, l = 0.8;
  double m = 0, izz = 0, ixx = 0;
  const auto add = [&](double from, double to, auto radius2) {
    const int n = 2000;  // exact for cubics; R⁴ and z²R² are quartics
    for (int i = 0; i <= n; ++i) {
      const double z = from + (to - from) * i / n;
      const double w = (to - from) / n / 3 * (i == 0 || i == n ? 1 : (i % 2 ? 4 : 2));
      const double area = std::numbers::pi * radius2(z);
      m += w * area;
      izz += w * area * radius2(z) / 2;
      ixx += w * area * (radius2(z) / 4 + z * z);
    }
  };
  add(-l, l, [&](double) { return r * r; });
  for (const double side : {-1.0, 1.0})
    add(side > 0 ? l : -l - r, side > 0 ? l + r : -l, [&](double z) {
      const double h = std::abs(z) - l;
      return std::max(0.0, r * r - h * h);
    });
  const MassProperties found = mass_properties(Capsule{r, l}, 1.0);
  EXPECT_NEAR(found.mass, m, 1e-12);
  EXPECT_NEAR(found.inertia.m[0][0], ixx, 1e-12);
  EXPECT_NEAR(found.inertia.m[2][2], izz, 1e-12);
}

TEST(Mass, CylinderOfManySides) {
  std::vector<Vec3> points;
  const int n = 2000;
  for (int i = 0; i < n; ++i)
    for (const double z : {-0.7, 0.7})
      points.push_back({0.4 * std::cos(2 * std::numbers::pi * i / n), 0.4 * std::sin(2 * std::numbers::pi * i / n), z});
  // The inscribed polygon lacks a share of about (2/3)(π/n)² of the area.
  expect_same(mass_properties(Hull{convex_hull(points)}, 1000), mass_properties(Cylinder{0.4, 0.7}, 1000), 1e-5);
}

TEST(Mass, JoinedHalvesMakeTheWhole) {
  const MassProperties half = mass_properties(Box{{.5, 1, 2}}, 1000);
  const MassProperties whole = joined(moved(half, {{-.5, 0, 0}, {}}), moved(half, {{.5, 0, 0}, {}}));
  expect_same(whole, mass_properties(Box{{1, 1, 2}}, 1000), 1e-15);
}

TEST(Mass, PrincipalAxesRebuildTheInertia) {
  Random random(9);
  for (int round = 0; round < 100; ++round) {
    const Mat3 inertia = moved(mass_properties(Box{{.3, .9, 1.7}}, 1000), random_pose(random)).inertia;
    const PrincipalInertia p = principal_inertia(inertia);
    EXPECT_LE(p.moments.x, p.moments.y);
    EXPECT_LE(p.moments.y, p.moments.z);
    const Mat3 R = to_matrix(p.axes);
    const Mat3 again = R * Mat3::diagonal(p.moments.x, p.moments.y, p.moments.z) * transpose(R);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(again.m[r][c], inertia.m[r][c], 1e-13 * p.moments.z);
  }
}

TEST(Mass, HalfSpaceHasNone) { EXPECT_THROW((void)mass_properties(HalfSpace{}, 1000), InputError); }

}  // namespace
}  // namespace repose
