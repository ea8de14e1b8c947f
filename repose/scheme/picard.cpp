// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/picard.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "repose/base/error.h"

namespace repose {
namespace {

constexpr int kPatience = 50;  // iterations without progress: a limit cycle, or an inner solver at its accuracy

void sum(std::span<const ContactVec> a, std::span<const ContactVec> b, std::span<ContactVec> total) {
  for (std::size_t i = 0; i < total.size(); ++i) total[i] = a[i] + b[i];
}

}  // namespace

// ---- Picard ----------------------------------------------------------------------------------------------------

PicardSolver::PicardSolver(const PicardOptions& options, std::unique_ptr<ConeQpSolver> inner)
    : options_(options), inner_(std::move(inner)) {
  require(options.damping > 0 && options.damping <= 1, "picard: damping: expected a number in (0, 1], got ",
          options.damping);
  require(options.inner_accuracy > 0 && options.inner_accuracy < 1,
          "picard: inner_accuracy: expected a number in (0, 1), got ", options.inner_accuracy);
  require(options.max_inner_calls >= 1, "picard: max_inner_calls: expected >= 1, got ", options.max_inner_calls);
  require(inner_ != nullptr, "picard: inner: expected a cone QP solver, got none");
}

void PicardSolver::bind(const ContactProblem& problem) {
  problem_ = &problem;
  progress_.bind(problem);
  coupling_.bind(problem);
  inner_->bind(coupling_.symmetric_problem());
  for (auto* x : {&g_, &g_next_, &c_}) x->resize(static_cast<std::size_t>(problem.size()));
}

OuterReport PicardSolver::solve(std::span<ContactVec> lambda) {
  project_onto_sets(*problem_, lambda);
  progress_.start(*this, kDefaultIterations, lambda);
  if (progress_.over()) return progress_.finish(lambda);
  inner_->set_prox(0.0);
  coupling_.evaluate(lambda, g_);  // g ← B(λ⁰)
  while (!progress_.over()) {
    solve_cone_qp(lambda);  // λ with g frozen; leaves B(λ) in g_next_
    update_coupling();      // g ← (1 − d) g + d B(λ)
    progress_.score(lambda);
    progress_.stop_if_stalled(kPatience);
  }
  return progress_.finish(lambda);
}

/// Calls the inner solver until its error is negligible against the change of the coupling (nat(λ) is at most the sum
/// of the two, because projections are nonexpansive), or until another call brings no improvement.
void PicardSolver::solve_cone_qp(std::span<ContactVec> lambda) {
  sum(problem_->v_free(), g_, c_);
  double last_error = HUGE_VAL;
  for (int call = 0; call < options_.max_inner_calls; ++call) {
    progress_.count_inner(inner_->solve(c_, lambda).iterations);
    coupling_.evaluate(lambda, g_next_);
    const double error = qp_natural_map(progress_.judge(), lambda, coupling_.symmetric_velocity(), g_);
    const double change = coupling_change(progress_.judge(), lambda, g_next_, g_);
    if (error <= options_.inner_accuracy * std::max(change, progress_.tolerance())) return;
    if (!(error < std::exchange(last_error, error))) return;
  }
}

void PicardSolver::update_coupling() {
  const double d = options_.damping;
  for (std::size_t i = 0; i < g_.size(); ++i) g_[i] = (1.0 - d) * g_[i] + d * g_next_[i];
}

// ---- relaxed ---------------------------------------------------------------------------------------------------

RelaxedSolver::RelaxedSolver(const RelaxedOptions&, std::unique_ptr<ConeQpSolver> inner) : inner_(std::move(inner)) {
  require(inner_ != nullptr, "relaxed: inner: expected a cone QP solver, got none");
}

void RelaxedSolver::bind(const ContactProblem& problem) {
  problem_ = &problem;
  progress_.bind(problem);
  coupling_.bind(problem, Coupling::Friction::kRelaxed);
  inner_->bind(coupling_.symmetric_problem());
  g_.resize(static_cast<std::size_t>(problem.size()));
  c_.resize(g_.size());
}

OuterReport RelaxedSolver::solve(std::span<ContactVec> lambda) {
  project_onto_sets(*problem_, lambda);
  progress_.start_own(*this, kDefaultIterations, lambda);
  inner_->set_prox(0.0);
  coupling_.evaluate(lambda, g_);  // zero for a symmetric W
  while (!progress_.over()) {
    sum(problem_->v_free(), g_, c_);
    progress_.count_inner(inner_->solve(c_, lambda).iterations);
    coupling_.evaluate(lambda, g_);
    progress_.score_own(lambda, qp_natural_map(progress_.judge(), lambda, coupling_.symmetric_velocity(), g_));
    progress_.stop_if_stalled(kPatience);
  }
  return progress_.finish(lambda);
}

}  // namespace repose
