// SPDX-License-Identifier: Apache-2.0
#include "scenes/turntable.h"

#include "repose/base/error.h"
#include "scenes/common.h"

namespace repose::scenes {

const Fields<TurntableOptions>& fields(const TurntableOptions&) {
  using O = TurntableOptions;
  static const Fields<O> table = {
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"speed", &O::speed, -100, 100, "rad/s", "angular speed of the disc after the ramp"},
      {"ramp", &O::ramp, 1e-3, 1e3, "s", "duration of the smooth start"},
      {"radius", &O::radius, 0, 1e3, "m", "distance of the cube from the axis"},
      {"disc_radius", &O::disc_radius, 1e-3, 1e3, "m", "radius of the disc"},
      {"disc_height", &O::disc_height, 1e-3, 1e3, "m", "thickness of the disc"},
      {"size", &O::size, 1e-3, 1e3, "m", "edge of a cube"},
      {"cubes", &O::cubes, 1, 100, "", "cubes on top of each other"},
  };
  return table;
}

Scene turntable(const TurntableOptions& o) {
  SceneBuilder builder = start("turntable", checked("turntable", o), o.mu, o.size, 8);
  require(o.radius < o.disc_radius, "turntable: radius: expected less than disc_radius, ", o.disc_radius, " m, got ",
          o.radius, " m");
  const int disc = builder.add_body({.name = "disc", .pose = {{0, 0, -o.disc_height / 2}, {}}});
  builder.add_shape_cylinder(disc, o.disc_radius, o.disc_height / 2);
  builder.add_motion(disc, RampMotion{.velocity = {}, .angular_velocity = {0, 0, o.speed}, .duration = o.ramp});
  for (int k = 0; k < o.cubes; ++k)
    add_box(builder, k == 0 ? "cube" : "cube-" + std::to_string(k + 1), {o.size, o.size, o.size},
            {{o.radius, 0, (k + 0.5) * o.size}, {}});
  return builder.build();
}

}  // namespace repose::scenes
