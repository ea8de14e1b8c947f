// SPDX-License-Identifier: Apache-2.0
// The threads of one world: a task arena of its own. Nothing process-wide is set, so that worlds with different numbers
// of threads, and other users of TBB in the same process, do not influence each other.
#pragma once

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <optional>

#include "repose/base/task_order_internal.h"

namespace repose {

class Workers {
 public:
  /// `threads` ≥ 1, the caller's included; at most as many as the machine has cores.
  explicit Workers(int threads) {
    if (threads > 1) arena_.emplace(std::min(threads, tbb::info::default_concurrency()));
  }

  /// Calls work(k) for k = 0 .. count − 1, in any order and at the same time.
  template <class Work>
  void for_each(int count, const Work& work) {
    if (arena_ && count > 1) {
      TaskOrder order;
      const auto task = order.task(work);
      const auto loop = [&] { tbb::parallel_for(0, count, task); };
      order.start();
      arena_->execute(loop);
    } else {
      for (int k = 0; k < count; ++k) work(k);
    }
  }

 private:
  std::optional<tbb::task_arena> arena_;  ///< for more than one thread
};

}  // namespace repose
