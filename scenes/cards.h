// SPDX-License-Identifier: Apache-2.0
// Houses of cards in the plane of x and z, cards 2.5 m long and 1.25 m wide along y. SI units.
#pragma once

#include "repose/base/parameters.h"
#include "repose/scene/scene.h"

namespace repose::scenes {

/// n levels have n(3n+1)/2 cards.
/// closed: every contact touches at the start: feet on their inner lower edges, tops edge to edge, flat cards on the
///         outer top edges; neighbours stand L + t/4 apart.
/// dataset: the layout of the Rigid-IPC scenes, in the air at the start; settles within 2 s.
struct CardsOptions {
  int levels = 4;
  std::string variant = "closed";  ///< closed | dataset
  double mu = 0.8;
  double thickness = 0.035;               ///< m; dataset: below 0.0384, above which cards overlap at the start
  double tilt = 25;                       ///< degrees off the vertical; dataset: 25
  bool projectiles = false;               ///< a cube at mid height of each level, from the left
  double projectile_size = 0.5;           ///< m
  double projectile_speed = 15;           ///< m/s
  double projectile_time = 6.7;           ///< s
  double gust = 0;                        ///< sideways push on every card, as a share of its weight, along y
  double gust_time = 1;                   ///< s
  double gust_duration = 0.2;             ///< s
  double load = 0;                        ///< block of 1 m on the top tent, in card masses; 0: none
  double shake = 0;                       ///< m; random offset of every card at the start, either way along each axis
  int seed = 1;                           ///< of the offsets
  std::string edge_normal = "bisecting";  ///< bisecting | face: the normal where the tops of a tent meet
};
[[nodiscard]] const Fields<CardsOptions>& fields(const CardsOptions&);
[[nodiscard]] Scene cards(const CardsOptions& options = {});

}  // namespace repose::scenes
