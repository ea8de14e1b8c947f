// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "repose/world/island_internal.h"

namespace repose {
namespace {

/// A step that iterated found impulses that also stop what was moving; the next step starts from them although nothing
/// moves any more, and what they stopped comes back as a velocity that grows by itself in every step. Two steps after
/// the first one that iterated are therefore polished to the rounding error, which leaves the impulses of rest; after
/// more, the bodies move anyway. With joints the position constraint changes impulses after the solve by more than
/// that. [decision 023]
constexpr double kTowardsRest = 0.005, kMoving = 0.5;
constexpr int kStepsToRest = 2;

double polish_share(int iterated, bool free) {
  if (iterated == 0) return 1;
  return free && iterated <= kStepsToRest ? kTowardsRest : kMoving;
}

constexpr double kCoarseTolerance = 1e-4;
/// Growth of the impulses in the first solve of a step, which an impact may have, beyond which joints are released.
constexpr double kGrowthFromStart = 1000;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

bool is_zero(ContactVec x) { return x.t1 == 0 && x.t2 == 0 && x.n == 0; }

}  // namespace

void Island::assemble(const Islands& partition, int k, std::span<const StepBody> bodies, const ContactSet& found,
                      double h) {
  const ProblemChange change = part_.assemble(bodies, found.contacts, found.patches, partition.bodies(k),
                                              partition.patches(k), partition.nodes(), h, found.joints.blocks,
                                              found.joints.links, partition.links(k), found.joints.stamps);
  bodies_ = partition.bodies(k), nodes_ = partition.nodes();
  unsaid_ = std::min(unsaid_, change);
  unsaid_newton_ = std::min(unsaid_newton_, change);
  if (change != ProblemChange::kVelocities) inverse_rho_.clear();
}

void Island::restore(const Memory& memory, const FrictionOptions& options) {
  iterated_ = memory.iterated;
  solver_ = make_solver(options);
  solver_->set_memory(memory.solver);
  unsaid_ = unsaid_newton_ = ProblemChange::kGraph;
}

void Island::solve(std::span<Contact> contacts, std::span<JointBlock> joints, const SolveContext& context,
                   Accuracy accuracy) {
  accuracy_ = accuracy;
  joints_ = joints;
  if (context.interrupt && *context.interrupt) {  // the step is not taken
    report_ = {};
    report_.status = Status::kInterrupted;
    return;
  }
  take_start(contacts, context);
  if (solve_at_once(context)) {
    note_starts(contacts);
    write_joints();
  } else {
    find_impulses(contacts, context);
    if (accuracy == Accuracy::kFull && may_retry()) retry_from_zero(contacts);
    respond(lambda_, change_);
    if (!part_.joints().empty()) solve_with_joints(contacts);
  }
  bind_rho();
  remainder_ = find_remainder(contacts, context);
  if (accuracy == Accuracy::kFull && part_.joints().empty()) make_precise(contacts, context);
  write_back(contacts);
}

/// λ of the start, and how exact the answer shall be.
void Island::take_start(std::span<const Contact> contacts, const SolveContext& context) {
  lambda_.resize(at(part_.problem().size()));
  for (std::size_t k = 0; k < part_.contacts().size(); ++k) lambda_[k] = contacts[at(part_.contacts()[k])].start;
  if (!part_.joints().empty()) bind_joints(context);
  polish_ = polish_share(iterated_, part_.joints().empty()) * context.options.polish;
  accept_ = context.options.accept;
  budget_ =
      context.options.budget * std::min(1.0, kBudgetContacts / std::max(1.0, static_cast<double>(lambda_.size())));
}

void Island::find_impulses(std::span<Contact> contacts, const SolveContext& context) {
  const FrictionOptions& options = context.options;
  if (!solver_) solver_ = make_solver(options);
  solver_->stop = StopToken(0, context.interrupt);
  if (unsaid_ == ProblemChange::kGraph) solver_->bind(part_.problem());
  if (unsaid_ == ProblemChange::kGeometry) solver_->refresh(part_.problem());
  unsaid_ = ProblemChange::kVelocities;  // read by every solve
  if (!part_.joints().empty()) start_joints();
  const bool coarse = accuracy_ == Accuracy::kCoarse;
  solver_->limits.tolerance = coarse ? std::max(options.tolerance, kCoarseTolerance) : options.tolerance;
  solver_->limits.aim = coarse ? 0 : polish_ * options.tolerance;
  solver_->limits.accept = accept_;
  solver_->limits.budget = budget_;
  report_ = solver_->solve(lambda_);
  if (!part_.joints().empty() && has_excess(kGrowthFromStart)) solve_at_velocity_level(contacts);
  iterated_ = report_.outer_iterations > 0 ? std::min(iterated_ + 1, kMostIterated) : 0;
}

/// Whether the solve ended because the scheme knew nothing further, and not because its work was spent.
bool Island::may_retry() const {
  const bool accepted = report_.status == Status::kAccepted;
  return report_.stalled && (!accepted || budget_ == 0 || report_.work < budget_);
}

/// A solve that stalls from its warm start often succeeds from zero. The better answer stays, with the start it came
/// from. With an acceptable answer at hand, any answer to the second solve is acceptable, and the two share the budget.
void Island::retry_from_zero(std::span<Contact> contacts) {
  const auto starts_at_zero = [&](int i) { return is_zero(contacts[at(i)].start); };
  if (std::all_of(part_.contacts().begin(), part_.contacts().end(), starts_at_zero)) return;
  first_lambda_ = lambda_;
  const OuterReport first = report_;
  const SolveLimits limits = solver_->limits;
  if (first.status == Status::kAccepted && limits.budget > 0) {
    solver_->limits.accept = HUGE_VAL;
    solver_->limits.budget = limits.budget - first.work;
  }
  lambda_.assign(lambda_.size(), {});
  report_ = solver_->solve(lambda_);
  const double work = first.work + report_.work;
  if (report_.certificate.worst() < first.certificate.worst()) {
    for (const int i : part_.contacts()) contacts[at(i)].start = {};
    accept_ = solver_->limits.accept;
    budget_ = solver_->limits.budget;
  } else {
    std::swap(lambda_, first_lambda_);
    report_ = first;
  }
  report_.work = work;
  solver_->limits = limits;
}

void Island::scale_impulses(double share, std::span<Contact> contacts) {
  for (std::size_t k = 0; k < part_.contacts().size(); ++k) {
    lambda_[k] = share * lambda_[k];
    contacts[at(part_.contacts()[k])].start = {};
  }
  report_.certificate = certify(part_.problem(), lambda_);
  respond(lambda_, change_);
  write_back(contacts);
}

/// response ← (J L)ᵀ λ, velocity changes ← L response
void Island::respond(std::span<const ContactVec> lambda, NodeVelocities& change) {
  const auto& form = std::get<BodyForm>(part_.problem().form());
  response_.assign(at(form.nodes()), Pack{});
  for (int i = 0; i < form.size(); ++i) form.scatter(i, lambda[at(i)], response_.data());
  change.linear.resize(at(form.bodies()));
  change.angular.resize(at(form.bodies()));
  form.body_velocity(response_, change.linear, change.angular);
}

void Island::write_back(std::span<Contact> contacts) {
  const auto& form = std::get<BodyForm>(part_.problem().form());
  const auto v_free = part_.problem().v_free();
  for (int i = 0; i < static_cast<int>(part_.contacts().size()); ++i) {
    Contact& c = contacts[at(part_.contacts()[at(i)])];
    c.lambda = lambda_[at(i)];
    c.v = form.gather(i, response_.data()) + v_free[at(i)];
    // The mode at the argument of the law's projection, λ − v/ρ.
    c.mode = mode_of(c.set(), c.lambda - inverse_rho_[at(i)] * c.v).contact();
    c.v.n -= c.bias;
  }
}

}  // namespace repose
