// SPDX-License-Identifier: Apache-2.0
// Balls that have come to rest in their box: where the cold problems of packs start from.
#pragma once

#include <cstdint>

#include "bench/suite/suite.h"
#include "problems/sphere_pack.h"

namespace repose::bench {

/// n³ balls after `steps` steps of 1/60 s, each solved by auto to `tolerance` from the last impulses, at most `cap`
/// CPU seconds a step (0: no cap).
[[nodiscard]] problems::SpherePack settled_pack(int n, double mu, int steps, double tolerance, double cap,
                                                const SuiteOptions& suite);

/// The pack with every ball kicked at `speed`, m/s; another `seed`, another set of directions.
[[nodiscard]] problems::SpherePack kicked(const problems::SpherePack& pack, double speed, int seed);

}  // namespace repose::bench
