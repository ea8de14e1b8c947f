// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/settled_pack.h"

#include "bench/suite/measure.h"
#include "bench/suite/schemes_by_name.h"

namespace repose::bench {

problems::SpherePack settled_pack(int n, double mu, const SettleOptions& how, const SuiteOptions& suite) {
  problems::SpherePack pack({.n = n, .mu = mu});
  const auto solver = scheme(how.scheme, "", how.tolerance, how.max_iterations);
  for (int step = 0; step < how.steps && !suite.stopped(); ++step) {
    solver->bind(pack.problem());
    pack.advance(measure(*solver, pack.problem(), pack.warm_start(), {}, suite).lambda);
  }
  return pack;
}

problems::SpherePack kicked(const problems::SpherePack& pack, double speed, int seed) {
  problems::SpherePack copy = pack;
  for (int k = 1; k < seed; ++k) copy.kick(0);  // moves the pack's random numbers on, and nothing else
  copy.kick(speed);
  return copy;
}

}  // namespace repose::bench
