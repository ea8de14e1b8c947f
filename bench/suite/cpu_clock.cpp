// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/cpu_clock.h"

#include <cmath>
#include <csignal>

#include "repose/base/error.h"

namespace repose::bench {
namespace {

static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

int deadline_signal() { return SIGRTMIN; }

extern "C" void note_deadline(int, siginfo_t* info, void*) {
  static_cast<std::atomic<bool>*>(info->si_value.sival_ptr)->store(true, std::memory_order_relaxed);
}

void catch_deadlines() {
  struct sigaction action {};
  action.sa_sigaction = note_deadline;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(deadline_signal(), &action, nullptr);
}

timespec split(double seconds) {
  const double whole = std::floor(seconds);
  return {static_cast<time_t>(whole), static_cast<long>(1e9 * (seconds - whole))};
}

}  // namespace

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

CpuDeadline::CpuDeadline(double seconds, std::atomic<bool>& flag) {
  if (seconds <= 0) return;
  catch_deadlines();
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = deadline_signal();
  event.sigev_value.sival_ptr = &flag;
  require(timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0,
          "clock: expected a timer of CPU time, got none on this system");
  armed_ = true;
  const itimerspec when{.it_interval = {}, .it_value = split(seconds)};
  timer_settime(timer_, 0, &when, nullptr);
}

CpuDeadline::~CpuDeadline() {
  if (armed_) timer_delete(timer_);
}

}  // namespace repose::bench
