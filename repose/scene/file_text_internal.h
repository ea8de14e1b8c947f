// SPDX-License-Identifier: Apache-2.0
// What the readers share: whole files as text, names that were probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace repose {

/// The file's content. Folders, devices and files that cannot be read: InputError that names the file.
[[nodiscard]] std::string read_scene_text(const std::string& path);

[[nodiscard]] bool is_file(const std::string& path);

/// " (did you mean 'x'?)" when a known name is close to `word`, else nothing.
[[nodiscard]] std::string meant(std::string_view word, std::span<const std::string> known);

/// `relative` as seen from the folder of `file`; absolute paths stay.
[[nodiscard]] std::string beside(const std::string& file, const std::string& relative);

/// "a, b, c"
[[nodiscard]] std::string listed(std::span<const std::string> words);

/// The text in one line of printable characters, cut after `longest` of them.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t longest = 60);
/// The same in quotes.
[[nodiscard]] std::string in_quotes(std::string_view text, std::size_t longest = 60);
constexpr std::size_t kPathLength = 300;  ///< for in_quotes()

}  // namespace repose
