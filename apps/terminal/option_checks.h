// SPDX-License-Identifier: Apache-2.0
// Checks on the text of an option before it becomes a number: "--tol: expected a number > 0, got 'x'".
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace repose::cli {

[[nodiscard]] CLI::Validator positive_number();
[[nodiscard]] CLI::Validator share();  ///< in [0, 1]
[[nodiscard]] CLI::Validator whole_number(long long low, long long high = 2'000'000'000);
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> names);

/// Where JSON goes: "-" or a file, in a folder that can be written, that does not end like a problem file.
[[nodiscard]] CLI::Validator json_target();
[[nodiscard]] CLI::Validator hdf5_target();
[[nodiscard]] CLI::Validator file_target();

}  // namespace repose::cli
