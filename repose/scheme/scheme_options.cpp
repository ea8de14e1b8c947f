// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/scheme_options.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "repose/base/error.h"
#include "repose/scheme/solve.h"

namespace repose {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity(), kMost = std::numeric_limits<int>::max();

const std::vector<std::string>& over_cone_solvers() {
  static const std::vector<std::string> names{"fbf", "picard", "relaxed"};
  return names;
}

SchemeOption choice(const char* name, std::vector<std::string> choices, const char* help) {
  SchemeOption option;
  option.name = name;
  option.type = "choice";
  option.value = choices.front();
  option.choices = std::move(choices);
  option.help = help;
  return option;
}

SchemeOption positive(const char* name, const char* value, const char* unit, const char* help) {
  SchemeOption option;
  option.name = name;
  option.type = "number";
  option.value = value;
  option.max = kUnbounded;
  option.above_min = true;
  option.unit = unit;
  option.help = help;
  return option;
}

SchemeOption at_least_zero(const char* name, const char* help) {
  SchemeOption option = positive(name, "", "", help);
  option.above_min = false;
  return option;
}

SchemeOption count(const char* name, const char* value, double min, double max, const char* help) {
  SchemeOption option;
  option.name = name;
  option.type = "whole";
  option.value = value;
  option.min = min;
  option.max = max;
  option.help = help;
  return option;
}

SchemeOption of(std::vector<std::string> schemes, SchemeOption option, std::string otherwise = "") {
  option.schemes = std::move(schemes);
  option.otherwise = std::move(otherwise);
  return option;
}

/// "1e-4 for the steps of a run, …"
std::string in_runs(double value) {
  std::string text = text_of(value);
  if (const std::size_t e = text.find("e-0"); e != text.npos) text.erase(e + 2, 1);
  return text + " for the steps of a run, 0 for single problems";
}

std::vector<SchemeOption> table() {
  return {
      choice("outer", {"auto", "newton", "fbf", "picard", "relaxed", "nsgs", "padmm", "staggered"}, "outer scheme"),
      of(over_cone_solvers(), choice("inner", {"auto", "bgs", "apgd", "admm", "ipm", "clarabel", "scs"},
                                     "cone solver under the scheme; auto is the scheme's own")),
      positive("tol", "1e-8", "", "solved when r_c and nat are both at most this"),
      of({}, at_least_zero("accept", "accepted when both are at most this, although above the tolerance; 0: never"),
         in_runs(kStepAccept)),
      of({"auto", "newton"},
         at_least_zero("budget", "block products per contact after which an acceptable answer is taken; 0: no limit"),
         in_runs(kStepBudget)),
      of({}, count("max_outer", "", 1, kMost, "outer iterations at most"), "the scheme's own"),
      of(over_cone_solvers(),
         count("inner_iterations", "", 1, kMost, "iterations of the cone solver per outer iteration"),
         "the solver's own"),
      of({"fbf"}, positive("gamma", "", "kg", "fixed step size"), "adaptive"),
      of({"fbf"}, positive("safety", "0.5", "", "adaptive step size as a share of 1/(mu lambda_max)")),
      of({"fbf"},
         count("acceleration", "0", 0, Anderson::kMaxDepth, "iterations that Anderson's mix remembers; 0: no mix")),
      of({"fbf"},
         choice("stop", {"certificate", "paper"}, "what ends it: r_c and nat, or r_c with the paper's scales")),
      of({"fbf"}, choice("step_rule", {"bound", "measured"},
                         "step size: safety over the bound 1/(mu lambda_max), or over what the coupling does")),
      of({"fbf"}, count("power_products", "0", 0, 1000,
                        "products of the power iteration for lambda_max; 0: Lanczos' method to 1e-4")),
      of({"fbf"},
         count("test_every", "0", 0, kMost, "iterations between tests, the start untested; 0: the start and each")),
      of({"fbf"}, choice("answer", {"best", "last"}, "the iterate that is returned")),
      of({"fbf"}, choice("storage", {"double", "single"}, "precision that an iteration's vectors are rounded to")),
  };
}

void set_inner_iterations(InnerOptions& inner, int count) {
  const auto set = [count]<class Options>(Options& options) {
    if constexpr (std::is_same_v<Options, BgsOptions>)
      options.sweeps = count;
    else
      options.max_iterations = count;
  };
  std::visit(set, inner);
}

/// The given values, checked one by one.
class Given {
 public:
  Given(const ParameterValues& values, const OptionNames& shown) : values_(values), shown_(shown) {
    for (const auto& [name, text] : values) {
      const auto same = [&, &key = name](const SchemeOption& option) { return option.name == key; };
      const auto found = std::find_if(scheme_options().begin(), scheme_options().end(), same);
      require(found != scheme_options().end(), "expected ", names(), ", got the option '", name, "'");
      const std::string fault = value_fault(*found, text);
      require(fault.empty(), this->name(name), ": ", fault);
    }
  }

  [[nodiscard]] std::string name(std::string_view option) const {
    return shown_ ? shown_(option) : std::string(option);
  }
  [[nodiscard]] bool has(const std::string& option) const { return values_.contains(option); }
  [[nodiscard]] std::string text(const std::string& option) const { return has(option) ? values_.at(option) : ""; }
  [[nodiscard]] double number(const std::string& option, double otherwise) const {
    return has(option) ? parse_number(values_.at(option)).value_or(otherwise) : otherwise;
  }
  [[nodiscard]] int whole(const std::string& option, int otherwise) const {
    return static_cast<int>(number(option, otherwise));
  }

  /// "auto" for the inner solver is the default and allowed with every scheme.
  void check_scheme(std::string_view outer) const {
    for (const SchemeOption& option : scheme_options()) {
      if (!has(option.name) || option.schemes.empty() || text(option.name) == "auto") continue;
      const bool looks = std::find(option.schemes.begin(), option.schemes.end(), outer) != option.schemes.end();
      require(looks, name(option.name), ": expected with ", joined(option.schemes), " only, got '", text(option.name),
              "' with ", name("outer"), " ", outer);
    }
    require(!has("gamma") || !has("safety"), name("safety"),
            ": expected without it (a fixed step size has no bound to be a share of), got '", text("safety"), "' with ",
            name("gamma"));
    for (const char* option : {"step_rule", "power_products"})
      require(!has("gamma") || !has(option), name(option), ": expected without a fixed step size, got '", text(option),
              "' with ", name("gamma"));
  }

 private:
  static std::string names() {
    std::vector<std::string> all;
    for (const SchemeOption& option : scheme_options()) all.push_back(option.name);
    return joined(all);
  }

  const ParameterValues& values_;
  const OptionNames& shown_;
};

void set_fbf(FbfOptions& fbf, const Given& given) {
  fbf.gamma = given.number("gamma", fbf.gamma);
  fbf.safety = given.number("safety", fbf.safety);
  fbf.acceleration = given.whole("acceleration", fbf.acceleration);
  if (given.text("stop") == "paper") fbf.stop_rule = StopRule::kPaper;
  if (given.text("step_rule") == "measured") fbf.step_rule = FbfStepRule::kMeasured;
  fbf.power_products = given.whole("power_products", fbf.power_products);
  fbf.test_every = given.whole("test_every", fbf.test_every);
  fbf.last = given.text("answer") == "last";
  fbf.single = given.text("storage") == "single";
}

}  // namespace

const std::vector<SchemeOption>& scheme_options() {
  static const std::vector<SchemeOption> all = table();
  return all;
}

FrictionOptions options_from_values(const ParameterValues& values, const OptionNames& shown,
                                    const FrictionOptions& defaults) {
  const Given given(values, shown);
  FrictionOptions options = options_from_names(given.text("outer"), given.text("inner"));
  given.check_scheme(name(options.outer));
  options.tolerance = given.number("tol", options.tolerance);
  options.polish = defaults.polish;
  options.accept = given.number("accept", defaults.accept);
  options.budget = given.number("budget", defaults.budget);
  require(!given.has("accept") || options.accept == 0 || options.accept >= options.tolerance, given.name("accept"),
          ": expected 0, or ", given.name("tol"), " (", options.tolerance, ") or more, got '", given.text("accept"),
          "'");
  options.max_iterations = given.whole("max_outer", options.max_iterations);
  if (given.has("inner_iterations")) set_inner_iterations(options.inner, given.whole("inner_iterations", 0));
  if (auto* fbf = std::get_if<FbfOptions>(&options.outer)) set_fbf(*fbf, given);
  (void)make_solver(options);  // throws for a solver that this build lacks
  return options;
}

}  // namespace repose
