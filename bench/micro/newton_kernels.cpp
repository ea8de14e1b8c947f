// SPDX-License-Identifier: Apache-2.0
// The linear system of one Newton iteration: symbolic analysis, assembly with factorisation, solve.
#include "bench/micro/scenes.h"
#include "repose/contact/newton_system.h"
#include "repose/contact/residual.h"
#include "repose/set/alart_curnier.h"

namespace repose::bench {
namespace {

/// Slopes of the Alart–Curnier map at the scene's impulses, with a hundred times the natural step.
SlopeArray slopes_at(const MicroScene& scene) {
  Judge judge;
  judge.bind(scene.problem);
  judge.start(scene.lambda);
  SlopeArray slopes(static_cast<std::size_t>(scene.lambda.packs()));
  for (int p = 0; p < scene.lambda.packs(); ++p)
    (void)alart_curnier(scene.lambda.pack(p), judge.velocity().pack(p), 100.0 * judge.inverse_rho().pack(p),
                        judge.sets().mu().pack(p), slopes[static_cast<std::size_t>(p)]);
  return slopes;
}

void symbolic(benchmark::State& state, const MicroScene& scene) {
  for ([[maybe_unused]] auto _ : state) {
    NewtonSystem<BodyForm> system;
    benchmark::DoNotOptimize(system.bind(std::get<BodyForm>(scene.problem.form())));
  }
  count_contacts(state, scene.problem.size());
}

void factor(benchmark::State& state, const MicroScene& scene) {
  NewtonSystem<BodyForm> system;
  if (!system.bind(std::get<BodyForm>(scene.problem.form()))) return state.SkipWithError("factor too large");
  const SlopeArray slopes = slopes_at(scene);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(system.factor(slopes));
  count_contacts(state, scene.problem.size());
}

void solve(benchmark::State& state, const MicroScene& scene) {
  NewtonSystem<BodyForm> system;
  const auto& form = std::get<BodyForm>(scene.problem.form());
  if (!system.bind(form) || !system.factor(slopes_at(scene))) return state.SkipWithError("no factor");
  AlignedVector<Pack> b(static_cast<std::size_t>(form.nodes()));
  respond(form, scene.lambda, b);
  AlignedVector<Pack> x = b;
  for ([[maybe_unused]] auto _ : state) {
    x = b;
    system.solve(x);
    benchmark::DoNotOptimize(x[0]);
  }
  count_contacts(state, scene.problem.size());
}

}  // namespace

void register_newton_kernels() {
  register_scenes("newton_symbolic", symbolic);
  register_scenes("newton_factor", factor);
  register_scenes("newton_solve", solve);
}

}  // namespace repose::bench
