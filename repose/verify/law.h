// SPDX-License-Identifier: Apache-2.0
// The law of a step, written down a second time: nothing of the solver, the assembler or the judge enters. A block is a
// contact or a part of a joint, with up to three rows (t1, t2, n) that map the velocities of two bodies to its own.
//
//   v = J (u_free + M⁻¹ Σ Jᵀ λ) + C λ + b,   λ ∈ S,   −ṽ ∈ N_S(λ)
//
// S is the Coulomb cone ‖λ_T‖ ≤ μ λ_N with ṽ = v + μ ‖v_T‖ e_N, or a box with ṽ = v. docs/certificate.md has the
// definitions of r_c and nat. SI units.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "repose/contact/residual.h"
#include "repose/math/vec3.h"

namespace repose::verify {

using Rows = std::array<double, 3>;  ///< t1, t2, n

struct LawBody {
  bool moves = false;
  Vec3 inverse_mass;     ///< along the world's axes, 1/kg; 0 along those that are held
  Mat3 inverse_inertia;  ///< world axes, 1/(kg m²)
  Vec3 velocity, spin;   ///< free: with gravity and forces, without impulses
};

/// A block's rows against a body beside its first two.
struct LawEnd {
  int body = -1;
  std::array<Vec3, 3> linear, angular;
};
struct LawBlock {
  int a = -1, b = -1;  ///< bodies; −1: none
  std::array<Vec3, 3> linear_a, angular_a, linear_b, angular_b;
  std::vector<LawEnd> others{};
  Rows bias{};       ///< and the velocity of bodies that do not move freely, m/s
  bool box = false;  ///< false: the cone of μ
  double mu = 0;
  Rows lower{}, upper{}, compliance{};
  Rows start{}, lambda{};  ///< N·s
};

/// What impulses change.
struct Change {
  std::vector<Vec3> velocity, spin;  ///< by body
};
[[nodiscard]] Change response(std::span<const LawBody> bodies, std::span<const LawBlock> blocks,
                              Rows LawBlock::*impulse);

/// Returns the largest velocity that one row's impulse alone gives a body, m/s.
[[nodiscard]] double largest_push(std::span<const LawBody> bodies, std::span<const LawBlock> blocks);

/// Scores all blocks as one problem, and every group of bodies that blocks connect as one: the worst of the latter.
struct Scores {
  Certificate whole, worst_island;
  int islands = 0;
  double rounding = 0;  ///< by which two ways of computing r_c may differ, the worst of all islands
};
[[nodiscard]] Scores score(std::span<const LawBody> bodies, std::span<const LawBlock> blocks);

}  // namespace repose::verify
