// SPDX-License-Identifier: Apache-2.0
#include "repose/world/idle_points_internal.h"

namespace repose {
namespace {

/// Change of velocity within the step that an idle point is given room for, as a multiple of that by forces alone.
/// Where it is exceeded and the point closes, the step is solved twice.
constexpr double kRoom = 4;
/// Factor on the terms of second order that are left out.
constexpr double kSecondOrder = 2;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// Velocities of two bodies during a step.
struct PairMotion {
  Vec3 centre_a, centre_b, velocity_a, velocity_b, spin_a, spin_b;

  /// Gap of a point after h seconds, to first order, m.
  [[nodiscard]] double gap_after(double h, const ContactPoint& p, Vec3 normal) const {
    const Vec3 v =
        velocity_b - velocity_a + cross(spin_b, p.position - centre_b) - cross(spin_a, p.position - centre_a);
    return p.gap + h * dot(normal, v);
  }
  /// Bound on what the rotations change in second order, m.
  [[nodiscard]] double second_order(double h, double reach_a, double reach_b) const {
    const double turn = h * (norm(spin_a) + norm(spin_b));
    const double way = h * (norm(velocity_a) + norm(velocity_b) + norm(spin_a) * reach_a + norm(spin_b) * reach_b);
    return turn * way;
  }
};

struct Pair {
  int a, b;  ///< bodies
};
Pair pair_of(const WorldSetup& setup, const Manifold& m) {
  return {setup.colliders[at(m.collider_a)].body, setup.colliders[at(m.collider_b)].body};
}

double second_order(const WorldSetup& setup, const PairMotion& motion, const Pair& pair) {
  return motion.second_order(setup.scene.dt, setup.models[at(pair.a)].spin_reach, setup.models[at(pair.b)].spin_reach);
}

}  // namespace

void mark_idle(const WorldSetup& setup, const Collision& collision, std::span<const StepBody> bodies,
               std::vector<char>& idle) {
  idle.clear();
  if (setup.joints.empty() || setup.has_height_fields) return;
  idle.resize(collision.points().size(), 0);
  const auto forced = [](const StepBody& s) { return s.moves ? norm(s.velocity - s.before) : 0.0; };
  for (const Manifold& m : collision.manifolds()) {
    const Pair pair = pair_of(setup, m);
    const StepBody &a = bodies[at(pair.a)], &b = bodies[at(pair.b)];
    if (!(setup.linked[at(pair.a)] || setup.linked[at(pair.b)]) || a.driven || b.driven) continue;
    const PairMotion motion{a.centre, b.centre, a.before, b.before, a.spin_before, b.spin_before};
    const double room =
        kRoom * setup.scene.dt * (forced(a) + forced(b)) + kSecondOrder * second_order(setup, motion, pair);
    for (int i = m.first; i < m.first + m.count; ++i)
      idle[at(i)] = motion.gap_after(setup.scene.dt, collision.points()[at(i)], m.normal) > room;
  }
}

bool wake_points(const WorldSetup& setup, const Collision& collision, std::span<const StepBody> bodies,
                 std::span<const PredictedMotion> motion, std::vector<char>& idle) {
  bool any = false;
  for (const Manifold& m : collision.manifolds()) {
    const Pair pair = pair_of(setup, m);
    const PredictedMotion &a = motion[at(pair.a)], &b = motion[at(pair.b)];
    const PairMotion now{bodies[at(pair.a)].centre, bodies[at(pair.b)].centre, a.velocity, b.velocity, a.spin, b.spin};
    const double room = second_order(setup, now, pair);
    for (int i = m.first; i < m.first + m.count; ++i) {
      if (!idle[at(i)] || now.gap_after(setup.scene.dt, collision.points()[at(i)], m.normal) > room) continue;
      idle[at(i)] = 0;
      any = true;
    }
  }
  return any;
}

}  // namespace repose
