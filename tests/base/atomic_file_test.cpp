// SPDX-License-Identifier: Apache-2.0
// A file appears complete or not at all, and trouble is named.
#include "repose/base/atomic_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "repose/base/error.h"
#include "tests/support/complaint.h"
#include "tests/support/temporary_folder.h"

namespace repose::files {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

std::string complaint(const fs::path& target) {
  return testing::complaint([&] { write_atomically(target, std::string("x")); });
}

TEST(AtomicFile, ReplacesWhatWasThere) {
  const testing::TemporaryFolder folder;
  write_atomically(folder.path() / "a", std::string("one"));
  write_atomically(folder.path() / "a", std::string("two\0three", 9));
  EXPECT_EQ(content(folder.path() / "a"), std::string("two\0three", 9));
  EXPECT_EQ(entries(folder.path()), 1U);
}

TEST(AtomicFile, ADraftThatIsNotCommittedLeavesNothing) {
  const testing::TemporaryFolder folder;
  write_atomically(folder.path() / "a", std::string("one"));
  {
    Draft draft(folder.path() / "a");
    draft.write(std::string("half"));
    EXPECT_TRUE(fs::exists(draft.path()));
    EXPECT_EQ(content(folder.path() / "a"), "one");
  }
  EXPECT_EQ(content(folder.path() / "a"), "one");
  EXPECT_EQ(entries(folder.path()), 1U);
}

TEST(AtomicFile, WritersMayOpenTheDraftByName) {
  const testing::TemporaryFolder folder;
  Draft draft(folder.path() / "a");
  std::ofstream(draft.path()) << "by name";
  draft.commit();
  EXPECT_EQ(content(folder.path() / "a"), "by name");
  EXPECT_EQ(entries(folder.path()), 1U);
}

TEST(AtomicFile, FollowsALink) {
  const testing::TemporaryFolder folder;
  write_atomically(folder.path() / "a", std::string("one"));
  fs::create_symlink(folder.path() / "a", folder.path() / "link");
  write_atomically(folder.path() / "link", std::string("two"));
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_EQ(content(folder.path() / "a"), "two");
}

TEST(AtomicFile, NamesTheTrouble) {
  const testing::TemporaryFolder folder;
  const std::string name = folder.path().string();
  EXPECT_EQ(complaint(folder.path()), name + ": output: expected a file name, got a directory");
  EXPECT_EQ(complaint(folder.path() / "no" / "a"),
            name + "/no/a: output: expected an existing folder, got no folder of that name");
  EXPECT_EQ(complaint("/dev/null"),
            "/dev/null: output: expected a file name, got something that is not a regular file");
}

}  // namespace
}  // namespace repose::files
