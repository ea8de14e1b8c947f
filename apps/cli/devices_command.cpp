// SPDX-License-Identifier: Apache-2.0
// repose devices: what `repose run --device` can run on.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "apps/cli/commands.h"
#include "repose/batch/device_info.h"

namespace repose::cli {
namespace {

constexpr const char* kDevicesExample =
    "Examples:\n"
    "  repose devices\n"
    "  repose devices --json\n\n"
    "Use one with repose run WHAT --device cuda --worlds 4096, or repose solve FILE --device cuda.";

Exit list_devices(bool as_json) {
  std::string why;
  const std::vector<DeviceInfo> devices = cuda_devices(why);
  const unsigned threads = std::thread::hardware_concurrency();
  if (as_json) {
    nlohmann::ordered_json doc{{"cpu", {{"threads", threads}}}, {"cuda", nlohmann::ordered_json::array()}};
    for (const DeviceInfo& d : devices)
      doc["cuda"].push_back({{"name", d.name},
                             {"compute_capability", fmt::format("{}.{}", d.major, d.minor)},
                             {"multiprocessors", d.multiprocessors},
                             {"memory_bytes", d.memory}});
    if (devices.empty()) doc["no_cuda"] = why;
    fmt::print("{}\n", doc.dump(1));
    return Exit::kDone;
  }
  fmt::print("cpu, cpu-batch   {} threads\n", threads);
  for (const DeviceInfo& d : devices)
    fmt::print("cuda             {}, compute capability {}.{}, {} multiprocessors, {:.1f} GiB\n", d.name, d.major,
               d.minor, d.multiprocessors, static_cast<double>(d.memory) / (1 << 30));
  if (devices.empty()) fmt::print("cuda             none: {}\n", why);
  return Exit::kDone;
}

}  // namespace

Command add_devices(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("devices", "List what a run can use: processor and CUDA devices");
  app.footer(kDevicesExample);
  const auto as_json = std::make_shared<bool>(false);
  app.add_flag("--json", *as_json, "the list as JSON on standard output");
  return {&app, [as_json] { return list_devices(*as_json); }};
}

}  // namespace repose::cli
