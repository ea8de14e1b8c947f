// SPDX-License-Identifier: Apache-2.0
// Filters rounding errors out of the gaps of a patch; a step would turn them into motion.
//
// Between two flat faces the gap is an affine function over the patch, and so is the normal velocity of any rigid
// motion. Rounding errors disturb this by about 1e-12 m; a bias that no rigid motion satisfies then opens a point of a
// patch at rest. Gaps that are affine up to the noise level are replaced by their fitted plane. A soft threshold
// then shrinks all gaps by the noise level: a resting patch has gaps of exactly zero, and the filter is continuous.
#pragma once

#include <span>

#include "repose/base/view.h"
#include "repose/collision/contact_point.h"

namespace repose {

/// Noise level as a share of the patch's size.
inline constexpr double kGapNoise = 1e-9;

/// Writes the filtered gap of points[k] to gaps[k]. All points belong to one manifold with this normal; `noise` in m.
REPOSE_KERNEL void filter_gaps(View<const ContactPoint> points, Vec3 normal, double noise, View<double> gaps);
inline void filter_gaps(std::span<const ContactPoint> points, Vec3 normal, double noise, std::span<double> gaps) {
  filter_gaps(view_of_all(points), normal, noise, View<double>{gaps.data(), static_cast<int>(gaps.size())});
}

}  // namespace repose
