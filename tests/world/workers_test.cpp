// SPDX-License-Identifier: Apache-2.0
// Threads belong to a world: worlds with different numbers of them live side by side.
#include "repose/world/workers_internal.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "tests/support/world_scenes.h"

namespace repose {
namespace {

using namespace testing;

/// Concurrency that every call of the work sees.
std::set<int> concurrency(Workers& workers, int count) {
  std::vector<int> found(static_cast<std::size_t>(count));
  workers.for_each(count, [&](int k) { found[static_cast<std::size_t>(k)] = tbb::this_task_arena::max_concurrency(); });
  return {found.begin(), found.end()};
}

/// Do two calls of the work run at the same time? Each waits for the other, for ten seconds at most.
bool run_together(Workers& workers) {
  std::atomic<int> arrived{0};
  std::atomic<bool> met{true};
  workers.for_each(2, [&](int) {
    ++arrived;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (arrived < 2) {
      if (std::chrono::steady_clock::now() > end) return met.store(false);
      std::this_thread::yield();
    }
  });
  return met;
}

TEST(Workers, EachHasItsOwnNumberOfThreads) {
  Workers one(1), two(2), four(4);
  const int cores = tbb::info::default_concurrency();
  EXPECT_EQ(concurrency(two, 16), std::set<int>{std::min(2, cores)});
  EXPECT_EQ(concurrency(four, 16), std::set<int>{std::min(4, cores)});
  EXPECT_EQ(concurrency(one, 16), std::set<int>{tbb::this_task_arena::max_concurrency()}) << "on the caller's thread";
}

TEST(Workers, OneThreadRunsInOrder) {
  Workers one(1);
  std::vector<int> order;
  one.for_each(5, [&](int k) { order.push_back(k); });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(Workers, TwoThreadsRunTogetherBesideOthers) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one core";
  Workers two(2), one(1), other(2);
  EXPECT_TRUE(run_together(two));
  EXPECT_TRUE(run_together(other));
}

TEST(Workers, WorldsSetNothingForTheWholeProcess) {
  const auto allowed = [] { return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism); };
  const std::size_t before = allowed();
  World one(stack(1), {.threads = 1}), two(stack(1), {.threads = 2}), many(stack(1), {.threads = 1000});
  one.step(), two.step(), many.step();
  EXPECT_EQ(allowed(), before);
}

/// In turn, all alive together.
TEST(Workers, WorldsGiveTheSameBitsSideBySide) {
  Scene scene = busy_scene();
  for (int k = 0; k < 12; ++k) add_cube(scene, 0.7, {10.0 + 2 * k, 0, 0.5 + 0.1 * k}, {}, {0.3 * k, 0, 1});
  World one(scene, {.threads = 1}), two(scene, {.threads = 2}), four(scene, {.threads = 4});
  for (int k = 0; k < 60; ++k) {
    one.step(), two.step(), four.step();
    ASSERT_EQ(one.state_hash(), two.state_hash()) << k;
    ASSERT_EQ(one.state_hash(), four.state_hash()) << k;
  }
}

}  // namespace
}  // namespace repose
