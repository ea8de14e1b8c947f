// SPDX-License-Identifier: Apache-2.0
// Balls that have come to rest in their box: where the cold problems of packs start from.
#pragma once

#include <cstdint>

#include "bench/suite/suite.h"
#include "problems/sphere_pack.h"

namespace repose::bench {

struct SettleOptions {
  const char* scheme = "auto";
  int steps = 45;  ///< of 1/60 s: by then the network of contacts has formed, and still creeps
  double tolerance = 1e-6;
  int max_iterations = 2000;  ///< outer iterations per step: counted, so that packs repeat
};

/// n³ balls dropped into their box, each step solved from the last impulses.
[[nodiscard]] problems::SpherePack settled_pack(int n, double mu, const SettleOptions& how, const SuiteOptions& suite);

/// The pack with every ball kicked at `speed`, m/s; another `seed`, another set of directions.
[[nodiscard]] problems::SpherePack kicked(const problems::SpherePack& pack, double speed, int seed);

}  // namespace repose::bench
