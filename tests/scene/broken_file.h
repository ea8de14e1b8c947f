// SPDX-License-Identifier: Apache-2.0
// A broken scene file, and what the line about it must say.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "repose/base/error.h"
#include "repose/scene/load.h"
#include "tests/support/temporary_folder.h"

namespace repose::testing {

struct Broken {
  std::string file, content;
  std::string place, found;  ///< what the line must name: field or line, and value
};

inline void expect_refused(const TemporaryFolder& folder, const Broken& broken) {
  SCOPED_TRACE(broken.file);
  folder.write(broken.file, broken.content);
  try {
    (void)load_scene(folder / broken.file);
    ADD_FAILURE() << "was accepted";
  } catch (const InputError& error) {
    const std::string line = error.what();
    EXPECT_EQ(line.find('\n'), line.npos) << line;
    EXPECT_TRUE(line.starts_with(folder / "")) << line;  // a file first
    EXPECT_NE(line.find(broken.place), line.npos) << line << "\nshould name the place " << broken.place;
    EXPECT_NE(line.find(broken.found), line.npos) << line << "\nshould say what was found: " << broken.found;
    EXPECT_NE(line.find("expected"), line.npos) << line;
    EXPECT_LT(line.size(), 600U) << line;
  }
}

}  // namespace repose::testing
