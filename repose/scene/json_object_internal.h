// SPDX-License-Identifier: Apache-2.0
// JSON objects read field by field. Every complaint is "<file>:<line>: <JSON pointer>: expected …, got …".
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "repose/base/error.h"
#include "repose/math/pose.h"

namespace repose {

using Json = nlohmann::ordered_json;

/// Parses a file's text. Syntax errors, nesting deeper than 64 and keys that appear twice are InputErrors with the
/// line.
[[nodiscard]] Json parse_json(const std::string& file, const std::string& text);

/// The place of a value: file and JSON pointer.
struct JsonPlace {
  std::string file, pointer;
  [[nodiscard]] JsonPlace at(std::string_view key) const;
  [[nodiscard]] JsonPlace at(std::size_t index) const { return at(std::to_string(index)); }
  [[noreturn]] void refuse(const std::string& found, const std::string& allowed) const;
  [[noreturn]] void refuse(const Json& found, const std::string& allowed) const;
  /// Puts the place before a message that already says what was expected.
  [[noreturn]] void refuse(const InputError& cause) const;
};

/// Each throws unless the value has the required type.
[[nodiscard]] double json_number(const Json& value, const JsonPlace& place);
[[nodiscard]] long long json_whole(const Json& value, const JsonPlace& place, long long low, long long high);
[[nodiscard]] bool json_flag(const Json& value, const JsonPlace& place);
[[nodiscard]] std::string json_text(const Json& value, const JsonPlace& place);
[[nodiscard]] std::vector<double> json_numbers(const Json& value, const JsonPlace& place, std::size_t count);
[[nodiscard]] Vec3 json_vec3(const Json& value, const JsonPlace& place);
/// A quaternion (w, x, y, z) of length 1 within 1e-3; normalised unless it is within 1e-9 already.
[[nodiscard]] Quat json_quat(const Json& value, const JsonPlace& place);

/// An object with its allowed fields; any other field is refused, with the closest known name.
class JsonObject {
 public:
  JsonObject(const Json& node, JsonPlace place, std::vector<std::string> known);

  [[nodiscard]] bool has(const char* key) const { return node_.contains(key); }
  [[nodiscard]] const Json& operator[](const char* key) const;  ///< throws when it is missing
  [[nodiscard]] const Json& node() const { return node_; }
  [[nodiscard]] JsonPlace place(const char* key) const { return place_.at(key); }
  [[nodiscard]] const JsonPlace& place() const { return place_; }

  /// Each keeps `out` when the field is absent.
  void read(const char* key, double& out) const;
  void read(const char* key, bool& out) const;
  void read(const char* key, std::string& out) const;
  void read(const char* key, Vec3& out) const;
  void read(const char* key, Quat& out) const;
  void read(const char* key, std::uint32_t& out) const;
  /// Returns an array, empty when absent.
  [[nodiscard]] const Json& list(const char* key) const;
  /// Returns the index of one of the names; `fallback` when absent.
  [[nodiscard]] int choice(const char* key, std::span<const std::string> names, int fallback) const;

 private:
  const Json& node_;
  JsonPlace place_;
};

}  // namespace repose
