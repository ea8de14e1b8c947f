// SPDX-License-Identifier: Apache-2.0
// Text for people: colour on a terminal only, numbers as short as a table wants them.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace repose::cli {

enum class Style { kPlain, kBold, kDim, kGood, kWarn, kBad };

[[nodiscard]] bool is_terminal(std::FILE* stream);

/// A stream that people read. Colour needs a terminal, and NO_COLOR unset (https://no-color.org).
class Console {
 public:
  explicit Console(std::FILE* stream);
  [[nodiscard]] std::string paint(Style style, std::string_view text) const;
  void line(std::string_view text = "") const;

 private:
  std::FILE* stream_;
  bool colour_;
};

/// "3.1e-11", "0", "nan"
[[nodiscard]] std::string short_residual(double value);
/// "0.004", "0.41", "18.3", "12400"
[[nodiscard]] std::string short_ms(double ms);
/// 1e-8, not 1e-08; 1e-4, not 0.0001
[[nodiscard]] std::string short_power(double value);

/// The folder that all files share (empty: none), and their names without it.
struct ShownNames {
  std::string folder;
  std::vector<std::string> names;
};
[[nodiscard]] ShownNames shown_names(const std::vector<std::string>& files);

/// "1 problem", "12 problems"
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);

}  // namespace repose::cli
