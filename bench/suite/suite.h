// SPDX-License-Identifier: Apache-2.0
// The benchmarks of Repose by name: each makes its problems from seeds, solves them, and leaves tables behind, as text
// for people and as JSON for scripts.
//
// Times are CPU time of one thread, for solve() alone unless a column says otherwise. "Solved" is the judge's word
// (r_c ≤ tol and nat ≤ tol), given on the returned impulses and not by the solver that is measured.
#pragma once

#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace repose::bench {

using Json = nlohmann::ordered_json;

struct SuiteOptions {
  bool quick = false;                              ///< a few seconds in all: smaller problems, fewer of them
  int seeds = 0;                                   ///< problems per cell, ≥ 1; 0: as many as the benchmark wants
  double tolerance = 0;                            ///< > 0; 0: the benchmark's own
  std::filesystem::path data{};                    ///< folder with fc3d/; empty: REPOSE_DATA or the build's default
  std::vector<std::string> scenes{};               ///< pour: rows by name; empty: all
  double seconds = 0;                              ///< pour: CPU seconds per row, > 0; 0: its own limit
  bool alone = false;                              ///< pour: without MuJoCo
  std::filesystem::path dump{};                    ///< pour: folder for the slowest steps' problems; empty: none
  int dump_count = 0;                              ///< pour: that many steps of each run; 0: its own number
  std::filesystem::path earlier{};                 ///< the file that is going to be replaced
  const std::atomic<bool>* interrupted = nullptr;  ///< once true, the case in hand is dropped and the run ends

  [[nodiscard]] bool stopped() const { return interrupted && interrupted->load(std::memory_order_relaxed); }
};

/// Who watches a run.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void working_on(const std::string& /*what*/) {}   ///< before each case
  virtual void show(const std::string& /*line*/) {}         ///< the next line of the table
  virtual void finished_row(const Json& /*all_so_far*/) {}  ///< the document as it would be if the run ended here
};

class Context;
struct Benchmark {
  std::string name, summary;
  void (*run)(Context&);
};

/// In the order in which they run.
[[nodiscard]] const std::vector<Benchmark>& benchmarks();
/// Throws InputError that lists the names there are.
[[nodiscard]] const Benchmark& find_benchmark(std::string_view name);

/// Runs it to the end or to an interrupt; the document has every row that was finished.
Json run(const Benchmark& benchmark, const SuiteOptions& options, Listener& listener);

}  // namespace repose::bench
