// SPDX-License-Identifier: Apache-2.0
#include "repose/contact/residual.h"

#include <limits>

#include "repose/contact/spectrum.h"
#include "repose/contact/violation.h"

namespace repose {
namespace {

/// The violations of all blocks, summed in a fixed order.
struct Violations {
  double force = 0, velocity = 0, gap = 0, natural = 0, lambda = 0, v_aug = 0;
};

Violations violations(const ContactArray& lambda, const ContactArray& v, const SetArray& sets,
                      const ScalarArray& inverse_rho) {
  Violation<Pack> total;
  for (int p = 0; p < lambda.packs(); ++p) {
    const PackSet set = sets.pack(p);
    add(total, set.extra ? violation(set, lambda.pack(p), v.pack(p), inverse_rho.pack(p))
                         : cone_violation(set.mu, lambda.pack(p), v.pack(p), inverse_rho.pack(p)));
  }
  return {sum(total.force),   sum(total.velocity), sum(total.gap),
          sum(total.natural), sum(total.lambda),   sum(total.v_aug)};
}

Residual scaled(const Violations& raw, double impulse, double speed) {
  return {std::sqrt(raw.force) / impulse, std::sqrt(raw.velocity) / speed, std::abs(raw.gap) / (impulse * speed)};
}

}  // namespace

void Judge::bind(const ContactProblem& problem) {
  problem_ = &problem;
  const int contacts = problem.size();
  for (ContactArray* array : {&lambda_, &v_, &v_free_, &krylov_x_, &krylov_y_, &krylov_before_}) array->claim(contacts);
  sets_.bind(problem.sets());
  inverse_rho_.claim(contacts);
  rho_max_ = 0;
  const auto take_rho = [&](int i, double rho) {
    rho_max_ = std::max(rho_max_, rho);
    inverse_rho_.set(i, rho > 0 ? 1.0 / rho : 0.0);
  };
  if (const auto* body = std::get_if<BodyForm>(&problem.form()))  // every step of a world comes here
    for (int i = 0; i < contacts; ++i) take_rho(i, problem.sets().rho(i, body->diagonal_trace(i)));
  else
    for (int i = 0; i < contacts; ++i) take_rho(i, problem.rho(i));
  lambda_max_ = -1;
  if (const auto* body = std::get_if<BodyForm>(&problem.form()))
    body_response_.resize(static_cast<std::size_t>(body->nodes()));
  else
    contact_response_.resize(static_cast<std::size_t>(contacts));
}

void Judge::apply_delassus(const ContactArray& x, ContactArray& y) {
  if (const auto* body = std::get_if<BodyForm>(&problem_->form())) {
    respond(*body, x, body_response_);
    gather_all(*body, body_response_, y);
  } else {
    const auto& matrix = std::get<MatrixForm>(problem_->form());
    respond(matrix, x, contact_response_);
    gather_all(matrix, contact_response_, y);
  }
  add_compliance(sets_, x, y);
}

double Judge::lambda_max() {
  if (lambda_max_ >= 0) return lambda_max_;
  if (problem_->separable()) return lambda_max_ = largest_block_eigenvalue(*problem_);
  const auto apply = [this](const ContactArray& x, ContactArray& y) { apply_delassus(x, y); };
  const SpectralEstimate estimate = lanczos(apply, krylov_x_, krylov_y_, krylov_before_, {});
  // λ_max ≥ λ_max(W_ii) ≥ ρ_i for a symmetric W: with this lower bound the lazy evaluation below stays exact.
  return lambda_max_ = std::max(estimate.largest, rho_max_);
}

double Judge::free_impulse(double at_least) {
  if (v_free_norm_ <= at_least * rho_max_) return at_least;  // ‖v_f‖/λ̂_max ≤ ‖v_f‖/ρ_max ≤ at_least
  const double largest = lambda_max();
  return largest > 0 ? v_free_norm_ / largest : 0.0;
}

double Judge::impulse_scale(double lambda_norm) {
  const double known = std::max(lambda_norm, kScaleFloor);
  return std::max(known, free_impulse(known));
}

void Judge::open(const ContactArray& lambda0) {
  v_free_.load(problem_->v_free());
  v_free_norm_ = norm(v_free_);
  start_lambda_norm_ = norm(lambda0);
  if (start_lambda_norm_ == 0) {
    v_ = v_free_;
  } else {
    apply_delassus(lambda0, v_);
    add(v_, v_free_);
  }
  Pack speed{};
  for (int p = 0; p < v_.packs(); ++p) speed += squared_norm(augmented(sets_.pack(p), v_.pack(p)));
  start_v_norm_ = std::sqrt(sum(speed));
}

Certificate Judge::start(const ContactArray& lambda0) {
  open(lambda0);
  return score(lambda0);
}

Certificate Judge::start(std::span<const ContactVec> lambda0) {
  lambda_.load(lambda0);
  return start(lambda_);
}

Certificate Judge::certify(const ContactArray& lambda) {
  apply_delassus(lambda, v_);
  add(v_, v_free_);
  return score(lambda);
}

Certificate Judge::certify(std::span<const ContactVec> lambda) {
  lambda_.load(lambda);
  return certify(lambda_);
}

Certificate Judge::score(const ContactArray& lambda) {
  if (lambda.size() == 0) return {};
  const Violations raw = violations(lambda, v_, sets_, inverse_rho_);
  const double lambda_norm = std::sqrt(raw.lambda);
  const double speed = std::max({start_v_norm_, v_free_norm_, kScaleFloor});
  const double paper_impulse = std::max(start_lambda_norm_, kPaperScaleFloor);
  const double impulse = impulse_scale(lambda_norm);
  Certificate certificate;
  certificate.residual = scaled(raw, std::max(impulse, start_lambda_norm_), speed);
  certificate.paper =
      scaled(raw, std::max(paper_impulse, free_impulse(paper_impulse)), std::max(speed, kPaperScaleFloor));
  certificate.natural = std::sqrt(raw.natural);
  certificate.work = std::abs(raw.gap);
  certificate.nat = certificate.natural / impulse;
  return certificate;
}

Certificate certify(const ContactProblem& problem, std::span<const ContactVec> lambda,
                    std::span<const ContactVec> lambda0) {
  Judge judge;
  judge.bind(problem);
  judge.start(lambda0.empty() ? lambda : lambda0);
  return judge.certify(lambda);
}

double siconos_error(const ContactProblem& problem, std::span<const ContactVec> lambda) {
  std::vector<ContactVec> v(lambda.size());
  DelassusOperator W;
  W.bind(problem);
  W.velocity(lambda, v);
  double error = 0, q = 0, r = 0, u = 0;
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    const SetRef<double> set = problem.sets().ref(static_cast<int>(i));
    error += squared_norm(lambda[i] - project(set, lambda[i] - augmented(set, v[i])));
    q += squared_norm(problem.v_free()[i]);
    r += squared_norm(lambda[i]);
    u += squared_norm(v[i]);
  }
  const double scale = std::sqrt(std::max({q, r, u}));
  return scale > std::numeric_limits<double>::epsilon() ? std::sqrt(error) / scale : std::sqrt(error);
}

}  // namespace repose
