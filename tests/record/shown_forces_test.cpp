// SPDX-License-Identifier: Apache-2.0
// Which contact forces a recording shows: the solver's, or those of least norm.
#include "repose/record/shown_forces.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "repose/base/error.h"
#include "repose/record/recorder.h"
#include "repose/world/forces.h"
#include "tests/support/recorded_runs.h"

namespace repose {
namespace {

using namespace testing;

class ShownForces : public ::testing::Test {
 protected:
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("repose_shown_" + std::to_string(getpid()) + ".h5");
  void TearDown() override { std::filesystem::remove(path); }
};

/// A long plate on five cubes, and a ball that rolls beside it.
Scene plate_and_ball() {
  Scene scene = empty_scene();
  add_ground(scene);
  for (int k = 0; k < 5; ++k) add_cube(scene, 0.5, {k - 2.0, 0, 0.25});
  add_shape_body(scene, Box{{2.5, 0.25, 0.1}}, {0, 0, 0.6});
  add_shape_body(scene, Sphere{0.3}, {0, 3, 0.3}, {1, 0, 0});
  return scene;
}

double difference(const std::vector<Contact>& shown, const std::vector<ContactVec>& impulses) {
  double largest = 0, worst = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    largest = std::max(largest, norm(impulses[i]));
    worst = std::max(worst, norm(shown[i].lambda - impulses[i]));
  }
  return worst / largest;
}

TEST_F(ShownForces, AreCanonicalWhereBodiesRest) {
  const Scene scene = plate_and_ball();
  const int steps = 40, ball = 7;
  World world(scene);
  std::vector<ContactVec> canonical, solver;
  {
    Recorder recorder(path, world);
    for (int k = 0; k < steps; ++k) recorder.add(world, world.step());
    canonical = canonical_impulses(world);
    for (const Contact& c : world.contacts()) solver.push_back(c.lambda);
  }
  const Recording recording(path);
  const auto last = [&](Forces forces) { return shown_contacts(recording, steps - 5, 5, forces).back(); };
  EXPECT_EQ(difference(last(Forces::kSolver), solver), 0);
  EXPECT_LE(difference(last(Forces::kCanonical), canonical), 1e-8);
  const std::vector<Contact> automatic = last(Forces::kAuto);
  EXPECT_GT(difference(last(Forces::kSolver), canonical), 1e-3) << "the scene tells the two apart";
  for (std::size_t i = 0; i < automatic.size(); ++i) {
    const bool rolls = automatic[i].body_a == ball || automatic[i].body_b == ball;
    const ContactVec expected = rolls ? solver[i] : canonical[i];
    EXPECT_LE(norm(automatic[i].lambda - expected), rolls ? 0 : 1e-8 * norm(expected) + 1e-9) << i;
  }
}

TEST_F(ShownForces, OtherNamesAreRefused) {
  EXPECT_EQ(forces_from_name("canonical", "--forces"), Forces::kCanonical);
  EXPECT_THROW((void)forces_from_name("mine", "--forces"), InputError);
}

}  // namespace
}  // namespace repose
