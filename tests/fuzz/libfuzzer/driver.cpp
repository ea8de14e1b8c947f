// SPDX-License-Identifier: Apache-2.0
// One of the targets as libFuzzer calls it: REPOSE_FUZZ_TARGET is its name.
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/targets.h"

#define REPOSE_JOIN(a, b) a##b
#define REPOSE_FEED(name) REPOSE_JOIN(repose::fuzz::feed_, name)

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // libFuzzer leaves with exit() when its time is up.
  return std::atexit([] { std::fprintf(stderr, "accepted: %ld\n", repose::fuzz::accepted()); });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  REPOSE_FEED(REPOSE_FUZZ_TARGET)({bytes, size});
  return 0;
}
