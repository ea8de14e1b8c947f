// SPDX-License-Identifier: Apache-2.0
#include "scenes/single.h"

#include <algorithm>
#include <cmath>

#include "repose/base/error.h"
#include "repose/math/scalar.h"
#include "scenes/common.h"

namespace repose::scenes {
namespace {

/// Rotation that takes z to the normal of a slope that falls towards (cos, sin) in the plane.
/// From the slope's ratio and half-angle formulas; no angle is computed, so that tan stays what was asked for.
Quat slope_rotation(double slope, Direction down) {
  const double cosine = 1 / hypotenuse(1.0, slope), sine = slope * cosine;
  const double w = std::sqrt((1 + cosine) / 2), half_sine = sine / (2 * w);
  return {w, -half_sine * down.sin, half_sine * down.cos, 0};
}

Quat yaw_rotation(double degrees) {
  const Direction half = direction_degrees(degrees / 2);
  return {half.cos, 0, 0, half.sin};
}

}  // namespace

const Fields<InclineOptions>& fields(const InclineOptions&) {
  using O = InclineOptions;
  static const Fields<O> table = {
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"slope", &O::slope, 0, 10, "", "tan of the angle; 0.5 is (2, 1)/sqrt 5"},
      {"direction", &O::direction, -360, 360, "degrees", "which way is down; 0 is +x, 45 is a diagonal"},
      {"yaw", &O::yaw, -360, 360, "degrees", "cube turned about the slope's normal"},
      {"size", &O::size, 1e-6, 1e6, "m", "edge of the cube, diameter of the ball"},
      {"body", &O::body, 0, 0, "", "what lies on the slope", {"cube", "sphere"}},
  };
  return table;
}

Scene incline(const InclineOptions& o) {
  SceneBuilder builder = start("incline", checked("incline", o), o.mu, o.size, 2);
  const Quat tilt = slope_rotation(o.slope, direction_degrees(o.direction));
  const Vec3 normal = rotate(tilt, {0, 0, 1});
  const int slope = builder.add_body({.name = "slope", .kind = BodyKind::kStatic, .pose = {{}, tilt}});
  builder.add_shape_plane(slope);
  const Pose pose{o.size / 2 * normal, tilt * yaw_rotation(o.yaw)};
  if (o.body == "cube") {
    add_box(builder, "cube", {o.size, o.size, o.size}, pose);
  } else {
    builder.add_shape_sphere(builder.add_body({.name = "ball", .pose = pose}), o.size / 2);
  }
  return builder.build();
}

const Fields<BackspinOptions>& fields(const BackspinOptions&) {
  using O = BackspinOptions;
  static const Fields<O> table = {
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"speed", &O::speed, -1e3, 1e3, "m/s", "velocity along x"},
      {"spin", &O::spin, -1e4, 1e4, "rad/s", "angular velocity about y; speed = radius * spin rolls"},
      {"side_spin", &O::side_spin, -1e4, 1e4, "rad/s", "angular velocity about x, the direction of travel"},
      {"drop", &O::drop, 0, 1e3, "m", "height of the ball above the ground"},
      {"radius", &O::radius, 1e-6, 1e6, "m", "radius of the ball"},
  };
  return table;
}

Scene backspin(const BackspinOptions& o) {
  SceneBuilder builder = start("backspin", checked("backspin", o), o.mu, 2 * o.radius, 8.5);
  builder.add_ground_plane();
  const int ball = builder.add_body({.name = "ball",
                                     .pose = {{0, 0, o.radius + o.drop}, {}},
                                     .velocity = {o.speed, 0, 0},
                                     .angular_velocity = {o.side_spin, o.spin, 0}});
  builder.add_shape_sphere(ball, o.radius);
  return builder.build();
}

const Fields<TippingBoxOptions>& fields(const TippingBoxOptions&) {
  using O = TippingBoxOptions;
  static const Fields<O> table = {
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"speed", &O::speed, -1e3, 1e3, "m/s", "velocity along x"},
      {"width", &O::width, 1e-6, 1e6, "m", "edge along x; it can tip when mu > width/height"},
      {"depth", &O::depth, 1e-6, 1e6, "m", "edge along y"},
      {"height", &O::height, 1e-6, 1e6, "m", "edge along z"},
  };
  return table;
}

Scene tipping_box(const TippingBoxOptions& o) {
  const double edge = std::max({o.width, o.depth, o.height});
  SceneBuilder builder = start("tipping-box", checked("tipping-box", o), o.mu, edge, 4);
  builder.add_ground_plane();
  SceneBody box{.name = "box", .pose = {{0, 0, o.height / 2}, {}}, .velocity = {o.speed, 0, 0}};
  builder.add_shape_box(builder.add_body(std::move(box)), 0.5 * Vec3{o.width, o.depth, o.height});
  return builder.build();
}

const Fields<PainleveRodOptions>& fields(const PainleveRodOptions&) {
  using O = PainleveRodOptions;
  static const Fields<O> table = {
      {"mu", &O::mu, 0, 100, "", "friction coefficient; the paradox begins at 4/3 for slope 2"},
      {"slope", &O::slope, 0.01, 100, "", "tan of the angle between rod and ground"},
      {"speed", &O::speed, -1e3, 1e3, "m/s", "tip along the ground, > 0 away from the side the rod leans to"},
      {"length", &O::length, 1e-6, 1e6, "m", "length of the rod"},
      {"thickness", &O::thickness, 1e-9, 1e5, "m", "thickness of the rod, at most length / 10"},
  };
  return table;
}

Scene painleve_rod(const PainleveRodOptions& o) {
  SceneBuilder builder = start("painleve-rod", checked("painleve-rod", o), o.mu, o.length, 2);
  require(o.thickness <= o.length / 10, "painleve-rod: thickness: expected at most ", o.length / 10,
          " m, a tenth of the length, got ", o.thickness, " m");
  builder.add_ground_plane();
  const double half = o.length / 2, cosine = 1 / hypotenuse(1.0, o.slope), sine = o.slope * cosine;
  // The box's lower corner is `half` away from its centre, in the direction of the ideal rod: the box itself is a
  // little shorter, and flatter by asin(thickness / length).
  const double b = o.thickness / 2, a = std::sqrt(half * half - b * b);
  const double angle = arc_tangent(sine * a - cosine * b, cosine * a + sine * b);
  SceneBody rod{
      .name = "rod", .pose = {half * Vec3{cosine, 0, sine}, turned({0, 1, 0}, -angle)}, .velocity = {-o.speed, 0, 0}};
  const double mass = kDensity * 4 * a * b * 2 * b, across = mass * half * half / 3;
  rod.mass = MassProperties{mass, {}, Mat3::diagonal(mass * 2 * b * b / 3, across, across)};
  builder.add_shape_box(builder.add_body(std::move(rod)), {a, b, b});
  return builder.build();
}

const Fields<LaunchedCubeOptions>& fields(const LaunchedCubeOptions&) {
  using O = LaunchedCubeOptions;
  static const Fields<O> table = {
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"size", &O::size, 1e-6, 1e6, "m", "edge of the cube"},
      {"speed", &O::speed, -1e3, 1e3, "m/s", "velocity along the ground"},
      {"direction", &O::direction, -360, 360, "degrees", "of the velocity, from +x; the cube stays parallel to x"},
  };
  return table;
}

Scene launched_cube(const LaunchedCubeOptions& o) {
  SceneBuilder builder = start("launched-cube", checked("launched-cube", o), o.mu, o.size, 2);
  builder.add_ground_plane();
  const Direction along = direction_degrees(o.direction);
  SceneBody cube{.name = "cube", .pose = {{0, 0, o.size / 2}, {}}};
  cube.velocity = o.speed * Vec3{along.cos, along.sin, 0};
  builder.add_shape_box(builder.add_body(std::move(cube)), 0.5 * Vec3{o.size, o.size, o.size});
  return builder.build();
}

}  // namespace repose::scenes
