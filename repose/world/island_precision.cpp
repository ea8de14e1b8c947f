// SPDX-License-Identifier: Apache-2.0
// The size of what a residual leaves, in velocities. r_c and nat are shares of all impulses of an island, and a jammed
// heap may hold a self-stress of any size: impulses of 1e8 N s with a residual of 1e-7 leave 10 N s, which throw a
// grain.
//
// With δ = λ − Π_K(λ − ρ⁻¹ṽ) the impulses λ − δ are exact for a problem whose velocities are other by W δ − ρ δ. The
// velocity error of a contact is ρ‖δ‖ beside its own speeds; one that is too large makes the island be solved anew,
// from zero, where nothing is under stress, or further than the tolerance asks.  [decision 047]
#include <algorithm>
#include <cmath>

#include "repose/contact/violation.h"
#include "repose/world/island_internal.h"

namespace repose {
namespace {

constexpr double kLeastLimit = 0.01;   // remainder that is let pass at any tolerance,
constexpr double kLimitGrowth = 1000;  // and as a multiple of loose ones
constexpr double kOfFastest = 1e-3;    // the share of the island's fastest contact that counts as every contact's own
constexpr double kTowardsLimit = 0.1;  // of the limit: where a solve that goes on aims at
constexpr int kFailures = 1000;        // proximal steps that fail only shorten the next one
constexpr double kTightest = 1e-13;    // tolerance of such a solve, which rounding may keep from being met

/// Where the impulses of an island come from: the start of its solve, zero, or the first answer.
enum class Start { kOwn, kZero, kFirst };

std::size_t at(int k) { return static_cast<std::size_t>(k); }

double size_of(ContactVec x) { return std::sqrt(squared_norm(x)); }

/// The smaller, the better.
int rank(StepStatus status) { return status == StepStatus::kSolved ? 0 : status == StepStatus::kAccepted ? 1 : 2; }

bool is_precise(double remainder, double tolerance) {
  return remainder <= std::max(kLeastLimit, kLimitGrowth * tolerance);
}

StepStatus grade(const Certificate& certificate, double remainder, const FrictionOptions& options) {
  const StepStatus found = status_of(certificate, options.tolerance, options.accept);
  if (found == StepStatus::kUnsolved || (found == StepStatus::kSolved && is_precise(remainder, options.tolerance)))
    return found;
  return certificate.solved(options.accept) && is_precise(remainder, options.accept) ? StepStatus::kAccepted
                                                                                     : StepStatus::kUnsolved;
}

}  // namespace

void Island::bind_rho() {
  if (!inverse_rho_.empty()) return;
  rho_max_ = 0;
  for (int i = 0; i < part_.problem().size(); ++i) {
    const double rho = part_.problem().rho(i);
    inverse_rho_.push_back(1 / rho);
    rho_max_ = std::max(rho_max_, rho);
  }
}

/// Of the contacts of this island, after respond(). Where a bound that takes no loop is within the limit, the bound.
double Island::find_remainder(std::span<const Contact> contacts, const SolveContext& context) const {
  const Certificate& found = report_.certificate;
  const double speed_bound = rho_max_ * found.natural, work = part_.joints().empty() ? found.work : 0;
  const double least_energy = rho_max_ > 0 ? 0.5 * context.fall * context.fall / rho_max_ : 0;
  if (speed_bound == 0 && work == 0) return 0;
  if (speed_bound <= kLeastLimit * context.fall && work <= kLeastLimit * least_energy)
    return std::max(speed_bound / context.fall, work / least_energy);
  const auto& form = std::get<BodyForm>(part_.problem().form());
  const auto v_free = part_.problem().v_free();
  const auto own = [&](int i, ContactVec v) {
    return size_of({v.t1, v.t2, v.n - contacts[at(part_.contacts()[at(i)])].bias});
  };
  const int count = static_cast<int>(part_.contacts().size());
  double fastest = 0, energy = 0, worst = 0;
  for (int i = 0; i < count; ++i) {
    const double speed = context.fall + own(i, v_free[at(i)]);
    fastest = std::max(fastest, speed);
    energy += 0.5 * speed * speed * inverse_rho_[at(i)];
  }
  for (int i = 0; i < count; ++i) {
    const SetRef<double> set = part_.problem().sets().ref(i);
    const ContactVec v = form.gather(i, response_.data()) + v_free[at(i)];
    const double natural = violation(set, lambda_[at(i)], v, inverse_rho_[at(i)]).natural;
    if (natural == 0) continue;
    const double speed = context.fall + own(i, v_free[at(i)]) + own(i, v) + kOfFastest * fastest;
    worst = std::max(worst, std::sqrt(natural) / (inverse_rho_[at(i)] * speed));
  }
  return work > 0 ? std::max(worst, work / (energy + free_energy(context))) : worst;
}

/// ½ Σ m |u|² of the island's bodies without impulses, with what gravity gives in a step, J. A heavy body on light ones
/// has little of it at its contacts. Zero where the context knows no bodies.
double Island::free_energy(const SolveContext& context) const {
  double energy = 0;
  if (!context.joints.setup) return energy;
  for (const int b : bodies_) {
    const double speed = context.fall + norm(context.joints.bodies[at(b)].velocity);
    energy += 0.5 * context.joints.setup->models[at(b)].mass * speed * speed;
  }
  return energy;
}

StepStatus Island::status(const FrictionOptions& options) const {
  return grade(report_.certificate, remainder_, options);
}

/// Solves again where the remainder says less of the answer than its certificate. The best answer stays, with the start
/// that it came from.
void Island::make_precise(std::span<Contact> contacts, const SolveContext& context) {
  const FrictionOptions& options = context.options;
  const StepStatus wanted = status_of(report_.certificate, options.tolerance, options.accept);
  if (report_.status == Status::kInterrupted || status(options) == wanted) return;
  first_lambda_ = best_lambda_ = lambda_;
  const OuterReport first = report_;
  const double first_remainder = remainder_;
  OuterReport best = first;
  double least = first_remainder, work = first.work;
  Start start = Start::kOwn;
  for (const Start from : {Start::kZero, Start::kFirst}) {
    lambda_ = first_lambda_, report_ = first, remainder_ = first_remainder;
    if (!(from == Start::kZero ? solve_from_zero(context) : solve_more_exactly())) continue;
    work += report_.work;
    if (report_.status == Status::kInterrupted) return;
    respond(lambda_, change_);
    remainder_ = find_remainder(contacts, context);
    const int now = rank(status(options)), before = rank(grade(best.certificate, least, options));
    if (now < before || (now == before && remainder_ < least)) {
      best = report_, least = remainder_, start = from;
      best_lambda_ = lambda_;
    }
    if (std::min(now, before) <= rank(wanted)) break;
  }
  lambda_ = best_lambda_, report_ = best, remainder_ = least;
  report_.work = work;
  respond(lambda_, change_);
  if (start == Start::kOwn) return;
  for (std::size_t k = 0; k < part_.contacts().size(); ++k)
    contacts[at(part_.contacts()[k])].start = start == Start::kZero ? ContactVec{} : first_lambda_[k];
}

/// By Newton's method alone, which goes from impulse to impulse by steps of limited size: the central path runs along a
/// self-stress without end. False for schemes other than `auto`, which are not helped.
bool Island::solve_from_zero(const SolveContext& context) {
  if (!std::holds_alternative<AutoOptions>(context.options.outer)) return false;
  FrictionOptions options = context.options;
  options.outer = NewtonOptions{.failures = kFailures};
  const std::unique_ptr<OuterSolver> newton = make_solver(options);
  newton->stop = StopToken(0, context.interrupt);
  newton->limits.budget = budget_;
  newton->bind(part_.problem());
  lambda_.assign(lambda_.size(), {});
  report_ = newton->solve(lambda_);
  return true;
}

/// From the impulses at hand, to a tolerance that leaves velocities a tenth of what they may have.
bool Island::solve_more_exactly() {
  const SolveLimits limits = solver_->limits;
  const double goal = kTowardsLimit * kLeastLimit / remainder_ * report_.certificate.worst();
  if (!(goal < report_.certificate.worst())) return false;
  solver_->limits.tolerance = std::min(limits.tolerance, std::max(goal, kTightest));
  solver_->limits.aim = 0;
  report_ = solver_->solve(lambda_);
  solver_->limits = limits;
  return true;
}

}  // namespace repose
