// SPDX-License-Identifier: Apache-2.0
#include "scenes/registry.h"

#include <algorithm>
#include <functional>

#include "scenes/arch.h"
#include "scenes/cards.h"
#include "scenes/piles.h"
#include "scenes/single.h"
#include "scenes/turntable.h"

namespace repose::scenes {
namespace {

struct Entry {
  SceneKind kind;
  std::function<Scene(const Values&)> make;
};

template <class Options>
Entry entry(const char* name, const char* summary, Scene (*generate)(const Options&)) {
  Entry made{{name, summary, {}}, {}};
  const Options defaults{};
  for (const Field<Options>& field : fields(defaults)) made.kind.parameters.push_back(describe(field, defaults));
  made.make = [name, generate](const Values& values) {
    Options options;
    for (const Field<Options>& field : fields(options))
      if (const auto found = values.find(field.name); found != values.end()) set(field, options, name, found->second);
    return generate(options);
  };
  return made;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      entry("incline", "a cube or a ball on a slope: sticks if and only if mu >= tan(slope)", incline),
      entry("backspin", "a ball that slides forward, spins backward, and comes back rolling", backspin),
      entry("turntable", "a cube on a disc that starts to turn: captured or thrown off", turntable),
      entry("tipping-box", "a tall box sliding to rest: stays flat, or tumbles above a critical mu", tipping_box),
      entry("painleve-rod", "a rod sliding on its tip, where rigid Coulomb friction has no smooth motion",
            painleve_rod),
      entry("cards", "a house of cards, standing by friction alone", cards),
      entry("arch", "a masonry arch, standing by friction alone", arch),
      entry("launched-cube", "a small fast cube: slides flat to rest, without lifting", launched_cube),
      entry("stack", "cubes on top of each other; many separate stacks if wanted", stack),
      entry("wall", "a brick wall in running bond", wall),
      entry("pile", "cubes poured into a heap", pile),
      entry("dominoes", "a row of dominoes, the first one pushed over", dominoes),
  };
  return all;
}

template <class Range, class Name>
std::string names(const Range& range, Name name) {
  std::string joined;
  for (const auto& item : range) joined += (joined.empty() ? "" : ", ") + name(item);
  return joined;
}

void check_known(const SceneKind& kind, const Values& values) {
  for (const auto& value : values) {
    const auto same = [&](const Parameter& p) { return p.name == value.first; };
    require(std::any_of(kind.parameters.begin(), kind.parameters.end(), same), kind.name, ": found parameter '",
            value.first, "', allowed ", names(kind.parameters, [](const Parameter& p) { return p.name; }));
  }
}

}  // namespace

const std::vector<SceneKind>& list() {
  static const std::vector<SceneKind> kinds = [] {
    std::vector<SceneKind> all;
    for (const Entry& e : entries()) all.push_back(e.kind);
    return all;
  }();
  return kinds;
}

bool known(std::string_view name) {
  return std::any_of(list().begin(), list().end(), [&](const SceneKind& kind) { return kind.name == name; });
}

Scene make(std::string_view name, const Values& values) {
  for (const Entry& e : entries()) {
    if (e.kind.name != name) continue;
    check_known(e.kind, values);
    return e.make(values);
  }
  fail("scene: found '", name, "', allowed ", names(list(), [](const SceneKind& kind) { return kind.name; }));
}

}  // namespace repose::scenes
