// SPDX-License-Identifier: Apache-2.0
// Height fields as prisms: sides between prisms are no obstacles, ridges and valleys are where the field has them.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "repose/scene/builder.h"
#include "repose/shape/height_field.h"
#include "repose/shape/mass.h"
#include "repose/shape/polyhedron.h"
#include "repose/world/world.h"

namespace repose {
namespace {

using Height = std::function<double(double x, double y)>;

HeightField field_of(int rows, int columns, double half, const Height& height) {
  HeightField f{.rows = rows, .columns = columns, .half_x = half, .half_y = half, .base = 2};
  f.heights.resize(static_cast<std::size_t>(rows * columns));
  std::vector<double> heights;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const Vec3 p = f.point(r, c);
      heights.push_back(height(p.x, p.y));
    }
  f.heights = heights;
  return f;
}

/// A body on a field or on a plane through the origin.
SceneBuilder ground(const std::optional<HeightField>& field) {
  SceneBuilder b;
  b.settings().dt = 1.0 / 100;
  (void)b.add_material({.name = "stone", .friction = 0.4});
  if (field) {
    const int body = b.add_body({.name = "ground", .kind = BodyKind::kStatic});
    b.add_shape_height_field(body, *field);
  } else {
    b.add_ground_plane();
  }
  return b;
}

World world_of(const SceneBuilder& b) {
  WorldOptions options;
  options.solver.tolerance = 1e-12;
  return World(b.build(), options);
}

double flat(double, double) { return 0; }

TEST(HeightField, PrismsFillTheSolid) {
  const auto field = std::make_shared<const HeightField>(
      field_of(4, 6, 1.5, [](double x, double y) { return 0.3 + 0.1 * x + 0.05 * std::sin(3 * y); }));
  const auto prisms = height_field_prisms(field);
  ASSERT_EQ(prisms.size(), 2U * 3 * 5);
  double volume = 0, wanted = 0;
  for (const auto& prism : prisms) volume += mass_properties(Hull{prism}, 1).mass;
  // Under linear triangles: each corner counts with a third of the area of the triangles around it.
  const double area = 3.0 / 5 * 3.0 / 3 / 2;
  for (const auto& prism : prisms)
    for (const auto& corner : prism->cell->corners) wanted += area * (field->point(corner[0], corner[1]).z + 2) / 3;
  EXPECT_NEAR(volume, wanted, 1e-12);
}

/// The normals of a ridge are those between its two sides; a flat or hollow edge has none but those of the sides.
TEST(HeightField, NormalsAreThoseOfTheWholeField) {
  const auto roof = [](double slope) {
    const auto field = std::make_shared<const HeightField>(
        field_of(3, 3, 1, [=](double x, double) { return 1 - slope * std::abs(x); }));
    return height_field_prisms(field)[0];  // between x = −1 and 0, y = −1 and 0; it rises with the slope
  };
  const auto along = [](double angle) { return Vec3{std::sin(angle), 0, std::cos(angle)}; };
  const double lean = std::atan(0.5);
  EXPECT_TRUE(is_on_surface(*roof(0.5)->cell, along(-lean)));        // of its own face
  EXPECT_TRUE(is_on_surface(*roof(0.5)->cell, along(0)));            // on the ridge
  EXPECT_TRUE(is_on_surface(*roof(0.5)->cell, along(lean - 1e-6)));  // of the face beyond
  EXPECT_FALSE(is_on_surface(*roof(0.5)->cell, along(lean + 1e-6)));
  EXPECT_FALSE(is_on_surface(*roof(0.5)->cell, {1, 0, 0}));  // of the side between the prisms
  EXPECT_FALSE(is_on_surface(*roof(0)->cell, along(1e-6)));
  EXPECT_TRUE(is_on_surface(*roof(0)->cell, along(0)));
  EXPECT_TRUE(is_on_surface(*roof(-0.5)->cell, along(lean)));  // in a valley: the own face
  EXPECT_FALSE(is_on_surface(*roof(-0.5)->cell, along(lean + 0.1)));
  EXPECT_TRUE(is_on_surface(*roof(0.5)->cell, {0, -1, 0}));  // the wall at the border
}

/// Prisms are not aligned with the box's edges, and every step crosses some of their sides.
TEST(HeightField, ABoxSlidesAsOnAPlane) {
  for (const double turn : {0.0, 0.3}) {
    const auto slide = [&](const std::optional<HeightField>& field) {
      SceneBuilder b = ground(field);
      const int box = b.add_body(
          {.name = "box", .pose = {{-0.8, 0.013, 0.05}, exponential({0, 0, turn})}, .velocity = {2, 0.3, 0}});
      b.add_shape_box(box, {0.1, 0.08, 0.05});
      World world = world_of(b);
      for (int k = 0; k < 60; ++k) EXPECT_EQ(world.step().status, StepStatus::kSolved);
      return world.states()[static_cast<std::size_t>(box)];
    };
    const BodyState on_plane = slide({}), on_field = slide(field_of(41, 41, 1, flat));
    EXPECT_LT(norm(on_field.centre - on_plane.centre), 1e-9) << turn;
    EXPECT_LT(norm(on_field.velocity - on_plane.velocity), 1e-9) << turn;
    EXPECT_LT(norm(on_field.angular_velocity), 1e-9) << turn;
    EXPECT_GT(on_plane.centre.x, -0.4);
  }
}

TEST(HeightField, ABallRollsWithoutABump) {
  SceneBuilder b = ground(field_of(41, 41, 1, flat));
  const double radius = 0.1, speed = 1.3;
  const int ball = b.add_body({.pose = {{-0.8, -0.31, radius}, {}},
                               .velocity = {speed, 0.7, 0},
                               .angular_velocity = {-0.7 / radius, speed / radius, 0}});
  b.add_shape_sphere(ball, radius);
  World world = world_of(b);
  double bump = 0;
  for (int k = 0; k < 100; ++k) {
    (void)world.step();
    bump = std::max({bump, std::abs(world.states()[static_cast<std::size_t>(ball)].centre.z - radius),
                     std::abs(world.states()[static_cast<std::size_t>(ball)].velocity.z)});
    EXPECT_LE(world.contacts().size(), 2U);  // one, or one for each triangle at an edge
  }
  EXPECT_LT(bump, 1e-9);
  EXPECT_NEAR(world.states()[static_cast<std::size_t>(ball)].centre.x, -0.8 + speed, 1e-9);
  EXPECT_NEAR(world.states()[static_cast<std::size_t>(ball)].velocity.x, speed, 1e-9);
}

/// A ball comes to rest at the bottom of a bowl of triangles, and at the right height.
TEST(HeightField, ABallRestsInAValley) {
  SceneBuilder b = ground(field_of(21, 21, 1, [](double x, double) { return std::abs(x); }));
  const int ball = b.add_body({.pose = {{0.1, 0.03, 0.5}, {}}});
  b.add_shape_sphere(ball, 0.1);
  World world = world_of(b);
  for (int k = 0; k < 400; ++k) (void)world.step();
  EXPECT_NEAR(world.states()[static_cast<std::size_t>(ball)].centre.x, 0, 1e-6);
  EXPECT_NEAR(world.states()[static_cast<std::size_t>(ball)].centre.z, 0.1 * std::sqrt(2.0), 1e-4);
  EXPECT_LT(norm(world.states()[static_cast<std::size_t>(ball)].velocity), 1e-6);
}

/// A slope of many triangles is a plane: friction holds below μ and not above.
TEST(HeightField, ASlopeHoldsUpToItsFriction) {
  for (const double slope : {0.39, 0.41}) {
    SceneBuilder b = ground(field_of(31, 31, 2, [=](double x, double) { return slope * x; }));
    const double angle = std::atan(slope);
    const int box =
        b.add_body({.pose = {{-0.1 * std::sin(angle), 0.02, 0.1 * std::cos(angle)}, exponential({0, -angle, 0})}});
    b.add_shape_box(box, {0.1, 0.1, 0.1});
    World world = world_of(b);
    for (int k = 0; k < 50; ++k) (void)world.step();
    const double g = 9.81 * (std::sin(angle) - 0.4 * std::cos(angle));
    EXPECT_NEAR(norm(world.states()[static_cast<std::size_t>(box)].velocity), std::max(0.0, 0.5 * g), 1e-4) << slope;
  }
}

/// Over a ridge and down: a box crosses from one slope to the other without falling through.
TEST(HeightField, ABoxCrossesARidge) {
  SceneBuilder b = ground(field_of(41, 41, 1, [](double x, double) { return 0.2 - 0.2 * std::abs(x); }));
  const double angle = std::atan(0.2);
  const int box =
      b.add_body({.pose = {{-0.4, 0.013, 0.2 - 0.08 + 0.052}, exponential({0, -angle, 0})}, .velocity = {3, 0, 0.6}});
  b.add_shape_box(box, {0.05, 0.05, 0.05});
  World world = world_of(b);
  double deepest = 0;
  for (int k = 0; k < 80; ++k) {
    (void)world.step();
    const BodyState& s = world.states()[static_cast<std::size_t>(box)];
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3 local{corner & 1 ? 0.05 : -0.05, corner & 2 ? 0.05 : -0.05, corner & 4 ? 0.05 : -0.05};
      const Vec3 x = s.centre + rotate(s.rotation, local);
      if (std::abs(x.x) < 1) deepest = std::max(deepest, 0.2 - 0.2 * std::abs(x.x) - x.z);
    }
  }
  EXPECT_GT(world.states()[static_cast<std::size_t>(box)].centre.x, 0.1);
  EXPECT_LT(deepest, 2e-4);
}

/// A box slides from the flat into a slope, climbs and comes back: the valley between them holds its edge.
TEST(HeightField, AValleyHoldsEdges) {
  for (const double degrees : {10.0, 30.0, 60.0}) {
    const double slope = std::tan(degrees * 3.14159265358979 / 180);
    SceneBuilder b = ground(field_of(41, 41, 2, [=](double x, double) { return slope * std::max(0.0, x); }));
    b.settings().materials[0].friction = 0.1;
    const int box = b.add_body({.pose = {{-0.5, 0.013, 0.1}, {}}, .velocity = {2, 0, 0}});
    b.add_shape_box(box, {0.1, 0.1, 0.1});
    World world = world_of(b);
    double deepest = 0;
    for (int k = 0; k < 150; ++k) {
      (void)world.step();
      const BodyState& s = world.states()[static_cast<std::size_t>(box)];
      for (int corner = 0; corner < 8; ++corner) {
        const Vec3 local{corner & 1 ? 0.1 : -0.1, corner & 2 ? 0.1 : -0.1, corner & 4 ? 0.1 : -0.1};
        const Vec3 x = s.centre + rotate(s.rotation, local);
        if (std::abs(x.x) < 2) deepest = std::max(deepest, slope * std::max(0.0, x.x) - x.z);
      }
    }
    EXPECT_LT(deepest, 2e-3) << degrees;
  }
}

TEST(HeightField, LargeGridsAreSteppedQuickly) {
  SceneBuilder b = ground(field_of(101, 101, 5, [](double x, double y) { return 0.1 * std::sin(x) * std::cos(y); }));
  for (int k = 0; k < 3; ++k) {
    const int ball = b.add_body({.pose = {{0.7 * k - 0.5, 0.3 * k, 0.4}, {}}});
    b.add_shape_sphere(ball, 0.1);
  }
  World world = world_of(b);
  for (int k = 0; k < 100; ++k) {
    (void)world.step();
    EXPECT_LE(world.contacts().size(), 12U);  // no contacts with sides
  }
  for (std::size_t k = 1; k <= 3; ++k) EXPECT_GT(world.states()[k].centre.z, -0.01);
}

}  // namespace
}  // namespace repose
