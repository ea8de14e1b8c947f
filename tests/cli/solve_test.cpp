// SPDX-License-Identifier: Apache-2.0
// repose solve and repose score: records, certificates, exit status, repeatability.
#include <cmath>
#include <map>

#include "tests/cli/program.h"

namespace repose::testing {
namespace {

const std::vector<std::string> kInterfaceKeys{
    "file",          "contacts",         "status",           "r_c", "force", "velocity", "gap", "nat",
    "siconos_error", "outer_iterations", "inner_iterations", "ms",  "outer", "inner"};

/// Everything that may differ between two runs of the same problem.
json without_times(json records) {
  for (json& record : records)
    for (const char* key : {"ms", "bind_ms", "cpu_ms", "threads"}) record.erase(key);
  return records;
}

class Solve : public ::testing::Test {
 protected:
  Solve() {
    run_well({"generate", "arch", "--set", "stones=9", "--steps", "3", "--out", folder / "."});
    for (const char* name : {"arch-0000.hdf5", "arch-0001.hdf5", "arch-0002.hdf5"}) files.push_back(folder / name);
  }
  [[nodiscard]] Arguments solve(const Arguments& options) const {
    Arguments all{"solve"};
    all.insert(all.end(), files.begin(), files.end());
    all.insert(all.end(), options.begin(), options.end());
    return all;
  }
  const Folder folder;
  std::vector<std::string> files;
};

TEST_F(Solve, RecordsHaveTheKeysOfTheInterface) {
  run_well(solve({"--json", folder / "r.json"}));
  const json records = read_json(folder / "r.json");
  ASSERT_EQ(records.size(), 3U);
  for (std::size_t k = 0; k < records.size(); ++k) {
    const json& record = records[k];
    for (const std::string& key : kInterfaceKeys) EXPECT_TRUE(record.contains(key)) << key;
    EXPECT_EQ(record["file"], files[k]);
    EXPECT_EQ(record["contacts"], 32);
    EXPECT_EQ(record["status"], "converged");
    EXPECT_EQ(record["outer"], "auto");
    EXPECT_EQ(record["inner"], "none");
    EXPECT_EQ(record["solved"], true);
    EXPECT_EQ(record["form"], "body");
    for (const char* key :
         {"r_c", "force", "velocity", "gap", "nat", "siconos_error", "ms", "bind_ms", "cpu_ms", "r_c_paper"})
      EXPECT_TRUE(record[key].is_number_float()) << key;
    for (const char* key : {"outer_iterations", "inner_iterations", "threads"})
      EXPECT_TRUE(record[key].is_number_integer()) << key;
    EXPECT_LE(record["r_c"].get<double>(), 1e-8);
    EXPECT_LE(record["nat"].get<double>(), 1e-8);
    EXPECT_EQ(record["r_c"], std::max({record["force"], record["velocity"], record["gap"]}));
    EXPECT_GE(record["ms"].get<double>(), record["bind_ms"].get<double>());
    EXPECT_FALSE(record["stages"].empty());
    EXPECT_FALSE(record.contains("why"));
  }
}

TEST_F(Solve, JsonOnStandardOutputIsAlone) {
  const Outcome outcome = run_well(solve({"--json", "-"}));
  EXPECT_EQ(json::parse(outcome.out).size(), 3U);
  EXPECT_NE(outcome.err.find("3 of 3 solved"), std::string::npos);
  const Outcome quiet = run_well(solve({"--json", "-", "--quiet"}));
  EXPECT_EQ(json::parse(quiet.out).size(), 3U);
  EXPECT_EQ(quiet.err, "");
}

TEST_F(Solve, TableNamesEveryFileAndTheWorst) {
  const Outcome outcome = run_well(solve({}));
  for (const char* text : {"arch-0000.hdf5", "arch-0002.hdf5", "converged", "3 of 3 solved to 1e-8", "worst nat"})
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << " in\n" << outcome.out;
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos) << "colour belongs on a terminal";
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Solve, SameRecordsRunAfterRunAndForAnyNumberOfThreads) {
  for (const Arguments& scheme : {Arguments{}, {"--outer", "fbf", "--max-outer", "50"}, {"--outer", "picard"}}) {
    std::vector<json> seen;
    for (const char* threads : {"1", "1", "2", "4"}) {
      Arguments options{"--json", folder / "r.json", "--threads", threads};
      options.insert(options.end(), scheme.begin(), scheme.end());
      run_well(solve(options));
      seen.push_back(without_times(read_json(folder / "r.json")));
    }
    for (const json& other : seen) EXPECT_EQ(other, seen.front());
  }
}

TEST_F(Solve, RepeatsDoNotChangeTheAnswer) {
  for (const std::string outer : {"auto", "fbf"}) {
    run_well(solve({"--outer", outer, "--json", folder / "1.json"}));
    run_well(solve({"--outer", outer, "--json", folder / "5.json", "--repeat", "5"}));
    json once = without_times(read_json(folder / "1.json")), five = without_times(read_json(folder / "5.json"));
    for (json& record : once) record.erase("repeats");
    for (json& record : five) {
      EXPECT_EQ(record["repeats"], 5);
      record.erase("repeats");
    }
    EXPECT_EQ(once, five);
  }
}

TEST_F(Solve, SolutionScoresTheSame) {
  const std::string solved = folder / "solved.hdf5";
  run_well({"solve", files[1], "--solution", solved, "--json", folder / "solve.json"});
  run_well({"score", solved, "--json", folder / "score.json", "--strict"});
  const json solve = read_json(folder / "solve.json")[0], score = read_json(folder / "score.json")[0];
  for (const char* key :
       {"contacts", "r_c", "force", "velocity", "gap", "nat", "siconos_error", "r_c_paper", "solved", "tolerance"})
    EXPECT_EQ(solve[key], score[key]) << key;
}

TEST_F(Solve, SweepsSolveAndSayWhatTheyDid) {
  run_well(solve({"--device", "cpu-sweeps", "--json", folder / "r.json", "--strict"}));
  for (const json& record : read_json(folder / "r.json")) {
    EXPECT_EQ(record["solved"], true);
    const json& device = record["device"];
    EXPECT_EQ(device["name"], "cpu-sweeps");
    EXPECT_EQ(device["finish_ms"].get<double>() == 0, device["solved"].get<bool>());
    EXPECT_EQ(record["stages"][0]["method"], "sweeps");
    EXPECT_EQ(record["stages"][0]["iterations"], device["sweeps"]);
  }
  EXPECT_EQ(run(solve({"--device", "cpu-sweeps", "--outer", "fbf"})).status, 2);
  EXPECT_EQ(run(solve({"--device", "gpu"})).status, 2);
  const json devices = json::parse(run_well({"devices", "--json"}).out);
  if (!devices.contains("no_cuda")) return;
  const Outcome without = run(solve({"--device", "cuda"}));
  EXPECT_EQ(without.status, 1);
  EXPECT_NE(without.err.find("device: expected cpu, got cuda: " + devices["no_cuda"].get<std::string>()),
            std::string::npos)
      << without.err;
}

TEST_F(Solve, WarmStartTakesTheGuessOfTheFile) {
  const Outcome outcome = run_well(solve({"--warm-start", "--json", folder / "r.json"}));
  const json records = read_json(folder / "r.json");
  EXPECT_EQ(records[0]["start"], "zero");  // the first step has no guess
  EXPECT_EQ(records[1]["start"], "guess");
  EXPECT_EQ(records[2]["solved"], true);
  EXPECT_NE(outcome.err.find("no guess in 1 file"), std::string::npos) << outcome.err;
}

TEST_F(Solve, NotSolvedIsSaidAloudAndStrictMakesItThree) {
  const Outcome loose = run(solve({"--outer", "fbf", "--max-outer", "1", "--json", folder / "r.json"}));
  EXPECT_EQ(loose.status, 0);
  EXPECT_NE(loose.err.find("NOT SOLVED: 3 of 3 above 1e-8"), std::string::npos) << loose.err;
  EXPECT_EQ(read_json(folder / "r.json")[0]["status"], "iteration_limit");
  EXPECT_EQ(run(solve({"--outer", "fbf", "--max-outer", "1", "--strict", "--quiet"})).status, 3);
  EXPECT_EQ(run(solve({"--strict"})).status, 0);
}

TEST_F(Solve, TimeLimitEndsALongSolve) {
  const Outcome outcome = run({"solve", files[0], "--outer", "fbf", "--tol", "1e-30", "--max-outer", "2000000000",
                               "--time-limit", "0.2", "--json", folder / "r.json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_json(folder / "r.json")[0]["status"], "time_limit");
}

TEST_F(Solve, OutputsReplaceOldOnesWithoutTraces) {
  write_all(folder / "r.json", "old");
  run_well({"solve", files[0], "--json", folder / "r.json", "--solution", folder / "s.hdf5"});
  EXPECT_EQ(read_json(folder / "r.json").size(), 1U);
  EXPECT_EQ(folder.names(),
            (std::vector<std::string>{"arch-0000.hdf5", "arch-0001.hdf5", "arch-0002.hdf5", "r.json", "s.hdf5"}));
}

TEST(SolveText, OneContactHasTheClosedFormsCertificate) {
  const Folder folder;
  const std::string file = folder / "one.dat";
  write_all(file, one_contact(2, -1, 0.1, 0, 0.5));
  for (const std::string outer : {"auto", "newton", "fbf", "picard", "nsgs", "padmm", "staggered"}) {
    run_well({"solve", file, "--outer", outer, "--json", folder / "r.json", "--strict"});
    const json record = read_json(folder / "r.json")[0];
    EXPECT_EQ(record["outer"], outer);
    EXPECT_EQ(record["form"], "matrix");
    EXPECT_EQ(record["format"], "dat-dense");
  }
}

TEST(SolveText, BrokenNumbersAreNullWithAReasonAndFour) {
  const Folder folder;
  const std::string broken = folder / "broken.dat", sound = folder / "sound.dat";
  write_all(broken, one_contact(1e-200, -1e200, 0, 0, 0.5));  // λ = 1e400
  write_all(sound, one_contact(1, -1, 0, 0, 0.5));
  const Outcome outcome =
      run({"solve", broken, "--json", folder / "r.json", "--strict", "--solution", folder / "s.hdf5"});
  EXPECT_EQ(outcome.status, 4) << outcome.err;
  const json record = read_json(folder / "r.json")[0];
  EXPECT_EQ(record["status"], "numerical_failure");
  EXPECT_TRUE(record["r_c"].is_null());
  EXPECT_TRUE(record["nat"].is_null());
  EXPECT_NE(record["why"].get<std::string>().find("nat is not a number"), std::string::npos) << record["why"];
  EXPECT_FALSE(std::filesystem::exists(folder / "s.hdf5"));
  EXPECT_EQ(run({"solve", sound, broken, "--quiet"}).status, 4);
}

TEST(SolveText, NoContactsIsSolved) {
  const Folder folder;
  write_all(folder / "none.dat", "3 0 0 0 0 0 0\n");
  run_well({"solve", folder / "none.dat", "--json", folder / "r.json", "--strict"});
  const json record = read_json(folder / "r.json")[0];
  EXPECT_EQ(record["contacts"], 0);
  EXPECT_EQ(record["r_c"], 0.0);
  EXPECT_EQ(record["nat"], 0.0);
}

}  // namespace
}  // namespace repose::testing
