// SPDX-License-Identifier: Apache-2.0
// Small scenes for tests of the world, in plain data.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "repose/world/world.h"

namespace repose::testing {

inline constexpr double kStep = 1.0 / 60, kGravity = 9.81;

inline Scene empty_scene(double mu = 0.5) {
  Scene scene;
  scene.name = "test";
  scene.materials = {{"stone", mu, 0.0}};
  return scene;
}

/// A static half-space z ≤ 0.
inline int add_ground(Scene& scene) {
  SceneBody body;
  body.name = "ground";
  body.kind = BodyKind::kStatic;
  body.shapes.push_back({});
  body.shapes.back().geometry = HalfSpace{};
  scene.bodies.push_back(body);
  return static_cast<int>(scene.bodies.size()) - 1;
}

inline int add_shape_body(Scene& scene, Geometry geometry, Vec3 position, Vec3 velocity = {}, Vec3 spin = {}) {
  SceneBody body;
  body.name = "body-" + std::to_string(scene.bodies.size());
  body.pose.position = position;
  body.velocity = velocity;
  body.angular_velocity = spin;
  body.shapes.push_back({});
  body.shapes.back().geometry = std::move(geometry);
  scene.bodies.push_back(body);
  return static_cast<int>(scene.bodies.size()) - 1;
}
/// A plate of 4 m × 4 m under z = 0 that moves as prescribed.
inline int add_moving_plate(Scene& scene, const Motion& motion, double half_thickness = 0.1) {
  const int plate = add_shape_body(scene, Box{{2, 2, half_thickness}}, {0, 0, -half_thickness});
  scene.bodies.back().kind = BodyKind::kKinematic;
  scene.bodies.back().motion = motion;
  return plate;
}
inline int add_cube(Scene& scene, double edge, Vec3 position, Vec3 velocity = {}, Vec3 spin = {}) {
  return add_shape_body(scene, Box{{edge / 2, edge / 2, edge / 2}}, position, velocity, spin);
}

/// Unit cubes on top of each other on the ground, each sunk by `overlap` into the one below.
inline Scene stack(int cubes, double overlap = 0) {
  Scene scene = empty_scene();
  add_ground(scene);
  for (int k = 0; k < cubes; ++k) add_cube(scene, 1, {0, 0, 0.5 + k - (k + 1) * overlap});
  return scene;
}

/// A tumbling heap with an event, a push and many contacts that come and go.
inline Scene busy_scene() {
  Scene scene = stack(3);
  add_shape_body(scene, Sphere{0.4}, {2, 0, 0.9}, {-3, 0.2, 0}, {0, 5, 1});
  add_cube(scene, 0.6, {0.3, 0.2, 4}, {}, {1, 2, 3});
  const int late = add_cube(scene, 0.5, {-2, 0, 1}, {5, 0, 0});
  scene.bodies[static_cast<std::size_t>(late)].present = false;
  scene.events = {{0.4, Appear{late}}, {0.3, Push{3, {2000, 0, 0}, {}, 0.2}}};
  return scene;
}

/// Steps and expects every one to be solved.
inline std::vector<StepReport> run(World& world, int steps) {
  std::vector<StepReport> reports;
  for (int k = 0; k < steps; ++k) {
    reports.push_back(world.step());
    EXPECT_EQ(reports.back().status, StepStatus::kSolved)
        << "step " << k << ": " << reports.back().certificate.worst() << " " << reports.back().why;
  }
  return reports;
}

/// Sum of all linear momenta, kg m/s.
inline Vec3 momentum(const World& world) {
  Vec3 sum;
  for (std::size_t b = 0; b < world.models().size(); ++b)
    sum = sum + world.models()[b].mass * world.states()[b].velocity;
  return sum;
}

/// Sum of all angular momenta about the origin, kg m²/s.
inline Vec3 angular_momentum(const World& world) {
  Vec3 sum;
  for (std::size_t b = 0; b < world.models().size(); ++b) {
    const BodyState& s = world.states()[b];
    sum = sum + world.models()[b].mass * cross(s.centre, s.velocity) +
          repose::angular_momentum(world.models()[b].rotor, s.rotation, s.angular_velocity);
  }
  return sum;
}

}  // namespace repose::testing
