// SPDX-License-Identifier: Apache-2.0
#include "repose/stage/pile.h"

#include <algorithm>

namespace repose {
namespace {

constexpr int kBurstSteps = 30;
constexpr int kRepairSweeps = 4;
/// Contacts from which eight patches are swept at a time: fewer have too few patches without a common body.
constexpr int kPackedFrom = 600;

double restart_factor(const PileOptions& options, int sweeps) {
  if (options.restart > 0) return options.restart;
  return sweeps < 200 ? 1.5 : sweeps < 400 ? 3.0 : 10.0;
}

}  // namespace

template <class Form>
void PileSolver<Form>::bind(const Form& form, const ContactProblem& problem, NewtonSystem<Form>& system, Judge& judge) {
  form_ = &form;
  system_ = &system;
  judge_ = &judge;
  may_pack_ = form.size() >= kPackedFrom && PackedSweeps::suits(problem);
  if constexpr (std::is_same_v<Form, BodyForm>)
    if (may_pack_) packed_.bind(form, problem);
  sweeps_.bind(form, problem);
  repair_.bind(form, problem);
  newton_.bind(form, system, judge);
  for (ContactArray* array : {&x_, &current_, &proposal_, &trial_, &velocity_, &best_}) array->claim(form.size());
}

template <class Form>
void PileSolver<Form>::keep_best(const ContactArray& lambda, const Certificate& now, PileResult& result) {
  if (!(now.worst() < result.certificate.worst())) return;
  result.certificate = now;
  best_ = lambda;
}

template <class Form>
void PileSolver<Form>::start_sweeps(const ContactArray& lambda) {
  if (packs_)
    packed_.start(lambda);
  else
    sweeps_.start(lambda);
}

template <class Form>
void PileSolver<Form>::sweep_batch(const PileOptions& options, const StageContext& context, PileResult& result) {
  const int batch = std::min(std::clamp(result.sweeps / 15, 10, 100), static_cast<int>(options.sweep_budget));
  for (int k = 0; k < batch && (k == 0 || !context.stopped()); ++k) {  // one sweep of many contacts takes a while
    const double restart = restart_factor(options, result.sweeps);
    if (packs_)
      packed_.sweep_momentum(restart);
    else if (options.global_momentum)
      sweeps_.sweep_global_momentum();
    else
      sweeps_.sweep_momentum(restart);
    ++result.sweeps;
  }
  if (packs_) {
    packed_.refresh();
    packed_.store(x_);
  } else {
    sweeps_.refresh();
    sweeps_.store(x_);
  }
}

/// trial ← current + t (proposal − current) and a few sweeps. True when its residual is below ten times `nat`.
template <class Form>
bool PileSolver<Form>::try_step(double t, double nat, Certificate& accepted) {
  for (int p = 0; p < trial_.packs(); ++p)
    trial_.pack(p) = current_.pack(p) + broadcast(t) * (proposal_.pack(p) - current_.pack(p));
  if (!(judge_->certify(trial_).worst() < 100 * nat)) return false;
  repair_.start(trial_);
  for (int k = 0; k < kRepairSweeps; ++k) repair_.sweep_plain();
  repair_.store(trial_);
  accepted = judge_->certify(trial_);
  return accepted.worst() < 10 * nat;
}

/// Returns the work so far, in block products; `newton_work` is in contact visits.
template <class Form>
double PileSolver<Form>::work_of(const PileResult& result, double newton_work) const {
  return (static_cast<double>(result.sweeps) * form_->size() + newton_work) / kVisitsPerProduct<Form>;
}

template <class Form>
bool PileSolver<Form>::is_over(const StageContext& context, const PileResult& result, double newton_work) const {
  return context.limit.reached(result.certificate, work_of(result, newton_work));
}

/// Makes Newton steps from x. True when `current` holds a point to continue from.
template <class Form>
bool PileSolver<Form>::burst(const StageContext& context, PileResult& result, double& newton_work, double sweep_work) {
  current_ = x_;
  Certificate now = judge_->certify(current_);
  velocity_ = judge_->velocity();
  const double start = now.worst();
  double alpha = 1e3, halved = start;
  int rejected = 0, since_halved = 0;
  const double step_work = kVisitsPerProduct<Form> * static_cast<double>(system_->factor_products()) +
                           (kRepairSweeps + kVisitsPerNewtonStep) * form_->size();
  for (int k = 0; k < kBurstSteps && rejected < 2; ++k) {
    newton_work += step_work;
    ++result.newton_steps;
    if (!newton_.step(current_, velocity_, alpha, proposal_)) break;
    const double nat = now.worst();
    double t = 1.0;
    Certificate next;
    while (t > 1e-2 && !try_step(t, nat, next)) t *= 0.25;
    if (t <= 1e-2) {
      alpha /= 30;
      ++rejected;
      continue;
    }
    current_ = trial_;
    velocity_ = judge_->velocity();
    now = next;
    const double ratio = now.worst() / nat;
    alpha = std::clamp(alpha * (t < 1 ? 1.5 * t : ratio < 0.2 ? 10.0 : ratio < 1.2 ? 3.0 : 0.5), 1.0, 1e9);
    keep_best(current_, now, result);
    if (now.solved(context.tolerance) || context.stopped() || is_over(context, result, newton_work)) return true;
    if (now.worst() > 10 * start) break;
    since_halved = now.worst() < 0.5 * halved ? 0 : since_halved + 1;
    if (since_halved == 0) halved = now.worst();
    if (since_halved > 3 && newton_work > sweep_work) break;
  }
  return now.worst() < 3 * start;
}

template <class Form>
PileResult PileSolver<Form>::run(ContactArray& lambda, const Certificate& before, const PileOptions& options,
                                 const StageContext& context) {
  PileResult result;
  result.certificate = before;
  best_ = lambda;
  packs_ = may_pack_ && !options.global_momentum;
  start_sweeps(lambda);
  double newton_work = 0;
  const double contacts = form_->size();
  while (result.sweeps + newton_work / contacts < options.sweep_budget && !context.stopped() &&
         !is_over(context, result, newton_work)) {
    sweep_batch(options, context, result);
    const Certificate now = judge_->certify(x_);
    keep_best(x_, now, result);
    context.observe(result.sweeps, now);
    if (now.solved(std::max(context.tolerance, options.enough))) break;
    const double sweep_work = result.sweeps * contacts;
    if (!options.newton || now.worst() > options.newton_below || result.sweeps < 30 || sweep_work < newton_work)
      continue;
    if (burst(context, result, newton_work, sweep_work)) start_sweeps(current_);
    if (result.certificate.solved(context.tolerance)) break;
  }
  result.work = work_of(result, newton_work);
  lambda = best_;
  return result;
}

template class PileSolver<BodyForm>;
template class PileSolver<MatrixForm>;

}  // namespace repose
