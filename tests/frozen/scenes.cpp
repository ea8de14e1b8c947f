// SPDX-License-Identifier: Apache-2.0
#include "tests/frozen/scenes.h"

#include <cmath>

#include "repose/base/random.h"
#include "repose/scene/builder.h"
#include "repose/world/world.h"
#include "scenes/registry.h"

namespace repose::frozen {
namespace {

FrozenScene built_in(std::string name, const char* scene, const ParameterValues& values, int steps, int threads = 1) {
  return {std::move(name), [scene, values] { return scenes::make(scene, values); }, steps, threads};
}

/// Five kinds of shape, some as parts of one body, fall into a bin and onto each other.
Scene mixed_bin() {
  SceneBuilder b("mixed-bin");
  b.add_material({.name = "rough", .friction = 0.6});
  const int bouncing = b.add_material({.name = "bouncing", .friction = 0.3, .restitution = 0.5});
  b.add_ground_plane();
  const int bin = b.add_body({.name = "bin", .kind = BodyKind::kStatic});
  for (const double side : {-1.0, 1.0}) {
    b.add_shape_box(bin, {0.05, 0.5, 0.4}, {.pose = {{side * 0.45, 0, 0.4}, {}}});
    b.add_shape_box(bin, {0.5, 0.05, 0.4}, {.pose = {{0, side * 0.45, 0.4}, {}}});
  }
  const Vec3 corners[] = {{0.1, 0, -0.06}, {-0.05, 0.09, -0.06}, {-0.05, -0.09, -0.06}, {0, 0, 0.12}};
  Random random(7);
  for (int k = 0; k < 24; ++k) {
    const double angle = random.uniform(0, 3), s = std::sin(angle / 2);
    const Vec3 place{0.25 * (k % 3 - 1), 0.25 * (k / 3 % 3 - 1), 0.2 + 0.25 * (k / 9)};
    const int body = b.add_body({.pose = {place, {std::cos(angle / 2), 0.6 * s, 0.8 * s, 0}}});
    const ShapeOptions look{.material = k % 2 == 0 ? 0 : bouncing};
    if (k % 6 == 0) b.add_shape_box(body, {0.08, 0.1, 0.06}, look);
    if (k % 6 == 1) b.add_shape_sphere(body, 0.09, look);
    if (k % 6 == 2) b.add_shape_capsule(body, 0.05, 0.07, look);
    if (k % 6 == 3) b.add_shape_cylinder(body, 0.07, 0.08, look);
    if (k % 6 == 4) b.add_shape_convex_hull(body, corners, look);
    if (k % 6 == 5) {  // a dumb-bell
      b.add_shape_sphere(body, 0.05, {.pose = {{0.07, 0, 0}, {}}});
      b.add_shape_sphere(body, 0.05, {.pose = {{-0.07, 0, 0}, {}}});
      b.add_shape_capsule(body, 0.02, 0.06, {.pose = {{}, {std::sqrt(0.5), 0, std::sqrt(0.5), 0}}});
    }
  }
  return b.build();
}

/// A ball and a tilted box bounce; a second ball may move in a plane only.
Scene bounces() {
  SceneBuilder b("bounces");
  b.add_material({.name = "rubber", .friction = 0.4, .restitution = 0.8});
  b.add_ground_plane();
  b.add_shape_sphere(b.add_body({.pose = {{0, 0, 1}, {}}, .velocity = {0.5, 0, 0}, .angular_velocity = {0, 9, 2}}),
                     0.1);
  b.add_shape_box(b.add_body({.pose = {{1, 0, 0.8}, {0.9, 0.3, std::sqrt(0.1), 0}}}), {0.1, 0.15, 0.2});
  b.add_shape_sphere(
      b.add_body(
          {.pose = {{2, 0, 0.7}, {}}, .velocity = {-1, 0, 0}, .fixed_dof = {false, true, false, true, false, true}}),
      0.1);
  return b.build();
}

/// A kinematic plate that follows a table of poses carries boxes; a piston pushes them; a motor's torque drives one.
Scene machine() {
  SceneBuilder b("machine");
  b.add_material({.name = "steel", .friction = 0.5});
  b.add_ground_plane();
  const int plate = b.add_body({.name = "plate", .pose = {{0, 0, 0.5}, {}}});
  b.add_shape_box(plate, {0.6, 0.6, 0.05});
  const double c = std::cos(0.1), s = std::sin(0.1);
  b.add_motion(
      plate, TableMotion{
                 {0, 0.5, 1, 1.5},
                 {{{0, 0, 0.5}, {}}, {{0, 0.1, 0.7}, {}}, {{0.2, 0, 0.6}, {c, s, 0, 0}}, {{0, 0, 0.5}, {c, 0, s, 0}}}});
  for (int k = 0; k < 4; ++k)
    b.add_shape_box(b.add_body({.pose = {{0.25 * (k % 2) - 0.12, 0.25 * (k / 2) - 0.12, 0.65}, {}}}), {0.1, 0.1, 0.1});
  const int piston = b.add_body({.name = "piston", .pose = {{-2, 0, 0.2}, {}}});
  b.add_shape_cylinder(piston, 0.2, 0.2);
  b.add_motion(piston, RampMotion{.velocity = {1, 0, 0}, .angular_velocity = {0, 0, 2}, .duration = 0.5});
  const int driven = b.add_body({.name = "driven", .pose = {{-1.5, 0, 0.1}, {}}, .torque = {0, 0.5, 0.2}});
  b.add_shape_capsule(driven, 0.1, 0.2);
  b.add_event(0.4, SetVelocity{driven, {0, 1, 0}, {0, 0, 3}});
  b.add_event(0.6, Push{.body = driven, .force = {20, 0, 10}, .torque = {}, .duration = 0.1});
  b.add_event(0.9, Disappear{piston});
  return b.build();
}

}  // namespace

const std::vector<FrozenScene>& frozen_scenes() {
  static const std::vector<FrozenScene> all = {
      built_in("incline-cube", "incline", {{"slope", "0.6"}, {"direction", "30"}, {"yaw", "20"}}, 120),
      built_in("incline-edge", "incline", {}, 120),
      built_in("incline-sphere", "incline", {{"body", "sphere"}, {"direction", "45"}}, 120),
      built_in("backspin", "backspin", {{"side_spin", "40"}, {"drop", "0.1"}}, 120),
      built_in("turntable", "turntable", {{"cubes", "3"}, {"ramp", "0.5"}}, 120),
      built_in("tipping-box", "tipping-box", {{"mu", "0.55"}}, 120),
      built_in("painleve-rod", "painleve-rod", {{"mu", "1.6"}}, 60),
      built_in("launched-cube", "launched-cube", {}, 60),
      built_in("arch-25", "arch", {}, 60),
      built_in("arch-25-free-feet", "arch", {{"variant", "semicircle"}, {"feet", "free"}}, 60),
      built_in("arch-25-struck", "arch", {{"projectiles", "true"}, {"projectile_time", "0.1"}}, 150),
      built_in("arch-101-shaken", "arch", {{"stones", "101"}, {"shaking", "0.2"}}, 20),
      built_in("cards-4", "cards", {{"levels", "4"}}, 60),
      built_in("cards-4-dataset-gust", "cards",
               {{"levels", "4"}, {"variant", "dataset"}, {"gust", "0.3"}, {"gust_time", "0.2"}}, 60),
      built_in("cards-5-struck", "cards", {{"levels", "5"}, {"projectiles", "true"}, {"projectile_time", "0.1"}}, 60),
      built_in("stack-10-twisted", "stack", {{"twist", "7"}, {"ratio", "100"}}, 60),
      built_in("stacks-9-two-threads", "stack", {{"count", "4"}, {"stacks", "9"}, {"twist", "10"}}, 60, 2),
      built_in("wall-struck", "wall",
               {{"rows", "6"}, {"columns", "5"}, {"projectiles", "true"}, {"projectile_time", "0.1"}}, 60),
      built_in("pile-60", "pile", {{"count", "60"}, {"walls", "true"}}, 90),
      built_in("dominoes", "dominoes", {{"count", "8"}}, 90),
      {"mixed-bin", mixed_bin, 90},
      {"bounces", bounces, 120},
      {"machine", machine, 90},
  };
  return all;
}

std::string final_hash(const FrozenScene& run) {
  WorldOptions options;
  options.threads = run.threads;
  World world(run.make(), options);
  for (int k = 0; k < run.steps; ++k) (void)world.step();
  return world.state_hash();
}

}  // namespace repose::frozen
