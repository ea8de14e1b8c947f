// SPDX-License-Identifier: Apache-2.0
// What the program hands back to the shell.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace repose::cli {

enum class Exit {
  kDone = 0,
  kBadInput = 1,      ///< an input file cannot be used, nothing was written; or an output cannot be written
  kUsage = 2,         ///< the command line is wrong; nothing was read
  kNotSolved = 3,     ///< --strict, and at least one answer above tolerance
  kBrokeDown = 4,     ///< NaN or overflow in at least one problem
  kInterrupted = 130  ///< Ctrl-C; what was finished is written
};

/// A command line that cannot be obeyed. The message is one line: option, what was found, what is allowed.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class... Parts>
void require_usage(bool condition, const Parts&... parts) {
  if (condition) return;
  std::ostringstream text;
  (text << ... << parts);
  throw UsageError(text.str());
}

}  // namespace repose::cli
