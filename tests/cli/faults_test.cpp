// SPDX-License-Identifier: Apache-2.0
// Memory and disks that fail at one moment of a run after the other: one line, exit status 1, and what was written
// whole. REPOSE_ALL_FAULTS=1 tries every single allocation and write, not some of them.
#include <cstdlib>

#include "tests/cli/program.h"

namespace repose::testing {
namespace {

[[maybe_unused]] bool all_faults() { return std::getenv("REPOSE_ALL_FAULTS") != nullptr; }

#ifdef REPOSE_FAILING_ALLOCATIONS
TEST(Faults, AnAllocationThatFailsEndsARunWithOneLine) {
  const Folder folder;
  const Arguments command{"run",           REPOSE_SOURCE_DIR "/tests/fuzz/seeds/native/joints.json",
                          "--steps",       "2",
                          "--quiet",       "--record",
                          folder / "r.h5", "--checkpoint",
                          folder / "c",    "--json",
                          folder / "j",    "--log",
                          folder / "l"};
  const std::string preload = "export LD_PRELOAD=" REPOSE_FAILING_ALLOCATIONS;
  ASSERT_EQ(run_in_shell(preload + " REPOSE_ALLOCATIONS=" + (folder / "count") + ";", command).status, 0);
  const long all = std::stol(read_all(folder / "count"));
  ASSERT_GT(all, 1000);
  const long tried = all_faults() ? all : 60;
  int ended = 0;
  for (long k = 0; k < tried; ++k) {
    const std::string which = std::to_string(k * all / tried);
    SCOPED_TRACE("allocation " + which + " of " + std::to_string(all));
    const Outcome outcome = run_in_shell(preload + " REPOSE_FAIL_ALLOCATION=" + which + ";", command);
    if (outcome.status == 0) continue;  // one that the library can do without
    ++ended;
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("repose: ")) << outcome.err;
  }
  EXPECT_GT(ended, tried / 2);
  std::cout << ended << " of " << tried << " runs ended, of " << all << " allocations\n";
}
#endif

#ifdef REPOSE_FAILING_WRITES
class FailingWrites : public ::testing::Test {
 protected:
  /// A run of which the output with this name gets a full disk after so many writes.
  Outcome run_with_full_disk(const std::string& name, int writes) const {
    return run_in_shell("export LD_PRELOAD=" REPOSE_FAILING_WRITES " REPOSE_FULL_FILE=" + name +
                            " REPOSE_FULL_AFTER=" + std::to_string(writes) + ";",
                        {"run", "incline", "--steps", "3", "--quiet", "--record", folder / "run.h5", "--checkpoint",
                         folder / "state.bin", "--json", folder / "report.json", "--log", folder / "lines.jsonl"});
  }
  void expect_one_line(const Outcome& outcome, const std::string& name) const {
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
    EXPECT_NE(outcome.err.find(name), std::string::npos) << outcome.err;
  }
  /// Those that did not fail are complete.
  void expect_whole_besides(const std::string& failed) const {
    if (failed != "state.bin") run_well({"run", "incline", "--steps", "1", "--quiet", "--from", folder / "state.bin"});
    if (failed != "report.json") {
      EXPECT_TRUE(read_json(folder / "report.json").contains("ended"));
    }
    if (failed != "run.h5") run_well({"check", folder / "run.h5", "--quiet"});
    for (const std::string& name : folder.names()) EXPECT_EQ(name.find(".part-"), name.npos) << name;
  }
  void clear() const {
    for (const std::string& name : folder.names()) std::filesystem::remove(folder / name);
  }
  const Folder folder;
};

TEST_F(FailingWrites, OfCheckpointReportAndLogAreNamed) {
  for (const char* name : {"state.bin", "report.json", "lines.jsonl"}) {
    int writes = 0;
    for (;; ++writes) {
      SCOPED_TRACE(std::string(name) + " after " + std::to_string(writes));
      clear();
      const Outcome outcome = run_with_full_disk(name, writes);
      if (outcome.status == 0) break;
      expect_one_line(outcome, name);
      expect_whole_besides(name);
      ASSERT_LT(writes, 50);
    }
    EXPECT_GT(writes, 0) << name;
  }
}

/// There is no recording, or one of which every step checks, as many as the message says.
TEST_F(FailingWrites, OfARecordingLeaveWhatTheMessageSays) {
  int writes = 0, kept = 0;
  for (;; writes += all_faults() ? 1 : 9) {
    SCOPED_TRACE(writes);
    clear();
    const Outcome outcome = run_with_full_disk("run.h5", writes);
    if (outcome.status == 0) break;
    expect_one_line(outcome, "run.h5");
    ASSERT_LT(writes, 1000);
    if (outcome.err.find("after step") == std::string::npos) continue;  // it could not be begun
    ++kept;
    const json checked = json::parse(run_well({"check", folder / "run.h5", "--json", "-", "--quiet"}).out);
    EXPECT_NE(outcome.err.find("after step " + checked["steps"].dump() + ", its last"), std::string::npos)
        << outcome.err << checked["steps"];
    expect_whole_besides("run.h5");
  }
  EXPECT_GT(writes, 10);
  std::cout << writes << " writes, " << kept << " recordings kept\n";
}
#endif

}  // namespace
}  // namespace repose::testing
