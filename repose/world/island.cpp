// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "repose/world/island_internal.h"

namespace repose {
namespace {

/// A step that iterated found impulses that also stop what was moving; the next one starts from them although nothing
/// moves any more. It is polished further, or the two would take turns for ever.
constexpr double kAfterIterations = 0.5;

/// A displacement that removes a share of an overlap need not be exact; it is no part of the law.
constexpr double kRecoveryTolerance = 1e-2;
/// Bodies that are jammed into each other may have no such displacement: no time is lost on looking for it.
constexpr int kRecoveryIterations = 200;

/// What a draft is solved to, which only shows where the bodies are going.
constexpr double kDraftTolerance = 1e-4;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

}  // namespace

void Island::solve(std::span<Contact> contacts, const BiasRule& rule, const FrictionOptions& options, bool same_graph,
                   bool draft, const std::atomic<bool>* interrupt) {
  draft_ = draft;
  find_impulses(contacts, options, same_graph, draft, interrupt);
  if (!draft && report_.status == Status::kStalled) try_from_zero(contacts);
  respond(lambda_, linear_, angular_);
  write_back(contacts);
  recovers_ = std::any_of(part.contacts().begin(), part.contacts().end(),
                          [&](int i) { return overlaps(contacts[at(i)], rule); });
  recovery_solved_ = true;
  if (recovers_ && report_.status != Status::kInterrupted) recover(contacts, rule);
}

void Island::find_impulses(std::span<const Contact> contacts, const FrictionOptions& options, bool same_graph,
                           bool draft, const std::atomic<bool>* interrupt) {
  if (!solver_) solver_ = make_solver(options);
  solver_->stop = StopToken(0, interrupt);
  if (bound_ && same_graph)
    solver_->refresh(part.problem());
  else
    solver_->bind(part.problem());
  bound_ = true;
  lambda_.resize(at(part.problem().size()));
  for (std::size_t k = 0; k < lambda_.size(); ++k) lambda_[k] = contacts[at(part.contacts()[k])].start;
  polish_ = (iterated_ ? kAfterIterations : 1.0) * options.polish;
  solver_->limits.tolerance = draft ? std::max(options.tolerance, kDraftTolerance) : options.tolerance;
  solver_->limits.aim = draft ? 0 : polish_ * options.tolerance;
  report_ = solver_->solve(lambda_);
  iterated_ = report_.outer_iterations > 0;
}

/// What stalls from one start is often solved from another. The better answer stays, with the start it came from.
void Island::try_from_zero(std::span<Contact> contacts) {
  const auto is_zero = [](ContactVec x) { return x.t1 == 0 && x.t2 == 0 && x.n == 0; };
  const auto starts_at_zero = [&](int i) { return is_zero(contacts[at(i)].start); };
  if (std::all_of(part.contacts().begin(), part.contacts().end(), starts_at_zero)) return;
  first_lambda_ = lambda_;
  const OuterReport first = report_;
  lambda_.assign(lambda_.size(), {});
  report_ = solver_->solve(lambda_);
  if (report_.certificate.worst() < first.certificate.worst()) {
    for (const int i : part.contacts()) contacts[at(i)].start = {};
    return;
  }
  std::swap(lambda_, first_lambda_);
  report_ = first;
}

/// response ← (J L)ᵀ λ, velocity changes ← L response
void Island::respond(std::span<const ContactVec> lambda, std::vector<Vec3>& linear, std::vector<Vec3>& angular) {
  const auto& form = std::get<BodyForm>(part.problem().form());
  response_.assign(at(form.nodes()), Pack{});
  for (int i = 0; i < form.size(); ++i) form.scatter(i, lambda[at(i)], response_.data());
  linear.resize(at(form.bodies()));
  angular.resize(at(form.bodies()));
  form.body_velocity(response_, linear, angular);
}

void Island::write_back(std::span<Contact> contacts) const {
  const auto& form = std::get<BodyForm>(part.problem().form());
  const auto v_free = part.problem().v_free();
  for (int i = 0; i < form.size(); ++i) {
    Contact& c = contacts[at(part.contacts()[at(i)])];
    c.lambda = lambda_[at(i)];
    c.v = form.gather(i, response_.data()) + v_free[at(i)];
    // Read off where the law itself is read off: at λ − v/ρ, ρ = tr(W_ii)/3.
    c.mode = mode_of(c.lambda - (3 / form.diagonal_trace(i)) * c.v, c.mu);
    c.v.n -= c.bias;
  }
}

/// The same bodies and contacts, asked for a further displacement: nothing slides that friction can hold, and the
/// normal velocities of step and displacement together open what overlaps.
void Island::recover(std::span<const Contact> contacts, const BiasRule& rule) {
  ContactProblem& problem = part.problem();
  v_free_.assign(problem.v_free().begin(), problem.v_free().end());
  recovery_v_free_.assign(v_free_.size(), {});
  for (std::size_t k = 0; k < v_free_.size(); ++k) {
    const Contact& c = contacts[at(part.contacts()[k])];
    recovery_v_free_[k].n = c.v.n + recovery_bias(c, rule);
  }
  problem.set_v_free(recovery_v_free_);
  const SolveLimits limits = solver_->limits;
  solver_->limits.tolerance = std::max(limits.tolerance, kRecoveryTolerance);
  solver_->limits.max_iterations = kRecoveryIterations;
  solver_->limits.aim = 0;
  recovery_lambda_.assign(v_free_.size(), {});
  const OuterReport report = solver_->solve(recovery_lambda_);
  recovery_solved_ = report.status == Status::kConverged;
  solver_->limits = limits;
  problem.set_v_free(v_free_);
  respond(recovery_lambda_, recovery_linear_, recovery_angular_);
}

}  // namespace repose
