// SPDX-License-Identifier: Apache-2.0
// What a call says about bad input.
#pragma once

#include <string>

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

}  // namespace repose::testing
