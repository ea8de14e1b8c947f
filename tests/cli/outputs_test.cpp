// SPDX-License-Identifier: Apache-2.0
// Outputs that cannot be written and inputs that are no files: one line, the documented status, the other outputs
// whole, and every step that a recording announces.
#include <sys/stat.h>

#include <csignal>

#include "tests/cli/program.h"

namespace repose::testing {
namespace {

class Outputs : public ::testing::Test {
 protected:
  /// A run whose recording fails; the other outputs go elsewhere.
  Outcome run_arch(const std::string& before) const {
    return run_in_shell(before, {"run", "arch", "--set", "stones=15", "--steps", "2000", "--quiet", "--record",
                                 recording, "--checkpoint", checkpoint, "--json", document});
  }
  void expect_the_rest_is_whole(const Outcome& outcome) const {
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
    EXPECT_NE(outcome.err.find(recording + ": recording: expected a place with room, got "), std::string::npos)
        << outcome.err;
    const json doc = read_json(document);
    EXPECT_EQ(doc["ended"].get<std::string>().find("output lost: " + recording), 0U) << doc["ended"];
    EXPECT_LT(doc["steps"], 2000);
    run_well({"run", "arch", "--set", "stones=15", "--steps", "1", "--quiet", "--from", checkpoint});
    const Outcome check = run_well({"check", recording, "--json", "-", "--quiet"});
    EXPECT_EQ(check.err, "");
    const json checked = json::parse(check.out);
    EXPECT_GT(checked["steps"], 0);
    EXPECT_NE(outcome.err.find("after step " + checked["steps"].dump() + ", its last"), std::string::npos)
        << outcome.err << checked["steps"];
  }
  const Folder folder;
  const std::string recording = folder / "arch.h5", checkpoint = folder / "arch.bin", document = folder / "arch.json";
};

TEST_F(Outputs, RecordingAtTheLimitOfAFilesSize) {
  expect_the_rest_is_whole(run_arch("ulimit -f 4096;"));  // blocks of 512 bytes
}

#ifdef REPOSE_FAILING_WRITES
/// A disk that says only in the middle of a write that it is full.
TEST_F(Outputs, RecordingOnADiskThatIsFullInTheMiddleOfAWrite) {
  for (const int writes : {600, 633, 667, 700, 721}) {
    SCOPED_TRACE(writes);
    const std::string full = "LD_PRELOAD=" REPOSE_FAILING_WRITES " REPOSE_FULL_FILE=arch.h5 REPOSE_FULL_AFTER=";
    expect_the_rest_is_whole(run_arch("export " + full + std::to_string(writes) + ";"));
  }
}
#endif

TEST_F(Outputs, StandardOutputThatIsFull) {
  for (const Arguments& command :
       {Arguments{"run", "incline", "--steps", "3"}, Arguments{"scenes"}, Arguments{"--help"}}) {
    const Outcome outcome = run_in_shell("", command, "> /dev/full");
    EXPECT_EQ(outcome.status, 1) << command[0];
    EXPECT_EQ(outcome.err,
              "repose: standard output: expected a place that can be written, got an error while writing\n");
  }
}

TEST_F(Outputs, PipesAreNoInputs) {
  const std::string pipe = folder / "pipe.h5";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const Arguments& command : {Arguments{"check", pipe}, Arguments{"view", pipe, "--no-open"},
                                   Arguments{"export", pipe, "--to", folder / "x.html"},
                                   Arguments{"run", "incline", "--steps", "1", "--from", pipe}}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 1) << command[0];
    EXPECT_NE(outcome.err.find("got something that is not a regular file"), std::string::npos) << outcome.err;
  }
}

/// The library would repeat the reading of a damaged beginning for ever.
TEST_F(Outputs, RecordingsWithADamagedBeginningAreRefused) {
  run_well({"run", "incline", "--steps", "5", "--quiet", "--record", recording});
  const std::string good = read_all(recording);
  for (std::size_t place = 0; place < 48; place += place < 8 ? 7 : 1) {
    std::string damaged = good;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    write_all(recording, damaged);
    const Outcome outcome = run({"check", recording});
    EXPECT_EQ(outcome.status, 1) << "byte " << place << outcome.out;
    EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
  }
}

}  // namespace
}  // namespace repose::testing
