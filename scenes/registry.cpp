// SPDX-License-Identifier: Apache-2.0
#include "scenes/registry.h"

#include <utility>

#include "scenes/arch.h"
#include "scenes/cards.h"
#include "scenes/piles.h"
#include "scenes/poured.h"
#include "scenes/single.h"
#include "scenes/turntable.h"

namespace repose::scenes {
namespace {

using Scenes = Registry<Scene>;

template <class Options>
void add(Scenes& all, const char* name, const char* summary, Scene (*generate)(const Options&)) {
  Kind kind{name, summary, {}};
  describe(Options{}, kind.parameters);
  all.add(std::move(kind),
          [name, generate](const ParameterValues& values) { return generate(changed(Options{}, name, values)); });
}

const Scenes& registry() {
  static const Scenes scenes = [] {
    Scenes all("scene");
    add(all, "incline", "a cube or a ball on a slope: sticks if and only if mu >= tan(slope)", incline);
    add(all, "backspin", "a ball that slides forward, spins backward, and comes back rolling", backspin);
    add(all, "turntable", "a cube on a disc that starts to turn: captured or thrown off", turntable);
    add(all, "tipping-box", "a tall box sliding to rest: stays flat, or tumbles above a critical mu", tipping_box);
    add(all, "painleve-rod", "a rod sliding on its tip, where rigid Coulomb friction has no smooth motion",
        painleve_rod);
    add(all, "cards", "a house of cards, standing by friction alone", cards);
    add(all, "arch", "a masonry arch, standing by friction alone", arch);
    add(all, "launched-cube", "a small fast cube: slides flat to rest, without lifting", launched_cube);
    add(all, "stack", "cubes on top of each other; many separate stacks if wanted", stack);
    add(all, "wall", "a brick wall in running bond", wall);
    add(all, "pile", "cubes poured into a heap", pile);
    add(all, "bin", "mixed shapes, balls, capsules or rubble poured into a bin", bin);
    add(all, "hopper", "grains that flow out of a funnel once its gate is taken away", hopper);
    add(all, "drum", "grains in a drum that turns about its horizontal axis", drum);
    add(all, "dominoes", "a row of dominoes, the first one pushed over", dominoes);
    return all;
  }();
  return scenes;
}

}  // namespace

const std::vector<Kind>& list() { return registry().kinds(); }

bool known(std::string_view name) { return registry().known(name); }

Scene make(std::string_view name, const ParameterValues& values) { return registry().make(name, values); }

}  // namespace repose::scenes
