// SPDX-License-Identifier: Apache-2.0
// Drag of a medium on a body, as on a box with its mass and moments of inertia.
#include "repose/world/medium_internal.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace repose {
namespace {

/// Edges of the box with these moments.
Vec3 box_of(const BodyModel& model) {
  const Vec3 I = model.rotor.moments;
  const auto edge = [&](double sum) { return std::sqrt(std::max(6 * sum / model.mass, 0.0)); };
  return {edge(I.y + I.z - I.x), edge(I.z + I.x - I.y), edge(I.x + I.y - I.z)};
}

double fourth(double x) { return x * x * x * x; }

}  // namespace

Drag drag_on(const BodyModel& model, const BodyState& state, const Medium& medium) {
  const Quat axes = state.rotation * model.rotor.axes;
  const Vec3 v = rotate_back(axes, state.velocity - medium.wind);
  const Vec3 w = rotate_back(axes, state.angular_velocity);
  const Vec3 b = box_of(model);
  const double d = (b.x + b.y + b.z) / 3, rho = medium.density;
  const double linear = 3 * std::numbers::pi * d * medium.viscosity;
  const double angular = std::numbers::pi * d * d * d * medium.viscosity;
  const auto force = [&](double speed, double area) { return -(linear + 0.5 * rho * area * std::abs(speed)) * speed; };
  const auto torque = [&](double spin, double along, double one, double other) {
    return -(angular + rho * along * (fourth(one) + fourth(other)) * std::abs(spin) / 64) * spin;
  };
  return {rotate(axes, {force(v.x, b.y * b.z), force(v.y, b.z * b.x), force(v.z, b.x * b.y)}),
          rotate(axes, {torque(w.x, b.x, b.y, b.z), torque(w.y, b.y, b.z, b.x), torque(w.z, b.z, b.x, b.y)})};
}

}  // namespace repose
