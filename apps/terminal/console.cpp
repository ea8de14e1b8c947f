// SPDX-License-Identifier: Apache-2.0
#include "apps/terminal/console.h"

#include <fmt/core.h>
#include <unistd.h>
#include <charconv>

#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace repose::cli {
namespace {

const char* code(Style style) {
  switch (style) {
    case Style::kPlain: return "";
    case Style::kBold: return "\x1b[1m";
    case Style::kDim: return "\x1b[2m";
    case Style::kGood: return "\x1b[32m";
    case Style::kWarn: return "\x1b[1;33m";
    case Style::kBad: return "\x1b[1;31m";
  }
  return "";
}

}  // namespace

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

Console::Console(std::FILE* stream) : stream_(stream) {
  const char* refused = std::getenv("NO_COLOR");
  colour_ = is_terminal(stream) && !(refused && *refused);
}

std::string Console::paint(Style style, std::string_view text) const {
  if (!colour_ || style == Style::kPlain || text.empty()) return std::string(text);
  return fmt::format("{}{}\x1b[0m", code(style), text);
}

void Console::line(std::string_view text) const {
  const std::size_t end = text.find_last_not_of(' ');
  fmt::print(stream_, "{}\n", text.substr(0, end == text.npos ? 0 : end + 1));
  std::fflush(stream_);
}

std::string short_residual(double value) {
  if (value == 0) return "0";
  if (std::isnan(value)) return "nan";  // without its sign
  return fmt::format("{:.1e}", value);
}

std::string short_ms(double ms) {
  if (ms >= 99.95) return fmt::format("{:.0f}", ms);
  if (ms >= 9.995) return fmt::format("{:.1f}", ms);
  return ms >= 0.09995 ? fmt::format("{:.2f}", ms) : fmt::format("{:.3f}", ms);
}

std::string short_power(double value) {
  std::string text = fmt::format("{:g}", value);
  if (value > 0 && value < 1e-2) {
    char digits[32];
    text.assign(digits, std::to_chars(digits, digits + sizeof digits, value, std::chars_format::scientific).ptr);
  }
  const std::size_t e = text.find("e-0");
  if (e != text.npos) text.erase(e + 2, 1);
  return text;
}

ShownNames shown_names(const std::vector<std::string>& files) {
  ShownNames shown;
  if (!files.empty()) shown.folder = std::filesystem::path(files.front()).parent_path().string();
  for (const std::string& file : files)
    if (std::filesystem::path(file).parent_path().string() != shown.folder) shown.folder.clear();
  for (const std::string& file : files)
    shown.names.push_back(shown.folder.empty() ? file : std::filesystem::path(file).filename().string());
  return shown;
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace repose::cli
