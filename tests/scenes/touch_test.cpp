// SPDX-License-Identifier: Apache-2.0
// What the contact generator sees at the start: no overlap, and exact touch at as many points as the structure has.
#include <gtest/gtest.h>

#include <cmath>

#include "repose/collision/collision.h"
#include "scenes/registry.h"

namespace repose::scenes {
namespace {

struct Start {
  long touching = 0;   ///< points with |gap| below rounding
  double deepest = 0;  ///< m
};

Start start_of(const Scene& scene, double rounding) {
  std::vector<Collider> colliders;
  std::vector<char> movable;
  std::vector<Pose> poses;
  for (const SceneBody& body : scene.bodies) {
    for (const SceneShape& shape : body.shapes)
      colliders.push_back({static_cast<int>(poses.size()), shape.pose, shape.geometry, shape.group, shape.mask});
    movable.push_back(body.kind == BodyKind::kDynamic);
    poses.push_back(body.pose);
  }
  Collision collision;
  collision.bind(std::move(colliders), std::move(movable));
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    collision.set_present(static_cast<int>(i), scene.bodies[i].present);
  const std::vector<double> margins(poses.size(), scene.margin / 2);
  collision.update(poses, margins);
  Start start;
  for (const ContactPoint& point : collision.points()) {
    start.touching += std::abs(point.gap) < rounding;
    start.deepest = std::min(start.deepest, point.gap);
  }
  return start;
}

struct Case {
  const char* scene;
  ParameterValues values;
  long touching;
  double rounding;  // m, of the structure's size
};

TEST(SceneStart, TouchesExactlyWhereItShould) {
  const Case cases[] = {
      {"incline", {}, 4, 1e-15},
      {"incline", {{"direction", "45"}, {"yaw", "45"}}, 4, 1e-15},
      {"incline", {{"body", "sphere"}}, 1, 1e-15},
      {"backspin", {}, 1, 1e-15},
      {"backspin", {{"drop", "0.1"}}, 0, 1e-15},
      {"turntable", {}, 4, 1e-15},
      {"tipping-box", {}, 4, 1e-15},
      {"painleve-rod", {}, 2, 1e-15},
      {"launched-cube", {}, 4, 1e-15},
      {"stack", {{"count", "10"}}, 40, 1e-14},
      {"stack", {{"count", "3"}, {"twist", "45"}}, 4 + 8 + 8, 1e-14},
      {"arch", {}, 96, 1e-13},
      {"arch", {{"stones", "101"}}, 400, 1e-13},
      {"arch", {{"feet", "free"}}, 96 + 8, 1e-13},
      {"arch", {{"variant", "semicircle"}}, 96, 1e-13},
      {"arch", {{"variant", "exploded"}}, 0, 1e-13},
      {"arch", {{"projectiles", "true"}}, 96, 1e-13},
      {"cards", {{"levels", "1"}}, 6, 1e-13},
      {"cards", {{"levels", "4"}}, 84, 1e-13},  // 3n(n+1)/2 + n(n-1), twice
      {"cards", {{"levels", "10"}}, 510, 1e-13},
      {"cards", {{"variant", "dataset"}}, 0, 1e-13},
      {"dominoes", {{"count", "3"}}, 12, 1e-15},
      {"wall", {{"rows", "1"}, {"columns", "3"}}, 3 * 4 + 2 * 4, 1e-14},
      {"pile", {}, 0, 1e-14},
      {"bin", {}, 0, 1e-14},
      {"bin", {{"grains", "rubble"}}, 0, 1e-14},
      {"hopper", {}, 0, 1e-14},
      {"drum", {{"count", "96"}}, 0, 1e-14},
  };
  for (const Case& c : cases) {
    const Start start = start_of(make(c.scene, c.values), c.rounding);
    std::string name = c.scene;
    for (const auto& [key, value] : c.values) name += " " + key + "=" + value;
    EXPECT_EQ(start.touching, c.touching) << name;
    EXPECT_GE(start.deepest, -c.rounding) << name;
  }
}

}  // namespace
}  // namespace repose::scenes
