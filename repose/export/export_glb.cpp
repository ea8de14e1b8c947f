// SPDX-License-Identifier: Apache-2.0
// glTF 2.0, binary: a node per body under one that turns z up into y up, a mesh per different shape, one animation.
// Bodies that are not there yet are scaled to nothing.
#include <algorithm>
#include <cmath>
#include <map>

#include "repose/base/atomic_file.h"
#include "repose/base/error.h"
#include "repose/export/export.h"
#include "repose/export/page_data_internal.h"
#include "repose/export/recorded_scene.h"
#include "repose/export/triangles.h"
#include "repose/scene/native_names_internal.h"

namespace repose::exporter {
namespace {

constexpr int kFloat = 5126, kArrayBuffer = 34962;

/// The binary part and the accessors into it.
class Buffer {
 public:
  Json views = Json::array(), accessors = Json::array();
  std::string bytes;

  int add(const std::vector<float>& values, std::size_t width, bool vertices, bool range) {
    constexpr const char* kTypes[] = {"", "SCALAR", "", "VEC3", "VEC4"};
    Json view{{"buffer", 0}, {"byteOffset", bytes.size()}, {"byteLength", 4 * values.size()}};
    if (vertices) view["target"] = kArrayBuffer;
    Json accessor{{"bufferView", views.size()},
                  {"componentType", kFloat},
                  {"count", values.size() / width},
                  {"type", kTypes[width]}};
    if (range) {
      std::vector<float> low(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(width)), high = low;
      for (std::size_t k = 0; k < values.size(); ++k) {
        low[k % width] = std::min(low[k % width], values[k]);
        high[k % width] = std::max(high[k % width], values[k]);
      }
      accessor["min"] = low;
      accessor["max"] = high;
    }
    views.push_back(view);
    accessors.push_back(accessor);
    bytes.append(reinterpret_cast<const char*>(values.data()), 4 * values.size());
    return static_cast<int>(accessors.size()) - 1;
  }
};

void push(std::vector<float>& out, Vec3 v) {
  for (const double x : {v.x, v.y, v.z}) out.push_back(static_cast<float>(x));
}

/// glTF's quaternions are (x, y, z, w), of unit length in 32 bits.
std::vector<float> turned(Quat q) {
  q = normalized(q);
  return {static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z), static_cast<float>(q.w)};
}

double linear(double s) { return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4); }

class Document {
 public:
  explicit Document(const Recording& recording) : recording_(recording), scene_(recorded_scene(recording)) {
    ground_ = ground_size(scene_);
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) add_body(b);
    for (const SceneJoint& joint : scene_.joints)
      if (joint.kind != JointKind::kCoupling) add_joint(joint);
    animate();
  }

  [[nodiscard]] std::string finish() {
    Json children = Json::array();
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) children.push_back(body_nodes_[b]);
    const double half = std::sqrt(0.5);
    Json root{{"name", scene_.name}, {"rotation", Json::array({-half, 0.0, 0.0, half})}};
    if (!children.empty()) root["children"] = children;
    nodes_.push_back(root);
    Json json{{"asset", Json{{"version", "2.0"}, {"generator", "Repose"}}},
              {"scene", 0},
              {"scenes", Json::array({Json{{"nodes", Json::array({nodes_.size() - 1})}}})},
              {"nodes", nodes_}};
    put(json, "meshes", meshes_);
    put(json, "materials", materials_);
    put(json, "animations", animations_);
    put(json, "accessors", buffer_.accessors);
    put(json, "bufferViews", buffer_.views);
    if (!buffer_.bytes.empty()) json["buffers"] = Json::array({Json{{"byteLength", buffer_.bytes.size()}}});
    return packed(json.dump());
  }

 private:
  static void put(Json& json, const char* key, const Json& list) {
    if (!list.empty()) json[key] = list;
  }

  void add_body(std::size_t b) {
    const SceneBody& body = scene_.bodies[b];
    Json shapes = Json::array();
    for (const SceneShape& shape : body.shapes) {
      Json node{{"mesh", mesh(shape.geometry, material(colour_of(body, shape, b)))}};
      const Vec3 p = shape.pose.position;
      node["translation"] = {p.x, p.y, p.z};
      node["rotation"] = turned(shape.pose.rotation);
      shapes.push_back(nodes_.size());
      nodes_.push_back(node);
    }
    Json node{{"name", body.name}};
    if (!shapes.empty()) node["children"] = shapes;
    body_nodes_.push_back(nodes_.size());
    nodes_.push_back(node);
  }

  /// An empty node in body b where the joint's frame is, whose z axis is the joint's. What glTF has no words for is in
  /// its extras.
  void add_joint(const SceneJoint& joint) {
    const auto number = [](const Pose& frame) {
      const Vec3 p = frame.position;
      return Json{{"translation", {p.x, p.y, p.z}}, {"rotation", turned(frame.rotation)}};
    };
    Json extras{{"joint", joint_types()[static_cast<std::size_t>(joint.kind)]}};
    if (joint.body_a != kWorldBody) extras["body_a"] = scene_.bodies[static_cast<std::size_t>(joint.body_a)].name;
    extras["frame_a"] = number(joint.frame_a);
    for (int k = 0; k < coordinate_count(joint); ++k) {
      const JointCoordinate& c = joint.coordinates[static_cast<std::size_t>(k)];
      Json range = Json::object();
      if (std::isfinite(c.lower)) range["lower"] = c.lower;
      if (std::isfinite(c.upper)) range["upper"] = c.upper;
      extras["coordinates"].push_back(range);
    }
    Json node = number(joint.frame_b);
    node["name"] = joint.name;
    node["extras"] = extras;
    nodes_[body_nodes_[static_cast<std::size_t>(joint.body_b)]]["children"].push_back(nodes_.size());
    nodes_.push_back(node);
  }

  std::size_t material(Vec3 colour) {
    const Json base{linear(colour.x), linear(colour.y), linear(colour.z), 1.0};
    const auto [place, is_new] = material_numbers_.try_emplace(base.dump(), materials_.size());
    if (is_new)
      materials_.push_back(Json{{"pbrMetallicRoughness",
                                 Json{{"baseColorFactor", base}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.8}}}});
    return place->second;
  }

  /// Flat triangles: every corner has the normal of its face.
  std::size_t mesh(const Geometry& geometry, std::size_t material) {
    const Polygons shape = polygons_of(geometry, ground_);
    std::vector<float> points, normals;
    for (const std::vector<int>& face : shape.faces) {
      const auto corner = [&](std::size_t k) { return shape.points[static_cast<std::size_t>(face[k])]; };
      Vec3 normal{};
      for (std::size_t k = 0; k < face.size(); ++k)
        normal = normal + cross(corner(k) - corner(0), corner((k + 1) % face.size()) - corner(0));
      const double size = norm(normal);
      normal = size > 0 ? (1 / size) * normal : Vec3{0, 0, 1};
      for (std::size_t k = 1; k + 1 < face.size(); ++k)
        for (const std::size_t c : {std::size_t{0}, k, k + 1}) {
          push(points, corner(c));
          push(normals, normal);
        }
    }
    std::string key(reinterpret_cast<const char*>(points.data()), 4 * points.size());
    key += std::to_string(material);
    const auto [place, is_new] = mesh_numbers_.try_emplace(std::move(key), meshes_.size());
    if (is_new) {
      const Json attributes{{"POSITION", buffer_.add(points, 3, true, true)},
                            {"NORMAL", buffer_.add(normals, 3, true, false)}};
      meshes_.push_back(Json{{"primitives", Json::array({Json{{"attributes", attributes}, {"material", material}}})}});
    }
    return place->second;
  }

  void animate() {
    const std::size_t n = scene_.bodies.size();
    std::vector<float> times;
    std::vector<std::vector<float>> places(n), turns(n), scales(n);
    for (int first = 0; first <= recording_.steps(); first += kFramesPerChunk)
      for (const RecordedState& state :
           recording_.states(first, std::min(kFramesPerChunk, recording_.steps() + 1 - first))) {
        // A checkpoint may start anywhere; an animation starts at 0.
        if (times.empty()) start_ = state.time;
        times.push_back(static_cast<float>(state.time - start_));
        for (std::size_t b = 0; b < n; ++b) {
          push(places[b], state.positions[b]);
          std::vector<float> q = turned(state.bodies[b].rotation);
          // The shorter way between neighbours.
          if (turns[b].size() >= 4) {
            float dot = 0;
            for (std::size_t k = 0; k < 4; ++k) dot += q[k] * turns[b][turns[b].size() - 4 + k];
            if (dot < 0)
              for (float& x : q) x = -x;
          }
          turns[b].insert(turns[b].end(), q.begin(), q.end());
          const float there = state.present[b] != 0 ? 1.0f : 0.0f;
          scales[b].insert(scales[b].end(), 3, there);
        }
      }
    if (times.size() < 2 || n == 0) return;
    const int input = buffer_.add(times, 1, false, true);
    Json samplers = Json::array(), channels = Json::array();
    const auto add = [&](std::size_t b, const char* path, const std::vector<float>& values, std::size_t width,
                         const char* interpolation) {
      samplers.push_back(Json{
          {"input", input}, {"output", buffer_.add(values, width, false, false)}, {"interpolation", interpolation}});
      channels.push_back(
          Json{{"sampler", samplers.size() - 1}, {"target", Json{{"node", body_nodes_[b]}, {"path", path}}}});
    };
    for (std::size_t b = 0; b < n; ++b) {
      if (scene_.bodies[b].kind == BodyKind::kStatic) {
        Json& node = nodes_[body_nodes_[b]];
        node["translation"] = std::vector<float>(places[b].begin(), places[b].begin() + 3);
        node["rotation"] = std::vector<float>(turns[b].begin(), turns[b].begin() + 4);
      } else {
        add(b, "translation", places[b], 3, "LINEAR");
        add(b, "rotation", turns[b], 4, "LINEAR");
      }
      if (std::find(scales[b].begin(), scales[b].end(), 0.0f) != scales[b].end()) add(b, "scale", scales[b], 3, "STEP");
    }
    if (!channels.empty()) animations_.push_back(Json{{"name", "run"}, {"samplers", samplers}, {"channels", channels}});
  }

  [[nodiscard]] std::string packed(std::string json) const {
    json.append((4 - json.size() % 4) % 4, ' ');
    std::string out;
    const auto word = [&](std::size_t value) {
      require(value < 0xffffffffu, "glb: expected less; export a shorter recording, got more than 4 GiB");
      for (int k = 0; k < 4; ++k) out.push_back(static_cast<char>(value >> (8 * k)));
    };
    const std::size_t binary = buffer_.bytes.size();  // floats only: a multiple of four
    word(0x46546c67);
    word(2);
    word(12 + 8 + json.size() + (binary > 0 ? 8 + binary : 0));
    word(json.size());
    word(0x4e4f534a);
    out += json;
    if (binary > 0) {
      word(binary);
      word(0x004e4942);
      out += buffer_.bytes;
    }
    return out;
  }

  const Recording& recording_;
  Scene scene_;
  double ground_ = 1, start_ = 0;
  Buffer buffer_;
  Json nodes_ = Json::array(), meshes_ = Json::array(), materials_ = Json::array(), animations_ = Json::array();
  std::vector<std::size_t> body_nodes_;
  std::map<std::string, std::size_t> mesh_numbers_, material_numbers_;
};

}  // namespace

void export_glb(const Recording& recording, const std::filesystem::path& file) {
  files::write_atomically(file, Document(recording).finish());
}

}  // namespace repose::exporter
