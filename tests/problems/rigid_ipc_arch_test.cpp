// SPDX-License-Identifier: Apache-2.0
// The catenary arch against the stones of the Rigid-IPC scenes (8 vertices a stone, y up, moved apart).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "problems/arch.h"
#include "problems/shapes.h"
#include "repose/contact/spectrum.h"
#include "tests/support/data.h"

namespace repose::problems {
namespace {

/// A stone in our axes (z up): its outline in the plane y = 0 and its extent along y.
struct Stone {
  Vec3 inner[2], outer[2];  // at the joint before and after it
  double depth;
};

/// Vertices come in pairs ∓ depth/2: inner before, inner after, outer before, outer after.
Stone read_stone(const std::filesystem::path& folder, int number, int stones) {
  std::string name = number < 10 ? "stone-0" : "stone-";
  name += std::to_string(number) + ".obj";
  std::ifstream file(folder / name);
  const double from_crown = number - (stones + 1) / 2.0, dx = 0.1 * from_crown,
               dz = 0.1 * ((stones - 1) / 2.0 - std::abs(from_crown));  // how far the stones were moved apart
  Stone stone{};
  for (int i = 0; i < 8; ++i) {
    std::string v;
    double x = 0, y = 0, z = 0;
    file >> v >> x >> y >> z;
    Vec3* side = i < 4 ? stone.inner : stone.outer;
    side[i % 4 / 2] = {x - dx, 0, y - dz};
    stone.depth = 2 * std::abs(z);
  }
  return stone;
}

Body body_of(const Stone& s) {
  const Vec3 outline[4] = {s.inner[0], s.inner[1], s.outer[1], s.outer[0]};
  return prism_body(outline, s.depth, 1000);
}

/// Joint after stone k: the smaller of the two facing rectangles, its normal along the arch.
void add_joint(Structure& s, const std::vector<Stone>& stones, std::size_t k) {
  const Vec3 p = stones[k].inner[1], q = stones[k].outer[1], r = stones[k + 1].inner[0], t = stones[k + 1].outer[0];
  const bool first = norm(q - p) < norm(t - r);
  const Vec3 inner = first ? p : r, outer = first ? q : t, across = normalized(outer - inner);
  const int a = k == 0 ? kStaticBody : static_cast<int>(k) - 1,
            b = k + 2 == stones.size() ? kStaticBody : static_cast<int>(k);
  add_patch(s, a, b, 0.5 * (inner + outer), 0.5 * (outer - inner),
            {0, std::min(stones[k].depth, stones[k + 1].depth) / 2, 0}, {across.z, 0, -across.x}, 0.8);
}

Structure shipped_arch(int count) {
  const auto folder = testing::data_dir() / "rigid-ipc/meshes/arch" / ("num_stones=" + std::to_string(count));
  std::vector<Stone> stones;
  for (int k = 1; k <= count; ++k) stones.push_back(read_stone(folder, k, count));
  Structure s;
  for (std::size_t k = 1; k + 1 < stones.size(); ++k) s.bodies.push_back(body_of(stones[k]));
  for (std::size_t k = 0; k + 1 < stones.size(); ++k) add_joint(s, stones, k);
  return s;
}

double largest(const Structure& s) { return largest_eigenvalue(make_problem(s), {.accuracy = 1e-9}).largest; }

struct Reference {
  int stones;
  double lambda_max, half_digit;  // 1/kg
};
constexpr double kRaised = 1.16618;  // m
constexpr Reference kReference[] = {
    {25, 1.629e-4, 5e-8}, {101, 7.12e-4, 5e-7}, {501, 3.76e-3, 5e-6}, {951, 7.17e-3, 5e-6}};

TEST(RigidIpcArch, LargestEigenvalueOfTheShippedStones) {
  REPOSE_NEEDS_DATA("rigid-ipc/meshes/arch");
  for (const Reference& r : kReference) EXPECT_NEAR(largest(shipped_arch(r.stones)), r.lambda_max, r.half_digit);
}

TEST(RigidIpcArch, GeneratorMakesTheSameStones) {
  REPOSE_NEEDS_DATA("rigid-ipc/meshes/arch");
  for (const Reference& r : kReference) {
    const Structure made = catenary_arch({.stones = r.stones}), shipped = shipped_arch(r.stones);
    ASSERT_EQ(made.bodies.size(), shipped.bodies.size());
    ASSERT_EQ(made.contacts.size(), shipped.contacts.size());
    // The shipped arch stands as a whole higher: its end stones reach below the end of the centre line.
    const Vec3 raised = shipped.bodies[0].position - made.bodies[0].position;
    EXPECT_NEAR(norm(raised - Vec3{0, 0, kRaised}), 0, 1e-5);
    double moved = 0, heavier = 0;
    for (std::size_t k = 0; k < made.bodies.size(); ++k) {
      moved = std::max(moved, norm(made.bodies[k].position + raised - shipped.bodies[k].position));
      heavier = std::max(heavier, std::abs(made.bodies[k].mass / shipped.bodies[k].mass - 1));
    }
    for (std::size_t i = 0; i < made.contacts.size(); ++i)
      moved = std::max(moved, norm(made.contacts[i].point + raised - shipped.contacts[i].point));
    EXPECT_LT(moved, 1e-4) << r.stones;  // m, of 60: the curve's constants have six digits
    EXPECT_LT(heavier, 1e-5) << r.stones;
    EXPECT_NEAR(largest(made) / largest(shipped), 1, 1e-5);
  }
}

}  // namespace
}  // namespace repose::problems
