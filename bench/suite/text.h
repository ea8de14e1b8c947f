// SPDX-License-Identifier: Apache-2.0
// Numbers as short as a table wants them.
#pragma once

#include <string>
#include <string_view>

namespace repose::bench {

/// Characters on the screen (code points of UTF-8).
[[nodiscard]] std::size_t text_width(std::string_view text);
/// Three digits: "0.0412", "18.3", "12400"; "-" when not finite.
[[nodiscard]] std::string short_ms(double ms);
/// "0.41 (0.53)"
[[nodiscard]] std::string ms_median_max(double median, double max);
/// "3e-11"; "0"
[[nodiscard]] std::string short_residual(double value);
/// "1e-8"
[[nodiscard]] std::string short_power(double value);
/// "11/12"
[[nodiscard]] std::string share(int part, int whole);
/// Percent, rounded down, so that 100 means all: "98"
[[nodiscard]] std::string percent(int part, int whole);

}  // namespace repose::bench
