// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/options.h"

#include <array>
#include <string>

#include "repose/base/error.h"

namespace repose {
namespace {

constexpr std::string_view name_of(const AutoOptions&) { return "auto"; }
constexpr std::string_view name_of(const NewtonOptions&) { return "newton"; }
constexpr std::string_view name_of(const NsgsOptions&) { return "nsgs"; }
constexpr std::string_view name_of(const FbfOptions&) { return "fbf"; }
constexpr std::string_view name_of(const PicardOptions&) { return "picard"; }
constexpr std::string_view name_of(const RelaxedOptions&) { return "relaxed"; }
constexpr std::string_view name_of(const PadmmOptions&) { return "padmm"; }
constexpr std::string_view name_of(const StaggeredOptions&) { return "staggered"; }

template <std::size_t... K>
constexpr auto names(std::index_sequence<K...>) {
  return std::array{name_of(std::variant_alternative_t<K, OuterOptions>{})...};
}
/// In the order of OuterOptions' alternatives.
constexpr auto kNames = names(std::make_index_sequence<std::variant_size_v<OuterOptions>>());

std::string listed_names() {
  std::string list;
  for (std::string_view known : kNames) (list += list.empty() ? "" : ", ") += known;
  return list;
}

/// Returns the k-th alternative with its defaults.
template <std::size_t... K>
OuterOptions defaults(std::size_t k, std::index_sequence<K...>) {
  OuterOptions chosen;
  ((k == K ? void(chosen.emplace<K>()) : void()), ...);
  return chosen;
}

bool left_open(std::string_view name) { return name.empty() || name == "auto"; }

}  // namespace

std::span<const std::string_view> outer_names() { return kNames; }

OuterOptions outer_options(std::string_view name) {
  for (std::size_t k = 0; k < kNames.size(); ++k)
    if (kNames[k] == name) return defaults(k, std::make_index_sequence<kNames.size()>());
  fail("outer: expected ", listed_names(), ", got '", name, "'");
}

std::string_view name(const OuterOptions& options) { return kNames[options.index()]; }

bool has_inner(const OuterOptions& options) {
  return std::holds_alternative<FbfOptions>(options) || std::holds_alternative<PicardOptions>(options) ||
         std::holds_alternative<RelaxedOptions>(options);
}

FrictionOptions options_from_names(std::string_view outer, std::string_view inner) {
  FrictionOptions options;
  if (!left_open(outer)) options.outer = outer_options(outer);
  if (!left_open(inner)) options.inner = inner_options(inner);
  return options;
}

}  // namespace repose
