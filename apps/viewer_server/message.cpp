// SPDX-License-Identifier: Apache-2.0
#include "apps/viewer_server/message.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "repose/base/error.h"

namespace repose::view {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongest = 16 << 10;  // characters of a message
constexpr std::size_t kDeepest = 4;
constexpr double kFarthest = 1e12;

/// Nesting is counted while reading: a thousand brackets must not reach the parser's stack.
Json parsed(std::string_view text) {
  require(text.size() <= kLongest, "message: expected at most ", kLongest, ", got ", text.size(), " characters");
  const auto watch = [](int depth, Json::parse_event_t, Json&) {
    require(depth <= static_cast<int>(kDeepest), "message: expected at most ", kDeepest,
            " levels, got a deeper nesting");
    return true;
  };
  Json value;
  try {
    value = Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::exception&) {
    fail("message: expected JSON, got other text");
  }
  require(value.is_object(), "message: expected an object, got ", value.type_name());
  return value;
}

const Json& member(const Json& object, const char* key) {
  const auto found = object.find(key);
  require(found != object.end(), "message: ", key, ": expected a value, got none");
  return *found;
}

double number(const Json& value, const char* key, double low, double high) {
  require(value.is_number(), "message: ", key, ": expected a number, got ", value.type_name());
  const double x = value.get<double>();
  require(std::isfinite(x) && x >= low && x <= high, "message: ", key, ": expected ", low, " to ", high, ", got ", x);
  return x;
}

Vec3 vector(const Json& object, const char* key) {
  const Json& list = member(object, key);
  require(list.is_array() && list.size() == 3, "message: ", key, ": expected a list of three numbers");
  return {number(list[0], key, -kFarthest, kFarthest), number(list[1], key, -kFarthest, kFarthest),
          number(list[2], key, -kFarthest, kFarthest)};
}

std::string word(const Json& value, const char* key) {
  require(value.is_string() && value.get_ref<const std::string&>().size() <= 200, "message: ", key,
          ": expected a text of at most 200 letters");
  return value.get<std::string>();
}

void only(const Json& object, std::initializer_list<const char*> keys) {
  for (const auto& [key, value] : object.items()) {
    bool known = key == "do";
    for (const char* allowed : keys) known |= key == allowed;
    require(known, "message: expected fields of this request only, got another");
  }
}

SetScene scene_from(const Json& object) {
  only(object, {"name", "values"});
  SetScene scene{word(member(object, "name"), "name"), {}};
  const Json& values = member(object, "values");
  require(values.is_object() && values.size() <= 64, "message: values: expected an object with at most 64 entries");
  for (const auto& [key, value] : values.items()) scene.values[key] = word(value, "values");
  return scene;
}

/// A whole number from 0 on.
int index_from(const Json& object, const char* key) {
  const Json& index = member(object, key);
  require(index.is_number_integer(), "message: ", key, ": expected a whole number");
  return static_cast<int>(number(index, key, 0, 1e9));
}

SetControl control_from(const Json& object) {
  only(object, {"actuator", "value"});
  return {index_from(object, "actuator"), number(member(object, "value"), "value", -kFarthest, kFarthest)};
}

Pull pull_from(const Json& object) {
  only(object, {"body", "at", "to"});
  return {index_from(object, "body"), vector(object, "at"), vector(object, "to")};
}

Throw throw_from(const Json& object) {
  only(object, {"from", "towards"});
  const Throw result{vector(object, "from"), vector(object, "towards")};
  require(norm(result.towards) > 0, "message: towards: expected a direction, got one of length 0");
  return result;
}

}  // namespace

Message parse_message(std::string_view text) {
  const Json object = parsed(text);
  const std::string what = word(member(object, "do"), "do");
  if (what == "scene") return scene_from(object);
  if (what == "control") return control_from(object);
  if (what == "pull") return pull_from(object);
  if (what == "throw") return throw_from(object);
  if (what == "speed") {
    only(object, {"value"});
    return SetSpeed{number(member(object, "value"), "value", 0.01, 1000)};
  }
  if (what == "solver") {
    only(object, {"value"});
    const std::string value = word(member(object, "value"), "value");
    require(value == "exact" || value == "relaxed", "message: value: expected exact or relaxed, got another solver");
    return SetSolver{value == "exact"};
  }
  only(object, {});
  if (what == "run") return RunOn{};
  if (what == "pause") return Pause{};
  if (what == "step") return StepOnce{};
  if (what == "reset") return Reset{};
  if (what == "release") return Release{};
  fail(
      "message: do: expected run, pause, step, reset, speed, solver, scene, control, pull, release or throw, got "
      "something else");
}

}  // namespace repose::view
