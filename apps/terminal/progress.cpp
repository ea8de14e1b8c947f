// SPDX-License-Identifier: Apache-2.0
#include "apps/terminal/progress.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "apps/terminal/console.h"

namespace repose::cli {
namespace {

using namespace std::chrono_literals;
constexpr auto kTerminalPause = 200ms;
constexpr auto kLogPause = 5s;

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(bool wanted, int total) : on_terminal_(is_terminal(stderr)), total_(total) {
  if (wanted) watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

Progress::~Progress() {
  if (!watcher_.joinable()) return;
  watcher_.request_stop();
  watcher_.join();
  erase();
}

Progress::Handle Progress::start(int number, std::string name) {
  const std::scoped_lock lock(mutex_);
  return jobs_.emplace(jobs_.end(), number, std::move(name));
}

void Progress::finish(Handle job) {
  const std::scoped_lock lock(mutex_);
  jobs_.erase(job);
}

void Progress::above(const std::function<void()>& print) {
  const std::scoped_lock lock(mutex_);
  erase();
  print();
}

void Progress::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto pause = on_terminal_ ? Clock::duration(kTerminalPause) : Clock::duration(kLogPause);
    wake_.wait_for(lock, stop, pause, [] { return false; });
    if (stop.stop_requested()) return;
    if (!jobs_.empty()) show();
  }
}

void Progress::show() {
  std::string text = describe();
  if (!on_terminal_) return fmt::print(stderr, "repose: {}\n", text);
  text.resize(std::min(text.size(), terminal_width() - 1));
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
  visible_ = true;
}

void Progress::erase() {
  if (!std::exchange(visible_, false)) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

std::string Progress::describe() const {
  const Job& job = jobs_.front();
  std::string text = fmt::format("{}/{} {}", job.number, total_, job.name);
  if (const int k = job.iteration.load(std::memory_order_relaxed); k > 0)
    text += fmt::format("  outer {}  r_c {}  nat {}", k, short_residual(job.r_c.load(std::memory_order_relaxed)),
                        short_residual(job.nat.load(std::memory_order_relaxed)));
  text += fmt::format("  {:.1f} s", std::chrono::duration<double>(Clock::now() - job.since).count());
  if (jobs_.size() > 1) text += fmt::format("  (and {} more)", jobs_.size() - 1);
  return text;
}

}  // namespace repose::cli
