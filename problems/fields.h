// SPDX-License-Identifier: Apache-2.0
// One table per options struct: the name, range, unit and meaning of each field. Validation and the registry read it.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "repose/base/error.h"

namespace repose::problems {

template <class Options>
struct Field {
  const char* name;
  std::variant<double Options::*, int Options::*> member;
  double min, max;   ///< allowed range, both ends included
  const char* unit;  ///< empty for a pure number
  const char* help;

  [[nodiscard]] bool whole() const { return std::holds_alternative<int Options::*>(member); }
  [[nodiscard]] double get(const Options& options) const {
    return std::visit([&](auto m) { return static_cast<double>(options.*m); }, member);
  }
  void set(Options& options, double value) const {
    std::visit([&](auto m) { options.*m = static_cast<std::remove_reference_t<decltype(options.*m)>>(value); }, member);
  }
};

template <class Options>
using Fields = std::vector<Field<Options>>;

/// A field as the registry shows it.
struct Parameter {
  std::string name;
  double value = 0;  ///< default
  double min = 0, max = 0;
  std::string unit, help;
  bool whole = false;  ///< takes whole numbers only
};

/// Throws InputError "<kind>: <field> <value> <unit> must be in <min> .. <max>" unless the value lies in the range.
inline void check_range(std::string_view kind, std::string_view field, double value, double min, double max,
                        std::string_view unit) {
  const char* gap = unit.empty() ? "" : " ";
  require(value >= min && value <= max, kind, ": ", field, " ", value, gap, unit, " must be in ", min, " .. ", max, gap,
          unit);
}

/// Checks every field of the options.
template <class Options>
void check(std::string_view kind, const Options& options) {
  for (const auto& f : fields(options)) check_range(kind, f.name, f.get(options), f.min, f.max, f.unit);
}

}  // namespace repose::problems
