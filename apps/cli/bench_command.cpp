// SPDX-License-Identifier: Apache-2.0
// repose bench [NAME...]: runs benchmarks, prints their tables, keeps the numbers as DIR/NAME.json.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "apps/cli/commands.h"
#include "apps/cli/console.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/json_output.h"
#include "apps/cli/option_checks.h"
#include "apps/cli/progress.h"
#include "bench/suite/suite.h"

namespace repose::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExample =
    "Examples:\n"
    "  repose bench structures families\n"
    "  repose bench --quick --out out\n"
    "  repose bench --list\n\n"
    "Times are CPU time of one thread. Ctrl-C keeps the rows that are finished.";

struct Settings {
  std::vector<std::string> names;
  std::string json, folder = "bench/results";
  bench::SuiteOptions suite;
  bool list = false;
};

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const bench::Benchmark& benchmark : bench::benchmarks()) names.push_back(benchmark.name);
  return names;
}

Exit list_benchmarks() {
  const Console console(stdout);
  for (const bench::Benchmark& benchmark : bench::benchmarks())
    console.line(
        fmt::format("{}  {}", console.paint(Style::kBold, fmt::format("{:<10}", benchmark.name)), benchmark.summary));
  return Exit::kDone;
}

/// Prints the lines of one benchmark, shows what it is doing, and saves the document after every row.
class BenchListener final : public bench::Listener {
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
  void finished_row(const Json& all_so_far) override { write_json(file_.string(), all_so_far); }

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
  require_usage(fs::is_directory(folder), "--out: found '", folder, "' (", error.message(),
                "), allowed a folder that exists or can be created");
}

Json run_one(const std::string& name, int number, const Settings& s, Progress& progress) {
  const fs::path file = fs::path(s.folder) / (name + ".json");
  BenchListener listener(progress, number, name, file);
  Json document = bench::run(bench::find_benchmark(name), s.suite, listener);
  write_json(file.string(), document);
  listener.show("");
  listener.show("wrote " + file.string());
  return document;
}

Exit run_bench(Settings& s) {
  if (s.list) return list_benchmarks();
  if (s.names.empty()) s.names = known_names();
  create_folder(s.folder);
  s.suite.interrupted = &interrupt_flag();
  Json documents = Json::array();
  {
    Progress progress(true, static_cast<int>(s.names.size()));
    for (const std::string& name : s.names)
      if (!interrupted()) documents.push_back(run_one(name, static_cast<int>(documents.size()) + 1, s, progress));
  }
  if (!s.json.empty()) write_json(s.json, documents);
  return interrupted() ? Exit::kInterrupted : Exit::kDone;
}

}  // namespace

Command add_bench(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("bench", "Run benchmarks by name");
  app.footer(kExample);
  const auto s = std::make_shared<Settings>();
  app.add_option("NAME", s->names, "benchmarks, from --list (all)")->check(one_of(known_names()))->type_name("");
  app.add_option("--json", s->json, "all documents as one list, to a file or '-'")
      ->check(json_target())
      ->type_name("FILE");
  app.add_option("--out", s->folder, "folder for NAME.json; created when missing (bench/results)")->type_name("DIR");
  app.add_option("--seeds", s->suite.seeds, "problems or steps per cell (the benchmark's own)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  app.add_option("--tol", s->suite.tolerance, "tolerance, where the benchmark has one (its own)")
      ->check(positive_number())
      ->type_name("X");
  app.add_flag("--quick", s->suite.quick, "a few seconds in all: smaller problems, fewer of them");
  app.add_flag("--list", s->list, "list the benchmarks");
  return {&app, [s] { return run_bench(*s); }};
}

}  // namespace repose::cli
