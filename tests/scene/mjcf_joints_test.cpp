// SPDX-License-Identifier: Apache-2.0
// Robots in MJCF: joints and their composition, equalities, tendons, actuators and keyframes. Expected numbers follow
// MuJoCo's documentation.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "repose/scene/load.h"
#include "repose/world/world.h"
#include "tests/support/temporary_folder.h"

namespace repose {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

LoadedScene read(const std::string& content) {
  const testing::TemporaryFolder folder;
  folder.write("robot.xml", "<mujoco>" + content + "</mujoco>");
  return load_scene(folder / "robot.xml");
}
Scene scene(const std::string& content) { return read(content).scene; }
Scene world(const std::string& content) { return scene("<worldbody>" + content + "</worldbody>"); }

void expect_near(Vec3 a, Vec3 b, double close = 1e-14) {
  EXPECT_LT(norm(a - b), close) << a.x << ' ' << a.y << ' ' << a.z;
}

/// Two links: a hinge on the world, a slide on the first.
const char* const kArm = R"(
  <body name="upper" pos="0 0 1" euler="0 0 90"><joint name="shoulder" axis="0 2 0" pos="0 0 0.5" range="-90 45"
    damping="0.5" frictionloss="0.25" armature="0.125" stiffness="3" springref="30"/><geom size="0.1"/>
    <body name="lower" pos="1 0 0"><joint name="reach" type="slide" axis="1 0 0" ref="0.25"/><geom size="0.1"/></body>
  </body>)";

TEST(MjcfJoints, HingesAndSlidesConnectABodyWithItsParent) {
  const Scene s = world(kArm);
  ASSERT_EQ(s.joints.size(), 2U);
  const SceneJoint &hinge = s.joints[0], &slide = s.joints[1];
  EXPECT_EQ(hinge.name, "shoulder");
  EXPECT_EQ(hinge.kind, JointKind::kHinge);
  EXPECT_EQ(hinge.body_a, kWorldBody);
  EXPECT_EQ(s.bodies[static_cast<std::size_t>(hinge.body_b)].name, "upper");
  expect_near(hinge.frame_a.position, {0, 0, 1.5});
  expect_near(rotate(hinge.frame_a.rotation, {0, 0, 1}), {-1, 0, 0});  // y of a body turned by 90 degrees
  expect_near(rotate(hinge.frame_b.rotation, {0, 0, 1}), {0, 1, 0});
  const JointCoordinate& c = hinge.coordinates[0];
  EXPECT_NEAR(c.lower, -90 * kDegree, 1e-15);
  EXPECT_NEAR(c.upper, 45 * kDegree, 1e-15);
  EXPECT_NEAR(c.reference, 30 * kDegree, 1e-15);
  EXPECT_EQ(c.damping, 0.5);
  EXPECT_EQ(c.friction, 0.25);
  EXPECT_EQ(c.armature, 0.125);
  EXPECT_EQ(c.stiffness, 3);
  EXPECT_EQ(slide.kind, JointKind::kSlide);
  EXPECT_EQ(slide.body_a, hinge.body_b);
  EXPECT_NEAR(World(s).joint_position(1), 0.25, 1e-15);  // ref
}

TEST(MjcfJoints, RangesActByLimitedAndAutolimits) {
  const auto upper = [](const std::string& compiler, const std::string& attributes) {
    return scene("<compiler angle='radian' " + compiler + "/><worldbody><body><joint " + attributes +
                 "/><geom size='1'/></body></worldbody>")
        .joints[0]
        .coordinates[0]
        .upper;
  };
  EXPECT_EQ(upper("", "range='0 1'"), 1);
  EXPECT_EQ(upper("", "range='0 1' limited='false'"), JointCoordinate::kNoLimit);
  EXPECT_EQ(upper("autolimits='false'", "range='0 1' limited='true'"), 1);
}

TEST(MjcfJoints, TwoHingesThatMeetAreUniversal) {
  const Scene s = world(
      "<body><joint name='x' axis='1 0 0' pos='0 0 1' ref='10'/><joint name='y' axis='0 1 0' pos='0 0 1' ref='20'/>"
      "<geom size='1'/></body>");
  ASSERT_EQ(s.joints.size(), 1U);
  EXPECT_EQ(s.joints[0].kind, JointKind::kUniversal);
  EXPECT_EQ(s.joints[0].name, "x+y");
  EXPECT_EQ(s.joints[0].coordinates[1].name, "y");
  const World w(s);
  EXPECT_NEAR(w.joint_position(0, 0), 10 * kDegree, 1e-14);
  EXPECT_NEAR(w.joint_position(0, 1), 20 * kDegree, 1e-14);
}

TEST(MjcfJoints, HingeAndSlideAlongOneAxisAreCylindrical) {
  for (const char* order : {"<joint name='h' ref='30'/><joint name='s' type='slide' ref='0.5'/>",
                            "<joint name='s' type='slide' ref='0.5'/><joint name='h' ref='30'/>"}) {
    const Scene s = world("<body>" + std::string(order) + "<geom size='1'/></body>");
    ASSERT_EQ(s.joints.size(), 1U);
    EXPECT_EQ(s.joints[0].kind, JointKind::kCylindrical);
    EXPECT_EQ(s.joints[0].coordinates[0].name, "s");
    EXPECT_NEAR(World(s).joint_position(0, 0), 0.5, 1e-15);
    EXPECT_NEAR(World(s).joint_position(0, 1), 30 * kDegree, 1e-14);
  }
}

TEST(MjcfJoints, TwoSlidesAndAHingeAreAPlanarJoint) {
  const Scene s = scene(R"(<worldbody><body pos="0 0 1"><joint name="x" type="slide" axis="1 0 0"/>
      <joint name="z" type="slide" axis="0 0 1" ref="1"/><joint name="pitch" axis="0 1 0"/><geom size="0.1"/></body>
      </worldbody><keyframe><key qpos="0.25 2 0.5"/></keyframe>)");
  ASSERT_EQ(s.joints.size(), 1U);
  EXPECT_EQ(s.joints[0].kind, JointKind::kPlanar);
  expect_near(s.bodies[0].pose.position, {0.25, 0, 2});
  const World w(s);
  for (int k = 0; k < 3; ++k) {
    const std::string& name = s.joints[0].coordinates[static_cast<std::size_t>(k)].name;
    EXPECT_NEAR(w.joint_position(0, k), name == "x" ? 0.25 : name == "z" ? 2 : 0.5, 1e-14) << name;
  }
}

TEST(MjcfJoints, OtherHingesAndSlidesAreACompound) {
  const Scene s = scene(R"(<worldbody><body pos="0 0 1"><joint name="x" axis="1 0 0" ref="10"/>
      <joint name="s" type="slide" axis="0 1 0" ref="0.5"/><joint name="z" axis="0 0 1" pos="0.1 0 0.2" ref="-20"/>
      <joint name="y" axis="0.1 1 0" range="-90 90"/><geom size="0.1"/></body></worldbody>
      <keyframe><key/><key qpos="0.3 0.7 -0.2 0.4"/></keyframe>)");
  ASSERT_EQ(s.joints.size(), 1U);
  const SceneJoint& joint = s.joints[0];
  EXPECT_EQ(joint.kind, JointKind::kCompound);
  EXPECT_EQ(joint.name, "x+s+z+y");
  ASSERT_EQ(joint.axes.size(), 4U);
  EXPECT_TRUE(joint.axes[1].slides);
  EXPECT_NEAR(joint.coordinates[3].upper, 90 * kDegree, 1e-15);
  const double drawn[] = {10 * kDegree, 0.5, -20 * kDegree, 0};
  const World w(s);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(w.joint_position(0, k), drawn[k], 1e-14) << k;
}

TEST(MjcfJoints, ActivationsComeFromTheirAttributesAndKeys) {
  const Scene s =
      scene(R"(<worldbody><body><joint name="a" range="-90 90"/><geom size="1"/></body></worldbody><actuator>
      <motor joint="a"/><general joint="a" dyntype="filterexact" dynprm="0.2" actrange="-1 2" actearly="true"/>
      <position joint="a" kp="3" timeconst="0.1"/><intvelocity joint="a" kp="3" inheritrange="1"/>
      <cylinder joint="a" diameter="2" timeconst="0.3" bias="1 2 3"/></actuator>
      <keyframe><key act="0.1 0.2 0.3 0.4"/></keyframe>)");
  const std::vector<SceneActuator>& all = s.actuators;
  ASSERT_EQ(all.size(), 5U);
  EXPECT_FALSE(all[0].has_state());
  EXPECT_EQ(all[1].dynamics, ActuatorDynamics::kFilterExact);
  EXPECT_EQ(all[1].time, 0.2);
  EXPECT_TRUE(all[1].early);
  EXPECT_EQ(all[1].activation_upper, 2);
  EXPECT_EQ(all[2].dynamics, ActuatorDynamics::kFilterExact);
  EXPECT_EQ(all[2].time, 0.1);
  EXPECT_EQ(all[3].dynamics, ActuatorDynamics::kIntegrator);
  EXPECT_NEAR(all[3].activation_lower, -90 * kDegree, 1e-15);
  EXPECT_EQ(all[4].dynamics, ActuatorDynamics::kFilter);
  EXPECT_NEAR(all[4].gain[0], M_PI, 1e-15);
  EXPECT_EQ(all[4].bias[2], 3);
  for (std::size_t k = 1; k < 5; ++k) EXPECT_NEAR(all[k].activation, 0.1 * static_cast<double>(k), 1e-15);
}

TEST(MjcfJoints, TheTotalMassIsThatOfTheCompiler) {
  const Scene s = scene(R"(<compiler settotalmass="14"/><worldbody><geom type="box" size="1 1 1" pos="0 0 -1"/>
      <body><joint/><geom size="0.1" mass="1"/></body><body pos="1 0 0"><joint/><geom size="0.1" mass="3"/></body>
      </worldbody>)");
  EXPECT_NEAR(s.bodies[1].mass->mass, 3.5, 1e-14);
  EXPECT_NEAR(s.bodies[2].mass->mass, 10.5, 1e-14);
}

TEST(MjcfJoints, BodiesWithoutAJointArePartsOfTheOneAbove) {
  const Scene s = world(R"(<body name="base"><geom size="0.1"/>
      <body name="arm"><joint/><geom size="0.1"/><body name="hand" pos="1 0 0"><geom size="0.1"/>
        <body name="finger" pos="0 0 1"><joint/><geom size="0.1"/></body></body></body></body>)");
  ASSERT_EQ(s.bodies.size(), 3U);
  EXPECT_EQ(s.bodies[1].name, "arm");
  EXPECT_EQ(s.bodies[1].shapes.size(), 2U);
  EXPECT_EQ(s.joints[0].body_a, kWorldBody);  // the base does not move
  EXPECT_EQ(s.joints[1].body_a, 1);
  expect_near(s.joints[1].frame_a.position, {1, 0, 1});
}

/// MuJoCo's filter: a body does not collide with the one it is joined to, unless that is fixed to the world.
TEST(MjcfJoints, BodiesCollideWithTheirBaseUnlessItMoves) {
  const Scene s = world(R"(<body name="base"><geom size="0.1"/>
      <body name="arm"><joint/><geom size="0.1"/><body name="hand"><joint/><geom size="0.1"/></body></body></body>)");
  EXPECT_EQ(s.joints[0].body_a, kWorldBody);  // nothing is excluded
  EXPECT_EQ(s.joints[1].body_a, 1);
  EXPECT_FALSE(s.joints[1].collide);
}

TEST(MjcfJoints, KeysMoveTheTreeAndItsVelocities) {
  const std::string tree = R"(<worldbody>
    <body name="a" pos="1 0 0"><joint name="q" axis="0 0 1"/><geom type="box" size="0.1 0.2 0.3" pos="0.5 0 0"/>
      <body name="b" pos="1 0 0"><joint name="p" type="slide" axis="1 0 0"/><geom size="0.1"/>
        <body name="c" pos="0 1 0"><joint name="w" type="ball" pos="0 0.25 0"/><geom size="0.1"/></body></body></body>
    </worldbody>)";
  const Scene s = scene(tree +
                        "<actuator><motor joint='q'/><position joint='p'/></actuator><keyframe><key "
                        "qpos='1.5707963267948966 0.5 0.7071067811865476 0 0 0.7071067811865476' "
                        "qvel='2 3 0 0 4' ctrl='5 6'/></keyframe>");
  expect_near(s.bodies[1].pose.position, {1, 1.5, 0});
  expect_near(s.bodies[1].angular_velocity, {0, 0, 2});
  expect_near(s.bodies[1].velocity, {-3, 3, 0});  // 2 × 1.5 m sideways, 3 along
  expect_near(s.bodies[0].velocity, {-1, 0, 0});  // its centre, 0.5 m from the axis
  // c: its ball is at (−0.25 … ) of b's turned frame and turns it by another 90 degrees.
  expect_near(rotate(s.bodies[2].pose.rotation, {1, 0, 0}), {-1, 0, 0});
  expect_near(s.bodies[2].angular_velocity, {0, 0, 6});
  EXPECT_EQ(s.actuators[0].control, 5);
  EXPECT_EQ(s.actuators[1].control, 6);
  // All joints hold, in position and velocity: differences over a short step.
  Scene later = s;
  later.gravity = {}, later.dt = 1e-7;
  for (SceneActuator& actuator : later.actuators) actuator.control = 0;
  World w(later);
  EXPECT_EQ(w.step().status, StepStatus::kSolved);
  EXPECT_NEAR(w.joint_position(0), std::numbers::pi / 2 + 2e-7, 1e-12);
  EXPECT_NEAR(w.joint_position(1), 0.5 + 3e-7, 1e-12);
}

TEST(MjcfJoints, EqualitiesAreJointsAndCouplings) {
  const std::string tree = R"(<worldbody>
    <body name="a"><joint name="p"/><geom size="0.1"/></body>
    <body name="b" pos="1 0 0"><joint name="q" ref="10"/><geom size="0.1"/></body></worldbody>)";
  const Scene s = scene(tree + R"(<equality><connect body1="a" body2="b" anchor="0.25 0 0"/>
      <weld body1="a" relpose="0 0 1 1 0 0 0"/><joint joint1="p" joint2="q" polycoef="0.1 2 3"/>
      <joint joint1="p" active="false"/></equality>)");
  ASSERT_EQ(s.joints.size(), 5U);
  EXPECT_EQ(s.joints[2].kind, JointKind::kBall);
  EXPECT_TRUE(s.joints[2].collide);
  expect_near(s.joints[2].frame_a.position, {0.25, 0, 0});
  expect_near(s.joints[2].frame_b.position, {-0.75, 0, 0});
  EXPECT_EQ(s.joints[3].kind, JointKind::kFixed);
  const SceneJoint& mimic = s.joints[4];
  EXPECT_EQ(mimic.kind, JointKind::kCoupling);
  const double r = 10 * kDegree;  // p = 0.1 + 2 (q − r) + 3 (q − r)²
  const double q = 0.7, p = 0.1 + 2 * (q - r) + 3 * (q - r) * (q - r);
  const auto& f = mimic.terms[1].factors;
  EXPECT_NEAR(p + f[0] * q + f[1] * q * q, *mimic.hold, 1e-15);
}

TEST(MjcfJoints, TendonsAndActuators) {
  const Scene s = scene(R"(<default><general forcerange="-3 4"/><position kp="7"/></default><worldbody>
    <site name="hook" pos="0 0 2"/>
    <body name="a"><joint name="p" actuatorfrcrange="-1 2"/><geom size="0.1"/><site name="top" pos="0 0 1"/></body>
    <body name="b" pos="1 0 0"><joint name="q"/><geom size="0.1"/></body>
    <body name="c" pos="2 0 0"><joint name="r" range="-90 90"/><geom size="0.1"/></body></worldbody>
    <tendon><fixed name="both" range="-1 1" stiffness="2" springlength="0.5"><joint joint="p" coef="0.5"/>
      <joint joint="q" coef="-2"/></fixed><spatial name="rope" range="0 1.5"><site site="hook"/><site site="top"/></spatial>
    </tendon>
    <actuator><motor name="m" joint="p" gear="2" ctrlrange="-5 5"/><position name="s" tendon="both" kv="0.5"/>
      <velocity name="v" joint="q" kv="3"/><damper name="d" joint="q" kv="4"/>
      <general name="g" joint="q" gainprm="2" biastype="affine" biasprm="1 -2 -3"/>
      <position name="i" joint="r" inheritrange="0.5" forcerange="-0.5 0.5"/></actuator>)");
  const SceneJoint& both = s.joints[3];
  EXPECT_EQ(both.kind, JointKind::kCoupling);
  EXPECT_EQ(both.terms[1].factors[0], -2);
  EXPECT_EQ(both.coordinates[0].upper, 1);
  EXPECT_EQ(both.coordinates[0].reference, 0.5);
  EXPECT_EQ(s.joints[4].kind, JointKind::kRope);
  EXPECT_EQ(s.joints[4].length, 1.5);
  using Terms = std::array<double, 3>;
  EXPECT_EQ(s.actuators[0].gear, 2);
  EXPECT_EQ(s.actuators[0].control_upper, 5);
  EXPECT_EQ(s.actuators[0].force_lower, -0.5);  // −1 N m of the joint over the gear
  EXPECT_EQ(s.actuators[0].force_upper, 1);
  EXPECT_EQ(s.actuators[1].joint, 3);
  EXPECT_EQ(s.actuators[1].gain, (Terms{7, 0, 0}));
  EXPECT_EQ(s.actuators[1].bias, (Terms{0, -7, -0.5}));
  EXPECT_EQ(s.actuators[1].force_upper, 4);
  EXPECT_EQ(s.actuators[2].bias, (Terms{0, 0, -3}));
  EXPECT_EQ(s.actuators[3].gain, (Terms{0, 0, -4}));
  EXPECT_EQ(s.actuators[4].gain, (Terms{2, 0, 0}));
  EXPECT_EQ(s.actuators[4].bias, (Terms{1, -2, -3}));
  EXPECT_NEAR(s.actuators[5].control_lower, -45 * kDegree, 1e-15);
  EXPECT_EQ(s.actuators[5].force_upper, 0.5);
}

TEST(MjcfJoints, ReplicateMakesCopiesWithNumbers) {
  const Scene s = world(R"(<replicate count="3" offset="1 0 0" euler="0 0 90" sep="-"><body name="leg" pos="0 1 0">
      <joint name="hip"/><geom size="0.1"/></body></replicate>)");
  ASSERT_EQ(s.bodies.size(), 3U);
  EXPECT_EQ(s.bodies[2].name, "leg-2");
  EXPECT_EQ(s.joints[1].name, "hip-1");
  expect_near(s.bodies[0].pose.position, {0, 1, 0});
  expect_near(s.bodies[1].pose.position, {0, 0, 0});
  expect_near(s.bodies[2].pose.position, {1, 0, 0});
}

TEST(MjcfJoints, MeshesThatAreOnlyShownNeedNoFile) {
  const LoadedScene loaded = read(R"(<asset><mesh name="m" file="gone.stl"/></asset><worldbody>
      <body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <geom type="mesh" mesh="m" contype="0" conaffinity="0"/></body></worldbody>)");
  EXPECT_TRUE(loaded.scene.bodies[0].shapes.empty());
}

TEST(MjcfJoints, ExclusionsOfAPartLeaveTheRestOfTheBody) {
  const Scene s = scene(R"(<worldbody><body name="a"><freejoint/><geom name="ga" size="0.1"/>
        <body name="part" pos="1 0 0"><geom name="gp" size="0.1"/></body></body>
      <body name="b"><freejoint/><geom name="gb" size="0.1"/></body></worldbody>
      <contact><exclude body1="part" body2="b"/></contact>)");
  EXPECT_TRUE(s.excluded.empty());
  const auto& a = s.bodies[0].shapes;
  const SceneShape& b = s.bodies[1].shapes[0];
  const auto collide = [&](const SceneShape& x) { return (x.group & b.mask) != 0 && (b.group & x.mask) != 0; };
  EXPECT_TRUE(collide(a[0]));
  EXPECT_FALSE(collide(a[1]));
}

TEST(MjcfJoints, FrictionFollowsPriorityAndCondim) {
  const Scene s = world(R"(<geom name="floor" type="plane" size="1 1 1"/>
      <body><freejoint/><geom size="1" friction="0.5" priority="1"/></body>
      <body><freejoint/><geom size="1" friction="0.25" condim="1"/></body>)");
  const auto friction = [&](std::size_t x, std::size_t y) {
    const int a = s.bodies[x].shapes[0].material, b = s.bodies[y].shapes[0].material;
    for (const PairOverride& o : s.overrides)
      if ((o.material_a == a && o.material_b == b) || (o.material_a == b && o.material_b == a)) return o.friction;
    return std::max(s.materials[static_cast<std::size_t>(a)].friction,
                    s.materials[static_cast<std::size_t>(b)].friction);
  };
  EXPECT_EQ(friction(0, 1), 0.5);  // of the higher priority
  EXPECT_EQ(friction(0, 2), 1);    // the larger condim and the larger friction
  EXPECT_EQ(friction(1, 2), 0.5);
  EXPECT_EQ(friction(2, 2), 0);
}

}  // namespace
}  // namespace repose
