// SPDX-License-Identifier: Apache-2.0
// Masonry arches cut into stones, as outlines in the plane y = 0: geometry only, for scenes and for contact problems.
// Metres, z up.
#pragma once

#include <array>
#include <vector>

#include "repose/math/vec3.h"

namespace repose::scenes {

/// Where two stones meet.
struct ArchJoint {
  Vec3 centre;          ///< m
  Vec3 across, normal;  ///< unit vectors: outwards along the joint, and from one stone to the next
};
struct ArchSection {
  double width = 0, depth = 0;  ///< in and out of the plane, m
};

/// n + 1 joints bound n stones of constant section; the first and the last joint are the feet.
struct ArchOutline {
  std::vector<ArchJoint> joints;
  std::vector<ArchSection> sections;
};

/// Semicircle of equal voussoirs around the origin: wedges with flat faces whose corners lie on two circles.
[[nodiscard]] ArchOutline semicircle_outline(int stones, double radius, double thickness, double depth);

/// The weighted catenary of the Rigid-IPC scenes, z = 60 − 57.647 (cosh(1.340209 x/30) − 1) m, cut at equal arc
/// lengths. Every stone has the square section of its lower end: 10 m wide at the feet, 7 m at the crown, linear in
/// height. Its feet are not horizontal; level_foot() makes them so.
[[nodiscard]] ArchOutline catenary_outline(int stones);

/// Corners of stone k: the inner ones at the joint before and after it, then the outer ones after and before it.
using StoneCorners = std::array<Vec3, 4>;
[[nodiscard]] StoneCorners stone_corners(const ArchOutline& outline, int stone);

/// The foot of an end stone (the joint before it, or the one after it) made horizontal at the height of its inner
/// corner: its outer corner moves along the outer edge. This is how the Rigid-IPC arch ends.
[[nodiscard]] StoneCorners level_foot(StoneCorners corners, bool foot_is_first);

/// How far the Rigid-IPC scenes move stone k of n (from 0) away from its place in the closed arch: 0.1 m per joint.
[[nodiscard]] Vec3 exploded_by(int stone, int stones);

/// Area centre of a simple polygon in the plane y = 0.
[[nodiscard]] Vec3 area_centre(const StoneCorners& corners);

}  // namespace repose::scenes
