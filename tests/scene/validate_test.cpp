// SPDX-License-Identifier: Apache-2.0
// A scene that makes no sense is refused with one line that names the field, what was expected and what is there.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "repose/base/error.h"
#include "repose/scene/builder.h"
#include "tests/support/complaint.h"

namespace repose {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

/// A ground, a cube, a ball that moves by a table, a material "ice", an event.
Scene good() {
  SceneBuilder b;
  b.add_material({.name = "stone"});
  b.add_material({.name = "ice", .friction = 0});
  b.add_ground_plane();
  b.add_shape_box(b.add_body({.name = "cube"}), {1, 1, 1});
  const int ball = b.add_body({.name = "ball"});
  b.add_shape_sphere(ball, 0.5);
  b.add_motion(ball, TableMotion{{0, 1}, {Pose{}, Pose{{1, 0, 0}, {}}}});
  b.add_event(1, Push{.body = 1, .force = {1, 0, 0}, .duration = 0.5});
  return b.build();
}

struct Fault {
  std::function<void(Scene&)> make;
  std::string place, got;  // what the line must contain
};

void expect_refused(const Fault& fault) {
  Scene scene = good();
  fault.make(scene);
  const std::string line = testing::complaint([&] { validate(scene); });
  EXPECT_NE(line.find(fault.place), line.npos) << line << " should name " << fault.place;
  EXPECT_NE(line.find(fault.got), line.npos) << line << " should say " << fault.got;
  EXPECT_EQ(line.find('\n'), line.npos) << line;
}

TEST(Validate, SettingsAreChecked) {
  const Fault faults[] = {
      {[](Scene& s) { s.dt = 0; }, "dt: expected", "got 0 s"},
      {[](Scene& s) { s.dt = -0.01; }, "dt: expected", "got -0.01 s"},
      {[](Scene& s) { s.dt = kNan; }, "dt: expected", "got nan"},
      {[](Scene& s) { s.duration = -1; }, "duration: expected", "got -1 s"},
      {[](Scene& s) { s.gravity.z = kInf; }, "gravity: expected", "got inf"},
      {[](Scene& s) { s.margin = -0.1; }, "margin: expected", "got -0.1 m"},
      {[](Scene& s) { s.slop = kNan; }, "slop: expected", "got nan"},
      {[](Scene& s) { s.recovery = 1.5; }, "recovery: expected", "got 1.5"},
      {[](Scene& s) { s.baumgarte = -0.2; }, "baumgarte: expected", "got -0.2"},
      {[](Scene& s) { s.materials.clear(); }, "materials: expected", "got none"},
      {[](Scene& s) { s.materials[1].friction = -0.2; }, "material 'ice': friction: expected", "got -0.2"},
      {[](Scene& s) { s.materials[1].restitution = 2; }, "material 'ice': restitution: expected", "got 2"},
      {[](Scene& s) { s.materials[1].name = "stone"; }, "material 'stone': name: expected", "got one that is taken"},
      {[](Scene& s) {
         s.overrides.push_back({0, 2, 0.5, 0});
       },
       "override 0: material: expected", "got 2"},
      {[](Scene& s) {
         s.overrides.push_back({0, 1, -1, 0});
       },
       "override 0: friction: expected", "got -1"},
      {[](Scene& s) { s.excluded.emplace_back(0, 7); }, "excluded pair: body: expected", "got 7"},
      {[](Scene& s) { s.excluded.emplace_back(1, 1); }, "excluded pair: expected", "got body 1 twice"},
  };
  for (const Fault& fault : faults) expect_refused(fault);
}

TEST(Validate, BodiesAreChecked) {
  const Fault faults[] = {
      {[](Scene& s) { s.bodies[2].name = "cube"; }, "body 'cube': name: expected", "got one that is taken"},
      {[](Scene& s) { s.bodies[1].name.clear(), s.bodies[1].velocity.x = kNan; }, "body 1: velocity: expected",
       "got nan"},
      {[](Scene& s) { s.bodies[1].pose.position.y = kNan; }, "body 'cube': position: expected", "got nan"},
      {[](Scene& s) { s.bodies[1].pose.position.y = 1e300; }, "body 'cube': position: expected", "got 1e+300"},
      {[](Scene& s) {
         s.bodies[1].pose.rotation = {0, 0, 0, 0};
       },
       "body 'cube': rotation: expected", "got (0, 0"},
      {[](Scene& s) {
         s.bodies[1].pose.rotation = {1, 1, 0, 0};
       },
       "rotation: expected", "of length 1.41421"},
      {[](Scene& s) { s.bodies[0].velocity.x = 1; }, "body 'ground': velocity: expected", "got one on a static body"},
      {[](Scene& s) { s.bodies[2].velocity.x = 1; }, "body 'ball': velocity: expected", "got one on a kinematic body"},
      {[](Scene& s) { s.bodies[1].motion = ConstantMotion{}; }, "body 'cube': motion: expected",
       "got one on a dynamic body"},
      {[](Scene& s) { s.bodies[1].fixed_dof.fill(true); }, "body 'cube': fixed motions: expected", "got all six"},
      {[](Scene& s) { s.bodies[0].fixed_dof[0] = true; }, "body 'ground': fixed motions: expected", "got 1"},
      {[](Scene& s) { s.bodies[1].torque.z = -kInf; }, "body 'cube': torque: expected", "got -inf"},
      {[](Scene& s) { s.bodies[1].gravity_scale = kNan; }, "body 'cube': gravity scale: expected", "got nan"},
      {[](Scene& s) { s.bodies[1].shapes.clear(); }, "body 'cube': mass: expected", "got none"},
      {[](Scene& s) { s.bodies[1].shapes[0].density = 0; }, "body 'cube': mass: expected", "got none"},
      {[](Scene& s) { s.bodies[1].shapes[0].density = -5; }, "shape 0: density: expected", "got -5 kg/m^3"},
  };
  for (const Fault& fault : faults) expect_refused(fault);
}

TEST(Validate, MassIsChecked) {
  const auto with = [](MassProperties mass) { return [mass](Scene& s) { s.bodies[1].mass = mass; }; };
  const Mat3 lopsided{{{1, 0.5, 0}, {0.25, 1, 0}, {0, 0, 1}}};
  const Fault faults[] = {
      {with({0, {}, Mat3::identity()}), "body 'cube': mass: expected", "got 0 kg"},
      {with({-2, {}, Mat3::identity()}), "body 'cube': mass: expected", "got -2 kg"},
      {with({1, {kNan, 0, 0}, Mat3::identity()}), "body 'cube': mass centre: expected", "got nan"},
      {with({1, {}, Mat3::diagonal(1, 1, -1)}), "body 'cube': inertia: expected positive", "got -1, 1, 1"},
      {with({1, {}, Mat3::diagonal(1, 1, 2.5)}),
       "inertia: expected principal moments of which none is larger than the sum", "got 1, 1, 2.5"},
      {with({1, {}, lopsided}), "inertia: expected a symmetric matrix", "across the diagonal"},
  };
  for (const Fault& fault : faults) expect_refused(fault);
  Scene flat = good();  // a flat plate's moments: the largest is the sum of the others
  flat.bodies[1].mass = MassProperties{1, {}, Mat3::diagonal(1, 1, 2)};
  EXPECT_NO_THROW(validate(flat));
}

TEST(Validate, ShapesAreChecked) {
  const auto with = [](Geometry g) { return [g](Scene& s) { s.bodies[1].shapes[0].geometry = g; }; };
  const Fault faults[] = {
      {with(Box{{1, -1, 1}}), "body 'cube': shape 0: half edge: expected", "got -1 m"},
      {with(Box{{1, 1e300, 1}}), "half edge: expected", "got 1e+300 m"},
      {with(Sphere{0}), "radius: expected", "got 0 m"},
      {with(Capsule{1, -1}), "half length: expected", "got -1 m"},
      {with(Cylinder{1, 0}), "half length: expected", "got 0 m"},
      {with(Hull{}), "hull: expected", "got 0 vertices"},
      {with(HalfSpace{}), "shape 0: expected", "got a half-space on a dynamic body"},
      {[](Scene& s) { s.bodies[1].shapes[0].material = 9; }, "material: expected", "got 9"},
      {[](Scene& s) { s.bodies[1].shapes[0].material = -1; }, "material: expected", "got -1"},
      {[](Scene& s) {
         s.bodies[1].shapes[0].colour = Vec3{0, 2, 0};
       },
       "colour: expected", "got 2"},
      {[](Scene& s) { s.bodies[1].shapes[0].name = "top", s.bodies[1].shapes[0].pose.rotation.w = 2; },
       "body 'cube': shape 'top': rotation: expected", "of length 2"},
  };
  for (const Fault& fault : faults) expect_refused(fault);
}

TEST(Validate, MotionsAndEventsAreChecked) {
  const auto with = [](Motion m) { return [m](Scene& s) { s.bodies[2].motion = m; }; };
  const auto at = [](Event e) { return [e](Scene& s) { s.events[0] = e; }; };
  const Fault faults[] = {
      {with(RampMotion{.duration = 0}), "body 'ball': motion: duration: expected", "got 0 s"},
      {with(ConstantMotion{.velocity = {kNan, 0, 0}}), "motion: velocity: expected", "got nan"},
      {with(TableMotion{{0, 1}, {Pose{}}}), "table: expected", "got 2 times and 1 poses"},
      {with(TableMotion{}), "table: expected", "got 0 times"},
      {with(TableMotion{{1, 1}, {Pose{}, Pose{}}}), "time 1: expected", "got 1 s after 1 s"},
      {with(ScriptMotion{}), "script: expected", "got none"},
      {at({-1, Appear{1}}), "event 0: time: expected", "got -1 s"},
      {at({0, Appear{5}}), "event 0: body: expected", "got 5"},
      {at({0, Disappear{-1}}), "event 0: body: expected", "got -1"},
      {at({0, SetVelocity{.body = 0}}), "body: expected", "got a new velocity of body 'ground', which is not dynamic"},
      {at({0, Push{.body = 2, .duration = 1}}), "body: expected", "got a push of body 'ball'"},
      {at({0, Push{.body = 1, .duration = 0}}), "event 0: duration: expected", "got 0 s"},
  };
  for (const Fault& fault : faults) expect_refused(fault);
}

TEST(SceneBuilder, GivesNamesAndIndices) {
  SceneBuilder b("two");
  EXPECT_EQ(b.add_body({}), 0);
  EXPECT_EQ(b.add_body({.name = "named"}), 1);
  EXPECT_EQ(b.add_shape_sphere(0, 1), 0);
  EXPECT_EQ(b.add_shape_capsule(0, 1, 2, {.density = 5}), 1);
  b.add_shape_cylinder(1, 1, 2);
  b.exclude(0, 1);
  const Scene scene = b.build();
  EXPECT_EQ(scene.name, "two");
  EXPECT_EQ(scene.bodies[0].name, "body-0");
  EXPECT_EQ(scene.materials.size(), 1U);  // the default one, as none was added
  EXPECT_EQ(std::get<Capsule>(scene.bodies[0].shapes[1].geometry).half_length, 2);
  EXPECT_EQ(scene.bodies[0].shapes[1].density, 5);
  EXPECT_EQ(scene.excluded, (std::vector<std::pair<int, int>>{{0, 1}}));
}

TEST(SceneBuilder, RefusesBodiesThatAreNotThere) {
  SceneBuilder b;
  EXPECT_THROW(b.add_shape_sphere(0, 1), InputError);
  EXPECT_THROW(b.add_motion(-1, ConstantMotion{}), InputError);
}

TEST(SceneBuilder, BuildValidates) {
  SceneBuilder b;
  b.add_body({.name = "ghost"});
  EXPECT_THROW((void)b.build(), InputError);
}

/// A hinge "elbow" between world and cube with a motor "muscle".
Scene with_joint(Scene scene) {
  scene.joints.push_back({.name = "elbow", .kind = JointKind::kHinge, .body_b = 1});
  scene.actuators.push_back({.name = "muscle", .joint = 0});
  return scene;
}

TEST(Validate, JointsAndActuatorsAreChecked) {
  const Fault faults[] = {
      {[](Scene& s) { s.joints[0].body_b = 7; }, "joint 'elbow': body b: expected", "got 7"},
      {[](Scene& s) { s.joints[0].body_a = -2; }, "joint 'elbow': body a: expected", "got -2"},
      {[](Scene& s) { s.joints[0].body_a = 1; }, "joint 'elbow': bodies: expected two", "body 1 twice"},
      {[](Scene& s) { s.joints[0].body_b = 0; }, "joint 'elbow': bodies: expected a dynamic one", "none"},
      {[](Scene& s) {
         s.joints[0].frame_a.rotation = {0, 0, 0, 0};
       },
       "joint 'elbow': frame a: rotation", "length 0"},
      {[](Scene& s) { s.joints[0].frame_b.position.x = kNan; }, "joint 'elbow': frame b: position", "got nan"},
      {[](Scene& s) { s.joints[0].coordinates[0].lower = 1, s.joints[0].coordinates[0].upper = -1; },
       "joint 'elbow': range: expected lower < upper", "got 1 and -1"},
      {[](Scene& s) { s.joints[0].coordinates[0].lower = kNan; }, "joint 'elbow': range: expected", "got nan"},
      {[](Scene& s) { s.joints[0].coordinates[0].friction = -1; }, "joint 'elbow': friction: expected", "got -1"},
      {[](Scene& s) { s.joints[0].coordinates[0].damping = kInf; }, "joint 'elbow': damping: expected", "got inf"},
      {[](Scene& s) { s.joints[0].coordinates[0].stiffness = -2; }, "joint 'elbow': stiffness: expected", "got -2"},
      {[](Scene& s) { s.joints[0].coordinates[0].armature = -3; }, "joint 'elbow': armature: expected", "got -3"},
      {[](Scene& s) { s.joints[0].coordinates[0].restitution = 1.5; }, "joint 'elbow': restitution: expected 0 to 1",
       "got 1.5"},
      {[](Scene& s) { s.joints[0].coordinates[0].restitution = 0.5; }, "joint 'elbow': restitution: expected a range",
       "got none"},
      {[](Scene& s) { s.joints[0].coordinates[0].reference = kNan; }, "joint 'elbow': reference: expected", "got nan"},
      {[](Scene& s) { s.joints[0].coordinates[1].damping = 1; }, "joint 'elbow': coordinates: expected 1 of a hinge",
       "got more"},
      {[](Scene& s) { s.joints[0].kind = JointKind::kBall, s.joints[0].coordinates[0].stiffness = 1; },
       "joint 'elbow': expected friction, damping or armature on a ball", "got a stiffness"},
      {[](Scene& s) { s.joints[0].length = 1; }, "joint 'elbow': length: expected none on a hinge", "got 1 m"},
      {[](Scene& s) { s.joints[0].kind = JointKind::kRope, s.joints[0].length = 0, s.actuators.clear(); },
       "joint 'elbow': length: expected", "got 0 m"},
      {[](Scene& s) { s.joints[0].pitch = 1; }, "joint 'elbow': pitch: expected none on a hinge", "got 1 m/rad"},
      {[](Scene& s) { s.joints.push_back(s.joints[0]); }, "joint 'elbow': name: expected", "taken"},
      {[](Scene& s) { s.actuators[0].joint = 1; }, "actuator 'muscle': joint: expected", "got 1"},
      {[](Scene& s) { s.actuators[0].coordinate = 1; }, "actuator 'muscle': coordinate: expected 0 to 0", "got 1"},
      {[](Scene& s) { s.joints[0].kind = JointKind::kBall; }, "actuator 'muscle': coordinate: expected a joint with",
       "got a ball joint"},
      {[](Scene& s) { s.actuators[0].gear = kNan; }, "actuator 'muscle': gear: expected", "got nan"},
      {[](Scene& s) { s.actuators[0].gain[1] = kInf; }, "actuator 'muscle': gain: expected", "got inf"},
      {[](Scene& s) { s.actuators[0].force_lower = 2, s.actuators[0].force_upper = 1; },
       "actuator 'muscle': force range: expected lower < upper", "got 2 and 1"},
      {[](Scene& s) { s.actuators[0].control_upper = -kInf; }, "actuator 'muscle': control range: expected", "-inf"},
      {[](Scene& s) { s.actuators[0].control = kNan; }, "actuator 'muscle': control: expected", "got nan"},
      {[](Scene& s) { s.actuators.push_back(s.actuators[0]); }, "actuator 'muscle': name: expected", "taken"},
  };
  for (const Fault& fault : faults)
    expect_refused({[&fault](Scene& s) {
                      s = with_joint(std::move(s));
                      fault.make(s);
                    },
                    fault.place, fault.got});
}

/// A sensor of the elbow, one of the muscle, and a touch sensor, a force sensor and a frame of the cube.
Scene with_sensors(Scene scene) {
  scene = with_joint(std::move(scene));
  scene.sensors.push_back({.name = "angle"});
  scene.sensors.push_back({.name = "pull", .kind = SensorKind::kActuatorForce});
  scene.sensors.push_back({.name = "skin", .kind = SensorKind::kTouch, .site = {1, {}}});
  scene.sensors.push_back({.name = "load", .kind = SensorKind::kForce, .site = {1, {}}});
  scene.sensors.push_back({.name = "place", .kind = SensorKind::kFramePosition, .site = {1, {}}});
  return scene;
}

TEST(Validate, SensorsAreChecked) {
  const Fault faults[] = {
      {[](Scene& s) { s.sensors[0].object = 1; }, "sensor 'angle': joint: expected", "got 1"},
      {[](Scene& s) { s.sensors[0].coordinate = 1; }, "sensor 'angle': coordinate: expected one of the joint's 1",
       "got 1"},
      {[](Scene& s) { s.joints[0].kind = JointKind::kFixed, s.actuators.clear(); },
       "sensor 'angle': coordinate: expected one of the joint's 0", "got 0"},
      {[](Scene& s) { s.sensors[0].cutoff = kNan; }, "sensor 'angle': cutoff: expected", "got nan"},
      {[](Scene& s) { s.sensors[0].volume = SensorVolume{}; }, "sensor 'angle': volume: expected none",
       "joint_position"},
      {[](Scene& s) { s.sensors[1].object = -1; }, "sensor 'pull': actuator: expected", "got -1"},
      {[](Scene& s) { s.sensors[2].site.body = 9; }, "sensor 'skin': body: expected", "got 9"},
      {[](Scene& s) { s.sensors[2].site.body = kWorldBody; }, "sensor 'skin': body: expected one", "got none"},
      {[](Scene& s) { s.sensors[2].site.pose.rotation.w = 2; }, "sensor 'skin': rotation: expected", "length 2"},
      {[](Scene& s) {
         s.sensors[2].volume = SensorVolume{SensorVolume::Kind::kCylinder, {1, 2, 3}};
       },
       "sensor 'skin': volume: half: expected the radius twice", "got 1 and 2"},
      {[](Scene& s) {
         s.sensors[2].volume = SensorVolume{SensorVolume::Kind::kBox, {1, 0, 3}};
       },
       "sensor 'skin': volume: half: expected", "got 0 m"},
      {[](Scene& s) { s.sensors[2].shapes = std::vector<int>{7}; }, "sensor 'skin': shape: expected", "got 7"},
      {[](Scene& s) { s.sensors[2].part = SensorPart{}; }, "sensor 'skin': part: expected none", "touch"},
      {[](Scene& s) { s.sensors[3].site.body = 0; }, "sensor 'load': body: expected a dynamic one", "got another"},
      {[](Scene& s) { s.sensors[3].part = SensorPart{.joints = {4}}; }, "sensor 'load': part: joint: expected",
       "got 4"},
      {[](Scene& s) { s.sensors[3].reference = SensorFrame{}; }, "sensor 'load': reference: expected none", "force"},
      {[](Scene& s) {
         s.sensors[4].reference = SensorFrame{5, {}};
       },
       "sensor 'place': reference: body: expected", "got 5"},
      {[](Scene& s) { s.sensors[4].shapes = std::vector<int>{}; }, "sensor 'place': shapes: expected none",
       "frame_position"},
      {[](Scene& s) { s.sensors[1].name = "angle"; }, "sensor 'angle': name: expected", "taken"},
  };
  for (const Fault& fault : faults)
    expect_refused({[&fault](Scene& s) {
                      s = with_sensors(std::move(s));
                      fault.make(s);
                    },
                    fault.place, fault.got});
}

}  // namespace
}  // namespace repose
