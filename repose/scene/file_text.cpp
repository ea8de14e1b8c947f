// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "repose/base/error.h"
#include "repose/scene/file_text_internal.h"

namespace repose {
namespace {

namespace fs = std::filesystem;

/// Returns the number of edits (Levenshtein) between a and b.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string read_scene_text(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  require(fs::exists(status), path, ": file: expected a file that exists, got none");
  require(fs::is_regular_file(status), path, ": file: expected a file, got a folder or device");
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  require(static_cast<bool>(in), path, ": file: expected a readable file, got one that cannot be read");
  return std::move(text).str();
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::string meant(std::string_view word, std::span<const std::string> known) {
  if (word.size() > 100) return {};
  const std::string* best = nullptr;
  std::size_t least = 1 + word.size() / 2;
  for (const std::string& name : known)
    if (const std::size_t d = edits(word, name); d < least) least = d, best = &name;
  return best == nullptr ? std::string() : " (did you mean '" + *best + "'?)";
}

std::string beside(const std::string& file, const std::string& relative) {
  return (fs::path(file).parent_path() / relative).string();
}

std::string listed(std::span<const std::string> words) {
  std::string all;
  for (const std::string& word : words) all.append(all.empty() ? "" : ", ").append(word);
  return all;
}

std::string excerpt(std::string_view text, std::size_t longest) {
  std::string line(text.substr(0, longest));
  for (char& c : line)
    if (const auto code = static_cast<unsigned char>(c); code < 0x20 || code == 0x7f)
      c = c == '\n' || c == '\r' || c == '\t' ? ' ' : '?';
  return text.size() > longest ? line + "..." : line;
}

std::string in_quotes(std::string_view text, std::size_t longest) {
  return std::string("'").append(excerpt(text, longest)).append("'");
}

}  // namespace repose
