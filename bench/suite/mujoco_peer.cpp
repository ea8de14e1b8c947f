// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/mujoco_peer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/suite/peers.h"
#include "repose/base/atomic_file.h"
#include "repose/scene/native_json.h"

namespace repose::bench {
namespace {

namespace fs = std::filesystem;

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  char part[512];
  while (pipe && std::fgets(part, sizeof part, pipe.get())) text += part;
  return text;
}

}  // namespace

std::optional<PeerTimes> time_mujoco(const Scene& scene, const StepPlan& plan, const PeerOptions& options) {
  const fs::path script = fs::path(REPOSE_SOURCE_DIR) / "bench/peers/mujoco/steps.py";
  if (!fs::exists(script)) return {};
  const fs::path file = fs::temp_directory_path() / fmt::format("repose-peer-{}.json", getpid());
  const fs::path widths = fs::temp_directory_path() / fmt::format("repose-peer-{}-widths.json", getpid());
  write_native_scene(file.string(), scene);
  std::string more = fmt::format("--cone {} --impratio {} --limit {}", options.cone, options.impratio, options.limit);
  if (!options.thickness.empty()) {
    files::write_atomically(widths.string(), nlohmann::json(options.thickness).dump());
    more += fmt::format(" --thickness '{}'", widths.string());
  }
  const std::string text = output_of(fmt::format("'{}' '{}' '{}' --settle {} --steps {} --kick {}{} {} 2>/dev/null",
                                                 project_python(), script.string(), file.string(), plan.settle,
                                                 plan.steps, plan.kick, plan.impact ? " --impact" : "", more));
  fs::remove(file);
  fs::remove(widths);
  const auto answer = nlohmann::json::parse(text, nullptr, false);
  if (!answer.is_object()) return {};
  const nlohmann::json& overlap = answer.at("overlap");
  return PeerTimes{answer.at("ms_median"),
                   answer.at("ms_p95"),
                   answer.at("contacts"),
                   answer.at("ms").get<std::vector<double>>(),
                   overlap.is_number() ? overlap.get<double>() : 0,
                   answer.at("dropped"),
                   answer.at("finite")};
}

}  // namespace repose::bench
