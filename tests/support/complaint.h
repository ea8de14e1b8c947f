// SPDX-License-Identifier: Apache-2.0
// What a call says about bad input.
#pragma once

#include <string>
#include <string_view>

#include "repose/base/error.h"

namespace repose::testing {

/// The text of the InputError that `call` throws; empty when it throws none.
template <class Call>
[[nodiscard]] std::string complaint(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// Does the line contain the pieces of `pattern`, which " … " separates, in their order?
[[nodiscard]] inline bool says(std::string_view line, std::string_view pattern) {
  constexpr std::string_view kGap = " … ";
  for (;;) {
    const std::size_t gap = pattern.find(kGap);
    const std::string_view piece = pattern.substr(0, gap);
    const std::size_t found = line.find(piece);
    if (found == line.npos) return false;
    if (gap == pattern.npos) return true;
    line.remove_prefix(found + piece.size());
    pattern.remove_prefix(gap + kGap.size());
  }
}

}  // namespace repose::testing
