// SPDX-License-Identifier: Apache-2.0
#include "problems/registry.h"

#include <cmath>
#include <functional>
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

using Values = std::map<std::string, double>;

struct Entry {
  ProblemKind kind;
  std::function<std::unique_ptr<Source>(const Values&, std::uint64_t seed)> make;
};

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

template <class Options>
void describe(const Options& defaults, std::vector<Parameter>& out) {
  for (const auto& f : fields(defaults))
    out.push_back({f.name, f.get(defaults), f.min, f.max, f.unit, f.help, f.whole()});
}

template <class Options>
Options filled(Options options, const Values& values) {
  for (const auto& f : fields(options))
    if (const auto found = values.find(f.name); found != values.end()) f.set(options, found->second);
  return options;
}

std::unique_ptr<Source> sequence_of(Structure s, const StepOptions& step, SequenceOptions run, std::uint64_t seed) {
  s.h = step.h;
  s.gravity = {0, 0, -step.gravity};
  run.seed = seed;
  return std::make_unique<Sequence>(std::move(s), run);
}

/// A structure that Sequence steps; `run` holds the default kicks.
template <class Options>
Entry structure(const char* name, const char* summary, Structure (*generate)(const Options&), SequenceOptions run) {
  Entry entry{{name, summary, {}}, {}};
  describe(Options{}, entry.kind.parameters);
  describe(run, entry.kind.parameters);
  describe(StepOptions{}, entry.kind.parameters);
  entry.make = [generate, run](const Values& values, std::uint64_t seed) {
    return sequence_of(generate(filled(Options{}, values)), filled(StepOptions{}, values), filled(run, values), seed);
  };
  return entry;
}

Entry random_family(const Family& family) {
  Entry entry{{"random_" + family.name, "random and cold: " + family.summary, {}}, {}};
  describe(FamilyOptions{}, entry.kind.parameters);
  describe(StepOptions{}, entry.kind.parameters);
  entry.make = [name = family.name](const Values& values, std::uint64_t seed) {
    Structure s = family_structure(name, filled(FamilyOptions{}, values).mu, seed);
    return sequence_of(std::move(s), filled(StepOptions{}, values), {}, seed);
  };
  return entry;
}

Entry sphere_pack() {
  Entry entry{{"spheres", "balls dropped into a walled box; contacts are found anew at every step", {}}, {}};
  describe(SpherePackOptions{}, entry.kind.parameters);
  entry.make = [](const Values& values, std::uint64_t seed) {
    SpherePackOptions options = filled(SpherePackOptions{}, values);
    options.seed = seed;
    return std::make_unique<SpherePack>(options);
  };
  return entry;
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

Entry manufactured() {
  Entry entry{{"manufactured", "random bodies and an exact solution that was chosen first", {}}, {}};
  describe(ManufacturedOptions{}, entry.kind.parameters);
  entry.make = [](const Values& values, std::uint64_t seed) {
    ManufacturedOptions options = filled(ManufacturedOptions{}, values);
    options.seed = seed;
    return std::make_unique<ManufacturedSource>(options);
  };
  return entry;
}

std::vector<Entry> build_entries() {
  const SequenceOptions still, trembling{.rest = 1e-3}, stirred{.random = 1, .random_spin = 2};
  std::vector<Entry> all = {
      structure("arch", "semicircular masonry arch, both end stones static", arch, trembling),
      structure("catenary", "the 65 m catenary arch of the Rigid-IPC scenes, closed", catenary_arch, trembling),
      structure("cards", "house of cards", cards, trembling),
      structure("wall", "brick wall in running bond", wall, stirred),
      structure("pile", "boxes in layers, every other layer shifted", pile, stirred),
      structure("lattice", "touching balls on the ground and against two walls", lattice, stirred),
      sphere_pack(),
      structure("rod", "Painleve's rod, its tip sliding on the ground", rod, still),
      structure("ball", "ball with backspin", ball, still),
      structure("box", "box on a plane or a slope", box, still),
  };
  for (const Family& family : families()) all.push_back(random_family(family));
  all.push_back(manufactured());
  return all;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = build_entries();
  return all;
}

template <class Range>
std::string names(const Range& range, std::string (*name)(const typename Range::value_type&)) {
  std::string joined;
  for (const auto& item : range) joined += (joined.empty() ? "" : ", ") + name(item);
  return joined;
}

const Entry& find(std::string_view name) {
  for (const Entry& entry : entries())
    if (entry.kind.name == name) return entry;
  fail("problem '", name, "' is unknown; there are ",
       names(
           entries(), +[](const Entry& e) { return e.kind.name; }));
}

void check_values(const ProblemKind& kind, const Values& values) {
  for (const auto& [name, value] : values) {
    const Parameter* known = nullptr;
    for (const Parameter& p : kind.parameters)
      if (p.name == name) known = &p;
    require(known != nullptr, kind.name, ": parameter '", name, "' is unknown; there are ",
            names(
                kind.parameters, +[](const Parameter& p) { return p.name; }));
    check_range(kind.name, name, value, known->min, known->max, known->unit);
    require(!known->whole || value == std::floor(value), kind.name, ": ", name, " ", value, " must be a whole number");
  }
}

}  // namespace

const std::vector<ProblemKind>& list() {
  static const std::vector<ProblemKind> kinds = [] {
    std::vector<ProblemKind> all;
    for (const Entry& entry : entries()) all.push_back(entry.kind);
    return all;
  }();
  return kinds;
}

std::unique_ptr<Source> make(std::string_view name, const std::map<std::string, double>& parameters,
                             std::uint64_t seed) {
  const Entry& entry = find(name);
  check_values(entry.kind, parameters);
  return entry.make(parameters, seed);
}

}  // namespace repose::problems
