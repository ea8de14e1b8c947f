// SPDX-License-Identifier: Apache-2.0
// The iterate of a primal–dual interior-point method: x and z in Lorentz cones, x ∘ z → σ m 1, block by block.
// The method on the exact law (stage/interior_point.h) and that on the cone QP (inner/ipm.h) differ in the meaning of x
// and z and in their linear system; they share scaling, centring and step lengths, which are here.
#pragma once

#include <algorithm>

#include "repose/set/contact_array.h"
#include "repose/set/coupled_slope.h"

namespace repose {

class PrimalDualCones {
 public:
  static constexpr double kToBoundary = 0.995;  ///< limit on a step, as a share of the distance to the boundary

  void claim(int blocks) {
    for (ContactArray* array : {&x, &z, &dx, &dz}) array->claim(blocks);
    scaling.resize(static_cast<std::size_t>(x.packs()));
  }

  /// Returns Σ xᵀz over the lanes for which live(pack) holds.
  template <class Live>
  [[nodiscard]] double total_complementarity(const Live& live) const {
    Pack total{};
    for (int p = 0; p < x.packs(); ++p) total += select(live(p), dot(x.pack(p), z.pack(p)), Pack{});
    return sum(total);
  }

  /// Computes the scaling point of (x, z); `damping` bounds its square (lorentz.h).
  void scale(int p, Pack damping) {
    scaling[static_cast<std::size_t>(p)] = nesterov_todd(x.pack(p), z.pack(p), damping);
  }

  /// Returns the scaled right-hand side s with s ∘ (H z) = centre 1 − (H z) ∘ (H z) − (H⁻¹ dx) ∘ (H dz): Mehrotra's
  /// corrector, with the second-order term of the current direction (dx, dz).
  [[nodiscard]] ContactPack corrector(int p, double centre) const {
    const NesterovTodd<Pack>& H = scaling[static_cast<std::size_t>(p)];
    const ContactPack point = H.root * z.pack(p);
    ContactPack r = broadcast(-1.0) * (jordan(point, point) + jordan(H.inverse_root * dx.pack(p), H.root * dz.pack(p)));
    r.n += centre;
    return jordan_divide(point, r);
  }

  /// Returns 1/α of the longest step that keeps x and z in their cones; zero or less when any step does.
  template <class Live>
  [[nodiscard]] double inverse_step(const Live& live) const {
    Pack inverse{};
    for (int p = 0; p < x.packs(); ++p) {
      const Pack primal = inverse_step_to_boundary(x.pack(p), dx.pack(p));
      const Pack dual = inverse_step_to_boundary(z.pack(p), dz.pack(p));
      inverse = larger(inverse, select(live(p), larger(primal, dual), Pack{}));
    }
    return largest(inverse);
  }
  /// Returns the step, at most 1, for the largest 1/α of all cones and other limits.
  [[nodiscard]] static double step_length(double largest_inverse) {
    return largest_inverse > kToBoundary ? kToBoundary / largest_inverse : 1.0;
  }

  /// Moves by `step`. Lanes that are not live may hold anything, infinity included: they do not move.
  template <class Live>
  void move(double step, const Live& live) {
    const Pack t = broadcast(step);
    for (int p = 0; p < x.packs(); ++p) {
      x.pack(p) = moved(live(p), t, x.pack(p), dx.pack(p));
      z.pack(p) = moved(live(p), t, z.pack(p), dz.pack(p));
    }
  }
  void clear_direction() {
    for (ContactArray* array : {&dx, &dz})
      for (int p = 0; p < array->packs(); ++p) array->pack(p) = {};
  }

  ContactArray x, z, dx, dz;
  AlignedVector<NesterovTodd<Pack>> scaling;

 private:
  [[nodiscard]] static ContactPack moved(PackMask live, Pack t, ContactPack from, ContactPack by) {
    return {select(live, from.t1 + t * by.t1, from.t1), select(live, from.t2 + t * by.t2, from.t2),
            select(live, from.n + t * by.n, from.n)};
  }
};

}  // namespace repose
