// SPDX-License-Identifier: Apache-2.0
// Solves a masonry arch under its own weight and prints, joint by joint, where the resultant force passes: the line of
// thrust, as comma-separated values (joint, centre x z, thrust x z, force x z in kN, share of friction used).
//   line_of_thrust [stones] > thrust.csv
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "problems/arch.h"
#include "problems/structure.h"
#include "repose/base/error.h"
#include "repose/scheme/solve.h"

int main(int argc, char** argv) try {
  using namespace repose;
  const int stones = argc > 1 ? std::atoi(argv[1]) : 25;
  const problems::Structure arch = problems::arch({.stones = stones});
  const ContactProblem problem = problems::make_problem(arch);

  const Solution found = solve(problem, {.tolerance = 1e-10});
  std::fprintf(stderr, "%d contacts, %s: r_c %.1e, nat %.1e\n", problem.size(), to_string(found.report.status),
               found.report.certificate.r_c(), found.report.certificate.nat);

  std::puts("joint,centre_x,centre_z,thrust_x,thrust_z,force_x,force_z,friction_used");
  for (std::size_t first = 0; first < arch.contacts.size(); first += 4) {  // four contacts a joint
    Vec3 centre, thrust, force;
    double pressure = 0, used = 0;
    for (std::size_t i = first; i < first + 4; ++i) {
      const auto& contact = arch.contacts[i];
      const ContactVec l = found.lambda[i];
      const auto [t1, t2] = tangents(contact.normal);
      centre = centre + 0.25 * contact.point;
      thrust = thrust + l.n * contact.point;
      force = force + (1e-3 / arch.h) * (l.t1 * t1 + l.t2 * t2 + l.n * contact.normal);
      pressure += l.n;
      if (l.n > 0) used = std::max(used, tangential_norm(l) / (contact.mu * l.n));
    }
    thrust = (1 / pressure) * thrust;
    std::printf("%zu,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.4f\n", first / 4, centre.x, centre.z, thrust.x, thrust.z, force.x,
                force.z, used);
  }
  return found.report.status == Status::kConverged ? 0 : 3;
} catch (const repose::InputError& error) {
  std::fprintf(stderr, "line_of_thrust: %s\n", error.what());
  return 1;
}
