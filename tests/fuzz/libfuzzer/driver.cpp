// SPDX-License-Identifier: Apache-2.0
// One of the targets as libFuzzer calls it: REPOSE_FUZZ_TARGET is its name. Without it the environment variable of that
// name chooses: one program for machines that have no sources (scripts/fuzz_bundle).
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/targets.h"

namespace {

#ifdef REPOSE_FUZZ_TARGET
#define REPOSE_JOIN(a, b) a##b
#define REPOSE_FEED(name) REPOSE_JOIN(repose::fuzz::feed_, name)
constexpr auto feed = REPOSE_FEED(REPOSE_FUZZ_TARGET);
#else
using Feed = void (*)(repose::fuzz::Bytes bytes);

Feed chosen() {
  const char* name = std::getenv("REPOSE_FUZZ_TARGET");
  for (const repose::fuzz::Target& target : repose::fuzz::kTargets)
    if (name != nullptr && std::string_view(name) == target.name) return target.feed;
  std::fprintf(stderr, "REPOSE_FUZZ_TARGET: expected the name of a target, got '%s'\n", name == nullptr ? "" : name);
  std::exit(2);
}

const Feed feed = chosen();
#endif

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // libFuzzer leaves with exit() when its time is up.
  return std::atexit([] { std::fprintf(stderr, "accepted: %ld\n", repose::fuzz::accepted()); });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  feed({bytes, size});
  return 0;
}
