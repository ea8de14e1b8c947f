// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "repose/base/error.h"
#include "repose/scene/file_text_internal.h"
#include "repose/scene/json_lines_internal.h"
#include "repose/scene/json_object_internal.h"

namespace repose {
namespace {

constexpr int kDeepest = 64;

std::string type_of(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list of " + std::to_string(value.size());
  return excerpt(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// Line of a byte, from 1.
std::string line_of(const std::string& text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
  const auto line = std::count(text.begin(), end, '\n') + 1;
  return std::to_string(line);
}

/// What the library says without its brackets and place: "[json.exception.parse_error.101] parse error at line 3,
/// column 5: syntax error while parsing value - unexpected end of input" → "unexpected end of input".
std::string plain(std::string what) {
  for (const char* before : {"] ", "column ", ": ", " - "})
    if (const std::size_t at = what.find(before); at != what.npos) what.erase(0, at + std::string(before).size());
  return excerpt(what);
}

/// Refuses what the parser itself would accept: unlimited nesting and duplicate keys.
class Watch {
 public:
  explicit Watch(const std::string& file) : file_(file) {}

  bool operator()(int depth, Json::parse_event_t event, Json& value) {
    using Event = Json::parse_event_t;
    require(depth <= kDeepest, file_, ": nesting: expected ", kDeepest, ", got lists and objects ", depth, " deep");
    if (event == Event::object_start) keys_.emplace_back();
    if (event == Event::object_end) keys_.pop_back();
    if (event == Event::key) {
      const auto& key = value.get_ref<const std::string&>();
      require(keys_.back().insert(key).second, file_, ": ", excerpt(key), ": expected once, got twice in one object");
    }
    return true;
  }

 private:
  const std::string& file_;
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

Json parse_json(const std::string& file, const std::string& text) {
  try {
    return Json::parse(text, Watch(file));
  } catch (const Json::parse_error& error) {
    fail(file, ":", line_of(text, error.byte), ": expected JSON, got ", plain(error.what()));
  } catch (const Json::exception& error) {  // a number too large for a double, text that is not UTF-8
    fail(file, ": expected JSON with finite numbers, got ", plain(error.what()));
  }
}

JsonPlace JsonPlace::at(std::string_view key) const {
  JsonPlace deeper{file, pointer};
  deeper.pointer.append("/").append(key);
  return deeper;
}

void JsonPlace::refuse(const std::string& found, const std::string& allowed) const {
  throw JsonRefusal(file, pointer, "expected " + allowed + ", got " + found);
}

void JsonPlace::refuse(const InputError& cause) const { throw JsonRefusal(file, pointer, cause.what()); }

void JsonPlace::refuse(const Json& found, const std::string& allowed) const { refuse(type_of(found), allowed); }

double json_number(const Json& value, const JsonPlace& place) {
  if (!value.is_number()) place.refuse(value, "a number");
  return value.get<double>();
}

long long json_whole(const Json& value, const JsonPlace& place, long long low, long long high) {
  const std::string allowed = "a whole number, " + std::to_string(low) + " to " + std::to_string(high);
  if (!value.is_number()) place.refuse(value, allowed);
  const double number = value.get<double>();
  if (!(number == std::floor(number) && number >= static_cast<double>(low) && number <= static_cast<double>(high)))
    place.refuse(value, allowed);
  return static_cast<long long>(number);
}

bool json_flag(const Json& value, const JsonPlace& place) {
  if (!value.is_boolean()) place.refuse(value, "true or false");
  return value.get<bool>();
}

std::string json_text(const Json& value, const JsonPlace& place) {
  if (!value.is_string()) place.refuse(value, "text in quotes");
  return value.get<std::string>();
}

std::vector<double> json_numbers(const Json& value, const JsonPlace& place, std::size_t count) {
  if (!value.is_array() || value.size() != count)
    place.refuse(value, "a list of " + std::to_string(count) + " numbers");
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(json_number(value[i], place.at(i)));
  return numbers;
}

Vec3 json_vec3(const Json& value, const JsonPlace& place) {
  const std::vector<double> n = json_numbers(value, place, 3);
  return {n[0], n[1], n[2]};
}

Quat json_quat(const Json& value, const JsonPlace& place) {
  const std::vector<double> n = json_numbers(value, place, 4);
  const Quat q{n[0], n[1], n[2], n[3]};
  const double off = std::abs(norm(q) - 1);
  if (!(off <= 1e-3)) place.refuse(value.dump(), "a quaternion w, x, y, z of length 1");
  return off <= 1e-9 ? q : normalized(q);
}

JsonObject::JsonObject(const Json& node, JsonPlace place, std::vector<std::string> known)
    : node_(node), place_(std::move(place)) {
  if (!node.is_object()) place_.refuse(node, "an object");
  for (const auto& item : node.items())
    if (std::find(known.begin(), known.end(), item.key()) == known.end())
      place_.at(excerpt(item.key())).refuse("a field that is not known" + meant(item.key(), known), listed(known));
}

const Json& JsonObject::operator[](const char* key) const {
  if (!has(key)) place_.at(key).refuse(std::string("nothing"), "a value here");
  return node_[key];
}

void JsonObject::read(const char* key, double& out) const {
  if (has(key)) out = json_number(node_[key], place(key));
}
void JsonObject::read(const char* key, bool& out) const {
  if (has(key)) out = json_flag(node_[key], place(key));
}
void JsonObject::read(const char* key, std::string& out) const {
  if (has(key)) out = json_text(node_[key], place(key));
}
void JsonObject::read(const char* key, Vec3& out) const {
  if (has(key)) out = json_vec3(node_[key], place(key));
}
void JsonObject::read(const char* key, Quat& out) const {
  if (has(key)) out = json_quat(node_[key], place(key));
}
void JsonObject::read(const char* key, std::uint32_t& out) const {
  if (has(key)) out = static_cast<std::uint32_t>(json_whole(node_[key], place(key), 0, 0xffffffffLL));
}

const Json& JsonObject::list(const char* key) const {
  static const Json kEmpty = Json::array();
  if (!has(key)) return kEmpty;
  if (!node_[key].is_array()) place(key).refuse(node_[key], "a list");
  return node_[key];
}

int JsonObject::choice(const char* key, std::span<const std::string> names, int fallback) const {
  if (!has(key)) return fallback;
  const std::string name = json_text(node_[key], place(key));
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) place(key).refuse(in_quotes(name) + meant(name, names), listed(names));
  return static_cast<int>(found - names.begin());
}

}  // namespace repose
