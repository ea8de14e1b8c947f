// SPDX-License-Identifier: Apache-2.0
// gpu-check [trace|bits|small|rates|quick|all|counts|scenes|large|paper] [SCENE] [FOLDER] [KICK] [WORLDS]: compares a
// device with the host bit by bit and measures its rates, with KICK and WORLDS those of this kick and so many worlds
// alone (bits: 30 steps of them); `counts` needs no device. FOLDER has robots of the MuJoCo Menagerie, which
// are run besides where it is given. `scenes - FOLDER` writes the scenes there for warp_peers.py and paper_table.py.
// `large` solves one large problem after the other, those stored in FOLDER besides (large_runs.h), `large-device` and
// `large-processor` are its halves. `paper` runs one world of each scene of the paper's table of GPU times for 10 s.
// One JSON object a line.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>

#include "bench/gpu/gpu_runs.h"
#include "bench/gpu/large_runs.h"
#include "bench/provenance/provenance.h"
#include "repose/base/error.h"
#include "repose/batch/device_info.h"
#include "repose/scene/native_json.h"

namespace repose::bench {
namespace {

void print(const BitCheck& c) {
  std::printf(
      "{\"check\": \"bits\", \"scene\": \"%s\", \"kick\": %g, \"worlds\": %d, \"steps\": %d, \"unequal\": %d, "
      "\"unequal_twins\": %d, \"finished\": %lld}\n",
      c.scene.c_str(), c.kick, c.worlds, c.steps, c.unequal, c.unequal_twins, static_cast<long long>(c.finished));
  std::fflush(stdout);
}

/// Kicks of a scene, m/s; of a robot whether its controls move.
std::vector<double> kicks_of(const GpuScene& scene, std::vector<double> kicks, const std::string& only) {
  if (scene.robot) kicks = {0, 1};
  if (!only.empty()) std::erase_if(kicks, [&](double kick) { return kick != std::stod(only); });
  return kicks;
}

/// What is run: the scenes and, where their folder is given, robots.
std::vector<GpuScene> all_scenes(const std::string& robots) {
  std::vector<GpuScene> scenes = gpu_scenes();
  if (robots.empty()) return scenes;
  for (GpuScene& robot : gpu_robots(robots)) scenes.push_back(std::move(robot));
  return scenes;
}

/// Writes the scenes that other engines are timed on, with every mass spelled out.
int write_scenes(const std::string& folder) {
  std::vector<PaperScene> scenes = paper_scenes();
  for (const GpuScene& from : gpu_scenes())
    if (from.name.find(' ') == std::string::npos) scenes.push_back({from.name, from.name, from.scene});
  for (const PaperScene& from : scenes) {
    Scene scene = from.scene;
    for (SceneBody& body : scene.bodies) {
      if (body.kind != BodyKind::kDynamic || body.mass) continue;
      MassProperties all;
      for (const SceneShape& shape : body.shapes)
        all = joined(all, moved(mass_properties(shape.geometry, shape.density), shape.pose));
      body.mass = all;
    }
    write_native_scene(folder + "/" + from.file + ".json", scene);
  }
  return 0;
}

int trace() {
  int found = 0;
  for (const GpuScene& scene : gpu_scenes())
    for (const double kick : {1e-3, 0.05, 0.3}) {
      const Difference d = first_difference(scene, kick, 8, 200);
      std::printf(
          "{\"check\": \"trace\", \"scene\": \"%s\", \"kick\": %g, \"step\": %d, \"world\": %d, \"what\": \"%s\"}\n",
          scene.name.c_str(), kick, d.step, d.world, d.what.c_str());
      std::fflush(stdout);
      found += d.step >= 0;
    }
  return found > 0;
}

void print(const GpuRate& r) {
  const auto per_step = [&](std::int64_t x) { return static_cast<double>(x) / static_cast<double>(r.report.steps); };
  std::printf(
      "{\"scene\": \"%s\", \"kick\": %g, \"worlds\": %d, \"steps\": %d, \"threads\": %d, \"state_bytes\": %d, "
      "\"work_bytes\": %d, \"world_steps_per_second\": %.4g, \"device_rate\": %.4g, \"solved\": %lld, \"of\": %lld, "
      "\"finished\": %lld, \"overlap\": %lld, \"capacity\": %lld, \"look_ahead\": %lld, \"warm\": %.3f, \"newton\": "
      "%.3f, \"factors\": %.3f, \"contacts\": %.1f, \"worst\": %.2g, "
      "\"stopped\": %d}\n",
      r.scene.c_str(), r.kick, r.worlds, r.steps, r.threads, r.state_bytes, r.work_bytes, r.rate(),
      r.device_seconds > 0 ? static_cast<double>(r.report.steps) / r.device_seconds : 0.0,
      static_cast<long long>(r.report.solved), static_cast<long long>(r.report.steps),
      static_cast<long long>(r.report.finished), static_cast<long long>(r.report.overlaps),
      static_cast<long long>(r.report.exceeded), static_cast<long long>(r.report.ahead), per_step(r.report.warm),
      per_step(r.report.newton), per_step(r.report.factors), per_step(r.report.contacts), r.report.worst,
      r.report.stopped);
  std::fflush(stdout);
}

/// The first line: where the numbers come from.
void print_origin() {
  std::string why;
  const std::vector<DeviceInfo> devices = cuda_devices(why);
  nlohmann::ordered_json origin = provenance();
  origin["device"] = devices.empty() ? why : devices[0].name;
  std::printf("%s\n", nlohmann::ordered_json{{"provenance", origin}}.dump().c_str());
}

/// Newton steps and factorisations of the same source on the host: they do not depend on the machine.
int counts(const std::string& only, const std::string& robots, const std::string& kicks) {
  const int threads = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
  for (const GpuScene& scene : all_scenes(robots))
    for (const double kick : kicks_of(scene, {0.0, 1e-3, 0.01, 0.05, 0.3}, kicks))
      if (only.empty() || only == scene.name) print(measure_rate(scene, kick, 16, 60, threads, BatchDevice::kCpu));
  return 0;
}

int paper() {
  print_origin();
  for (const PaperScene& from : paper_scenes()) {
    const int steps = static_cast<int>(std::lround(10 / from.scene.dt));
    nlohmann::ordered_json line{
        {"engine", "Repose"}, {"scene", from.title}, {"worlds", 1}, {"steps", steps}, {"device", "cuda"}};
    try {
      const PaperRun run = run_paper_scene(from.scene, steps);
      const auto share = [&](std::int64_t count) { return static_cast<double>(count) / steps; };
      line["ms_per_step"] = run.ms_per_step;
      line["moved"] = run.moved;
      line["solved_share"] = share(run.report.solved);
      line["finished_share"] = share(run.report.finished);
    } catch (const InputError& error) {
      line["failed"] = error.what();
    }
    std::printf("%s\n", line.dump().c_str());
    std::fflush(stdout);
  }
  return 0;
}

nlohmann::ordered_json record_of(const LargeSolve& s) {
  return {{"ms", s.ms}, {"status", to_string(s.status)}, {"r_c", s.certificate.r_c()}, {"nat", s.certificate.nat}};
}

constexpr double kLargeLimit = 30;  // s for a solve on the processor
constexpr double kLargeTolerances[] = {1e-3, 1e-4, 1e-6, 1e-8};

void print_line(const nlohmann::ordered_json& line) {
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

/// Bits of the sweeps against the host, and their time. Returns how many crews differ.
int sweep_large(const LargeProblem& one) {
  constexpr int kRepeats = 3;
  const int contacts = one.problem.size();
  const LargeBits bits = check_large_bits(one.problem, contacts < 50000 ? 300 : 60);
  print_line({{"check", "large bits"},
              {"problem", one.name},
              {"contacts", contacts},
              {"sweeps", bits.sweeps},
              {"crews", bits.crews},
              {"unequal", bits.unequal},
              {"host_ms", bits.host_ms},
              {"crew_ms", bits.crew_ms}});
  for (const double tolerance : kLargeTolerances) {
    const LargeSolve swept = solve_by_sweeps(one.problem, tolerance, {.finish = false}, kRepeats, kLargeLimit);
    const SweptReport& s = swept.swept;
    print_line({{"large", one.name},
                {"contacts", contacts},
                {"tolerance", tolerance},
                {"sweeps", s.sweeps},
                {"solved", s.solved},
                {"build_ms", s.build_ms},
                {"transfer_ms", s.transfer_ms},
                {"sweep_ms", s.sweep_ms},
                {"residual", s.worst},
                {"device", record_of(swept)}});
  }
  return bits.unequal;
}

/// The same by `auto`, up to the tolerance that takes it too long, and by sweeps and `auto` where sweeps miss it.
void process_large(const LargeProblem& one) {
  for (const double tolerance : kLargeTolerances) {
    const LargeSolve processor = solve_on_processor(one.problem, tolerance, kLargeLimit);
    nlohmann::ordered_json line{{"large_processor", one.name},
                                {"contacts", one.problem.size()},
                                {"tolerance", tolerance},
                                {"processor", record_of(processor)}};
    const LargeSolve both = solve_by_sweeps(one.problem, tolerance, {}, 0, kLargeLimit);
    if (!both.swept.solved) line["finished"] = record_of(both);
    print_line(line);
    if (processor.status != Status::kConverged) return;
  }
}

/// `large`: a problem is solved by sweeps alone, by `auto` alone, and by both where sweeps miss the tolerance.
/// `large-device` and `large-processor` are its halves: the second hardly needs the device, and may run beside others.
int large(const std::string& what, const std::string& only, const std::string& folder) {
  std::string why;
  require(!cuda_devices(why).empty(), what, ": expected a CUDA device, got none: ", why);
  print_origin();
  int unequal = 0;
  for (const LargeProblem& one : large_problems(folder)) {
    if (!only.empty() && only != one.name) continue;
    if (what != "large-processor") unequal += sweep_large(one);
    if (what != "large-device") process_large(one);
  }
  return unequal > 0;
}

int run(const std::string& what, const std::string& only, const std::string& folder, const std::string& kicks,
        int worlds) {
  if (what == "trace") return trace();
  if (what == "small") {  // for compute-sanitizer
    int unequal = 0;
    for (const GpuScene& scene : all_scenes(folder)) {
      if (!only.empty() && only != scene.name) continue;
      const BitCheck check = check_bits(scene, 0.05, 4, 4);
      print(check);
      unequal += check.unequal;
    }
    return unequal > 0;
  }
  if (what == "counts") return counts(only, folder, kicks);
  if (what == "scenes") return write_scenes(folder);
  if (what == "paper") return paper();
  if (what.starts_with("large")) return large(what, only, folder);
  print_origin();
  const int threads = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
  int unequal = 0;
  for (const GpuScene& scene : all_scenes(folder)) {
    if (!only.empty() && only != scene.name) continue;
    if (what != "rates" && what != "quick")
      for (const double kick : kicks_of(scene, {0.0, 1e-3, 0.01, 0.05, 0.3}, kicks)) {
        const BitCheck check =
            worlds > 0 ? check_bits(scene, kick, worlds, 30) : check_bits(scene, kick, 8, kick > 0.02 ? 100 : 300);
        print(check);
        unequal += check.unequal + check.unequal_twins;
      }
    if (what != "rates" && what != "quick" && !scene.robot) {
      const BitCheck check = check_arrays(scene, 8);
      print(check);
      unequal += check.unequal;
    }
    if (what == "bits") continue;
    for (const double kick : kicks_of(scene, {0.0, 1e-3, 0.01, 0.05}, kicks)) {
      const bool calm = kick < 0.02;
      print(measure_rate(scene, kick, worlds > 0 ? worlds : scene.worlds, calm && scene.large ? 200 : 40, threads));
      if (what != "quick" && scene.large && calm && worlds == 0) print(measure_rate(scene, kick, 65536, 100, threads));
    }
  }
  return unequal > 0;
}

}  // namespace
}  // namespace repose::bench

int main(int argc, char** argv) {
  try {
    const auto word = [&](int k, const char* without) { return std::string(argc > k ? argv[k] : without); };
    return repose::bench::run(word(1, "all"), word(2, ""), word(3, ""), word(4, ""), std::stoi(word(5, "0")));
  } catch (const repose::InputError& error) {
    std::fprintf(stderr, "gpu-check: %s\n", error.what());
    return 1;
  }
}
