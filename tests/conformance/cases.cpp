// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/cases.h"

#include <cmath>
#include <utility>

#include "problems/arch.h"
#include "problems/manufactured.h"
#include "problems/shapes.h"
#include "problems/simple.h"
#include "repose/base/error.h"
#include "repose/base/random.h"
#include "tests/conformance/reference.h"

namespace repose::testing {
namespace {

using problems::Structure;

bool slides(std::span<const ContactVec> lambda, std::span<const ContactVec> v) {
  for (std::size_t i = 0; i < v.size(); ++i)
    if (tangential_norm(lambda[i]) > 0 && tangential_norm(v[i]) > 1e-3) return true;
  return false;
}

Case of(const Structure& structure, double v_accuracy = 1e-6) {
  ContactProblem problem = problems::make_problem(structure);
  const Reference exact = reference_solution(problem);
  require(exact.worst <= 1e-12, structure.name, ": the reference reached ", exact.worst, " only");
  return {std::move(problem), exact.v, slides(exact.lambda, exact.v), v_accuracy};
}

Case manufactured(const problems::ManufacturedOptions& options) {
  problems::Manufactured made = problems::manufactured_problem(options);
  const bool sliding = slides(made.lambda, made.v);
  return {std::move(made.problem), std::move(made.v), sliding};
}

/// For bodies that keep sliding flat: every contact moves with `v` (t1, t2 along x, y).
Case flat(const Structure& structure, ContactVec v) {
  ContactProblem problem = problems::make_problem(structure);
  std::vector<ContactVec> exact(static_cast<std::size_t>(problem.size()), v);
  return {std::move(problem), std::move(exact), true};
}

Structure with_velocity(Structure s, Vec3 linear, Vec3 angular) {
  for (problems::Body& body : s.bodies) body.linear = linear, body.angular = angular;
  return s;
}

/// A unit cube that rests on 4 × 4 points: 48 rows of W, rank 6.
Structure cube_on_grid(double mu, Vec3 velocity) {
  Structure s{.name = "grid", .bodies = {problems::box_body({1, 1, 1}, 1000, {0, 0, 0.5})}};
  for (int x = 0; x < 4; ++x)
    for (int y = 0; y < 4; ++y)
      s.contacts.push_back({kStaticBody, 0, {x / 3.0 - 0.5, y / 3.0 - 0.5, 0}, {0, 0, 1}, 0, mu});
  s.bodies[0].linear = velocity;
  return s;
}

/// A cube of 1000 kg on a slab of 1 kg, both pushed.
Structure heavy_on_light(double mu) {
  Structure s{
      .name = "heavy on light",
      .bodies = {problems::box_body({1, 1, 0.1}, 10, {0, 0, 0.05}), problems::box_body({1, 1, 1}, 1000, {0, 0, 0.6})}};
  problems::add_patch(s, kStaticBody, 0, {}, {0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 1}, mu);
  problems::add_patch(s, 0, 1, {0, 0, 0.1}, {0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 1}, mu);
  s.bodies[0].linear = {0, 0.5, 0};
  s.bodies[1].linear = {1, 0.2, -0.1};
  return s;
}

Structure struck_arch() {
  Structure s = problems::arch({.stones = 11});
  s.bodies[4].linear = {0.2, 0.1, -1};  // the crown
  return s;
}

/// A manufactured answer under a matrix W with a skew part of about 3 %, as public data have it.
Case asymmetric() {
  const problems::Manufactured made = problems::manufactured_problem({.contacts = 10, .mu_min = 0.2, .seed = 5});
  std::vector<DelassusBlock> blocks;
  Random random(2);
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j) {
      const Mat3 block = made.problem.coupling(i, j);
      blocks.push_back({i, j, block});
      if (j <= i || trace(block) == 0) continue;
      Mat3 skew;
      for (auto& row : skew.m)
        for (double& x : row) x = 0.03 * random.uniform(-1, 1);
      blocks.push_back({i, j, skew});
      blocks.push_back({j, i, -1.0 * transpose(skew)});
    }
  const std::vector<double> mu(made.problem.sets().mu().begin(), made.problem.sets().mu().end());
  ContactProblem problem(MatrixForm(10, blocks), std::vector<ContactVec>(10), mu);
  std::vector<ContactVec> v_free(10);
  DelassusOperator W;
  W.bind(problem);
  W.apply(made.lambda, v_free);
  for (std::size_t i = 0; i < 10; ++i) v_free[i] = made.v[i] - v_free[i];
  problem.set_v_free(v_free);
  return {std::move(problem), made.v, slides(made.lambda, made.v)};
}

/// Friction takes μ g h = 0.08 m/s from a speed of √5. (Gauss–Seidel, the reference of the others, cycles here.)
Case grid_slides() {
  const double kept = 1 - 0.5 * 9.81 / 60 / std::hypot(2.0, 1.0);
  return flat(cube_on_grid(0.5, {2, 1, 0}), {2 * kept, kept, 0});
}

struct Named {
  std::string name;
  Case (*make)();
};

const std::vector<Named>& all() {
  using namespace problems;
  static const std::vector<Named> list = {
      {"no_contacts", [] { return Case{}; }},
      {"ball_slips", [] { return of(ball()); }},
      {"ball_leaves",
       [] {
         return of(with_velocity(ball(), {1, 0, 2}, {3, 0, 0}));
       }},
      {"painleve_rod", [] { return of(rod({.mu = 1.6})); }},
      {"painleve_rod_dragged", [] { return of(rod({.mu = 1.6, .slide = -1})); }},
      {"box_sticks", [] { return of(box({.slope = 0.5, .mu = 0.8})); }},
      {"box_slides", [] { return of(box({.slope = 0.5, .mu = 0.3})); }},
      {"box_on_edge",
       [] {
         return of(with_velocity(box({.mu = 0.4}), {0.5, 0.3, 0}, {0.2, 1, 0.4}));
       }},
      {"box_mu_0",
       [] {
         return of(with_velocity(box({.mu = 0}), {1, 1, -0.1}, {0.1, 0.3, 0}));
       }},
      {"box_mu_5",
       [] {
         return of(with_velocity(box({.mu = 5}), {0.3, 0.1, -0.5}, {}));
       }},
      {"grid_sticks",
       [] {
         return of(cube_on_grid(0.5, {0.02, 0.01, 0}));
       }},
      {"grid_slides", [] { return grid_slides(); }},
      {"heavy_on_light", [] { return of(heavy_on_light(0.4), 1e-4); }},
      {"tripods_4", [] { return of(scattered(tripods(4), 0.5, 3)); }},
      {"arch_11", [] { return of(scattered(arch({.stones = 11}), 1e-3, 4)); }},
      {"arch_11_struck", [] { return of(struck_arch()); }},
      {"mixed_12", [] { return manufactured({.contacts = 12, .seed = 7}); }},
      {"mixed_40", [] { return manufactured({.contacts = 40, .mu_min = 0.3, .mu_max = 0.8, .seed = 8}); }},
      {"mixed_mu_0", [] { return manufactured({.contacts = 20, .mu_min = 0, .mu_max = 0, .seed = 9}); }},
      {"mixed_mu_5", [] { return manufactured({.contacts = 4, .mu_min = 5, .mu_max = 5, .seed = 10}); }},
      {"asymmetric", [] { return asymmetric(); }},
  };
  return list;
}

}  // namespace

const std::vector<std::string>& case_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Named& named : all()) list.push_back(named.name);
    return list;
  }();
  return names;
}

Case make_case(const std::string& name) {
  for (const Named& named : all())
    if (named.name == name) return named.make();
  fail("there is no case '", name, "'");
}

Structure tripods(int boxes) {
  Structure s{.name = "tripods"};
  for (int k = 0; k < boxes; ++k) {
    s.bodies.push_back(problems::box_body({0.4, 0.3, 0.1}, 1000, {0, 0, 0.1 * k + 0.05}));
    for (const Vec3 corner : {Vec3{0.2, 0.1, 0}, Vec3{-0.1, 0.15, 0}, Vec3{-0.1, -0.15, 0}})
      s.contacts.push_back({k - 1, k, corner + Vec3{0, 0, 0.1 * k}, {0, 0, 1}, 0, 0.4});
  }
  return s;
}

Structure scattered(Structure s, double speed, std::uint64_t seed) {
  Random random(seed);
  for (problems::Body& body : s.bodies) {
    body.linear = {random.uniform(-speed, speed), random.uniform(-speed, speed), random.uniform(-speed, speed)};
    body.angular = {0, 0, random.uniform(-speed, speed)};
  }
  return s;
}

ContactProblem several_answers() {
  return problems::make_problem(with_velocity(problems::box({.mu = 5}), {2, 1, -0.5}, {0, 1, 1}));
}

}  // namespace repose::testing
