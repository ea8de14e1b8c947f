// SPDX-License-Identifier: Apache-2.0
// repose generate: what is on offer, what is written, and that it can be written again.
#include "problems/registry.h"
#include "repose/contact/problem_file.h"
#include "tests/cli/program.h"

namespace repose::testing {
namespace {

TEST(Generate, ListsEveryKindWithItsParameters) {
  const json list = json::parse(run_well({"generate", "--list", "--json"}).out);
  ASSERT_EQ(list.size(), problems::list().size());
  for (std::size_t k = 0; k < list.size(); ++k) {
    EXPECT_EQ(list[k]["name"], problems::list()[k].name);
    for (const json& parameter : list[k]["parameters"]) {
      EXPECT_TRUE(parameter["unit"].is_string() && parameter["help"].is_string());
      EXPECT_LE(parameter["min"], parameter["default"]);
      EXPECT_GE(parameter["max"], parameter["default"]);
    }
  }
  const std::string text = run_well({"generate", "--list"}).out;
  for (const auto& kind : problems::list()) EXPECT_NE(text.find(kind.name + "  "), std::string::npos) << kind.name;
}

TEST(Generate, OneKindCanBeListedAlone) {
  const json list = json::parse(run_well({"generate", "arch", "--list", "--json"}).out);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0]["name"], "arch");
}

TEST(Generate, WritesOneFileAStepIntoANewFolder) {
  const Folder folder;
  const std::string out = folder / "new/deep";
  const Outcome outcome =
      run_well({"generate", "arch", "--set", "stones=5", "--set", "mu=0.6", "--steps", "3", "--out", out});
  EXPECT_NE(outcome.out.find("arch-0000.hdf5 … arch-0002.hdf5 · 16 contacts each"), std::string::npos) << outcome.out;
  const StoredProblem first = read_stored_problem(out + "/arch-0000.hdf5");
  const StoredProblem last = read_stored_problem(out + "/arch-0002.hdf5");
  EXPECT_FALSE(first.guess.has_value());
  ASSERT_TRUE(last.guess.has_value());
  EXPECT_FALSE(last.solution.has_value());
  EXPECT_EQ(last.problem.size(), 16);
  EXPECT_EQ(last.problem.sets().mu()[0], 0.6);
  EXPECT_TRUE(std::holds_alternative<BodyForm>(last.problem.form()));
}

TEST(Generate, TheSameSeedGivesTheSameBytes) {
  const Folder folder;
  for (const char* where : {"a", "b"})
    run_well({"generate", "wall", "--seed", "3", "--steps", "2", "--out", folder / where});
  run_well({"generate", "wall", "--seed", "4", "--steps", "2", "--out", folder / "c"});
  const auto bytes = [&](const char* where) { return read_all(folder / (std::string(where) + "/wall-0001.hdf5")); };
  EXPECT_EQ(bytes("a"), bytes("b"));
  EXPECT_NE(bytes("a"), bytes("c"));
}

TEST(Generate, FilesOfALongerRunAreMentioned) {
  const Folder folder;
  run_well({"generate", "ball", "--steps", "3", "--out", folder / "."});
  const Outcome shorter = run_well({"generate", "ball", "--steps", "2", "--out", folder / "."});
  EXPECT_NE(shorter.err.find("ball-0002.hdf5 is from an earlier, longer run"), std::string::npos) << shorter.err;
  EXPECT_EQ(folder.names().size(), 3U);
}

TEST(Generate, EveryKindComesBackSolvedAndCertified) {
  const Folder folder;
  for (const std::string name : {"arch", "cards", "rod", "ball", "box", "manufactured"}) {
    run_well({"generate", name, "--out", folder / "."});
    const std::string file = folder / (name + "-0000.hdf5"), solved = folder / (name + "-solved.hdf5");
    run_well({"solve", file, "--strict", "--solution", solved});
    run_well({"score", solved, "--strict"});
  }
}

}  // namespace
}  // namespace repose::testing
