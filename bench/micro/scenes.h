// SPDX-License-Identifier: Apache-2.0
// Problems that the kernel timings share, made once each.
#pragma once

#include <benchmark/benchmark.h>

#include <vector>

#include "repose/contact/problem.h"
#include "repose/set/contact_array.h"

namespace repose::bench {

struct MicroScene {
  const char* name;
  ContactProblem problem;
  ContactArray lambda;  ///< impulses of an unfinished solve: some contacts open, some stick, some slide
};

/// arch-25, arch-101, arch-501, cards-4, cards-10, wall 10x12, boxes 6x6x7, lattice of 8³ balls.
[[nodiscard]] const std::vector<MicroScene>& micro_scenes();

/// Registers `kernel` for every scene.
void register_scenes(const char* name, void (*kernel)(benchmark::State&, const MicroScene&));

/// Adds the columns "contacts" and "per_contact", the time for one of them, s.
void count_contacts(benchmark::State& state, int contacts);

}  // namespace repose::bench
