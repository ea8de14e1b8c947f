// SPDX-License-Identifier: Apache-2.0
// One line on standard error that says where a long run is: rewritten in place on a terminal, otherwise a new line at
// most every 5 s. A thread of its own looks at the clock; solvers only leave numbers behind, so that nothing depends
// on when it looks.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "repose/contact/residual.h"

namespace repose::cli {

class Progress {
  using Clock = std::chrono::steady_clock;

 public:
  /// One job under way, between start() and finish().
  struct Job {
    Job(int number_, std::string name_) : number(number_), name(std::move(name_)) {}
    const int number;  ///< from 1
    const std::string name;
    const Clock::time_point since = Clock::now();
    std::atomic<int> iteration{0};
    std::atomic<double> r_c{0}, nat{0};

    void note(int k, const Certificate& certificate) {
      iteration.store(k, std::memory_order_relaxed);
      r_c.store(certificate.r_c(), std::memory_order_relaxed);
      nat.store(certificate.nat, std::memory_order_relaxed);
    }
  };
  using Handle = std::list<Job>::iterator;

  Progress(bool wanted, int total);
  ~Progress();  ///< erases the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  [[nodiscard]] Handle start(int number, std::string name);
  void finish(Handle job);
  /// Runs `print` with the line out of the way.
  void above(const std::function<void()>& print);

 private:
  void watch(const std::stop_token& stop);
  void show();
  void erase();
  [[nodiscard]] std::string describe() const;

  const bool on_terminal_;
  const int total_;
  bool visible_ = false;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::list<Job> jobs_;  // oldest first
  std::jthread watcher_;
};

}  // namespace repose::cli
