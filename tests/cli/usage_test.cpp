// SPDX-License-Identifier: Apache-2.0
// Help, version, and what a wrong command line or a bad file gets: one line, the right exit status, nothing written.
#include "repose/base/version.h"
#include "tests/cli/program.h"

namespace repose::testing {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

TEST(Usage, EveryHelpHasAnExample) {
  for (const Arguments& arguments : {Arguments{"--help"},
                                     {"scenes", "--help"},
                                     {"solve", "--help"},
                                     {"generate", "--help"},
                                     {"score", "--help"},
                                     {"bench", "--help"}}) {
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
  EXPECT_TRUE(contains(outcome.err, mistake.named)) << outcome.err << "should name " << mistake.named;
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
      {{"solve", file, "--tol", "0"}, "--tol: found '0', allowed"},
      {{"solve", file, "--tol", "-1e-8"}, "--tol: found '-1e-8', allowed"},
      {{"solve", file, "--tol", "nan"}, "--tol: found 'nan', allowed"},
      {{"solve", file, "--tol", "1e-8x"}, "--tol: found '1e-8x', allowed"},
      {{"solve", file, "--tol"}, "--tol"},
      {{"solve", file, "--outer", "newtonn"}, "--outer: found 'newtonn', allowed auto, newton, fbf"},
      {{"solve", file, "--inner", "gauss"}, "--inner: found 'gauss', allowed auto, bgs"},
      {{"solve", file, "--max-outer", "0"}, "--max-outer: found '0', allowed"},
      {{"solve", file, "--max-outer", "1.5"}, "--max-outer: found '1.5', allowed"},
      {{"solve", file, "--max-outer", "99999999999"}, "--max-outer: found '99999999999', allowed"},
      {{"solve", file, "--repeat", "0"}, "--repeat: found '0', allowed"},
      {{"solve", file, "--threads", "0"}, "--threads: found '0', allowed"},
      {{"solve", file, "--time-limit", "0"}, "--time-limit: found '0', allowed"},
      {{"solve", file, "--json", folder / "no/such.json"}, "--json: found"},
      {{"solve", file, "--json", file}, "--json: found"},
      {{"solve", file, "--solution", folder / "no.txt"}, "--solution: found"},
      {{"solve", file, file, "--solution", folder / "s.hdf5"}, "--solution: found 2 input files, allowed one"},
      {{"generate"}, "NAME"},
      {{"generate", "castle"}, "'castle'"},
      {{"generate", "arch", "--set", "stones"}, "--set: found 'stones', allowed key=number"},
      {{"generate", "arch", "--set", "stones=many"}, "--set: found 'stones=many', allowed key=number"},
      {{"generate", "arch", "--set", "stones=1"}, "stones: found '1', allowed a whole number"},
      {{"generate", "arch", "--set", "towers=1"}, "'towers'"},
      {{"generate", "arch", "--steps", "0"}, "--steps: found '0', allowed"},
      {{"generate", "--list", "castle"}, "'castle'"},
      {{"score"}, "FILE"},
      {{"bench", "dance"}, "found 'dance', allowed structures"},
      {{"bench", "structures", "--peer", "mujoco"}, "allowed with 'repose bench peers' only"},
      {{"bench", "peers", "structures"}, "allowed peers alone"},
      {{"bench", "peers", "--tol", "1e-3"}, "peers: found --seeds, --tol, --out"},
      {{"bench", "peers", "--seconds", "0"}, "--seconds: found '0', allowed"},
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
  expect_refused({{"solve", file, "--outer", "fbf", "--acceleration", "17"}, "--acceleration: found '17', allowed"}, 2);
  expect_refused({{"solve", file, "--outer", "fbf", "--stop", "soon"}, "--stop: found 'soon', allowed"}, 2);
  expect_refused({{"solve", file, "--history"}, "--history: found no --json"}, 2);
  run_well({"solve", file, "--outer", "fbf", "--safety", "5", "--acceleration", "4", "--stop", "paper"});
  run_well({"solve", file, "--outer", "fbf", "--inner", "auto", "--gamma", "0.5", "--inner-iterations", "3"});
  run_well({"solve", file, "--outer", "picard", "--inner", "bgs", "--inner-iterations", "3"});
}

TEST_F(UsageWithFile, BadInputIsOneAndNothingIsWritten) {
  const std::string broken = folder / "broken.hdf5";
  write_all(broken, "not a problem");
  for (const std::string& bad : {broken, folder / "missing.dat"})
    expect_refused({{"solve", file, bad, "--json", folder / "r.json"}, bad + ": file: found"}, 1);
  expect_refused({{"solve", broken, "--solution", folder / "s.hdf5"}, broken + ": file: found"}, 1);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"broken.hdf5", "one.dat"}));
}

TEST_F(UsageWithFile, ScoreNeedsASolution) { expect_refused({{"score", file}, file + ": /solution/r: found none"}, 1); }

}  // namespace
}  // namespace repose::testing
