// SPDX-License-Identifier: Apache-2.0
// Broken scene files: each gets one line with the file, the place, what was expected and what is there.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "repose/base/error.h"
#include "repose/scene/load.h"
#include "tests/scene/broken_file.h"
#include "tests/support/complaint.h"
#include "tests/support/temporary_folder.h"

namespace repose {
namespace {

using testing::Broken, testing::expect_refused;

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

/// A native scene around some content.
std::string native(const std::string& rest) { return R"({"repose_scene": 1, )" + rest + "}"; }
/// With one dynamic box whose fields are given, besides its shapes.
std::string body(const std::string& fields) {
  return native(R"("bodies": [{"name": "cube", "shapes": [{"type": "box", "half": [1, 1, 1]}], )" + fields + "}]");
}
std::string shape(const std::string& fields) { return native(R"("bodies": [{"shapes": [{)" + fields + "}]}]"); }
std::string event(const std::string& fields) {
  return native(R"("bodies": [{"name": "cube", "shapes": [{"type": "sphere", "radius": 1}]}], "events": [{)" + fields +
                "}]");
}

std::string joint(const std::string& fields) {
  return native(R"("bodies": [{"name": "cube", "shapes": [{"type": "sphere", "radius": 1}]}], "joints": [{)" + fields +
                "}]");
}

/// What is no JSON, or not that of a scene.
std::vector<Broken> broken_native_texts() {
  return {
      {"scene.txt", "hello", "file", "'.txt'"},
      {"empty.json", "", ":1: expected", "end of input"},
      {"truncated.json", R"({"repose_scene": 1, "bodies": [{"na)", ":1: expected", "missing closing quote"},
      {"truncated2.json", "{\"repose_scene\": 1,\n\"bodies\": [\n{}", ":3: expected", "unexpected end of input"},
      {"comma.json", "{\"repose_scene\": 1,\n\"dt\": 0.1,\n}", ":3: expected", "unexpected '}'"},
      {"binary.json", std::string("\x89HDF\r\n\x1a\n\0\0", 10), ":1: expected", "invalid literal"},
      {"list.json", "[1, 2]", "/", "neither repose_scene nor rigid_body_problem"},
      {"other.json", R"({"hello": 1})", "/", "neither repose_scene nor rigid_body_problem"},
      {"deep.json", R"({"repose_scene": 1, "bodies": )" + repeated("[", 200000), "nesting", "65 deep"},
      {"deep_objects.json", repeated(R"({"a":)", 200000), "nesting", "65 deep"},
  };
}

/// Fields of the wrong name or type.
std::vector<Broken> broken_native_fields() {
  return {
      {"twice.json", native(R"("dt": 0.1, "dt": 0.2)"), "dt", "twice"},
      {"version.json", R"({"repose_scene": 7})", "/repose_scene", "7"},
      {"misspelt.json", native(R"("gravty": [0, 0, -9.81])"), "/gravty", "did you mean 'gravity'"},
      {"unknown_shape_field.json", shape(R"("type": "sphere", "radius": 1, "half": 3)"), "/bodies/0/shapes/0/half",
       "not known"},
      {"text_for_number.json", native(R"("dt": "fast")"), "/dt", "\"fast\""},
      {"number_for_list.json", native(R"("bodies": 3)"), "/bodies", "3"},
      {"object_for_list.json", native(R"("events": {"time": 1})"), "/events", "an object"},
      {"short_vector.json", native(R"("gravity": [0, -9.81])"), "/gravity", "a list of 2"},
      {"null_pose.json", body(R"("position": [0, null, 0])"), "/bodies/0/position/1", "null"},
      {"nan_pose.json", body(R"("position": [0, NaN, 0])"), ":1: expected", "invalid literal"},
      {"overflow.json", body(R"("position": [0, 1e999, 0])"), "overflow.json", "1e999"},
      {"huge.json", body(R"("position": [0, 1e300, 0])"), "body 'cube': position", "1e+300"},
      {"huge_size.json", shape(R"("type": "box", "half": [1e200, 1, 1])"), "half edge", "1e+200"},
  };
}

std::vector<Broken> broken_native_mechanisms() {
  return {
      {"joint_kind.json", joint(R"("type": "knee", "body_b": "cube")"), "/joints/0/type", "'knee'"},
      {"joint_without_type.json", joint(R"("body_b": "cube")"), "/joints/0/type", "nothing"},
      {"joint_without_body.json", joint(R"("type": "hinge")"), "/joints/0/body_b", "nothing"},
      {"joint_body.json", joint(R"("type": "hinge", "body_b": "cub")"), "/joints/0/body_b", "did you mean 'cube'"},
      {"joint_axis.json", joint(R"("type": "hinge", "body_b": "cube", "axis": [0, 0, 0])"), "/joints/0/axis", "list"},
      {"joint_both.json", joint(R"("type": "hinge", "body_b": 0, "axis": [0, 0, 1], "frame_b": {})"),
       "/joints/0/frame_b", "beside anchor or axis"},
      {"joint_range.json", joint(R"("type": "hinge", "body_b": "cube", "coordinates": [{"lower": 1, "upper": -1}])"),
       "joint 0: range", "got 1 and -1"},
      {"joint_many.json", joint(R"("type": "hinge", "body_b": "cube", "coordinates": [{}, {}, {}, {}, {}, {}, {}])"),
       "/joints/0/coordinates", "a list of 7"},
      {"joint_axes.json", joint(R"("type": "hinge", "body_b": "cube", "axes": [{}])"), "joint 0: axes",
       "expected none on a hinge joint, got 1"},
      {"compound_bare.json", joint(R"("type": "compound", "body_b": "cube")"), "joint 0: axes", "got 0"},
      {"compound_axis.json", joint(R"("type": "compound", "body_b": "cube", "axes": [{"axis": [0, 0, 0]}])"),
       "/joints/0/axes/0/axis", "a direction"},
      {"compound_type.json", joint(R"("type": "compound", "body_b": "cube", "axes": [{"type": "ball"}])"),
       "/joints/0/axes/0/type", "'ball'"},
      {"compound_twice.json", joint(R"("type": "compound", "body_b": "cube", "axes": [{}, {"point": [0, 0, 1]}])"),
       "joint 0: axes", "repeat others"},
      {"compound_many.json", joint(R"("type": "compound", "body_b": "cube", "axes": [{}, {}, {}, {}, {}, {}, {}])"),
       "joint 0: axes", "got 7"},
      {"medium.json", native(R"("medium": {"density": -1})"), "medium: density", "-1"},
      {"dynamics.json",
       joint(R"("type": "hinge", "body_b": "cube"}], "actuators": [{"joint": 0, "dynamics": "muscle")"),
       "/actuators/0/dynamics", "'muscle'"},
      {"filter_time.json",
       joint(R"("type": "hinge", "body_b": "cube"}], "actuators": [{"joint": 0, "dynamics": "filter", "time": 0)"),
       "actuator 0: time", "got 0"},
      {"actuator_joint.json", joint(R"("type": "hinge", "body_b": "cube"}], "actuators": [{"joint": "knee")"),
       "/actuators/0/joint", "'knee'"},
      {"actuator_gain.json", joint(R"("type": "hinge", "body_b": "cube"}], "actuators": [{"joint": 0, "gain": [1])"),
       "/actuators/0/gain", "a list of 1"},
      {"sensor_kind.json", native(R"("sensors": [{"type": "smell"}])"), "/sensors/0/type", "'smell'"},
      {"sensor_joint.json", native(R"("sensors": [{"type": "joint_position", "joint": "knee"}])"), "/sensors/0/joint",
       "'knee'"},
      {"sensor_field.json", native(R"("sensors": [{"type": "gyro", "joint": 0}])"), "/sensors/0/joint",
       "it on a gyro sensor"},
      {"sensor_body.json", joint(R"("type": "hinge", "body_b": "cube"}], "sensors": [{"type": "gyro", "body": "cub")"),
       "/sensors/0/body", "did you mean 'cube'"},
  };
}

/// Values that describe no scene.
std::vector<Broken> broken_native_values() {
  return {
      {"zero_dt.json", native(R"("dt": 0)"), "dt", "0 s"},
      {"milliseconds.json", native(R"("dt": 16.7, "duration": 10)"), "dt", "16.7 s"},
      {"zero_mass.json", body(R"("mass": {"mass": 0, "inertia": [[1,0,0],[0,1,0],[0,0,1]]})"), "body 'cube': mass",
       "0 kg"},
      {"negative_inertia.json", body(R"("mass": {"mass": 1, "inertia": [[1,0,0],[0,-1,0],[0,0,1]]})"), "inertia", "-1"},
      {"flat_inertia.json", body(R"("mass": {"mass": 1, "inertia": [[1,0,0],[0,1,0],[0,0,9]]})"), "inertia", "9"},
      {"inertia_list.json", body(R"("mass": {"mass": 1, "inertia": [1, 1, 1]})"), "/bodies/0/mass/inertia/0", "1"},
      {"zero_quaternion.json", body(R"("rotation": [0, 0, 0, 0])"), "/bodies/0/rotation", "[0,0,0,0]"},
      {"degrees_as_quaternion.json", body(R"("rotation": [90, 0, 0, 1])"), "/bodies/0/rotation", "[90,0,0,1]"},
      {"euler_as_quaternion.json", body(R"("rotation": [0, 0, 90])"), "/bodies/0/rotation", "a list of 3"},
      {"negative_size.json", shape(R"("type": "sphere", "radius": -1)"), "radius", "-1 m"},
      {"no_radius.json", shape(R"("type": "sphere")"), "/bodies/0/shapes/0/radius", "nothing"},
      {"unknown_type.json", shape(R"("type": "cube", "half": [1, 1, 1])"), "/bodies/0/shapes/0/type", "'cube'"},
      {"negative_friction.json", native(R"("materials": [{"name": "ice", "friction": -0.1}])"),
       "material 'ice': friction", "-0.1"},
      {"no_such_material.json", shape(R"("type": "sphere", "radius": 1, "material": "cheese")"), "material",
       "'cheese'"},
      {"flat_hull.json", shape(R"("type": "hull", "vertices": [[0,0,0],[1,0,0],[0,1,0],[1,1,0]])"),
       "/bodies/0/shapes/0/vertices", ", got "},
      {"missing_mesh.json", shape(R"("type": "mesh", "file": "no/such.obj")"), "/bodies/0/shapes/0/file", "such.obj"},
      {"duplicate_name.json", native(R"("bodies": [{"name": "a", "kind": "static"}, {"name": "a", "kind": "static"}])"),
       "body 'a': name", "one that is taken"},
      {"unknown_event_body.json", event(R"("time": 1, "type": "appear", "body": "cub")"), "/events/0/body",
       "did you mean 'cube'"},
      {"event_index.json", event(R"("time": 1, "type": "appear", "body": 4)"), "/events/0/body", "4"},
      {"negative_event_time.json", event(R"("time": -1, "type": "appear", "body": 0)"), "event 0: time", "-1 s"},
      {"descending_table.json",
       body(R"("kind": "kinematic", "motion": {"type": "table", "poses": [{"time": 1}, {"time": 0}]})"), "time 1",
       "0 s after 1 s"},
      {"dynamic_plane.json", shape(R"("type": "plane")"), "shape 0", "half-space on a dynamic body"},
      {"massless.json", native(R"("bodies": [{"name": "ghost"}])"), "body 'ghost': mass", "none"},
  };
}

std::vector<Broken> broken_native_files() {
  std::vector<Broken> all = broken_native_texts();
  for (const auto& part : {broken_native_fields(), broken_native_mechanisms(), broken_native_values()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

const char* const kTetra = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

std::string ipc(const std::string& fields) {
  return R"({"rigid_body_problem": {"rigid_bodies": [{"mesh": "tetra.obj")" + fields + "}]}}";
}

std::vector<Broken> broken_rigid_ipc_files() {
  const std::string where = "/rigid_body_problem/rigid_bodies/0";
  return {
      {"ipc_no_bodies.json", R"({"rigid_body_problem": {}})", "/rigid_body_problem/rigid_bodies", "nothing"},
      {"ipc_missing_mesh.json", R"({"rigid_body_problem": {"rigid_bodies": [{"mesh": "gone.obj"}]}})", where + "/mesh",
       "'gone.obj'"},
      {"ipc_bad_corner.json", R"({"rigid_body_problem": {"rigid_bodies": [{"mesh": "bad.obj"}]}})", "bad.obj:5", "'9'"},
      {"ipc_misspelt.json", ipc(R"(, "is_dof_fix": true)"), where + "/is_dof_fix", "did you mean 'is_dof_fixed'"},
      {"ipc_fixed.json", ipc(R"(, "is_dof_fixed": [true, false])"), where + "/is_dof_fixed", "a list of 2"},
      {"ipc_scale.json", ipc(R"(, "scale": "big")"), where + "/scale", "\"big\""},
      {"ipc_zero_scale.json", ipc(R"(, "scale": 0)"), where + "/mesh", ", got "},
      {"ipc_huge_scale.json", ipc(R"(, "scale": 1e200)"), where, "beyond 1e15"},
      {"ipc_density.json", ipc(R"(, "density": -5)"), where + "/density", "-5"},
      {"ipc_type.json", ipc(R"(, "type": "floating")"), where + "/type", "'floating'"},
      {"ipc_timestep.json", R"({"timestep": -1, "rigid_body_problem": {"rigid_bodies": []}})", "dt", "-1 s"},
      {"ipc_friction.json", R"({"rigid_body_problem": {"coefficient_friction": -1, "rigid_bodies": []}})", "friction",
       "-1"},
  };
}

std::string mjcf(const std::string& content) { return "<mujoco>\n" + content + "\n</mujoco>"; }
std::string geom(const std::string& attributes) { return mjcf("<worldbody><geom " + attributes + "/></worldbody>"); }
std::string free_body(const std::string& content) {
  return mjcf("<worldbody><body name='b'><freejoint/>" + content + "</body></worldbody>");
}

std::vector<Broken> broken_mjcf_files() {
  return {
      {"empty.xml", "", "empty.xml:1", "No document element"},
      {"truncated.xml", "<mujoco>\n<worldbody>\n<geom size='1'", "truncated.xml:3", "rror parsing"},
      {"unclosed.xml", "<mujoco>\n<worldbody>\n</mujoco>", "unclosed.xml:3", "mismatch"},
      {"urdf.xml", "<robot/>", "urdf.xml:1: <robot>", "root element"},
      {"deep.xml",
       "<mujoco><worldbody>" + repeated("<body>", 100000) + repeated("</body>", 100000) + "</worldbody></mujoco>",
       "nesting", "more than 100 deep"},
      {"unknown_section.xml", mjcf("<deformable/>"), ":2: <deformable>", "not supported"},
      {"unknown_element.xml", mjcf("<worldbody><goem size='1'/></worldbody>"), ":2: <goem>", "not supported"},
      {"unknown_attribute.xml", geom("size='1' frction='1'"), "<geom> frction", "did you mean 'friction'"},
      {"inner_free.xml", mjcf("<worldbody><body name='a'><body><freejoint/><geom size='1'/></body></body></worldbody>"),
       "<freejoint>", "inside body 'a'"},
      {"height_field.xml", geom("type='hfield' size='1 2 3'"), "<geom> hfield", "got none"},
      {"negative_size.xml", geom("size='-1'"), "<geom> size", "'-1'"},
      {"no_size.xml", geom("type='box' size='1 2'"), "<geom> size", "'1 2'"},
      {"nan_size.xml", geom("size='nan'"), "<geom> size", "'nan'"},
      {"words.xml", geom("size='one'"), "<geom> size", "'one'"},
      {"too_many.xml", geom("size='1' pos='1 2 3 4'"), "<geom> pos", "'1 2 3 4'"},
      {"zero_quat.xml", geom("size='1' quat='0 0 0 0'"), "<geom> quat", "'0 0 0 0'"},
      {"two_turns.xml", geom("size='1' quat='1 0 0 0' euler='0 0 0'"), "<geom> euler", "quat is given as well"},
      {"degrees.xml", mjcf("<compiler angle='radian'/><worldbody><geom size='1' euler='0 0 90'/></worldbody>"),
       "<geom> euler", "'0 0 90'"},
      {"friction.xml", geom("size='1' friction='-1'"), "<geom> friction", "'-1'"},
      {"condim.xml", geom("size='1' condim='2'"), "<geom> condim", "'2'"},
      {"no_class.xml", geom("size='1' class='ice'"), "<geom> class", "'ice'"},
      {"missing_mesh.xml", mjcf("<asset>\n<mesh file='gone.stl'/></asset><worldbody><geom mesh='gone'/></worldbody>"),
       ":3: <mesh> file", "gone.stl"},
      {"no_mesh.xml", geom("type='mesh' mesh='m'"), "<geom> mesh", "'m'"},
      {"flat_mesh.xml",
       mjcf("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0'/></asset><worldbody><geom type='mesh' "
            "mesh='m'/></worldbody>"),
       "<mesh>", ", got "},
      {"bad_mesh.xml", mjcf("<asset><mesh file='rubbish.stl'/></asset><worldbody><geom mesh='rubbish'/></worldbody>"),
       "<mesh> file", "rubbish.stl"},
      {"negative_mass.xml", free_body("<geom size='1' mass='-1'/>"), "<geom> mass", "'-1'"},
      {"massless.xml", free_body(""), "<body>", "no mass"},
      {"zero_inertial.xml", free_body("<inertial pos='0 0 0' mass='0' diaginertia='1 1 1'/>"), "<inertial> mass",
       "'0'"},
      {"negative_inertia.xml", free_body("<inertial pos='0 0 0' mass='1' diaginertia='1 -1 1'/>"), "diaginertia",
       "'1 -1 1'"},
      {"impossible_inertia.xml", free_body("<inertial pos='0 0 0' mass='1' diaginertia='1 1 9'/>"), "inertia", "9"},
      {"moving_plane.xml", free_body("<geom type='plane' size='1 1 1'/>"), "<geom> type", "a plane in a moving body"},
      {"same_name.xml", mjcf("<worldbody><body name='a'/><body name='a'/></worldbody>"), "<body> name", "'a' again"},
      {"exclude.xml", mjcf("<contact><exclude body1='a' body2='b'/></contact>"), "<exclude> body1", "'a'"},
      {"pair.xml", mjcf("<contact><pair geom1='a' geom2='b'/></contact>"), "<pair> geom1", "'a'"},
      {"short_key.xml",
       mjcf("<worldbody><body><freejoint/><geom size='1'/></body></worldbody><keyframe><key qpos='0 0 0'/></keyframe>"),
       "<key> qpos", "'0 0 0'"},
      {"flag.xml", mjcf("<option><flag constraint='disable'/></option>"), "<flag> constraint", "'disable'"},
      {"shell.xml",
       mjcf("<asset><mesh name='m' inertia='shell' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>"
            "<worldbody><geom mesh='m'/></worldbody>"),
       "<mesh> inertia", "'shell'"},
      {"medium.xml", mjcf("<option density='-1'/>"), "<option> density", "'-1'"},
      {"zero_timestep.xml", mjcf("<option timestep='0'/>"), "dt", "0 s"},
      {"cycle.xml", mjcf("<include file='cycle.xml'/>"), "cycle.xml:2: <include> file", "a second time"},
      {"cycle_a.xml", mjcf("<include file='cycle_b.xml'/>"), "cycle_b.xml:2: <include> file", "a second time"},
      {"missing_include.xml", mjcf("<include file='gone.xml'/>"), "<include> file", "'gone.xml'"},
      {"twice.xml", geom("size='1' size='2'"), "<geom> size", "it twice"},
  };
}

TEST(BrokenScenes, ThereAreAtLeastSixty) {
  EXPECT_GE(broken_native_files().size() + broken_rigid_ipc_files().size() + broken_mjcf_files().size(), 60U);
}

TEST(BrokenScenes, NativeFilesGetOneClearLine) {
  const testing::TemporaryFolder folder;
  for (const Broken& broken : broken_native_files()) expect_refused(folder, broken);
}

TEST(BrokenScenes, RigidIpcFilesGetOneClearLine) {
  const testing::TemporaryFolder folder;
  folder.write("tetra.obj", kTetra);
  folder.write("bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 9\n");
  for (const Broken& broken : broken_rigid_ipc_files()) expect_refused(folder, broken);
}

TEST(BrokenScenes, MjcfFilesGetOneClearLine) {
  const testing::TemporaryFolder folder;
  folder.write("cycle_b.xml", mjcf("<include file='cycle_a.xml'/>"));
  folder.write("rubbish.stl", "this is not a mesh");
  for (const Broken& broken : broken_mjcf_files()) expect_refused(folder, broken);
}

TEST(BrokenScenes, TheLineOfAFieldIsNamed) {
  const testing::TemporaryFolder folder;
  const auto said = [&](const std::string& name, const std::string& text) {
    folder.write(name, text);
    return testing::complaint([&] { (void)load_scene(folder / name); });
  };
  EXPECT_EQ(said("a.json", "{\n\"repose_scene\": 1,\n\"dt\": \"fast\"\n}"),
            folder / "a.json:3: /dt: expected a number, got \"fast\"");
  EXPECT_EQ(
      said("b.json", "{\"repose_scene\": 1,\n\"bodies\": [\n{\"kind\": \"static\"},\n{\"position\": [1,\n2]}\n]}"),
      folder / "b.json:4: /bodies/1/position: expected a list of 3 numbers, got a list of 2");
  EXPECT_EQ(said("c.json", "{\"repose_scene\": 1,\n\n\"dt\" 3}"),
            folder / "c.json:3: expected JSON, got unexpected number literal; expected ':'");
  EXPECT_EQ(said("d.xml", "<mujoco>\n<worldbody>\n<geom size='one'/></worldbody></mujoco>"),
            folder / "d.xml:3: <geom> size: expected 1 or more finite numbers, got 'one'");
}

TEST(BrokenScenes, MissingFilesAndFoldersAreNamed) {
  const testing::TemporaryFolder folder;
  for (const char* name : {"gone.json", "gone.xml"})
    expect_refused(folder, {name + std::string("/x.json"), "", ":1: expected", "end of input"});
  for (const std::string& path :
       {folder / "none.json", folder / "none.xml", folder / "none.txt", folder / "gone.json"}) {
    try {
      (void)load_scene(path);
      ADD_FAILURE() << path;
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path + ": file: expected ")) << error.what();
    }
  }
}

/// Truncating a good file anywhere gives a clear line, never a crash and never half a scene.
TEST(BrokenScenes, EveryTruncationIsRefused) {
  const testing::TemporaryFolder folder;
  const std::string json = body(R"("velocity": [1, 2, 3])");
  const std::string xml = free_body("<geom type='box' size='1 2 3' pos='0 0 1'/>");
  for (std::size_t n = 0; n + 1 < json.size(); ++n) {
    folder.write("t.json", json.substr(0, n));
    EXPECT_THROW((void)load_scene(folder / "t.json"), InputError) << n;
  }
  for (std::size_t n = 0; n + 1 < xml.size(); ++n) {
    folder.write("t.xml", xml.substr(0, n));
    EXPECT_THROW((void)load_scene(folder / "t.xml"), InputError) << n;
  }
}

}  // namespace
}  // namespace repose
