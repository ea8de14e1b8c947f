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
  int contype = 1, conaffinity = 1;
  const XmlElement* xml = nullptr;
};

/// A <pair>: the two may touch regardless of their bits, with their own friction if given.
struct MjcfPair {
  std::size_t a = 0, b = 0;  ///< geoms
  std::optional<double> friction;
};

struct MjcfGeoms {
  std::vector<MjcfGeom> list;
  std::map<std::string, std::size_t> names;
  std::vector<MjcfPair> pairs;

  void read_pair(const MjcfElement& e);
  /// Groups, masks, and materials for the pairs.
  void set_filters(Scene& scene) const;

 private:
  [[nodiscard]] std::size_t find(const MjcfElement& e, const char* attribute) const;
  void set_pair_materials(Scene& scene) const;
};

}  // namespace repose
