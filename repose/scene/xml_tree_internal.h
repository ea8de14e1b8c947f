// SPDX-License-Identifier: Apache-2.0
// XML as a tree of elements that know their file and line, with <include> already resolved.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
};

/// The root element. Every <include file="…"/> gives way to the children of that file's root; paths are relative to
/// the folder of `path`. A file that includes itself, directly or not, nesting deeper than 100 and syntax errors throw.
[[nodiscard]] XmlElement read_xml(const std::string& path);

/// Numbers separated by blanks; as many as between `least` and `most`.
[[nodiscard]] std::vector<double> xml_numbers(const XmlElement& e, std::string_view attribute, const std::string& text,
                                              std::size_t least, std::size_t most);

}  // namespace repose
