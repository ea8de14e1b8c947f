// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/policy_numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace repose::bench {
namespace {

using P = AutoPolicy;
constexpr double kAlways = 1e9;   // above every cost, residual and count that a rule compares with
constexpr double kExact = 1e-12;  // below every residual that a stage reaches

constexpr PolicyNumber kNumbers[] = {
    {"tiny", &P::tiny, 0, 100},
    {"point_contacts", &P::point_contacts, 0, kAlways},
    {"face_contacts", &P::face_contacts, 0, kAlways},
    {"face_heap", &P::face_heap, 0, kAlways},
    {"loose_factor_cost", &P::loose_factor_cost, 0, kAlways},
    {"heap_factor", &P::heap_factor, 0, kAlways},
    {"held_alpha", &P::held_alpha, 1e4, 1e8},
    {"held_newton", &P::held_newton, 0, 50},
    {"held_below", &P::held_below, 0, kAlways},
    {"expensive_factor", &P::expensive_factor, 0, kAlways},
    {"expensive_factor_warm", &P::expensive_factor_warm, 0, kAlways},
    {"first_sweeps", &P::first_sweeps, 1, 100},
    {"further_sweeps", &P::further_sweeps, 1, 100},
    {"further_sweeps_warm", &P::further_sweeps_warm, 2, 200},
    {"further_sweeps_below", &P::further_sweeps_below, 0, kAlways},
    {"sweeps_stop_at", &P::sweeps_stop_at, 0, kAlways},
    {"sweeps_stop_at_warm", &P::sweeps_stop_at_warm, 0, kAlways},
    {"newton_first_below", &P::newton_first_below, 0, kAlways},
    {"tiny_alpha", &P::tiny_alpha, 1e3, 1e5},
    {"tiny_alpha_second", &P::tiny_alpha_second, 1e1, 1e3},
    {"tiny_newton_budget", &P::tiny_newton_budget, 3, 300},
    {"warm_enough", &P::warm_enough, 0, kAlways},
    {"first_alpha", &P::first_alpha, 1e1, 1e3},
    {"first_alpha_grows_below", &P::first_alpha_grows_below, 0, 1},
    {"start_newton_per_step", &P::start_newton_per_step, 1, 120},
    {"start_failures", &P::start_failures, 1, 20},
    {"newton_budget", &P::newton_budget, 40, 4000},
    {"interior_tolerance", &P::interior_tolerance, kExact, kAlways},
    {"interior_tolerance_warm", &P::interior_tolerance_warm, kExact, 1e-3},
    {"interior_smoothing_warm", &P::interior_smoothing_warm, 1e-6, 1},
    {"interior_iterations", &P::interior_iterations, 6, 600},
    {"soft_start", &P::soft_start, 0, 100},
    {"second_start_above", &P::second_start_above, 0, kAlways},
    {"newton_after_interior", &P::newton_after_interior, 0, kAlways},
    {"newton_after_interior_else", &P::newton_after_interior_else, 0, kAlways},
    {"alpha_after_interior", &P::alpha_after_interior, 0.02, 2},
    {"newton_per_step_after_interior", &P::newton_per_step_after_interior, 1, 150},
    {"failures_after_interior", &P::failures_after_interior, 1, 50},
    {"central_above", &P::central_above, 0, kAlways},
    {"central_factor", &P::central_factor, 0, kAlways},
    {"long_run_first", &P::long_run_first, 100, 10000},
    {"long_run_of_faces", &P::long_run_of_faces, 100, 10000},
    {"central_tolerance", &P::central_tolerance, 1e-7, 1e-3},
    {"central_iterations", &P::central_iterations, 15, 1500},
    {"resumed_iterations", &P::resumed_iterations, 5, 500},
    {"polish_alpha", &P::polish_alpha, 1e4, 1e6},
    {"polish_newton", &P::polish_newton, 0, 30},
    {"polish_newton_tiny", &P::polish_newton_tiny, 0, 120},
    {"round_newton_per_step", &P::round_newton_per_step, 4, 400},
    {"round_alpha", &P::round_alpha, 0.3, 30},
    {"round_interior_tolerance", &P::round_interior_tolerance, kExact, 1},
    {"loose_steps", &P::loose_steps, 1e-3, 1},
    {"path_below", &P::path_below, 0, kAlways},
    {"path_newton_per_step", &P::path_newton_per_step, 1, 150},
    {"path_failures", &P::path_failures, 1, 20},
    {"path_newton_budget", &P::path_newton_budget, 4, 400},
    {"large_pack", &P::large_pack, 0, kAlways},
    {"least_sweeps", &P::least_sweeps, 30, 3000},
    {"least_sweeps_of_large", &P::least_sweeps_of_large, 150, 15000},
    {"pack_newton", &P::pack_newton, 3, 300},
    {"pack_alpha", &P::pack_alpha, 1e1, 1e3},
    {"pack_newton_per_step", &P::pack_newton_per_step, 3, 250},
    {"pack_failures", &P::pack_failures, 1, 100},
    {"growth", &P::growth, 1, 10},
};

std::string text(double value) { return value == kAlways ? "always" : fmt::format("{:g}", value); }

PolicyVariant every_fraction(double factor) {
  PolicyVariant variant{"all fractional numbers", "1", fmt::format("{:g}", factor)};
  for (const PolicyNumber& number : kNumbers)
    if (std::holds_alternative<double P::*>(number.member))
      number.set(variant.options.policy, factor * number.value(AutoPolicy{}));
  return variant;
}

/// Each round but the first moved to the front; the others keep their order.
template <class Rounds>
void add_rounds(const char* name, Rounds AutoPolicy::*member, std::vector<PolicyVariant>& all) {
  const Rounds usual = AutoPolicy{}.*member;
  const std::string order = fmt::format("1 … {}", usual.size());
  for (std::size_t k = 1; k < usual.size(); ++k) {
    all.push_back({name, order, fmt::format("{} first", k + 1)});
    Rounds& rounds = all.back().options.policy.*member;
    const auto chosen = rounds.begin() + static_cast<std::ptrdiff_t>(k);
    std::rotate(rounds.begin(), chosen, chosen + 1);
  }
}

}  // namespace

double PolicyNumber::value(const AutoPolicy& policy) const {
  return std::visit([&](auto which) { return static_cast<double>(policy.*which); }, member);
}

void PolicyNumber::set(AutoPolicy& policy, double value) const {
  std::visit([&]<class T>(T AutoPolicy::*which) { policy.*which = static_cast<T>(value); }, member);
}

std::span<const PolicyNumber> policy_numbers() { return kNumbers; }

std::vector<PolicyVariant> policy_variants() {
  std::vector<PolicyVariant> all{{"default", "", ""}};
  for (const double factor : {0.98, 0.99, 1.01, 1.02}) all.push_back(every_fraction(factor));
  for (const PolicyNumber& number : kNumbers)
    for (const double extreme : {number.low, number.high}) {
      all.push_back({number.name, text(number.value(AutoPolicy{})), text(extreme)});
      number.set(all.back().options.policy, extreme);
    }
  all.push_back({"rounds", fmt::format("{}", AutoOptions{}.rounds), "1", {.rounds = 1}});
  add_rounds("central_rounds", &AutoPolicy::central_rounds, all);
  add_rounds("structure_rounds", &AutoPolicy::structure_rounds, all);
  add_rounds("pack_rounds", &AutoPolicy::pack_rounds, all);
  return all;
}

}  // namespace repose::bench
