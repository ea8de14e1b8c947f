// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/progress.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "repose/contact/spectrum.h"

namespace repose {
namespace {

double norm(std::span<const ContactVec> x) {
  double total = 0;
  for (const ContactVec& xi : x) total += squared_norm(xi);
  return std::sqrt(total);
}

/// Returns ‖(W − Wᵀ)/2‖₂, by Lanczos' method on SᵀS = −S².
double skew_norm(const ContactProblem& problem, const ContactProblem& symmetric) {
  const auto contacts = static_cast<std::size_t>(problem.size());
  DelassusOperator W, W_symmetric;
  W.bind(problem);
  W_symmetric.bind(symmetric);
  std::vector<ContactVec> in(contacts), out(contacts), part(contacts);
  const auto apply_skew = [&](double sign) {
    W.apply(in, out);
    W_symmetric.apply(in, part);
    for (std::size_t i = 0; i < contacts; ++i) in[i] = sign * (out[i] - part[i]);
  };
  ContactArray x, y, before;
  for (ContactArray* array : {&x, &y, &before}) array->resize(problem.size());
  const auto square = [&](const ContactArray& from, ContactArray& to) {
    from.store(in);
    apply_skew(1.0);
    apply_skew(-1.0);
    to.load(in);
  };
  return std::sqrt(std::max(lanczos(square, x, y, before, {}).largest, 0.0));
}

}  // namespace

// ---- progress --------------------------------------------------------------------------------------------------

void Progress::bind(const ContactProblem& problem) {
  judge_.bind(problem);
  best_.resize(static_cast<std::size_t>(problem.size()));
}

void Progress::begin(const OuterSolver& scheme, int default_iterations, std::span<const ContactVec> lambda0) {
  assert(lambda0.size() == best_.size());
  scheme_ = &scheme;
  max_iterations_ = scheme.limits.max_iterations > 0 ? scheme.limits.max_iterations : default_iterations;
  over_ = false;
  report_.reset();
  current_ = judge_.start(lambda0);
  best_measure_ = milestone_ = HUGE_VAL;
  milestone_at_ = 0;
  report_.certificate = current_;
  std::copy(lambda0.begin(), lambda0.end(), best_.begin());
}

void Progress::start(const OuterSolver& scheme, int default_iterations, std::span<const ContactVec> lambda0,
                     const TestRule& rule) {
  rule_ = rule;
  begin(scheme, default_iterations, lambda0);
  best_measure_ = measure(current_);
  if (rule_.every == 0) decide(best_measure_);
}

void Progress::start_own(const OuterSolver& scheme, int default_iterations, std::span<const ContactVec> lambda0) {
  rule_ = {};
  begin(scheme, default_iterations, lambda0);
}

double Progress::measure(const Certificate& certificate) const {
  return rule_.stop == StopRule::kPaper ? certificate.paper.worst() : certificate.worst();
}

void Progress::keep_if_best(std::span<const ContactVec> lambda, double measure) {
  if (!(measure < best_measure_) && !rule_.last) return;
  best_measure_ = measure;
  report_.certificate = current_;
  std::copy(lambda.begin(), lambda.end(), best_.begin());
}

void Progress::decide(double measure) {
  const bool solved = rule_.stop == StopRule::kPaper ? measure < tolerance() : measure <= tolerance();
  if (const auto status = verdict(solved, measure, scheme_->stop))
    end(*status);
  else if (report_.outer_iterations >= max_iterations_)
    end(Status::kIterationLimit);
}

void Progress::count_and_certify(std::span<const ContactVec> lambda, int iterations) {
  current_ = judge_.certify(lambda);
  report_.outer_iterations += iterations;
  if (scheme_->observer) scheme_->observer(report_.outer_iterations, current_);
}

void Progress::score(std::span<const ContactVec> lambda, int iterations) {
  count_and_certify(lambda, iterations);
  keep_if_best(lambda, measure(current_));
  decide(measure(current_));
}

void Progress::score_own(std::span<const ContactVec> lambda, double own_measure) {
  count_and_certify(lambda, 1);
  keep_if_best(lambda, own_measure);
  decide(own_measure);
}

void Progress::end(Status why) {
  over_ = true;
  report_.status = why;
}

void Progress::stop_if_stalled(int iterations) {
  if (best_measure_ < 0.99 * milestone_) {
    milestone_ = best_measure_;
    milestone_at_ = report_.outer_iterations;
  }
  if (!over_ && report_.outer_iterations - milestone_at_ >= iterations) end(Status::kStalled);
}

OuterReport Progress::finish(std::span<ContactVec> lambda) const {
  std::copy(best_.begin(), best_.end(), lambda.begin());
  OuterReport report = report_;
  report.grade(report_.status, scheme_->limits.accept);
  return report;
}

// ---- coupling --------------------------------------------------------------------------------------------------

void Coupling::bind(const ContactProblem& problem, Friction friction) {
  problem_ = &problem;
  friction_ = friction;
  W_.bind(problem);
  v_.resize(static_cast<std::size_t>(problem.size()));
  v_symmetric_.resize(v_.size());
  symmetric_ = &problem;
  skew_norm_ = 0;
  if (!problem.symmetric()) {
    own_symmetric_ = problem.symmetric_part();
    symmetric_ = &own_symmetric_;
    W_symmetric_.bind(own_symmetric_);
    skew_norm_ = skew_norm(problem, own_symmetric_);
  }
  mu_max_ = 0;
  if (friction == Friction::kExact)
    for (double mu : problem.sets().mu()) mu_max_ = std::max(mu_max_, mu);
}

void Coupling::evaluate(std::span<const ContactVec> lambda, std::span<ContactVec> g) {
  W_.velocity(lambda, v_);
  if (problem_->symmetric()) {
    std::copy(v_.begin(), v_.end(), v_symmetric_.begin());
    std::fill(g.begin(), g.end(), ContactVec{});
  } else {
    W_symmetric_.apply(lambda, v_symmetric_);
    for (std::size_t i = 0; i < g.size(); ++i) {
      v_symmetric_[i] = v_symmetric_[i] + problem_->v_free()[i];
      g[i] = v_[i] - v_symmetric_[i];
    }
  }
  if (friction_ == Friction::kRelaxed) return;
  for (std::size_t i = 0; i < g.size(); ++i) g[i].n += coupling(problem_->sets().ref(static_cast<int>(i)), v_[i]);
}

// ---- measures --------------------------------------------------------------------------------------------------

double qp_natural_map(Judge& judge, std::span<const ContactVec> lambda, std::span<const ContactVec> v,
                      std::span<const ContactVec> g) {
  double total = 0;
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    const int k = static_cast<int>(i);
    const ContactVec trial = lambda[i] - judge.inverse_rho()[k] * (v[i] + g[i]);
    total += squared_norm(lambda[i] - project(judge.sets()[k], trial));
  }
  return std::sqrt(total) / judge.impulse_scale(norm(lambda));
}

double coupling_change(Judge& judge, std::span<const ContactVec> lambda, std::span<const ContactVec> a,
                       std::span<const ContactVec> b) {
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    total += squared_norm(judge.inverse_rho()[static_cast<int>(i)] * (a[i] - b[i]));
  return std::sqrt(total) / judge.impulse_scale(norm(lambda));
}

void project_onto_sets(const ContactProblem& problem, std::span<ContactVec> lambda) {
  for (std::size_t i = 0; i < lambda.size(); ++i)
    lambda[i] = project(problem.sets().ref(static_cast<int>(i)), lambda[i]);
}

}  // namespace repose
