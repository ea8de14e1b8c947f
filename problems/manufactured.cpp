// SPDX-License-Identifier: Apache-2.0
#include "problems/manufactured.h"

#include <cmath>
#include <numbers>

#include "problems/sequence.h"
#include "problems/shapes.h"
#include "repose/math/scalar.h"

namespace repose::problems {
namespace {

struct Answer {
  ContactVec lambda, v;
};

/// One body per contact, so that the Jacobian has full row rank: contact i holds body i against an earlier one or
/// against the ground.
Structure random_chain(int contacts, Random& random) {
  Structure s{.name = "manufactured"};
  for (int i = 0; i < contacts; ++i) {
    const Vec3 size{random.uniform(0.5, 1.5), random.uniform(0.5, 1.5), random.uniform(0.5, 1.5)};
    const Vec3 centre = random_vector(random, 0, 2);
    s.bodies.push_back(box_body(size, 1, centre, rotation_y(random.uniform(0, 3))));
    const int other = static_cast<int>(random.uniform(0, i + 1)) - 1;
    s.contacts.push_back({other, i, centre + random_vector(random, 0.2, 0.7), random_vector(random, 1, 1)});
  }
  return s;
}

Answer random_answer(const ManufacturedOptions& o, double mu, Random& random) {
  const double mode = random.uniform(), angle = random.uniform(0, 2 * std::numbers::pi);
  const double n = random.uniform(0.5, 2), speed = random.uniform(0.1, 1), share = random.uniform(0, 0.9);
  const double c = cosine(angle), s = sine(angle);
  if (mode < o.separating) return {{}, {speed * c, speed * s, n}};
  if (mode < o.separating + o.sliding) return {{-mu * n * c, -mu * n * s, n}, {speed * c, speed * s, 0}};
  return {{share * mu * n * c, share * mu * n * s, n}, {}};
}

}  // namespace

const Fields<ManufacturedOptions>& fields(const ManufacturedOptions&) {
  using O = ManufacturedOptions;
  static const Fields<O> table = {
      {"contacts", &O::contacts, 1, 1e6, "", "contacts, and bodies"},
      {"mu_min", &O::mu_min, 0, 100, "", "smallest friction coefficient"},
      {"mu_max", &O::mu_max, 0, 100, "", "largest friction coefficient"},
      {"separating", &O::separating, 0, 1, "", "share of separating contacts"},
      {"sliding", &O::sliding, 0, 1, "", "share of sliding contacts"},
  };
  return table;
}

Manufactured manufactured_problem(const ManufacturedOptions& options) {
  checked("manufactured", options);
  check_range("manufactured", "mu_max", options.mu_max, options.mu_min, 100, "");
  check_range("manufactured", "separating + sliding", options.separating + options.sliding, 0, 1, "");
  Random random(options.seed);
  Structure structure = random_chain(options.contacts, random);
  Manufactured made;
  for (Contact& contact : structure.contacts) {
    contact.mu = random.uniform(options.mu_min, options.mu_max);
    const Answer answer = random_answer(options, contact.mu, random);
    made.lambda.push_back(answer.lambda);
    made.v.push_back(answer.v);
  }
  made.problem = make_problem(structure);
  DelassusOperator W;
  W.bind(made.problem);
  std::vector<ContactVec> v_free(made.v.size());
  W.apply(made.lambda, v_free);
  for (std::size_t i = 0; i < v_free.size(); ++i) v_free[i] = made.v[i] - v_free[i];
  made.problem.set_v_free(v_free);
  return made;
}

}  // namespace repose::problems
