// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace repose::bench {

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string short_ms(double ms) {
  if (!std::isfinite(ms)) return "-";
  if (ms >= 1000) return fmt::format("{:.0f}", ms);
  return fmt::format("{:.{}f}", ms, ms >= 100 ? 0 : ms >= 10 ? 1 : ms >= 1 ? 2 : ms >= 0.1 ? 3 : 4);
}

std::string ms_median_max(double median, double max) { return short_ms(median) + " (" + short_ms(max) + ")"; }

std::string short_residual(double value) {
  if (value == 0) return "0";
  return std::isfinite(value) ? short_power(value) : "-";
}

std::string short_power(double value) {
  std::string text = fmt::format("{:.0e}", value);
  const std::size_t e = text.find('e');
  return fmt::format("{}e{}", text.substr(0, e), std::stoi(text.substr(e + 1)));
}

std::string share(int part, int whole) { return fmt::format("{}/{}", part, whole); }

std::string percent(int part, int whole) { return whole > 0 ? std::to_string(100 * part / whole) : "-"; }

}  // namespace repose::bench
