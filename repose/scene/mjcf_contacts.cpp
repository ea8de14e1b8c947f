// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "repose/base/error.h"
#include "repose/scene/mjcf_contacts_internal.h"

namespace repose {

std::size_t MjcfGeoms::find(const MjcfElement& e, const char* attribute) const {
  const auto found = names.find(e.text(attribute, ""));
  if (found == names.end()) e.refuse(attribute, "the name of a geom");
  return found->second;
}

void MjcfGeoms::read_pair(const MjcfElement& e) {
  MjcfPair pair{find(e, "geom1"), find(e, "geom2"), {}};
  if (list[pair.a].body == list[pair.b].body) e.refuse("geom2", "a geom of another body than geom1");
  const int condim = e.whole("condim", 3);
  if (condim != 3 && condim != 4 && condim != 6) e.refuse("condim", "3 (4 and 6 are read as 3)");
  if (e.find("friction") != nullptr) {
    const std::vector<double> n = e.numbers("friction", 1, 5);
    if (!(n[0] >= 0) || (n.size() > 1 && n[1] != n[0])) e.refuse("friction", "numbers >= 0, the first two equal");
    pair.friction = n[0];
  }
  pairs.push_back(pair);
}

void MjcfGeoms::set_filters(Scene& scene) const {
  // MuJoCo lets two geoms touch when the contype of one meets the conaffinity of the other; here the group of each must
  // be in the mask of the other. Geoms with equal bits share a class, geoms of pairs have one each; one bit per class
  // is exact.
  std::vector<char> paired(list.size(), 0);
  for (const MjcfPair& pair : pairs) paired[pair.a] = paired[pair.b] = 1;
  using Key = std::tuple<int, int, std::size_t>;
  std::map<Key, std::size_t> numbers;
  std::vector<std::size_t> classes;  // of each geom
  std::vector<std::size_t> members;  // one geom of each class
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Key key{list[i].contype, list[i].conaffinity, paired[i] ? i + 1 : 0};
    const auto [at, fresh] = numbers.emplace(key, numbers.size());
    if (fresh) members.push_back(i);
    if (members.size() > 32)
      list[i].xml->refuse("contype", "more than 32 combinations of contype, conaffinity and pairs", "at most 32");
    classes.push_back(at->second);
  }
  std::vector<std::uint32_t> masks(members.size(), 0);
  for (std::size_t i = 0; i < members.size(); ++i)
    for (std::size_t j = 0; j < members.size(); ++j) {
      const MjcfGeom &a = list[members[i]], &b = list[members[j]];
      if ((a.contype & b.conaffinity) != 0 || (b.contype & a.conaffinity) != 0) masks[i] |= std::uint32_t{1} << j;
    }
  for (const MjcfPair& pair : pairs) {
    masks[classes[pair.a]] |= std::uint32_t{1} << classes[pair.b];
    masks[classes[pair.b]] |= std::uint32_t{1} << classes[pair.a];
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    SceneShape& shape =
        scene.bodies[static_cast<std::size_t>(list[i].body)].shapes[static_cast<std::size_t>(list[i].shape)];
    shape.group = std::uint32_t{1} << classes[i];
    shape.mask = masks[classes[i]];
  }
  set_pair_materials(scene);
}

/// Gives every geom of a pair with its own friction a material of its own, and the pair an override.
void MjcfGeoms::set_pair_materials(Scene& scene) const {
  std::map<std::size_t, int> own;
  const auto material = [&](std::size_t geom) {
    SceneShape& shape =
        scene.bodies[static_cast<std::size_t>(list[geom].body)].shapes[static_cast<std::size_t>(list[geom].shape)];
    if (const auto found = own.find(geom); found != own.end()) return found->second;
    Material copy = scene.materials[static_cast<std::size_t>(shape.material)];
    copy.name = "geom '" + shape.name + "'";
    scene.materials.push_back(copy);
    shape.material = static_cast<int>(scene.materials.size()) - 1;
    return own[geom] = shape.material;
  };
  for (const MjcfPair& pair : pairs) {
    if (!pair.friction) continue;
    const int a = material(pair.a), b = material(pair.b);
    scene.overrides.push_back({a, b, *pair.friction, 0});
  }
}

}  // namespace repose
