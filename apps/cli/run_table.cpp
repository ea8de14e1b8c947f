// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/run_table.h"

#include <fmt/core.h>

#include <algorithm>

#include "repose/base/version.h"

namespace repose::cli {
namespace {

std::string row(const char* name, const std::string& median, const std::string& high, const std::string& most) {
  return fmt::format("{:<18}{:>10}{:>10}{:>10}", name, median, high, most);
}

/// "3, 7, 8, 9, 10, …"
std::string first_few(const std::vector<int>& steps) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t k = 0; k < std::min(kShown, steps.size()); ++k) text += (k ? ", " : "") + std::to_string(steps[k]);
  return steps.size() > kShown ? text + ", …" : text;
}

}  // namespace

void print_head(const Console& console, const World& world, int steps, const report::RunFacts& facts) {
  int dynamic = 0;
  for (const BodyModel& model : world.models()) dynamic += model.kind == BodyKind::kDynamic;
  console.line(fmt::format("{}  {} · {} of {:g} s · {} · outer {}{} · tolerance {}",
                           console.paint(Style::kBold, fmt::format("repose {}", kVersion)), world.scene().name,
                           counted(static_cast<std::size_t>(steps), "step"), world.scene().dt,
                           dynamic == 1 ? "1 moving body" : fmt::format("{} moving bodies", dynamic), facts.outer,
                           facts.inner == "auto" ? "" : " · inner " + facts.inner, short_power(facts.tolerance)));
}

void print_certificate(const Console& console, const Summary& s, const report::RunFacts& facts) {
  const auto count = [](double x) { return fmt::format("{:g}", x); };
  console.line();
  console.line(console.paint(Style::kDim, row("per step", "median", "p99", "max")));
  console.line(row("r_c", short_residual(s.r_c.median), short_residual(s.r_c.p99), short_residual(s.r_c.max)));
  console.line(row("nat", short_residual(s.nat.median), short_residual(s.nat.p99), short_residual(s.nat.max)));
  console.line(row("contacts", count(s.contacts.median), count(s.contacts.p99), count(s.contacts.max)));
  console.line(row("outer iterations", count(s.outer.median), count(s.outer.p99), count(s.outer.max)));
  console.line(row("ms", short_ms(s.ms.median), short_ms(s.ms.p99), short_ms(s.ms.max)) +
               console.paint(Style::kDim, fmt::format("   collide {}, assemble {}, solve {}, integrate {}",
                                                      short_ms(s.collide.median), short_ms(s.assemble.median),
                                                      short_ms(s.solve.median), short_ms(s.integrate.median))));
  console.line();
  const std::size_t missed = s.accepted_steps.size() + s.unsolved_steps.size();
  std::string solved = fmt::format("{} of {} solved to {}", static_cast<std::size_t>(s.steps) - missed,
                                   counted(static_cast<std::size_t>(s.steps), "step"), short_power(facts.tolerance));
  if (missed > 0 && facts.accept > facts.tolerance)
    solved += fmt::format(", {} accepted to {}, {} unsolved", s.accepted_steps.size(), short_power(facts.accept),
                          s.unsolved_steps.size());
  console.line(console.paint(missed == 0 ? Style::kGood : Style::kWarn, solved) +
               fmt::format(" · deepest overlap {} m · energy {:.6g} → {:.6g} J, largest rise {} J",
                           short_residual(s.penetration), s.energy_start, s.energy_end, short_residual(s.energy_rise)));
  double moved = 0, speed = 0;
  for (const BodyOutcome& body : s.final) {
    moved = std::max(moved, body.max_displacement);
    speed = std::max(speed, body.last_second_speed);
  }
  console.line(fmt::format("largest displacement {} m · fastest in the last second {} m/s · state {}",
                           short_residual(moved), short_residual(speed), s.state_hash));
  console.line(console.paint(
      Style::kDim, "r_c: distance from the exact Coulomb law   nat: error of the impulses   (relative, 0 is exact)"));
}

std::string accepted_text(const Summary& s, const report::RunFacts& facts) {
  return fmt::format("accepted: {} of {} above {}, within {} (step {})", s.accepted_steps.size(),
                     counted(static_cast<std::size_t>(s.steps), "step"), short_power(facts.tolerance),
                     short_power(facts.accept), first_few(s.accepted_steps));
}

std::string rounding_text(const Summary& s, const report::RunFacts& facts) {
  return fmt::format(
      "rounding: in {} of them the last digit of the largest impulses moves the lightest body by more than {}",
      s.rounding_steps.size(), short_power(facts.tolerance));
}

std::string imprecise_text(const Summary& s) {
  return fmt::format(
      "SELF-STRESS: in {} of them (step {}) impulses are so large that the residual leaves velocities up to {} of a "
      "contact's own wrong",
      s.imprecise_steps.size(), first_few(s.imprecise_steps), short_residual(s.remainder));
}

std::string unsolved_text(const Summary& s, const report::RunFacts& facts) {
  return fmt::format("NOT SOLVED: {} of {} to {} (step {}); the worst at {}", s.unsolved_steps.size(),
                     counted(static_cast<std::size_t>(s.steps), "step"), short_power(limit_of(facts)),
                     first_few(s.unsolved_steps), short_residual(std::max(s.r_c.max, s.nat.max)));
}

std::string missed_text(const Summary& s) {
  return fmt::format("MISSED: in {} of {} (step {}) {} met so fast that they overlapped and got no contact",
                     s.missed_steps.size(), counted(static_cast<std::size_t>(s.steps), "step"),
                     first_few(s.missed_steps), counted(static_cast<std::size_t>(s.pairs_missed), "pair"));
}

std::string squeezed_text(const Summary& s, const Scene& scene) {
  return fmt::format("SQUEEZED: in {} of {} (step {}) prescribed motions leave no room; at most {}",
                     s.squeezed_steps.size(), counted(static_cast<std::size_t>(s.steps), "step"),
                     first_few(s.squeezed_steps), squeeze_text(s.squeeze, scene));
}

}  // namespace repose::cli
