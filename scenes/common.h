// SPDX-License-Identifier: Apache-2.0
// What the built-in scenes share: settings, rotations, projectiles.
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "repose/base/parameters.h"
#include "repose/math/scalar.h"
#include "repose/scene/builder.h"

namespace repose::scenes {

constexpr double kGravity = 9.81;    // m/s²
constexpr double kDensity = 1000;    // kg/m³
constexpr double kSlopShare = 1e-4;  // slop as a share of the longest edge
constexpr double kMarginShare = 0.02;

/// sin and cos that are exact at multiples of 90°, so that axis-parallel stays axis-parallel.
struct Direction {
  double cos, sin;
};
[[nodiscard]] inline Direction direction_degrees(double degrees) {
  constexpr Direction kQuarter[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  const double quarter = degrees / 90;
  if (quarter == std::floor(quarter)) return kQuarter[static_cast<int>(std::fmod(std::fmod(quarter, 4) + 4, 4))];
  const double angle = degrees * std::numbers::pi / 180;
  return {cosine(angle), sine(angle)};
}

[[nodiscard]] inline double radians(double degrees) { return degrees * std::numbers::pi / 180; }

/// Rotation about a unit axis.
[[nodiscard]] inline Quat turned(Vec3 axis, double angle) {
  const double s = sine(angle / 2);
  return {cosine(angle / 2), s * axis.x, s * axis.y, s * axis.z};
}

/// A builder with one material and the common settings for bodies whose longest edge is `edge`.
[[nodiscard]] inline SceneBuilder start(const std::string& name, ParameterValues parameters, double mu, double edge,
                                        double duration) {
  SceneBuilder builder(name);
  Scene& s = builder.settings();
  s.parameters = std::move(parameters);
  s.gravity = {0, 0, -kGravity};
  s.duration = duration;
  s.slop = kSlopShare * edge;
  s.margin = kMarginShare * edge;
  builder.add_material({.name = "stone", .friction = mu});
  return builder;
}

/// A box with edge lengths `size`, dynamic unless `kind` says otherwise.
inline int add_box(SceneBuilder& builder, std::string name, Vec3 size, const Pose& pose,
                   BodyKind kind = BodyKind::kDynamic, double density = kDensity) {
  const int body = builder.add_body({.name = std::move(name), .kind = kind, .pose = pose});
  builder.add_shape_box(body, 0.5 * size, {.density = density});
  return body;
}

/// A cube that joins the run at `time` with the given velocity.
inline int add_projectile(SceneBuilder& builder, std::string name, double size, Vec3 position, Vec3 velocity,
                          double time) {
  SceneBody shot{.name = std::move(name), .pose = {position, {}}, .velocity = velocity, .present = false};
  const int body = builder.add_body(std::move(shot));
  builder.add_shape_box(body, 0.5 * Vec3{size, size, size}, {.density = kDensity, .colour = Vec3{0.8, 0.2, 0.1}});
  builder.add_event(time, Appear{body});
  return body;
}

}  // namespace repose::scenes
