// SPDX-License-Identifier: Apache-2.0
#include "tests/scene/schema_check.h"

#include <algorithm>
#include <cmath>

namespace repose::testing {
namespace {

bool has_type(const json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "number") return value.is_number();
  if (type == "integer") return value.is_number() && std::floor(value.get<double>()) == value.get<double>();
  throw std::invalid_argument("schema type " + type);
}

std::string type_fault(const json& type, const json& value) {
  if (type.is_string()) return has_type(value, type) ? "" : "is not " + type.get<std::string>();
  for (const json& t : type)
    if (has_type(value, t)) return "";
  return "has none of the types " + type.dump();
}

std::string number_fault(const json& schema, double x) {
  if (schema.contains("minimum") && x < schema["minimum"].get<double>()) return "below minimum";
  if (schema.contains("maximum") && x > schema["maximum"].get<double>()) return "above maximum";
  if (schema.contains("exclusiveMinimum") && x <= schema["exclusiveMinimum"].get<double>()) return "not above minimum";
  return "";
}

std::string object_fault(const json& root, const json& schema, const json& value, const std::string& at) {
  for (const json& key : schema.value("required", json::array()))
    if (!value.contains(key.get<std::string>())) return at + " lacks " + key.dump();
  const json properties = schema.value("properties", json::object());
  for (const auto& item : value.items()) {
    const std::string place = at + "/" + item.key();
    const json rest = schema.value("additionalProperties", json(true));
    if (!properties.contains(item.key()) && rest == json(false)) return place + " is not in the schema";
    const json& inner = properties.contains(item.key()) ? properties[item.key()] : rest;
    if (inner.is_object())
      if (std::string fault = schema_fault(root, inner, item.value(), place); !fault.empty()) return fault;
  }
  return "";
}

std::string array_fault(const json& root, const json& schema, const json& value, const std::string& at) {
  if (value.size() < schema.value("minItems", std::size_t{0})) return at + " is too short";
  if (value.size() > schema.value("maxItems", value.size())) return at + " is too long";
  for (std::size_t i = 0; i < value.size() && schema.contains("items"); ++i)
    if (std::string fault = schema_fault(root, schema["items"], value[i], at + "/" + std::to_string(i)); !fault.empty())
      return fault;
  return "";
}

std::string one_of_fault(const json& root, const json& choices, const json& value, const std::string& at) {
  int matches = 0;
  std::string faults;
  for (const json& choice : choices) {
    const std::string fault = schema_fault(root, choice, value, at);
    matches += fault.empty();
    faults += "; " + fault;
  }
  return matches == 1 ? "" : at + " matches " + std::to_string(matches) + " of the choices" + faults;
}

}  // namespace

std::string schema_fault(const json& root, const json& schema, const json& value, const std::string& at) {
  static const std::vector<std::string> kKnown = {
      "$ref",        "$schema",  "$id",      "$defs",    "title",
      "description", "default",  "type",     "const",    "enum",
      "minimum",     "maximum",  "items",    "oneOf",    "exclusiveMinimum",
      "properties",  "required", "minItems", "maxItems", "additionalProperties"};
  for (const auto& item : schema.items())
    if (std::find(kKnown.begin(), kKnown.end(), item.key()) == kKnown.end())
      throw std::invalid_argument("schema keyword " + item.key());
  if (schema.contains("$ref")) {
    const std::string path = schema["$ref"];
    return schema_fault(root, root.at(json::json_pointer(path.substr(1))), value, at);
  }
  if (schema.contains("const") && schema["const"] != value) return at + " is not " + schema["const"].dump();
  if (schema.contains("enum") && std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
    return at + " is not one of " + schema["enum"].dump();
  if (schema.contains("type"))
    if (std::string fault = type_fault(schema["type"], value); !fault.empty()) return at + " " + fault;
  if (schema.contains("oneOf"))
    if (std::string fault = one_of_fault(root, schema["oneOf"], value, at); !fault.empty()) return fault;
  if (value.is_number())
    if (std::string fault = number_fault(schema, value.get<double>()); !fault.empty()) return at + " " + fault;
  if (value.is_object()) return object_fault(root, schema, value, at);
  if (value.is_array()) return array_fault(root, schema, value, at);
  return "";
}

}  // namespace repose::testing
