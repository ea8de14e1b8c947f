// SPDX-License-Identifier: Apache-2.0
// Two small scenes with something in every table of a recording and every field of a checkpoint.
#pragma once

#include "repose/scene/builder.h"

namespace repose::testing {

/// A joint of every role beside contacts: a finger on a slide with limits, friction, damping and a servo comes down on
/// a cube that stands on the ground and is held by a ball joint.
inline Scene jointed_scene() {
  SceneBuilder b("finger");
  b.add_ground_plane();
  const int finger = b.add_body({.name = "finger", .pose = {{0, 0, 1.2}, {}}});
  const int cube = b.add_body({.name = "cube", .pose = {{0, 0, 0.1}, {}}});
  b.add_shape_box(finger, {0.05, 0.05, 0.8});
  b.add_shape_box(cube, {0.1, 0.1, 0.1});
  const int slide = b.add_joint_at(JointKind::kSlide, kWorldBody, finger, {0, 0, 1.2}, {0, 0, -1});
  b.add_joint_at(JointKind::kBall, kWorldBody, cube, {0.1, 0.1, 0.2});
  JointCoordinate& q = b.joint(slide).coordinates[0];
  q.lower = -0.5, q.upper = 0.5, q.friction = 1, q.damping = 2, q.armature = 0.1;
  b.add_position_servo(slide, 500, 20, 30);
  const int tendon = b.add_coupling({{slide, 0, {0.5, 0, 0, 0}}}, std::nullopt);
  b.joint(tendon).coordinates[0].damping = 1;
  return b.build();
}

/// A ball rolls against two boxes on each other, a plate turns beneath a box, a push acts and a box joins later.
inline Scene piled_scene() {
  SceneBuilder b("pile");
  b.add_ground_plane();
  const int low = b.add_body({.name = "low", .pose = {{0, 0, 0.1}, {}}});
  const int high = b.add_body({.name = "high", .pose = {{0.02, 0, 0.3}, {}}});
  const int ball = b.add_body({.name = "ball", .pose = {{-0.21, 0, 0.1}, {}}, .velocity = {1, 0, 0}});
  const int plate = b.add_body({.name = "plate", .pose = {{2, 0, 0.1}, {}}});
  const int late = b.add_body({.name = "late", .pose = {{2, 0, 0.3}, {}}, .present = false});
  for (const int body : {low, high, late}) b.add_shape_box(body, {0.1, 0.1, 0.1});
  b.add_shape_sphere(ball, 0.1);
  b.add_shape_box(plate, {0.5, 0.5, 0.1});
  b.add_motion(plate, ConstantMotion{{}, {0, 0, 1}});
  b.add_event(0.01, Appear{late});
  b.add_event(0.01, Push{.body = high, .force = {1, 0, 0}, .duration = 1});
  return b.build();
}

}  // namespace repose::testing
