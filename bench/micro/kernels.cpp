// SPDX-License-Identifier: Apache-2.0
// Kernels over all contacts of a scene; the column per_contact is the time for one of them.
#include "bench/micro/scenes.h"
#include "repose/contact/operators.h"
#include "repose/contact/residual.h"
#include "repose/contact/spectrum.h"
#include "repose/set/alart_curnier.h"
#include "repose/set/coulomb_cone.h"
#include "repose/stage/gauss_seidel.h"

namespace repose::bench {
namespace {

/// Everything that the packed kernels read.
struct Packed {
  explicit Packed(const MicroScene& scene) {
    judge.bind(scene.problem);
    judge.start(scene.lambda);
    out.resize(scene.problem.size());
    slopes.resize(static_cast<std::size_t>(out.packs()));
  }
  Judge judge;
  ContactArray out;
  AlignedVector<ContactSlope<Pack>> slopes;
};

/// v ← W λ: scatter to the bodies, gather at the contacts.
void delassus(benchmark::State& state, const MicroScene& scene) {
  const auto& form = std::get<BodyForm>(scene.problem.form());
  AlignedVector<Pack> y(static_cast<std::size_t>(form.nodes()));
  ContactArray v;
  v.resize(form.size());
  for ([[maybe_unused]] auto _ : state) {
    respond(form, scene.lambda, y);
    gather_all(form, y, v);
    benchmark::DoNotOptimize(v.pack(0));
  }
  count_contacts(state, form.size());
}

/// One sweep of the exact local law, going on from the last.
void gauss_seidel(benchmark::State& state, const MicroScene& scene) {
  GaussSeidel<BodyForm> sweeps;
  sweeps.bind(std::get<BodyForm>(scene.problem.form()), scene.problem);
  sweeps.start(scene.lambda);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(sweeps.sweep_plain());
  count_contacts(state, scene.problem.size());
}

/// The first sweep from zero: every root search starts without a guess.
void gauss_seidel_cold(benchmark::State& state, const MicroScene& scene) {
  GaussSeidel<BodyForm> sweeps;
  sweeps.bind(std::get<BodyForm>(scene.problem.form()), scene.problem);
  ContactArray zero;
  zero.resize(scene.problem.size());
  for ([[maybe_unused]] auto _ : state) {
    state.PauseTiming();
    sweeps.start(zero);
    state.ResumeTiming();
    benchmark::DoNotOptimize(sweeps.sweep_plain());
  }
  count_contacts(state, scene.problem.size());
}

void projection(benchmark::State& state, const MicroScene& scene) {
  Packed data(scene);
  for ([[maybe_unused]] auto _ : state) {
    for (int p = 0; p < data.out.packs(); ++p)
      data.out.pack(p) = project_onto_cone(scene.lambda.pack(p), data.judge.sets().mu().pack(p));
    benchmark::DoNotOptimize(data.out.pack(0));
  }
  count_contacts(state, scene.problem.size());
}

void alart_curnier_slopes(benchmark::State& state, const MicroScene& scene) {
  Packed data(scene);
  const ContactArray v = data.judge.velocity();
  for ([[maybe_unused]] auto _ : state) {
    for (int p = 0; p < data.out.packs(); ++p)
      data.out.pack(p) = alart_curnier(scene.lambda.pack(p), v.pack(p), data.judge.inverse_rho().pack(p),
                                       data.judge.sets().mu().pack(p), data.slopes[static_cast<std::size_t>(p)]);
    benchmark::DoNotOptimize(data.out.pack(0));
  }
  count_contacts(state, scene.problem.size());
}

/// One certificate, the fresh v = W λ + v_f included.
void judge(benchmark::State& state, const MicroScene& scene) {
  Packed data(scene);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(data.judge.certify(scene.lambda));
  count_contacts(state, scene.problem.size());
}

void largest_eigenvalue_of(benchmark::State& state, const MicroScene& scene) {
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(largest_eigenvalue(scene.problem));
  count_contacts(state, scene.problem.size());
}

}  // namespace

void register_contact_kernels() {
  register_scenes("delassus", delassus);
  register_scenes("gauss_seidel", gauss_seidel);
  register_scenes("gauss_seidel_cold", gauss_seidel_cold);
  register_scenes("projection", projection);
  register_scenes("alart_curnier", alart_curnier_slopes);
  register_scenes("judge", judge);
  register_scenes("largest_eigenvalue", largest_eigenvalue_of);
}

}  // namespace repose::bench
