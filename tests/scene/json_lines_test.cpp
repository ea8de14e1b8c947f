// SPDX-License-Identifier: Apache-2.0
// On which line a JSON value stands.
#include "repose/scene/json_lines_internal.h"

#include <gtest/gtest.h>

namespace repose {
namespace {

TEST(JsonLines, FindsKeysAndElements) {
  const char* text = R"({
  "a": {"x": [1, 2], "b": 3},
  "list": [
    {"n": "}]\\\"{"},
    [true,
     null],
    -1.5e3
  ],
  "last": ""
})";
  const std::pair<const char*, long> places[] = {{"", 1},        {"/a", 2},        {"/a/b", 2},    {"/list", 3},
                                                 {"/list/0", 4}, {"/list/0/n", 4}, {"/list/1", 5}, {"/list/1/1", 6},
                                                 {"/list/2", 7}, {"/last", 9}};
  for (const auto& [pointer, line] : places) EXPECT_EQ(json_line(text, pointer), line) << pointer;
}

TEST(JsonLines, WhatIsMissingIsOnTheLineOfItsOwner) {
  const char* text = "{\n\"a\": {\n\"b\": 1}}";
  EXPECT_EQ(json_line(text, "/a/c"), 2);
  EXPECT_EQ(json_line(text, "/a/b/c"), 3);
  EXPECT_EQ(json_line(text, "/d"), 1);
  EXPECT_EQ(json_line("", "/d"), 1);
}

}  // namespace
}  // namespace repose
