// SPDX-License-Identifier: Apache-2.0
#include "bench/micro/scenes.h"

#include <string>

#include "problems/arch.h"
#include "problems/bricks.h"
#include "problems/cards.h"
#include "problems/sequence.h"
#include "problems/simple.h"
#include "repose/stage/gauss_seidel.h"

namespace repose::bench {
namespace {

using namespace problems;

/// Thirty sweeps from zero.
ContactArray unfinished(const ContactProblem& problem) {
  ContactArray lambda;
  lambda.resize(problem.size());
  GaussSeidel<BodyForm> sweeps;
  sweeps.bind(std::get<BodyForm>(problem.form()), problem);
  sweeps.start(lambda);
  for (int k = 0; k < 30; ++k) sweeps.sweep_plain();
  sweeps.store(lambda);
  return lambda;
}

MicroScene scene(const char* name, Structure structure, const SequenceOptions& kicks) {
  ContactProblem problem = Sequence(std::move(structure), kicks).problem();
  ContactArray lambda = unfinished(problem);
  return {name, std::move(problem), std::move(lambda)};
}

}  // namespace

const std::vector<MicroScene>& micro_scenes() {
  static const std::vector<MicroScene> all = [] {
    const SequenceOptions rest{.rest = 1e-3}, stirred{.random = 1, .random_spin = 2};
    std::vector<MicroScene> made;
    made.push_back(scene("arch-25", arch({.stones = 25}), rest));
    made.push_back(scene("arch-101", arch({.stones = 101}), rest));
    made.push_back(scene("arch-501", arch({.stones = 501}), rest));
    made.push_back(scene("cards-4", cards({.levels = 4}), rest));
    made.push_back(scene("cards-10", cards({.levels = 10}), rest));
    made.push_back(scene("wall_10x12", wall({.rows = 10, .columns = 12}), stirred));
    made.push_back(scene("boxes_6x6x7", pile(), stirred));
    made.push_back(scene("lattice_8", lattice({.n = 8}), stirred));
    return made;
  }();
  return all;
}

void register_scenes(const char* name, void (*kernel)(benchmark::State&, const MicroScene&)) {
  for (const MicroScene& scene : micro_scenes())
    benchmark::RegisterBenchmark((std::string(name) + "/" + scene.name).c_str(),
                                 [kernel, &scene](benchmark::State& state) { kernel(state, scene); });
}

void count_contacts(benchmark::State& state, int contacts) {
  using benchmark::Counter;
  state.counters["contacts"] = contacts;
  state.counters["per_contact"] = Counter(contacts, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

}  // namespace repose::bench
