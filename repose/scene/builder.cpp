// SPDX-License-Identifier: Apache-2.0
#include "repose/scene/builder.h"

#include <utility>

#include "repose/base/error.h"
#include "repose/shape/polyhedron.h"

namespace repose {

SceneBuilder::SceneBuilder(std::string name) { scene_.name = std::move(name); }

int SceneBuilder::add_material(const Material& material) {
  if (!own_materials_) scene_.materials.clear();
  own_materials_ = true;
  scene_.materials.push_back(material);
  return static_cast<int>(scene_.materials.size()) - 1;
}

int SceneBuilder::add_body(SceneBody body) {
  if (body.name.empty()) body.name = "body-" + std::to_string(scene_.bodies.size());
  scene_.bodies.push_back(std::move(body));
  return static_cast<int>(scene_.bodies.size()) - 1;
}

int SceneBuilder::add_ground_plane(int material, Vec3 point) {
  const int ground = add_body({.name = "ground", .kind = BodyKind::kStatic, .pose = {point, {}}});
  add_shape_plane(ground, {.material = material});
  return ground;
}

SceneBody& SceneBuilder::body(int index) {
  require(index >= 0 && static_cast<std::size_t>(index) < scene_.bodies.size(), "body: expected 0 to ",
          static_cast<long>(scene_.bodies.size()) - 1, ", got index ", index);
  return scene_.bodies[static_cast<std::size_t>(index)];
}

int SceneBuilder::add_shape(int index, Geometry geometry, const ShapeOptions& options) {
  SceneBody& owner = body(index);
  owner.shapes.push_back({options.name, std::move(geometry), options.pose, options.material, options.density,
                          options.group, options.mask, options.colour});
  return static_cast<int>(owner.shapes.size()) - 1;
}

int SceneBuilder::add_shape_sphere(int body, double radius, const ShapeOptions& options) {
  return add_shape(body, Sphere{radius}, options);
}
int SceneBuilder::add_shape_box(int body, Vec3 half, const ShapeOptions& options) {
  return add_shape(body, Box{half}, options);
}
int SceneBuilder::add_shape_capsule(int body, double radius, double half_length, const ShapeOptions& options) {
  return add_shape(body, Capsule{radius, half_length}, options);
}
int SceneBuilder::add_shape_cylinder(int body, double radius, double half_length, const ShapeOptions& options) {
  return add_shape(body, Cylinder{radius, half_length}, options);
}
int SceneBuilder::add_shape_convex_hull(int body, std::span<const Vec3> points, const ShapeOptions& options) {
  return add_shape(body, Hull{convex_hull(points)}, options);
}

int SceneBuilder::add_shape_mesh(int body, const std::string& path, Vec3 scale, const ShapeOptions& options) {
  std::vector<Vec3> points = read_mesh_vertices(path);
  for (Vec3& p : points) p = {scale.x * p.x, scale.y * p.y, scale.z * p.z};
  return add_shape_convex_hull(body, points, options);
}

void SceneBuilder::add_motion(int index, Motion motion) {
  body(index).kind = BodyKind::kKinematic;
  body(index).motion = std::move(motion);
}

void SceneBuilder::add_event(double time, std::variant<Appear, Disappear, SetVelocity, Push> action) {
  scene_.events.push_back({time, action});
}

Scene SceneBuilder::build() const {
  validate(scene_);
  return scene_;
}

}  // namespace repose
