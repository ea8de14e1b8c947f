// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <cmath>

#include "repose/base/error.h"
#include "repose/base/parameters.h"
#include "repose/base/version.h"
#include "repose/report/run_report_internal.h"
#include "repose/scene/native_json.h"

namespace repose::report {
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

/// {"1e-4": …, "1e-6": …, "1e-8": …}
Json shares(const Summary& s) {
  constexpr const char* kNames[] = {"1e-4", "1e-6", "1e-8"};
  static_assert(std::size(kNames) == kShareLevels.size());
  Json record = Json::object();
  for (std::size_t k = 0; k < kShareLevels.size(); ++k) record[kNames[k]] = s.shares[k];
  return record;
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

Json squeezes(const World& world, const Summary& s) {
  Json doc{{"steps", s.squeezed_steps}};
  if (s.squeezed_steps.empty()) return doc;
  const auto name = [&](int body) { return body < 0 ? "" : world.scene().bodies[static_cast<std::size_t>(body)].name; };
  doc["body"] = name(s.squeeze.body);
  doc["between"] = {name(s.squeeze.between), name(s.squeeze.and_between)};
  doc["lack"] = s.squeeze.lack;
  doc["what"] = squeeze_text(s.squeeze, world.scene());
  return doc;
}

}  // namespace

RunFacts run_facts(const FrictionOptions& solver, int threads) {
  RunFacts facts;
  facts.outer = name(solver.outer);
  facts.inner = has_inner(solver.outer) ? name(solver.inner) : "auto";
  facts.tolerance = solver.tolerance;
  facts.accept = solver.accept;
  facts.budget = solver.budget;
  facts.threads = threads;
  return facts;
}

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
                         {"accept", facts.accept},
                         {"budget", facts.budget},
                         {"threads", facts.threads},
                         {"device", facts.device}});
  doc.put("bodies", Json{{"dynamic", s.dynamic}, {"kinematic", s.kinematic}, {"static", s.fixed}});
  doc.put("contacts", Json{{"median", s.contacts.median}, {"max", s.contacts.max}});
  doc.put("residual", Json{{"r_c", residual_spread(s.r_c)},
                           {"nat", residual_spread(s.nat)},
                           {"r_c_paper", residual_spread(s.r_c_paper)},
                           {"solved_share", s.solved_share},
                           {"accepted_share", s.accepted_share},
                           {"shares", shares(s)},
                           {"accepted_steps", s.accepted_steps},
                           {"unsolved_steps", s.unsolved_steps},
                           {"rounding_steps", s.rounding_steps},
                           {"imprecise_steps", s.imprecise_steps},
                           {"remainder", s.remainder}});
  doc.put("iterations", Json{{"outer", count_spread(s.outer)},
                             {"inner", count_spread(s.inner)},
                             {"work", count_spread(s.work)},
                             {"fallbacks", s.fallbacks}});
  doc.put("ms_per_step", times(s, facts.cpu_ms));
  JsonRecord energy;
  energy.put("start", s.energy_start);
  energy.put("end", s.energy_end);
  energy.put("max_rise", s.energy_rise);
  doc.put("energy", energy.finish());
  doc.put("penetration", Json{{"max", s.penetration}, {"max_share", s.overlap_share}});
  doc.put("recoveries_unsolved", s.recoveries_unsolved);
  doc.put("recovery_residual", s.recovery_residual);
  doc.put("pairs_missed", Json{{"steps", s.missed_steps}, {"pairs", s.pairs_missed}});
  doc.put("squeezes", squeezes(world, s));
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
  line.put("status", to_string(r.status));
  line.put("contacts", r.contacts);
  line.put("contacts_ahead", r.contacts_ahead);
  line.put("islands", r.islands);
  line.put(r.certificate);
  line.put("r_c_paper", r.certificate.paper.worst());
  line.put("remainder", r.remainder);
  line.put("outer", r.outer_iterations);
  line.put("inner", r.inner_iterations);
  line.put("fallbacks", r.fallbacks);
  line.put("work", r.work);
  line.put("recoveries", r.recoveries);
  line.put("recovery_residual", r.recovery_residual);
  line.put("pairs_missed", r.pairs_missed);
  line.put("squeezes", r.squeeze.islands);
  line.put("penetration", r.penetration);
  line.put("overlap_share", r.overlap_share);
  line.put("energy", r.energy);
  line.put("energy_rise", r.energy_rise);
  line.put("ms", Json{{"collide", r.ms.collide},
                      {"assemble", r.ms.assemble},
                      {"solve", r.ms.solve},
                      {"integrate", r.ms.integrate}});
  return line.finish().dump();
}

std::string settings_text(const RunFacts& facts, bool warm_start) {
  return Json{{"outer", facts.outer},    {"inner", facts.inner},   {"tolerance", facts.tolerance},
              {"accept", facts.accept},  {"budget", facts.budget}, {"threads", facts.threads},
              {"warm_start", warm_start}}
      .dump();
}

std::string scene_text(const Scene& scene) {
  try {
    return native_scene_text(scene);
  } catch (const InputError&) {  // motions that are functions
    return {};
  }
}

}  // namespace repose::report
