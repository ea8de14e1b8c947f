// SPDX-License-Identifier: Apache-2.0
// JSON for other programs: full precision, keys in a fixed order, null with a reason where there is no number.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "repose/contact/residual.h"

namespace repose::report {

using Json = nlohmann::ordered_json;

/// One object under construction. A number that is not finite becomes null, and "why" says what it was.
class JsonRecord {
 public:
  template <class Value>
  void put(const char* key, const Value& value) {
    object_[key] = value;
  }
  void put(const char* key, double value);
  /// r_c, its three parts and nat, in the order of the interface.
  void put(const Certificate& certificate);
  [[nodiscard]] Json finish();

 private:
  Json object_ = Json::object();
  std::string why_;
};

/// To a file that appears complete or not at all, or to standard output for "-".
void write_json(const std::string& target, const Json& value);

}  // namespace repose::report
