// SPDX-License-Identifier: Apache-2.0
#include "repose/export/page_data_internal.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "repose/base/error.h"
#include "repose/base/version.h"
#include "repose/export/joint_data_internal.h"
#include "repose/export/recorded_scene.h"
#include "repose/shape/height_field.h"
#include "repose/shape/polyhedron.h"

namespace repose::exporter {
namespace {

Json list(Vec3 v) { return {v.x, v.y, v.z}; }
Json list(Quat q) { return {q.w, q.x, q.y, q.z}; }

/// Hulls are written once, however many bodies share one.
class Meshes {
 public:
  int number(const std::shared_ptr<const Polyhedron>& hull) {
    const auto [place, is_new] = numbers_.try_emplace(hull.get(), static_cast<int>(meshes_.size()));
    if (is_new) meshes_.push_back(record(*hull));
    return place->second;
  }
  [[nodiscard]] Json take() { return std::move(meshes_); }

 private:
  static Json record(const Polyhedron& hull) {
    if (hull.cell != nullptr) return record(*hull.cell->field);
    Json vertices = Json::array(), faces = Json::array();
    for (const Vec3& v : hull.vertices) vertices.push_back(list(v));
    for (const Polyhedron::Face& face : hull.faces)
      faces.push_back(std::vector<int>(hull.loop.begin() + face.first, hull.loop.begin() + face.first + face.count));
    return {{"vertices", vertices}, {"faces", faces}};
  }
  /// The triangles of a whole height field, and its walls.
  static Json record(const HeightField& field) {
    Json vertices = Json::array(), faces = Json::array();
    for (int r = 0; r < field.rows; ++r)
      for (int c = 0; c < field.columns; ++c) vertices.push_back(list(field.point(r, c)));
    const auto at = [&](int r, int c) { return r * field.columns + c; };
    for (int r = 0; r + 1 < field.rows; ++r)
      for (int c = 0; c + 1 < field.columns; ++c) {
        faces.push_back({at(r, c), at(r, c + 1), at(r + 1, c + 1)});
        faces.push_back({at(r, c), at(r + 1, c + 1), at(r + 1, c)});
      }
    const auto below = [&](int r, int c) {
      const Vec3 p = field.point(r, c);
      vertices.push_back(list(Vec3{p.x, p.y, -field.base}));
      return static_cast<int>(vertices.size()) - 1;
    };
    const auto wall = [&](int r, int c, int r2, int c2) {  // seen from outside: from left to right
      const int low = below(r, c), low2 = below(r2, c2);
      faces.push_back({at(r, c), low, low2, at(r2, c2)});
    };
    const int top = field.rows - 1, end = field.columns - 1;
    for (int c = 0; c < end; ++c) wall(0, c, 0, c + 1), wall(top, c + 1, top, c);
    for (int r = 0; r < top; ++r) wall(r + 1, 0, r, 0), wall(r, end, r + 1, end);
    return {{"vertices", vertices}, {"faces", faces}};
  }
  std::map<const Polyhedron*, int> numbers_;
  Json meshes_ = Json::array();
};

struct ShapeRecord {
  Meshes& meshes;
  Json operator()(const HalfSpace&) const { return {{"type", "plane"}}; }
  Json operator()(const Sphere& s) const { return {{"type", "sphere"}, {"radius", s.radius}}; }
  Json operator()(const Box& b) const { return {{"type", "box"}, {"half", list(b.half)}}; }
  Json operator()(const Capsule& c) const {
    return {{"type", "capsule"}, {"radius", c.radius}, {"half_length", c.half_length}};
  }
  Json operator()(const Cylinder& c) const {
    return {{"type", "cylinder"}, {"radius", c.radius}, {"half_length", c.half_length}};
  }
  Json operator()(const Hull& h) const { return {{"type", "hull"}, {"mesh", meshes.number(h.polyhedron)}}; }
};

/// The prisms of a height field are drawn as one mesh, with the first of them.
bool is_drawn(const SceneShape& shape) {
  const auto* hull = std::get_if<Hull>(&shape.geometry);
  const HeightCell* cell = hull == nullptr ? nullptr : hull->polyhedron->cell.get();
  return cell == nullptr || (cell->corners[1][0] == 0 && cell->corners[1][1] == 1);
}

Json shape_record(const SceneShape& shape, const Scene& scene, Meshes& meshes) {
  Json record = std::visit(ShapeRecord{meshes}, shape.geometry);
  record["position"] = list(shape.pose.position);
  record["quaternion"] = list(shape.pose.rotation);
  if (shape.colour) record["colour"] = list(*shape.colour);
  if (shape.material >= 0 && static_cast<std::size_t>(shape.material) < scene.materials.size())
    record["friction"] = scene.materials[static_cast<std::size_t>(shape.material)].friction;
  return record;
}

Json body_record(const SceneBody& body, const BodyModel& model, const Scene& scene, Meshes& meshes) {
  constexpr const char* kKinds[] = {"static", "dynamic", "kinematic"};
  Json shapes = Json::array();
  for (const SceneShape& shape : body.shapes)
    if (is_drawn(shape)) shapes.push_back(shape_record(shape, scene, meshes));
  Json record{{"name", body.name},
              {"kind", kKinds[static_cast<int>(body.kind)]},
              {"mass", model.mass},
              {"centre", list(model.centre)}};
  if (model.kind == BodyKind::kDynamic) record["moments"] = list(model.rotor.moments);
  record["shapes"] = std::move(shapes);
  return record;
}

Json parsed_or_empty(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_object() ? value : Json::object();
}

}  // namespace

Json scene_header(const Scene& scene, std::span<const BodyModel> models) {
  Meshes meshes;
  Json bodies = Json::array(), events = Json::array();
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    bodies.push_back(body_record(scene.bodies[b], models[b], scene, meshes));
  for (const Event& event : scene.events)
    events.push_back(Json{{"time", event.time}, {"text", event_text(scene, event)}});
  Json header{{"format", "repose view 1"},
              {"program", std::string(kVersion)},
              {"scene", scene.name},
              {"parameters", scene.parameters},
              {"dt", scene.dt},
              {"gravity", list(scene.gravity)},
              {"bodies", std::move(bodies)},
              {"meshes", meshes.take()},
              {"events", std::move(events)}};
  put_joints(header, scene);
  return header;
}

void put_body(ChunkWriter& out, Vec3 position, const BodyState& state, bool present) {
  const auto put = [&](Vec3 v) {
    for (const double x : {v.x, v.y, v.z}) out.put(static_cast<float>(x));
  };
  put(position);
  for (const double x : {state.rotation.w, state.rotation.x, state.rotation.y, state.rotation.z})
    out.put(static_cast<float>(x));
  put(state.velocity);
  put(state.angular_velocity);
  out.put(static_cast<std::uint32_t>(present));
}

void put_contact(ChunkWriter& out, const Contact& contact, double dt) {
  out.put(static_cast<std::uint32_t>(contact.body_a));
  out.put(static_cast<std::uint32_t>(contact.body_b));
  out.put(static_cast<std::uint32_t>(contact.mode));
  const Vec3 force = (1 / dt) * contact.impulse();
  for (const Vec3& v : {contact.position, contact.normal}) {
    for (const double x : {v.x, v.y, v.z}) out.put(static_cast<float>(x));
  }
  out.put(static_cast<float>(contact.gap));
  out.put(static_cast<float>(contact.mu));
  for (const double x : {force.x, force.y, force.z}) out.put(static_cast<float>(x));
}

void put_report(ChunkWriter& out, double start, const StepReport& r) {
  // Poses of another program have no certificate.
  const double r_c = std::isnan(r.certificate.nat) ? r.certificate.nat : r.certificate.r_c();
  for (const double x :
       {start, r_c, r.certificate.nat, static_cast<double>(r.contacts), static_cast<double>(r.outer_iterations),
        static_cast<double>(r.inner_iterations), static_cast<double>(r.fallbacks), static_cast<double>(r.islands),
        static_cast<double>(static_cast<int>(r.status)), r.penetration, r.energy, r.energy_rise, r.ms.collide,
        r.ms.assemble, r.ms.solve, r.ms.integrate})
    out.put(x);
}

RecordedPages::RecordedPages(const Recording& recording, Forces forces)
    : recording_(recording),
      forces_(forces),
      scene_(recorded_scene(recording)),
      header_(scene_header(scene_, recording.models())) {
  header_["steps"] = recording.steps();
  header_["end"] = recording.times().back();
  header_["dt"] = recording.dt();
  header_["tolerance"] = recording.tolerance();
  header_["accept"] = recording.accept();
  header_["settings"] = parsed_or_empty(recording.settings_json());
  header_["chunk"] = kFramesPerChunk;
  header_["contact_chunk"] = kContactFrames;
}

int RecordedPages::chunks() const { return recording_.steps() / kFramesPerChunk + 1; }
int RecordedPages::contact_chunks() const { return recording_.steps() / kContactFrames + 1; }

std::string RecordedPages::series(int level) const {
  ChunkWriter out;
  const std::vector<double> times = recording_.times();
  const std::vector<StepReport> reports = recording_.reports(0, recording_.steps());
  for (std::size_t k = 0; k < reports.size(); ++k) {
    out.begin_frame();
    put_report(out, times[k], reports[k]);
  }
  return out.finish(level);
}

std::string RecordedPages::states(int chunk, int level) const {
  const int first = chunk * kFramesPerChunk, count = std::min(kFramesPerChunk, recording_.steps() + 1 - first);
  require(chunk >= 0 && count >= 1, "page: chunk: expected 0 to ", chunks() - 1, ", got ", chunk);
  return poses(first, count, level);
}

std::string RecordedPages::pose(int frame, int level) const { return poses(frame, 1, level); }

std::string RecordedPages::poses(int first, int count, int level) const {
  ChunkWriter out;
  const std::vector<RecordedState> states = recording_.states(first, count);
  const std::vector<JointMoment> joints = recorded_joints(recording_, scene_, first, states);
  for (std::size_t t = 0; t < states.size(); ++t) {
    const RecordedState& state = states[t];
    out.begin_frame();
    for (std::size_t b = 0; b < state.bodies.size(); ++b)
      put_body(out, state.positions[b], state.bodies[b], state.present[b] != 0);
    put_joints(out, joints[t]);
  }
  return out.finish(level);
}

std::string RecordedPages::contacts(int chunk, int level) const {
  const int first = chunk * kContactFrames, count = std::min(kContactFrames, recording_.steps() - first);
  require(chunk >= 0 && count >= 0, "page: chunk: expected 0 to ", contact_chunks() - 1, ", got ", chunk);
  ChunkWriter out;
  for (const std::vector<Contact>& contacts : shown_contacts(recording_, first, count, forces_)) {
    out.begin_frame();
    for (const Contact& contact : contacts) put_contact(out, contact, recording_.dt());
  }
  return out.finish(level);
}

}  // namespace repose::exporter
