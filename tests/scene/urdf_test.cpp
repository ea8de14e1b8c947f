// SPDX-License-Identifier: Apache-2.0
// Robots in URDF: joints, merged links, masses, shapes, packages. Expected numbers follow the format's definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "repose/base/error.h"
#include "repose/scene/load.h"
#include "repose/shape/polyhedron.h"
#include "repose/world/world.h"
#include "tests/support/temporary_folder.h"

namespace repose {
namespace {

constexpr double kPi = std::numbers::pi;
const std::string kMass =
    "<inertial><mass value='2'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";

LoadedScene read(const std::string& content, const LoadOptions& options = {}) {
  const testing::TemporaryFolder folder;
  folder.write("robot.urdf", "<robot name='r'>" + content + "</robot>");
  return load_scene(folder / "robot.urdf", options);
}

std::string link(const std::string& name, const std::string& content = kMass) {
  return "<link name='" + name + "'>" + content + "</link>";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& rest = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child + "'/>" +
         rest + "</joint>";
}
const std::string kLimit = "<limit lower='-1' upper='2' effort='5' velocity='1'/>";

void expect_near(Vec3 a, Vec3 b, double close = 1e-14) {
  EXPECT_LT(norm(a - b), close) << a.x << ' ' << a.y << ' ' << a.z;
}
const SceneBody& body_of(const Scene& s, const std::string& name) {
  return *std::find_if(s.bodies.begin(), s.bodies.end(), [&](const SceneBody& b) { return b.name == name; });
}
bool lists(const std::vector<std::string>& words, const std::string& start) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& w) { return w.starts_with(start); });
}

TEST(Urdf, JointsHaveTheFrameOfTheirChild) {
  const LoadedScene loaded =
      read(link("base") + link("arm") + link("slider") +
           joint("turn", "revolute", "base", "arm",
                 "<origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><axis xyz='0 3 0'/>" + kLimit +
                     "<dynamics damping='0.5' friction='0.25'/>") +
           joint("move", "prismatic", "arm", "slider", "<origin xyz='1 0 0'/><axis xyz='1 0 0'/>" + kLimit));
  const Scene& s = loaded.scene;
  EXPECT_EQ(loaded.format, "urdf");
  EXPECT_EQ(body_of(s, "base").kind, BodyKind::kStatic);
  expect_near(body_of(s, "slider").pose.position, {1, 3, 3});
  ASSERT_EQ(s.joints.size(), 2U);
  const SceneJoint& turn = s.joints[0];
  EXPECT_EQ(turn.kind, JointKind::kHinge);
  EXPECT_EQ(turn.body_a, kWorldBody);
  expect_near(turn.frame_a.position, {1, 2, 3});
  expect_near(rotate(turn.frame_a.rotation, {0, 0, 1}), {-1, 0, 0});  // y after a quarter turn about z
  EXPECT_EQ(turn.coordinates[0].lower, -1);
  EXPECT_EQ(turn.coordinates[0].upper, 2);
  EXPECT_EQ(turn.coordinates[0].damping, 0.5);
  EXPECT_EQ(turn.coordinates[0].friction, 0.25);
  EXPECT_EQ(s.joints[1].kind, JointKind::kSlide);
  ASSERT_EQ(s.actuators.size(), 2U);
  EXPECT_EQ(s.actuators[0].name, "turn");
  EXPECT_EQ(s.actuators[0].force_upper, 5);
  EXPECT_TRUE(lists(loaded.ignored, "limit velocity"));
}

TEST(Urdf, AnglesAreRollPitchYawAboutFixedAxes) {
  const Scene s = read(link("base") + link("a") +
                       joint("j", "floating", "base", "a", "<origin rpy='1.5707963267948966 0 1.5707963267948966'/>"))
                      .scene;
  // Roll carries y to z, yaw leaves z; roll leaves x, yaw carries it to y.
  expect_near(rotate(body_of(s, "a").pose.rotation, {0, 1, 0}), {0, 0, 1});
  expect_near(rotate(body_of(s, "a").pose.rotation, {1, 0, 0}), {0, 1, 0});
}

TEST(Urdf, ContinuousPlanarAndFloatingJoints) {
  const Scene s = read(link("base") + link("a") + link("b") + link("c") +
                       joint("spin", "continuous", "base", "a", "<limit effort='2' velocity='9'/>") +
                       joint("plane", "planar", "base", "b", "<origin xyz='0 0 1'/><axis xyz='0 1 0'/>") +
                       joint("free", "floating", "b", "c", "<origin xyz='0 5 0'/>"))
                      .scene;
  ASSERT_EQ(s.joints.size(), 2U);
  EXPECT_FALSE(s.joints[0].coordinates[0].is_limited());
  expect_near(rotate(s.joints[0].frame_b.rotation, {0, 0, 1}), {1, 0, 0});  // the axis where none is given
  EXPECT_EQ(s.joints[1].kind, JointKind::kPlanar);
  expect_near(rotate(s.joints[1].frame_a.rotation, {0, 0, 1}), {0, 1, 0});  // the normal of the plane
  expect_near(body_of(s, "c").pose.position, {0, 5, 1});
  EXPECT_EQ(s.actuators.size(), 1U);
}

TEST(Urdf, LinksOnFixedJointsAreParts) {
  const std::string ball = "<collision><geometry><sphere radius='0.1'/></geometry></collision>";
  const Scene s =
      read(link("base") + link("arm") + link("tool", kMass + ball) + joint("j", "continuous", "base", "arm") +
           joint("f", "fixed", "arm", "tool", "<origin xyz='0 0 1' rpy='0 0 1'/>"))
          .scene;
  ASSERT_EQ(s.bodies.size(), 2U);
  const SceneBody& arm = body_of(s, "arm");
  EXPECT_EQ(arm.mass->mass, 4);
  expect_near(arm.mass->centre, {0, 0, 0.5});
  EXPECT_NEAR(arm.mass->inertia.m[0][0], 2 + 4 * 0.25, 1e-14);  // Steiner
  EXPECT_NEAR(arm.mass->inertia.m[2][2], 2, 1e-14);
  ASSERT_EQ(arm.shapes.size(), 1U);
  expect_near(arm.shapes[0].pose.position, {0, 0, 1});
  EXPECT_EQ(arm.shapes[0].name, "tool");
}

TEST(Urdf, InertiaIsGivenInAFrameOfItsOwn) {
  const Scene s = read(link("base") +
                       link("a",
                            "<inertial><origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
                            "<inertia ixx='1' ixy='0' ixz='0' iyy='2' iyz='0' izz='2.5'/></inertial>") +
                       joint("j", "continuous", "base", "a"))
                      .scene;
  const MassProperties& mass = *body_of(s, "a").mass;
  expect_near(mass.centre, {1, 0, 0});
  EXPECT_NEAR(mass.inertia.m[0][0], 2, 1e-14);
  EXPECT_NEAR(mass.inertia.m[1][1], 1, 1e-14);
}

TEST(Urdf, SizesAreFullSizes) {
  const auto shape = [](const std::string& geometry) {
    return read(link("base", "<collision><geometry>" + geometry + "</geometry></collision>"))
        .scene.bodies[0]
        .shapes[0]
        .geometry;
  };
  expect_near(std::get<Box>(shape("<box size='1 2 3'/>")).half, {0.5, 1, 1.5});
  EXPECT_EQ(std::get<Cylinder>(shape("<cylinder radius='1' length='3'/>")).half_length, 1.5);
  EXPECT_EQ(std::get<Capsule>(shape("<capsule radius='1' length='3'/>")).half_length, 1.5);
  EXPECT_EQ(std::get<Sphere>(shape("<sphere radius='2'/>")).radius, 2);
}

TEST(Urdf, JointsStartWithinTheirRangeAndMimicsWhereTheyBelong) {
  const Scene s =
      read(link("base") + link("a") + link("b") +
           joint("lead", "revolute", "base", "a", "<limit lower='0.25' upper='1' effort='1' velocity='1'/>") +
           joint("follow", "prismatic", "base", "b", kLimit + "<mimic joint='lead' multiplier='2' offset='0.125'/>"))
          .scene;
  const World world(s);
  EXPECT_NEAR(world.joint_position(0), 0.25, 1e-14);
  EXPECT_NEAR(world.joint_position(1), 0.625, 1e-14);
  ASSERT_EQ(s.joints.size(), 3U);
  EXPECT_EQ(s.joints[2].kind, JointKind::kCoupling);
  EXPECT_EQ(*s.joints[2].hold, 0.125);
  EXPECT_EQ(s.actuators.size(), 1U);  // a mimic has no motor
}

/// A mimic of a mimic far from the world: the angles add up along the chain.
TEST(Urdf, AFullTurnIsNotLost) {
  const Scene s = read(link("base") + link("a") + link("b") + joint("lead", "continuous", "base", "a") +
                       joint("follow", "continuous", "base", "b", "<mimic joint='lead' offset='7'/>"))
                      .scene;
  EXPECT_NEAR(World(s).joint_position(1), 7, 1e-13);
}

TEST(Urdf, TheBaseIsFixedUnlessItIsFree) {
  const std::string robot = link("base") + link("arm") + joint("j", "continuous", "base", "arm");
  EXPECT_EQ(read(robot).scene.bodies[0].kind, BodyKind::kStatic);
  EXPECT_EQ(read(robot).scene.excluded, (std::vector<std::pair<int, int>>{{0, 1}}));
  const Scene free = read(robot, {.free_base = true}).scene;
  EXPECT_EQ(free.bodies[0].kind, BodyKind::kDynamic);
  EXPECT_EQ(free.joints[0].body_a, 0);
}

TEST(Urdf, WithoutSelfCollisionLinksMeetOnlyOthers) {
  const std::string ball = "<collision><geometry><sphere radius='0.1'/></geometry></collision>";
  const Scene s =
      read(link("base") + link("a", kMass + ball) + joint("j", "continuous", "base", "a"), {.self_collision = false})
          .scene;
  const SceneShape& shape = body_of(s, "a").shapes[0];
  EXPECT_EQ(shape.group & shape.mask, 0U);
  EXPECT_NE(shape.mask & 1U, 0U);
}

TEST(Urdf, ALinkWithoutInertialHasTheMassOfItsShapes) {
  const std::string cube = "<collision><geometry><box size='1 1 1'/></geometry></collision>";
  const LoadedScene loaded = read(link("base") + link("a", cube) + joint("j", "continuous", "base", "a"));
  EXPECT_FALSE(body_of(loaded.scene, "a").mass.has_value());
  EXPECT_EQ(body_of(loaded.scene, "a").shapes[0].density, 1000);
  EXPECT_TRUE(lists(loaded.simplified, "link 'a': without <inertial>"));
}

TEST(Urdf, VisualsGiveColoursAndShowLinksWithoutCollision) {
  const std::string red = "<material name='red'><color rgba='1 0 0 1'/></material>";
  const std::string visual = "<visual><geometry><box size='1 1 1'/></geometry><material name='red'/></visual>";
  const std::string cube = "<collision><geometry><box size='2 2 2'/></geometry></collision>";
  const Scene s =
      read(red + link("base", visual + cube) + link("a", kMass + visual) + joint("j", "continuous", "base", "a")).scene;
  ASSERT_EQ(body_of(s, "base").shapes.size(), 1U);
  EXPECT_EQ(body_of(s, "base").shapes[0].colour->x, 1);
  ASSERT_EQ(body_of(s, "a").shapes.size(), 1U);
  EXPECT_EQ(body_of(s, "a").shapes[0].mask, 0U);
  EXPECT_EQ(body_of(s, "a").mass->mass, 2);
}

TEST(Urdf, WhatHasNoMeaningIsListed) {
  const LoadedScene loaded = read(link("base") + link("a") +
                                  joint("j", "revolute", "base", "a", kLimit + "<safety_controller k_velocity='1'/>") +
                                  "<transmission name='t'><type>x</type></transmission><gazebo reference='a'/>");
  EXPECT_EQ(loaded.ignored,
            (std::vector<std::string>{"gazebo", "limit velocity", "safety_controller", "transmission"}));
}

class UrdfPackages : public ::testing::Test {
 protected:
  static constexpr const char* kMesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  void write_robot(const std::string& file, const std::string& url) const {
    folder.write(file, "<robot name='r'><link name='base'><collision><geometry><mesh filename='" + url +
                           "' scale='2 -1 1'/></geometry></collision></link></robot>");
  }
  [[nodiscard]] Vec3 half(const std::string& file, const LoadOptions& options = {}) const {
    const Scene s = load_scene(folder / file, options).scene;
    return std::get<Hull>(s.bodies[0].shapes[0].geometry).polyhedron->half;
  }
  testing::TemporaryFolder folder;
};

TEST_F(UrdfPackages, AreFoundAboveTheFile) {
  folder.write("work/arm_description/meshes/t.obj", kMesh);
  write_robot("work/arm_description/urdf/in.urdf", "package://arm_description/meshes/t.obj");
  expect_near(half("work/arm_description/urdf/in.urdf"), {1, 0.5, 0.5});
  write_robot("work/other/urdf/beside.urdf", "package://arm_description/meshes/t.obj");
  expect_near(half("work/other/urdf/beside.urdf"), {1, 0.5, 0.5});
  write_robot("work/arm_description/urdf/path.urdf", "../meshes/t.obj");
  expect_near(half("work/arm_description/urdf/path.urdf"), {1, 0.5, 0.5});
}

TEST_F(UrdfPackages, AreFoundInNamedFolders) {
  folder.write("elsewhere/parts/t.obj", kMesh);
  write_robot("robot.urdf", "package://parts/t.obj");
  EXPECT_THROW((void)half("robot.urdf"), InputError);
  expect_near(half("robot.urdf", {.package_path = "/nowhere:" + folder / "elsewhere"}), {1, 0.5, 0.5});
  for (const char* variable : {"REPOSE_PACKAGE_PATH", "ROS_PACKAGE_PATH"}) {
    setenv(variable, (folder / "elsewhere/parts").c_str(), 1);  // the package itself
    expect_near(half("robot.urdf"), {1, 0.5, 0.5});
    unsetenv(variable);
  }
}

TEST(Urdf, APendulumSwingsAtItsFrequency) {
  const Scene robot = read(link("base") +
                           link("bob",
                                "<inertial><origin xyz='0 0 -1'/><mass value='1'/>"
                                "<inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial>") +
                           joint("j", "continuous", "base", "bob", "<axis xyz='0 1 0'/>"))
                          .scene;
  Scene s = robot;
  s.bodies[1].angular_velocity = {0, 1e-3, 0};
  s.bodies[1].velocity = {-1e-3, 0, 0};
  World world(s);
  const double quarter = 0.5 * kPi * std::sqrt(1.1 / 9.81);
  for (double t = 0; t < quarter - 0.5 * s.dt; t += s.dt) (void)world.step();
  EXPECT_NEAR(world.joint_velocity(0), 0, 1e-5);  // of 1e-3 at the start: within one step of the turning point
  EXPECT_NEAR(std::abs(world.joint_position(0)), 1e-3 * std::sqrt(1.1 / 9.81), 1e-6);
}

}  // namespace
}  // namespace repose
