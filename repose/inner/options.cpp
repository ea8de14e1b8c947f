// SPDX-License-Identifier: Apache-2.0
#include "repose/inner/options.h"

#include <array>
#include <string>

#include "repose/base/error.h"

namespace repose {
namespace {

/// In the order of InnerOptions' alternatives.
constexpr std::array<std::string_view, std::variant_size_v<InnerOptions>> kNames{"bgs", "apgd",     "admm",
                                                                                 "ipm", "clarabel", "scs"};

std::string listed_names() {
  std::string list;
  for (std::string_view known : kNames) (list += list.empty() ? "" : ", ") += known;
  return list;
}

/// Returns the k-th alternative with its defaults.
template <std::size_t... K>
InnerOptions defaults(std::size_t k, std::index_sequence<K...>) {
  InnerOptions chosen;
  ((k == K ? void(chosen.emplace<K>()) : void()), ...);
  return chosen;
}

}  // namespace

std::unique_ptr<ConeQpSolver> make_inner(const InnerOptions& options) {
  return std::visit([](const auto& chosen) { return make_inner(chosen); }, options);  // each type has its own overload
}

InnerOptions inner_options(std::string_view name) {
  for (std::size_t k = 0; k < kNames.size(); ++k)
    if (kNames[k] == name) return defaults(k, std::make_index_sequence<kNames.size()>());
  fail("inner: expected ", listed_names(), ", got '", name, "'");
}

std::string_view name(const InnerOptions& options) { return kNames[options.index()]; }

}  // namespace repose
