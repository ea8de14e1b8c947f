// SPDX-License-Identifier: Apache-2.0
// The same program gives the same bits: final states of short runs, and impulses of stored problems, are compared with
// the hashes of hashes.txt.
//
//   test_frozen --freeze    writes the table anew (CONTRIBUTING.md, "Frozen bits")
#include <gtest/gtest.h>

#include <cstdio>
#include <exception>
#include <string_view>

#include "tests/frozen/corpus.h"
#include "tests/frozen/scenes.h"
#include "tests/frozen/table.h"

namespace repose::frozen {
namespace {

constexpr const char* kAdvice =
    "\nThe bits of this run have changed. If that is meant, run `test_frozen --freeze`, commit the table, and state "
    "the "
    "reason in the changelog under Results.";

class Frozen : public ::testing::TestWithParam<FrozenScene> {};

TEST_P(Frozen, FinalStateHasTheStoredHash) {
  const Table table = read_table();
  const auto found = table.hash.find(GetParam().name);
  ASSERT_NE(found, table.hash.end()) << "hashes.txt has no line for " << GetParam().name << kAdvice;
  EXPECT_EQ(final_hash(GetParam()), found->second) << "scene " << GetParam().name << kAdvice;
}

std::string identifier(std::string name) {
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Scene, Frozen, ::testing::ValuesIn(frozen_scenes()),
                         [](const auto& run) { return identifier(run.param.name); });

TEST(FrozenCorpus, ImpulsesHaveTheStoredHashes) {
  const Table table = read_table();
  int compared = 0;
  for (const std::string& name : corpus_solves()) {
    const auto found = table.hash.find(name);
    if (found == table.hash.end()) continue;  // dear ones
    EXPECT_EQ(corpus_answer(name).hash, found->second) << "problem " << name << kAdvice;
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

TEST(FrozenTable, NamesOnlyWhatIsRun) {
  Table table = read_table();
  for (const std::string& name : corpus_solves()) table.hash.erase(name);
  for (const FrozenScene& run : frozen_scenes()) table.hash.erase(run.name);
  for (const auto& left : table.hash) ADD_FAILURE() << "hashes.txt names " << left.first << ", which nothing runs";
}

// Dear problems are left out, but not those that are in the table: their work may grow past the limit.
int freeze() {
  const Table before = read_table();
  Table table;
  for (const FrozenScene& run : frozen_scenes()) table.hash[run.name] = final_hash(run);
  for (const std::string& name : corpus_solves())
    if (const CorpusAnswer answer = corpus_answer(name); answer.work <= kFrozenWork || before.hash.contains(name))
      table.hash[name] = answer.hash;
  write_table(table);
  std::printf("froze %zu hashes\n", table.hash.size());
  return 0;
}

}  // namespace
}  // namespace repose::frozen

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc != 2 || std::string_view(argv[1]) != "--freeze") return RUN_ALL_TESTS();
  try {
    return repose::frozen::freeze();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "test_frozen: %s\n", error.what());
    return 1;
  }
}
