// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/fbf.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "repose/base/error.h"
#include "repose/contact/spectrum.h"
#include "repose/set/coulomb_cone.h"

namespace repose {
namespace {

/// γ of the measured rule stays below γ_safe times this. Where nothing slides the coupling vanishes and ρ bounds
/// nothing; beyond, γ⁻¹ is too small beside W to change the cone QP.
constexpr double kMostGrowth = 1000;
constexpr int kMostProducts = 1000;

void validate(const FbfOptions& o) {
  require(o.gamma >= 0 && std::isfinite(o.gamma), "fbf: gamma: expected > 0 kg, or 0 for the adaptive step, got ",
          o.gamma);
  require(o.safety > 0 && std::isfinite(o.safety), "fbf: safety: expected > 0, got ", o.safety);
  require(o.accept > 0 && o.accept < 1, "fbf: accept: expected a number in (0, 1), got ", o.accept);
  require(o.shrink > 0 && o.shrink < 1, "fbf: shrink: expected a number in (0, 1), got ", o.shrink);
  require(o.acceleration >= 0 && o.acceleration <= Anderson::kMaxDepth, "fbf: acceleration: expected 1 .. ",
          Anderson::kMaxDepth, ", or 0 for none, got ", o.acceleration);
  require(o.restore >= 1 && std::isfinite(o.restore), "fbf: restore: expected >= 1, got ", o.restore);
  require(o.power_products >= 0 && o.power_products <= kMostProducts, "fbf: power_products: expected 1 .. ",
          kMostProducts, ", or 0 for Lanczos' method, got ", o.power_products);
  require(o.test_every >= 0, "fbf: test_every: expected >= 1, or 0 for the start and every iterate, got ",
          o.test_every);
}

}  // namespace

FbfSolver::FbfSolver(const FbfOptions& options, std::unique_ptr<ConeQpSolver> inner)
    : options_(options), inner_(std::move(inner)) {
  validate(options);
  require(inner_ != nullptr, "fbf: inner: expected a cone QP solver, got none");
}

void FbfSolver::bind(const ContactProblem& problem) {
  problem_ = &problem;
  progress_.bind(problem);
  coupling_.bind(problem);
  inner_->bind(coupling_.symmetric_problem());
  for (auto* x : {&g_, &g_bar_, &lambda_bar_, &c_}) x->resize(static_cast<std::size_t>(problem.size()));
  lambda_max_ = options_.power_products > 0 ? power_iteration(problem, options_.power_products) : 0.0;
  if (options_.acceleration == 0) return;
  anderson_.bind(g_.size(), options_.acceleration);
  for (auto* x : {&before_, &plain_}) x->resize(g_.size());
}

OuterReport FbfSolver::solve(std::span<ContactVec> lambda) {
  project_onto_sets(*problem_, lambda);  // λ⁰ ∈ K_μ
  progress_.start(*this, kDefaultIterations, lambda,
                  {.stop = options_.stop_rule, .every = options_.test_every, .last = options_.last});
  if (progress_.over()) return progress_.finish(lambda);
  choose_gamma();
  std::copy(lambda.begin(), lambda.end(), lambda_bar_.begin());
  anderson_.reset();
  last_step_ = 0;
  while (!progress_.over()) {
    const int iterations = progress_.until_test();
    for (int k = 0; k < iterations; ++k) {
      if (options_.acceleration > 0)
        accelerated_step(lambda);
      else
        plain_step(lambda);
    }
    progress_.score(lambda, iterations);  // r_c(λ)
  }
  return finish(lambda);
}

void FbfSolver::plain_step(std::span<ContactVec> lambda) {
  (void)step(lambda);
  grow_gamma();
}

/// λ ← T(λ). Unless γ may shrink, a rejected trial leaves λ as it is and returns false.
bool FbfSolver::step(std::span<ContactVec> lambda, bool may_shrink) {
  coupling_.evaluate(lambda, g_);  // g ← B(λ)
  store(g_);
  if (!backward_step(lambda, may_shrink)) return false;  // λ̄ and ḡ = B(λ̄), shrinking γ until ρ ≤ θ
  correct_and_project(lambda);                           // λ ← Π_K(λ̄ − γ(ḡ − g))
  store(lambda);
  return true;
}

/// T is only piecewise smooth, and the mix ignores the cones. A mix that T rejects, or from which its step is longer
/// than before, is rejected.
void FbfSolver::accelerated_step(std::span<ContactVec> lambda) {
  constexpr double kGrowth = 2.0;
  const bool mixed = last_step_ > 0;
  const int shrinks = shrinks_;
  std::copy(lambda.begin(), lambda.end(), before_.begin());
  if (!step(lambda, !mixed)) return take_back(lambda);
  double moved = 0;
  for (std::size_t i = 0; i < lambda.size(); ++i) moved += squared_norm(lambda[i] - before_[i]);
  moved = std::sqrt(moved);
  if (mixed && !(moved <= kGrowth * last_step_)) return take_back(lambda);
  if (shrinks_ > shrinks) anderson_.reset();  // a new γ is a new T
  last_step_ = moved;
  std::copy(lambda.begin(), lambda.end(), plain_.begin());
  anderson_.mix(before_, plain_, lambda);
  project_onto_sets(*problem_, lambda);
}

/// Continues from T of the iterate before the mix, with an empty memory.
void FbfSolver::take_back(std::span<ContactVec> lambda) {
  std::copy(plain_.begin(), plain_.end(), lambda.begin());
  anderson_.reset();
  last_step_ = 0;
}

void FbfSolver::choose_gamma() {
  const double lipschitz = coupling_.lipschitz(lambda_max_ > 0 ? lambda_max_ : progress_.judge().lambda_max());
  gamma_safe_ = lipschitz > 0 ? options_.safety / lipschitz : 0.0;
  if (options_.step_rule == FbfStepRule::kBound && last_shrinks_ == 0)
    gamma_share_ = std::min(gamma_share_ * options_.restore, 1.0);
  shrinks_ = 0;
  rho_ = 0;
  // Without coupling the law is one cone QP: no prox term, and the outer loop only continues the inner solve.
  set_gamma(lipschitz > 0 && options_.gamma > 0 ? options_.gamma : gamma_share_ * gamma_safe_);
}

void FbfSolver::set_gamma(double gamma) {
  gamma_ = gamma;
  inverse_gamma_ = gamma > 0 ? 1.0 / gamma : 0.0;
  inner_->set_prox(inverse_gamma_);
}

/// γ ← min(restore · γ, c_γ/ℓ) with ℓ = ρ/γ of the last step, by the measured rule.
void FbfSolver::grow_gamma() {
  if (options_.step_rule != FbfStepRule::kMeasured || !adapts()) return;
  const double factor = rho_ * options_.restore > options_.safety ? options_.safety / rho_ : options_.restore;
  set_gamma(std::min(factor * gamma_, kMostGrowth * gamma_safe_));
}

/// Computes λ̄ and shrinks γ until the coupling varies little enough over the step.  [paper sec:stepsize]
bool FbfSolver::backward_step(std::span<const ContactVec> lambda, bool may_shrink) {
  for (;;) {
    solve_cone_qp(lambda);
    coupling_.evaluate(lambda_bar_, g_bar_);
    store(g_bar_);
    const double rho = variation_ratio(lambda);
    if (options_.gamma > 0 || !(rho > options_.accept)) {
      rho_ = rho;
      return true;
    }
    if (!may_shrink) return false;
    set_gamma(options_.shrink * gamma_);
    ++shrinks_;
  }
}

/// λ̄ ← argmin ½ λᵀW_γλ + cᵀλ from the last λ̄, c = v_f + g − γ⁻¹λ.  [paper eq:backward, eq:Wgamma]
void FbfSolver::solve_cone_qp(std::span<const ContactVec> lambda) {
  const auto v_free = problem_->v_free();
  for (std::size_t i = 0; i < c_.size(); ++i) c_[i] = v_free[i] + g_[i] - inverse_gamma_ * lambda[i];
  store(c_);
  progress_.count_inner(inner_->solve(c_, lambda_bar_).iterations);
  store(lambda_bar_);
}

/// Returns ρ = γ ‖ḡ − g‖ / ‖λ̄ − λ‖.  [paper eq:rho]
double FbfSolver::variation_ratio(std::span<const ContactVec> lambda) const {
  double change = 0, step = 0, size = 0;
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    change += squared_norm(g_bar_[i] - g_[i]);
    step += squared_norm(lambda_bar_[i] - lambda[i]);
    size += squared_norm(lambda[i]);
  }
  constexpr double kRounding = 1e-14;  // a step of this share of ‖λ‖ is rounding, and so is its ratio
  return step > kRounding * kRounding * size ? gamma_ * std::sqrt(change / step) : 0.0;
}

void FbfSolver::correct_and_project(std::span<ContactVec> lambda) const {
  for (std::size_t i = 0; i < lambda.size(); ++i)
    lambda[i] = project(problem_->sets().ref(static_cast<int>(i)), lambda_bar_[i] - gamma_ * (g_bar_[i] - g_[i]));
}

/// Rounds what a pipeline of single precision would store.
void FbfSolver::store(std::span<ContactVec> x) const {
  if (!options_.single) return;
  const auto rounded = [](double value) { return static_cast<double>(static_cast<float>(value)); };
  for (ContactVec& xi : x) xi = {rounded(xi.t1), rounded(xi.t2), rounded(xi.n)};
}

OuterReport FbfSolver::finish(std::span<ContactVec> lambda) {
  if (options_.acceleration > 0) grow_gamma();  // within an accelerated solve, a new γ would be a new T
  if (adapts()) gamma_share_ = gamma_ / gamma_safe_;
  last_shrinks_ = shrinks_;
  OuterReport report = progress_.finish(lambda);
  report.gamma = gamma_;
  report.gamma_shrinks = shrinks_;
  return report;
}

}  // namespace repose
