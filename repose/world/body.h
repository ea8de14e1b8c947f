// SPDX-License-Identifier: Apache-2.0
// The model of a body, fixed during a run, and its state, which every step changes.
#pragma once

#include <algorithm>
#include <array>

#include "repose/contact/body_form.h"
#include "repose/scene/scene.h"
#include "repose/world/rotor.h"

namespace repose {

/// Fixed during a run.
struct BodyModel {
  BodyKind kind = BodyKind::kStatic;
  double mass = 0, inverse_mass = 0;  ///< kg, 1/kg; both 0 unless dynamic
  Rotor rotor;                        ///< dynamic bodies only
  Vec3 centre;                        ///< mass centre in the body's frame, m; the origin unless dynamic
  double gravity_scale = 1;
  std::array<bool, 6> held{};  ///< no motion along world x, y, z, no rotation about them
  double size =
      0;  ///< diameter of the body's shapes about the centre, without any that of its inertia, m; 0: only half-spaces
  double thickness = 0;   ///< smallest width of its thinnest shape, m; 0: only half-spaces
  double spin_reach = 0;  ///< farthest surface point that a rotation moves, from the centre, m (0 for a centred ball)
};

/// Of the mass centre, in world axes. Kinematic bodies: the velocities of their last step.
struct BodyState {
  Vec3 centre;  ///< m
  Quat rotation;
  Vec3 velocity, angular_velocity;  ///< m/s, rad/s
};

/// Thickness of the thinner one of two bodies, m. A half-space has none: the other body counts.
[[nodiscard]] inline double thinner(const BodyModel& a, const BodyModel& b) {
  return a.thickness > 0 && b.thickness > 0 ? std::min(a.thickness, b.thickness) : std::max(a.thickness, b.thickness);
}

[[nodiscard]] BodyModel make_model(const SceneBody& body);
[[nodiscard]] BodyState start_state(const SceneBody& body, const BodyModel& model);

/// L with L Lᵀ = M⁻¹ for a dynamic body turned by `rotation`; zero about the axes that are held.
[[nodiscard]] BodyForm::Roots inverse_mass_root(const BodyModel& model, Quat rotation);
/// The velocity with the components along held axes set to zero.
[[nodiscard]] inline Vec3 allowed_velocity(const BodyModel& model, Vec3 v) {
  return {model.held[0] ? 0 : v.x, model.held[1] ? 0 : v.y, model.held[2] ? 0 : v.z};
}
[[nodiscard]] inline Vec3 allowed_spin(const BodyModel& model, Vec3 w) {
  return {model.held[3] ? 0 : w.x, model.held[4] ? 0 : w.y, model.held[5] ? 0 : w.z};
}
[[nodiscard]] inline bool turns_freely(const BodyModel& m) { return !(m.held[3] || m.held[4] || m.held[5]); }

/// Moves a body for h without contacts: x ← x + h v and the free rotation. With a held axis of rotation the spin about
/// the other axes is constant.
inline void move_freely(const BodyModel& m, double h, BodyState& state) {
  state.centre = state.centre + h * state.velocity;
  if (turns_freely(m))
    rotate_freely(m.rotor, h, state.rotation, state.angular_velocity);
  else
    state.rotation = normalized(exponential(h * state.angular_velocity) * state.rotation);
}

/// Pose of the body's frame from that of its mass centre, and back.
[[nodiscard]] inline Pose frame_pose(const BodyModel& model, const BodyState& state) {
  return {state.centre - rotate(state.rotation, model.centre), state.rotation};
}
[[nodiscard]] inline Vec3 centre_of(const BodyModel& model, const Pose& frame) { return frame * model.centre; }

}  // namespace repose
