// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/scene_source.h"

#include "apps/terminal/exit_status.h"
#include "apps/terminal/option_checks.h"
#include "repose/base/error.h"
#include "repose/base/parameters.h"
#include "repose/scene/load.h"
#include "scenes/registry.h"

namespace repose::cli {
namespace {

ParameterValues values_from(const std::vector<std::string>& texts, std::optional<long long> seed) {
  ParameterValues values;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    require_usage(equals != text.npos && equals > 0, "--set: expected key=value, got '", text, "'");
    values[text.substr(0, equals)] = text.substr(equals + 1);
  }
  if (seed) values["seed"] = std::to_string(*seed);
  return values;
}

std::string builtin_names() {
  std::vector<std::string> names;
  for (const Kind& kind : scenes::list()) names.push_back(kind.name);
  return joined(names);
}

}  // namespace

FoundScene find_scene(const std::string& what, const std::vector<std::string>& values, std::optional<long long> seed) {
  const ParameterValues settings = values_from(values, seed);
  if (scenes::known(what)) return {scenes::make(what, settings)};
  require(is_scene_file(what), "scene: expected a file that ends in .xml, .urdf or .json, or ", builtin_names(),
          ", got '", what, "'");
  const bool urdf = what.ends_with(".urdf");
  require_usage(settings.empty() || (urdf && !seed), seed ? "--seed" : "--set", ": expected with built-in scenes ",
                seed ? "only" : "and URDF files only", ", got one with a file");
  LoadedScene loaded = load_scene(what, load_options(what, settings));
  return {std::move(loaded.scene), std::move(loaded.ignored), std::move(loaded.simplified)};
}

}  // namespace repose::cli
