// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "repose/scene/json_lines_internal.h"

namespace repose {
namespace {

/// Walks through JSON that is known to be well-formed.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  /// Returns the byte where the value at `pointer`, or its key, begins.
  std::size_t find(std::string_view pointer) {
    skip_space();
    std::size_t best = at_;
    while (!pointer.empty() && enter(next_part(pointer))) best = found_;
    return best;
  }

 private:
  static std::string_view next_part(std::string_view& pointer) {
    pointer.remove_prefix(1);
    const std::string_view part = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(part.size());
    return part;
  }

  /// Moves from the start of an object or list to its member; false when it has none of that name.
  bool enter(std::string_view part) {
    const char kind = peek();
    if (kind != '{' && kind != '[') return false;
    ++at_;
    for (std::size_t index = 0;; ++index) {
      skip_space();
      if (peek() == '}' || peek() == ']' || at_ >= text_.size()) return false;
      found_ = at_;
      std::string_view name;
      if (kind == '{') {
        skip_value();
        name = text_.substr(found_ + 1, at_ - found_ - 2);
        skip_space();
        ++at_;  // the colon
        skip_space();
      }
      if (kind == '{' ? name == part : std::to_string(index) == part) return true;
      skip_value();
      skip_space();
      if (peek() == ',') ++at_;
    }
  }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  void skip_text() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    ++at_;
  }

  void skip_value() {
    for (int depth = 0; at_ < text_.size();) {
      const char c = peek();
      if (c == '"') {
        skip_text();
      } else if (c == '{' || c == '[') {
        ++depth, ++at_;
      } else if (c == '}' || c == ']') {
        --depth, ++at_;
      } else if (depth > 0) {
        ++at_;
        continue;
      } else {
        at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
      }
      if (depth <= 0) return;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0, found_ = 0;
};

}  // namespace

long json_line(std::string_view text, std::string_view pointer) {
  const std::size_t place = std::min(Walker(text).find(pointer), text.size());
  return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n');
}

void JsonRefusal::fail_with_line(std::string_view file, std::string_view json) const {
  fail(file, ":", json_line(json, pointer_), ": ", pointer_.empty() ? "/" : pointer_, ": ", text_);
}

}  // namespace repose
