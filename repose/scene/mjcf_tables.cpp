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

}  // namespace

const std::map<std::string, MjcfAttributes>& mjcf_attributes() {
  static const std::map<std::string, MjcfAttributes> kTable = {
      {"mujoco", {{"model"}, {}}},
      {"compiler",
       {{"angle", "eulerseq", "meshdir", "assetdir", "inertiafromgeom", "coordinate", "strippath", "boundmass",
         "boundinertia", "balanceinertia"},
        {"autolimits", "texturedir", "discardvisual", "fitaabb", "usethread", "convexhull", "fusestatic", "alignfree",
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
       {{"gravity", "contact", "constraint"},
        {"equality",    "frictionloss", "limit",    "passive",   "clampctrl", "warmstart", "filterparent", "actuation",
         "refsafe",     "sensor",       "midphase", "nativeccd", "eulerdamp", "override",  "energy",       "fwdinv",
         "invdiscrete", "multiccd",     "island",   "autoreset", "spring",    "damper",    "sleep"}}},
      {"default", {{"class"}, {}}},
      {"asset", {{}, {}}},
      {"mesh",
       {{"name", "class", "file", "scale", "vertex", "refpos", "refquat", "inertia"},
        {"content_type", "normal", "texcoord", "face", "smoothnormal", "maxhullvert", "material", "octree_maxdepth"}}},
      {"worldbody", {{}, {}}},
      {"frame", {with({"name", "childclass"}, kPlace), {}}},
      {"body", {with({"name", "childclass", "gravcomp", "mocap"}, kPlace), {"user", "sleep"}}},
      {"freejoint", {{"name"}, {"group", "align"}}},
      {"joint",
       {{"name", "class", "type", "damping", "armature", "frictionloss", "stiffness"},
        {"group", "pos", "axis", "springdamper", "limited", "actuatorfrclimited", "solreflimit", "solimplimit",
         "solreffriction", "solimpfriction", "range", "actuatorfrcrange", "actuatorgravcomp", "margin", "ref",
         "springref", "user"}}},
      {"inertial", {with({"mass", "diaginertia", "fullinertia"}, kPlace), {}}},
      {"geom",
       {with({"name", "class", "type", "contype", "conaffinity", "condim", "priority", "size", "fromto", "friction",
              "mass", "density", "mesh", "rgba", "shellinertia"},
             kPlace),
        {"group", "material", "solmix", "solref", "solimp", "margin", "gap", "fluidshape", "fluidcoef", "user",
         "fitscale"}}},
      {"contact", {{}, {}}},
      {"pair",
       {{"name", "class", "geom1", "geom2", "friction", "condim"},
        {"solref", "solimp", "solreffriction", "margin", "gap"}}},
      {"exclude", {{"name", "body1", "body2"}, {}}},
      {"keyframe", {{}, {}}},
      {"key", {{"name", "qpos", "qvel"}, {"time", "act", "ctrl", "mpos", "mquat"}}},
  };
  return kTable;
}

const std::set<std::string>& mjcf_ignored_elements() {
  static const std::set<std::string> kElements = {"visual", "statistic", "size",    "custom",   "sensor", "site",
                                                  "camera", "light",     "texture", "material", "skin"};
  return kElements;
}

}  // namespace repose
