// SPDX-License-Identifier: Apache-2.0
// What links of mechanisms leave out or keep from step to step: points that cannot touch, and everything that depends
// on poses alone. Nothing of it may show in the motion.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "repose/scene/builder.h"
#include "repose/world/idle_points_internal.h"
#include "repose/world/joint.h"
#include "repose/world/world.h"

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// A carriage on a vertical rail, a leg with a servo on it, and a round foot: a polygon of 40 corners.
Scene hopper(double height, double target, double limit = JointCoordinate::kNoLimit) {
  SceneBuilder b("hopper");
  b.settings().dt = 2e-3;
  b.settings().margin = 0.01;
  b.add_ground_plane();
  const int carriage = b.add_body({.pose = {{0, 0, height + 0.5}, {}}});
  b.add_shape_box(carriage, {0.1, 0.1, 0.1});
  const int leg = b.add_body({.pose = {{0, 0, height + 0.25}, {}}});
  b.add_shape_box(leg, {0.02, 0.02, 0.2}, {.pose = {{0, 0, 0.02}, {}}});
  std::vector<Vec3> foot;
  for (int k = 0; k < 40; ++k)
    for (const double y : {-0.03, 0.03})
      foot.push_back({0.05 * std::cos(k * M_PI / 20), y, -0.2 + 0.05 * std::sin(k * M_PI / 20)});
  b.add_shape_convex_hull(leg, foot);
  b.add_joint_at(JointKind::kSlide, kWorldBody, carriage, {0, 0, 0}, {0, 0, 1});
  const int hip = b.add_joint_at(JointKind::kHinge, carriage, leg, {0, 0, height + 0.45}, {0, 1, 0});
  b.joint(hip).coordinates[0].friction = 0.05;
  b.joint(hip).coordinates[0].armature = 0.01;
  if (limit < JointCoordinate::kNoLimit) b.joint(hip).coordinates[0].upper = limit;
  const int servo = b.add_position_servo(hip, 80, 2, 40);
  Scene scene = b.build();
  scene.actuators[at(servo)].control = target;
  return scene;
}

World copy_of(const World& world) {
  std::stringstream stored;
  world.save(stored);
  World copy(world.scene(), world.options());
  copy.load(stored);
  return copy;
}

TEST(Links, WorldsWithNothingKeptTakeTheSameSteps) {
  World world(hopper(0.02, 0.1));
  int at_rest = 0;
  for (int k = 0; k < 700; ++k) {
    if (k == 600) world.set_control(0, 0.15);
    if (k == 660) world.set_velocity(1, {0, 0, 0.5}, {});
    const Pose before = world.centre_pose(2);
    if (k < 400 && k % 10 != 0) {
      world.step();
      continue;
    }
    World copy = copy_of(world);
    const StepReport report = world.step(), again = copy.step();
    const Pose after = world.centre_pose(2);
    at_rest += norm(after.position - before.position) == 0 && after.rotation.w == before.rotation.w;
    ASSERT_EQ(world.state_hash(), copy.state_hash()) << k;
    ASSERT_EQ(report.certificate.nat, again.certificate.nat) << k;
    ASSERT_EQ(report.joint_error, again.joint_error) << k;
    ASSERT_EQ(report.energy, again.energy) << k;
  }
  EXPECT_GT(at_rest, 100) << "it was at rest often enough for something to be kept";
}

/// Every step solves all contacts within the margins, whether it has them in its problem or not.
TEST(Links, PointsThatAreLeftOutStayOpen) {
  World world(hopper(0.3, 0.2));
  int few = 0;
  for (int k = 0; k < 500; ++k) {
    if (k > 250) world.set_control(0, 0.3 * std::sin(0.05 * k));
    const StepReport report = world.step();
    ASSERT_EQ(report.status, StepStatus::kSolved) << k;
    EXPECT_LE(report.joint_error, 1e-11) << k;
    EXPECT_LE(report.penetration, 1e-4) << k;
    few += report.contacts > 0 && report.contacts < 12;
  }
  EXPECT_GT(few, 100) << "of the foot's corners, some were left out";
}

TEST(Links, AContactThatClosesWithinTheStepWakesItsPoint) {
  SceneBuilder b("hammer");  // a servo throws a ball against the ground from rest: nothing shows before the step
  b.settings().dt = 2e-3;
  b.settings().margin = 0.02;
  b.add_ground_plane();
  const int head = b.add_body({.pose = {{0, 0, 0.058}, {}}});
  b.add_shape_sphere(head, 0.05);
  const int rail = b.add_joint_at(JointKind::kSlide, kWorldBody, head, {0, 0, 0}, {0, 0, 1});
  b.add_position_servo(rail, 1e5, 0);
  Scene scene = b.build();
  scene.actuators[0].control = -1;
  World world(scene);
  const StepReport report = world.step();
  EXPECT_EQ(report.status, StepStatus::kSolved);
  ASSERT_EQ(report.contacts, 1);
  EXPECT_GT(world.contacts()[0].lambda.n, 0);
  EXPECT_NEAR(world.centre_pose(head).position.z, 0.05, 1e-9);
}

TEST(Links, ErrorsAloneAreThoseOfTheRows) {
  for (const JointKind kind :
       {JointKind::kBall, JointKind::kHinge, JointKind::kSlide, JointKind::kFixed, JointKind::kDistance,
        JointKind::kRope, JointKind::kUniversal, JointKind::kCylindrical, JointKind::kPlanar, JointKind::kScrew}) {
    JointModel joint;
    joint.kind = kind;
    joint.length = 0.3, joint.rest = 0.2, joint.pitch = 0.01;
    const Pose a{{0.1, 0.2, 0.3}, exponential({0.1, 0.2, -0.3})}, b{{0.4, 0.1, 0.2}, exponential({0.3, -0.2, 0.1})};
    joint.body_a = 0;
    const JointFrames frames = joint_frames(joint, a, b);
    for (const PositionPart part : position_parts(joint)) {
      const ContactVec alone = position_errors(joint, part, frames, 1),
                       of_rows = position_rows(joint, part, frames, 1).error;
      EXPECT_EQ(alone.t1, of_rows.t1);
      EXPECT_EQ(alone.t2, of_rows.t2);
      EXPECT_EQ(alone.n, of_rows.n);
    }
  }
}

}  // namespace
}  // namespace repose
