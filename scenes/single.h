// SPDX-License-Identifier: Apache-2.0
// One body on one surface: the scenes with closed-form answers. SI units, z up, every start in exact touch.
#pragma once

#include "repose/base/parameters.h"
#include "repose/scene/scene.h"

namespace repose::scenes {

/// A cube (or a ball) at rest on a slope. After 2 s it has slid d = ½ g (sin − μ cos) t² along it, or not at all.
struct InclineOptions {
  double mu = 0.5;
  double slope = 0.5;         ///< tan of the angle, so that μ = slope sits exactly on the edge of sticking
  double direction = 0;       ///< degrees; which way is down: 0 is +x, 45 makes both tangent axes act
  double yaw = 0;             ///< degrees; the cube turned about the slope's normal
  double size = 1;            ///< m; edge of the cube, diameter of the ball
  std::string body = "cube";  ///< cube | sphere
};
[[nodiscard]] const Fields<InclineOptions>& fields(const InclineOptions&);
[[nodiscard]] Scene incline(const InclineOptions& options = {});

/// A ball with velocity along x and spin about y; v = r ω rolls. It ends at v = (5 v0 + 2 r ω0)/7.
struct BackspinOptions {
  double mu = 0.5;
  double speed = 4;      ///< m/s along x
  double spin = -200;    ///< rad/s about y
  double side_spin = 0;  ///< rad/s about x: the path bends
  double drop = 0;       ///< m between ball and ground
  double radius = 0.25;  ///< m
};
[[nodiscard]] const Fields<BackspinOptions>& fields(const BackspinOptions&);
[[nodiscard]] Scene backspin(const BackspinOptions& options = {});

/// A box that slides along x on flat ground; it tips about its leading edge only if μ > width/height.
struct TippingBoxOptions {
  double mu = 0.5;
  double speed = 4;                                 ///< m/s
  double width = 0.525, depth = 0.525, height = 1;  ///< m, along x, y and z
};
[[nodiscard]] const Fields<TippingBoxOptions>& fields(const TippingBoxOptions&);
[[nodiscard]] Scene tipping_box(const TippingBoxOptions& options = {});

/// A slender rod that slides on its lower tip, away from the side to which it leans. The paradox (no consistent
/// force) needs μ > (1 + 3 cos²)/(3 sin cos), 4/3 at the default angle.
/// The body is a thin box whose tip edge lies exactly half a rod's length from the mass centre, with a thin rod's
/// inertia.
struct PainleveRodOptions {
  double mu = 1.2;
  double slope = 2;         ///< tan of the rod's angle above the ground; 2 is 63.4°
  double speed = 4;         ///< m/s of the tip
  double length = 2;        ///< m
  double thickness = 0.02;  ///< m
};
[[nodiscard]] const Fields<PainleveRodOptions>& fields(const PainleveRodOptions&);
[[nodiscard]] Scene painleve_rod(const PainleveRodOptions& options = {});

/// A cube that slides on flat ground: stops after about v²/(2 μ g), flat all the way.
struct LaunchedCubeOptions {
  double mu = 0.5;
  double size = 0.1;     ///< m
  double speed = 6;      ///< m/s
  double direction = 0;  ///< degrees from +x
};
[[nodiscard]] const Fields<LaunchedCubeOptions>& fields(const LaunchedCubeOptions&);
[[nodiscard]] Scene launched_cube(const LaunchedCubeOptions& options = {});

}  // namespace repose::scenes
