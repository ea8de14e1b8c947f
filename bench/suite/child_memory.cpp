// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/child_memory.h"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "repose/base/error.h"

namespace repose::bench {
namespace {

/// Peak resident size, MiB, and whether `work` returned true.
std::pair<double, bool> run_child(const std::function<bool()>& work) {
  const pid_t child = fork();
  require(child >= 0, "fork: expected a child process, got none");
  if (child == 0) _exit(work() ? 0 : 1);
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  return {static_cast<double>(used.ru_maxrss) / 1024, WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

}  // namespace

ChildMemory measure_memory(const std::function<bool()>& work) {
  malloc_trim(0);  // pages that are free here would be reused there unseen
  const double base = run_child([] { return true; }).first;
  const auto [peak, succeeded] = run_child(work);
  return {.peak_mib = peak, .growth_mib = std::max(0.0, peak - base), .succeeded = succeeded};
}

}  // namespace repose::bench
