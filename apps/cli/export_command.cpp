// SPDX-License-Identifier: Apache-2.0
// repose export RECORDING --to FILE: a recording as a page, or in the formats of other programs.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "apps/cli/commands.h"
#include "apps/terminal/console.h"
#include "apps/terminal/option_checks.h"
#include "repose/base/parameters.h"
#include "repose/export/export.h"

namespace repose::cli {
namespace {

constexpr const char* kExportExample =
    "Examples:\n"
    "  repose run arch --record arch.h5\n"
    "  repose export arch.h5 --to arch.html        one page that opens in any browser, without a network\n"
    "  repose export exact.h5 --with relaxed.h5 --to compare.html\n"
    "  repose export arch.h5 --to arch.glb         Blender and other programs that read glTF\n\n"
    "By ending: .html page, .glb animated glTF, .usda Universal Scene Description, .npz NumPy arrays,\n"
    ".csv table of states, .vtkhdf ParaView.";

struct ExportSettings {
  std::string recording, target;
  std::vector<std::string> others;
  std::string forces;
  bool quiet = false;
};

void check_target(const std::string& target) {
  const std::string ending = std::filesystem::path(target).extension().string();
  const std::vector<std::string>& known = exporter::export_endings();
  require_usage(std::find(known.begin(), known.end(), ending) != known.end(), "--to: expected a file that ends in ",
                joined(known), ", got '", target, "'");
}

std::string size_text(std::uintmax_t bytes) {
  return bytes < 1000 * 1000 ? fmt::format("{:.0f} kB", static_cast<double>(bytes) / 1e3)
                             : fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

Exit run(const ExportSettings& s) {
  check_target(s.target);
  require_usage(s.others.empty() || s.target.ends_with(".html"), "--with: expected with .html only, got one for '",
                s.target, "'");
  require_usage(s.forces.empty() || s.target.ends_with(".html") || s.target.ends_with(".npz"),
                "--forces: expected with .html and .npz, which have contact forces, got one for '", s.target, "'");
  const Forces forces = s.forces.empty() ? Forces::kAuto : forces_from_name(s.forces, "--forces");
  const Recording recording(s.recording);
  std::list<Recording> others;
  std::vector<const Recording*> pointers;
  for (const std::string& other : s.others) pointers.push_back(&others.emplace_back(other));
  exporter::export_recording(recording, pointers, s.target, forces);
  if (!s.quiet)
    Console(stdout).line(fmt::format("wrote {} · {} · {} · {}", s.target, recording.scene_name(),
                                     counted(static_cast<std::size_t>(recording.steps()), "step"),
                                     size_text(std::filesystem::file_size(s.target))));
  return Exit::kDone;
}

}  // namespace

Command add_export(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("export", "Write a recording as a page or for other programs");
  app.footer(kExportExample);
  const auto settings = std::make_shared<ExportSettings>();
  app.add_option("RECORDING", settings->recording, "a file written by repose run --record")->required()->type_name("");
  app.add_option("--to", settings->target, "the file to write; its ending chooses the format")
      ->required()
      ->check(file_target())
      ->type_name("FILE");
  app.add_option("--with", settings->others, "another recording beside it, in the same page")->type_name("RECORDING");
  app.add_option(
         "--forces", settings->forces,
         "which of the admissible contact forces .html and .npz show: solver, as recorded; canonical,\nof least "
         "norm; auto, the latter where bodies rest (auto)")
      ->check(one_of({"auto", "solver", "canonical"}))
      ->type_name("KIND");
  app.add_flag("--quiet", settings->quiet, "say nothing when it worked");
  return {&app, [settings] { return run(*settings); }};
}

}  // namespace repose::cli
