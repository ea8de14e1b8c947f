// SPDX-License-Identifier: Apache-2.0
// Gaps as the step may use them: what rounding put into them would otherwise be read as motion.
//
// Between two flat faces the gap is an affine function over the patch, and so is the normal velocity of any rigid
// motion. Rounding breaks this by 1e-12 m or so; a bias that no rigid motion can meet then forces a point of a resting
// patch open. Gaps that are affine up to noise are made affine, and what is left is drawn towards zero by the noise
// level, so that a resting patch reads exactly zero and nothing jumps when it stops doing so.
#pragma once

#include <span>

#include "repose/base/view.h"
#include "repose/collision/contact_point.h"

namespace repose {

/// Share of a patch's size below which a gap is rounding.
inline constexpr double kGapNoise = 1e-9;

/// `gaps[k]` belongs to `points[k]`, all of one manifold with this normal. `noise` in metres.
REPOSE_KERNEL void filter_gaps(View<const ContactPoint> points, Vec3 normal, double noise, View<double> gaps);
inline void filter_gaps(std::span<const ContactPoint> points, Vec3 normal, double noise, std::span<double> gaps) {
  filter_gaps(view_of_all(points), normal, noise, View<double>{gaps.data(), static_cast<int>(gaps.size())});
}

}  // namespace repose
