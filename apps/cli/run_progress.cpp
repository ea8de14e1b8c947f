// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/run_progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "apps/terminal/console.h"

namespace repose::cli {
namespace {

using namespace std::chrono_literals;
constexpr auto kTerminalPause = 100ms;
constexpr auto kLogPause = 5s;
constexpr int kBarWidth = 24;

std::string bar(double share) {
  const int full = std::clamp(static_cast<int>(share * kBarWidth), 0, kBarWidth);
  std::string text = "[";
  for (int k = 0; k < kBarWidth; ++k) text += k < full ? '#' : '.';
  return text + ']';
}

std::string clock_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600)
    return fmt::format("{:.0f} min {:.0f} s", seconds / 60 - 0.5, seconds - 60 * static_cast<int>(seconds / 60));
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

RunProgress::RunProgress(bool wanted, int steps)
    : wanted_(wanted), on_terminal_(is_terminal(stderr)), steps_(std::max(steps, 1)) {}

void RunProgress::note(int done, const StepReport& report, double worst, double tolerance) {
  if (!wanted_) return;
  const Clock::time_point now = Clock::now();
  if (now - shown_ < (on_terminal_ ? Clock::duration(kTerminalPause) : Clock::duration(kLogPause))) return;
  shown_ = now;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double left = elapsed / std::max(done, 1) * (steps_ - done);
  const std::string text =
      fmt::format("{} {}/{} steps  t {:.2f} s  {} contacts  worst residual {}{}  {} left",
                  bar(static_cast<double>(done) / steps_), done, steps_, report.time, report.contacts,
                  short_residual(worst), worst > tolerance ? " (above tolerance)" : "", clock_text(left));
  if (!on_terminal_) return fmt::print(stderr, "repose: {}\n", text);
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
  visible_ = true;
}

void RunProgress::erase() {
  if (!visible_) return;
  visible_ = false;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace repose::cli
