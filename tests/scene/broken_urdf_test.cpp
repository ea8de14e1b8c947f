// SPDX-License-Identifier: Apache-2.0
// Broken URDF files: each gets one line with file, line, element, what was expected and what is there.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/scene/broken_file.h"

namespace repose {
namespace {

using testing::Broken, testing::expect_refused;

const std::string kMass =
    "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";

std::string robot(const std::string& content) { return "<robot name='r'>\n" + content + "\n</robot>"; }

/// Two links and a joint whose content is given, on line 3.
std::string joint(const std::string& type, const std::string& content) {
  return robot("<link name='base'/><link name='a'>" + kMass + "</link><joint name='j' type='" + type +
               "'><parent link='base'/><child link='a'/>\n" + content + "</joint>");
}
std::string limited(const std::string& attributes) { return joint("revolute", "<limit " + attributes + "/>"); }
/// A link that moves, with its content on line 3.
std::string link(const std::string& content) {
  return robot(
      "<link name='base'/><joint name='j' type='continuous'><parent link='base'/><child link='a'/></joint>"
      "<link name='a'>\n" +
      content + "</link>");
}
std::string inertial(const std::string& mass, const std::string& inertia) {
  return link("<inertial><mass value='" + mass + "'/>\n<inertia " + inertia + "/></inertial>");
}
std::string shape(const std::string& geometry) {
  return link(kMass + "<collision><geometry>\n" + geometry + "</geometry></collision>");
}
/// Joints from `parent>child` between links a, b, c; one a line from line 3.
std::string tree(const std::vector<std::string>& joints) {
  std::string text = "<link name='a'/><link name='b'>" + kMass + "</link><link name='c'>" + kMass + "</link>";
  for (std::size_t k = 0; k < joints.size(); ++k)
    text += "\n<joint name='j" + std::to_string(k) + "' type='continuous'><parent link='" + joints[k].substr(0, 1) +
            "'/><child link='" + joints[k].substr(2) + "'/></joint>";
  return robot(text);
}
/// Three joints on the base; the content of the second is on line 3.
std::string mimic(const std::string& second, const std::string& third = "") {
  const auto on = [](const std::string& name, const std::string& content) {
    return "<joint name='" + name + "' type='continuous'><parent link='base'/><child link='of_" + name + "'/>" +
           content + "</joint><link name='of_" + name + "'>" + kMass + "</link>";
  };
  return robot("<link name='base'/>" + on("one", "") + on("two", "\n" + second) + on("three", third));
}

std::vector<Broken> broken_trees() {
  return {
      {"empty.urdf", "", ":1", "No document"},
      {"not_xml.urdf", "<robot name='r'>\n<link name='a'>\n</robot>", ":3", "tag"},
      {"other_root.urdf", "<mujoco/>", ":1: <mujoco>", "this root element"},
      {"no_links.urdf", robot(""), ":1: <robot>", "no <link>"},
      {"no_name.urdf", "<robot>\n<link name='a'/></robot>", ":1: <robot> name", "none"},
      {"macro.urdf", robot("<xacro:include filename='x'/>"), ":2: <xacro:include>", "macro"},
      {"expression.urdf", robot("<link name='${prefix}_a'/>"), ":2: <link> name", "'${prefix}_a'"},
      {"misspelt.urdf", robot("<jiont name='a'/>"), ":2: <jiont>", "did you mean 'joint'"},
      {"attribute.urdf", robot("<link nam='a'/>"), ":2: <link> nam", "did you mean 'name'"},
      {"same_link.urdf", robot("<link name='a'/>\n<link name='a'/>"), ":3: <link> name", "'a' again"},
      {"same_joint.urdf",
       robot("<link name='a'/><link name='b'/><link name='c'/><joint name='j' type='fixed'><parent link='a'/>"
             "<child link='b'/></joint>\n<joint name='j' type='fixed'><parent link='a'/><child link='c'/></joint>"),
       ":3: <joint> name", "'j' again"},
      {"no_child.urdf", robot("<link name='a'/>\n<joint name='j' type='fixed'><parent link='a'/></joint>"),
       ":3: <joint>", "no <child>"},
      {"no_body.urdf",
       robot("<link name='a'/>\n<joint name='j' type='fixed'><parent link='a'/>\n<child link='b'/></joint>"),
       ":4: <child> link", "'b'"},
      {"itself.urdf", tree({"a>b", "c>c"}), ":4: <joint> child", "'c'"},
      {"two_roots.urdf", tree({"a>b"}), ":2: <link>", "no joint to 'c' beside 'a'"},
      {"two_parents.urdf", tree({"a>b", "b>c", "a>c"}), ":5: <child> link", "'c', which joint 'j1' has already"},
      {"circle.urdf", tree({"b>c", "c>b"}), ": <joint>", "a circle of links"},
      {"no_root.urdf", tree({"a>b", "b>c", "c>a"}), ": <joint>", "a circle of links"},
  };
}

std::vector<Broken> broken_joints() {
  return {
      {"type.urdf", joint("screw", ""), ":2: <joint> type", "'screw'"},
      {"no_type.urdf", robot("<link name='a'/>\n<joint name='j'/>"), ":3: <joint> type", "none"},
      {"zero_axis.urdf", joint("continuous", "<axis xyz='0 0 0'/>"), ":3: <axis> xyz", "'0 0 0'"},
      {"short_axis.urdf", joint("continuous", "<axis xyz='0 1'/>"), ":3: <axis> xyz", "'0 1'"},
      {"two_axes.urdf", joint("continuous", "<axis xyz='0 0 1'/><axis xyz='0 0 1'/>"), ":3: <axis>", "a second one"},
      {"degrees.urdf", joint("continuous", "<origin rpy='90 0 0'/>"), ":3: <origin> rpy", "'90 0 0'"},
      {"no_limit.urdf", joint("revolute", ""), ":2: <joint>", "no <limit>"},
      {"upside_down.urdf", limited("lower='1' upper='-1' effort='1' velocity='1'"), ":3: <limit> lower", "1.0"},
      {"no_range.urdf", limited("effort='1' velocity='1'"), ":3: <limit> lower", "0.0"},
      {"limit_word.urdf", limited("lower='low' upper='1'"), ":3: <limit> lower", "'low'"},
      {"limit_nan.urdf", limited("lower='0' upper='nan'"), ":3: <limit> upper", "'nan'"},
      {"negative_effort.urdf", limited("lower='0' upper='1' effort='-2'"), ":3: <limit> effort", "'-2'"},
      {"negative_damping.urdf", joint("continuous", "<dynamics damping='-1'/>"), ":3: <dynamics> damping", "'-1'"},
      {"negative_friction.urdf", joint("continuous", "<dynamics friction='-1'/>"), ":3: <dynamics> friction", "'-1'"},
      {"mimic_nothing.urdf", mimic("<mimic/>"), ":3: <mimic> joint", "none"},
      {"mimic_missing.urdf", mimic("<mimic joint='knee'/>"), ":3: <mimic> joint", "'knee'"},
      {"mimic_itself.urdf", mimic("<mimic joint='two'/>"), ":3: <mimic> joint", "'two', a circle"},
      {"mimic_circle.urdf", mimic("<mimic joint='three'/>", "<mimic joint='two'/>"), ":3: <mimic> joint",
       "'three', a circle"},
      {"mimic_fixed.urdf", joint("fixed", "<mimic joint='j'/>"), ":3: <mimic>", "without a single coordinate"},
  };
}

std::vector<Broken> broken_links() {
  const std::string unit = "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'";
  return {
      {"no_mass_value.urdf", link("<inertial><mass/>\n<inertia " + unit + "/></inertial>"), ":3: <mass> value", "''"},
      {"negative_mass.urdf", inertial("-1", unit), ":3: <mass> value", "'-1'"},
      {"no_inertia.urdf", link("<inertial><mass value='1'/></inertial>"), ":3: <inertial>", "no <inertia>"},
      {"triangle.urdf", inertial("1", "ixx='1' iyy='1' izz='3'"), ":4: <inertia>", "1.000000, 1.000000 and 3.000000"},
      {"negative_moment.urdf", inertial("1", "ixx='1' iyy='-1' izz='1'"), ":4: <inertia>", "-1.000000"},
      {"indefinite.urdf", inertial("1", "ixx='1' ixy='2' iyy='1' izz='1'"), ":4: <inertia>", "-1.000000"},
      {"missing_moment.urdf", inertial("1", "ixx='1' iyy='1'"), ":4: <inertia> izz", "''"},
      {"point_mass.urdf", inertial("1", "ixx='0' iyy='0' izz='0'"), ":2: <link>", "no inertia about one of its axes"},
      {"massless.urdf", link(""), ":2: <link>", "no mass"},
      {"zero_mass.urdf", inertial("0", unit), ":2: <link>", "no mass"},
      {"no_geometry.urdf", link(kMass + "<collision/>"), ":3: <collision>", "no <geometry>"},
      {"two_shapes.urdf", shape("<sphere radius='1'/><sphere radius='2'/>"), ":3: <geometry>", "2 elements"},
      {"cone.urdf", shape("<cone radius='1'/>"), ":4: <cone>", "it in <geometry>"},
      {"flat_box.urdf", shape("<box size='1 0 1'/>"), ":4: <box> size", "'1 0 1'"},
      {"radius.urdf", shape("<cylinder radius='-1' length='1'/>"), ":4: <cylinder> radius", "'-1'"},
      {"length.urdf", shape("<cylinder radius='1'/>"), ":4: <cylinder> length", "''"},
      {"no_mesh.urdf", shape("<mesh filename='gone.stl'/>"), ":4: <mesh> filename", "gone.stl', which is not there"},
      {"no_filename.urdf", shape("<mesh/>"), ":4: <mesh> filename", "none"},
      {"no_package.urdf", shape("<mesh filename='package://arm/gone.stl'/>"), ":4: <mesh> filename",
       "package 'arm' in a folder above"},
      {"package_alone.urdf", shape("<mesh filename='package://arm'/>"), ":4: <mesh> filename", "package://NAME/FILE"},
      {"scheme.urdf", shape("<mesh filename='http://arm/gone.stl'/>"), ":4: <mesh> filename", "http://arm/gone.stl"},
      {"flat_mesh.urdf", shape("<mesh filename='flat.obj'/>"), ":4: <mesh> filename", "got"},
      {"scale.urdf", shape("<mesh filename='flat.obj' scale='1 0 1'/>"), ":4: <mesh> scale", "'1 0 1'"},
      {"colour.urdf",
       link(kMass + "<visual><geometry><sphere radius='1'/></geometry><material name='m'>\n<color "
                    "rgba='red'/></material></visual>"),
       ":4: <color> rgba", "'red'"},
  };
}

TEST(BrokenUrdf, GetsOneClearLine) {
  const testing::TemporaryFolder folder;
  folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n");
  for (const auto& group : {broken_trees(), broken_joints(), broken_links()})
    for (const Broken& broken : group) expect_refused(folder, broken);
}

}  // namespace
}  // namespace repose
