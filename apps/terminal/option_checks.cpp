// SPDX-License-Identifier: Apache-2.0
#include "apps/terminal/option_checks.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "repose/base/parameters.h"

namespace repose::cli {
namespace {

namespace fs = std::filesystem;

std::string expected_got(std::string_view found, std::string_view allowed) {
  return fmt::format("expected {}, got '{}'", allowed, found);
}

/// A check that accepts or answers "expected …, got …".
template <class Accept>
CLI::Validator check(Accept accept, std::string allowed) {
  return CLI::Validator([accept = std::move(accept), allowed = std::move(allowed)](
                            std::string& text) { return accept(text) ? std::string() : expected_got(text, allowed); },
                        "");
}

/// Found before the work starts, not when its results are to be written.
bool can_be_written(const fs::path& file) {
  std::error_code error;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  return !fs::is_directory(file, error) && fs::is_directory(folder, error) && ::access(folder.c_str(), W_OK) == 0;
}

bool ends_like_problem(const fs::path& file) {
  const fs::path ending = file.extension();
  return ending == ".hdf5" || ending == ".h5" || ending == ".dat";
}

}  // namespace

CLI::Validator positive_number() {
  return check([](const std::string& text) { return parse_number(text).value_or(0) > 0; }, "a number > 0");
}

CLI::Validator share() {
  const auto accept = [](const std::string& text) {
    const double value = parse_number(text).value_or(-1);
    return value >= 0 && value <= 1;
  };
  return check(accept, "a number in [0, 1]");
}

CLI::Validator whole_number(long long low, long long high) {
  const auto accept = [=](const std::string& text) {
    long long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && low <= value && value <= high;
  };
  return check(accept, fmt::format("a whole number from {} to {}", low, high));
}

CLI::Validator one_of(std::vector<std::string> names) {
  std::string allowed = joined(names);
  const auto accept = [names = std::move(names)](const std::string& text) {
    return std::find(names.begin(), names.end(), text) != names.end();
  };
  return check(accept, std::move(allowed));
}

CLI::Validator json_target() {
  const auto accept = [](const std::string& text) {
    return text == "-" || (can_be_written(text) && !ends_like_problem(text));
  };
  return check(accept, "- or a file name in a folder that can be written that does not end in .hdf5, .h5 or .dat");
}

CLI::Validator hdf5_target() {
  const auto accept = [](const std::string& text) {
    const fs::path ending = fs::path(text).extension();
    return (ending == ".hdf5" || ending == ".h5") && can_be_written(text);
  };
  return check(accept, "a file name in a folder that can be written that ends in .hdf5 or .h5");
}

CLI::Validator file_target() {
  const auto accept = [](const std::string& text) { return can_be_written(text); };
  return check(accept, "a file name in a folder that can be written");
}

}  // namespace repose::cli
