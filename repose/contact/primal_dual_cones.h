// SPDX-License-Identifier: Apache-2.0
// The iterate of a primal–dual interior-point method: x and z in Lorentz cones, x ∘ z → σ m 1, block by block.
// The two methods here, on the exact law (stage/interior_point.h) and on the cone QP (inner/ipm.h), differ in what they
// make of x and z and in their linear system; scaling, centring and step lengths are the same and live here.
#pragma once

#include <algorithm>

#include "repose/set/contact_array.h"
#include "repose/set/lorentz.h"

namespace repose {

class PrimalDualCones {
 public:
  static constexpr double kToBoundary = 0.995;  ///< share of the way to a cone's surface that a step may go

  void claim(int blocks) {
    for (ContactArray* array : {&x, &z, &dx, &dz}) array->claim(blocks);
    scaling.resize(static_cast<std::size_t>(x.packs()));
  }

  /// Σ xᵀz over the lanes for which live(pack) holds.
  template <class Live>
  [[nodiscard]] double total_complementarity(const Live& live) const {
    Pack total{};
    for (int p = 0; p < x.packs(); ++p) total += select(live(p), dot(x.pack(p), z.pack(p)), Pack{});
    return sum(total);
  }

  /// The scaling point of (x, z); `damping` bounds its square (lorentz.h).
  void scale(int p, Pack damping) {
    scaling[static_cast<std::size_t>(p)] = nesterov_todd(x.pack(p), z.pack(p), damping);
  }

  /// The scaled right-hand side s with s ∘ (H z) = centre 1 − (H z) ∘ (H z) − (H⁻¹ dx) ∘ (H dz): Mehrotra's corrector,
  /// with the second-order term of the direction (dx, dz) at hand.
  [[nodiscard]] ContactPack corrector(int p, double centre) const {
    const NesterovTodd<Pack>& H = scaling[static_cast<std::size_t>(p)];
    const ContactPack point = H.root * z.pack(p);
    ContactPack r = broadcast(-1.0) * (jordan(point, point) + jordan(H.inverse_root * dx.pack(p), H.root * dz.pack(p)));
    r.n += centre;
    return jordan_divide(point, r);
  }

  /// 1/α of the longest step that keeps x and z in their cones; negative or zero when any step does.
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
  /// The step for the largest 1/α of all cones (and of whatever else limits it), at most 1.
  [[nodiscard]] static double step_length(double largest_inverse) {
    return largest_inverse > kToBoundary ? kToBoundary / largest_inverse : 1.0;
  }

  /// Lanes that are not live may hold anything, infinity included: they do not move.
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
