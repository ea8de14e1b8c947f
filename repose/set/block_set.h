// SPDX-License-Identifier: Apache-2.0
// The set that a block's impulse lies in, with every operation that the solvers need.
//
//   v = W λ + C λ + v_f,   λ ∈ S,   −ṽ ∈ N_S(λ)
//
// S is the Coulomb cone K_μ with ṽ = v + μ‖v_T‖ e_N, or a box (box.h) with ṽ = v. C ≥ 0 is a diagonal compliance: it
// models a damper, a spring, a servo gain or the inertia of a rotor. The kernels serve one block (R = double) or eight
// (R = Pack); a pack of eight cones without compliance uses the code for cones alone.
#pragma once

#include <cmath>
#include <cstdint>

#include "repose/set/alart_curnier.h"
#include "repose/set/box.h"
#include "repose/set/coulomb_cone.h"

namespace repose {

/// The data of a block beyond μ.
template <class R>
struct SetExtra {
  decltype(R{} > R{}) box{};  ///< true: the set is the box; false: the cone
  BoundsT<R> bounds;          ///< of the box, N·s
  ContactVecT<R> compliance;  ///< C, 1/kg; equal for both tangents of a cone
};

/// A set as a kernel gets it: μ, and a pointer that is null for the Coulomb cone without compliance.
template <class R>
struct SetRef {
  R mu;
  const SetExtra<R>* extra = nullptr;
};
using PackSet = SetRef<Pack>;

/// Returns a where the set is a box, b where it is a cone.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> choose(const SetExtra<R>& extra, ContactVecT<R> box,
                                                     ContactVecT<R> cone) {
  return by_row<R>([&](auto row) { return select(extra.box, box.*row, cone.*row); });
}

// ---- the law -----------------------------------------------------------------------------------------------------

/// Projects λ onto the set.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> project(const SetRef<R>& set, ContactVecT<R> x) {
  if (!set.extra) return project_onto_cone(x, set.mu);
  return choose(*set.extra, project_onto_box(x, set.extra->bounds), project_onto_cone(x, set.mu));
}

/// Projects v onto the dual of the set's recession cone: K*_μ for the cone; see project_onto_box_dual().
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> project_dual(const SetRef<R>& set, ContactVecT<R> v) {
  if (!set.extra) return project_onto_dual_cone(v, set.mu);
  return choose(*set.extra, project_onto_box_dual(v, set.extra->bounds), project_onto_dual_cone(v, set.mu));
}

/// Returns ṽ: v + μ‖v_T‖ e_N for the cone, v for a box.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> augmented(const SetRef<R>& set, ContactVecT<R> v) {
  if (!set.extra) return augmented(v, set.mu);
  return choose(*set.extra, v, augmented(v, set.mu));
}

/// Returns μ‖v_T‖, the normal part of ṽ − v.
template <class R>
REPOSE_HD [[nodiscard]] inline R coupling(const SetRef<R>& set, ContactVecT<R> v) {
  return set.mu * tangential_norm(v);  // boxes have μ = 0
}

/// Returns ṽᵀλ for the cone, box_pairing() for a box: zero where λ and ṽ are complementary.
template <class R>
REPOSE_HD [[nodiscard]] inline R pairing(const SetRef<R>& set, ContactVecT<R> v_aug, ContactVecT<R> lambda) {
  if (!set.extra) return dot(v_aug, lambda);
  return select(set.extra->box, box_pairing(v_aug, lambda, set.extra->bounds), dot(v_aug, lambda));
}

/// v += C λ
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> with_compliance(const SetRef<R>& set, ContactVecT<R> v,
                                                              ContactVecT<R> lambda) {
  if (!set.extra) return v;
  return by_row<R>([&](auto row) { return v.*row + set.extra->compliance.*row * lambda.*row; });
}

/// v − C λ
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> without_compliance(const SetRef<R>& set, ContactVecT<R> v,
                                                                 ContactVecT<R> lambda) {
  if (!set.extra) return v;
  return by_row<R>([&](auto row) { return v.*row - set.extra->compliance.*row * lambda.*row; });
}

// ---- Newton maps -------------------------------------------------------------------------------------------------
// λ⁺ = Π(λ − g ṽ) with ṽ of v = w + C λ⁺, where w is the velocity that W and the other blocks cause; dλ⁺ = −D dw.

/// Returns 1/(1 + g C) per row: the factor by which compliance reduces a step g.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> softness(const SetExtra<R>& extra, R g) {
  return by_row<R>([&](auto row) { return 1.0 / (1.0 + g * extra.compliance.*row); });
}

/// Returns λ − g w times that factor: the trial impulse, which determines the mode.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> trial_impulse(const SetRef<R>& set, ContactVecT<R> lambda,
                                                            ContactVecT<R> w, R g) {
  if (!set.extra) return lambda - g * w;
  const ContactVecT<R> soft = softness(*set.extra, g);
  return by_row<R>([&](auto row) { return soft.*row * (lambda.*row - g * w.*row); });
}

/// The map of Alart and Curnier (alart_curnier.h); with compliance each row has its own step.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> newton_map(const SetRef<R>& set, ContactVecT<R> lambda, ContactVecT<R> w,
                                                         R g, ContactSlope<R>& D) {
  if (!set.extra) return alart_curnier(lambda, w, g, set.mu, D);
  const SetExtra<R>& extra = *set.extra;
  ContactSlope<R> box, cone;
  const ContactVecT<R> of_box = box_newton_map(lambda, w, g, extra.bounds, extra.compliance, box);
  const ContactVecT<R> of_cone = soft_alart_curnier(lambda, w, g, set.mu, softness(extra, g), cone);
  D = choose_slope(extra.box, box, cone);
  return choose(extra, of_box, of_cone);
}

/// The map of De Saxcé. With compliance only the map of Alart and Curnier has a closed form: a cone with compliance
/// uses that map, which has the same fixed points.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> de_saxce_map(const SetRef<R>& set, ContactVecT<R> lambda,
                                                           ContactVecT<R> w, R g, ContactSlope<R>& D) {
  if (!set.extra) return de_saxce(lambda, w, g, set.mu, D);
  return newton_map(set, lambda, w, g, D);
}

/// Returns the impulse of newton_map() without its slope.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> newton_map(const SetRef<R>& set, ContactVecT<R> lambda, ContactVecT<R> w,
                                                         R g) {
  if (!set.extra) return alart_curnier(lambda, w, g, set.mu);
  ContactSlope<R> ignored;
  return newton_map(set, lambda, w, g, ignored);
}

/// Returns the velocity w at which newton_map() with step g has the mode of λ itself: for a cone stick inside, slip at
/// its surface, for the row of a box v = 0 inside, fixed at a bound. A contact or a row without impulse has the mode
/// that w gives it.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> velocity_that_holds_mode(const SetRef<R>& set, ContactVecT<R> lambda,
                                                                       ContactVecT<R> w, R g) {
  constexpr double kAtSurface = 1e-7;  // share of its distance from zero within which λ is at a surface or bound
  const R zero{}, outward = -kAtSurface / g;
  const auto closed = lambda.n > zero;
  const ContactVecT<R> of_cone{select(closed, outward * lambda.t1, w.t1), select(closed, outward * lambda.t2, w.t2),
                               select(closed, zero, w.n)};
  if (!set.extra) return of_cone;
  const ContactVecT<R> of_box =
      by_row<R>([&](auto row) { return select(lambda.*row == zero, w.*row, outward * lambda.*row); });
  return without_compliance(set, choose(*set.extra, of_box, of_cone), lambda);
}

// ---- one block ---------------------------------------------------------------------------------------------------

/// The set of one block as a value.
class BlockSet {
 public:
  /// The Coulomb cone with friction coefficient μ ≥ 0.
  [[nodiscard]] static BlockSet cone(double mu) { return BlockSet(mu); }
  /// All impulses are allowed and v = 0 in the rows used. One row is n, two are t1 and t2.
  [[nodiscard]] static BlockSet bilateral(int rows = 3) {
    const double tangent = rows >= 2 ? kUnbounded : 0, normal = rows != 2 ? kUnbounded : 0;
    return box({{-tangent, -tangent, -normal}, {tangent, tangent, normal}});
  }
  /// λ_N ≥ 0, v_N ≥ 0: a limit, a rope, a contact without friction.
  [[nodiscard]] static BlockSet half_line() { return box({{}, {0, 0, kUnbounded}}); }
  /// lower ≤ λ_N ≤ upper: dry friction of a joint, a motor with a force limit.
  [[nodiscard]] static BlockSet interval(double lower, double upper) { return box({{0, 0, lower}, {0, 0, upper}}); }
  [[nodiscard]] static BlockSet box(const Bounds& bounds) {
    BlockSet set(0);
    set.plain_ = false;
    set.extra_ = {true, bounds, {}};
    return set;
  }
  /// Returns the same set with C added to the diagonal of W, 1/kg; ≥ 0, equal for both tangents of a cone.
  [[nodiscard]] BlockSet with_compliance(ContactVec compliance) const {
    BlockSet set = *this;
    set.plain_ = false;
    set.extra_.compliance = compliance;
    return set;
  }
  BlockSet(double mu, const SetExtra<double>& extra) : mu_(mu), extra_(extra), plain_(false) {}

  [[nodiscard]] bool is_cone() const { return !extra_.box; }
  [[nodiscard]] bool plain() const { return plain_; }                        ///< a Coulomb cone without compliance
  [[nodiscard]] double mu() const { return mu_; }                            ///< of a cone; 0 for a box
  [[nodiscard]] const Bounds& bounds() const { return extra_.bounds; }       ///< of a box
  [[nodiscard]] ContactVec compliance() const { return extra_.compliance; }  ///< 1/kg
  [[nodiscard]] const SetExtra<double>& extra() const { return extra_; }
  [[nodiscard]] SetRef<double> ref() const { return {mu_, plain_ ? nullptr : &extra_}; }
  /// "Coulomb cone", "bilateral", "half line", "interval" or "box", for messages.
  [[nodiscard]] const char* name() const;

 private:
  explicit BlockSet(double mu) : mu_(mu) {}

  double mu_ = 0;
  SetExtra<double> extra_{};
  bool plain_ = true;
};

/// Whether the row's impulse depends on its velocity. That of a prescribed or unused row does not.
[[nodiscard]] inline bool row_is_live(double lower, double upper) { return lower < upper; }

inline const char* BlockSet::name() const {
  if (is_cone()) return "Coulomb cone";
  const Bounds& b = bounds();
  const bool tangents = row_is_live(b.lower.t1, b.upper.t1) || row_is_live(b.lower.t2, b.upper.t2);
  const auto open = [](double lower, double upper) {
    return (lower == -kUnbounded && upper == kUnbounded) || (lower == 0 && upper == 0);
  };
  if (open(b.lower.t1, b.upper.t1) && open(b.lower.t2, b.upper.t2) && open(b.lower.n, b.upper.n)) return "bilateral";
  if (tangents) return "box";
  return b.lower.n == 0 && b.upper.n == kUnbounded ? "half line" : "interval";
}

}  // namespace repose
