// SPDX-License-Identifier: Apache-2.0
// Native scene files: what is written reads back bit for bit, and reader, writer and published schema agree.
#include "repose/scene/native_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

#include "repose/base/error.h"
#include "repose/scene/builder.h"
#include "repose/scene/native_fields_internal.h"
#include "repose/shape/polyhedron.h"
#include "tests/scene/scene_equal.h"
#include "tests/scene/schema_check.h"
#include "tests/support/temporary_folder.h"

namespace repose {
namespace {

using testing::json, testing::schema_fault;

/// A scene that uses every field there is, with numbers that need all their digits.
Scene everything() {
  SceneBuilder b("every field");
  Scene& s = b.settings();
  s.parameters = {{"a", "1"}, {"quote\"d", "x\ny"}};
  s.dt = 1.0 / 240, s.duration = 1.0 / 3, s.gravity = {0.1, -0.2, -9.81};
  s.margin = 0.1 / 3, s.slop = 1e-7 / 3, s.recovery = 0.3, s.baumgarte = 0.1;
  s.combine = Combine::kAverage, s.edge_normal = EdgeNormal::kFace;
  b.add_material({.name = "stone", .friction = 1.0 / 3, .restitution = 0.25});
  b.add_material({.name = "", .friction = 0.7});
  b.override_pair({0, 1, 0.125, 0.5});
  b.add_ground_plane(1, {0, 0, -1.0 / 7});
  const Quat tilt = exponential({0.1, 0.2, 0.3});
  const int mixed = b.add_body({.name = "mixed", .pose = {{1.0 / 3, 2, 3}, tilt}, .velocity = {1, 2, 1e-300}});
  b.add_shape_sphere(mixed, 0.1, {.name = "head", .pose = {{0, 0, 1}, tilt}, .material = 1, .density = 77});
  b.add_shape_box(mixed, {0.1, 0.2, 0.3}, {.group = 2, .mask = 0xfffffffeu, .colour = Vec3{0, 0.5, 1}});
  b.add_shape_capsule(mixed, 0.1, 0);
  b.add_shape_cylinder(mixed, 0.1, 0.2);
  const Vec3 points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1.0 / 3, 0}, {0, 0, 1}, {1, 1, 1}};
  b.add_shape_convex_hull(mixed, points);
  SceneBody& body = s.bodies[static_cast<std::size_t>(mixed)];
  body.mass = MassProperties{2.0 / 3, {0.1, 0, 0}, Mat3{{{1, 0.1, 0}, {0.1, 1, 0}, {0, 0, 1.5}}}};
  body.force = {1, 0, 0}, body.torque = {0, 1, 0}, body.gravity_scale = 0.5, body.angular_velocity = {0, 0, 1};
  body.fixed_dof = {true, false, false, false, true, false};
  for (const Motion& motion : {Motion(ConstantMotion{{1, 0, 0}, {0, 0, 1}}), Motion(RampMotion{{}, {0, 0, 2}, 2}),
                               Motion(TableMotion{{0, 1.0 / 3}, {Pose{}, Pose{{1, 1, 1}, tilt}}})}) {
    const int moved = b.add_body({});
    b.add_shape_box(moved, {1, 1, 1});
    b.add_motion(moved, motion);
  }
  const int shot = b.add_body({.name = "shot", .present = false});
  b.add_shape_sphere(shot, 1);
  b.exclude(mixed, shot);
  const int hinge = b.add_joint_at(JointKind::kHinge, kWorldBody, mixed, {1, 2, 3}, {1, 1, 1.0 / 3});
  b.joint(hinge).coordinates[0] = {.lower = -1.0 / 3,
                                   .upper = 2,
                                   .friction = 0.1,
                                   .damping = 0.2,
                                   .stiffness = 0.3,
                                   .reference = 0.4,
                                   .armature = 0.5,
                                   .restitution = 0.7,
                                   .start = 0.6,
                                   .name = "bend"};
  b.joint(b.add_distance(mixed, shot, {1, 2, 3}, {0, 0, 0}, JointKind::kRope)).length = 7.0 / 3;
  const int screw =
      b.add_joint({.kind = JointKind::kScrew, .body_a = 0, .body_b = shot, .pitch = 0.01, .collide = true});
  b.joint(b.add_joint({.kind = JointKind::kPlanar, .body_b = shot})).coordinates[2].upper = 1;
  b.add_actuator({.joint = screw,
                  .gear = 3,
                  .gain = {1.0 / 3, 2, 3},
                  .bias = {0, -1, -2},
                  .force_lower = -5,
                  .force_upper = 6,
                  .control_lower = -7,
                  .control_upper = 8,
                  .control = 0.1});
  b.add_actuator({.name = "third", .joint = 3, .coordinate = 2});
  b.add_coupling({{.joint = hinge}, {.joint = screw, .factors = {-2, 0.5, 0, 1.0 / 3}}}, 0.25);
  b.add_sensor({.kind = SensorKind::kJointLimitForce, .object = 2, .coordinate = 0, .cutoff = 1.0 / 3});
  b.add_sensor({.name = "drive", .kind = SensorKind::kActuatorVelocity, .object = 1});
  const Pose site{{1.0 / 3, 2, 3}, normalized({1, 2, 3, 4})};
  b.add_sensor({.kind = SensorKind::kFrameXAxis, .site = {mixed, site}, .reference = SensorFrame{kWorldBody, site}});
  b.add_sensor({.kind = SensorKind::kGyro, .site = {kWorldBody, site}});
  b.add_sensor({.kind = SensorKind::kTouch,
                .site = {mixed, site},
                .volume = SensorVolume{SensorVolume::Kind::kCapsule, {0.1, 0.1, 1.0 / 3}},
                .shapes = std::vector<int>{0}});
  b.add_sensor({.kind = SensorKind::kTorque,
                .site = {mixed, site},
                .shapes = std::vector<int>{},
                .part = SensorPart{mass_properties(Box{{1, 2, 3}}, 1.0 / 3), {hinge}}});
  b.add_event(1, Appear{shot});
  b.add_event(2, Disappear{0});
  b.add_event(3, SetVelocity{mixed, {1, 2, 3}, {4, 5, 6}});
  b.add_event(4, Push{mixed, {1, 2, 3}, {4, 5, 6}, 0.1});
  return b.build();
}

TEST(NativeScene, EveryFieldReadsBackBitForBit) {
  const Scene scene = everything();
  const Scene back = parse_native_scene(native_scene_text(scene), "memory");
  testing::expect_equal(scene, back);
  EXPECT_EQ(native_scene_text(back), native_scene_text(scene));
}

TEST(NativeScene, ReadsFromAndWritesToFiles) {
  const testing::TemporaryFolder folder;
  write_native_scene(folder / "scene.json", everything());
  testing::expect_equal(everything(), read_native_scene(folder / "scene.json"));
  EXPECT_THROW(write_native_scene(folder / "no/such/folder.json", everything()), InputError);
}

TEST(NativeScene, ScriptsCannotBeStored) {
  SceneBuilder b;
  const int body = b.add_body({.name = "puppet"});
  b.add_shape_sphere(body, 1);
  b.add_motion(body, ScriptMotion{[](double) { return Pose{}; }});
  EXPECT_THROW((void)native_scene_text(b.build()), InputError);
}

TEST(NativeScene, AnglesMayBeGivenInDegrees) {
  const Scene scene = parse_native_scene(
      R"({"repose_scene": 1, "bodies": [{"kind": "static", "rotation_degrees": [90, 0, 90]}]})", "memory");
  const Vec3 turned = rotate(scene.bodies[0].pose.rotation, {0, 1, 0});  // y to z by x, z stays
  EXPECT_LT(norm(turned - Vec3{0, 0, 1}), 1e-15);
}

TEST(NativeScene, JointsMayBeGivenByAnchorAndAxis) {
  const Scene scene = parse_native_scene(R"({"repose_scene": 1, "bodies": [{"name": "bob", "position": [1, 0, 0],
    "rotation_degrees": [0, 0, 90], "shapes": [{"type": "sphere", "radius": 0.1}]}],
    "joints": [{"type": "hinge", "body_b": "bob", "anchor": [0, 0, 0.5], "axis": [0, 2, 0]}]})",
                                         "memory");
  const SceneJoint& joint = scene.joints[0];
  EXPECT_EQ(joint.body_a, kWorldBody);
  EXPECT_LT(norm(rotate(joint.frame_a.rotation, {0, 0, 1}) - Vec3{0, 1, 0}), 1e-15);
  EXPECT_LT(norm(joint.frame_b.position - Vec3{0, 1, 0.5}), 1e-15);
  EXPECT_LT(norm(rotate(joint.frame_b.rotation, {0, 0, 1}) - Vec3{1, 0, 0}), 1e-15);
}

TEST(NativeScene, MeshesAreFoundBesideTheScene) {
  const testing::TemporaryFolder folder;
  folder.write("tetra.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  folder.write("scene.json", R"({"repose_scene": 1, "bodies": [{"name": "rock",
    "shapes": [{"type": "mesh", "file": "tetra.obj", "scale": [2, 2, 4]}]}]})");
  const Scene scene = read_native_scene(folder / "scene.json");
  const auto& hull = std::get<Hull>(scene.bodies[0].shapes[0].geometry);
  EXPECT_EQ(hull.polyhedron->vertices.size(), 4U);
  EXPECT_NEAR(mass_properties(hull, 1).mass, 16.0 / 6, 1e-12);
}

json schema() {
  std::ifstream file(REPOSE_SOURCE_DIR "/docs/schema/scene.schema.json");
  return json::parse(file);
}

std::set<std::string> keys(const json& object) {
  std::set<std::string> all;
  for (const auto& item : object.items()) all.insert(item.key());
  return all;
}

TEST(NativeSchema, HasTheFieldsOfTheReaderAndNoOthers) {
  const json root = schema();
  std::set<std::string> kinds;
  for (const auto& [kind, fields] : native_fields()) {
    const json& described = kind == "scene" ? root : root["$defs"].at(kind);
    EXPECT_EQ(keys(described["properties"]), (std::set<std::string>(fields.begin(), fields.end()))) << kind;
    EXPECT_EQ(described["additionalProperties"], false) << kind;
    if (kind != "scene") kinds.insert(kind);
  }
  kinds.insert({"vec3", "quaternion"});
  EXPECT_EQ(keys(root["$defs"]), kinds);
}

TEST(NativeSchema, AcceptsWhatTheWriterWrites) {
  const json written = json::parse(native_scene_text(everything()));
  EXPECT_EQ(schema_fault(schema(), schema(), written), "");
}

/// What the schema refuses, the reader refuses too.
TEST(NativeSchema, RefusesWhatTheReaderRefuses) {
  const json root = schema(), good = json::parse(native_scene_text(everything()));
  const std::pair<const char*, json> changes[] = {
      {"/repose_scene", 2},
      {"/dt", 0},
      {"/dt", "fast"},
      {"/gravity", {0, 0}},
      {"/combine", "mean"},
      {"/edge_normal", "bisector"},
      {"/materials/0/friction", -1},
      {"/materials", json::array()},
      {"/bodies/1/shapes/0/type", "ball"},
      {"/bodies/1/shapes/0/radius", 0},
      {"/bodies/1/shapes/0/colour", {0, 0, 2}},
      {"/bodies/1/shapes/0/size", 3},
      {"/bodies/1/rotation", {1, 0, 0}},
      {"/bodies/1/kind", "loose"},
      {"/bodies/1/fixed", {"q"}},
      {"/bodies/1/present", 1},
      {"/bodies/1/mass/inertia", {1, 2, 3}},
      {"/bodies/3/motion/duration", 0},
      {"/events/0/type", "explode"},
      {"/events/3/duration", 0},
      {"/events/0/body", true},
      {"/exclude/0", {"mixed"}},
      {"/joints/0/type", "knee"},
      {"/joints/0/coordinates/0/damping", -1},
      {"/joints/0/frame_a/rotation", {1, 0}},
      {"/joints/1/length", 0},
      {"/joints/2/body_b", 1.5},
      {"/joints/0/stiffness", 1},
      {"/joints/4/terms/0/joint", -1},
      {"/joints/4/terms/1/factors", {1}},
      {"/actuators/0/gain", {1}},
      {"/actuators/0/coordinate", -1},
      {"/sensors/0/type", "smell"},
      {"/sensors/0/cutoff", -1},
      {"/sensors/0/joint", 1.5},
      {"/sensors/2/reference/body", -1},
      {"/sensors/4/volume/half", {1, 2}},
      {"/sensors/4/volume/type", "cone"},
      {"/sensors/4/shapes", {-1}},
      {"/sensors/5/part/mass", -1},
      {"/sensors/5/part/weight", 1},
  };
  for (const auto& [pointer, value] : changes) {
    json bad = good;
    bad[json::json_pointer(pointer)] = value;
    EXPECT_NE(schema_fault(root, root, bad), "") << pointer;
    EXPECT_THROW((void)parse_native_scene(bad.dump(), "memory"), InputError) << pointer;
  }
}

}  // namespace
}  // namespace repose
