// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/suite.h"

#include "bench/suite/all_benchmarks.h"
#include "repose/base/error.h"

namespace repose::bench {

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> all = {
      {"structures", "arches and card houses step by step, at rest and struck, cold and warm", run_structures},
      {"families", "random cold problems of 1 to 336 contacts: how many are solved, how fast, by which scheme",
       run_families},
      {"piles", "boxes and balls after an impact, 1000 to 20 000 contacts, from zero", run_piles},
      {"settling", "piles that come to rest, step by step from the last impulses", run_settling},
      {"scaling", "time per contact of longer and longer arches; memory at 10 000 contacts", run_scaling},
      {"schemes", "every outer and inner solver on the same problems: which solver when", run_schemes},
      {"hard", "the stored hard problems of problems/corpus, cold and warm, beside their stored counts", run_hard},
      {"policy", "the default scheme with every number of its policy at its extremes: solved, work", run_policy},
      {"public", "the stored problems of the data folder", run_public},
      {"steps", "whole time steps of standing structures, phase by phase, beside MuJoCo's", run_steps},
      {"pour", "heaps that move, poured and struck: every step's time, residual and overlap, beside MuJoCo's",
       run_pour},
  };
  return all;
}

const Benchmark& find_benchmark(std::string_view name) {
  std::string known;
  for (const Benchmark& benchmark : benchmarks()) {
    if (benchmark.name == name) return benchmark;
    known += (known.empty() ? "" : ", ") + benchmark.name;
  }
  fail("benchmark: expected ", known, ", got '", name, "'");
}

Json run(const Benchmark& benchmark, const SuiteOptions& options, Listener& listener) {
  Context context(benchmark.name, options, listener);
  benchmark.run(context);
  return context.finish();
}

}  // namespace repose::bench
