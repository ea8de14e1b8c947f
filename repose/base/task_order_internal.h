// SPDX-License-Identifier: Apache-2.0
// What a parallel loop orders, said to the thread sanitizer: all tasks come after the loop's start and before its end.
// TBB's library, which sees to it, is not compiled with the sanitizer. Tasks of one loop stay unordered: races between
// them are found. Without the sanitizer this is nothing.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define REPOSE_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define REPOSE_THREAD_SANITIZER 1
#endif
#endif
#ifdef REPOSE_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#define REPOSE_UNWATCHED __attribute__((no_sanitize("thread")))
#else
#define REPOSE_UNWATCHED
#endif

namespace repose {

class TaskOrder {
 public:
  /// Calls work(k), as a task of the loop.
  template <class Work>
  void run(const Work& work, int k) {
    after(starts_);
    work(k);
    before(ends_);
  }
  /// Returns work as what the loop calls. Looking up where the order is comes before the order, and is not watched.
  template <class Work>
  [[nodiscard]] auto task(const Work& work) {
    struct Task {
      TaskOrder* order;
      const Work* work;
      REPOSE_UNWATCHED void operator()(int k) const { order->run(*work, k); }
    };
    return Task{this, &work};
  }
  /// Comes after everything that the tasks read is made, the loop itself included.
  void start() { before(starts_); }
  TaskOrder() = default;
  ~TaskOrder() { after(ends_); }
  TaskOrder(const TaskOrder&) = delete;
  TaskOrder& operator=(const TaskOrder&) = delete;

 private:
#ifdef REPOSE_THREAD_SANITIZER
  static void before(char& event) { __tsan_release(&event); }
  static void after(char& event) { __tsan_acquire(&event); }
#else
  static void before(char&) {}
  static void after(char&) {}
#endif
  char starts_ = 0, ends_ = 0;
};

}  // namespace repose
