// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/run_report.h"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "apps/cli/option_checks.h"
#include "repose/base/version.h"

namespace repose::cli {
namespace {

Json list(Vec3 v) { return Json::array({v.x, v.y, v.z}); }
Json list(Quat q) { return Json::array({q.w, q.x, q.y, q.z}); }

/// "25" becomes a number, "true" a flag, all else stays a text.
Json parameter_value(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  const std::optional<double> number = parse_number(text);
  if (!number) return text;
  if (*number == std::floor(*number) && std::abs(*number) < 1e15) return static_cast<long long>(*number);
  return *number;
}

Json residual_spread(const Spread& s) {
  JsonRecord record;
  record.put("median", s.median);
  record.put("p99", s.p99);
  record.put("max", s.max);
  return record.finish();
}

Json count_spread(const Spread& s) {
  JsonRecord record;
  record.put("median", s.median);
  record.put("p95", s.p95);
  record.put("max", s.max);
  return record.finish();
}

Json times(const Summary& s, double cpu_ms) {
  JsonRecord record;
  record.put("median", s.ms.median);
  record.put("p95", s.ms.p95);
  record.put("max", s.ms.max);
  record.put("mean", s.ms.mean);
  if (cpu_ms > 0 && s.steps > 0) record.put("cpu_mean", cpu_ms / s.steps);
  record.put("collide", s.collide.median);
  record.put("assemble", s.assemble.median);
  record.put("solve", s.solve.median);
  record.put("integrate", s.integrate.median);
  return record.finish();
}

Json outcome(const BodyOutcome& body) {
  JsonRecord record;
  record.put("name", body.name);
  record.put("position", list(body.position));
  record.put("quaternion", list(body.quaternion));
  record.put("velocity", list(body.velocity));
  record.put("angular_velocity", list(body.angular_velocity));
  record.put("displacement", body.displacement);
  record.put("max_displacement", body.max_displacement);
  record.put("tilt_deg", body.tilt_deg);
  record.put("last_second_speed", body.last_second_speed);
  return record.finish();
}

std::string row(const char* name, const std::string& median, const std::string& high, const std::string& most) {
  return fmt::format("{:<18}{:>10}{:>10}{:>10}", name, median, high, most);
}

}  // namespace

double peak_memory_mib() {
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<double>(usage.ru_maxrss) / 1024 : 0.0;  // KiB on Linux
}

Json run_document(const World& world, const Summary& s, const RunFacts& facts) {
  JsonRecord doc;
  doc.put("repose", std::string(kVersion));
  doc.put("scene", world.scene().name);
  Json parameters = Json::object();
  for (const auto& [key, value] : world.scene().parameters) parameters[key] = parameter_value(value);
  doc.put("parameters", parameters);
  doc.put("dt", world.scene().dt);
  doc.put("steps", s.steps);
  doc.put("time", s.time);
  doc.put("ended", facts.ended);
  doc.put("solver", Json{{"outer", facts.outer},
                         {"inner", facts.inner},
                         {"tolerance", facts.tolerance},
                         {"threads", facts.threads},
                         {"device", facts.device}});
  doc.put("bodies", Json{{"dynamic", s.dynamic}, {"kinematic", s.kinematic}, {"static", s.fixed}});
  doc.put("contacts", Json{{"median", s.contacts.median}, {"max", s.contacts.max}});
  doc.put("residual", Json{{"r_c", residual_spread(s.r_c)},
                           {"nat", residual_spread(s.nat)},
                           {"solved_share", s.solved_share},
                           {"unsolved_steps", s.unsolved_steps}});
  doc.put("iterations",
          Json{{"outer", count_spread(s.outer)}, {"inner", count_spread(s.inner)}, {"fallbacks", s.fallbacks}});
  doc.put("ms_per_step", times(s, facts.cpu_ms));
  JsonRecord energy;
  energy.put("start", s.energy_start);
  energy.put("end", s.energy_end);
  energy.put("max_rise", s.energy_rise);
  doc.put("energy", energy.finish());
  doc.put("penetration", Json{{"max", s.penetration}});
  doc.put("recoveries_unsolved", s.recoveries_unsolved);
  doc.put("peak_memory_mib", peak_memory_mib());
  doc.put("reactions", Json{{"ground", list(s.ground)}});
  Json final = Json::array();
  for (const BodyOutcome& body : s.final) final.push_back(outcome(body));
  doc.put("final", final);
  doc.put("state_hash", s.state_hash);
  return doc.finish();
}

std::string step_line(const StepReport& r) {
  JsonRecord line;
  line.put("step", r.step);
  line.put("time", r.time);
  line.put("solved", r.status == StepStatus::kSolved);
  line.put("contacts", r.contacts);
  line.put("contacts_ahead", r.contacts_ahead);
  line.put("islands", r.islands);
  line.put(r.certificate);
  line.put("r_c_paper", r.certificate.paper.worst());
  line.put("outer", r.outer_iterations);
  line.put("inner", r.inner_iterations);
  line.put("fallbacks", r.fallbacks);
  line.put("recoveries", r.recoveries);
  line.put("penetration", r.penetration);
  line.put("energy", r.energy);
  line.put("energy_rise", r.energy_rise);
  line.put("ms", Json{{"collide", r.ms.collide},
                      {"assemble", r.ms.assemble},
                      {"solve", r.ms.solve},
                      {"integrate", r.ms.integrate}});
  return line.finish().dump();
}

void print_head(const Console& console, const World& world, int steps, const RunFacts& facts) {
  int dynamic = 0;
  for (const BodyModel& model : world.models()) dynamic += model.kind == BodyKind::kDynamic;
  console.line(fmt::format("{}  {} · {} of {:g} s · {} · outer {}{} · tolerance {}",
                           console.paint(Style::kBold, fmt::format("repose {}", kVersion)), world.scene().name,
                           counted(static_cast<std::size_t>(steps), "step"), world.scene().dt,
                           dynamic == 1 ? "1 moving body" : fmt::format("{} moving bodies", dynamic), facts.outer,
                           facts.inner == "auto" ? "" : " · inner " + facts.inner, short_power(facts.tolerance)));
}

void print_certificate(const Console& console, const Summary& s, const RunFacts& facts) {
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
  const std::size_t solved = static_cast<std::size_t>(s.steps) - s.unsolved_steps.size();
  const Style style = s.unsolved_steps.empty() ? Style::kGood : Style::kWarn;
  console.line(console.paint(style, fmt::format("{} of {} solved to {}", solved,
                                                counted(static_cast<std::size_t>(s.steps), "step"),
                                                short_power(facts.tolerance))) +
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

std::string unsolved_text(const Summary& s, const RunFacts& facts) {
  constexpr std::size_t kShown = 5;
  std::string steps;
  for (std::size_t k = 0; k < std::min(kShown, s.unsolved_steps.size()); ++k)
    steps += (k ? ", " : "") + std::to_string(s.unsolved_steps[k]);
  if (s.unsolved_steps.size() > kShown) steps += ", …";
  return fmt::format("NOT SOLVED: {} of {} above {} (step {}); the worst at {}", s.unsolved_steps.size(),
                     counted(static_cast<std::size_t>(s.steps), "step"), short_power(facts.tolerance), steps,
                     short_residual(std::max(s.r_c.max, s.nat.max)));
}

}  // namespace repose::cli
