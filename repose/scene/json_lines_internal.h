// SPDX-License-Identifier: Apache-2.0
// On which line of a JSON text a value stands: the parser does not keep it, and only complaints need it.
#pragma once

#include <string>
#include <string_view>

#include "repose/base/error.h"

namespace repose {

/// Line, from 1, of the value that a JSON pointer ("/bodies/0/mass") leads to in a text that has been parsed; of the
/// last part that is there when it leads nowhere.
[[nodiscard]] long json_line(std::string_view text, std::string_view pointer);

/// A complaint about one value; "<file>: <pointer>: <text>" until somebody who has the text adds the line.
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

/// What `read` returns; its JsonRefusals about `json`, the text of `file`, get their line.
template <class Read>
[[nodiscard]] auto with_lines(std::string_view file, std::string_view json, const Read& read) {
  try {
    return read();
  } catch (const JsonRefusal& refusal) {
    refusal.fail_with_line(file, json);
  }
}

}  // namespace repose
