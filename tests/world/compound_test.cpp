// SPDX-License-Identifier: Apache-2.0
// Hinges and slides one after the other: rows against differences, coordinates from poses, and motions that other
// kinds of joint have, too.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <sstream>
#include <vector>

#include "repose/base/error.h"
#include "repose/scene/builder.h"
#include "repose/scene/native_json.h"
#include "repose/world/joint.h"
#include "repose/world/world.h"
#include "tests/world/joint_steps.h"

namespace repose {
namespace {

constexpr std::uint32_t kNothing = 0;  // collides with nothing

std::size_t at(int k) { return static_cast<std::size_t>(k); }

JointAxis hinge(Vec3 axis, Vec3 point = {}) { return {false, normalized(axis), point}; }
JointAxis slide(Vec3 axis) { return {true, normalized(axis), {}}; }

const std::vector<std::vector<JointAxis>> kCompounds = {
    {hinge({0, 1, 0}, {0.1, 0, 0.2})},
    {hinge({1, 0, 0}), hinge({0, 0, 1}), hinge({0, 1, 0})},
    {hinge({1, 0.2, 0}), hinge({0.3, 0, 1}, {0.1, 0, 0.2}), hinge({0, 1, 0.1}, {0, 0.3, 0})},
    {hinge({0, 1, 0}), hinge({0, 1, 0}, {0.2, 0, 0.05})},
    {slide({1, 0, 0}), slide({0, 0.2, 1}), hinge({0, 1, 0}, {0.1, 0, 0})},
    {hinge({0, 1, 0}, {0.1, 0, 0}), slide({1, 0, 0.3})},
    {slide({1, 0, 0}), hinge({0, 1, 0}), slide({0, 0, 1}), hinge({1, 0, 0}, {0, 0.1, 0})},
    {slide({1, 0, 0}), slide({0, 1, 0}), slide({0, 0, 1}), hinge({1, 0, 0}), hinge({0, 1, 0})},
    {slide({1, 0, 0}), slide({0, 1, 0}), slide({0, 0, 1}), hinge({1, 0, 0}), hinge({0, 1, 0}), hinge({0, 0, 1})},
};

JointModel model_of(const std::vector<JointAxis>& axes) {
  JointModel joint;
  joint.kind = JointKind::kCompound;
  joint.body_a = 0, joint.body_b = 1;
  joint.local_a = {{0.1, -0.05, 0.2}, normalized(Quat{0.9, 0.1, -0.2, 0.3})};
  joint.local_b = {{-0.1, 0.02, 0.1}, normalized(Quat{0.8, 0.3, 0.1, -0.1})};
  joint.length = 0.3, joint.size = 0.5;
  joint.axes = axes;
  return joint;
}

/// The pose of body b with these coordinates.
Pose pose_at(const JointModel& joint, const JointValues& q, const Pose& a) {
  Pose pose = a * joint.local_a;
  for (std::size_t k = 0; k < joint.axes.size(); ++k) {
    const JointAxis& own = joint.axes[k];
    const Quat turn = exponential(q[k] * own.axis);
    pose = pose * (own.slides ? Pose{q[k] * own.axis, {}} : Pose{own.point - rotate(turn, own.point), turn});
  }
  return pose * inverse(joint.local_b);
}

JointValues some_values(const JointModel& joint, std::mt19937& random, double angle = 1) {
  std::uniform_real_distribution<double> any(-1, 1);
  JointValues q{};
  for (std::size_t k = 0; k < joint.axes.size(); ++k) q[k] = any(random) * (joint.axes[k].slides ? 0.4 : angle);
  return q;
}

TEST(Compound, CoordinatesAreThoseOfThePosesAndNothingElseIsLeft) {
  std::mt19937 random(1);
  const Pose a{{0.3, 0.1, -0.2}, normalized(Quat{0.7, 0.2, -0.4, 0.5})};
  for (const auto& axes : kCompounds) {
    const JointModel joint = model_of(axes);
    ASSERT_TRUE(are_independent(axes));
    for (int n = 0; n < 20; ++n) {
      const JointValues q = some_values(joint, random);
      JointValues near = q;
      for (double& x : near) x += 0.2;
      const JointFrames frames = joint_frames(joint, a, pose_at(joint, q, a), near);
      for (int k = 0; k < coordinate_count(joint); ++k)
        EXPECT_NEAR(coordinate_row(joint, k, frames).value, q[at(k)], 1e-13) << axes.size() << " axes, " << k;
      EXPECT_LE(position_error(joint, frames), 1e-15);
    }
  }
}

/// From anywhere: a position is found whose pose is that of the bodies.
TEST(Compound, APoseIsFoundFromAStartThatIsFarAway) {
  std::mt19937 random(2);
  for (const auto& axes : kCompounds) {
    const JointModel joint = model_of(axes);
    for (int n = 0; n < 20; ++n) {
      const JointValues q = some_values(joint, random, 2.5);
      const Pose b = pose_at(joint, q, {});
      const JointFrames frames = joint_frames(joint, {}, b);
      JointValues found{};
      for (int k = 0; k < coordinate_count(joint); ++k) found[at(k)] = coordinate_row(joint, k, frames).value;
      const Pose again = pose_at(joint, found, {});
      EXPECT_LE(norm(again.position - b.position), 1e-12) << axes.size() << " axes";
      EXPECT_LE(position_error(joint, frames), 1e-12);
    }
  }
}

/// What is computed does not depend on where the search starts, to the bit.
TEST(Compound, TheStartDoesNotShowInTheResult) {
  std::mt19937 random(3);
  const JointModel joint = model_of(kCompounds[2]);
  for (int n = 0; n < 50; ++n) {
    const JointValues q = some_values(joint, random);
    const Pose b = pose_at(joint, q, {});
    JointValues other = q;
    for (double& x : other) x += 0.1;
    const JointFrames one = joint_frames(joint, {}, b, q), two = joint_frames(joint, {}, b, other);
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(coordinate_row(joint, k, one).value, coordinate_row(joint, k, two).value);
      EXPECT_EQ(coordinate_row(joint, k, one).angular_b.x, coordinate_row(joint, k, two).angular_b.x);
    }
  }
}

Pose moved(const Pose& pose, Vec3 velocity, Vec3 spin, double t) {
  return {pose.position + t * velocity, exponential(t * spin) * pose.rotation};
}
double along(const CoordinateRow& row, const JointMotion& m) {
  return dot(row.linear_a, m.velocity_a) + dot(row.angular_a, m.spin_a) + dot(row.linear_b, m.velocity_b) +
         dot(row.angular_b, m.spin_b);
}

/// Both bodies move freely of each other: errors grow by the rows, coordinates too.
TEST(Compound, RowsAreTheDerivatives) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> any(-1, 1);
  const auto vector = [&] { return Vec3{any(random), any(random), any(random)}; };
  const Pose a{{0.3, 0.1, -0.2}, normalized(Quat{0.7, 0.2, -0.4, 0.5})};
  for (const auto& axes : kCompounds) {
    const JointModel joint = model_of(axes);
    const JointValues q = some_values(joint, random);
    const Pose b = pose_at(joint, q, a);
    const JointFrames frames = joint_frames(joint, a, b, q);
    const JointMotion m{vector(), vector(), vector(), vector()};
    const double t = 1e-6;
    const auto frames_at = [&](double s) {
      return joint_frames(joint, moved(a, m.velocity_a, m.spin_a, s), moved(b, m.velocity_b, m.spin_b, s), q);
    };
    const JointFrames before = frames_at(-t), after = frames_at(t);
    for (int k = 0; k < coordinate_count(joint); ++k) {
      const double rate = (coordinate_row(joint, k, after).value - coordinate_row(joint, k, before).value) / (2 * t);
      const double row = along(coordinate_row(joint, k, frames), m);
      EXPECT_NEAR(rate, row, 1e-5 * (1 + std::abs(row))) << axes.size() << " axes, " << k;
    }
    int rows = coordinate_count(joint);
    for (const PositionPart part : position_parts(joint)) {
      const ContactVec more = position_errors(joint, part, after), less = position_errors(joint, part, before);
      const JointRows J = position_rows(joint, part, frames);
      const double rates[3] = {more.t1 - less.t1, more.t2 - less.t2, more.n - less.n};
      for (int r = 0; r < 3; ++r) {
        const double row = dot(J.a.linear[r], m.velocity_a) + dot(J.a.angular[r], m.spin_a) +
                           dot(J.b.linear[r], m.velocity_b) + dot(J.b.angular[r], m.spin_b);
        EXPECT_NEAR(rates[r] / (2 * t), row, 1e-5);
      }
      rows += row_count(part);
    }
    EXPECT_EQ(rows, 6);
  }
}

Scene limb(const std::vector<JointAxis>& axes, JointKind kind = JointKind::kCompound, double dt = 2e-3) {
  SceneBuilder b("limb");
  b.settings().dt = dt;
  const int body = b.add_body({.pose = {{0.1, 0.05, -0.2}, {}}});
  b.add_shape_box(body, {0.05, 0.03, 0.1}, {.mask = kNothing});
  if (kind == JointKind::kCompound)
    b.add_compound(kWorldBody, body, axes);
  else
    b.add_joint_at(kind, kWorldBody, body, {0, 0, 0});
  return b.build();
}

TEST(Compound, ThreeHingesThroughAPointMoveLikeABall) {
  World hinges(limb(kCompounds[1])), ball(limb({}, JointKind::kBall));
  for (int k = 0; k < 500; ++k) {
    run(hinges, 1), run(ball, 1);
    ASSERT_LE(norm(hinges.centre_pose(0).position - ball.centre_pose(0).position), 1e-10) << k;
  }
}

TEST(Compound, OneHingeMovesLikeAHinge) {
  World one(limb({hinge({0, 0, 1})})), other(limb({}, JointKind::kHinge));
  for (int k = 0; k < 500; ++k) {
    run(one, 1), run(other, 1);
    ASSERT_NEAR(one.joint_position(0), other.joint_position(0), 1e-11) << k;
  }
}

/// Three hinges pass the position in which the first and the last one line up: the body goes on like one on a ball.
TEST(Compound, GimbalLockIsPassed) {
  SceneBuilder b("gimbal");
  b.settings().dt = 1e-3;
  b.settings().gravity = {};
  const int body = b.add_body({});
  b.add_shape_box(body, {0.05, 0.05, 0.05}, {.mask = kNothing});
  b.add_compound(kWorldBody, body, {hinge({1, 0, 0}), hinge({0, 1, 0}), hinge({0, 0, 1})});
  Scene scene = b.build();
  scene.bodies[0].angular_velocity = {0, 3, 0.01};
  World world(scene);
  run(world, 1500);  // 4.5 rad about y: past π/2 and 3π/2
  EXPECT_NEAR(norm(world.states()[0].angular_velocity - Vec3{0, 3, 0.01}), 0, 1e-9);
}

TEST(Compound, LimitsAndDryFrictionHoldEachCoordinate) {
  Scene scene = limb(kCompounds[2]);
  for (std::size_t k = 0; k < 3; ++k)
    scene.joints[0].coordinates[k].lower = -0.2, scene.joints[0].coordinates[k].upper = 0.25;
  World world(scene);
  int reached = 0;
  for (int k = 0; k < 1000; ++k) {
    run(world, 1);
    for (int c = 0; c < 3; ++c) {
      const double q = world.joint_position(0, c);
      ASSERT_GE(q, -0.2 - 1e-10);
      ASSERT_LE(q, 0.25 + 1e-10);
      reached += std::min(q + 0.2, 0.25 - q) < 1e-9;
    }
  }
  EXPECT_GT(reached, 0);

  scene = limb(kCompounds[2]);
  for (std::size_t k = 0; k < 3; ++k) scene.joints[0].coordinates[k].friction = 100;
  World stuck(scene);
  run(stuck, 500);
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(stuck.joint_position(0, c), 0, 1e-12);
}

/// Without springs, friction and dampers SHAKE keeps the energy of a limb on any compound within its oscillation: also
/// where the second of two parallel hinges whips, at 36 rad/s.
TEST(Compound, EnergyDoesNotDrift) {
  for (const auto& axes : {kCompounds[1], kCompounds[2], kCompounds[3]}) {
    World world(limb(axes, JointKind::kCompound, 5e-4));
    const double start = world.step().energy;
    double worst = 0;
    for (int k = 0; k < 12000; ++k) {
      const StepReport report = world.step();
      ASSERT_EQ(report.status, StepStatus::kSolved);
      worst = std::max(worst, std::abs(report.energy - start));
    }
    const double weight = 9.81 * 8 * 0.05 * 0.03 * 0.1 * 1000 * 0.3;  // that of half a turn
    EXPECT_LE(worst, 0.005 * weight);
  }
}

TEST(Compound, FilesAndCheckpointsKnowIt) {
  Scene scene = limb(kCompounds[8]);
  scene.joints[0].coordinates[4].stiffness = 2, scene.joints[0].coordinates[4].name = "pitch";
  const std::string text = native_scene_text(scene);
  const Scene read = parse_native_scene(text, "limb.json");
  EXPECT_EQ(native_scene_text(read), text);
  EXPECT_EQ(read.joints[0].coordinates, scene.joints[0].coordinates);
  World world(scene);
  run(world, 50);
  for (int k = 0; k < 100; ++k) {
    std::stringstream stored;
    world.save(stored);
    World again(read);
    again.load(stored);
    run(world, 1), run(again, 1);
    ASSERT_EQ(world.state_hash(), again.state_hash()) << k;
  }
}

TEST(Compound, AxesThatRepeatEachOtherAreRefused) {
  EXPECT_FALSE(are_independent({hinge({0, 0, 1}), hinge({0, 0, -1}, {0, 0, 2})}));
  EXPECT_FALSE(are_independent({slide({1, 0, 0}), slide({0, 1, 0}), slide({1, 1, 0})}));
  EXPECT_FALSE(are_independent({hinge({0, 0, 1}), hinge({1, 0, 0}), hinge({0, 1, 0}), hinge({0, 0, 1})}));
  Scene scene = limb(kCompounds[1]);
  scene.joints[0].axes.clear();
  EXPECT_THROW(World{scene}, std::exception);
}

}  // namespace
}  // namespace repose
