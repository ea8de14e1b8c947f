// SPDX-License-Identifier: Apache-2.0
#include "problems/families.h"

#include "problems/arch.h"
#include "problems/bricks.h"
#include "problems/cards.h"
#include "problems/sequence.h"
#include "problems/simple.h"
#include "repose/base/error.h"

namespace repose::problems {
namespace {

constexpr double kSlow = 0.5, kFast = 1, kSpin = 2;  // m/s, m/s, rad/s

struct Recipe {
  const char *name, *summary;
  Structure (*make)(double mu, Random& random);
};

/// Every body gets a velocity of 0.5 to 1 m/s in a random direction and up to 2 rad/s.
Structure stirred(Structure s, Random& random) {
  for (Body& body : s.bodies) {
    body.linear = random_vector(random, kSlow, kFast);
    body.angular = random_vector(random, 0, kSpin);
  }
  return s;
}

Structure random_rod(double mu, Random& random) {
  RodOptions o{.angle = random.uniform(10, 170), .mu = mu};
  o.slide = random.uniform(kSlow, kFast);
  o.fall = random.uniform(0, 1);
  o.spin = random.uniform(-kSpin, kSpin);
  Structure s = rod(o);
  s.bodies[0].linear.y = random.uniform(-1, 1);  // out of the plane as well
  return s;
}

Structure random_sliding_box(double mu, Random& random) {
  BoxOptions o{.slope = random.uniform(0, 0.5), .mu = mu};
  o.length = random.uniform(0.5, 1.5);
  o.width = random.uniform(0.5, 1.5);
  o.height = random.uniform(0.5, 1.5);
  return stirred(box(o), random);
}

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = {
      {"rod", "rod whose tip hits the ground, random angle", random_rod},
      {"sliding_box", "box of random size on a random slope", random_sliding_box},
      {"spheres_27", "27 balls in a lattice, ground and two walls",
       [](double mu, Random& r) { return stirred(lattice({.n = 3, .mu = mu}), r); }},
      {"pile_2x2x3", "12 boxes in 3 shifted layers",
       [](double mu, Random& r) { return stirred(pile({.nx = 2, .ny = 2, .nz = 3, .mu = mu}), r); }},
      {"pile_3x3x4", "36 boxes in 4 shifted layers",
       [](double mu, Random& r) { return stirred(pile({.nx = 3, .ny = 3, .nz = 4, .mu = mu}), r); }},
      {"wall_4x4", "wall of 16 bricks",
       [](double mu, Random& r) { return stirred(wall({.rows = 4, .columns = 4, .mu = mu}), r); }},
      {"arch_15", "arch of 15 stones", [](double mu, Random& r) { return stirred(arch({.stones = 15, .mu = mu}), r); }},
      {"cards_3", "house of cards with 3 levels",
       [](double mu, Random& r) { return stirred(cards({.levels = 3, .mu = mu}), r); }},
  };
  return all;
}

std::vector<Family> describe() {
  std::vector<Family> all;
  for (const Recipe& recipe : recipes()) {
    Random random(1);
    const Structure s = recipe.make(0.5, random);
    all.push_back(
        {recipe.name, recipe.summary, static_cast<int>(s.bodies.size()), static_cast<int>(s.contacts.size())});
  }
  return all;
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> all = describe();
  return all;
}

Structure family_structure(std::string_view name, double mu, std::uint64_t seed) {
  std::string allowed;
  for (const Recipe& recipe : recipes()) {
    Random random(seed);
    if (name == recipe.name) return recipe.make(mu, random);
    allowed += (allowed.empty() ? "" : ", ") + std::string(recipe.name);
  }
  fail("family: expected ", allowed, ", got '", name, "'");
}

ContactProblem family(std::string_view name, double mu, std::uint64_t seed) {
  return make_problem(family_structure(name, mu, seed));
}

}  // namespace repose::problems
