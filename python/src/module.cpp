// SPDX-License-Identifier: Apache-2.0
// The extension module repose._core.
#include <string_view>

#include "python/src/bindings.h"
#include "python/src/script.h"
#include "repose/base/version.h"

namespace repose::python {
namespace {

const SchemeOption* find_option(std::string_view name) {
  for (const SchemeOption& option : scheme_options())
    if (option.name == name) return &option;
  return nullptr;
}

std::string text_from(const SchemeOption& option, const nb::handle& value) {
  std::string text;
  double number = 0;
  long long whole = 0;
  bool fits = false;
  if (option.type == "choice" && (fits = nb::try_cast(value, text))) return text;
  if (option.type == "whole" && (fits = nb::try_cast(value, whole))) return std::to_string(whole);
  if (option.type == "number" && (fits = nb::try_cast(value, number))) return text_of(number);
  const char* wanted = option.type == "choice" ? "a text" : option.type == "whole" ? "a whole number" : "a number";
  throw nb::type_error((option.name + ": expected " + wanted + ", got " + nb::repr(value).c_str()).c_str());
}

nb::list option_list() {
  nb::list all;
  for (const SchemeOption& option : scheme_options()) {
    nb::dict d;
    d["name"] = option.name;
    d["type"] = option.type;
    d["default"] = option.value.empty() ? option.otherwise : option.value;
    d["range"] = option.range();
    d["unit"] = option.unit;
    d["schemes"] = nb::cast(option.schemes);
    d["help"] = option.help;
    all.append(d);
  }
  return all;
}

}  // namespace

ParameterValues scheme_values(const nb::kwargs& options) {
  ParameterValues values;
  for (const auto& [key, value] : options) {
    const std::string name = nb::cast<std::string>(key);
    const SchemeOption* option = find_option(name);
    if (!option) throw nb::type_error(("got an unexpected keyword argument '" + name + "'").c_str());
    if (!value.is_none()) values[name] = text_from(*option, value);
  }
  return values;
}

std::string scheme_signature() {
  std::string text;
  for (const SchemeOption& option : scheme_options()) {
    const std::string type = option.type == "choice" ? "str" : option.type == "whole" ? "int" : "float";
    const std::string value = option.type == "choice" ? "'" + option.value + "'" : option.value;
    // Options of single schemes are refused with others, and so have no default that could be passed on.
    const bool open = option.value.empty() || (!option.schemes.empty() && option.value != "auto");
    text += ", " + option.name + ": " + (open ? type + " | None = None" : type + " = " + value);
  }
  return text;
}

nb::ndarray<nb::numpy, double> contact_array(std::span<const ContactVec> values) {
  std::vector<double> flat;
  flat.reserve(3 * values.size());
  for (const ContactVec& v : values) flat.insert(flat.end(), {v.t1, v.t2, v.n});
  return owned_array(std::move(flat), {values.size(), 3});
}

std::vector<ContactVec> contacts_from(const InputMatrix& values, const char* field) {
  require(values.shape(1) == 3, field, ": expected (contacts, 3), got shape (", values.shape(0), ", ", values.shape(1),
          ")");
  std::vector<ContactVec> made(values.shape(0));
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] = {values(i, 0), values(i, 1), values(i, 2)};
    require(std::isfinite(made[i].t1 + made[i].t2 + made[i].n), field, ": contact ", i,
            ": expected finite numbers, got a value that is not finite");
  }
  return made;
}

nb::object as_rows(nb::object array, const char* name) {
  return array.attr("view")(nb::module_::import_("repose._dtypes").attr(name));
}

}  // namespace repose::python

NB_MODULE(_core, m) {
  using namespace repose::python;
  m.doc() = "The compiled part of repose. Use the names of the package itself.";
  m.attr("version") = std::string(repose::kVersion);
  // Python's own kinds: bad input is a ValueError, a breakdown a RuntimeError.
  nanobind::exception<repose::InputError>(m, "InputError", PyExc_ValueError).attr("__doc__") =
      "Bad input: a file, field or option with a value that is not allowed, in one line.";
  nanobind::exception<BrokenRun>(m, "BrokenRunError", PyExc_RuntimeError).attr("__doc__") =
      "The numbers of a step broke down (NaN, overflow, explosion); the state is the last good one.";
  m.def(
      "scheme_options", &option_list,
      "The options of a solve: name, type, default, range, unit, the outer schemes that look at it (none: all), help.");
  bind_reports(m);
  bind_model(m);
  bind_builder(m);
  bind_solve(m);
  bind_data(m);
  bind_run(m);
  bind_rollout(m);
  bind_recording(m);
  bind_batch(m);
  let_go_of_scripts_at_exit();
}
