// SPDX-License-Identifier: Apache-2.0
// The line of a value in a JSON text: the parser does not store it, and only error messages need it.
#pragma once

#include <string>
#include <string_view>

#include "repose/base/error.h"

namespace repose {

/// Returns the line, from 1, of the value at a JSON pointer ("/bodies/0/mass") in a text that has been parsed; that of
/// the longest existing part if there is no such value.
[[nodiscard]] long json_line(std::string_view text, std::string_view pointer);

/// An error about one value; "<file>: <pointer>: <text>" until a caller that has the text adds the line.
class JsonRefusal : public InputError {
 public:
  JsonRefusal(const std::string& file, std::string pointer, std::string text)
      : InputError(file + ": " + (pointer.empty() ? "/" : pointer) + ": " + text),
        pointer_(std::move(pointer)),
        text_(std::move(text)) {}
  /// "<file>:<line>: <pointer>: <text>"
  [[noreturn]] void fail_with_line(std::string_view file, std::string_view json) const;

 private:
  std::string pointer_, text_;
};

/// Returns the result of `read`; adds the line to its JsonRefusals about `json`, the text of `file`.
template <class Read>
[[nodiscard]] auto with_lines(std::string_view file, std::string_view json, const Read& read) {
  try {
    return read();
  } catch (const JsonRefusal& refusal) {
    refusal.fail_with_line(file, json);
  }
}

}  // namespace repose
