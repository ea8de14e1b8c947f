// SPDX-License-Identifier: Apache-2.0
// XML as a tree of elements with their file and line, with <include> already resolved.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "repose/base/error.h"
#include "repose/math/vec3.h"

namespace repose {

struct XmlElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;
  std::shared_ptr<const std::string> file;
  long line = 0;

  [[nodiscard]] const std::string* find(std::string_view attribute) const;
  /// "<file>:<line>: <name>"
  [[nodiscard]] std::string place() const;
  /// Throws InputError "<file>:<line>: <name> what: expected …, got …".
  [[noreturn]] void refuse(std::string_view what, const std::string& found, const std::string& allowed) const;
  /// Puts the place before a message that already says what was expected.
  [[noreturn]] void refuse(std::string_view what, const InputError& cause) const;
};

/// Returns the root element. The children of the included file's root replace every <include file="…"/>; paths are
/// relative to the folder of `path`. Throws on a file that includes itself, directly or not, on nesting deeper than 100
/// and on syntax errors.
[[nodiscard]] XmlElement read_xml(const std::string& path);

/// Reads numbers separated by blanks, between `least` and `most` of them.
[[nodiscard]] std::vector<double> xml_numbers(const XmlElement& e, std::string_view attribute, const std::string& text,
                                              std::size_t least, std::size_t most);

}  // namespace repose
