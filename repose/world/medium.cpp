// SPDX-License-Identifier: Apache-2.0
// Drag of a medium on a body, as on a box with its mass and moments of inertia: −k(v) v along each principal axis. The
// factor k is that of the step's start, and the velocity that of its end without contacts and joints,
//
//   v⁺ = v + h (a − k v⁺/m),   so that   −k v⁺ = −k (v + h a)/(1 + h k/m):
//
// drag turns no body back, and a body falls at its final speed, at any step.
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

struct Drag {
  Vec3 force, torque;  ///< at the mass centre, world axes, N and N m
};

/// Beside the other accelerations of the body, m/s² and rad/s².
Drag drag_on(const BodyModel& model, const BodyState& state, Vec3 linear, Vec3 angular, const Medium& medium,
             double h) {
  const Quat axes = state.rotation * model.rotor.axes;
  const Vec3 v = rotate_back(axes, state.velocity - medium.wind), w = rotate_back(axes, state.angular_velocity);
  const Vec3 v_end = v + h * rotate_back(axes, linear), w_end = w + h * rotate_back(axes, angular);
  const Vec3 b = box_of(model), I = model.rotor.moments;
  const double d = (b.x + b.y + b.z) / 3, rho = medium.density, m = model.mass;
  const double slow = 3 * std::numbers::pi * d * medium.viscosity,
               slow_turn = std::numbers::pi * d * d * d * medium.viscosity;
  const auto drag = [h](double factor, double end, double inertia) {
    return -factor * end / (1 + h * factor / inertia);
  };
  const auto force = [&](double speed, double end, double area) {
    return drag(slow + 0.5 * rho * area * std::abs(speed), end, m);
  };
  const auto torque = [&](double spin, double end, double inertia, double along, double one, double other) {
    return drag(slow_turn + rho * along * (fourth(one) + fourth(other)) * std::abs(spin) / 64, end, inertia);
  };
  return {
      rotate(axes, {force(v.x, v_end.x, b.y * b.z), force(v.y, v_end.y, b.z * b.x), force(v.z, v_end.z, b.x * b.y)}),
      rotate(axes, {torque(w.x, w_end.x, I.x, b.x, b.y, b.z), torque(w.y, w_end.y, I.y, b.y, b.z, b.x),
                    torque(w.z, w_end.z, I.z, b.z, b.x, b.y)})};
}

}  // namespace

void add_drag(const WorldSetup& setup, const WorldState& state, Loads& loads) {
  const Scene& scene = setup.scene;
  for (int b = 0; b < setup.bodies(); ++b) {
    if (!moves_freely(setup, state, b)) continue;
    const BodyModel& model = setup.models[static_cast<std::size_t>(b)];
    const BodyState& body = state.bodies[static_cast<std::size_t>(b)];
    Vec3 &force = loads.force[static_cast<std::size_t>(b)], &torque = loads.torque[static_cast<std::size_t>(b)];
    const Mat3 L = inverse_mass_root(model, body.rotation).root_inverse_inertia;
    const Drag drag = drag_on(model, body, model.gravity_scale * scene.gravity + model.inverse_mass * force,
                              L * (transpose(L) * torque), scene.medium, scene.dt);
    force = force + drag.force, torque = torque + drag.torque;
  }
}

}  // namespace repose
