// SPDX-License-Identifier: Apache-2.0
#include "problems/registry.h"

#include <utility>

#include "problems/arch.h"
#include "problems/bricks.h"
#include "problems/cards.h"
#include "problems/families.h"
#include "problems/manufactured.h"
#include "problems/sequence.h"
#include "problems/simple.h"
#include "problems/sphere_pack.h"

namespace repose::problems {
namespace {

using Values = ParameterValues;
using Problems = Registry<std::unique_ptr<Source>, std::uint64_t>;

struct StepOptions {
  double h = 1.0 / 60.0;  ///< s
  double gravity = 9.81;  ///< m/s², downwards
};
const Fields<StepOptions>& fields(const StepOptions&) {
  using O = StepOptions;
  static const Fields<O> table = {{"h", &O::h, 1e-6, 1, "s", "time step"},
                                  {"gravity", &O::gravity, 0, 1e3, "m/s^2", "downwards"}};
  return table;
}

struct FamilyOptions {
  double mu = 0.8;
};
const Fields<FamilyOptions>& fields(const FamilyOptions&) {
  static const Fields<FamilyOptions> table = {{"mu", &FamilyOptions::mu, 0, 100, "", "friction coefficient"}};
  return table;
}

std::unique_ptr<Source> sequence_of(Structure s, const StepOptions& step, SequenceOptions run, std::uint64_t seed) {
  s.h = step.h;
  s.gravity = {0, 0, -step.gravity};
  run.seed = seed;
  return std::make_unique<Sequence>(std::move(s), run);
}

/// A structure that Sequence steps; `run` holds the default kicks.
template <class Options>
void add_structure(Problems& all, const char* name, const char* summary, Structure (*generate)(const Options&),
                   const SequenceOptions& run) {
  Kind kind{name, summary, {}};
  describe(Options{}, kind.parameters);
  describe(run, kind.parameters);
  describe(StepOptions{}, kind.parameters);
  all.add(std::move(kind), [name, generate, run](const Values& values, std::uint64_t seed) {
    return sequence_of(generate(changed(Options{}, name, values)), changed(StepOptions{}, name, values),
                       changed(run, name, values), seed);
  });
}

void add_random_family(Problems& all, const Family& family) {
  Kind kind{"random_" + family.name, "random and cold: " + family.summary, {}};
  describe(FamilyOptions{}, kind.parameters);
  describe(StepOptions{}, kind.parameters);
  all.add(kind, [name = family.name, kind = kind.name](const Values& values, std::uint64_t seed) {
    Structure s = family_structure(name, changed(FamilyOptions{}, kind, values).mu, seed);
    return sequence_of(std::move(s), changed(StepOptions{}, kind, values), {}, seed);
  });
}

/// A kind whose options carry the seed themselves.
template <class Made, class Options>
void add_seeded(Problems& all, const char* name, const char* summary) {
  Kind kind{name, summary, {}};
  describe(Options{}, kind.parameters);
  all.add(std::move(kind), [name](const Values& values, std::uint64_t seed) {
    Options options = changed(Options{}, name, values);
    options.seed = seed;
    return std::make_unique<Made>(options);
  });
}

/// Another problem at every step; nothing carries over.
class ManufacturedSource final : public Source {
 public:
  explicit ManufacturedSource(const ManufacturedOptions& options) : options_(options) { refresh(); }
  [[nodiscard]] const ContactProblem& problem() const override { return made_.problem; }
  void advance(std::span<const ContactVec>) override { ++step_, ++options_.seed, refresh(); }
  [[nodiscard]] std::vector<ContactVec> warm_start() const override {
    return std::vector<ContactVec>(made_.lambda.size());
  }
  [[nodiscard]] int step() const override { return step_; }
  [[nodiscard]] bool fixed_operator() const override { return false; }

 private:
  void refresh() { made_ = manufactured_problem(options_); }
  ManufacturedOptions options_;
  Manufactured made_;
  int step_ = 0;
};

Problems build() {
  const SequenceOptions still, trembling{.rest = 1e-3}, stirred{.random = 1, .random_spin = 2};
  Problems all("problem");
  add_structure(all, "arch", "semicircular masonry arch, both end stones static", arch, trembling);
  add_structure(all, "catenary", "the 65 m catenary arch of the Rigid-IPC scenes, closed", catenary_arch, trembling);
  add_structure(all, "cards", "house of cards", cards, trembling);
  add_structure(all, "wall", "brick wall in running bond", wall, stirred);
  add_structure(all, "pile", "boxes in layers, every other layer shifted", pile, stirred);
  add_structure(all, "lattice", "touching balls on the ground and against two walls", lattice, stirred);
  add_seeded<SpherePack, SpherePackOptions>(all, "spheres",
                                            "balls dropped into a walled box; contacts are found anew at every step");
  add_structure(all, "rod", "Painleve's rod, its tip sliding on the ground", rod, still);
  add_structure(all, "ball", "ball with backspin", ball, still);
  add_structure(all, "box", "box on a plane or a slope", box, still);
  for (const Family& family : families()) add_random_family(all, family);
  add_seeded<ManufacturedSource, ManufacturedOptions>(all, "manufactured",
                                                      "random bodies and an exact solution that was chosen first");
  return all;
}

const Problems& registry() {
  static const Problems problems = build();
  return problems;
}

}  // namespace

const std::vector<Kind>& list() { return registry().kinds(); }

std::unique_ptr<Source> make(std::string_view name, const std::map<std::string, double>& parameters,
                             std::uint64_t seed) {
  Values values;
  for (const auto& [key, value] : parameters) values[key] = text_of(value);
  return registry().make(name, values, seed);
}

}  // namespace repose::problems
