// SPDX-License-Identifier: Apache-2.0
// All scenes of the Rigid-IPC data set load, with the masses, places and motions that their page states.
#include "repose/scene/rigid_ipc.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "repose/base/error.h"
#include "repose/shape/polyhedron.h"
#include "tests/support/data.h"
#include "tests/support/temporary_folder.h"

namespace repose {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

std::string file(const std::string& name) {
  return (testing::data_dir() / "rigid-ipc/scenes" / (name + ".json")).string();
}
Scene load(const std::string& name) { return load_scene(file(name)).scene; }

const SceneBody& find(const Scene& scene, const std::string& name) {
  for (const SceneBody& body : scene.bodies)
    if (body.name == name) return body;
  throw std::out_of_range("no body " + name);
}

MassProperties mass_of(const SceneBody& body) {
  return body.mass ? *body.mass : mass_properties(body.shapes[0].geometry, body.shapes[0].density);
}

struct Expected {
  std::size_t bodies;
  double mu, dt, duration;
};

TEST(RigidIpc, AllScenesLoad) {
  REPOSE_NEEDS_DATA("rigid-ipc/scenes");
  const std::map<std::string, Expected> all = {
      {"arch-25-stones", {26, 0.5, 0.01, 20}},
      {"arch-101-stones", {102, 0.5, 0.01, 20}},
      {"arch-501-stones", {502, 0.5, 0.01, 20}},
      {"arch-951-stones", {952, 0.5, 0.01, 20}},
      {"card-tent", {3, 0.5, 0.01, 2}},
      {"card-house-2-levels", {8, 0.5, 0.01, 2}},
      {"card-house-3-levels", {16, 0.5, 0.01, 2}},
      {"card-house-4-levels", {27, 0.5, 0.01, 2}},
      {"card-house-3-levels-falling-blocks", {18, 0.9, 0.01, 5}},
      {"slope-test-mu0.49", {2, 0.49, 0.025, 25}},
      {"slope-test-mu0.5", {2, 0.5, 0.025, 25}},
      {"slope-test-mu1", {2, 1, 0.025, 2.5}},
      {"incline-plane-15deg", {2, 0.1, 0.001, 10}},
      {"incline-plane-20deg", {2, 0.1, 0.001, 10}},
      {"incline-plane-25deg", {2, 0.4, 0.01, 10}},
      {"incline-plane-30deg", {2, 0.05, 0.01, 10}},
      {"incline-plane-45deg", {2, 0.5, 0.001, 10}},
      {"incline-plane-85deg", {2, 1, 0.001, 10}},
      {"sliding", {2, 0.05, 0.01, 2.5}},
      {"turntable-mu0.0", {2, 0, 0.025, 20}},
      {"turntable-mu0.1", {2, 0.1, 0.025, 20}},
      {"turntable-mu0.5", {2, 0.5, 0.025, 20}},
      {"turntable-mu1.0", {2, 1, 0.025, 20}},
      {"spolling-coin", {2, 0.2, 1e-4, 1.25}},
      {"rolling-cone", {2, 0.5, 0.01, 5}},
      {"rolling-oloid", {2, 0.2, 0.01, 2}},
      {"rolling-gomboc", {2, 0.05, 0.01, 20}},
      {"dzhanibekov", {1, 0, 0.01, 10}},
      {"rotating-cube", {1, 0, 0.01, 10}},
      {"rotating-ellipsoid-major", {1, 0, 0.01, 10}},
      {"rotating-ellipsoid-intermediate", {1, 0, 0.01, 10}},
      {"rotating-ellipsoid-minor", {1, 0, 0.01, 40}},
      {"rotating-sphere", {1, 0, 0.01, 10}},
  };
  ASSERT_EQ(all.size(), 33U);
  for (const auto& [name, expected] : all) {
    SCOPED_TRACE(name);
    const LoadedScene loaded = load_scene(file(name));
    EXPECT_EQ(loaded.format, "rigid-ipc");
    const Scene& s = loaded.scene;
    EXPECT_EQ(s.name, name);
    EXPECT_EQ(s.bodies.size(), expected.bodies);
    EXPECT_EQ(s.materials[0].friction, expected.mu);
    EXPECT_EQ(s.dt, expected.dt);
    EXPECT_EQ(s.duration, expected.duration);
    EXPECT_NO_THROW(validate(s));
  }
}

TEST(RigidIpc, ArchStonesHaveTheirMassesAndStandApart) {
  REPOSE_NEEDS_DATA("rigid-ipc/scenes");
  const Scene s = load("arch-25-stones");
  double total = 0, least = 1e9, most = 0;
  for (const SceneBody& body : s.bodies) {
    if (body.kind != BodyKind::kDynamic) continue;
    const double mass = mass_of(body).mass;
    total += mass, least = std::min(least, mass), most = std::max(most, mass);
    EXPECT_LT(norm(mass_properties(body.shapes[0].geometry, 1).centre), 1e-10) << body.name;  // frame at the centre
  }
  EXPECT_NEAR(total, 1.0370e7, 500);
  EXPECT_NEAR(least, 259.3e3, 50);
  EXPECT_NEAR(most, 670.3e3, 50);
  EXPECT_NEAR(find(s, "stone-13").pose.position.y, 62.358, 5e-4);
  EXPECT_EQ(find(s, "plane").kind, BodyKind::kStatic);
}

TEST(RigidIpc, CardsArePlatesWithTheirMassPerArea) {
  REPOSE_NEEDS_DATA("rigid-ipc/scenes");
  const Scene s = load("card-house-3-levels-falling-blocks");
  const SceneBody& card = s.bodies[1];
  EXPECT_NEAR(std::get<Box>(card.shapes[0].geometry).half.x, 1.25, 1e-12);
  EXPECT_NEAR(std::get<Box>(card.shapes[0].geometry).half.y, 0.0175, 1e-12);  // the stated thickness
  EXPECT_NEAR(std::get<Box>(card.shapes[0].geometry).half.z, 0.625, 1e-12);
  EXPECT_NEAR(mass_of(card).mass, 50 * 2.5 * 1.25, 1e-9);
  EXPECT_NEAR(card.pose.position.x, -2.75, 1e-12);
  const Vec3 along = rotate(card.pose.rotation, {1, 0, 0});
  EXPECT_NEAR(along.y, std::sin(65 * kDegree), 1e-12);
  EXPECT_NEAR(mass_of(find(s, "cube#1")).mass, 7680, 1e-6);
}

TEST(RigidIpc, GroundPlatesLieBehindTheirSurface) {
  REPOSE_NEEDS_DATA("rigid-ipc/scenes");
  for (const char* name : {"card-tent", "incline-plane-85deg", "sliding", "spolling-coin"}) {
    const Scene s = load(name);
    for (const SceneBody& body : s.bodies) {
      if (body.kind != BodyKind::kStatic) continue;
      const double half = std::get<Box>(body.shapes[0].geometry).half.y;
      const Vec3 normal = rotate(body.pose.rotation, {0, 1, 0});
      EXPECT_GT(dot(normal, -1.0 * s.gravity), 0) << name;
      const Vec3 surface = body.pose.position + half * normal;
      // The surface still goes through the place that the file gives.
      const std::map<std::string, Vec3> at = {{"card-tent", {}},
                                              {"incline-plane-85deg", {0, -1, 0}},
                                              {"sliding", {0, -0.5005, -3}},
                                              {"spolling-coin", {0, -0.0123, 0}}};
      EXPECT_LT(norm(surface - at.at(name)), 1e-12) << name;
    }
  }
  const Scene slide = load("sliding");
  EXPECT_NEAR(std::get<Box>(find(slide, "plane").shapes[0].geometry).half.x, 10, 1e-12);  // it has an edge
}

TEST(RigidIpc, TheTurntablesDiscTurnsAboutYOnly) {
  REPOSE_NEEDS_DATA("rigid-ipc/scenes");
  const Scene s = load("turntable-mu0.5");
  const SceneBody& disc = find(s, "cylinder");
  EXPECT_EQ(disc.kind, BodyKind::kDynamic);
  EXPECT_EQ(disc.fixed_dof, (std::array<bool, 6>{true, true, true, true, false, true}));
  EXPECT_NEAR(disc.angular_velocity.y, 45 * kDegree, 1e-15);
  EXPECT_NEAR(disc.torque.y, 5.24, 5e-3);
  EXPECT_NEAR(mass_of(disc).inertia.m[1][1], 6300, 50);
  EXPECT_EQ(find(s, "cube").pose.position.x, 1.5);
}

TEST(RigidIpc, TheCoinHasItsDimensionsAndSpin) {
  REPOSE_NEEDS_DATA("rigid-ipc/scenes");
  const Scene s = load("spolling-coin");
  const SceneBody& coin = find(s, "cylinder");
  const double r = 0.01213, h = 0.00175, solid = 8900 * std::numbers::pi * r * r * h;
  EXPECT_NEAR(mass_of(coin).mass / solid, 1, 2e-3);  // a 64-gon
  EXPECT_NEAR(coin.angular_velocity.y, 900 * kDegree, 1e-12);
  EXPECT_LT(s.margin, 0.001);  // in proportion to the coin
}

TEST(RigidIpc, TheWingNutHasTheInertiaOfItsMeshAndTheShapeOfItsHull) {
  REPOSE_NEEDS_DATA("rigid-ipc/scenes");
  const SceneBody nut = load("dzhanibekov").bodies[0];
  const Vec3 moments = principal_inertia(nut.mass->inertia).moments;
  const double volume = nut.mass->mass / 1000;
  EXPECT_NEAR(moments.x / nut.mass->mass, 0.01244, 5e-5);
  EXPECT_NEAR(moments.y / nut.mass->mass, 0.03599, 5e-5);
  EXPECT_NEAR(moments.z / nut.mass->mass, 0.04296, 5e-5);
  EXPECT_GT(mass_properties(nut.shapes[0].geometry, 1).mass, 1.2 * volume);  // hull and mesh differ
  EXPECT_NEAR(nut.angular_velocity.y, std::numbers::pi, 1e-15);
}

TEST(RigidIpc, EllipsoidIsAScaledSphere) {
  REPOSE_NEEDS_DATA("rigid-ipc/scenes");
  const SceneBody e = load("rotating-ellipsoid-major").bodies[0];
  EXPECT_NEAR(mass_of(e).mass / (1000 * 4.0 / 3 * std::numbers::pi), 1, 0.02);
  const Mat3& inertia = e.mass->inertia;
  EXPECT_NEAR(inertia.m[0][0] / e.mass->mass, (1 + 0.25) / 5, 0.005);
}

/// The order of operations: scale, rotate, then move the mesh's own origin, which is not its mass centre.
TEST(RigidIpc, PositionIsThePlaceOfTheMeshOrigin) {
  const testing::TemporaryFolder folder;
  folder.write("meshes/off.obj",
               "v 1 0 0\nv 3 0 0\nv 1 2 0\nv 1 0 2\nv 3 2 0\nv 3 0 2\nv 1 2 2\nv 3 2 2\n"
               "f 1 3 5 2\nf 4 6 8 7\nf 1 2 6 4\nf 3 7 8 5\nf 1 4 7 3\nf 2 5 8 6\n");
  folder.write("scenes/off.json", R"({"rigid_body_problem": {"rigid_bodies": [
    {"mesh": "off.obj", "scale": [2, 1, 1], "rotation": [0, 0, 90], "position": [10, 0, 0], "#note": 1}]}})");
  const Scene s = load_scene(folder / "scenes/off.json").scene;
  // The cube from (1,0,0) to (3,2,2), twice as long: centre (4,1,1), turned to (-1,4,1), moved by 10.
  EXPECT_LT(norm(s.bodies[0].pose.position - Vec3{9, 4, 1}), 1e-14);
  EXPECT_NEAR(mass_of(s.bodies[0]).mass, 16000, 1e-9);
  EXPECT_EQ(s.gravity.y, 0);
  EXPECT_EQ(s.materials[0].friction, 0);
  EXPECT_EQ(s.dt, 0.01);
}

TEST(RigidIpc, GroupsAndKindsAreKept) {
  const testing::TemporaryFolder folder;
  folder.write("b.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  folder.write("s.json", R"({"rigid_body_problem": {"rigid_bodies": [
    {"mesh": "b.obj", "group_id": 5}, {"mesh": "b.obj", "group_id": 5}, {"mesh": "b.obj", "enabled": false},
    {"mesh": "b.obj", "type": "kinematic", "linear_velocity": [1, 0, 0]}, {"mesh": "b.obj", "type": "static"}]}})");
  const Scene s = load_scene(folder / "s.json").scene;
  ASSERT_EQ(s.bodies.size(), 4U);
  const SceneShape &a = s.bodies[0].shapes[0], &b = s.bodies[1].shapes[0], &c = s.bodies[2].shapes[0];
  EXPECT_EQ(a.group & b.mask, 0U);
  EXPECT_NE(a.group & c.mask, 0U);
  EXPECT_NE(c.group & a.mask, 0U);
  EXPECT_EQ(std::get<ConstantMotion>(*s.bodies[2].motion).velocity.x, 1);
  EXPECT_EQ(s.bodies[3].kind, BodyKind::kStatic);
  EXPECT_NEAR(s.bodies[0].mass->mass, 1000.0 / 6, 1e-10);
  EXPECT_LT(norm(s.bodies[0].pose.position - Vec3{0.25, 0.25, 0.25}), 1e-15);
}

}  // namespace
}  // namespace repose
