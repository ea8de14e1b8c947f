// SPDX-License-Identifier: Apache-2.0
// Joints and actuators in Python: their names in Model, their coordinates, forces and controls in Data, and the calls
// of ModelBuilder that make them.
#include <algorithm>

#include "python/src/bindings.h"
#include "repose/scene/builder.h"

namespace repose::python {
namespace {

using Triple = std::array<double, 3>;

/// A coordinate of a joint, in the order of data.joint_position.
struct Coordinate {
  int joint = 0, index = 0;
};

int count_of(const SceneJoint& joint) { return value_count(joint); }

std::vector<Coordinate> coordinates_of(const Scene& scene) {
  std::vector<Coordinate> all;
  for (int j = 0; j < static_cast<int>(scene.joints.size()); ++j)
    for (int k = 0; k < count_of(scene.joints[at(j)]); ++k) all.push_back({j, k});
  return all;
}

std::string name_of(const Scene& scene, const Coordinate& c) {
  const SceneJoint& joint = scene.joints[at(c.joint)];
  if (count_of(joint) == 1) return joint.name;
  const std::string& own = joint.coordinates[at(c.index)].name;
  return own.empty() ? joint.name + "." + std::to_string(c.index) : own;
}

std::vector<std::string> joint_names(const Model& model) {
  std::vector<std::string> names;
  for (const Coordinate& c : coordinates_of(*model.scene)) names.push_back(name_of(*model.scene, c));
  return names;
}

std::vector<std::string> actuator_names(const Model& model) {
  std::vector<std::string> names;
  for (const SceneActuator& actuator : model.scene->actuators) names.push_back(actuator.name);
  return names;
}

int index_of(const std::vector<std::string>& names, const char* what, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  require(found != names.end(), what, ": expected one of the ", names.size(), " in ", what, "_names, got '", name, "'");
  return static_cast<int>(found - names.begin());
}

template <class Value>
nb::ndarray<nb::numpy, double> by_coordinate(const Data& data, Value value) {
  std::vector<double> flat;
  for (const Coordinate& c : coordinates_of(*data.model.scene)) flat.push_back(value(c));
  const std::size_t n = flat.size();
  return owned_array(std::move(flat), {n});
}

JointKind kind_from(const std::string& word) {
  constexpr std::pair<const char*, JointKind> kKinds[] = {
      {"ball", JointKind::kBall},     {"hinge", JointKind::kHinge},         {"slide", JointKind::kSlide},
      {"fixed", JointKind::kFixed},   {"universal", JointKind::kUniversal}, {"cylindrical", JointKind::kCylindrical},
      {"planar", JointKind::kPlanar}, {"screw", JointKind::kScrew}};
  for (const auto& [name, kind] : kKinds)
    if (word == name) return kind;
  fail("kind: expected ball, hinge, slide, fixed, universal, cylindrical, planar, screw, got '", word, "'");
}

constexpr double kNoLimit = JointCoordinate::kNoLimit;

/// The settings of one coordinate.
void set_coordinate(JointCoordinate& c, const std::optional<std::array<double, 2>>& limits, double friction,
                    double damping, double stiffness, double reference, double armature, double restitution) {
  if (limits) c.lower = (*limits)[0], c.upper = (*limits)[1];
  c.friction = friction, c.damping = damping, c.stiffness = stiffness, c.reference = reference, c.armature = armature;
  c.restitution = restitution;
}

int add_joint(SceneBuilder& b, const std::string& kind, int body_a, int body_b, const Triple& point, const Triple& axis,
              const std::string& name, const std::optional<std::array<double, 2>>& limits, double friction,
              double damping, double stiffness, double reference, double armature, double restitution, double pitch,
              bool collide) {
  const int joint = b.add_joint_at(kind_from(kind), body_a, body_b, vec(point), vec(axis));
  if (!name.empty()) b.joint(joint).name = name;
  b.joint(joint).pitch = pitch;
  b.joint(joint).collide = collide;
  set_coordinate(b.joint(joint).coordinates[0], limits, friction, damping, stiffness, reference, armature, restitution);
  return joint;
}

ActuatorDynamics dynamics_from(const std::string& word) {
  const char* const names[] = {"none", "integrator", "filter", "filter_exact"};
  for (int k = 0; k < 4; ++k)
    if (word == names[k]) return static_cast<ActuatorDynamics>(k);
  fail("dynamics: expected none, integrator, filter, filter_exact, got '", word, "'");
}

int add_actuator(SceneBuilder& b, int joint, int coordinate, const std::string& name, double gear, const Triple& gain,
                 const Triple& bias, const std::optional<std::array<double, 2>>& forces,
                 const std::optional<std::array<double, 2>>& controls, double control, const std::string& dynamics,
                 double time, bool early, double activation, const std::optional<std::array<double, 2>>& activations) {
  SceneActuator actuator{
      .name = name, .joint = joint, .coordinate = coordinate, .gear = gear, .gain = gain, .bias = bias};
  if (forces) actuator.force_lower = (*forces)[0], actuator.force_upper = (*forces)[1];
  if (controls) actuator.control_lower = (*controls)[0], actuator.control_upper = (*controls)[1];
  actuator.control = control;
  actuator.dynamics = dynamics_from(dynamics);
  actuator.time = time, actuator.early = early, actuator.activation = activation;
  if (activations) actuator.activation_lower = (*activations)[0], actuator.activation_upper = (*activations)[1];
  return b.add_actuator(actuator);
}

int add_coupling(SceneBuilder& b, const std::map<int, double>& factors, std::optional<double> hold,
                 const std::string& name, const std::optional<std::array<double, 2>>& limits, double friction,
                 double damping, double stiffness, double reference, double armature, double restitution) {
  std::vector<CouplingTerm> terms;
  for (const auto& [joint, factor] : factors) terms.push_back({joint, 0, {factor, 0, 0, 0}});
  const int joint = b.add_coupling(std::move(terms), hold);
  if (!name.empty()) b.joint(joint).name = name;
  set_coordinate(b.joint(joint).coordinates[0], limits, friction, damping, stiffness, reference, armature, restitution);
  return joint;
}

/// ("hinge" or "slide", axis) or (…, axis, point).
JointAxis joint_axis(const nb::object& one) {
  const auto parts = nb::cast<nb::tuple>(one);
  require(parts.size() == 2 || parts.size() == 3, "axes: expected (kind, axis) or (kind, axis, point), got ",
          parts.size(), " entries");
  const auto kind = nb::cast<std::string>(parts[0]);
  require(kind == "hinge" || kind == "slide", "axes: kind: expected hinge or slide, got '", kind, "'");
  return {kind == "slide", vec(nb::cast<Triple>(parts[1])),
          parts.size() == 3 ? vec(nb::cast<Triple>(parts[2])) : Vec3{}};
}

int add_compound(SceneBuilder& b, int body_a, int body_b, const std::vector<nb::object>& axes, const std::string& name,
                 const std::vector<std::string>& names, bool collide) {
  std::vector<JointAxis> all;
  for (const nb::object& one : axes) all.push_back(joint_axis(one));
  require(names.empty() || names.size() == all.size(), "names: expected one for each of ", all.size(), " axes, got ",
          names.size());
  const int joint = b.add_compound(body_a, body_b, std::move(all));
  if (!name.empty()) b.joint(joint).name = name;
  b.joint(joint).collide = collide;
  for (std::size_t k = 0; k < names.size(); ++k) b.joint(joint).coordinates[k].name = names[k];
  return joint;
}

void set_joint_coordinate(SceneBuilder& b, int joint, int coordinate,
                          const std::optional<std::array<double, 2>>& limits, double friction, double damping,
                          double stiffness, double reference, double armature, double restitution) {
  const int count = coordinate_count(b.joint(joint));
  require(coordinate >= 0 && coordinate < count, "coordinate: expected one of the joint's ", count, ", got ",
          coordinate);
  set_coordinate(b.joint(joint).coordinates[at(coordinate)], limits, friction, damping, stiffness, reference, armature,
                 restitution);
}

/// (body, point) or (body, point, factor).
PathPoint path_point(const nb::object& one) {
  const auto parts = nb::cast<nb::tuple>(one);
  require(parts.size() == 2 || parts.size() == 3, "path: expected (body, point) or (body, point, factor), got ",
          parts.size(), " entries");
  return {nb::cast<int>(parts[0]), vec(nb::cast<Triple>(parts[1])), parts.size() == 3 ? nb::cast<double>(parts[2]) : 1};
}

int add_tendon(SceneBuilder& b, const std::vector<nb::object>& path, std::optional<double> hold,
               const std::string& name, const std::optional<std::array<double, 2>>& limits, double friction,
               double damping, double stiffness, double reference, double slack, double armature, double restitution) {
  std::vector<PathPoint> points;
  for (const nb::object& one : path) points.push_back(path_point(one));
  const int joint = b.add_tendon(std::move(points), hold);
  if (!name.empty()) b.joint(joint).name = name;
  set_coordinate(b.joint(joint).coordinates[0], limits, friction, damping, stiffness, reference, armature, restitution);
  b.joint(joint).coordinates[0].slack = slack;
  return joint;
}

int add_thrust(SceneBuilder& b, int body, const Triple& position, const std::array<double, 4>& quaternion,
               const Triple& along, const Triple& about, const std::string& name) {
  const Pose site{vec(position), {quaternion[0], quaternion[1], quaternion[2], quaternion[3]}};
  const int joint = b.add_thrust(body, site, vec(along), vec(about));
  if (!name.empty()) b.joint(joint).name = name;
  return joint;
}

}  // namespace

void bind_joint_names(nb::class_<Model>& model) {
  model
      .def_prop_ro("joint_names", &joint_names,
                   "Names of the joints' coordinates, in the order of data.joint_position; joints without one (balls,\n"
                   "fixed ones, ropes) are not in it.")
      .def_prop_ro(
          "key_names",
          [](const Model& m) {
            std::vector<std::string> names;
            for (const SceneKey& key : m.keys) names.push_back(key.name);
            return names;
          },
          "Keyframes of the file, for data.reset(key).")
      .def_prop_ro("actuator_names", &actuator_names, "In the order of data.ctrl.")
      .def_prop_ro(
          "nu", [](const Model& m) { return m.scene->actuators.size(); }, "Actuators.")
      .def_prop_ro(
          "na",
          [](const Model& m) {
            const auto& all = m.scene->actuators;
            return std::count_if(all.begin(), all.end(), [](const SceneActuator& a) { return a.has_state(); });
          },
          "Actuators with an activation.")
      .def(
          "joint", [](const Model& m, const std::string& name) { return index_of(joint_names(m), "joint", name); },
          nb::arg("name"), "Index into joint_names.")
      .def(
          "actuator",
          [](const Model& m, const std::string& name) { return index_of(actuator_names(m), "actuator", name); },
          nb::arg("name"), "Index into actuator_names.");
}

void bind_joint_data(nb::class_<Data>& data) {
  data.def_prop_ro(
          "joint_position",
          [](const Data& d) {
            return by_coordinate(d, [&](const Coordinate& c) { return d.world.joint_position(c.joint, c.index); });
          },
          kNewArray, "New array, rad or m: coordinates of the joints as in model.joint_names; whole turns are counted.")
      .def_prop_ro(
          "joint_velocity",
          [](const Data& d) {
            return by_coordinate(d, [&](const Coordinate& c) { return d.world.joint_velocity(c.joint, c.index); });
          },
          kNewArray, "New array, rad/s or m/s.")
      .def_prop_ro(
          "joint_force",
          [](const Data& d) {
            return by_coordinate(d, [&](const Coordinate& c) { return d.world.joint_force(c.joint, c.index); });
          },
          kNewArray,
          "New array, N m or N: what acted along the coordinates in the last step. Limits, dry friction, springs, "
          "dampers,\nthe rotor's inertia and actuators.")
      .def_prop_ro(
          "actuator_force",
          [](const Data& d) {
            std::vector<double> flat;
            for (int k = 0; k < static_cast<int>(d.control.size()); ++k) flat.push_back(d.world.actuator_force(k));
            const std::size_t n = flat.size();
            return owned_array(std::move(flat), {n});
          },
          kNewArray, "New array (nu,), N m or N: of the last step, before the gear.");
}

namespace {

void bind_kinds(nb::class_<SceneBuilder>& builder) {
  builder
      .def(
          "add_joint", &add_joint, nb::arg("kind"), nb::arg("body_a"), nb::arg("body_b"), nb::arg("point"),
          nb::arg("axis") = Triple{0, 0, 1}, nb::kw_only(), nb::arg("name") = "", nb::arg("range") = nb::none(),
          nb::arg("friction") = 0.0, nb::arg("damping") = 0.0, nb::arg("stiffness") = 0.0, nb::arg("reference") = 0.0,
          nb::arg("armature") = 0.0, nb::arg("restitution") = 0.0, nb::arg("pitch") = 0.0, nb::arg("collide") = false,
          "A joint where the bodies are now, at `point` along `axis`, world axes; body_a may be -1, the world. kind "
          "is\n"
          "'ball', 'hinge', 'slide', 'fixed', 'universal', 'cylindrical', 'planar' or 'screw'. What acts along the\n"
          "first coordinate: range (lower, upper) with restitution, dry friction, damping, a spring, the inertia of a\n"
          "rotor. Returns its index.")
      .def("add_compound", &add_compound, nb::arg("body_a"), nb::arg("body_b"), nb::arg("axes"), nb::kw_only(),
           nb::arg("name") = "", nb::arg("names") = std::vector<std::string>{}, nb::arg("collide") = false,
           "Hinges and slides one after the other, without bodies between them: [(kind, axis, point), ...] with kind\n"
           "'hinge' or 'slide', in world coordinates where the bodies are now; a slide needs no point. names: of its\n"
           "coordinates, one for each axis. Returns its index.")
      .def("set_coordinate", &set_joint_coordinate, nb::arg("joint"), nb::arg("coordinate"), nb::kw_only(),
           nb::arg("range") = nb::none(), nb::arg("friction") = 0.0, nb::arg("damping") = 0.0,
           nb::arg("stiffness") = 0.0, nb::arg("reference") = 0.0, nb::arg("armature") = 0.0,
           nb::arg("restitution") = 0.0, "What acts along a coordinate of a joint, as in add_joint for the first one.")
      .def(
          "add_distance",
          [](SceneBuilder& b, int body_a, int body_b, const Triple& point_a, const Triple& point_b, bool rope,
             std::optional<double> length, const std::string& name) {
            const int joint = b.add_distance(body_a, body_b, vec(point_a), vec(point_b),
                                             rope ? JointKind::kRope : JointKind::kDistance);
            if (!name.empty()) b.joint(joint).name = name;
            b.joint(joint).length = length;
            return joint;
          },
          nb::arg("body_a"), nb::arg("body_b"), nb::arg("point_a"), nb::arg("point_b"), nb::kw_only(),
          nb::arg("rope") = false, nb::arg("length") = nb::none(), nb::arg("name") = "",
          "Two points that keep their distance; a rope keeps it from growing. length (m) is that at the start unless "
          "given.");
}

/// Joints that are sums over coordinates of others, lengths of paths, and thrusts.
void bind_couplings(nb::class_<SceneBuilder>& builder) {
  builder
      .def("add_coupling", &add_coupling, nb::arg("factors"), nb::arg("hold") = nb::none(), nb::kw_only(),
           nb::arg("name") = "", nb::arg("range") = nb::none(), nb::arg("friction") = 0.0, nb::arg("damping") = 0.0,
           nb::arg("stiffness") = 0.0, nb::arg("reference") = 0.0, nb::arg("armature") = 0.0,
           nb::arg("restitution") = 0.0,
           "The sum of factor times coordinate over {joint: factor}, kept at `hold` when given, otherwise a tendon "
           "with\n"
           "a range, friction, a spring and actuators.")
      .def(
          "add_tendon", &add_tendon, nb::arg("path"), nb::arg("hold") = nb::none(), nb::kw_only(), nb::arg("name") = "",
          nb::arg("range") = nb::none(), nb::arg("friction") = 0.0, nb::arg("damping") = 0.0,
          nb::arg("stiffness") = 0.0, nb::arg("reference") = 0.0, nb::arg("slack") = 0.0, nb::arg("armature") = 0.0,
          nb::arg("restitution") = 0.0,
          "A tendon through points, [(body, point), ...] in world coordinates where the bodies are now; body -1 is "
          "the\n"
          "world. Its coordinate is its length (m): the sum of factor times the distance to the next point, with a\n"
          "factor of 1 unless the entry is (body, point, factor); 0 begins another branch. It has a range, friction, "
          "a\n"
          "spring, loose from reference to reference + slack, and actuators; hold keeps its length. Returns its index.")
      .def("add_thrust", &add_thrust, nb::arg("body"), nb::arg("position") = Triple{},
           nb::arg("quaternion") = std::array<double, 4>{1, 0, 0, 0}, nb::kw_only(), nb::arg("along") = Triple{},
           nb::arg("about") = Triple{}, nb::arg("name") = "",
           "A joint for actuators that push along a site of a body: force times `along` and force times `about` (a\n"
           "torque) act on the body in the site's axes. Returns its index.");
}

void bind_actuators(nb::class_<SceneBuilder>& builder) {
  builder
      .def("add_actuator", &add_actuator, nb::arg("joint"), nb::kw_only(), nb::arg("coordinate") = 0,
           nb::arg("name") = "", nb::arg("gear") = 1.0, nb::arg("gain") = Triple{1, 0, 0}, nb::arg("bias") = Triple{},
           nb::arg("force_range") = nb::none(), nb::arg("control_range") = nb::none(), nb::arg("control") = 0.0,
           nb::arg("dynamics") = "none", nb::arg("time") = 1.0, nb::arg("early") = false, nb::arg("activation") = 0.0,
           nb::arg("activation_range") = nb::none(),
           "A force gain·(1, p, p') u + bias·(1, p, p') within force_range, p = gear times the coordinate, u = "
           "data.ctrl.\n"
           "With dynamics u is an activation (data.act) that follows data.ctrl: 'integrator' (a' = ctrl), 'filter' or\n"
           "'filter_exact' (a' = (ctrl - a)/time), within activation_range; early takes that of the step's end.")
      .def(
          "add_motor", [](SceneBuilder& b, int joint, double largest) { return b.add_motor(joint, largest); },
          nb::arg("joint"), nb::arg("largest") = kNoLimit, "A force or torque equal to the control.")
      .def(
          "add_position_servo",
          [](SceneBuilder& b, int joint, double stiffness, double damping, double largest) {
            return b.add_position_servo(joint, stiffness, damping, largest);
          },
          nb::arg("joint"), nb::arg("stiffness"), nb::arg("damping"), nb::arg("largest") = kNoLimit,
          "stiffness (u - q) - damping q', within ±largest.")
      .def(
          "add_velocity_servo",
          [](SceneBuilder& b, int joint, double damping, double largest) {
            return b.add_velocity_servo(joint, damping, largest);
          },
          nb::arg("joint"), nb::arg("damping"), nb::arg("largest") = kNoLimit, "damping (u - q'), within ±largest.");
}

}  // namespace

void bind_joint_builder(nb::class_<SceneBuilder>& builder) {
  bind_kinds(builder);
  bind_couplings(builder);
  bind_actuators(builder);
}

}  // namespace repose::python
