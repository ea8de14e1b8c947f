// SPDX-License-Identifier: Apache-2.0
// The joints of an island: solves alternate with Newton's method on their position constraint at the end of the step.
#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "repose/world/island_internal.h"

namespace repose {
namespace {

/// Position error that is left, as a share of the size of the island's largest body.
constexpr double kGoal = 1e-11;
/// The same after solves that hardly change it any more, where each ends somewhere within its tolerance.
constexpr double kLateGoal = 5e-11;
constexpr int kEarlyPasses = 2;
/// Position error that is left before the first solve: the error of a mechanism at rest must not add up.
constexpr double kStartGoal = 4e-15;
/// Error at which Newton's method stops: a few units in the last place. More would show in the accelerations of short
/// steps.
constexpr double kRounding = 1e-15;
constexpr int kNewtonSteps = 16;
constexpr int kPasses = 12;
/// Linear solves at velocity level; each gains the digits of the rows' stiffness.
constexpr int kRefinements = 3;
/// Growth of the impulses within a pass beyond which joints are released: passes change impulses little.
constexpr double kGrowthInPass = 10;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

void add_effort(const OuterReport& before, OuterReport& report) {
  report.outer_iterations += before.outer_iterations;
  report.inner_iterations += before.inner_iterations;
  report.fallbacks += before.fallbacks;
  report.work += before.work;
}

double norm_of(std::span<const ContactVec> lambda) {
  double sum = 0;
  for (const ContactVec& x : lambda) sum += squared_norm(x);
  return std::sqrt(sum);
}

double row_of(const ContactVec& v, int r) { return r == 0 ? v.t1 : r == 1 ? v.t2 : v.n; }
double& row_of(ContactVec& v, int r) { return r == 0 ? v.t1 : r == 1 ? v.t2 : v.n; }

}  // namespace

/// The start of the joint blocks.
void Island::bind_joints(const SolveContext& context) {
  const int first = static_cast<int>(part_.contacts().size());
  for (std::size_t k = 0; k < part_.joints().size(); ++k) lambda_[at(first) + k] = joints_[at(part_.joints()[k])].start;
  const auto v_free = part_.problem().v_free();
  joint_v_free_.assign(v_free.begin() + first, v_free.end());
  projection_.bind(context.joints, bodies_, nodes_, std::get<BodyForm>(part_.problem().form()), first, joints_,
                   part_.joints(), part_.rows());
  velocity_level_ = misses_positions_ = false;
}

/// Tries Newton's method on the law and the position constraint at once, from a warm start.
bool Island::solve_at_once(const SolveContext& context) {
  if (part_.joints().empty() || accuracy_ != Accuracy::kFull) return false;
  if (!std::holds_alternative<AutoOptions>(context.options.outer)) return false;
  const auto is_zero = [](const ContactVec& x) { return x.t1 == 0 && x.t2 == 0 && x.n == 0; };
  if (std::all_of(lambda_.begin(), lambda_.end(), is_zero)) return false;
  const int first = static_cast<int>(part_.contacts().size());
  const bool usable = newton_.take(part_.problem(), std::exchange(unsaid_newton_, ProblemChange::kVelocities), first,
                                   joints_, part_.joints());
  if (!usable) return false;
  held_lambda_ = lambda_;
  const double tolerance = context.options.tolerance;
  const JointNewton::Result found =
      newton_.run({part_.problem(), projection_, first, tolerance, polish_ * tolerance}, lambda_, change_);
  if (!found.solved) return false;
  response_ = newton_.response();
  if (!holds_by_little()) return give_up();
  report_.reset();
  report_.status = Status::kConverged;
  report_.certificate = found.certificate;
  report_.outer_iterations = report_.inner_iterations = found.steps;
  report_.work = found.work;
  report_.stages.add({"joints", found.steps, found.certificate.worst()});
  iterated_ = found.steps > 0 ? std::min(iterated_ + 1, kMostIterated) : 0;
  return true;
}

/// Back to the start.
bool Island::give_up() {
  lambda_ = held_lambda_;
  v_free_.assign(part_.problem().v_free().begin(), part_.problem().v_free().end());
  std::copy(joint_v_free_.begin(), joint_v_free_.end(), v_free_.end() - static_cast<long>(joint_v_free_.size()));
  part_.problem().set_v_free(v_free_);
  return false;
}

/// Whether the velocities that the position constraint adds to its rows are small beside those of the motion.
bool Island::holds_by_little() {
  const auto& form = std::get<BodyForm>(part_.problem().form());
  const int first = static_cast<int>(part_.contacts().size());
  added_.assign(part_.joints().size(), {});
  for (int k = 0; k < static_cast<int>(part_.joints().size()); ++k)
    if (projection_.holds_any(k))
      added_[at(k)] =
          form.gather(first + k, response_.data()) + joint_v_free_[at(k)] - joints_[at(part_.joints()[at(k)])].bias;
  const std::span<const ContactVec> impulses = std::span<const ContactVec>(lambda_).subspan(at(first));
  return projection_.is_small(added_, change_) && !projection_.raises_energy(added_, impulses, change_);
}

/// Moves the start of the joint blocks to where the position constraint holds.
void Island::start_joints() {
  const std::size_t first = part_.contacts().size();
  held_lambda_ = lambda_;
  respond(lambda_, change_);
  hold_joints(kStartGoal);
  for (std::size_t k = 0; k < part_.joints().size(); ++k) joints_[at(part_.joints()[k])].start = lambda_[first + k];
}

/// Meets the position constraint at the end of the step, unless its error is within `goal` already, and takes the
/// velocities found as the problem's bias. Returns whether the problem has changed.
bool Island::hold_joints(double goal) {
  if (velocity_level_ || projection_.error(lambda_, change_) <= goal) return false;
  held_lambda_ = lambda_;
  if (find_joint_impulses()) {
    set_joint_bias();
    const auto impulses = std::span<const ContactVec>(lambda_).subspan(part_.contacts().size());
    if (projection_.is_small(added_, change_) && !projection_.raises_energy(added_, impulses, change_)) return true;
  }
  release_joints();
  return true;
}

/// Changes the impulses of position rows until the error is rounding. False when the error stays above the goal.
bool Island::find_joint_impulses() {
  double error = projection_.error(lambda_, change_);
  if (!std::isfinite(error)) return false;
  for (int n = 0; n < kNewtonSteps && error > kRounding; ++n) {
    joint_lambda_ = lambda_;
    const bool stepped = projection_.step(lambda_);
    respond(lambda_, change_);
    const double next = projection_.error(lambda_, change_);
    const bool better = stepped && next < error;
    if (!better) {
      lambda_ = joint_lambda_;
      respond(lambda_, change_);
      projection_.error(lambda_, change_);
      break;
    }
    error = next;
  }
  return error <= kGoal;
}

/// Returns to rows that are held at velocity level, J v = 0, from the impulses before.
void Island::release_joints() {
  ContactProblem& problem = part_.problem();
  const std::size_t first = part_.contacts().size();
  velocity_level_ = true;
  added_.resize(part_.joints().size());
  lambda_ = held_lambda_;
  v_free_.assign(problem.v_free().begin(), problem.v_free().end());
  for (std::size_t k = 0; k < part_.joints().size(); ++k) {
    const JointBlock& block = joints_[at(part_.joints()[k])];
    const Bounds& bounds = block.set.bounds();
    const bool bilateral = block.role == JointRole::kPosition && (bounds.lower.n < 0 || bounds.lower.t1 < 0);
    v_free_[first + k] = bilateral ? joint_v_free_[k] - block.bias : joint_v_free_[k];
  }
  problem.set_v_free(v_free_);
  respond(lambda_, change_);
  const auto& form = std::get<BodyForm>(problem.form());
  for (int n = 0; n < kRefinements; ++n) {
    for (std::size_t k = 0; k < part_.joints().size(); ++k) {
      const auto i = static_cast<int>(first + k);
      added_[k] = -1.0 * (form.gather(i, response_.data()) + v_free_[first + k]);
    }
    if (!projection_.change_velocities(added_, lambda_)) break;
    respond(lambda_, change_);
  }
}

/// Whether the last solve failed, or found self-stress that outweighs all impulses before it by this factor. Both
/// happen where contacts lock bodies that the joints' biases move: to second order in the step the rows of joints
/// follow the rotation of their bodies, and those of contacts do not.
bool Island::has_excess(double growth) const {
  if (report_.status == Status::kInterrupted) return false;
  const double before = norm_of(held_lambda_);
  return report_.status != Status::kConverged || (before > 0 && norm_of(lambda_) > growth * before);
}

/// The present impulses are those that the next solve starts from.
void Island::note_starts(std::span<Contact> contacts) {
  for (std::size_t k = 0; k < part_.contacts().size(); ++k) contacts[at(part_.contacts()[k])].start = lambda_[k];
  for (std::size_t k = 0; k < part_.joints().size(); ++k)
    joints_[at(part_.joints()[k])].start = lambda_[part_.contacts().size() + k];
}

/// Solves again from the impulses before, with rows that are held at velocity level: J v = 0 has a solution, because
/// bodies that do not move are admissible for all contacts.
void Island::solve_at_velocity_level(std::span<Contact> contacts) {
  const OuterReport before = report_;
  release_joints();
  note_starts(contacts);
  report_ = solver_->solve(lambda_);
  add_effort(before, report_);
}

/// v_f of the rows that are held is such that their velocity is zero; impulses of limits stay in their set.
void Island::set_joint_bias() {
  ContactProblem& problem = part_.problem();
  const auto& form = std::get<BodyForm>(problem.form());
  const int first = static_cast<int>(part_.contacts().size());
  v_free_.assign(problem.v_free().begin(), problem.v_free().end());
  added_.assign(part_.joints().size(), {});
  for (int k = 0; k < static_cast<int>(part_.joints().size()); ++k) {
    ContactVec v = form.gather(first + k, response_.data());
    const ContactVec free = joint_v_free_[at(k)] - joints_[at(part_.joints()[at(k)])].bias;
    for (int r = 0; r < 3; ++r) {
      if (!projection_.holds(k, r)) continue;
      row_of(v_free_[at(first + k)], r) = -row_of(v, r);
      row_of(added_[at(k)], r) = row_of(v, r) + row_of(free, r);
    }
    lambda_[at(first + k)] = project(problem.sets().ref(first + k), lambda_[at(first + k)]);
  }
  problem.set_v_free(v_free_);
}

/// Solves again with the biases that the position constraint requires, until it holds at the end of the step.
void Island::solve_with_joints(std::span<Contact> contacts) {
  for (int pass = 0; pass < kPasses && accuracy_ == Accuracy::kFull; ++pass) {
    if (report_.status == Status::kInterrupted || !hold_joints(pass < kEarlyPasses ? kGoal : kLateGoal)) break;
    note_starts(contacts);
    const OuterReport before = report_;
    report_ = solver_->solve(lambda_);
    add_effort(before, report_);
    if (!velocity_level_ && has_excess(kGrowthInPass)) solve_at_velocity_level(contacts);
    respond(lambda_, change_);
  }
  misses_positions_ = projection_.error(lambda_, change_) > kLateGoal;
  write_joints();
}

void Island::write_joints() {
  const ContactProblem& problem = part_.problem();
  const auto& form = std::get<BodyForm>(problem.form());
  const int first = static_cast<int>(part_.contacts().size());
  for (int k = 0; k < static_cast<int>(part_.joints().size()); ++k) {
    JointBlock& block = joints_[at(part_.joints()[at(k)])];
    const ContactVec v_free = problem.v_free()[at(first + k)];
    block.lambda = lambda_[at(first + k)];
    block.bias = block.bias + (v_free - joint_v_free_[at(k)]);
    block.v = form.gather(first + k, response_.data()) + v_free - block.bias;
  }
}

}  // namespace repose
