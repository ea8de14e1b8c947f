// SPDX-License-Identifier: Apache-2.0
// Errors of the caller: one exception type, one line of text: "file:line: field: expected …, got …".
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace repose {

/// Invalid input: a file, field or option with a value that is not allowed. The message is one line.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw InputError(text.str());
}

/// Throws InputError with the joined parts unless `condition` holds.
template <class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]]
    fail(parts...);
}

}  // namespace repose
