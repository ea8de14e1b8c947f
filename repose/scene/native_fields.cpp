// SPDX-License-Identifier: Apache-2.0
#include "repose/scene/native_fields_internal.h"

namespace repose {
namespace {

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::vector<std::string> shape(const std::vector<std::string>& own) {
  static const std::vector<std::string> kCommon = {"type",     "name",    "position", "rotation", "rotation_degrees",
                                                   "material", "density", "group",    "mask",     "colour"};
  return joined(kCommon, own);
}

}  // namespace

const NativeFields& native_fields() {
  static const NativeFields kFields = {
      {"scene",
       {"repose_scene", "$schema", "name",     "parameters", "dt",      "duration",    "gravity",   "medium",
        "margin",       "slop",    "recovery", "baumgarte",  "combine", "edge_normal", "materials", "material_pairs",
        "bodies",       "exclude", "joints",   "actuators",  "sensors", "events"}},
      {"material", {"name", "friction", "restitution"}},
      {"material_pair", {"materials", "friction", "restitution"}},
      {"body",
       {"name", "kind", "position", "rotation", "rotation_degrees", "velocity", "angular_velocity", "shapes", "mass",
        "motion", "force", "torque", "gravity_scale", "fixed", "present"}},
      {"mass", {"mass", "centre", "inertia"}},
      {"shape_plane", shape({})},
      {"shape_sphere", shape({"radius"})},
      {"shape_box", shape({"half"})},
      {"shape_capsule", shape({"radius", "half_length"})},
      {"shape_cylinder", shape({"radius", "half_length"})},
      {"shape_hull", shape({"vertices"})},
      {"shape_mesh", shape({"file", "scale"})},
      {"shape_heightfield", shape({"half", "base", "heights"})},
      {"motion_constant", {"type", "velocity", "angular_velocity"}},
      {"motion_ramp", {"type", "velocity", "angular_velocity", "duration"}},
      {"motion_table", {"type", "poses"}},
      {"table_pose", {"time", "position", "rotation", "rotation_degrees"}},
      {"joint",
       {"name", "type", "body_a", "body_b", "frame_a", "frame_b", "anchor", "axis", "coordinates", "length", "pitch",
        "collide", "axes", "terms", "path", "thrust", "hold"}},
      {"joint_axis", {"type", "axis", "point"}},
      {"term", {"joint", "coordinate", "factors"}},
      {"path_point", {"body", "point", "factor"}},
      {"thrust", {"body", "position", "rotation", "rotation_degrees", "along", "about"}},
      {"frame", {"position", "rotation", "rotation_degrees"}},
      {"coordinate",
       {"lower", "upper", "friction", "damping", "stiffness", "reference", "slack", "armature", "restitution", "start",
        "name"}},
      {"actuator",
       {"name", "joint", "coordinate", "gear", "gain", "bias", "force_lower", "force_upper", "control_lower",
        "control_upper", "control", "dynamics", "time", "early", "activation", "activation_lower", "activation_upper"}},
      {"medium", {"density", "viscosity", "wind"}},
      {"sensor",
       {"name", "type", "joint", "coordinate", "actuator", "body", "position", "rotation", "rotation_degrees",
        "reference", "volume", "shapes", "part", "cutoff"}},
      {"sensor_frame", {"body", "position", "rotation", "rotation_degrees"}},
      {"sensor_volume", {"type", "half"}},
      {"sensor_part", {"mass", "centre", "inertia", "joints"}},
      {"event_appear", {"time", "type", "body"}},
      {"event_disappear", {"time", "type", "body"}},
      {"event_set_velocity", {"time", "type", "body", "velocity", "angular_velocity"}},
      {"event_push", {"time", "type", "body", "force", "torque", "duration"}},
  };
  return kFields;
}

}  // namespace repose
