// SPDX-License-Identifier: Apache-2.0
// Five public robots, unchanged: each runs for 10 s under the controls of its keyframe, every step solved.
#include <gtest/gtest.h>

#include <cmath>

#include "repose/scene/load.h"
#include "repose/world/world.h"
#include "tests/support/data.h"

namespace repose {
namespace {

struct Robot {
  const char* name;
  const char* file;
  std::size_t moving, coordinates, actuators;  ///< bodies that move; hinges and slides; actuators
};

constexpr Robot kRobots[] = {
    {"Robotiq2f85", "robotiq_2f85/scene.xml", 9, 8, 1},
    {"Cassie", "agility_cassie/scene.xml", 23, 20, 10},
    {"ShadowHand", "shadow_hand/scene_right.xml", 25, 24, 20},
    {"Barkour", "google_barkour_vb/scene.xml", 13, 12, 12},
    {"Iiwa14", "kuka_iiwa_14/scene.xml", 7, 7, 7},
};

class Robots : public ::testing::TestWithParam<Robot> {};

TEST_P(Robots, RunFor10SecondsWithEveryStepSolved) {
  REPOSE_NEEDS_DATA("menagerie");
  const Scene scene = load_scene((testing::data_dir() / "menagerie" / GetParam().file).string()).scene;
  std::size_t moving = 0, coordinates = 0, ropes = 0;
  for (const SceneBody& body : scene.bodies) moving += body.kind == BodyKind::kDynamic;
  for (const SceneJoint& joint : scene.joints) {
    coordinates += joint.kind == JointKind::kHinge || joint.kind == JointKind::kSlide;
    ropes += joint.kind == JointKind::kRope;
  }
  EXPECT_EQ(moving, GetParam().moving);
  EXPECT_EQ(coordinates, GetParam().coordinates);
  EXPECT_EQ(scene.actuators.size(), GetParam().actuators);
  World world(scene);
  const int steps = static_cast<int>(std::lround(10 / scene.dt));
  for (int k = 0; k < steps; ++k) {
    const StepReport report = world.step();
    ASSERT_EQ(report.status, StepStatus::kSolved) << "step " << k;
    ASSERT_LE(report.certificate.nat, 1e-8) << "step " << k;
    if (ropes > 0 && k < 1000) continue;  // a rope that starts too long
    ASSERT_LE(report.joint_error, 1e-10) << "step " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Menagerie, Robots, ::testing::ValuesIn(kRobots),
                         [](const auto& robot) { return std::string(robot.param.name); });

}  // namespace
}  // namespace repose
