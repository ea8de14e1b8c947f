// SPDX-License-Identifier: Apache-2.0
// Joints, limits, dry friction, motors and servos in batches, against closed forms and against worlds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "repose/base/error.h"
#include "repose/batch/batch.h"
#include "repose/scene/builder.h"
#include "repose/scene/load.h"
#include "repose/world/world.h"
#include "tests/support/data.h"

namespace repose {
namespace {

/// A bob of 8 kg on a hinge about y, horizontal at the start.
Scene pendulum(double dt = 1.0 / 60) {
  SceneBuilder b("pendulum");
  const int bob = b.add_body({.pose = {{1, 0, 0}, {}}});
  b.add_shape_box(bob, {0.1, 0.1, 0.1});
  b.add_joint_at(JointKind::kHinge, kWorldBody, bob, {0, 0, 0}, {0, 1, 0});
  Scene scene = b.build();
  scene.dt = dt;
  return scene;
}

JointCoordinate& coordinate(Scene& scene) { return scene.joints[0].coordinates[0]; }

/// One of every kind of joint, with limits, friction, springs, dampers, servos and a motor, a coupling and a rope.
Scene machine() {
  SceneBuilder b("machine");
  int previous = kWorldBody;
  const JointKind kinds[] = {JointKind::kHinge, JointKind::kUniversal, JointKind::kBall,   JointKind::kCylindrical,
                             JointKind::kSlide, JointKind::kScrew,     JointKind::kPlanar, JointKind::kFixed};
  double x = 0;
  for (const JointKind kind : kinds) {
    const int body = b.add_body({.pose = {{x + 0.2, 0, 0}, {}}});
    b.add_shape_box(body, {0.08, 0.05, 0.04});
    const int joint = b.add_joint_at(kind, previous, body, {x, 0, 0}, {0, 1, 0});
    if (kind == JointKind::kScrew) b.joint(joint).pitch = 0.01;
    for (int k = 0; k < coordinate_count(b.joint(joint)); ++k) {
      JointCoordinate& c = b.joint(joint).coordinates[static_cast<std::size_t>(k)];
      c.damping = 0.5, c.armature = 0.01, c.friction = 0.05;
      if (kind != JointKind::kBall) c.stiffness = 20, c.lower = -0.6, c.upper = 0.5;
    }
    if (kind == JointKind::kHinge || kind == JointKind::kSlide) b.add_position_servo(joint, 300, 10, 40);
    previous = body;
    x += 0.4;
  }
  const int lever = b.add_body({.pose = {{0.2, 1, 0}, {}}}), other = b.add_body({.pose = {{0.2, -1, 0}, {}}});
  b.add_shape_box(lever, {0.1, 0.05, 0.05});
  b.add_shape_box(other, {0.1, 0.05, 0.05});
  const int left = b.add_joint_at(JointKind::kHinge, kWorldBody, lever, {0, 1, 0}, {0, 1, 0});
  const int right = b.add_joint_at(JointKind::kHinge, kWorldBody, other, {0, -1, 0}, {0, 1, 0});
  b.add_coupling({{.joint = left}, {.joint = right, .factors = {-1, 0.1, 0, 0}}}, 0);
  const int ball = b.add_body({.pose = {{-1, 0, 0}, {}}});
  b.add_shape_sphere(ball, 0.1);
  b.add_joint(
      {.kind = JointKind::kRope, .body_a = kWorldBody, .body_b = ball, .frame_a = {{-1, 0, 0.5}, {}}, .length = 0.6});
  Scene scene = b.build();
  scene.dt =
      1.0 / 240;  // later, or in longer steps, the end of the chain whips, and a World holds steps at velocity level
  return scene;
}

std::shared_ptr<const BatchModel> model_of(const Scene& scene, const BatchOptions& options = {}) {
  return std::make_shared<const BatchModel>(scene, options);
}

/// Controls that move by a twentieth of their range.
std::vector<double> controls_of(const Scene& scene, int step) {
  std::vector<double> controls;
  for (const SceneActuator& a : scene.actuators) {
    const double width = a.control_upper - a.control_lower;
    controls.push_back(a.control + 0.05 * (std::isfinite(width) ? width : 1) * sine(0.05 * step));
  }
  return controls;
}

struct Followed {
  double position = 0, velocity = 0;  ///< largest differences of bodies, m and m/s
  double coordinate = 0;              ///< of joints, rad or m
  BatchReport report;
};

/// Advances a batch and a World by the same steps with moving controls.
Followed follow(const Scene& scene, int steps, const BatchOptions& options) {
  Batch batch(model_of(scene, options), 1);
  WorldOptions own;
  own.solver.tolerance = options.tolerance;
  World world(scene, own);
  Followed most;
  std::vector<double> position(static_cast<std::size_t>(batch.array(BatchField::kJointPosition).rows));
  for (int k = 0; k < steps; ++k) {
    const std::vector<double> controls = controls_of(scene, k);
    for (std::size_t a = 0; a < controls.size(); ++a) world.set_control(static_cast<int>(a), controls[a]);
    batch.write(BatchField::kControl, controls);
    batch.advance(1);
    EXPECT_EQ(world.step().status, StepStatus::kSolved) << "step " << k;
    for (std::size_t b = 0; b < batch.model().bodies().size(); ++b) {
      const BodyState ours = batch.state(0, static_cast<int>(b));
      const BodyState theirs = world.states()[static_cast<std::size_t>(batch.model().bodies()[b])];
      most.position = std::max(most.position, norm(ours.centre - theirs.centre));
      most.velocity = std::max(most.velocity, norm(ours.velocity - theirs.velocity));
    }
    batch.read(BatchField::kJointPosition, position);
    std::size_t place = 0;
    for (int j = 0; j < static_cast<int>(scene.joints.size()); ++j)
      for (int q = 0; q < coordinate_count(scene.joints[static_cast<std::size_t>(j)]); ++q)
        if (scene.joints[static_cast<std::size_t>(j)].kind != JointKind::kBall)
          most.coordinate = std::max(most.coordinate, std::abs(position[place++] - world.joint_position(j, q)));
  }
  most.report = batch.report();
  return most;
}

void expect_equal(const Followed& found, int steps, double bound) {
  EXPECT_LT(found.position, bound);
  EXPECT_LT(found.coordinate, 10 * bound);
  EXPECT_EQ(found.report.solved, steps);
  EXPECT_LE(found.report.worst, 1e-8);
  EXPECT_LE(found.report.joint_error, 1e-10);
}

TEST(BatchJoints, PendulumFollowsTheWorld) {
  Scene scene = pendulum();
  coordinate(scene).friction = 0.2;
  const Followed found = follow(scene, 400, {});
  expect_equal(found, 400, 1e-9);
  EXPECT_EQ(found.report.finished, 0);
}

/// SHAKE is symplectic: the energy of a pendulum does not drift. Velocities belong to the middle of a step, so that the
/// energy is wrong by the work of gravity in half a step at most, m g v h/2.
TEST(BatchJoints, PendulumKeepsItsEnergy) {
  const Scene scene = pendulum(0.004);
  Batch batch(model_of(scene), 1);
  const double mass = batch.model().body(0).mass;
  for (const int steps : {2000, 8000}) {
    batch.advance(steps);
    const BodyState s = batch.state(0, 0);
    const double spin = batch.model().body(0).rotor.moments.x * dot(s.angular_velocity, s.angular_velocity);
    EXPECT_NEAR(0.5 * mass * dot(s.velocity, s.velocity) + 0.5 * spin + 9.81 * mass * s.centre.z, 0,
                9.81 * mass * std::sqrt(2 * 9.81) * 0.002)
        << steps;
  }
  EXPECT_LE(batch.report().joint_error, 1e-11);
}

/// Dry friction above the load holds exactly, below it the pendulum falls.
TEST(BatchJoints, DryFrictionSticks) {
  for (const double share : {1.05, 0.95}) {
    Scene scene = pendulum();
    coordinate(scene).friction = share * 8 * 9.81;
    Batch batch(model_of(scene), 1);
    const Vec3 start = batch.state(0, 0).centre;
    batch.advance(60);
    const double way = norm(batch.state(0, 0).centre - start);
    if (share > 1)
      EXPECT_LT(way, 1e-10) << "what the tolerance lets creep";
    else
      EXPECT_GT(way, 0.01);
  }
}

TEST(BatchJoints, LimitStopsThePendulum) {
  Scene scene = pendulum();
  coordinate(scene).upper = 0.3;
  Batch batch(model_of(scene), 1);
  batch.advance(200);
  std::vector<double> q(1), v(1);
  batch.read(BatchField::kJointPosition, q);
  batch.read(BatchField::kJointVelocity, v);
  EXPECT_NEAR(q[0], 0.3, 1e-10);
  EXPECT_NEAR(v[0], 0, 1e-9);
}

/// A servo of stiffness k holds the weight with the deflection of the closed form, whatever the step.
TEST(BatchJoints, ServosOfWorldsHaveTheirOwnGoals) {
  SceneBuilder b("arm");
  const int bob = b.add_body({.pose = {{1, 0, 0}, {}}});
  b.add_shape_box(bob, {0.1, 0.1, 0.1});
  b.add_position_servo(b.add_joint_at(JointKind::kHinge, kWorldBody, bob, {0, 0, 0}, {0, 1, 0}), 4000, 200, 1000);
  Batch batch(model_of(b.build()), 3);
  batch.write(BatchField::kControl, std::vector<double>{0, 0.2, -0.4});
  batch.advance(600);
  std::vector<double> q(3);
  batch.read(BatchField::kJointPosition, q);
  for (int w = 0; w < 3; ++w) {
    const double goal = w == 0 ? 0 : w == 1 ? 0.2 : -0.4, angle = q[static_cast<std::size_t>(w)];
    EXPECT_NEAR(4000 * (goal - angle), -8 * 9.81 * cosine(angle), 1e-5) << "world " << w;
  }
}

TEST(BatchJoints, EveryKindFollowsTheWorld) {
  const Followed found = follow(machine(), 150, {.tolerance = 1e-10});
  EXPECT_LT(found.position, 1e-6);
  EXPECT_EQ(found.report.solved, 150);
  EXPECT_LE(found.report.joint_error, 1e-10);
}

/// What the batch's solver misses is finished by the host with a World's joints.
TEST(BatchJoints, HostFinishesWhatTheBatchLeaves) {
  const Scene scene = machine();
  const Followed found = follow(scene, 40, {.tolerance = 1e-10, .newton_budget = 0});
  EXPECT_GT(found.report.finished, 0);
  EXPECT_LT(found.position, 1e-6);
  EXPECT_EQ(found.report.solved, 40);
}

TEST(BatchJoints, EqualWorldsHaveEqualBits) {
  const Scene scene = machine();
  Batch many(model_of(scene, {.threads = 3}), 4), one(model_of(scene), 1);
  for (int w = 0; w < 4; ++w) many.set_parameters(w, {scene.gravity, 1, 0.01, static_cast<std::uint64_t>(w / 2)});
  one.set_parameters(0, {scene.gravity, 1, 0.01, 1});
  many.advance(30);
  for (int k = 0; k < 30; ++k) one.advance(1);
  EXPECT_EQ(many.state_hash(0), many.state_hash(1));
  EXPECT_EQ(many.state_hash(2), one.state_hash(0));
  EXPECT_NE(many.state_hash(0), many.state_hash(2));
}

TEST(BatchJoints, ResetGoesToAKeyframe) {
  Scene scene = pendulum();
  Batch batch(model_of(scene), 2);
  SceneKey key{.name = "down",
               .poses = {{{0, 0, -1}, normalized(Quat{1, 0, 1, 0})}},
               .velocity = {Vec3{}},
               .angular_velocity = {Vec3{}}};
  batch.advance(10);
  batch.reset({0, 1}, key);
  std::vector<double> q(2);
  batch.read(BatchField::kJointPosition, q);
  EXPECT_NEAR(q[1], 1.5707963267948966, 1e-12);
  EXPECT_LT(q[0], 1.5);
  batch.advance(50);
  EXPECT_NEAR(batch.state(1, 0).centre.z, -1, 1e-10);
}

struct Robot {
  const char* file;
  int contacts;
};
class Robots : public ::testing::TestWithParam<Robot> {};
INSTANTIATE_TEST_SUITE_P(Menagerie, Robots,
                         ::testing::Values(Robot{"robotiq_2f85/2f85.xml", 0},
                                           Robot{"google_barkour_vb/scene.xml", 1500},
                                           Robot{"kuka_iiwa_14/iiwa14.xml", 0}, Robot{"agility_cassie/cassie.xml", 0},
                                           Robot{"shadow_hand/right_hand.xml", 0}),
                         [](const auto& robot) { return std::string(robot.param.file).substr(0, 4); });

/// Hundreds of steps with moving controls. Barkour is finished by the host where it has more contacts than room.
TEST_P(Robots, FollowTheWorld) {
  REPOSE_NEEDS_DATA("menagerie");
  const Scene scene = load_scene((testing::data_dir() / "menagerie" / GetParam().file).string()).scene;
  const Followed found = follow(scene, 200, {.tolerance = 1e-10, .contacts = GetParam().contacts});
  expect_equal(found, 200, 1e-7);
}

}  // namespace
}  // namespace repose
