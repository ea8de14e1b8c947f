// SPDX-License-Identifier: Apache-2.0
// Every input of tests/fuzz/seeds, those that once were findings among them, is accepted or refused and does nothing
// else. scripts/fuzz looks for new ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/fuzz/targets.h"

namespace repose::fuzz {

void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

namespace {

namespace fs = std::filesystem;

class Seeds : public ::testing::TestWithParam<Target> {};

void feed(const std::string& name, const std::string& bytes) {
  std::cout << name << std::endl;  // the last one is to blame, should the program end here
  Seeds::GetParam().feed({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_P(Seeds, AreAcceptedOrRefused) {
  std::vector<fs::path> files;
  const fs::path folder = fs::path(REPOSE_SOURCE_DIR "/tests/fuzz/seeds") / GetParam().name;
  if (fs::exists(folder))  // one with fresh seeds alone has none
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  const long before = accepted();
  for (const fs::path& file : files) feed(file.filename().string(), content_of(file));
  for (const FreshSeed& seed : fresh_seeds()) {
    if (seed.target != GetParam().name) continue;
    const long accepted_before = accepted();
    feed(seed.name, seed.bytes);
    EXPECT_EQ(accepted(), accepted_before + 1) << seed.name;
  }
  EXPECT_GT(accepted(), before) << "a target that refuses everything tests little";
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Seeds, ::testing::ValuesIn(kTargets),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace repose::fuzz
