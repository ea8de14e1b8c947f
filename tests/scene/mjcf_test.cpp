// SPDX-License-Identifier: Apache-2.0
// The MJCF subset, convention by convention. Expected numbers follow MuJoCo's documentation.
#include "repose/scene/mjcf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>

#include "repose/base/error.h"
#include "repose/shape/polyhedron.h"
#include "tests/support/data.h"
#include "tests/support/temporary_folder.h"

namespace repose {
namespace {

/// The content of <mujoco>…</mujoco>, read.
LoadedScene read(const std::string& content) {
  const testing::TemporaryFolder folder;
  folder.write("scene.xml", "<mujoco>" + content + "</mujoco>");
  return load_scene(folder / "scene.xml");
}
Scene scene(const std::string& content) { return read(content).scene; }
Scene world(const std::string& content) { return scene("<worldbody>" + content + "</worldbody>"); }

const SceneBody& find(const Scene& s, const std::string& name) {
  for (const SceneBody& body : s.bodies)
    if (body.name == name) return body;
  throw std::out_of_range("no body " + name);
}

void expect_near(Vec3 a, Vec3 b, double close = 1e-14) {
  EXPECT_LT(norm(a - b), close) << a.x << ' ' << a.y << ' ' << a.z;
}

MassProperties mass_of(const SceneBody& body) {
  if (body.mass) return *body.mass;
  MassProperties all;
  for (const SceneShape& shape : body.shapes) {
    const MassProperties one = moved(mass_properties(shape.geometry, shape.density), shape.pose);
    all = all.mass > 0 ? joined(all, one) : one;
  }
  return all;
}

TEST(Mjcf, DefaultsAreMujocos) {
  const Scene s =
      world("<geom type='plane' size='1 1 1'/><body name='b' pos='0 0 1'><freejoint/><geom size='0.5'/></body>");
  EXPECT_EQ(s.dt, 0.002);
  EXPECT_EQ(s.gravity.z, -9.81);
  EXPECT_EQ(s.combine, Combine::kMaximum);
  EXPECT_EQ(s.materials[0].friction, 1);
  ASSERT_EQ(s.bodies.size(), 2U);
  EXPECT_EQ(s.bodies[0].name, "world");
  EXPECT_TRUE(std::holds_alternative<HalfSpace>(s.bodies[0].shapes[0].geometry));
  const SceneBody& b = find(s, "b");
  EXPECT_EQ(b.kind, BodyKind::kDynamic);
  EXPECT_EQ(std::get<Sphere>(b.shapes[0].geometry).radius, 0.5);
  EXPECT_EQ(b.shapes[0].density, 1000);
}

TEST(Mjcf, OptionsAreRead) {
  const Scene s = scene("<option timestep='0.01' gravity='0 -1 0'/><worldbody/>");
  EXPECT_EQ(s.dt, 0.01);
  expect_near(s.gravity, {0, -1, 0});
  EXPECT_EQ(norm(scene("<option><flag gravity='disable'/></option>").gravity), 0);
}

TEST(Mjcf, OrientationsInEveryForm) {
  const std::string body = "<body name='b' ", end = "><freejoint/><geom type='box' size='1 2 3'/></body>";
  const double r = std::sqrt(0.5);
  // All of these turn x to y.
  for (const char* turn : {"quat='0.70710678118654752 0 0 0.70710678118654752'", "quat='2 0 0 2'",
                           "axisangle='0 0 3 90'", "euler='0 0 90'", "xyaxes='0 1 0 -1 0 0'"}) {
    const Scene s = world(body + turn + end);
    expect_near(rotate(s.bodies[0].pose.rotation, {1, 0, 0}), {0, 1, 0});
    EXPECT_NEAR(std::abs(s.bodies[0].pose.rotation.w), r, 1e-15) << turn;
  }
  const Scene z = world(body + "zaxis='0 5 0'" + end);
  expect_near(rotate(z.bodies[0].pose.rotation, {0, 0, 1}), {0, 1, 0});
  const Scene down = world(body + "zaxis='0 0 -1'" + end);
  expect_near(rotate(down.bodies[0].pose.rotation, {0, 0, 1}), {0, 0, -1});
  const Scene radians =
      scene("<compiler angle='radian'/><worldbody>" + body + "euler='0 0 1.5707963267948966'" + end + "</worldbody>");
  expect_near(rotate(radians.bodies[0].pose.rotation, {1, 0, 0}), {0, 1, 0});
}

TEST(Mjcf, EulerOrders) {
  const std::string content =
      "<worldbody><body name='b' euler='90 90 0'><freejoint/><geom size='1'/></body></worldbody>";
  // Moving axes (xyz): x first, then the new y. Fixed axes (XYZ): x first, then the old y.
  expect_near(rotate(scene(content).bodies[0].pose.rotation, {0, 0, 1}), {1, 0, 0});
  expect_near(rotate(scene("<compiler eulerseq='XYZ'/>" + content).bodies[0].pose.rotation, {0, 0, 1}), {0, -1, 0});
}

TEST(Mjcf, GeomTypesAndSizes) {
  const Scene s = world(
      "<geom type='sphere' size='1'/><geom type='capsule' size='1 2'/><geom type='cylinder' size='1 3'/>"
      "<geom type='box' size='1 2 3' rgba='1 0.5 0 1'/><geom type='capsule' fromto='0 0 0 0 4 0' size='0.5'/>");
  const auto& g = s.bodies[0].shapes;
  ASSERT_EQ(g.size(), 5U);
  EXPECT_EQ(std::get<Capsule>(g[1].geometry).half_length, 2);
  EXPECT_EQ(std::get<Cylinder>(g[2].geometry).half_length, 3);
  EXPECT_EQ(std::get<Box>(g[3].geometry).half.y, 2);
  EXPECT_EQ(g[3].colour->y, 0.5);
  EXPECT_EQ(std::get<Capsule>(g[4].geometry).half_length, 2);
  expect_near(g[4].pose.position, {0, 2, 0});
  EXPECT_NEAR(std::abs(rotate(g[4].pose.rotation, {0, 0, 1}).y), 1, 1e-15);
}

TEST(Mjcf, ClassesAreInherited) {
  const Scene s = scene(R"(
    <default>
      <geom friction="0.3" type="box" size="1 1 1"/>
      <default class="ice"><geom friction="0.1"/>
        <default class="thin"><geom size="1 1 0.1"/></default></default>
    </default>
    <worldbody>
      <geom name="plain"/><geom name="icy" class="ice"/>
      <body childclass="thin"><geom name="thin"/><geom name="own" friction="0.9"/><geom name="main" class="main"/></body>
    </worldbody>)");
  std::map<std::string, const SceneShape*> g;
  for (const SceneBody& body : s.bodies)
    for (const SceneShape& shape : body.shapes) g[shape.name] = &shape;
  const auto mu = [&](const char* name) { return s.materials[static_cast<std::size_t>(g[name]->material)].friction; };
  EXPECT_EQ(mu("plain"), 0.3);
  EXPECT_EQ(mu("icy"), 0.1);
  EXPECT_EQ(mu("thin"), 0.1);
  EXPECT_EQ(mu("own"), 0.9);
  EXPECT_EQ(mu("main"), 0.3);
  EXPECT_EQ(std::get<Box>(g["thin"]->geometry).half.z, 0.1);
  EXPECT_EQ(std::get<Box>(g["main"]->geometry).half.z, 1);
}

TEST(Mjcf, TheOutermostClassIsTheGlobalOneWhateverItsName) {
  const Scene s = scene(
      "<default class='mine'><geom friction='0.25'/></default><worldbody><geom size='1'/>"
      "<geom size='1' class='mine'/></worldbody>");
  ASSERT_EQ(s.materials.size(), 1U);
  EXPECT_EQ(s.materials[0].friction, 0.25);
}

TEST(Mjcf, FixedBodiesInsideAMovingOneArePartsOfIt) {
  const Scene s = world(R"(
    <body name="arm" pos="1 0 0" euler="0 0 90"><freejoint/><geom type="box" size="1 1 1"/>
      <body name="hand" pos="2 0 0"><geom type="sphere" size="0.5" pos="0 0 1"/></body>
    </body>)");
  ASSERT_EQ(s.bodies.size(), 1U);
  ASSERT_EQ(s.bodies[0].shapes.size(), 2U);
  expect_near(s.bodies[0].shapes[1].pose.position, {2, 0, 1});
}

TEST(Mjcf, FixedBodiesOfTheWorldAreStaticAndNest) {
  const Scene s = world(R"(
    <body name="a" pos="1 0 0" euler="0 0 90"><geom type="box" size="1 1 1"/>
      <body name="b" pos="2 0 0"><frame pos="0 0 5"><geom type="sphere" size="0.5" pos="0 0 1"/></frame></body></body>)");
  ASSERT_EQ(s.bodies.size(), 2U);
  const SceneBody& b = find(s, "b");
  EXPECT_EQ(b.kind, BodyKind::kStatic);
  expect_near((b.pose * b.shapes[0].pose).position, {1, 2, 6});
}

TEST(Mjcf, MassFromMassDensityAndInertial) {
  const Scene s = world(R"(
    <body name="m"><freejoint/><geom type="box" size="1 1 1" mass="5"/></body>
    <body name="d"><freejoint/><geom type="box" size="1 1 1" density="2"/></body>
    <body name="i"><freejoint/><geom type="box" size="1 1 1"/>
      <inertial pos="0 0 1" euler="0 0 90" mass="3" diaginertia="1 2 2.5"/></body>
    <body name="f"><freejoint/><inertial pos="0 0 0" mass="3" fullinertia="1 2 2.5 0.1 0.2 0.3"/></body>)");
  EXPECT_NEAR(mass_of(find(s, "m")).mass, 5, 1e-14);
  EXPECT_NEAR(mass_of(find(s, "d")).mass, 16, 1e-14);
  const MassProperties i = mass_of(find(s, "i"));
  EXPECT_EQ(i.mass, 3);
  expect_near(i.centre, {0, 0, 1});
  EXPECT_NEAR(i.inertia.m[0][0], 2, 1e-14);  // turned by 90 degrees
  EXPECT_NEAR(i.inertia.m[1][1], 1, 1e-14);
  EXPECT_EQ(mass_of(find(s, "f")).inertia.m[1][2], 0.3);
}

TEST(Mjcf, InertialOfAFixedPartAddsToTheWhole) {
  const Scene s = world(R"(
    <body name="b"><freejoint/><geom type="sphere" size="1" mass="2"/>
      <body pos="4 0 0"><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/><geom type="sphere" size="1"/></body></body>)");
  EXPECT_NEAR(mass_of(s.bodies[0]).mass, 4, 1e-14);
  expect_near(mass_of(s.bodies[0]).centre, {2, 0, 0});
}

TEST(Mjcf, InertiaFromGeomOverrides) {
  const std::string body = R"(<worldbody><body><freejoint/><geom type="box" size="1 1 1" density="1"/>
      <inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/></body></worldbody>)";
  EXPECT_NEAR(mass_of(scene(body).bodies[0]).mass, 3, 1e-14);
  EXPECT_NEAR(mass_of(scene("<compiler inertiafromgeom='true'/>" + body).bodies[0]).mass, 8, 1e-14);
}

/// MuJoCo moves a mesh to its own mass centre and corrects the geom's frame for it: what is authored stays in place.
TEST(Mjcf, AMeshOffItsOriginStaysWhereItWasDrawn) {
  const std::string tetra = "10 0 0  11 0 0  10 1 0  10 0 1";
  const Scene s = scene("<asset><mesh name='t' vertex='" + tetra + "' scale='1 1 2'/></asset><worldbody>" +
                        "<body name='b' pos='0 0 5'><freejoint/><geom type='mesh' mesh='t' pos='1 0 0' euler='0 0 "
                        "90'/></body></worldbody>");
  const SceneBody& b = s.bodies[0];
  const Pose place = b.pose * b.shapes[0].pose;
  std::vector<Vec3> corners;
  for (Vec3 v : std::get<Hull>(b.shapes[0].geometry).polyhedron->vertices) corners.push_back(place * v);
  for (Vec3 wanted : {Vec3{1, 10, 5}, Vec3{1, 11, 5}, Vec3{0, 10, 5}, Vec3{1, 10, 7}})
    EXPECT_TRUE(std::any_of(corners.begin(), corners.end(), [&](Vec3 c) { return norm(c - wanted) < 1e-13; }));
  expect_near(mass_of(b).centre, {1 - 0.25, 10.25, 0.5}, 1e-12);
}

TEST(Mjcf, MeshReferenceFrame) {
  const Scene s = scene(
      R"(<asset><mesh name='t' vertex='1 0 0 2 0 0 1 1 0 1 0 1' refpos='1 0 0' refquat='0.7071067811865476 0 0 0.7071067811865476'/></asset>
    <worldbody><geom type='mesh' mesh='t'/></worldbody>)");
  bool found = false;  // (2,0,0) - (1,0,0) = x, turned back by 90 degrees about z: -y
  for (Vec3 v : std::get<Hull>(s.bodies[0].shapes[0].geometry).polyhedron->vertices)
    found |= norm(v - Vec3{0, -1, 0}) < 1e-14;
  EXPECT_TRUE(found);
}

TEST(Mjcf, MeshFilesLieInTheMeshFolder) {
  const testing::TemporaryFolder folder;
  folder.write("assets/t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  folder.write("s.xml",
               "<mujoco><compiler meshdir='assets'/><asset><mesh file='t.obj'/></asset>"
               "<worldbody><geom type='mesh' mesh='t'/></worldbody></mujoco>");
  EXPECT_EQ(load_scene(folder / "s.xml").scene.bodies.size(), 1U);
}

bool collide(const SceneShape& a, const SceneShape& b) { return (a.group & b.mask) != 0 && (b.group & a.mask) != 0; }

/// MuJoCo's rule: contype of one meets conaffinity of the other, either way round.
TEST(Mjcf, FiltersFollowMujocosRuleForEveryPair) {
  std::string geoms;
  std::vector<std::pair<int, int>> bits;
  for (int contype : {0, 1, 2, 3})
    for (int conaffinity : {0, 1, 2, 3}) {
      bits.emplace_back(contype, conaffinity);
      geoms += "<geom size='1' contype='" + std::to_string(contype) + "' conaffinity='" + std::to_string(conaffinity) +
               "'/>";
    }
  const Scene s = world(geoms);
  for (std::size_t i = 0; i < bits.size(); ++i)
    for (std::size_t j = 0; j < bits.size(); ++j) {
      const bool wanted = (bits[i].first & bits[j].second) != 0 || (bits[j].first & bits[i].second) != 0;
      EXPECT_EQ(collide(s.bodies[0].shapes[i], s.bodies[0].shapes[j]), wanted) << i << ' ' << j;
    }
}

TEST(Mjcf, PairsAndExclusions) {
  const Scene s = scene(R"(
    <worldbody><geom name="floor" type="plane" size="1 1 1"/>
      <body name="a"><freejoint/><geom name="ga" size="1" contype="0" conaffinity="0"/></body>
      <body name="b"><freejoint/><geom name="gb" size="1"/></body></worldbody>
    <contact><pair geom1="ga" geom2="floor" friction="0.25 0.25"/><exclude body1="a" body2="b"/></contact>)");
  const SceneShape &floor = find(s, "world").shapes[0], &a = find(s, "a").shapes[0], &b = find(s, "b").shapes[0];
  EXPECT_TRUE(collide(floor, a));
  EXPECT_TRUE(collide(floor, b));
  EXPECT_FALSE(collide(a, b));
  ASSERT_EQ(s.overrides.size(), 1U);
  EXPECT_EQ(s.overrides[0].friction, 0.25);
  EXPECT_EQ(s.overrides[0].material_a, a.material);
  EXPECT_EQ(s.overrides[0].material_b, floor.material);
  EXPECT_NE(b.material, a.material);
  ASSERT_EQ(s.excluded.size(), 1U);
}

TEST(Mjcf, TheFirstKeyIsTheStart) {
  const Scene s = scene(R"(
    <worldbody><body name="b" pos="9 9 9"><freejoint/><geom type="sphere" size="1" pos="0 0 2"/></body></worldbody>
    <keyframe><key qpos="1 2 3 0.7071067811865476 0 0.7071067811865476 0" qvel="1 0 0 0 3 0"/><key qpos="0 0 0 1 0 0 0"/></keyframe>)");
  const SceneBody& b = s.bodies[0];
  expect_near(b.pose.position, {1, 2, 3});
  expect_near(rotate(b.pose.rotation, {0, 0, 1}), {1, 0, 0});
  expect_near(b.angular_velocity, {0, 3, 0}, 1e-14);  // about its own y, which is the world's y
  // The mass centre is 2 m along x from the frame: ω × r = (0,3,0) × (2,0,0) = (0,0,-6).
  expect_near(b.velocity, {1, 0, -6}, 1e-14);
}

TEST(Mjcf, IncludesAreResolved) {
  const testing::TemporaryFolder folder;
  folder.write("main.xml",
               "<mujoco><include file='parts/a.xml'/><worldbody><body name='x'><include "
               "file='parts/b.xml'/></body></worldbody></mujoco>");
  folder.write("parts/a.xml", "<mujoco><option timestep='0.5'/></mujoco>");
  folder.write("parts/b.xml", "<mujocoinclude><freejoint/><geom size='1'/></mujocoinclude>");
  const Scene s = load_scene(folder / "main.xml").scene;
  EXPECT_EQ(s.dt, 0.5);
  EXPECT_EQ(s.bodies[0].kind, BodyKind::kDynamic);
}

TEST(Mjcf, WhatHasNoMeaningIsListedOnce) {
  const LoadedScene loaded = read(R"(
    <option solver="Newton" iterations="50"/><visual><global offwidth="1"/></visual><size memory="1M"/>
    <worldbody><light pos="0 0 1"/><camera name="c"/><geom size="1" solref="0.1 1" margin="0.1"/>
      <geom size="1" solref="0.1 1" condim="4"/></worldbody><sensor><clock/></sensor>)");
  const std::vector<std::string> wanted = {
      "camera",        "geom condim above 3", "geom margin", "geom solref", "light", "option iterations",
      "option solver", "sensor clock",        "size",        "visual"};
  EXPECT_EQ(loaded.ignored, wanted);
}

TEST(Mjcf, GravityCompensation) {
  EXPECT_EQ(world("<body gravcomp='0.25'><freejoint/><geom size='1'/></body>").bodies[0].gravity_scale, 0.75);
}

/// The published conversion of the arch has its meshes beside it as OBJ; made from STL names here.
TEST(Mjcf, TheRigidIpcConversionOfTheArchLoads) {
  REPOSE_NEEDS_DATA("rigid-ipc/mjcf");
  const testing::TemporaryFolder folder;
  std::ifstream in(testing::data_dir() / "rigid-ipc/mjcf/mujoco-arch-101-stones.xml");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::string meshes = (testing::data_dir() / "rigid-ipc/meshes").string();
  text.replace(text.find("<mujoco>"), 8, "<mujoco><compiler meshdir=\"" + meshes + "\"/>");
  for (std::size_t at = text.find(".stl"); at != text.npos; at = text.find(".stl")) text.replace(at, 4, ".obj");
  // The ground is a flat mesh, which spans no volume: leave it out.
  const std::size_t ground = text.find("mesh=\"plane"), begin = text.rfind("<body", ground),
                    end = text.find("</body>", ground);
  text.erase(begin, end + 7 - begin);
  folder.write("arch.xml", text);
  const Scene s = load_scene(folder / "arch.xml").scene;
  EXPECT_EQ(
      std::count_if(s.bodies.begin(), s.bodies.end(), [](const SceneBody& b) { return b.kind == BodyKind::kDynamic; }),
      101);
  double total = 0;
  for (const SceneBody& body : s.bodies) total += mass_of(body).mass;
  EXPECT_NEAR(total, 1.0191e7, 500);
}

}  // namespace
}  // namespace repose
