// SPDX-License-Identifier: Apache-2.0
// The benchmarks run, fill their tables, and stop when told. How fast anything is, no test says.
#include "bench/suite/suite.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/suite/child_memory.h"
#include "bench/suite/cpu_clock.h"
#include "bench/suite/measure.h"
#include "bench/suite/schemes_by_name.h"
#include "bench/suite/text.h"
#include "problems/arch.h"
#include "problems/families.h"
#include "repose/base/error.h"

namespace repose::bench {
namespace {

class Counter final : public Listener {
 public:
  void working_on(const std::string&) override { ++cases; }
  void finished_row(const Json&) override {
    ++rows;
    if (rows == stop_after) flag.store(true);
  }
  int cases = 0, rows = 0, stop_after = -1;
  std::atomic<bool> flag{false};
};

class QuickBenchmark : public ::testing::TestWithParam<std::string> {};

TEST_P(QuickBenchmark, FillsItsTables) {
  Counter watch;
  const Json document = run(find_benchmark(GetParam()), {.quick = true, .seeds = 1, .interrupted = &watch.flag}, watch);
  EXPECT_EQ(document["benchmark"], GetParam());
  EXPECT_TRUE(document["complete"]);
  if (document["tables"].empty()) GTEST_SKIP() << document["notes"].dump();
  for (const Json& table : document["tables"]) {
    EXPECT_FALSE(table["rows"].empty()) << table["title"];
    EXPECT_EQ(table["rows"].size(), table["text"].size());
    for (const Json& line : table["text"]) EXPECT_EQ(line.size(), table["columns"].size());
  }
  EXPECT_GE(watch.cases, 1);
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Benchmark& benchmark : benchmarks()) names.push_back(benchmark.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Suite, QuickBenchmark, ::testing::ValuesIn(all_names()),
                         [](const auto& named) { return named.param; });

TEST(Suite, KeepsFinishedRowsWhenInterrupted) {
  Counter watch;
  watch.stop_after = 2;
  const Json document =
      run(find_benchmark("structures"), {.quick = true, .seeds = 1, .interrupted = &watch.flag}, watch);
  EXPECT_FALSE(document["complete"]);
  EXPECT_EQ(document["tables"][0]["rows"].size(), 2U);
}

TEST(Suite, DocumentsSayWhereTheirNumbersComeFrom) {
  Counter watch;
  watch.flag.store(true);
  const Json document = run(find_benchmark("scaling"), {.quick = true, .interrupted = &watch.flag}, watch);
  const Json& origin = document["provenance"];
  for (const char* text : {"version", "commit", "compiler", "flags", "processor", "system", "date"}) {
    ASSERT_TRUE(origin[text].is_string()) << text;
    EXPECT_FALSE(origin[text].get<std::string>().empty()) << text;
  }
  EXPECT_GE(origin["cores"], 1);
  const std::string commit = origin["commit"];
  if (commit == "unknown") GTEST_SKIP() << "no Git repository here, so that the commit is unknown";
  EXPECT_EQ(commit.find_first_not_of("0123456789abcdef"), commit.ends_with("-dirty") ? 40U : std::string::npos)
      << commit;
}

TEST(Suite, NamesWhatThereIs) {
  try {
    (void)find_benchmark("speed");
    FAIL() << "no benchmark has that name";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("structures"), std::string::npos);
  }
}

TEST(Measure, CapStopsALongSolve) {
  const ContactProblem problem = problems::make_problem(problems::arch({.stones = 101}));
  const auto solver = scheme("nsgs", "", 1e-14, 1'000'000'000);
  solver->bind(problem);
  const Measured m = measure(*solver, problem, {}, {.cap = 0.05}, {});
  EXPECT_TRUE(m.capped);
  EXPECT_FALSE(m.certificate.solved(1e-14));
}

TEST(Measure, RepetitionsAndLevelsAgreeWithTheJudge) {
  const ContactProblem problem = problems::family("pile_2x2x3", 0.5, 1);
  const auto solver = auto_scheme(1e-10);
  solver->bind(problem);
  const Measured m = measure(*solver, problem, {}, {.repetitions = 3, .levels = {1e-2, 1e-6, 1e-30}}, {});
  EXPECT_TRUE(m.certificate.solved(1e-10));
  EXPECT_LE(m.level_ms[0], m.level_ms[1]);
  EXPECT_LE(m.level_ms[1], m.ms);
  EXPECT_TRUE(std::isinf(m.level_ms[2]));
}

TEST(Measure, MedianAndLargest) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(largest({3, 1, 2}), 3);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Text, StaysShort) {
  EXPECT_EQ(short_power(1e-10), "1e-10");
  EXPECT_EQ(short_residual(0), "0");
  EXPECT_EQ(ms_median_max(0.4123, 18.31), "0.412 (18.3)");
  EXPECT_EQ(percent(59, 60), "98");
  EXPECT_EQ(text_width("\xC2\xB5s"), 2U);
}

TEST(ChildMemory, SeesWhatAChildTouches) {
  const ChildMemory used = measure_memory([] {
    std::vector<char> block(64 << 20, 1);
    return block[12345] == 1;
  });
  EXPECT_TRUE(used.succeeded);
  EXPECT_GE(used.growth_mib, 60);
  EXPECT_FALSE(measure_memory([] { return false; }).succeeded);
}

}  // namespace
}  // namespace repose::bench
