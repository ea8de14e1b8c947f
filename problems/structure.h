// SPDX-License-Identifier: Apache-2.0
// Rigid bodies and point contacts with frozen geometry: the Jacobians stay, velocities and gaps evolve.
// SI units, z up. Static bodies are not listed; a contact names them kStaticBody.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "repose/contact/problem.h"

namespace repose::problems {

struct Body {
  double mass = 1;                       ///< kg, > 0
  Mat3 inertia = Mat3::identity();       ///< about the mass centre in world axes, kg m², symmetric positive definite
  Vec3 position{}, linear{}, angular{};  ///< mass centre, m; its velocity, m/s; angular velocity, rad/s
};

struct Contact {
  int a = kStaticBody, b = kStaticBody;  ///< indices into Structure::bodies
  Vec3 point{}, normal{0, 0, 1};         ///< m; unit length, from a towards b
  double gap = 0;                        ///< distance at the start, m; negative: penetration
  double mu = 0;                         ///< friction coefficient, ≥ 0
};

struct Structure {
  std::string name{};
  std::vector<Body> bodies{};
  std::vector<Contact> contacts{};
  Vec3 gravity{0, 0, -9.81};    ///< m/s²
  double h = 1.0 / 60.0;        ///< time step, s
  double size = 1;              ///< longest edge of a typical body, m: the scale of gap tolerances
  std::vector<int> struck{};    ///< bodies that an impact hits
  Vec3 struck_along{0, 0, -1};  ///< direction of that impact
};

/// What a gap adds to the normal velocity, so that v_N + bias ≥ 0 is the condition of non-penetration:
/// gap/h when open (it may close, not more), 0 within the slop, recovery·(gap + slop)/h when penetrating.
struct GapBias {
  double slop = 0;        ///< m, ≥ 0
  double recovery = 0.2;  ///< share of the penetration removed per step (Baumgarte), in [0, 1]
  [[nodiscard]] double operator()(double gap, double h) const {
    if (gap > slop) return gap / h;
    return gap < -slop ? recovery * (gap + slop) / h : 0.0;
  }
};

/// Throws InputError when a number of the structure makes no sense.
void validate(const Structure& structure);

/// The operator W of the structure.
[[nodiscard]] BodyForm make_form(const Structure& structure);

/// v ← J u: contact velocities (without bias) of the bodies' linear and angular velocities.
void contact_velocities(const Structure& structure, std::span<const Vec3> linear, std::span<const Vec3> angular,
                        std::span<ContactVec> v);

/// The problem of one step from the structure's own velocities: v_f = J (u + h g) + bias.
[[nodiscard]] ContactProblem make_problem(const Structure& structure, GapBias bias = {});

/// Four contacts at the corners of the rectangle centre ± half_u ± half_v.
void add_patch(Structure& structure, int a, int b, Vec3 centre, Vec3 half_u, Vec3 half_v, Vec3 normal, double mu);

}  // namespace repose::problems
