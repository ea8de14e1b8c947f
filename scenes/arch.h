// SPDX-License-Identifier: Apache-2.0
// Masonry arches in the plane of x and z. SI units.
#pragma once

#include "repose/base/parameters.h"
#include "repose/scene/scene.h"

namespace repose::scenes {

/// closed:     the 65 m weighted catenary of the Rigid-IPC scenes with its stones pushed together, feet on the ground
/// exploded:   the same as shipped: neighbours 0.10 … 0.14 m apart, feet 0.1 m above the ground
/// semicircle: equal voussoirs, radius 10 m of the centre line, 1.5 m deep
struct ArchOptions {
  int stones = 25;
  std::string variant = "closed";
  double mu = 0.8;
  double thickness = 0.15;      ///< semicircle only: as a share of the radius
  std::string feet = "pinned";  ///< pinned: the first and the last stone are static; free: they stand on the ground
  bool projectiles = false;
  std::string shot = "crown";    ///< crown: five cubes from above; side: one cube out of the plane at the crown
  double projectile_size = 0;    ///< m; 0: 1, semicircle 0.3
  double projectile_speed = 0;   ///< m/s; 0: 20, semicircle 10
  double projectile_time = 5;    ///< s
  int remove = 0;                ///< stone that disappears, counted from 1; 0: none
  double remove_time = 1;        ///< s
  double shaking = 0;            ///< peak acceleration of ground and pinned feet along x, in g
  double shaking_frequency = 1;  ///< Hz
};
[[nodiscard]] const Fields<ArchOptions>& fields(const ArchOptions&);
[[nodiscard]] Scene arch(const ArchOptions& options = {});

}  // namespace repose::scenes
