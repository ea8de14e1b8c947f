// SPDX-License-Identifier: Apache-2.0
// Sensors in MJCF. Readings are compared with MuJoCo's in python/tests/test_mujoco_sensors.py.
#include <gtest/gtest.h>

#include "repose/base/error.h"
#include "repose/scene/load.h"
#include "repose/world/world.h"
#include "tests/support/temporary_folder.h"

namespace repose {
namespace {

LoadedScene read(const std::string& content) {
  const testing::TemporaryFolder folder;
  folder.write("robot.xml", "<mujoco>" + content + "</mujoco>");
  return load_scene(folder / "robot.xml");
}

const char* const kRobot = R"(
  <worldbody><geom name="floor" type="plane" size="1 1 1"/><site name="mark" pos="1 0 0"/>
    <body name="base" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/><site name="imu" euler="0 0 90"/>
      <body name="arm" pos="0.1 0 0"><joint name="elbow" axis="0 1 0"/><geom size="0.05" pos="0.2 0 0"/>
        <body name="hand" pos="0.4 0 0" euler="0 90 0"><site name="grip" type="capsule" size="0.03 0.04" pos="0 0 0.1"/>
          <geom name="palm" size="0.05" mass="2"/>
          <body name="finger"><joint name="curl" axis="0 1 0" pos="0 0 -0.1"/><geom size="0.02"/></body></body></body></body>
  </worldbody>
  <tendon><fixed name="cable"><joint joint="elbow" coef="2"/></fixed></tendon>
  <actuator><motor name="muscle" joint="elbow"/></actuator>)";

LoadedScene with(const std::string& sensors) { return read(kRobot + ("<sensor>" + sensors + "</sensor>")); }

TEST(MjcfSensors, ObjectsAndFrames) {
  const Scene s = with(R"(<jointpos name="q" joint="curl" cutoff="0.5" noise="1e-3"/><tendonvel tendon="cable"/>
      <actuatorfrc actuator="muscle"/><gyro name="turn" site="imu"/><framepos objtype="site" objname="grip"
      reftype="xbody" refname="base"/><framezaxis objtype="xbody" objname="hand"/>
      <framelinvel objtype="body" objname="hand"/><framepos objtype="site" objname="mark"/>)")
                      .scene;
  ASSERT_EQ(s.sensors.size(), 8U);
  EXPECT_EQ(s.sensors[0].name, "q");
  EXPECT_EQ(s.sensors[0].kind, SensorKind::kJointPosition);
  EXPECT_EQ(s.joints[static_cast<std::size_t>(s.sensors[0].object)].name, "curl");
  EXPECT_EQ(s.sensors[0].cutoff, 0.5);
  EXPECT_EQ(s.sensors[1].kind, SensorKind::kJointVelocity);
  EXPECT_EQ(s.joints[static_cast<std::size_t>(s.sensors[1].object)].name, "cable");
  EXPECT_EQ(s.sensors[2].kind, SensorKind::kActuatorForce);
  const World world(s);
  // hand: part of arm, turned by 90 degrees about y.
  EXPECT_NEAR(world.sensor(4)[0], 0.1 + 0.4 + 0.1, 1e-12);
  EXPECT_NEAR(world.sensor(4)[2], 0, 1e-12);
  EXPECT_NEAR(world.sensor(5)[0], 1, 1e-12);
  EXPECT_NEAR(s.sensors[6].site.pose.position.x, 0.4, 1e-12);
  EXPECT_EQ(world.sensor(7), (std::vector<double>{1, 0, 0}));
}

TEST(MjcfSensors, ForcesCutTheBodyThatABodyWithoutAJointIsPartOf) {
  const Scene s = with("<force site='grip'/><torque site='imu'/><touch site='grip'/>").scene;
  ASSERT_EQ(s.sensors.size(), 3U);
  ASSERT_TRUE(s.sensors[0].part);
  EXPECT_NEAR(s.sensors[0].part->mass.mass, 2, 1e-12);
  EXPECT_NEAR(s.sensors[0].part->mass.centre.x, 0.4, 1e-12);
  EXPECT_EQ(s.sensors[0].shapes, std::vector<int>{1});  // the palm
  ASSERT_EQ(s.sensors[0].part->joints.size(), 1U);
  EXPECT_EQ(s.joints[static_cast<std::size_t>(s.sensors[0].part->joints[0])].name, "curl");
  EXPECT_FALSE(s.sensors[1].part);
  EXPECT_EQ(s.sensors[2].shapes, std::vector<int>{1});
  ASSERT_TRUE(s.sensors[2].volume);
  EXPECT_EQ(s.sensors[2].volume->kind, SensorVolume::Kind::kCapsule);
  EXPECT_EQ(s.sensors[2].volume->half.z, 0.04);
}

TEST(MjcfSensors, WhatIsNotReadIsListed) {
  const LoadedScene loaded = with(R"(<magnetometer site="imu"/><framequat objtype="body" objname="arm"/>
      <framepos objtype="geom" objname="palm"/><gyro site="imu" noise="1"/><force site="mark"/>)");
  EXPECT_EQ(loaded.scene.sensors.size(), 1U);
  for (const char* what : {"sensor magnetometer", "sensor framequat with objtype body", "gyro noise",
                           "sensor framepos with objtype geom", "sensor force on a body that is fixed"})
    EXPECT_NE(std::find(loaded.ignored.begin(), loaded.ignored.end(), what), loaded.ignored.end()) << what;
}

TEST(MjcfSensors, MistakesNameTheirLine) {
  const std::pair<const char*, const char*> faults[] = {
      {"<smell site='imu'/>", "a sensor of MuJoCo"},
      {"<gyro site='nose'/>", "the name of a site"},
      {"<jointpos joint='knee'/>", "the name of a joint"},
      {"<actuatorpos actuator='a'/>", "the name of an actuator"},
      {"<framepos objtype='sight' objname='imu'/>", "body, xbody, geom, site or camera"},
      {"<gyro site='imu' colour='red'/>", "an attribute that is not supported"},
      {"<gyro site='imu' cutoff='-1'/>", "a number >= 0"}};
  for (const auto& [sensor, message] : faults) {
    try {
      (void)with(sensor);
      ADD_FAILURE() << sensor;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("robot.xml:"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace repose
