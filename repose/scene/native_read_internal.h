// SPDX-License-Identifier: Apache-2.0
// What the readers of native scene files share.
#pragma once

#include <string>
#include <vector>

#include "repose/scene/file_text_internal.h"
#include "repose/scene/json_object_internal.h"
#include "repose/scene/scene.h"

namespace repose {

/// An object of a kind of native_fields().
[[nodiscard]] JsonObject object(const Json& node, const JsonPlace& place, const std::string& kind);

/// "position", and "rotation" or "rotation_degrees".
[[nodiscard]] Pose read_pose(const JsonObject& o);

/// A name or an index.
template <class Named>
[[nodiscard]] int read_reference(const Json& value, const JsonPlace& place, const std::vector<Named>& all,
                                 const char* what) {
  if (value.is_number()) {
    if (all.empty()) place.refuse(value, std::string("nothing, as there is no ") + what);
    return static_cast<int>(json_whole(value, place, 0, static_cast<long long>(all.size()) - 1));
  }
  const std::string name = json_text(value, place);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name) return static_cast<int>(i);
    names.push_back(all[i].name);
  }
  place.refuse(in_quotes(name) + meant(name, names), std::string("the name or the index of a ") + what);
}

/// "joints" and "actuators" of a scene whose bodies are read.
void read_joints(const JsonObject& scene_object, Scene& scene);
/// Puts them into the scene's object.
void put_joints(const Scene& scene, Json& scene_object);

/// "sensors" of a scene whose joints are read.
void read_sensors(const JsonObject& scene_object, Scene& scene);
void put_sensors(const Scene& scene, Json& scene_object);

/// "mass", "centre" and "inertia".
[[nodiscard]] MassProperties read_mass(const JsonObject& o);
[[nodiscard]] Json mass_json(const MassProperties& mass);

}  // namespace repose
