// SPDX-License-Identifier: Apache-2.0
#include "repose/contact/problem.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "repose/base/error.h"

namespace repose {
namespace {

/// Relative skewness below which W counts as symmetric: files store rounded blocks.
constexpr double kSymmetryTolerance = 1e-14;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

void check_velocity(std::span<const ContactVec> v_free) {
  for (std::size_t i = 0; i < v_free.size(); ++i)
    require(std::isfinite(v_free[i].t1) && std::isfinite(v_free[i].t2) && std::isfinite(v_free[i].n), "contact ", i,
            ": free velocity: expected finite numbers, got (", v_free[i].t1, ", ", v_free[i].t2, ", ", v_free[i].n,
            ")");
}

void add_pairs(const BodyForm& form, std::vector<std::pair<int, int>>& pairs) {
  std::vector<std::vector<int>> at_body(static_cast<std::size_t>(form.bodies()));
  for (int i = 0; i < form.size(); ++i)
    for (int e = 0; e < form.end_count(i); ++e)
      if (const int body = form.end(i, e).node; body < form.bodies())
        at_body[static_cast<std::size_t>(body)].push_back(i);
  for (const auto& contacts : at_body)
    for (std::size_t p = 0; p < contacts.size(); ++p)
      for (std::size_t q = p + 1; q < contacts.size(); ++q) pairs.emplace_back(contacts[p], contacts[q]);
}

void add_pairs(const MatrixForm& form, std::vector<std::pair<int, int>>& pairs) {
  for (int i = 0; i < form.size(); ++i)
    for (int s = form.first(i); s < form.first(i + 1); ++s)
      if (form.row(s) > i) pairs.emplace_back(i, form.row(s));
}

bool separable_form(const BodyForm& form) {
  std::vector<char> taken(static_cast<std::size_t>(form.nodes()), 0);
  for (int i = 0; i < form.size(); ++i)
    for (int e = 0; e < form.end_count(i); ++e)
      if (const int body = form.end(i, e).node;
          body < form.bodies() && std::exchange(taken[static_cast<std::size_t>(body)], 1))
        return false;
  return true;
}

bool separable_form(const MatrixForm& form) {
  for (int i = 0; i < form.size(); ++i)
    if (form.first(i + 1) - form.first(i) > 1) return false;
  return true;
}

template <class Form, class Node>
void apply_form(const Form& form, std::span<const ContactVec> x, AlignedVector<Node>& response,
                std::span<ContactVec> y) {
  std::fill(response.begin(), response.end(), Node{});
  for (int i = 0; i < form.size(); ++i) form.scatter(i, x[static_cast<std::size_t>(i)], response.data());
  for (int i = 0; i < form.size(); ++i) y[static_cast<std::size_t>(i)] = form.gather(i, response.data());
}

}  // namespace

ContactProblem::ContactProblem(Form form, std::vector<ContactVec> v_free, std::vector<double> mu)
    : ContactProblem(std::move(form), std::move(v_free), SetList::cones(mu)) {}

/// Checks sizes and numbers, and derives from the form what is known of W.
void ContactProblem::check() {
  const int contacts = std::visit([](const auto& f) { return f.size(); }, form_);
  require(sets_.size() == contacts, "problem: expected ", contacts, " sets, one per contact, got ", sets_.size());
  require(static_cast<int>(v_free_.size()) == contacts, "problem: expected ", contacts,
          " free velocities, one per contact, got ", v_free_.size());
  check_velocity(v_free_);
  separable_ = std::visit([](const auto& f) { return separable_form(f); }, form_);
  if (const auto* matrix = std::get_if<MatrixForm>(&form_)) symmetric_ = matrix->asymmetry() <= kSymmetryTolerance;
}

bool ContactProblem::assign(std::span<const BodyForm::Roots> bodies, std::span<const BodyContact> contacts,
                            std::span<const ContactVec> v_free, const SetList& sets,
                            std::span<const FurtherEnd> further) {
  require(at(sets.size()) == contacts.size() && v_free.size() == contacts.size(), "assign: expected ", contacts.size(),
          " free velocities and sets, one per block, got ", v_free.size(), " and ", sets.size());
  check_velocity(v_free);
  sets_ = sets;
  const bool was_body_form = std::holds_alternative<BodyForm>(form_);
  if (!was_body_form) form_.emplace<BodyForm>();
  const bool same = std::get<BodyForm>(form_).assign(bodies, contacts, further) && was_body_form;
  v_free_.assign(v_free.begin(), v_free.end());
  symmetric_ = true;
  if (!same) separable_ = separable_form(std::get<BodyForm>(form_));
  return same;
}

void ContactProblem::set_v_free(std::span<const ContactVec> v_free) {
  require(v_free.size() == v_free_.size(), "set_v_free: expected ", v_free_.size(), " velocities, got ", v_free.size());
  check_velocity(v_free);
  std::copy(v_free.begin(), v_free.end(), v_free_.begin());
}

Mat3 ContactProblem::diagonal_block(int i) const {
  return sets_.with_compliance(i, std::visit([i](const auto& f) { return f.diagonal_block(i); }, form_));
}

double ContactProblem::rho(int i) const {
  if (const auto* body = std::get_if<BodyForm>(&form_)) return sets_.rho(i, body->diagonal_trace(i));
  return sets_.rho(i, trace(std::get<MatrixForm>(form_).diagonal_block(i)));
}

Mat3 ContactProblem::coupling(int i, int j) const {
  return std::visit([i, j](const auto& f) { return f.coupling(i, j); }, form_);
}

std::vector<std::pair<int, int>> ContactProblem::coupled_pairs() const {
  std::vector<std::pair<int, int>> pairs;
  std::visit([&](const auto& f) { add_pairs(f, pairs); }, form_);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

ContactProblem ContactProblem::symmetric_part() const {
  if (const auto* matrix = std::get_if<MatrixForm>(&form_))
    return ContactProblem(matrix->symmetric_part(), v_free_, sets_);
  return *this;
}

void DelassusOperator::bind(const ContactProblem& problem) {
  problem_ = &problem;
  if (const auto* body = std::get_if<BodyForm>(&problem.form()))
    body_response_.resize(static_cast<std::size_t>(body->nodes()));
  else
    contact_response_.resize(static_cast<std::size_t>(problem.size()));
}

void DelassusOperator::apply(std::span<const ContactVec> x, std::span<ContactVec> y) {
  assert(problem_ && static_cast<int>(x.size()) == problem_->size() && x.size() == y.size());
  if (const auto* body = std::get_if<BodyForm>(&problem_->form()))
    apply_form(*body, x, body_response_, y);
  else
    apply_form(std::get<MatrixForm>(problem_->form()), x, contact_response_, y);
  const SetList& sets = problem_->sets();
  if (sets.plain()) return;
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = with_compliance(sets.ref(static_cast<int>(i)), y[i], x[i]);
}

void DelassusOperator::velocity(std::span<const ContactVec> lambda, std::span<ContactVec> v) {
  apply(lambda, v);
  const auto v_free = problem_->v_free();
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = v[i] + v_free[i];
}

}  // namespace repose
