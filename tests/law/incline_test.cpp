// SPDX-License-Identifier: Apache-2.0
// A cube on a plane of slope 1/2: it slides with a = g (sin − μ cos) for μ < 1/2 and stays for μ ≥ 1/2.
#include <cmath>

#include "problems/simple.h"
#include "tests/law/stepper.h"

namespace repose::testing {
namespace {

constexpr double kTolerance = 1e-10;
constexpr int kSteps = 120;  // 2 s

/// A unit cube on the plane z = 0 with gravity tilted by arctan(1/2) towards (cos φ, sin φ). The slope is built from
/// (2, 1)/√5 and not from an angle, so that μ = 1/2 lies on the cone.
problems::Structure cube(double mu, double phi) {
  problems::Structure s = problems::box({.mu = mu});
  const double down = 9.81 / std::sqrt(5.0), into = 2 * 9.81 / std::sqrt(5.0);
  s.gravity = {down * std::cos(phi), down * std::sin(phi), -into};
  return s;
}

/// Distance after 2 s: h² a k summed over the steps k.
double stepped_distance(double mu) {
  const double h = 1.0 / 60, acceleration = 9.81 / std::sqrt(5.0) * (1 - 2 * mu);
  return mu < 0.5 ? acceleration * h * h * kSteps * (kSteps + 1) / 2 : 0.0;
}

TEST(Incline, ReferenceIsTheTableOfTheScene) {
  EXPECT_NEAR(stepped_distance(0.3), 3.53898, 1e-5);
  EXPECT_NEAR(stepped_distance(0.49), 0.176949, 1e-6);
}

class InclineMu : public ::testing::TestWithParam<double> {};

TEST_P(InclineMu, CubeSlidesByTheClosedFormInEveryDirection) {
  const double mu = GetParam();
  for (const double phi : {0.5, 0.785398163397448})
    for (const Choice& choice : exact_choices(kTolerance, 5000)) {
      Stepper cube_on_plane(cube(mu, phi), choice.options);
      cube_on_plane.steps(kSteps);
      // On the cone itself fbf and nsgs converge sublinearly (docs/algorithms/fbf.md): the cube creeps, a little.
      const bool slow = (choice.outer == "fbf" || choice.outer == "nsgs") && mu == 0.5;
      EXPECT_LE(cube_on_plane.worst(), slow ? 1e-6 : 10 * kTolerance) << choice.label() << " φ " << phi;
      const Vec3 d = cube_on_plane.position();
      EXPECT_NEAR(d.x, stepped_distance(mu) * std::cos(phi), slow ? 1e-4 : 1e-6) << choice.label() << " φ " << phi;
      EXPECT_NEAR(d.y, stepped_distance(mu) * std::sin(phi), slow ? 1e-4 : 1e-6) << choice.label() << " φ " << phi;
      EXPECT_LE(cube_on_plane.highest_gap(), slow ? 1e-7 : 1e-9) << choice.label();
    }
}

INSTANTIATE_TEST_SUITE_P(Friction, InclineMu, ::testing::Values(0.3, 0.49, 0.5, 0.51),
                         [](const auto& mu) { return "mu_0_" + std::to_string(std::lround(100 * mu.param)); });

TEST(Incline, RelaxedCubeLiftsOffAsItSlides) {
  for (const double phi : {0.0, 0.785398163397448}) {
    const ContactProblem problem = problems::make_problem(cube(0.3, phi));
    const Solution found = solve(problem, relaxed(kTolerance));
    EXPECT_EQ(found.report.status, Status::kConverged);
    EXPECT_GT(found.report.certificate.worst(), 1e-2) << "the exact law's certificate must show the artefact";
    for (const ContactVec& v : found.v) {
      EXPECT_GT(tangential_norm(v), 1e-3);
      EXPECT_NEAR(v.n, 0.3 * tangential_norm(v), 1e-8 * tangential_norm(v));
    }
  }
}

TEST(Incline, RelaxedCubeFailsTheTestOfTheGap) {
  Stepper cube_on_plane(cube(0.3, 0), relaxed(kTolerance));
  cube_on_plane.steps(kSteps);
  EXPECT_GT(cube_on_plane.highest_gap(), 1e-4);
}

}  // namespace
}  // namespace repose::testing
