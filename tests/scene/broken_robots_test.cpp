// SPDX-License-Identifier: Apache-2.0
// Broken robots: joints, equalities, tendons, actuators and keyframes that make no sense get one line with file, line,
// element, what was expected and what is there.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/scene/broken_file.h"

namespace repose {
namespace {

using testing::Broken, testing::expect_refused;

constexpr const char* kMass = "<geom size='0.1'/>";

std::string mjcf(const std::string& content) { return "<mujoco>\n" + content + "\n</mujoco>"; }

/// One body with a joint whose attributes are given, on line 3.
std::string joint(const std::string& attributes) {
  return mjcf("<worldbody><body name='b'>\n<joint name='j' " + attributes + "/>" + kMass + "</body></worldbody>");
}
/// Two bodies on hinges of the world, and another one on the second; then a section.
std::string robot(const std::string& section) {
  return mjcf(
      "<worldbody><site name='s'/>"
      "<body name='a'><joint name='ja'/><geom name='ga' size='0.1'/><site name='sa' pos='0 0 1'/></body>"
      "<body name='b' pos='1 0 0'><joint name='jb'/><geom size='0.1'/>"
      "<body name='c' pos='1 0 0'><joint name='jc' axis='0 1 0' range='-10 10'/><geom size='0.1'/></body></body>"
      "<body name='d' pos='0 5 0'><joint name='jd' type='ball'/><geom size='0.1'/></body></worldbody>\n" +
      section);
}
std::string actuator(const std::string& element) { return robot("<actuator>" + element + "</actuator>"); }
std::string equality(const std::string& element) { return robot("<equality>" + element + "</equality>"); }
std::string tendon(const std::string& element) { return robot("<tendon>" + element + "</tendon>"); }

std::vector<Broken> broken_joints() {
  return {
      {"joint_without_body.xml", mjcf("<worldbody>\n<joint name='j'/></worldbody>"), ":3: <joint>", "<worldbody>"},
      {"joint_in_frame.xml", mjcf("<worldbody><body><frame>\n<joint/></frame></body></worldbody>"), ":3: <joint>",
       "<frame>"},
      {"joint_type.xml", joint("type='knee'"), ":3: <joint> type", "'knee'"},
      {"zero_axis.xml", joint("axis='0 0 0'"), ":3: <joint> axis", "'0 0 0'"},
      {"short_axis.xml", joint("axis='0 1'"), ":3: <joint> axis", "'0 1'"},
      {"upside_down.xml", joint("range='10 -10'"), ":3: <joint> range", "'10 -10'"},
      {"one_limit.xml", joint("range='10'"), ":3: <joint> range", "'10'"},
      {"limited_without_range.xml", joint("limited='true'"), ":3: <joint> range", "''"},
      {"limited_word.xml", joint("limited='yes' range='0 1'"), ":3: <joint> limited", "'yes'"},
      {"no_autolimits.xml",
       mjcf("<compiler autolimits='false'/><worldbody><body>\n<joint range='0 1'/>" + std::string(kMass) +
            "</body></worldbody>"),
       ":3: <joint> limited", "none"},
      {"negative_damping.xml", joint("damping='-1'"), ":3: <joint> damping", "'-1'"},
      {"negative_friction.xml", joint("frictionloss='-1'"), ":3: <joint> frictionloss", "'-1'"},
      {"negative_armature.xml", joint("armature='-0.1'"), ":3: <joint> armature", "'-0.1'"},
      {"spring_damper.xml", joint("springdamper='0.1 1'"), ":3: <joint> springdamper", "'0.1 1'"},
      {"ball_range.xml", joint("type='ball' range='0 10'"), ":3: <joint> range", "'0 10'"},
      {"ball_spring.xml", joint("type='ball' stiffness='3'"), ":3: <joint> stiffness", "'3'"},
      {"free_damping.xml", joint("type='free' damping='1'"), ":3: <joint> damping", "'1'"},
  };
}

std::vector<Broken> broken_bodies() {
  return {
      {"joint_without_mass.xml", mjcf("<worldbody><body>\n<joint/></body></worldbody>"), ":2: <body>", "no mass"},
      {"free_and_hinge.xml",
       mjcf("<worldbody><body><freejoint/>\n<joint/>" + std::string(kMass) + "</body></worldbody>"), ":3: <joint>",
       "a second joint"},
      {"ball_and_slide.xml",
       mjcf("<worldbody><body><joint name='x' type='slide'/>\n<joint type='ball'/>" + std::string(kMass) +
            "</body></worldbody>"),
       ":3: <joint>", "a ball joint beside joint 'x'"},
      {"same_hinge_twice.xml",
       mjcf("<worldbody><body><joint name='x' axis='1 0 0'/>\n<joint axis='2 0 0' pos='1 0 0'/>" + std::string(kMass) +
            "</body></worldbody>"),
       ":3: <joint>", "motions that repeat each other"},
      {"slides_in_a_plane.xml",
       mjcf("<worldbody><body><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>\n"
            "<joint type='slide' axis='1 1 0'/>" +
            std::string(kMass) + "</body></worldbody>"),
       ":3: <joint>", "motions that repeat each other"},
      {"same_joint.xml", robot("<worldbody><body><joint name='ja'/></body></worldbody>"), "<joint> name", "'ja' again"},
      {"impossible_inertia.xml",
       mjcf("<worldbody><body><joint/>\n<inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/></body></worldbody>"),
       ":3: <inertial> diaginertia", "'1 1 3'"},
      {"impossible_full_inertia.xml",
       mjcf("<worldbody><body><joint/>\n<inertial pos='0 0 0' mass='1' fullinertia='1 1 1 0.9 0 "
            "0'/></body></worldbody>"),
       ":3: <inertial> fullinertia", "'1 1 1 0.9 0 0'"},
      {"missing_collision_mesh.xml",
       mjcf("<asset>\n<mesh file='gone.stl'/></asset><worldbody><body><joint/><geom mesh='gone'/></body></worldbody>"),
       ":3: <mesh> file", "gone.stl"},
  };
}

std::vector<Broken> broken_actuators() {
  return {
      {"actuator_joint.xml", actuator("<motor joint='knee'/>"), ":3: <motor> joint", "'knee'"},
      {"actuator_nothing.xml", actuator("<motor/>"), ":3: <motor> joint", "none"},
      {"actuator_tendon.xml", actuator("<motor tendon='t'/>"), ":3: <motor> tendon", "'t'"},
      {"actuator_ball.xml", actuator("<motor joint='jd'/>"), ":3: <motor> joint", "'jd'"},
      {"actuator_kind.xml", actuator("<muscle joint='ja'/>"), ":3: <muscle>", "not simulated"},
      {"actuator_adhesion.xml", actuator("<adhesion body='a'/>"), ":3: <adhesion>", "not simulated"},
      {"actuator_typo.xml", actuator("<motor joint='ja1'/>"), ":3: <motor> joint", "did you mean 'ja'"},
      {"section_typo.xml", robot("<actuators/>"), ":3: <actuators>", "did you mean 'actuator'"},
      {"actuator_site.xml", actuator("<motor site='t'/>"), ":3: <motor> site", "'t'"},
      {"actuator_fixed_site.xml", actuator("<motor site='s'/>"), ":3: <motor> site", "'s'"},
      {"actuator_refsite.xml", actuator("<motor site='sa' refsite='s'/>"), ":3: <motor> refsite", "'s'"},
      {"actuator_no_force.xml", actuator("<motor site='sa' gear='0'/>"), ":3: <motor> gear", "'0'"},
      {"actuator_state.xml", actuator("<general joint='ja' dyntype='muscle'/>"), ":3: <general> dyntype", "'muscle'"},
      {"filter_time.xml", actuator("<general joint='ja' dyntype='filter' dynprm='0'/>"), ":3: <general> dynprm", "'0'"},
      {"cylinder_time.xml", actuator("<cylinder joint='ja' timeconst='-1'/>"), ":3: <cylinder> timeconst", "'-1'"},
      {"activation_range.xml", actuator("<motor joint='ja'/>\n<intvelocity joint='jb' actrange='1 0'/>"),
       ":4: <intvelocity> actrange", "'1 0'"},
      {"range_without_state.xml", actuator("<general joint='ja' actrange='0 1'/>"), ":3: <general> actrange", "'0 1'"},
      {"act_without_state.xml", robot("<keyframe><key act='1'/></keyframe>"), "<key> act", "'1'"},
      {"mpos_without_mocap.xml", robot("<keyframe><key mpos='1 2 3'/></keyframe>"), "<key> mpos", "'1 2 3'"},
      {"mocap_with_joint.xml",
       mjcf("<worldbody><body mocap='true'><joint/>" + std::string(kMass) + "</body></worldbody>"), "<body> mocap",
       "'true'"},
      {"actuator_gain.xml", actuator("<general joint='ja' gaintype='muscle'/>"), ":3: <general> gaintype", "'muscle'"},
      {"negative_kp.xml", actuator("<position joint='ja' kp='-1'/>"), ":3: <position> kp", "'-1'"},
      {"control_range.xml", actuator("<motor joint='ja' ctrlrange='1 -1'/>"), ":3: <motor> ctrlrange", "'1 -1'"},
      {"force_range.xml", actuator("<motor joint='ja' forcerange='2 2'/>"), ":3: <motor> forcerange", "'2 2'"},
      {"inherited_range.xml", actuator("<position joint='ja' inheritrange='1'/>"), ":3: <position> inheritrange",
       "'1'"},
      {"same_actuator.xml", actuator("<motor name='m' joint='ja'/><motor name='m' joint='jb'/>"), ":3: <motor> name",
       "'m' again"},
  };
}

std::vector<Broken> broken_equalities() {
  return {
      {"connect_body.xml", equality("<connect body1='e' anchor='0 0 0'/>"), ":3: <connect> body1", "'e'"},
      {"connect_anchor.xml", equality("<connect body1='a'/>"), ":3: <connect> anchor", "none"},
      {"connect_world.xml", equality("<connect body1='world' anchor='0 0 0'/>"), ":3: <connect>", "do not move"},
      {"mimic_joint.xml", equality("<joint joint1='ja' joint2='knee'/>"), ":3: <joint> joint2", "'knee'"},
      {"mimic_itself.xml", equality("<joint joint1='ja' joint2='ja'/>"), ":3: <joint> joint2", "'ja'"},
      {"mimic_circle.xml", equality("<joint joint1='ja' joint2='jb'/><joint joint1='jb' joint2='ja'/>"),
       ":3: <joint> joint2", "follows joint1 already"},
      {"equality_kind.xml", equality("<flex/>"), ":3: <flex>", "it in <equality>"},
  };
}

std::vector<Broken> broken_tendons_and_keys() {
  return {
      {"empty_tendon.xml", tendon("<fixed name='t'/>"), ":3: <fixed>", "no <joint>"},
      {"tendon_joint.xml", tendon("<fixed name='t'><joint joint='knee' coef='1'/></fixed>"), ":3: <joint> joint",
       "'knee'"},
      {"tendon_factor.xml", tendon("<fixed name='t'><joint joint='ja' coef='0'/></fixed>"), ":3: <joint> coef", "'0'"},
      {"tendon_cancels.xml", tendon("<fixed><joint joint='ja' coef='1'/><joint joint='ja' coef='-1'/></fixed>"),
       ":3: <fixed>", "a sum that no body moves"},
      {"tendon_site.xml", tendon("<spatial><site site='s'/><site site='t'/></spatial>"), ":3: <site> site", "'t'"},
      {"tendon_wraps.xml", tendon("<spatial><site site='s'/><geom geom='ga'/><site site='sa'/></spatial>"),
       ":3: <geom>", "it in <spatial>"},
      {"tendon_one_site.xml", tendon("<spatial><site site='s'/></spatial>"), ":3: <spatial>", "1 site"},
      {"tendon_divisor.xml", tendon("<spatial><site site='s'/><pulley/><site site='sa'/></spatial>"),
       ":3: <pulley> divisor", "none"},
      {"tendon_branch.xml",
       tendon("<spatial><site site='s'/><site site='sa'/><pulley divisor='2'/><site site='sa'/></spatial>"),
       ":3: <spatial>", "a branch of one site"},
      {"tendon_slack.xml",
       tendon("<spatial stiffness='1' springlength='2 1'><site site='s'/><site site='sa'/></spatial>"),
       ":3: <spatial> springlength", "'2 1'"},
      {"key_size.xml", robot("<keyframe><key qpos='0 0'/></keyframe>"), ":3: <key> qpos", "'0 0'"},
      {"key_controls.xml", robot("<keyframe><key ctrl='1'/></keyframe>"), ":3: <key> ctrl", "'1'"},
      {"key_quaternion.xml", robot("<keyframe><key qpos='0 0 0 0 0 0 0'/></keyframe>"), ":3: <key> qpos",
       "'0 0 0 0 0 0 0'"},
  };
}

TEST(BrokenRobots, GetOneClearLine) {
  const testing::TemporaryFolder folder;
  for (const auto& group :
       {broken_joints(), broken_bodies(), broken_actuators(), broken_equalities(), broken_tendons_and_keys()})
    for (const Broken& broken : group) expect_refused(folder, broken);
}

}  // namespace
}  // namespace repose
