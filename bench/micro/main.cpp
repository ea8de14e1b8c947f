// SPDX-License-Identifier: Apache-2.0
// Timings of single kernels:  bench_micro --benchmark_filter=newton
#include <benchmark/benchmark.h>

#include "bench/provenance/provenance.h"

namespace repose::bench {
void register_collision();
void register_contact_kernels();
void register_newton_kernels();
}  // namespace repose::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("provenance", repose::bench::provenance().dump());
  repose::bench::register_collision();
  repose::bench::register_contact_kernels();
  repose::bench::register_newton_kernels();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
