// SPDX-License-Identifier: Apache-2.0
// Universal Scene Description as text: one Xform per body with its shapes as USD's own solids, the physics schema for
// mass, friction and gravity, and a time sample per state. Times are seconds.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <numbers>
#include <set>
#include <utility>

#include "repose/base/atomic_file.h"
#include "repose/export/export.h"
#include "repose/export/page_data_internal.h"
#include "repose/export/recorded_scene.h"
#include "repose/export/triangles.h"

namespace repose::exporter {
namespace {

/// A name that USD allows and nobody else has.
class Names {
 public:
  std::string make(const std::string& wanted) {
    std::string name;
    for (const char c : wanted) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name = "_" + name;
    std::string unique = name;
    for (int k = 2; !used_.insert(unique).second; ++k) unique = name + "_" + std::to_string(k);
    return unique;
  }

 private:
  std::set<std::string> used_;
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '"';
}
std::string text(Vec3 v) { return fmt::format("({}, {}, {})", v.x, v.y, v.z); }
std::string text(Quat q) { return fmt::format("({}, {}, {}, {})", q.w, q.x, q.y, q.z); }

class Stage {
 public:
  explicit Stage(const Recording& recording)
      : recording_(recording), scene_(recorded_scene(recording)), ground_(ground_size(scene_)) {
    read_states();
    for (const char* taken : {"physics", "materials", "joints"}) (void)body_names_.make(taken);
  }

  std::string write() {
    line(0, "#usda 1.0");
    line(0, "(");
    line(1, "defaultPrim = \"World\"");
    line(1, "doc = {}", quoted("Repose: " + scene_.name));
    line(1, "startTimeCode = {}", times_.front());
    line(1, "endTimeCode = {}", times_.back());
    line(1, "timeCodesPerSecond = 1");
    line(1, "framesPerSecond = {}", std::max(1.0, std::round(1 / recording_.dt())));
    line(1, "metersPerUnit = 1");
    line(1, "kilogramsPerUnit = 1");
    line(1, "upAxis = \"Z\"");
    line(0, ")");
    line(0, "");
    line(0, "def Xform \"World\" (");
    line(1, "kind = \"group\"");
    line(0, ")");
    line(0, "{{");
    physics_scene();
    materials();
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) body(b);
    if (!scene_.joints.empty()) joints();
    line(0, "}}");
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(int depth, fmt::format_string<Args...> form, Args&&... args) {
    out_.append(static_cast<std::size_t>(4 * depth), ' ');
    fmt::format_to(std::back_inserter(out_), form, std::forward<Args>(args)...);
    out_ += '\n';
  }

  void read_states() {
    states_.resize(scene_.bodies.size());
    for (int first = 0; first <= recording_.steps(); first += kFramesPerChunk)
      for (const RecordedState& state :
           recording_.states(first, std::min(kFramesPerChunk, recording_.steps() + 1 - first))) {
        times_.push_back(state.time);
        for (std::size_t b = 0; b < states_.size(); ++b)
          states_[b].push_back({{state.positions[b], state.bodies[b].rotation},
                                state.bodies[b].velocity,
                                state.bodies[b].angular_velocity,
                                state.present[b] != 0});
      }
  }

  void physics_scene() {
    const double size = norm(scene_.gravity);
    const Vec3 direction = size > 0 ? (1 / size) * scene_.gravity : Vec3{0, 0, -1};
    line(1, "def PhysicsScene \"physics\"");
    line(1, "{{");
    line(2, "vector3f physics:gravityDirection = {}", text(direction));
    line(2, "float physics:gravityMagnitude = {}", size);
    line(1, "}}");
  }

  void materials() {
    line(1, "def Scope \"materials\"");
    line(1, "{{");
    Names names;
    for (const Material& material : scene_.materials) {
      material_paths_.push_back(names.make(material.name));
      line(2, "def Material \"{}\" (", material_paths_.back());
      line(3, "prepend apiSchemas = [\"PhysicsMaterialAPI\"]");
      line(2, ")");
      line(2, "{{");
      line(3, "float physics:staticFriction = {}", material.friction);
      line(3, "float physics:dynamicFriction = {}", material.friction);
      line(3, "float physics:restitution = {}", material.restitution);
      line(2, "}}");
    }
    line(1, "}}");
  }

  void body(std::size_t b) {
    const SceneBody& body = scene_.bodies[b];
    const BodyModel& model = recording_.models()[b];
    const bool moves = body.kind != BodyKind::kStatic;
    body_paths_.push_back(body_names_.make(body.name));
    line(1, "def Xform \"{}\" (", body_paths_.back());
    if (moves)
      line(2, "prepend apiSchemas = [\"PhysicsRigidBodyAPI\"{}]",
           body.kind == BodyKind::kDynamic ? ", \"PhysicsMassAPI\"" : "");
    line(2, "displayName = {}", quoted(body.name));
    line(1, ")");
    line(1, "{{");
    if (moves) {
      const Moment& start = states_[b].front();
      line(2, "vector3f physics:velocity = {}", text(start.velocity));
      line(2, "vector3f physics:angularVelocity = {}", text((180 / std::numbers::pi) * start.spin));
      if (body.kind == BodyKind::kKinematic) line(2, "bool physics:kinematicEnabled = 1");
    }
    if (body.kind == BodyKind::kDynamic) {
      line(2, "float physics:mass = {}", model.mass);
      line(2, "point3f physics:centerOfMass = {}", text(model.centre));
      line(2, "float3 physics:diagonalInertia = {}", text(model.rotor.moments));
      line(2, "quatf physics:principalAxes = {}", text(model.rotor.axes));
    }
    motion(b, moves);
    Names names;
    for (const SceneShape& s : body.shapes) shape(body, s, names, b);
    line(1, "}}");
  }

  void motion(std::size_t b, bool moves) {
    const std::vector<Moment>& states = states_[b];
    if (moves) {
      samples("double3 xformOp:translate", b, [](const Moment& m) { return text(m.pose.position); });
      samples("quatd xformOp:orient", b, [](const Moment& m) { return text(m.pose.rotation); });
    } else {
      line(2, "double3 xformOp:translate = {}", text(states.front().pose.position));
      line(2, "quatd xformOp:orient = {}", text(states.front().pose.rotation));
    }
    line(2, "uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]");
    const auto hidden = [](const Moment& m) { return !m.present; };
    if (std::any_of(states.begin(), states.end(), hidden))
      samples("token visibility", b,
              [](const Moment& m) { return std::string(m.present ? "\"inherited\"" : "\"invisible\""); });
  }

  /// One value per state; of equal neighbours only the first and the last are written.
  template <class Text>
  void samples(const char* what, std::size_t b, Text&& value) {
    line(2, "{}.timeSamples = {{", what);
    std::string before, here, after = value(states_[b][0]);
    for (std::size_t k = 0; k < times_.size(); ++k) {
      before = std::exchange(here, after);
      after = k + 1 < times_.size() ? value(states_[b][k + 1]) : std::string();
      if (here != before || here != after) line(3, "{}: {},", times_[k], here);
    }
    line(2, "}}");
  }

  void shape(const SceneBody& body, const SceneShape& s, Names& names, std::size_t number) {
    struct Kind {
      const char* operator()(const HalfSpace&) const { return "Mesh"; }
      const char* operator()(const Sphere&) const { return "Sphere"; }
      const char* operator()(const Box&) const { return "Cube"; }
      const char* operator()(const Capsule&) const { return "Capsule"; }
      const char* operator()(const Cylinder&) const { return "Cylinder"; }
      const char* operator()(const Hull&) const { return "Mesh"; }
    };
    const std::string kind = std::visit(Kind{}, s.geometry);
    const bool hull = std::holds_alternative<Hull>(s.geometry);
    line(2, "def {} \"{}\" (", kind, names.make(s.name.empty() ? "shape" : s.name));
    line(3, "prepend apiSchemas = [\"PhysicsCollisionAPI\", {}\"MaterialBindingAPI\"]",
         hull ? "\"PhysicsMeshCollisionAPI\", " : "");
    line(2, ")");
    line(2, "{{");
    if (hull) line(3, "uniform token physics:approximation = \"convexHull\"");
    form(s.geometry);
    line(3, "color3f[] primvars:displayColor = [{}]", text(colour_of(body, s, number)));
    if (s.material >= 0 && static_cast<std::size_t>(s.material) < material_paths_.size())
      line(3, "rel material:binding:physics = </World/materials/{}>",
           material_paths_[static_cast<std::size_t>(s.material)]);
    line(3, "double3 xformOp:translate = {}", text(s.pose.position));
    line(3, "quatd xformOp:orient = {}", text(s.pose.rotation));
    const auto* box = std::get_if<Box>(&s.geometry);
    if (box != nullptr) line(3, "double3 xformOp:scale = {}", text(box->half));
    line(3, "uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"{}]",
         box != nullptr ? ", \"xformOp:scale\"" : "");
    line(2, "}}");
  }

  void form(const Geometry& geometry) {
    if (const auto* sphere = std::get_if<Sphere>(&geometry)) {
      const double r = sphere->radius;
      line(3, "double radius = {}", r);
      extent({r, r, r});
    } else if (std::holds_alternative<Box>(geometry)) {
      line(3, "double size = 2");
      extent({1, 1, 1});
    } else if (const auto* capsule = std::get_if<Capsule>(&geometry)) {
      round(capsule->radius, capsule->half_length);
      extent({capsule->radius, capsule->radius, capsule->half_length + capsule->radius});
    } else if (const auto* cylinder = std::get_if<Cylinder>(&geometry)) {
      round(cylinder->radius, cylinder->half_length);
      extent({cylinder->radius, cylinder->radius, cylinder->half_length});
    } else {
      mesh(polygons_of(geometry, ground_));
    }
  }

  void round(double radius, double half) {
    line(3, "double radius = {}", radius);
    line(3, "double height = {}", 2 * half);
    line(3, "uniform token axis = \"Z\"");
  }
  void extent(Vec3 half) { line(3, "float3[] extent = [{}, {}]", text(-1.0 * half), text(half)); }

  void mesh(const Polygons& shape) {
    std::string points, counts, corners;
    Vec3 low = shape.points.front(), high = low;
    for (const Vec3& p : shape.points) {
      points += (points.empty() ? "" : ", ") + text(p);
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    for (const std::vector<int>& face : shape.faces) {
      counts += (counts.empty() ? "" : ", ") + std::to_string(face.size());
      for (const int corner : face) corners += (corners.empty() ? "" : ", ") + std::to_string(corner);
    }
    line(3, "uniform token subdivisionScheme = \"none\"");
    line(3, "point3f[] points = [{}]", points);
    line(3, "int[] faceVertexCounts = [{}]", counts);
    line(3, "int[] faceVertexIndices = [{}]", corners);
    line(3, "float3[] extent = [{}, {}]", text(low), text(high));
  }

  /// USD has no screws and no couplings: they are left out.
  void joints() {
    line(1, "def Scope \"joints\"");
    line(1, "{{");
    Names names;
    for (std::size_t j = 0; j < scene_.joints.size(); ++j) {
      const JointKind kind = scene_.joints[j].kind;
      if (kind != JointKind::kScrew && kind != JointKind::kCoupling) joint(j, names);
    }
    line(1, "}}");
  }

  static const char* joint_type(JointKind kind) {
    switch (kind) {
      case JointKind::kBall: return "PhysicsSphericalJoint";
      case JointKind::kHinge: return "PhysicsRevoluteJoint";
      case JointKind::kSlide: return "PhysicsPrismaticJoint";
      case JointKind::kFixed: return "PhysicsFixedJoint";
      case JointKind::kDistance:
      case JointKind::kRope: return "PhysicsDistanceJoint";
      default: return "PhysicsJoint";
    }
  }

  /// A motion of a PhysicsJoint: of a coordinate, or held (−1).
  struct Motion {
    const char* name;
    int coordinate;
  };
  static std::vector<Motion> motions_of(JointKind kind) {
    if (kind == JointKind::kUniversal)
      return {{"transX", -1}, {"transY", -1}, {"transZ", -1}, {"rotX", 1}, {"rotY", -1}, {"rotZ", 0}};
    if (kind == JointKind::kCylindrical)
      return {{"transX", -1}, {"transY", -1}, {"transZ", 0}, {"rotX", -1}, {"rotY", -1}, {"rotZ", 1}};
    if (kind == JointKind::kPlanar)
      return {{"transX", 0}, {"transY", 1}, {"transZ", -1}, {"rotX", -1}, {"rotY", -1}, {"rotZ", 2}};
    return {};
  }

  void joint(std::size_t j, Names& names) {
    const SceneJoint& joint = scene_.joints[j];
    std::string limits;
    for (const Motion& m : motions_of(joint.kind))
      if (is_bounded(joint, m))
        limits += (limits.empty() ? "" : ", ") + quoted(std::string("PhysicsLimitAPI:") + m.name);
    line(2, "def {} \"{}\" (", joint_type(joint.kind), names.make(joint.name.empty() ? "joint" : joint.name));
    if (!limits.empty()) line(3, "prepend apiSchemas = [{}]", limits);
    line(3, "displayName = {}", quoted(joint.name));
    line(2, ")");
    line(2, "{{");
    end(0, joint.body_a, joint.frame_a);
    end(1, joint.body_b, joint.frame_b);
    line(3, "bool physics:collisionEnabled = {}", joint.collide ? 1 : 0);
    if (joint.kind == JointKind::kHinge || joint.kind == JointKind::kSlide || joint.kind == JointKind::kBall)
      line(3, "uniform token physics:axis = \"Z\"");
    if (joint.kind == JointKind::kHinge || joint.kind == JointKind::kSlide) {
      limit("physics:lowerLimit", joint.coordinates[0].lower, joint.kind == JointKind::kHinge);
      limit("physics:upperLimit", joint.coordinates[0].upper, joint.kind == JointKind::kHinge);
    }
    const double length = recording_.joints()[j].rest;
    if (joint.kind == JointKind::kDistance) limit("physics:minDistance", length, false);
    if (joint.kind == JointKind::kDistance || joint.kind == JointKind::kRope)
      limit("physics:maxDistance", length, false);
    for (const Motion& m : motions_of(joint.kind))
      if (is_bounded(joint, m)) motion_limit(joint, m);
    line(2, "}}");
  }

  static bool is_bounded(const SceneJoint& joint, const Motion& m) {
    return m.coordinate < 0 || joint.coordinates[static_cast<std::size_t>(m.coordinate)].is_limited();
  }

  void end(int number, int body, const Pose& frame) {
    if (body != kWorldBody)
      line(3, "rel physics:body{} = </World/{}>", number, body_paths_[static_cast<std::size_t>(body)]);
    line(3, "point3f physics:localPos{} = {}", number, text(frame.position));
    line(3, "quatf physics:localRot{} = {}", number, text(frame.rotation));
  }

  /// Angles are in degrees; what is not limited is not written.
  void limit(const std::string& what, double value, bool angle) {
    if (std::isfinite(value)) line(3, "float {} = {}", what, angle ? 180 / std::numbers::pi * value : value);
  }

  /// A motion whose lower limit is above the upper one is held.
  void motion_limit(const SceneJoint& joint, const Motion& m) {
    const std::string prefix = std::string("limit:") + m.name + ":physics:";
    if (m.coordinate < 0) {
      limit(prefix + "low", 1, false);
      limit(prefix + "high", -1, false);
      return;
    }
    const JointCoordinate& c = joint.coordinates[static_cast<std::size_t>(m.coordinate)];
    const bool angle = is_angle(joint, m.coordinate);
    limit(prefix + "low", c.lower, angle);
    limit(prefix + "high", c.upper, angle);
  }

  struct Moment {
    Pose pose;
    Vec3 velocity, spin;
    bool present;
  };
  const Recording& recording_;
  Scene scene_;
  double ground_;
  std::vector<double> times_;
  std::vector<std::vector<Moment>> states_;
  std::vector<std::string> material_paths_, body_paths_;
  Names body_names_;
  std::string out_;
};

}  // namespace

void export_usda(const Recording& recording, const std::filesystem::path& file) {
  files::write_atomically(file, Stage(recording).write());
}

}  // namespace repose::exporter
