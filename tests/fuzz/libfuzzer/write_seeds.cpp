// SPDX-License-Identifier: Apache-2.0
// Writes the inputs that are made anew: write_seeds FOLDER makes FOLDER/<target>/<name>.
#include <filesystem>
#include <fstream>

#include "tests/fuzz/targets.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const repose::fuzz::FreshSeed& seed : repose::fuzz::fresh_seeds()) {
    const std::filesystem::path folder = std::filesystem::path(argv[1]) / seed.target;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / seed.name, std::ios::binary) << seed.bytes;
  }
  return 0;
}
