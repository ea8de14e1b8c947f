// SPDX-License-Identifier: Apache-2.0
#include "repose/scene/load.h"

#include <algorithm>
#include <filesystem>

#include "repose/base/error.h"
#include "repose/scene/file_text_internal.h"
#include "repose/scene/json_lines_internal.h"
#include "repose/scene/json_readers_internal.h"
#include "repose/scene/mjcf.h"
#include "repose/scene/urdf.h"

namespace repose {
namespace {

std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

LoadedScene load_json(const std::string& path) {
  const std::string text = read_scene_text(path);
  return with_lines(path, text, [&]() -> LoadedScene {
    const Json root = parse_json(path, text);
    if (root.is_object() && root.contains("rigid_body_problem")) return rigid_ipc_from_json(root, path);
    if (root.is_object() && root.contains("repose_scene")) return {native_from_json(root, path), "native", {}};
    throw JsonRefusal(
        path, "",
        "expected a native scene (\"repose_scene\": 1) or a Rigid-IPC scene, got neither repose_scene nor "
        "rigid_body_problem");
  });
}

}  // namespace

void validate_file(const std::string& file, const Scene& scene) {
  try {
    validate(scene);
    // Milliseconds taken for seconds, most likely. Programs may do as they please.
    require(scene.duration == 0 || scene.dt <= scene.duration, "dt: expected at most the duration, ", scene.duration,
            " s, got ", scene.dt, " s");
  } catch (const InputError& error) {
    fail(file, ": ", error.what());
  }
}

LoadOptions load_options(const std::string& path, const ParameterValues& values) {
  LoadOptions options;
  for (const auto& [name, text] : values) {
    require(ending_of(path) == ".urdf", name, ": expected options of URDF files only, got it with '", path, "'");
    const bool base = name == "base", self = name == "self_collision";
    require(base || self || name == "package_path",
            "option: expected base, self_collision or package_path with a URDF file, got '", name, "'");
    require(!base || text == "fixed" || text == "free", "base: expected fixed or free, got '", text, "'");
    require(!self || text == "true" || text == "false", "self_collision: expected true or false, got '", text, "'");
    if (base) options.free_base = text == "free";
    if (self) options.self_collision = text == "true";
    if (name == "package_path") options.package_path = text;
  }
  return options;
}

bool is_scene_file(const std::string& path) {
  const std::string ending = ending_of(path);
  return ending == ".json" || ending == ".xml" || ending == ".mjcf" || ending == ".urdf";
}

LoadedScene load_scene(const std::string& path, const LoadOptions& options) {
  const std::string ending = ending_of(path);
  if (ending == ".json") return load_json(path);
  if (ending == ".xml" || ending == ".mjcf") return read_mjcf_scene(path, options);
  if (ending == ".urdf") return read_urdf_scene(path, options);
  (void)read_scene_text(path);  // a missing file first
  fail(path, ": file: expected a name that ends in .json (native or Rigid-IPC), .xml (MJCF) or .urdf, got '", ending,
       "'");
}

}  // namespace repose
