// SPDX-License-Identifier: Apache-2.0
// The program repose-bench, which `repose bench` becomes.
// repose bench [NAME...]: runs benchmarks, prints their tables, keeps the numbers as DIR/NAME.json.
// repose bench peers: other engines on the same scenes; the scripts in bench/peers do it.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "apps/terminal/console.h"
#include "apps/terminal/interrupt.h"
#include "apps/terminal/option_checks.h"
#include "apps/terminal/program.h"
#include "apps/terminal/progress.h"
#include "bench/provenance/provenance.h"
#include "bench/suite/peers.h"
#include "bench/suite/suite.h"
#include "repose/report/json_record_internal.h"

namespace repose::bench {
namespace {

using namespace cli;

namespace fs = std::filesystem;

constexpr const char* kExample =
    "Examples:\n"
    "  repose bench structures families\n"
    "  repose bench --quick --out out\n"
    "  repose bench peers --peer mujoco --scene cards-4\n"
    "  repose bench pour --scene mixed-128 --seconds 60 --dump out/slow\n"
    "  repose bench --list\n\n"
    "Times are CPU time of one thread. Ctrl-C keeps the rows that are finished.";

constexpr const char* kPeers = "peers";
constexpr const char* kResults = "bench/results";

constexpr const char* kPour = "pour";

/// What `repose bench peers` passes on; scenes and seconds serve `pour` as well.
struct PeerSettings {
  std::vector<std::string> engines, scenes, labels;
  std::string recordings;
  double seconds = 0;  ///< > 0; 0: its own
  bool install = false, again = false, fresh = false, verbose = false;

  [[nodiscard]] bool any() const {
    return !engines.empty() || !labels.empty() || !recordings.empty() || install || again || fresh || verbose;
  }
  [[nodiscard]] bool any_shared() const { return !scenes.empty() || seconds > 0; }
};

struct Settings {
  std::vector<std::string> names;
  std::string json, folder = kResults;
  SuiteOptions suite;
  bool list = false, provenance = false;
  PeerSettings peers;
};

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const Benchmark& benchmark : benchmarks()) names.push_back(benchmark.name);
  return names;
}

/// With `peers`, which is not part of "all": it takes an hour and other people's programs.
std::vector<std::string> allowed_names() {
  std::vector<std::string> names = known_names();
  names.emplace_back(kPeers);
  return names;
}

Exit list_benchmarks() {
  const Console console(stdout);
  for (const Benchmark& benchmark : benchmarks())
    console.line(
        fmt::format("{}  {}", console.paint(Style::kBold, fmt::format("{:<10}", benchmark.name)), benchmark.summary));
  console.line(fmt::format("{}  {}", console.paint(Style::kBold, fmt::format("{:<10}", kPeers)),
                           "other engines on the same scenes; by name only (docs/peers)"));
  return Exit::kDone;
}

Exit show_provenance() {
  report::write_json("-", provenance());
  return Exit::kDone;
}

/// Hands over to the scripts; what they would ignore is refused here.
[[noreturn]] void run_peers(const Settings& s) {
  require_usage(!s.suite.alone && s.suite.dump.empty() && s.suite.dump_count == 0,
                "NAME: expected with 'repose bench pour' only, got --alone, --dump or --dump-count");
  require_usage(s.names.size() == 1, "NAME: expected peers alone, got peers among others");
  require_usage(
      s.suite.seeds == 0 && s.suite.tolerance == 0 && s.folder == kResults && s.json != "-",
      "peers: expected --peer, --scene, --setting, --seconds, --quick, --record, --json FILE, --install, --again, "
      "--fresh, --verbose, got --seeds, --tol, --out or '--json -'");
  std::vector<std::string> arguments;
  const auto pass = [&](const char* option, const std::string& value) {
    arguments.emplace_back(option);
    arguments.push_back(value);
  };
  for (const std::string& name : s.peers.engines) pass("--peer", name);
  for (const std::string& name : s.peers.scenes) pass("--scene", name);
  for (const std::string& label : s.peers.labels) pass("--setting", label);
  if (s.peers.seconds > 0) pass("--seconds", fmt::format("{}", s.peers.seconds));
  if (!s.peers.recordings.empty()) pass("--record", s.peers.recordings);
  if (!s.json.empty()) pass("--json", s.json);
  if (s.suite.quick) arguments.emplace_back("--quick");
  if (s.peers.install) arguments.emplace_back("--install");
  if (s.peers.again) arguments.emplace_back("--again");
  if (s.peers.fresh) arguments.emplace_back("--fresh");
  if (s.peers.verbose) arguments.emplace_back("--verbose");
  become_peers(arguments);
}

/// Prints the lines of one benchmark, shows what it is doing, and saves the document after every row.
class BenchListener final : public Listener {
 public:
  BenchListener(Progress& progress, int number, std::string name, fs::path file)
      : progress_(progress), number_(number), name_(std::move(name)), file_(std::move(file)) {}
  ~BenchListener() override { end_job(); }
  BenchListener(const BenchListener&) = delete;
  BenchListener& operator=(const BenchListener&) = delete;

  void working_on(const std::string& what) override {
    end_job();
    job_ = progress_.start(number_, name_ + ": " + what);
  }
  void show(const std::string& line) override {
    progress_.above([&] {
      console_.line(line);
      std::fflush(stdout);
    });
  }
  void finished_row(const Json& all_so_far) override { report::write_json(file_.string(), all_so_far); }

 private:
  void end_job() {
    if (job_) progress_.finish(*job_);
    job_.reset();
  }

  Progress& progress_;
  int number_;
  std::string name_;
  fs::path file_;
  Console console_{stdout};
  std::optional<Progress::Handle> job_;
};

void create_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  require_usage(fs::is_directory(folder), "--out: expected a folder that exists or can be created, got '", folder,
                "' (", error.message(), ")");
}

Json run_one(const std::string& name, int number, const Settings& s, Progress& progress) {
  const fs::path file = fs::path(s.folder) / (name + ".json");
  BenchListener listener(progress, number, name, file);
  SuiteOptions options = s.suite;
  options.earlier = file;
  Json document = run(find_benchmark(name), options, listener);
  report::write_json(file.string(), document);
  listener.show("");
  listener.show("wrote " + file.string());
  return document;
}

void take_options_of_pour(Settings& s) {
  const bool only = s.names == std::vector<std::string>{kPour};
  const bool given = s.peers.any_shared() || s.suite.alone || !s.suite.dump.empty() || s.suite.dump_count > 0;
  require_usage(only || !given,
                "NAME: expected peers or pour alone with --scene and --seconds, and pour alone with "
                "--alone, --dump and --dump-count, got other benchmarks");
  s.suite.scenes = s.peers.scenes;
  s.suite.seconds = s.peers.seconds;
}

Exit run_bench(Settings& s) {
  if (s.list) return list_benchmarks();
  if (s.provenance) return show_provenance();
  if (std::find(s.names.begin(), s.names.end(), kPeers) != s.names.end()) run_peers(s);
  require_usage(!s.peers.any(),
                "NAME: expected with 'repose bench peers' only, got options of peers (--peer, --setting, --record, "
                "--install, --again, --fresh, --verbose)");
  take_options_of_pour(s);
  if (s.names.empty()) s.names = known_names();
  create_folder(s.folder);
  s.suite.interrupted = &interrupt_flag();
  Json documents = Json::array();
  {
    Progress progress(true, static_cast<int>(s.names.size()));
    for (const std::string& name : s.names)
      if (!interrupted()) documents.push_back(run_one(name, static_cast<int>(documents.size()) + 1, s, progress));
  }
  if (!s.json.empty()) report::write_json(s.json, documents);
  return interrupted() ? Exit::kInterrupted : Exit::kDone;
}

void add_options(CLI::App& app, Settings& s) {
  app.add_option("NAME", s.names, "benchmarks, from --list (all)")->check(one_of(allowed_names()))->type_name("");
  app.add_option("--json", s.json, "all documents as one list, to a file or '-'")
      ->check(json_target())
      ->type_name("FILE");
  app.add_option("--out", s.folder, "folder for NAME.json; created when missing (bench/results)")->type_name("DIR");
  app.add_option("--seeds", s.suite.seeds, "problems or steps per cell (the benchmark's own)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  app.add_option("--tol", s.suite.tolerance, "tolerance, where the benchmark has one (its own)")
      ->check(positive_number())
      ->type_name("X");
  app.add_flag("--quick", s.suite.quick, "a few seconds in all: smaller problems, fewer of them");
  app.add_flag("--list", s.list, "list the benchmarks");
  app.add_flag("--provenance", s.provenance, "print commit, compiler, flags and machine as JSON; run nothing");
  app.add_option("--peer", s.peers.engines, "peers: an engine, repeatable (all)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--scene", s.peers.scenes, "peers, pour: a scene, repeatable (all)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--seconds", s.peers.seconds,
                 "peers, pour: CPU seconds that the steps of a cell or row may take (60, 1200)")
      ->check(positive_number())
      ->type_name("S");
  app.add_flag("--alone", s.suite.alone, "pour: without MuJoCo");
  app.add_option("--dump", s.suite.dump, "pour: write the slowest steps' problems to this folder, as FCLIB with guess")
      ->type_name("DIR");
  app.add_option("--dump-count", s.suite.dump_count, "pour: how many steps of each run (10)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  app.add_option("--record", s.peers.recordings, "peers: folder for a recording of every cell")->type_name("DIR");
  app.add_flag("--install", s.peers.install, "peers: first make the environments that are missing (network)");
  app.add_option("--setting", s.peers.labels, "peers: only the settings of this label; repeatable")->type_name("LABEL");
  app.add_flag("--again", s.peers.again, "peers: run the chosen cells again, finished or not; the others are kept");
  app.add_flag("--fresh", s.peers.fresh, "peers: forget the finished cells of an earlier run");
  app.add_flag("--verbose", s.peers.verbose, "peers: show what an engine prints when it fails");
}

Exit bench_program(int argc, char** argv) {
  CLI::App app("Run benchmarks by name", "repose bench");
  app.footer(kExample);
  Settings settings;
  add_options(app, settings);
  return guarded(
      app,
      [&] {
        app.parse(argc, argv);
        return run_bench(settings);
      },
      [] { return std::string(" (repose bench --help)"); });
}

}  // namespace
}  // namespace repose::bench

int main(int argc, char** argv) {
  return repose::cli::run_main([&] { return repose::bench::bench_program(argc, argv); });
}
