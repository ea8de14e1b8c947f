// SPDX-License-Identifier: Apache-2.0
// Help, version, and what a wrong command line or a bad file gets: one line, the right exit status, nothing written.
#include "repose/base/version.h"
#include "tests/cli/program.h"
#include "tests/support/complaint.h"

namespace repose::testing {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

TEST(Usage, EveryHelpHasAnExample) {
  for (const Arguments& arguments :
       {Arguments{"--help"}, {"scenes", "--help"}, {"solve", "--help"}, {"generate", "--help"}, {"score", "--help"}}) {
    const Outcome help = run_well(arguments);
    EXPECT_TRUE(contains(help.out, "Example") && contains(help.out, "\n  repose ")) << help.out;
    EXPECT_EQ(help.err, "");
  }
}

TEST(Usage, VersionIsTheProjects) { EXPECT_EQ(run_well({"--version"}).out, "repose " + std::string(kVersion) + "\n"); }

struct Mistake {
  Arguments arguments;
  std::string named;  ///< what the line must name
};

void expect_refused(const Mistake& mistake, int status) {
  const Outcome outcome = run(mistake.arguments);
  EXPECT_EQ(outcome.status, status) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("repose: ")) << outcome.err;
  EXPECT_TRUE(says(outcome.err, mistake.named)) << outcome.err << "should name " << mistake.named;
}

class UsageWithFile : public ::testing::Test {
 protected:
  UsageWithFile() { write_all(file, one_contact(1, -1, 0.5, 0, 0.3)); }
  const Folder folder;
  const std::string file = folder / "one.dat";
};

TEST_F(UsageWithFile, WrongUsageIsTwo) {
  const Mistake mistakes[] = {
      {{}, "command"},
      {{"dance"}, "'dance'"},
      {{"--dance"}, "--dance"},
      {{"solve"}, "FILE"},
      {{"solve", file, "--dance"}, "--dance"},
      {{"solve", file, "--tol", "0"}, "--tol: expected … got '0'"},
      {{"solve", file, "--tol", "-1e-8"}, "--tol: expected … got '-1e-8'"},
      {{"solve", file, "--tol", "nan"}, "--tol: expected … got 'nan'"},
      {{"solve", file, "--tol", "1e-8x"}, "--tol: expected … got '1e-8x'"},
      {{"solve", file, "--tol"}, "--tol"},
      {{"solve", file, "--outer", "newtonn"}, "--outer: expected auto, newton, fbf … got 'newtonn'"},
      {{"solve", file, "--inner", "gauss"}, "--inner: expected auto, bgs … got 'gauss'"},
      {{"solve", file, "--max-outer", "0"}, "--max-outer: expected … got '0'"},
      {{"solve", file, "--max-outer", "1.5"}, "--max-outer: expected … got '1.5'"},
      {{"solve", file, "--max-outer", "99999999999"}, "--max-outer: expected … got '99999999999'"},
      {{"solve", file, "--repeat", "0"}, "--repeat: expected … got '0'"},
      {{"solve", file, "--threads", "0"}, "--threads: expected … got '0'"},
      {{"solve", file, "--time-limit", "0"}, "--time-limit: expected … got '0'"},
      {{"solve", file, "--json", folder / "no/such.json"}, "--json: expected"},
      {{"solve", file, "--json", file}, "--json: expected"},
      {{"solve", file, "--solution", folder / "no.txt"}, "--solution: expected"},
      {{"solve", file, file, "--solution", folder / "s.hdf5"}, "--solution: expected one … got 2 input files"},
      {{"generate"}, "NAME"},
      {{"generate", "castle"}, "'castle'"},
      {{"generate", "arch", "--set", "stones"}, "--set: expected key=number … got 'stones'"},
      {{"generate", "arch", "--set", "stones=many"}, "--set: expected key=number … got 'stones=many'"},
      {{"generate", "arch", "--set", "stones=1"}, "stones: expected a whole number … got '1'"},
      {{"generate", "arch", "--set", "towers=1"}, "'towers'"},
      {{"generate", "arch", "--steps", "0"}, "--steps: expected … got '0'"},
      {{"generate", "--list", "castle"}, "'castle'"},
      {{"score"}, "FILE"},
  };
  for (const Mistake& mistake : mistakes) expect_refused(mistake, 2);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"one.dat"});
}

TEST_F(UsageWithFile, OptionsThatTheSchemeIgnoresAreRefused) {
  for (const std::string outer : {"auto", "newton", "nsgs", "padmm", "staggered", "picard", "relaxed"})
    for (const Arguments& option :
         {Arguments{"--gamma", "1"}, {"--safety", "1"}, {"--acceleration", "4"}, {"--stop", "paper"}})
      expect_refused({{"solve", file, "--outer", outer, option[0], option[1]}, option[0]}, 2);
  for (const std::string outer : {"auto", "newton", "nsgs", "padmm", "staggered"}) {
    expect_refused({{"solve", file, "--outer", outer, "--inner", "bgs"}, "--inner"}, 2);
    expect_refused({{"solve", file, "--outer", outer, "--inner-iterations", "3"}, "--inner-iterations"}, 2);
  }
  expect_refused({{"solve", file, "--outer", "fbf", "--gamma", "1", "--safety", "1"}, "--safety"}, 2);
  expect_refused({{"solve", file, "--outer", "fbf", "--acceleration", "17"}, "--acceleration: expected … got '17'"}, 2);
  expect_refused({{"solve", file, "--outer", "fbf", "--stop", "soon"}, "--stop: expected … got 'soon'"}, 2);
  expect_refused({{"solve", file, "--history"}, "--history: expected … got no --json"}, 2);
  run_well({"solve", file, "--outer", "fbf", "--safety", "5", "--acceleration", "4", "--stop", "paper"});
  run_well({"solve", file, "--outer", "fbf", "--step-rule", "measured", "--power-products", "10", "--test-every", "5",
            "--answer", "last", "--storage", "single", "--tol", "1e-5"});
  run_well({"solve", file, "--outer", "fbf", "--inner", "auto", "--gamma", "0.5", "--inner-iterations", "3"});
  run_well({"solve", file, "--outer", "picard", "--inner", "bgs", "--inner-iterations", "3"});
}

TEST_F(UsageWithFile, BadInputIsOneAndNothingIsWritten) {
  const std::string broken = folder / "broken.hdf5";
  write_all(broken, "not a problem");
  for (const std::string& bad : {broken, folder / "missing.dat"})
    expect_refused({{"solve", file, bad, "--json", folder / "r.json"}, bad + ": file: expected"}, 1);
  expect_refused({{"solve", broken, "--solution", folder / "s.hdf5"}, broken + ": file: expected"}, 1);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"broken.hdf5", "one.dat"}));
}

TEST_F(UsageWithFile, ScoreNeedsASolution) {
  expect_refused({{"score", file}, file + ": /solution/r: expected … got none"}, 1);
}

TEST(Bench, IsAProgramOfItsOwnThatTheCommandBecomes) {
#ifndef REPOSE_HAS_BENCH
  GTEST_SKIP() << "repose-bench is not built";
#endif
  const Outcome help = run_well({"bench", "--help"});
  EXPECT_TRUE(contains(help.out, "repose bench [OPTIONS]") && contains(help.out, "Example")) << help.out;
  EXPECT_EQ(help.err, "");
  EXPECT_TRUE(contains(run_well({"bench", "--list"}).out, "structures"));
  const Mistake mistakes[] = {
      {{"bench", "dance"}, "expected structures … got 'dance'"},
      {{"bench", "structures", "--peer", "mujoco"}, "expected with 'repose bench peers' only"},
      {{"bench", "structures", "--again"}, "expected with 'repose bench peers' only"},
      {{"bench", "structures", "--setting", "auto"}, "expected with 'repose bench peers' only"},
      {{"bench", "structures", "--scene", "cards-4"}, "NAME: expected peers or pour alone with --scene"},
      {{"bench", "structures", "--dump", "out"}, "NAME: expected … pour alone with … --dump"},
      {{"bench", "peers", "--alone"}, "NAME: expected with 'repose bench pour' only"},
      {{"bench", "peers", "structures"}, "expected peers alone"},
      {{"bench", "peers", "--tol", "1e-3"}, "peers: expected … got --seeds, --tol, --out"},
      {{"bench", "peers", "--seconds", "0"}, "--seconds: expected … got '0'"},
  };
  for (const Mistake& mistake : mistakes) expect_refused(mistake, 2);
}

TEST(Bench, ABuildWithoutItSaysHowToGetIt) {
  const Folder folder;
  std::filesystem::copy_file(REPOSE_PROGRAM, folder / "repose");
  const Outcome alone = Running({"bench", "structures"}, folder / "repose").wait();
  EXPECT_EQ(alone.status, 1);
  EXPECT_EQ(lines(alone.err), 1U);
  EXPECT_TRUE(says(alone.err, "bench: expected … repose-bench, got none; … -DREPOSE_BENCH=ON")) << alone.err;
}

}  // namespace
}  // namespace repose::testing
