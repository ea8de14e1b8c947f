// SPDX-License-Identifier: Apache-2.0
// Pages with a part that the code knows better: the part after a marker line, up to the next line that begins with
// "<!-- end". With REPOSE_UPDATE_DOCS=1 in the environment the page is rewritten instead of compared.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace repose::testing {

inline void expect_section(const std::string& page, const std::string& marker, const std::string& wanted) {
  std::ifstream in(page);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::string begin = "<!-- " + marker + " -->\n", end = "<!-- end " + marker + " -->\n";
  const std::size_t from = text.find(begin), to = text.find(end);
  ASSERT_TRUE(from != text.npos && to != text.npos && from < to) << page << " lacks " << begin << " or " << end;
  const std::size_t start = from + begin.size();
  if (std::getenv("REPOSE_UPDATE_DOCS") != nullptr) {
    std::ofstream(page) << text.substr(0, start) << wanted << text.substr(to);
    return;
  }
  EXPECT_EQ(text.substr(start, to - start), wanted) << "run this test with REPOSE_UPDATE_DOCS=1 to rewrite " << page;
}

}  // namespace repose::testing
