// SPDX-License-Identifier: Apache-2.0
// Shared by the readers: whole files as text, suggestions for misspelt names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace repose {

/// Reads the file's content. Throws InputError, naming the file, for folders, devices and unreadable files.
[[nodiscard]] std::string read_scene_text(const std::string& path);

[[nodiscard]] bool is_file(const std::string& path);

/// Returns " (did you mean 'x'?)" when a known name is close to `word`, otherwise an empty text.
[[nodiscard]] std::string meant(std::string_view word, std::span<const std::string> known);

/// Resolves `relative` against the folder of `file`; absolute paths stay.
[[nodiscard]] std::string beside(const std::string& file, const std::string& relative);

/// "a, b, c"
[[nodiscard]] std::string listed(std::span<const std::string> words);

/// Returns the text in one line of printable characters, cut after `longest` of them.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t longest = 60);
/// The same in quotes.
[[nodiscard]] std::string in_quotes(std::string_view text, std::size_t longest = 60);
constexpr std::size_t kPathLength = 300;  ///< for in_quotes()

}  // namespace repose
