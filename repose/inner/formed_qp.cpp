// SPDX-License-Identifier: Apache-2.0
#include "repose/inner/formed_qp_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "repose/base/error.h"
#include "repose/set/coulomb_cone.h"

namespace repose {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

double component(const ContactVec& x, int which) { return which == 0 ? x.t1 : which == 1 ? x.t2 : x.n; }

}  // namespace

void FormedQp::bind(const ContactProblem& problem) {
  problem_ = &problem;
  W_.bind(problem);
  std::visit(
      [&]<class Form>(const Form& form) {
        if (!std::holds_alternative<QpResidual<Form>>(residual_)) residual_.emplace<QpResidual<Form>>();
        std::get<QpResidual<Form>>(residual_).bind({&form, &problem.sets(), 0.0});
      },
      problem.form());
  rho_.resize(at(problem.size()));
  for (int i = 0; i < problem.size(); ++i) rho_[at(i)] = trace(problem.diagonal_block(i)) / 3;
  lay_out_variables();
  form_delassus();
  P_.resize(w_.size());
  q_.resize(scale_.size());
  gradient_.resize(at(problem.size()));
  set_prox(0);
}

void FormedQp::lay_out_variables() {
  first_.assign(1, 0);
  for (int i = 0; i < problem_->size(); ++i) first_.push_back(first_.back() + (frictional(i) ? 3 : 1));
  contact_scale_.resize(at(problem_->size()));
  scale_.resize(at(first_.back()));
}

void FormedQp::form_delassus() {
  auto pairs = problem_->coupled_pairs();
  require(pairs.size() < std::numeric_limits<int>::max() / 9 - at(problem_->size()),
          "W: expected fewer coupled pairs of contacts to form it explicitly, got ", pairs.size());
  // By columns, rows ascending.
  std::sort(pairs.begin(), pairs.end(),
            [](auto a, auto b) { return std::pair(a.second, a.first) < std::pair(b.second, b.first); });
  column_start_.assign(1, 0);
  row_.clear();
  w_.clear();
  auto begin = pairs.begin();
  for (int j = 0; j < problem_->size(); ++j) {
    const auto end = std::find_if(begin, pairs.end(), [j](auto pair) { return pair.second != j; });
    for (int c = frictional(j) ? 0 : 2; c < 3; ++c) {
      for (auto pair = begin; pair != end; ++pair) append_block(pair->first, j, problem_->coupling(pair->first, j), c);
      append_block(j, j, problem_->diagonal_block(j), c);
      column_start_.push_back(static_cast<int>(row_.size()));
    }
    begin = end;
  }
}

/// Appends column `component` of W_ij to the matrix; of a diagonal block only the upper part.
void FormedQp::append_block(int i, int j, const Mat3& block, int component) {
  const int skipped = frictional(i) ? 0 : 2;
  const int last = i == j ? component : 2;
  for (int r = skipped; r <= last; ++r) {
    row_.push_back(first(i) + r - skipped);
    w_.push_back(block.m[r][component]);
  }
}

void FormedQp::set_prox(double inverse_gamma) {
  require(inverse_gamma >= 0 && std::isfinite(inverse_gamma),
          "set_prox: inverse gamma: expected a finite number >= 0 (1/kg), got ", inverse_gamma);
  inverse_gamma_ = inverse_gamma;
  std::visit([&](auto& residual) { residual.set_prox(inverse_gamma); }, residual_);
  const double heaviest = rho_.empty() ? 0 : *std::max_element(rho_.begin(), rho_.end());
  for (int i = 0; i < problem_->size(); ++i) {
    double rho = rho_[at(i)] + inverse_gamma;
    if (!(rho > 0)) rho = heaviest > 0 ? heaviest : 1;  // a contact between two things that nothing moves
    contact_scale_[at(i)] = 1 / std::sqrt(rho);
    std::fill(scale_.begin() + first(i), scale_.begin() + first(i + 1), contact_scale_[at(i)]);
  }
  for (int column = 0; column < variables(); ++column)
    for (int s = column_start_[at(column)]; s < column_start_[at(column) + 1]; ++s) {
      const int row = row_[at(s)];
      P_[at(s)] = scale_[at(row)] * scale_[at(column)] * (w_[at(s)] + (row == column ? inverse_gamma : 0));
    }
}

void FormedQp::project(std::span<ContactVec> lambda) const {
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    if (!std::isfinite(squared_norm(lambda[i]))) lambda[i] = {};
    lambda[i] = project_onto_cone(lambda[i], problem_->sets().mu()[i]);
  }
}

FormedQp::RightHandSide FormedQp::set_c(std::span<const ContactVec> c) {
  double sum = 0;
  for (int i = 0; i < problem_->size(); ++i)
    for (int variable = first(i), k = frictional(i) ? 0 : 2; k < 3; ++k, ++variable) {
      q_[at(variable)] = scale_[at(variable)] * component(c[at(i)], k);
      sum += q_[at(variable)] * q_[at(variable)];
    }
  if (!std::isfinite(sum)) return RightHandSide::kNotFinite;
  if (sum == 0) return RightHandSide::kZero;
  rhs_scale_ = std::sqrt(sum / variables());
  for (double& value : q_) value /= rhs_scale_;
  return RightHandSide::kOrdinary;
}

void FormedQp::to_variables(std::span<const ContactVec> lambda, std::span<double> x) const {
  for (int i = 0; i < problem_->size(); ++i)
    for (int variable = first(i), k = frictional(i) ? 0 : 2; k < 3; ++k, ++variable)
      x[at(variable)] = component(lambda[at(i)], k) / (rhs_scale_ * scale_[at(variable)]);
}

void FormedQp::to_impulses(std::span<const double> x, std::span<ContactVec> lambda) const {
  for (int i = 0; i < problem_->size(); ++i) {
    const double* at_contact = x.data() + first(i);
    const ContactVec found =
        frictional(i) ? ContactVec{at_contact[0], at_contact[1], at_contact[2]} : ContactVec{0, 0, at_contact[0]};
    lambda[at(i)] = project_onto_cone(rhs_scale_ * contact_scale_[at(i)] * found, problem_->sets().mu()[at(i)]);
  }
}

void FormedQp::scaled_gradient(std::span<const ContactVec> c, std::span<const ContactVec> lambda,
                               std::span<double> scaled) {
  W_.apply(lambda, gradient_);
  for (int i = 0; i < problem_->size(); ++i) {
    const ContactVec gradient = gradient_[at(i)] + inverse_gamma_ * lambda[at(i)] + c[at(i)];
    for (int variable = first(i), k = frictional(i) ? 0 : 2; k < 3; ++k, ++variable)
      scaled[at(variable)] = scale_[at(variable)] * component(gradient, k) / rhs_scale_;
  }
}

double FormedQp::natural_residual(std::span<const ContactVec> c, std::span<const ContactVec> lambda) {
  const double residual = std::visit([&](auto& natural) { return natural.score(c, lambda); }, residual_);
  return std::isfinite(residual) ? residual : HUGE_VAL;
}

}  // namespace repose
