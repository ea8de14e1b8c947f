// SPDX-License-Identifier: Apache-2.0
// Filters rounding errors out of the gaps of a patch; a step would turn them into motion.
//
// Between two flat faces the gap is an affine function over the patch, and so is the normal velocity of any rigid
// motion. Rounding breaks this by 1e-12 m or so; a bias that no rigid motion can meet then forces a point of a resting
// patch open. Gaps that are affine up to the noise level are replaced by their fitted plane. A soft threshold
// then shrinks all gaps by the noise level: a resting patch has gaps of exactly zero, and the filter is continuous.
#pragma once

#include <span>

#include "repose/collision/collision.h"

namespace repose {

/// Noise level as a share of the patch's size.
inline constexpr double kGapNoise = 1e-9;

/// Writes the filtered gap of points[k] to gaps[k]. All points belong to one manifold with this normal; `noise` in m.
void filter_gaps(std::span<const ContactPoint> points, Vec3 normal, double noise, std::span<double> gaps);

}  // namespace repose
