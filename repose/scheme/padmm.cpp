// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/padmm.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "repose/base/error.h"
#include "repose/contact/operators.h"
#include "repose/set/coulomb_cone.h"

namespace repose {
namespace {

constexpr int kScoreEvery = 20;  // iterations between calls of the judge while the residuals are far from the tolerance
constexpr double kLargestPenalty = 1e6, kSmallestPenalty = 1e-9;

void validate(const PadmmOptions& o) {
  require(o.penalty > 0 && std::isfinite(o.penalty), "padmm: penalty: expected > 0, got ", o.penalty);
  require(o.prox >= 0 && std::isfinite(o.prox), "padmm: prox: expected >= 0, got ", o.prox);
  require(o.adapt_every >= 1, "padmm: adapt_every: expected >= 1, got ", o.adapt_every);
  require(o.imbalance > 1, "padmm: imbalance: expected > 1, got ", o.imbalance);
  require(o.restart > 0 && o.restart <= 1, "padmm: restart: expected a number in (0, 1], got ", o.restart);
}

}  // namespace

// ---- the iteration ---------------------------------------------------------------------------------------------

template <class Form>
void PadmmKernel<Form>::bind(const Form& form, NewtonSystem<Form>& system, Judge& judge, const PadmmOptions& options) {
  form_ = &form;
  system_ = &system;
  judge_ = &judge;
  options_ = options;
  for (ContactArray* a : {&x_, &y_, &z_, &y_last_, &z_last_, &y_hat_, &z_hat_, &rhs_, &Wx_}) a->resize(form.size());
  rho_.resize(form.size());
  const SetList& sets = judge.sets().list();
  for (int i = 0; i < form.size(); ++i) rho_.set(i, sets.rho(i, trace(form.diagonal_block(i))));
  D_.assign(static_cast<std::size_t>(rho_.packs()), {});
  response_.assign(static_cast<std::size_t>(form.nodes()), Node{});
}

template <class Form>
void PadmmKernel<Form>::start(const ContactArray& lambda) {
  penalty_ = options_.penalty;
  (void)judge_->certify(lambda);
  for (int p = 0; p < lambda.packs(); ++p) {
    const PackSet set = judge_->sets().pack(p);
    x_.pack(p) = y_.pack(p) = y_hat_.pack(p) = project(set, lambda.pack(p));
    z_.pack(p) = z_hat_.pack(p) = project_dual(set, augmented(set, judge_->velocity().pack(p)));
  }
  momentum_ = 1;
  last_combined_ = HUGE_VAL;
  since_adapted_ = 0;
}

template <class Form>
PadmmResult PadmmKernel<Form>::run(ContactArray& lambda, const Certificate& before, double accuracy, int max_iterations,
                                   const StageContext& context) {
  PadmmResult result{.certificate = before};
  bool refactor = true;  // the system is shared and may hold another factor since the last run
  while (!result.certificate.solved(accuracy) && result.iterations < max_iterations && result.sound) {
    if (refactor) {
      result.sound = factor();
      ++result.factorisations;
    }
    iterate();
    ++result.iterations;
    const double estimate = std::max(residuals_.primal, residuals_.dual);
    result.sound = result.sound && std::isfinite(estimate);
    if (estimate <= accuracy * residuals_.size || result.iterations % kScoreEvery == 0) {
      score(lambda, result, context);
      if (context.stopped()) break;
    }
    refactor = adapt_penalty();
  }
  return result;
}

template <class Form>
bool PadmmKernel<Form>::factor() {
  const Pack weight = broadcast(1.0 / (options_.prox + penalty_)), one = broadcast(1.0);
  for (int p = 0; p < rho_.packs(); ++p) {
    ContactSlope<Pack>& D = D_[static_cast<std::size_t>(p)];
    const Pack d = weight * judge_->inverse_rho().pack(p);
    const PackSet set = judge_->sets().pack(p);
    const ContactPack soft = set.extra ? softness(*set.extra, d) : ContactPack{one, one, one};
    D.t1t1 = d * soft.t1, D.t2t2 = d * soft.t2, D.nn = d * soft.n;
  }
  return system_->factor(D_);
}

template <class Form>
void PadmmKernel<Form>::iterate() {
  right_hand_side();
  respond(*form_, Wx_, response_);  // R D c, with D c left in Wx_
  system_->solve(response_);        // (I + R D G)⁻¹ R D c = R x
  gather_all(*form_, response_, Wx_);
  std::swap(y_last_, y_);
  std::swap(z_last_, z_);
  project_and_update();
  accelerate();
}

/// c = ηρ x + rρ ŷ + ẑ − v_f − μ‖ẑ_T‖ e_N
template <class Form>
void PadmmKernel<Form>::right_hand_side() {
  const Pack r = broadcast(penalty_), eta = broadcast(options_.prox);
  for (int p = 0; p < rho_.packs(); ++p) {
    const Pack rho = rho_.pack(p);
    ContactPack c = rho * (eta * x_.pack(p) + r * y_hat_.pack(p)) + z_hat_.pack(p) - judge_->v_free().pack(p);
    c.n -= coupling(judge_->sets().pack(p), z_hat_.pack(p));
    rhs_.pack(p) = c;
    Wx_.pack(p) = times_diagonal(D_[static_cast<std::size_t>(p)], c);
  }
}

/// x = D (c − W x),  y = Π_K(x − ẑ/(rρ)),  z = ẑ + rρ (y − x)
template <class Form>
void PadmmKernel<Form>::project_and_update() {
  const Pack r = broadcast(penalty_), inverse_r = broadcast(1.0 / penalty_);
  Pack primal{}, dual{}, change{}, size{};
  for (int p = 0; p < rho_.packs(); ++p) {
    const Pack rho = rho_.pack(p), inverse_rho = judge_->inverse_rho().pack(p);
    const ContactPack x = times_diagonal(D_[static_cast<std::size_t>(p)], rhs_.pack(p) - Wx_.pack(p));
    const ContactPack trial = x - (inverse_r * inverse_rho) * z_hat_.pack(p);
    const ContactPack y = project(judge_->sets().pack(p), trial);
    const ContactPack z = (r * rho) * (y - trial);
    primal += rho * squared_norm(y - x);
    dual += rho * squared_norm(y - y_hat_.pack(p));
    change += inverse_rho * squared_norm(z - z_hat_.pack(p));
    size += rho * squared_norm(y);
    x_.pack(p) = x;
    y_.pack(p) = y;
    z_.pack(p) = z;
  }
  residuals_ = {std::sqrt(sum(primal)), penalty_ * std::sqrt(sum(dual)), penalty_ * sum(dual) + sum(change) / penalty_,
                std::sqrt(sum(size))};
}

/// Makes Nesterov's step from (y, z), or returns to the last (y, z) without momentum when the residual did not fall.
template <class Form>
void PadmmKernel<Form>::accelerate() {
  const bool falls = residuals_.combined < options_.restart * last_combined_;
  const double next = falls ? 0.5 * (1 + std::sqrt(1 + 4 * momentum_ * momentum_)) : 1.0;
  const Pack b = broadcast(falls ? (momentum_ - 1) / next : 0.0);
  for (int p = 0; p < rho_.packs(); ++p) {
    y_hat_.pack(p) = y_.pack(p) + b * (y_.pack(p) - y_last_.pack(p));
    z_hat_.pack(p) = z_.pack(p) + b * (z_.pack(p) - z_last_.pack(p));
  }
  last_combined_ = falls ? residuals_.combined : residuals_.combined / options_.restart;
  momentum_ = next;
}

/// Balances the two residuals, both impulse errors in the same norm. When all contacts are strictly inside their cones,
/// z = 0 and x = y: the primal residual vanishes and r may fall, which turns the iteration into a direct solve.
template <class Form>
bool PadmmKernel<Form>::adapt_penalty() {
  if (++since_adapted_ < options_.adapt_every) return false;
  const auto [small, large] = std::minmax(residuals_.primal, residuals_.dual);
  if (!(large > options_.imbalance * small)) return false;
  const double step = small > 1e-2 * large ? std::sqrt(large / small) : 10.0;
  const bool grow = residuals_.primal > residuals_.dual;
  const double next = std::clamp(grow ? penalty_ * step : penalty_ / step, kSmallestPenalty, kLargestPenalty);
  if (next == penalty_) return false;
  penalty_ = next;
  since_adapted_ = 0;
  momentum_ = 1;
  last_combined_ = HUGE_VAL;
  y_hat_ = y_;
  z_hat_ = z_;
  return true;
}

template <class Form>
void PadmmKernel<Form>::score(ContactArray& lambda, PadmmResult& result, const StageContext& context) {
  const Certificate now = judge_->certify(y_);
  context.observe(result.iterations, now);
  if (!(now.worst() < result.certificate.worst())) return;
  result.certificate = now;
  lambda = y_;
}

template class PadmmKernel<BodyForm>;
template class PadmmKernel<MatrixForm>;

// ---- the scheme ------------------------------------------------------------------------------------------------

PadmmSolver::PadmmSolver(const PadmmOptions& options) : options_(options) { validate(options); }

void PadmmSolver::bind(const ContactProblem& problem) {
  judge_.bind(problem);
  lambda_.resize(problem.size());
  const auto bind_form = [&]<class Form>(const Form& form) {
    if (!std::holds_alternative<Bound<Form>>(bound_)) bound_.template emplace<Bound<Form>>();
    auto& bound = std::get<Bound<Form>>(bound_);
    usable_ = bound.system.bind(form);
    bound.kernel.bind(form, bound.system, judge_, options_);
  };
  std::visit(bind_form, problem.form());
}

OuterReport PadmmSolver::solve(std::span<ContactVec> lambda) {
  OuterReport report;
  lambda_.load(lambda);
  report.certificate = judge_.start(lambda_);
  if (!usable_) {
    report.grade(Status::kStalled, limits.accept);
    return report;
  }
  const StageContext context{limits.tolerance, &stop, &observer, 0};
  const int iterations = limits.max_iterations > 0 ? limits.max_iterations : kDefaultIterations;
  const auto run = [&](auto& bound) {
    bound.kernel.start(lambda_);
    return bound.kernel.run(lambda_, report.certificate, limits.tolerance, iterations, context);
  };
  const PadmmResult result = std::visit(run, bound_);
  lambda_.store(lambda);
  report.certificate = result.certificate;
  report.outer_iterations = result.iterations;
  report.inner_iterations = result.factorisations;
  report.grade(status(report.certificate, result.sound), limits.accept);
  return report;
}

Status PadmmSolver::status(const Certificate& certificate, bool sound) const {
  const bool solved = certificate.solved(limits.tolerance);
  if (!sound && !solved) return Status::kNumericalFailure;
  return verdict(solved, certificate.worst(), stop).value_or(Status::kIterationLimit);
}

}  // namespace repose
