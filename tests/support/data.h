// SPDX-License-Identifier: Apache-2.0
// Where tests find public contact problems that are too large for the repository.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace repose::testing {

/// Folder of external test data: the environment variable REPOSE_DATA, or the default of the build.
[[nodiscard]] inline std::filesystem::path data_dir() {
  const char* chosen = std::getenv("REPOSE_DATA");
  return chosen != nullptr && *chosen != '\0' ? std::filesystem::path(chosen)
                                              : std::filesystem::path(REPOSE_DATA_DEFAULT);
}

}  // namespace repose::testing

/// Skips the current test, by name, unless data_dir()/relative exists:  REPOSE_NEEDS_DATA("fc3d");
#define REPOSE_NEEDS_DATA(relative)                                                                                \
  do {                                                                                                             \
    const std::filesystem::path needed = repose::testing::data_dir() / (relative);                                 \
    if (!std::filesystem::exists(needed)) GTEST_SKIP() << "needs " << needed << "; set REPOSE_DATA to its folder"; \
  } while (false)
