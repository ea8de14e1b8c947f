// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/mujoco_peer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/suite/peers.h"
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

std::optional<PeerTimes> time_mujoco(const Scene& scene, const StepPlan& plan) {
  const fs::path script = fs::path(REPOSE_SOURCE_DIR) / "bench/peers/mujoco/steps.py";
  if (!fs::exists(script)) return {};
  const fs::path file = fs::temp_directory_path() / fmt::format("repose-peer-{}.json", getpid());
  write_native_scene(file.string(), scene);
  const std::string text = output_of(fmt::format("'{}' '{}' '{}' --settle {} --steps {} --kick {}{} 2>/dev/null",
                                                 project_python(), script.string(), file.string(), plan.settle,
                                                 plan.steps, plan.kick, plan.impact ? " --impact" : ""));
  fs::remove(file);
  const auto answer = nlohmann::json::parse(text, nullptr, false);
  if (!answer.is_object()) return {};
  return PeerTimes{answer.at("ms_median"), answer.at("ms_p95"), answer.at("contacts")};
}

}  // namespace repose::bench
