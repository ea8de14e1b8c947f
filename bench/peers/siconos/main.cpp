// SPDX-License-Identifier: Apache-2.0
// bench_siconos: Repose and Siconos on the same contact problems, scored by one judge.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "bench/peers/siconos/configuration.h"
#include "bench/peers/siconos/contest.h"
#include "bench/peers/siconos/peer.h"
#include "bench/peers/siconos/scoreboard.h"
#include "repose/base/error.h"
#include "repose/contact/problem_file.h"

namespace repose::bench {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> interrupted = false;

struct NamedProblem {
  std::string file;
  ContactProblem problem;
};

/// X.hdf5 may come with a text twin, X.plain.dat or X.reduced.dat: the same problem, which counts once.
bool is_twin(const fs::path& path) {
  for (const char* ending : {".plain.dat", ".reduced.dat"}) {
    const std::string name = path.string();
    if (name.ends_with(ending) && fs::exists(name.substr(0, name.size() - std::string(ending).size()) + ".hdf5"))
      return true;
  }
  return false;
}

std::vector<fs::path> default_files() {
  const char* chosen = std::getenv("REPOSE_DATA");
  const fs::path folder = fs::path(chosen != nullptr && *chosen != '\0' ? chosen : "../shared/data") / "fc3d";
  require(fs::is_directory(folder), folder.string(), ": no such folder; set REPOSE_DATA, or name the files");
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if ((entry.path().extension() == ".dat" || entry.path().extension() == ".hdf5") && !is_twin(entry.path()))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// Smallest first: results come early, and what takes long comes last.
std::vector<NamedProblem> read_all(const std::vector<fs::path>& files) {
  std::vector<NamedProblem> problems;
  for (const fs::path& file : files) problems.push_back({file.filename().string(), read_problem(file)});
  std::stable_sort(problems.begin(), problems.end(),
                   [](const NamedProblem& a, const NamedProblem& b) { return a.problem.size() < b.problem.size(); });
  return problems;
}

/// One line on the terminal that rewrites itself; nothing where the output is a file.
void show_progress(const std::string& text) {
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  if (terminal) std::fprintf(stderr, "\r\033[K%.110s", text.c_str());
}

/// Without SA_RESTART: a signal also ends the wait for a child.
void stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = true; };
  for (const int signal_number : {SIGINT, SIGTERM}) sigaction(signal_number, &action, nullptr);
}

int run(const std::vector<fs::path>& files, const std::string& only, const fs::path& out, const ContestOptions& options,
        const std::string& peer_version) {
  const std::vector<NamedProblem> problems = read_all(files.empty() ? default_files() : files);
  std::vector<Configuration> peers = configurations();
  std::erase_if(peers, [&](const Configuration& c) { return c.name.find(only) == std::string::npos; });
  RunFacts facts = facts_of_this_run();
  facts.tolerance = options.tolerance;
  facts.cap = options.cap;
  facts.peer_version = peer_version;

  std::vector<ProblemResults> all;
  for (std::size_t i = 0; i < problems.size() && !interrupted; ++i) {
    const std::string place = '[' + std::to_string(i + 1) + '/' + std::to_string(problems.size()) + "] ";
    const ProblemResults results =
        run_contest(problems[i].file, problems[i].problem, peers, options, [&](const std::string& what) {
          show_progress(place + problems[i].file + ": " + what);
          return !interrupted;
        });
    show_progress("");
    if (interrupted) break;  // a half-run problem would misreport who solved it
    all.push_back(results);
    print_problem(std::cout, results);
    std::cout.flush();
    write_results(out, facts, all);
  }
  print_summary(std::cout, all);
  if (!all.empty())
    std::cout << "\nwritten: " << (out / "siconos.json").string() << ", " << (out / "siconos.csv").string() << '\n';
  return interrupted ? 130 : 0;
}

}  // namespace
}  // namespace repose::bench

int main(int argc, char** argv) {
  using namespace repose::bench;
  CLI::App app{
      "Repose and Siconos on the same contact problems, scored by one judge.\n"
      "Example: bench_siconos --cap 2 --only NSGS problems/*.hdf5"};
  std::vector<std::filesystem::path> files;
  std::filesystem::path out = "bench/results";
  std::string only, peer_version = "unknown";
  ContestOptions options;
  app.add_option("files", files, "FCLIB .hdf5 or Siconos .dat; default: all of $REPOSE_DATA/fc3d")
      ->check(CLI::ExistingFile);
  app.add_option("--out", out, "folder of siconos.json and siconos.csv")->capture_default_str();
  app.add_option("--only", only, "run only the configurations whose name contains this");
  app.add_option("--tol", options.tolerance, "solved when r_c and nat are at most this")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--cap", options.cap, "CPU seconds per solve")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--budget", options.budget, "CPU seconds of repeats behind one median")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "turns of the duel with the best peer")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--siconos-version", peer_version, "noted beside the results");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  stop_on_signals();
  try {
    initialise_siconos();
    return run(files, only, out, options, peer_version);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_siconos: %s\n", error.what());
    return 1;
  }
}
