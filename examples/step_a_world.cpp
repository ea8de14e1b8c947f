// SPDX-License-Identifier: Apache-2.0
// A brick that slides to rest: scene, world, steps, contact forces, certificates.
#include <algorithm>
#include <iostream>

#include "repose/scene/builder.h"
#include "repose/world/world.h"

int main() {
  using namespace repose;
  SceneBuilder b("brick");
  const int stone = b.add_material({.name = "stone", .friction = 0.5});
  b.add_ground_plane(stone);
  const int brick = b.add_body({.name = "brick", .pose = {{0, 0, 0.05}, {}}, .velocity = {1, 0, 0}});
  b.add_shape_box(brick, {0.1, 0.05, 0.05}, {.material = stone});

  World world(b.build());
  double worst = 0;
  for (int k = 0; k < 60; ++k) {
    const StepReport report = world.step();
    worst = std::max(worst, report.certificate.worst());
    if (report.status != StepStatus::kSolved) return 1;
  }
  // The brick stops after v²/(2 μ g) = 102 mm (less what a step of 1/60 s cuts off); the ground then bears its weight.
  std::cout << "stopped after " << world.pose(brick).position.x << " m, the ground bears "
            << world.contact_force(brick).z << " N, worst residual " << worst << '\n';
}
