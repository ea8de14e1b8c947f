// SPDX-License-Identifier: Apache-2.0
// Objects made by name: each kind has a summary, parameters and a function that makes one from values given as text.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "repose/base/error.h"
#include "repose/base/parameters.h"

namespace repose {

struct Kind {
  std::string name, summary;
  std::vector<Parameter> parameters;
};

/// `Rest`: what make() takes besides the values, for instance a seed.
template <class Made, class... Rest>
class Registry {
 public:
  using Make = std::function<Made(const ParameterValues&, Rest...)>;

  /// `noun`: the word for an entry in messages, "scene".
  explicit Registry(std::string noun) : noun_(std::move(noun)) {}

  void add(Kind kind, Make make) {
    kinds_.push_back(std::move(kind));
    makers_.push_back(std::move(make));
  }
  /// In the order in which they were added.
  [[nodiscard]] const std::vector<Kind>& kinds() const { return kinds_; }
  [[nodiscard]] bool known(std::string_view name) const { return find(name) < kinds_.size(); }

  /// Throws InputError with one line for unknown names and values out of range.
  [[nodiscard]] Made make(std::string_view name, const ParameterValues& values, Rest... rest) const {
    const std::size_t k = find(name);
    require(k < kinds_.size(), noun_, ": expected ", names_of(kinds_), ", got '", name, "'");
    check_values(kinds_[k], values);
    return makers_[k](values, rest...);
  }

 private:
  [[nodiscard]] std::size_t find(std::string_view name) const {
    const auto found = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& kind) { return kind.name == name; });
    return static_cast<std::size_t>(found - kinds_.begin());
  }

  template <class Range>
  [[nodiscard]] static std::string names_of(const Range& range) {
    std::vector<std::string> names;
    for (const auto& item : range) names.push_back(item.name);
    return names.empty() ? "none" : joined(names);
  }

  static void check_values(const Kind& kind, const ParameterValues& values) {
    for (const auto& [name, text] : values) {
      const auto found = std::find_if(kind.parameters.begin(), kind.parameters.end(),
                                      [&known = name](const Parameter& p) { return p.name == known; });
      require(found != kind.parameters.end(), kind.name, ": expected ", names_of(kind.parameters), ", got parameter '",
              name, "'");
      check_value(kind.name, *found, text);
    }
  }

  std::string noun_;
  std::vector<Kind> kinds_;
  std::vector<Make> makers_;
};

}  // namespace repose
