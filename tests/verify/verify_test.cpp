// SPDX-License-Identifier: Apache-2.0
// The checker of recordings: it follows honest runs of every kind, and finds each recorded number that was changed.
#include "repose/verify/verify.h"

#include <algorithm>
#include <cmath>

#include "repose/base/random.h"
#include "repose/record/recorder.h"
#include "repose/scene/native_json.h"
#include "repose/shape/polyhedron.h"
#include "tests/support/recorded_runs.h"

namespace repose {
namespace {

using namespace testing;

class Verify : public RecordFile {
 protected:
  /// Records a run with its scene, as `repose run --record` does.
  void record(const Scene& scene, int steps, const std::function<void(World&, int)>& before_step = {}) {
    World world(scene);
    Recorder recorder(path, world, {.scene_json = native_scene_text(scene)});
    for (int k = 0; k < steps; ++k) {
      if (before_step) before_step(world, k);
      const StepReport report = world.step();
      ASSERT_EQ(report.status, StepStatus::kSolved) << k;
      recorder.add(world, report);
    }
  }

  /// The first step whose recording does not follow from the rest, and what of it; "" when all do.
  [[nodiscard]] std::string fault() const {
    const Recording recording(path);
    const Verifier verifier(recording);
    EXPECT_TRUE(verifier.has_scene());
    for (int k = 0; k < recording.steps(); ++k)
      if (const StepCheck check = verifier.check(k); !check.agrees())
        return "step " + std::to_string(k) + ": " + check.fault();
    return "";
  }
};

/// Restitution, a force, a push, a body that appears and one whose velocity an event sets, a turning plate.
Scene eventful_scene() {
  Scene scene = mixed_scene();
  scene.materials[0].restitution = 0.3;
  scene.bodies[1].force = {0.5, 0, 0};
  scene.events.push_back({0.1, Push{2, {30, 0, 0}, {0, 1, 0}, 0.2}});
  scene.events.push_back({0.2, SetVelocity{1, {0.5, 0.1, 0.2}, {0.1, 0.2, 1}}});
  return scene;
}

TEST_F(Verify, FollowsARunWithEventsMotionsAndImpacts) {
  record(eventful_scene(), 60);
  EXPECT_EQ(fault(), "");
}

/// The bias of an overlap is checked against the scene: one that says nothing of Baumgarte does not explain it.
TEST_F(Verify, FollowsBaumgarte) {
  Scene scene = stack(2, 0.02);
  scene.baumgarte = 0.2;
  record(scene, 20);
  EXPECT_EQ(fault(), "");

  World world(scene);
  scene.baumgarte = 0.1;
  Recorder recorder(path, world, {.scene_json = native_scene_text(scene)});
  recorder.add(world, world.step());
  recorder.close();
  EXPECT_EQ(fault(), "step 0: biases from gaps and restitution");
}

TEST_F(Verify, FollowsJoints) {
  record(jointed_scene(), 60, [](World& world, int k) { world.set_control(0, 0.01 * k); });
  EXPECT_EQ(fault(), "");
}

/// Three hinges that do not meet, with an activation, and a body that is guided from outside; a stored coordinate that
/// is another one is found.
TEST_F(Verify, FollowsCompoundsActivationsAndGuidedBodies) {
  SceneBuilder b("leg");
  b.settings().dt = 2e-3;
  const int carriage = b.add_body({.kind = BodyKind::kKinematic, .pose = {{0, 0, 1}, {}}});
  const int thigh = b.add_body({.pose = {{0, 0, 0.7}, {}}});
  b.add_shape_box(thigh, {0.05, 0.04, 0.2});
  const int hip = b.add_compound(carriage, thigh,
                                 {{.axis = {1, 0, 0}, .point = {0, 0, 1}},
                                  {.axis = {0, 0.1, 1}, .point = {0.05, 0, 1}},
                                  {.axis = {0, 1, 0}, .point = {0, 0, 0.95}}});
  b.add_actuator(
      {.joint = hip, .coordinate = 2, .gain = {3, 0, 0}, .dynamics = ActuatorDynamics::kFilterExact, .time = 0.05});
  record(b.build(), 100, [&](World& world, int k) {
    world.set_control(0, 0.1 * (k % 30));
    world.guide(carriage, {{0.001 * k, 0, 1}, exponential({0, 0, 0.002 * k})});
  });
  EXPECT_EQ(fault(), "");
  {
    const Recording recording(path);
    EXPECT_EQ(recording.step(0).inputs.size(), 1u);
    EXPECT_GT(recording.step(90).inputs[0], 0);
  }
  tamper(path, "/states/joint_position", [](std::vector<double>& values) { values[3 * 50 + 1] += 1e-6; });
  EXPECT_EQ(fault(), "step 49: joints");
}

TEST_F(Verify, FollowsARunThatIsChangedFromOutsideAndSaysSo) {
  record(mixed_scene(), 20, [](World& world, int k) {
    if (k == 5) world.set_velocity(1, {0, 1, 2}, {1, 0, 0});
    if (k == 8) world.place(2, {{3, 3, 3}, {}}, {0, 0, -1});
    world.apply_force(1, {1, 2, 3}, {0.1, 0, 0});
  });
  EXPECT_EQ(fault(), "");
  const Recording recording(path);
  EXPECT_EQ(check_step(recording, 4).changes, 0);
  EXPECT_EQ(check_step(recording, 5).changes, 1);
  EXPECT_EQ(check_step(recording, 8).changes, 1);
}

TEST_F(Verify, FollowsTheRemovalOfOverlap) {
  Scene scene = stack(3);
  scene.bodies[2].pose.position.z -= 0.05;
  record(scene, 30);
  EXPECT_EQ(fault(), "");
  const Recording recording(path);
  const StepCheck first = check_step(recording, 0);
  EXPECT_GT(first.displacement, 1e-4);
  EXPECT_LE(first.recovery, 1e-8);
  EXPECT_LE(first.recovery_motion, 1e-13);
  EXPECT_LE(first.recovery_surface, 1e-8);
}

/// A cube whose corners are off by some 1e-7, as in mesh files of seven digits: six faces, none flat to rounding.
Hull rough_cube(Random& random) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) {
    const auto side = [&](int bit) { return (k & bit ? 0.5 : -0.5) + 3e-7 * random.uniform(-1, 1); };
    corners.push_back({side(1), side(2), side(4)});
  }
  return {convex_hull(corners)};
}

TEST_F(Verify, FollowsHullsWhoseFacesAreNotFlatToRounding) {
  Random random(7);
  Scene scene = stack(0);
  for (int k = 0; k < 4; ++k) {
    const Hull cube = rough_cube(random);
    ASSERT_EQ(cube.polyhedron->faces.size(), 6u);
    ASSERT_GT(cube.polyhedron->roughness, 1e-8);
    add_shape_body(scene, cube, {3.0 * k, 0, 0.52}, {0.3, 0.2, 0}, {0, 0, 0.1});
    if (k < 2) add_shape_body(scene, rough_cube(random), {3.0 * k, 0.2, 1.55});
    if (k > 1) add_shape_body(scene, Sphere{0.2}, {3.0 * k, 0.1, 1.23}, {0.3, 0, 0});
  }
  record(scene, 60);
  EXPECT_EQ(fault(), "");
}

TEST_F(Verify, WithoutASceneTheLawAndTheMotionAreChecked) {
  World world(mixed_scene());
  {
    Recorder recorder(path, world);
    for (int k = 0; k < 5; ++k) recorder.add(world, world.step());
  }
  const Recording recording(path);
  const Verifier verifier(recording);
  EXPECT_FALSE(verifier.has_scene());
  EXPECT_TRUE(verifier.check(4).agrees());
}

/// Changes the largest number of a table by a millionth of it.
void change_slightly(const std::filesystem::path& path, const char* table) {
  tamper(path, table, [](std::vector<double>& values) {
    const auto size = [](double x) { return std::isfinite(x) ? std::abs(x) : -1.0; };
    *std::max_element(values.begin(), values.end(), [&](double a, double b) { return size(a) < size(b); }) *= 1 + 1e-6;
  });
}

TEST_F(Verify, FindsEveryNumberThatWasChangedByAMillionth) {
  for (const char* table : {"/states/centre",
                            "/states/position",
                            "/states/quaternion",
                            "/states/velocity",
                            "/states/angular_velocity",
                            "/steps/free_velocity",
                            "/steps/free_angular_velocity",
                            "/contacts/position",
                            "/contacts/normal",
                            "/contacts/gap",
                            "/contacts/friction",
                            "/contacts/bias",
                            "/contacts/impulse",
                            "/bodies/mass",
                            "/bodies/principal_inertia",
                            "/scene/gravity",
                            "/scene/dt",
                            "/terms/values",
                            "/states/time",
                            "/steps/measures"}) {
    record(eventful_scene(), 40);
    ASSERT_EQ(fault(), "") << table;
    change_slightly(path, table);
    EXPECT_NE(fault(), "") << table;
  }
}

TEST_F(Verify, FindsWhatRemovedOverlapChangedByAMillionth) {
  Scene scene = stack(3);
  scene.bodies[1].pose.position.x = 0.1;
  scene.bodies[2].pose.position.z -= 0.05;
  constexpr std::size_t kColumns = 9, kHeight = 2;  // along the normals: the displacement does not depend on it
  for (std::size_t column = 0; column < kColumns; ++column) {
    if (column == kHeight) continue;
    record(scene, 8);
    ASSERT_EQ(fault(), "") << column;
    bool changed = false;
    tamper(path, "/pushes/values", [&](std::vector<double>& values) {
      double* largest = nullptr;
      for (std::size_t k = column; k < values.size(); k += kColumns)
        if (!largest || std::abs(values[k]) > std::abs(*largest)) largest = &values[k];
      ASSERT_NE(largest, nullptr);
      changed = std::abs(*largest) > 1e-9;
      *largest *= 1 + 1e-6;
    });
    EXPECT_EQ(fault() != "", changed) << column;
  }
  record(scene, 8);
  tamper(path, "/steps/recovery_residual", [](std::vector<double>& values) { values[0] = 1e-9 + 2 * values[0]; });
  EXPECT_EQ(fault(), "step 0: stored residual of the displacements");
}

TEST_F(Verify, FindsAStoredCertificateThatIsNotThatOfTheImpulses) {
  record(eventful_scene(), 5);
  tamper(path, "/steps/certificate", [](std::vector<double>& values) { values[3] = 1e-9 + 2 * values[3]; });
  EXPECT_EQ(fault(), "step 0: stored certificate");
}

TEST_F(Verify, FindsJointsThatWereChangedByAMillionth) {
  for (const char* table : {"/blocks/impulse", "/blocks/rows", "/blocks/bias", "/blocks/compliance", "/blocks/bounds",
                            "/joints/frame", "/states/centre", "/states/quaternion"}) {
    record(jointed_scene(), 20, [](World& world, int k) { world.set_control(0, 0.05 * k); });
    ASSERT_EQ(fault(), "") << table;
    tamper(path, table, [](std::vector<double>& values) {
      for (double& x : values) x *= 1 + 1e-6;
    });
    EXPECT_NE(fault(), "") << table;
  }
}

TEST_F(Verify, FindsAMissingContact) {
  Scene scene = stack(2);
  record(scene, 3);
  std::vector<RecordedState> states;
  std::vector<RecordedStep> steps;
  {
    const Recording recording(path);
    for (int k = 0; k <= 3; ++k) states.push_back(recording.state(k));
    for (int k = 0; k < 3; ++k) steps.push_back(recording.step(k));
  }
  // The upper cube sinks into the lower one, and nobody says so.
  for (RecordedState& s : states) s.bodies[2].centre.z -= 0.1, s.positions[2].z -= 0.1;
  for (RecordedStep& s : steps)
    std::erase_if(s.contacts, [](const Contact& c) { return c.body_a == 1 && c.body_b == 2; });
  Recorder::write(path, scene, states, steps, 1e-8, {.scene_json = native_scene_text(scene)});
  EXPECT_EQ(check_step(Recording(path), 0).unaccounted, 1);
}

TEST_F(Verify, FindsFrozenPoses) {
  Scene scene = stack(1);
  scene.bodies[1].velocity = {1, 0, 0};
  record(scene, 10);
  std::vector<RecordedState> states;
  std::vector<RecordedStep> steps;
  {
    const Recording recording(path);
    for (int k = 0; k <= 10; ++k) states.push_back(recording.state(k));
    for (int k = 0; k < 10; ++k) steps.push_back(recording.step(k));
  }
  for (RecordedState& s : states) s.bodies[1].centre = states[0].bodies[1].centre, s.positions = states[0].positions;
  Recorder::write(path, scene, states, steps, 1e-8, {.scene_json = native_scene_text(scene)});
  EXPECT_EQ(fault(), "step 0: poses after the motion");
}

}  // namespace
}  // namespace repose
