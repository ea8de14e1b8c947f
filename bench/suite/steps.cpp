// SPDX-License-Identifier: Apache-2.0
// Whole time steps (collide, assemble, solve, integrate) of standing structures, beside native MuJoCo on the same
// scenes.
//   rest    nothing happens: the median step
//   kicked  every body gets a random 1e-3 m/s before each step: the median step
//   impact  the second after the projectiles appear: the 95th percentile, median of five runs with slightly other μ
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "bench/suite/all_benchmarks.h"
#include "bench/suite/cpu_clock.h"
#include "bench/suite/measure.h"
#include "bench/suite/mujoco_peer.h"
#include "bench/suite/text.h"
#include "repose/base/random.h"
#include "repose/world/world.h"
#include "scenes/registry.h"

namespace repose::bench {
namespace {

constexpr int kDraws = 5;
constexpr double kMu = 0.8, kMuStep = 0.002;

struct Steps {
  std::vector<double> ms, collide, assemble, solve, integrate;
  int contacts = 0, unsolved = 0;
  double worst = 0;

  void add(const StepReport& report, double total, double tolerance) {
    ms.push_back(total);
    collide.push_back(report.ms.collide);
    assemble.push_back(report.ms.assemble);
    solve.push_back(report.ms.solve);
    integrate.push_back(report.ms.integrate);
    contacts = std::max(contacts, report.contacts);
    unsolved += !report.certificate.solved(tolerance);
    worst = std::max(worst, report.certificate.worst());
  }
  void add(const Steps& other) {
    const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(ms, other.ms), append(collide, other.collide), append(assemble, other.assemble);
    append(solve, other.solve), append(integrate, other.integrate);
    contacts = std::max(contacts, other.contacts);
    unsolved += other.unsolved;
    worst = std::max(worst, other.worst);
  }
  [[nodiscard]] double p95() const {
    std::vector<double> sorted = ms;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? 0 : sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(0.95 * sorted.size()))];
  }
};

void kick_all(World& world, double speed, Random& random) {
  for (int i = 0; i < static_cast<int>(world.states().size()); ++i) {
    if (world.models()[static_cast<std::size_t>(i)].kind != BodyKind::kDynamic || !world.present(i)) continue;
    const BodyState& state = world.states()[static_cast<std::size_t>(i)];
    const Vec3 kick{random.uniform(-speed, speed), random.uniform(-speed, speed), random.uniform(-speed, speed)};
    world.set_velocity(i, state.velocity + kick, state.angular_velocity);
  }
}

Steps run_plan(const Scene& scene, const StepPlan& plan, double tolerance, const Context& context) {
  WorldOptions options;
  options.solver.tolerance = tolerance;
  World world(scene, options);
  Random random(1);
  Steps steps;
  for (int k = 0; k < plan.settle + plan.steps && !context.stopped(); ++k) {
    if (plan.kick > 0) kick_all(world, plan.kick, random);
    const double begin = thread_cpu_seconds();
    const StepReport report = world.step();
    if (k >= plan.settle) steps.add(report, 1e3 * (thread_cpu_seconds() - begin), tolerance);
  }
  return steps;
}

struct Case {
  const char *title, *scene;
  ParameterValues values;
};

void time_case(const Case& one, const char* mode, const StepPlan& plan, Context& context) {
  context.working_on(fmt::format("{} {}", one.title, mode));
  const double tolerance = context.tolerance(1e-8);
  // A structure under fire is chaotic: one run is one draw, so several that differ a little in μ are made.
  const int draws = plan.impact && !context.options().quick ? kDraws : 1;
  Steps s;
  std::vector<double> p95, peer_p95;
  std::optional<PeerTimes> peer;
  for (int draw = 0; draw < draws; ++draw) {
    ParameterValues values = one.values;
    values["mu"] = fmt::format("{}", kMu + kMuStep * (draw - draws / 2));
    if (plan.impact) values["projectiles"] = "true", values["projectile_time"] = fmt::format("{}", plan.settle / 60.0);
    const Scene scene = scenes::make(one.scene, values);
    const Steps run = run_plan(scene, plan, tolerance, context);
    if (context.stopped()) return;
    s.add(run);
    p95.push_back(run.p95());
    peer = time_mujoco(scene, plan);
    if (peer) peer_p95.push_back(peer->ms_p95);
  }
  const double ours = plan.impact ? median(p95) : median(s.ms);
  const double theirs = !peer ? NAN : plan.impact ? median(peer_p95) : peer->ms_median;
  Json row{{"scene", one.title},
           {"mode", mode},
           {"contacts", s.contacts},
           {"ms", ours},
           {"ms_median", median(s.ms)},
           {"ms_p95", median(p95)},
           {"ms_p95_of_runs", p95},
           {"collide", median(s.collide)},
           {"assemble", median(s.assemble)},
           {"solve", median(s.solve)},
           {"integrate", median(s.integrate)},
           {"steps", s.ms.size()},
           {"unsolved", s.unsolved},
           {"worst", s.worst},
           {"tolerance", tolerance}};
  if (peer) row["mujoco_p95_of_runs"] = peer_p95;
  if (peer) row["mujoco_ms"] = theirs, row["mujoco_contacts"] = peer->contacts, row["ratio"] = ours / theirs;
  context.add_row(
      row, {one.title, mode, std::to_string(s.contacts), short_ms(median(s.collide)), short_ms(median(s.assemble)),
            short_ms(median(s.solve)), short_ms(median(s.integrate)), short_ms(ours),
            fmt::format("{:.0f}", 1e6 * ours / std::max(1, s.contacts)),
            share(static_cast<int>(s.ms.size()) - s.unsolved, static_cast<int>(s.ms.size())), short_residual(s.worst),
            peer ? short_ms(theirs) : "-", peer ? fmt::format("{:.2f}", ours / theirs) : "-"});
}

/// Islands are solved one by one, so separate stacks cost what one costs, times their number.
void time_stacks(int stacks, double& first, Context& context) {
  context.working_on(fmt::format("{} stacks", stacks));
  const Scene scene = scenes::make("stack", {{"count", "10"}, {"stacks", std::to_string(stacks)}});
  const Steps s = run_plan(scene, {.settle = 5, .steps = 20, .kick = 1e-3}, context.tolerance(1e-8), context);
  if (context.stopped()) return;
  const double each = 1e3 * median(s.ms) / stacks;
  if (first == 0) first = each;
  context.add_row({{"stacks", stacks},
                   {"contacts", s.contacts},
                   {"ms", median(s.ms)},
                   {"us_per_stack", each},
                   {"ratio", each / first},
                   {"unsolved", s.unsolved}},
                  {std::to_string(stacks), std::to_string(s.contacts), short_ms(median(s.ms)),
                   fmt::format("{:.1f}", each), fmt::format("{:.2f}", each / first),
                   share(static_cast<int>(s.ms.size()) - s.unsolved, static_cast<int>(s.ms.size()))});
}

}  // namespace

void run_steps(Context& context) {
  context.start_table(
      "Whole steps, one thread, tol 1e-8, dt 1/60 s: medians in ms (impact: 95th percentile of the second after "
      "launch, median of five runs)",
      {{"scene", 8},
       {"mode", 6},
       {"contacts", 4},
       {"collide", 6},
       {"assemble", 6},
       {"solve", 6},
       {"integrate", 6},
       {"step", 6},
       {"ns/contact", 5},
       {"solved", 7},
       {"worst", 6},
       {"MuJoCo", 6},
       {"ratio", 5}});
  const std::vector<Case> cases = {{"cards-4", "cards", {{"levels", "4"}}},
                                   {"cards-5", "cards", {{"levels", "5"}}},
                                   {"cards-10", "cards", {{"levels", "10"}}},
                                   {"arch-25", "arch", {{"stones", "25"}}},
                                   {"arch-101", "arch", {{"stones", "101"}}}};
  const bool quick = context.options().quick;
  const int steps = quick ? 20 : 300;
  for (const Case& one : cases) {
    if (quick && (one.values.begin()->second == "10" || one.values.begin()->second == "101")) continue;
    time_case(one, "rest", {.settle = 120, .steps = steps}, context);
    time_case(one, "kicked", {.settle = 120, .steps = steps, .kick = 1e-3}, context);
    time_case(one, "impact", {.settle = 120, .steps = std::min(steps, 60), .impact = true}, context);
    if (context.stopped()) return;
  }
  context.note(
      "MuJoCo: native mj_step, double, elliptic cones, Newton, impratio 100, the same scenes in the same run.");
  context.start_table("Separate stacks of ten cubes, every cube kicked by 1e-3 m/s before each step",
                      {{"stacks", 6}, {"contacts", 6}, {"ms", 8}, {"us/stack", 6}, {"ratio to 1", 5}, {"solved", 7}});
  double first = 0;
  for (const int stacks : {10, 100, 1000})
    if (!context.stopped() && !(quick && stacks > 100)) time_stacks(stacks, first, context);
}

}  // namespace repose::bench
