// SPDX-License-Identifier: Apache-2.0
// Which geoms of an MJCF file may touch, as groups and masks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "repose/scene/mjcf_element_internal.h"
#include "repose/scene/scene.h"

namespace repose {

struct MjcfGeom {
  int body = 0, shape = 0;  ///< in the scene
  int owner = 0;            ///< body of the file
  int contype = 1, conaffinity = 1;
  const XmlElement* xml = nullptr;
};

/// A <pair>: the two may touch regardless of their bits, with their own friction if given.
struct MjcfPair {
  std::size_t a = 0, b = 0;  ///< geoms
  std::optional<double> friction;
};

/// What decides the friction of two geoms: that of the higher priority, or the larger one.
struct MjcfSurface {
  double friction = 1;
  bool frictionless = false;  ///< condim 1
  int priority = 0;
  bool operator==(const MjcfSurface&) const = default;
};

struct MjcfGeoms {
  std::vector<MjcfGeom> list;
  std::map<std::string, std::size_t> names;
  std::vector<MjcfPair> pairs;
  std::vector<std::pair<int, int>> excluded;  ///< bodies of the file
  std::vector<MjcfSurface> surfaces;          ///< by material of the scene

  /// The material with this surface.
  int material(Scene& scene, const MjcfSurface& surface);
  void read_pair(const MjcfElement& e);
  /// Whether the body of the scene that has the geoms of a body of the file has those of no other.
  [[nodiscard]] bool is_alone(int owner) const;
  /// Groups, masks, exclusions, and materials with the friction of each two.
  void set_filters(Scene& scene);

 private:
  [[nodiscard]] std::size_t find(const MjcfElement& e, const char* attribute) const;
  void set_pair_materials(Scene& scene);
  void set_pair_friction(Scene& scene) const;
};

}  // namespace repose
