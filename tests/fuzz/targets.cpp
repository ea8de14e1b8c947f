// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/targets.h"

#include <utility>

/// What the leak sanitizer passes over: the HDF5 library loses memory of its own when a file is damaged.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }

namespace repose::fuzz {

long& accepted() {
  static long count = 0;
  return count;
}

std::vector<FreshSeed> fresh_seeds() {
  std::vector<FreshSeed> seeds = fresh_problems();
  for (FreshSeed& seed : fresh_recordings()) seeds.push_back(std::move(seed));
  return seeds;
}

}  // namespace repose::fuzz
