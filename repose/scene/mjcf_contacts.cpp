// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
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
  if (condim != 1 && condim != 3 && condim != 4 && condim != 6) e.refuse("condim", "1 or 3 (4 and 6 are read as 3)");
  if (e.find("friction") != nullptr) {
    const std::vector<double> n = e.numbers("friction", 1, 5);
    if (!(n[0] >= 0) || (n.size() > 1 && n[1] != n[0])) e.refuse("friction", "numbers >= 0, the first two equal");
    pair.friction = n[0];
  }
  if (condim == 1) pair.friction = 0;
  pairs.push_back(pair);
}

int MjcfGeoms::material(Scene& scene, const MjcfSurface& surface) {
  const auto found = std::find(surfaces.begin(), surfaces.end(), surface);
  if (found != surfaces.end()) return static_cast<int>(found - surfaces.begin());
  const std::size_t index = scene.materials.size();
  scene.materials.push_back({.name = "material-" + std::to_string(index), .friction = surface.friction});
  surfaces.push_back(surface);
  return static_cast<int>(index);
}

bool MjcfGeoms::is_alone(int owner) const {
  int body = -1;
  for (const MjcfGeom& geom : list)
    if (geom.owner == owner) body = geom.body;
  return std::none_of(list.begin(), list.end(), [&](const MjcfGeom& g) { return g.body == body && g.owner != owner; });
}

void MjcfGeoms::set_filters(Scene& scene) {
  // MuJoCo lets two geoms touch when the contype of one meets the conaffinity of the other; here the group of each must
  // be in the mask of the other. Geoms with equal bits share a class, geoms of pairs have one each, and so have bodies
  // that are excluded as a part of a body of the scene; one bit per class is exact.
  std::vector<char> paired(list.size(), 0);
  for (const MjcfPair& pair : pairs) paired[pair.a] = paired[pair.b] = 1;
  std::set<int> parts;
  for (const auto& [a, b] : excluded) {
    if (is_alone(a) && is_alone(b)) continue;
    parts.insert(a), parts.insert(b);
  }
  using Key = std::tuple<int, int, std::size_t, int>;
  std::map<Key, std::size_t> numbers;
  std::vector<std::size_t> classes;  // of each geom
  std::vector<std::size_t> members;  // one geom of each class
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Key key{list[i].contype, list[i].conaffinity, paired[i] ? i + 1 : 0,
                  parts.contains(list[i].owner) ? list[i].owner : -1};
    const auto [at, fresh] = numbers.emplace(key, numbers.size());
    if (fresh) members.push_back(i);
    if (members.size() > 32)
      list[i].xml->refuse("contype", "more than 32 combinations of contype, conaffinity, pairs and exclusions",
                          "at most 32");
    classes.push_back(at->second);
  }
  const auto is_excluded = [&](const MjcfGeom& a, const MjcfGeom& b) {
    return std::any_of(excluded.begin(), excluded.end(), [&](const std::pair<int, int>& pair) {
      return parts.contains(pair.first) && parts.contains(pair.second) &&
             (pair == std::pair(a.owner, b.owner) || pair == std::pair(b.owner, a.owner));
    });
  };
  std::vector<std::uint32_t> masks(members.size(), 0);
  for (std::size_t i = 0; i < members.size(); ++i)
    for (std::size_t j = 0; j < members.size(); ++j) {
      const MjcfGeom &a = list[members[i]], &b = list[members[j]];
      const bool meet = (a.contype & b.conaffinity) != 0 || (b.contype & a.conaffinity) != 0;
      if (meet && !is_excluded(a, b)) masks[i] |= std::uint32_t{1} << j;
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
  set_pair_friction(scene);
}

/// Gives every geom of a pair with its own friction a material of its own, and the pair an override.
void MjcfGeoms::set_pair_materials(Scene& scene) {
  std::map<std::size_t, int> own;
  const auto material = [&](std::size_t geom) {
    SceneShape& shape =
        scene.bodies[static_cast<std::size_t>(list[geom].body)].shapes[static_cast<std::size_t>(list[geom].shape)];
    if (const auto found = own.find(geom); found != own.end()) return found->second;
    Material copy = scene.materials[static_cast<std::size_t>(shape.material)];
    copy.name = "geom '" + shape.name + "'";
    scene.materials.push_back(copy);
    surfaces.push_back(surfaces[static_cast<std::size_t>(shape.material)]);
    shape.material = static_cast<int>(scene.materials.size()) - 1;
    return own[geom] = shape.material;
  };
  for (const MjcfPair& pair : pairs) {
    if (!pair.friction) continue;
    const int a = material(pair.a), b = material(pair.b);
    scene.overrides.push_back({a, b, *pair.friction, 0});
  }
}

/// Overrides where the friction of two materials is not the larger one.
void MjcfGeoms::set_pair_friction(Scene& scene) const {
  const auto given = scene.overrides;
  for (std::size_t i = 0; i < surfaces.size(); ++i)
    for (std::size_t j = i; j < surfaces.size(); ++j) {
      const int x = static_cast<int>(i), y = static_cast<int>(j);
      if (std::any_of(given.begin(), given.end(), [&](const PairOverride& o) {
            return (o.material_a == x && o.material_b == y) || (o.material_a == y && o.material_b == x);
          }))
        continue;
      const MjcfSurface &a = surfaces[i], &b = surfaces[j];
      const auto own = [](const MjcfSurface& s) { return s.frictionless ? 0.0 : s.friction; };
      const double larger = std::max(a.friction, b.friction);
      const double friction = a.priority > b.priority            ? own(a)
                              : b.priority > a.priority          ? own(b)
                              : a.frictionless && b.frictionless ? 0.0
                                                                 : larger;
      if (friction != larger) scene.overrides.push_back({x, y, friction, 0});
    }
}

}  // namespace repose
