// SPDX-License-Identifier: Apache-2.0
#include "repose/stage/gauss_seidel.h"

#include <algorithm>
#include <cmath>

namespace repose {
namespace {

constexpr double kLargestMomentum = 0.995;
constexpr int kGlobalRestartSweeps = 10;

ContactVec times(const Mat3& W, ContactVec x) {
  return {W.m[0][0] * x.t1 + W.m[0][1] * x.t2 + W.m[0][2] * x.n, W.m[1][0] * x.t1 + W.m[1][1] * x.t2 + W.m[1][2] * x.n,
          W.m[2][0] * x.t1 + W.m[2][1] * x.t2 + W.m[2][2] * x.n};
}

}  // namespace

template <class Form>
void GaussSeidel<Form>::bind(const Form& form, const ContactProblem& problem) {
  form_ = &form;
  problem_ = &problem;
  const auto contacts = static_cast<std::size_t>(form.size());
  contacts_.resize(contacts);
  loaded_ = false;
  for (auto* array : {&x_, &y_, &z_}) array->assign(contacts, ContactVec{});
  rate_.assign(contacts, 0.0);
  momentum_.assign(contacts, 0);
  response_.assign(static_cast<std::size_t>(form.nodes()), Node{});
}

/// Prepares the local laws from W, before the first sweep only: many solves end without one.
template <class Form>
void GaussSeidel<Form>::load() {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const auto block = static_cast<int>(i);
    contacts_[i].W = form_->diagonal_block(block);
    contacts_[i].law = LocalCoulomb(problem_->sets().with_compliance(block, contacts_[i].W), problem_->sets().mu()[i]);
    contacts_[i].rho = problem_->sets().rho(block, trace(contacts_[i].W));
  }
  loaded_ = true;
}

template <class Form>
void GaussSeidel<Form>::start(const ContactArray& lambda) {
  if (!loaded_) load();
  for (std::size_t i = 0; i < contacts_.size(); ++i) contacts_[i].v_free = problem_->v_free()[i];
  lambda.store(x_);
  y_ = x_;
  z_ = x_;
  std::fill(momentum_.begin(), momentum_.end(), 0);
  best_change_ = HUGE_VAL;
  since_restart_ = 0;
  refresh();
}

template <class Form>
void GaussSeidel<Form>::refresh() {
  std::fill(response_.begin(), response_.end(), Node{});
  for (std::size_t i = 0; i < y_.size(); ++i) form_->scatter(static_cast<int>(i), y_[i], response_.data());
}

template <class Form>
void GaussSeidel<Form>::store(ContactArray& lambda) const {
  lambda.load(x_);
}

template <class Form>
ContactVec GaussSeidel<Form>::solve_box(int i, ContactVec b) const {
  const SetList& sets = problem_->sets();
  return LocalBox{sets.with_compliance(i, contacts_[static_cast<std::size_t>(i)].W), sets[i].bounds()}.solve(b);
}

/// Open contacts have no momentum.
template <class Form>
bool GaussSeidel<Form>::has_momentum(int i) const {
  return z_[static_cast<std::size_t>(i)].n > 0 || problem_->sets().is_box(i);
}

/// z ← sweep(y); the response is updated to that of z.
template <class Form>
double GaussSeidel<Form>::sweep() {
  double change = 0;
  const int contacts = form_->size();
  const bool plain = problem_->sets().plain();
  for (int i = 0; i < contacts; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Contact& c = contacts_[k];
    const ContactVec b = form_->gather(i, response_.data()) + c.v_free - times(c.W, y_[k]);
    z_[k] = plain || !problem_->sets().is_box(i) ? c.law.solve(b, rate_[k]) : solve_box(i, b);
    const ContactVec d = z_[k] - y_[k];
    change += c.rho * squared_norm(d);
    form_->scatter(i, d, response_.data());
  }
  ++sweeps_;
  return change;
}

template <class Form>
double GaussSeidel<Form>::sweep_plain() {
  const double change = sweep();
  x_ = z_;
  y_ = z_;
  return change;
}

/// y_i ← z_i + b (z_i − x_i); updates the response.
template <class Form>
void GaussSeidel<Form>::extrapolate(int i, double b) {
  const auto k = static_cast<std::size_t>(i);
  y_[k] = z_[k];
  if (b == 0) return;
  const ContactVec d = b * (z_[k] - x_[k]);
  y_[k] = y_[k] + d;
  form_->scatter(i, d, response_.data());
}

template <class Form>
double GaussSeidel<Form>::sweep_momentum(double restart_factor) {
  const double change = sweep();
  const bool restart = change > restart_factor * best_change_;
  for (int i = 0; i < form_->size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const bool turned = dot(y_[k] - z_[k], z_[k] - x_[k]) > 0;
    momentum_[k] = restart ? 0 : turned ? momentum_[k] / 2 : momentum_[k] + 1;
    const double b = has_momentum(i) ? std::min(momentum_[k] / (momentum_[k] + 3.0), kLargestMomentum) : 0.0;
    extrapolate(i, b);
  }
  x_.swap(z_);
  best_change_ = restart ? HUGE_VAL : std::min(best_change_, change);
  return change;
}

template <class Form>
double GaussSeidel<Form>::sweep_global_momentum() {
  const double change = sweep();
  const bool restart = change > best_change_ && since_restart_ >= kGlobalRestartSweeps;
  since_restart_ = restart ? 0 : since_restart_ + 1;
  const double b = since_restart_ / (since_restart_ + 3.0);
  for (int i = 0; i < form_->size(); ++i) extrapolate(i, has_momentum(i) ? b : 0.0);
  x_.swap(z_);
  best_change_ = change;
  return change;
}

template class GaussSeidel<BodyForm>;
template class GaussSeidel<MatrixForm>;

}  // namespace repose
