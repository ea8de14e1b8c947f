// SPDX-License-Identifier: Apache-2.0
// The subset of MJCF, as tables. docs/scenes/mjcf.md shows them; a test compares the two.
#include "repose/scene/mjcf_element_internal.h"

namespace repose {
namespace {

std::vector<std::string> with(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const std::vector<std::string> kPlace = {"pos", "quat", "axisangle", "euler", "xyaxes", "zaxis"};

const std::vector<std::string> kActuator = {"name",        "class",     "joint",        "jointinparent",
                                            "tendon",      "site",      "refsite",      "gear",
                                            "ctrllimited", "ctrlrange", "forcelimited", "forcerange"};

MjcfAttributes actuator(const std::vector<std::string>& own, std::vector<std::string> ignored = {}) {
  return {with(kActuator, own), with({"group", "lengthrange", "user", "delay", "nsample"}, ignored)};
}

MjcfAttributes sensor(const std::vector<std::string>& own) {
  return {with({"name", "cutoff"}, own), {"noise", "user", "nsample", "interp", "delay", "interval"}};
}

using Table = std::map<std::string, MjcfAttributes>;

Table settings() {
  return {
      {"mujoco", {{"model"}, {}}},
      {"compiler",
       {{"angle", "eulerseq", "meshdir", "assetdir", "inertiafromgeom", "inertiagrouprange", "autolimits", "coordinate",
         "strippath", "boundmass", "boundinertia", "balanceinertia", "settotalmass"},
        {"texturedir", "discardvisual", "fitaabb", "usethread", "convexhull", "fusestatic", "alignfree",
         "exactmeshinertia", "saveinertial"}}},
      {"option",
       {{"timestep", "gravity", "density", "viscosity", "wind"},
        {"integrator",       "cone",           "jacobian",
         "solver",           "iterations",     "tolerance",
         "ls_iterations",    "ls_tolerance",   "noslip_iterations",
         "noslip_tolerance", "mpr_iterations", "mpr_tolerance",
         "ccd_iterations",   "ccd_tolerance",  "sdf_iterations",
         "sdf_initpoints",   "impratio",       "apirate",
         "magnetic",         "o_margin",       "o_solref",
         "o_solimp",         "o_friction",     "actuatorgroupdisable",
         "sleep_tolerance"}}},
      {"flag",
       {{"gravity", "contact", "constraint", "equality", "frictionloss", "limit", "passive", "spring", "damper",
         "actuation", "clampctrl", "filterparent"},
        {"warmstart", "refsafe", "sensor", "midphase", "nativeccd", "eulerdamp", "override", "energy", "fwdinv",
         "invdiscrete", "multiccd", "island", "autoreset", "sleep"}}},
      {"default", {{"class"}, {}}},
      {"asset", {{}, {}}},
      {"mesh",
       {{"name", "class", "file", "scale", "vertex", "refpos", "refquat", "inertia"},
        {"content_type", "normal", "texcoord", "face", "smoothnormal", "maxhullvert", "material", "octree_maxdepth"}}},
      {"hfield", {{"name", "class", "file", "content_type", "nrow", "ncol", "elevation", "size"}, {}}},
  };
}

Table bodies() {
  return {
      {"worldbody", {{}, {}}},
      {"frame", {with({"name", "childclass"}, kPlace), {}}},
      {"body", {with({"name", "childclass", "gravcomp", "mocap"}, kPlace), {"user", "sleep"}}},
      {"freejoint", {{"name"}, {"group", "align"}}},
      {"joint",
       {{"name", "class", "type", "pos", "axis", "ref", "range", "limited", "damping", "armature", "frictionloss",
         "stiffness", "springref", "springdamper", "actuatorfrcrange", "actuatorfrclimited", "actuatorgravcomp"},
        {"group", "solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin", "user"}}},
      {"replicate", {{"count", "sep", "offset", "quat", "axisangle", "euler", "xyaxes", "zaxis"}, {}}},
      {"site", {with({"name", "class", "type", "size"}, kPlace), {"group", "material", "rgba", "user"}}},
      {"inertial", {with({"mass", "diaginertia", "fullinertia"}, kPlace), {}}},
      {"geom",
       {with({"name", "class", "type", "contype", "conaffinity", "condim", "priority", "size", "fromto", "friction",
              "mass", "density", "mesh", "hfield", "rgba", "shellinertia", "group"},
             kPlace),
        {"material", "solmix", "solref", "solimp", "margin", "gap", "fluidshape", "fluidcoef", "user", "fitscale"}}},
  };
}

Table constraints() {
  return {
      {"contact", {{}, {}}},
      {"pair",
       {{"name", "class", "geom1", "geom2", "friction", "condim"},
        {"solref", "solimp", "solreffriction", "margin", "gap"}}},
      {"exclude", {{"name", "body1", "body2"}, {}}},
      {"equality section", {{}, {}}},
      {"equality", {{}, {"solref", "solimp", "active"}}},
      {"equality connect",
       {{"name", "class", "active", "body1", "body2", "anchor", "site1", "site2"}, {"solref", "solimp"}}},
      {"equality weld",
       {{"name", "class", "active", "body1", "body2", "relpose", "site1", "site2"},
        {"anchor", "torquescale", "solref", "solimp"}}},
      {"equality joint", {{"name", "class", "active", "joint1", "joint2", "polycoef"}, {"solref", "solimp"}}},
      {"equality tendon", {{"name", "class", "active", "tendon1", "tendon2", "polycoef"}, {"solref", "solimp"}}},
      {"tendon",
       {{"name", "class", "limited", "range", "frictionloss", "springlength", "stiffness", "damping", "armature"},
        {"group", "solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin", "width", "material",
         "rgba", "user"}}},
      {"fixed joint", {{"joint", "coef"}, {}}},
      {"spatial site", {{"site"}, {}}},
      {"spatial pulley", {{"divisor"}, {}}},
  };
}

Table drives_and_sensors() {
  return {
      {"actuator", {{}, {}}},
      {"motor", actuator({})},
      {"position", actuator({"kp", "kv", "dampratio", "timeconst", "inheritrange"})},
      {"velocity", actuator({"kv"})},
      {"damper", actuator({"kv"})},
      {"intvelocity", actuator({"kp", "kv", "dampratio", "actlimited", "actrange", "inheritrange"})},
      {"cylinder", actuator({"timeconst", "area", "diameter", "bias"})},
      {"general", actuator({"dyntype", "gaintype", "biastype", "gainprm", "biasprm", "dynprm", "actrange", "actlimited",
                            "actearly"},
                           {"actdim"})},
      {"sensor", {{}, {}}},
      {"sensor joint", sensor({"joint"})},
      {"sensor tendon", sensor({"tendon"})},
      {"sensor actuator", sensor({"actuator"})},
      {"sensor site", sensor({"site"})},
      {"sensor frame", sensor({"objtype", "objname", "reftype", "refname"})},
      {"keyframe", {{}, {}}},
      {"key", {{"name", "qpos", "qvel", "ctrl", "act", "mpos", "mquat"}, {"time"}}},
  };
}

}  // namespace

const std::map<std::string, MjcfAttributes>& mjcf_attributes() {
  static const Table kTable = [] {
    Table all = settings();
    for (Table part : {bodies(), constraints(), drives_and_sensors()}) all.merge(part);
    return all;
  }();
  return kTable;
}

const std::set<std::string>& mjcf_ignored_elements() {
  static const std::set<std::string> kElements = {"visual", "statistic", "size",     "custom", "camera",
                                                  "light",  "texture",   "material", "skin"};
  return kElements;
}

const std::set<std::string>& mjcf_actuators() {
  static const std::set<std::string> kElements = {"motor",       "position", "velocity", "damper",
                                                  "intvelocity", "cylinder", "general"};
  return kElements;
}

const std::set<std::string>& mjcf_common_actuator_attributes() {
  static const std::set<std::string> kNames(kActuator.begin(), kActuator.end());
  return kNames;
}

}  // namespace repose
