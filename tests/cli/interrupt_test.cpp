// SPDX-License-Identifier: Apache-2.0
// Ctrl-C: the solve that is running ends, what was finished is written, the exit status is 130.
#include <csignal>

#include "tests/cli/program.h"

namespace repose::testing {
namespace {

class Interrupt : public ::testing::TestWithParam<int> {
 protected:
  Interrupt() {
    write_all(quick, one_contact(1, 1, 0, 0, 0.5));  // separates: λ = 0 is exact at once
    run_well({"generate", "arch", "--set", "stones=101", "--out", folder / "."});
  }
  const Folder folder;
  const std::string quick = folder / "quick.dat", slow = folder / "arch-0000.hdf5", target = folder / "r.json";
};

TEST_P(Interrupt, FinishedResultsAreWritten) {
  Running program(
      {"solve", quick, slow, quick, "--outer", "fbf", "--tol", "1e-30", "--max-outer", "2000000000", "--json", target});
  ASSERT_TRUE(program.wait_for_output("quick.dat"));
  program.send(GetParam());
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.status, 130) << outcome.out << outcome.err;
  EXPECT_NE(outcome.err.find("interrupted: 1 of 3 problems finished"), std::string::npos) << outcome.err;
  const json records = read_json(target);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0]["file"], quick);
  EXPECT_EQ(records[0]["status"], "converged");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"arch-0000.hdf5", "quick.dat", "r.json"}));
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupt, ::testing::Values(SIGINT, SIGTERM));

TEST(InterruptGenerate, WrittenFilesAreComplete) {
  const Folder folder;
  Running program({"generate", "pile", "--steps", "10000", "--out", folder / "."});
  const std::string first = folder / "pile-0000.hdf5";
  for (int k = 0; k < 600 && !std::filesystem::exists(folder / "pile-0001.hdf5"); ++k) ::usleep(100'000);
  program.send(SIGINT);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.status, 130) << outcome.err;
  for (const std::string& name : folder.names()) EXPECT_TRUE(name.ends_with(".hdf5")) << name;
  run_well({"solve", first, "--tol", "1e-4"});
}

}  // namespace
}  // namespace repose::testing
