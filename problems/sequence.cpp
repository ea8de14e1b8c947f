// SPDX-License-Identifier: Apache-2.0
#include "problems/sequence.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "repose/base/error.h"
#include "repose/math/scalar.h"

namespace repose::problems {

const Fields<SequenceOptions>& fields(const SequenceOptions&) {
  using O = SequenceOptions;
  static const Fields<O> table = {
      {"rest", &O::rest, 0, 1e3, "m/s", "random kick to every body at every step"},
      {"impact", &O::impact, 0, 1e3, "m/s", "kick to the struck bodies at impact_step"},
      {"impact_step", &O::impact_step, 0, 1e9, "", "step of the impact"},
      {"random", &O::random, 0, 1e3, "m/s", "random velocity of every body at step 0"},
      {"random_spin", &O::random_spin, 0, 1e3, "rad/s", "random angular velocity of every body at step 0"},
      {"slop", &O::slop, 0, 1, "", "gap without bias, as a share of the body size"},
      {"recovery", &O::recovery, 0, 1, "", "share of a penetration removed per step"},
  };
  return table;
}

Vec3 random_vector(Random& random, double low, double high) {
  const double size = random.uniform(low, high), z = random.uniform(-1, 1);
  const double angle = random.uniform(0, 2 * std::numbers::pi), r = std::sqrt(1 - z * z);
  return size * Vec3{r * cosine(angle), r * sine(angle), z};
}

Sequence::Sequence(Structure structure, const SequenceOptions& options)
    : structure_(std::move(structure)), options_(options), random_(options.seed) {
  checked(structure_.name, options_);
  require(options_.impact == 0 || !structure_.struck.empty(), structure_.name,
          ": impact: expected 0 as there are no bodies to strike, got ", options_.impact, " m/s");
  problem_ = make_problem(structure_);
  const std::size_t bodies = structure_.bodies.size(), contacts = structure_.contacts.size();
  for (auto* v : {&linear_, &angular_, &free_linear_, &free_angular_, &change_linear_, &change_angular_})
    v->resize(bodies);
  for (std::size_t k = 0; k < bodies; ++k) {
    linear_[k] = structure_.bodies[k].linear;
    angular_[k] = structure_.bodies[k].angular;
  }
  for (const Contact& c : structure_.contacts) gaps_.push_back(c.gap);
  lambda_.resize(contacts);
  v_.resize(contacts);
  response_.resize(bodies + 1);
  predict();
}

void Sequence::advance(std::span<const ContactVec> lambda) {
  require(lambda.size() == lambda_.size(), "advance: impulses: expected ", lambda_.size(), ", got ", lambda.size());
  apply_impulses(lambda);
  move_gaps();
  ++step_;
  predict();
}

/// u ← û + M⁻¹ Jᵀ λ
void Sequence::apply_impulses(std::span<const ContactVec> lambda) {
  const auto& form = std::get<BodyForm>(problem_.form());
  std::copy(lambda.begin(), lambda.end(), lambda_.begin());
  std::fill(response_.begin(), response_.end(), Pack{});
  for (int i = 0; i < form.size(); ++i) form.scatter(i, lambda[static_cast<std::size_t>(i)], response_.data());
  form.body_velocity(response_, change_linear_, change_angular_);
  for (std::size_t k = 0; k < linear_.size(); ++k) {
    linear_[k] = free_linear_[k] + change_linear_[k];
    angular_[k] = free_angular_[k] + change_angular_[k];
  }
}

void Sequence::move_gaps() {
  contact_velocities(structure_, linear_, angular_, v_);
  for (std::size_t i = 0; i < gaps_.size(); ++i) gaps_[i] += structure_.h * v_[i].n;
}

void Sequence::predict() {
  for (std::size_t k = 0; k < linear_.size(); ++k) {
    free_linear_[k] = linear_[k] + structure_.h * structure_.gravity;
    free_angular_[k] = angular_[k];
  }
  add_kicks();
  set_free_velocity();
}

void Sequence::add_kicks() {
  if (step_ == 0 && (options_.random > 0 || options_.random_spin > 0))
    for (std::size_t k = 0; k < linear_.size(); ++k) {
      free_linear_[k] = free_linear_[k] + random_vector(random_, 0, options_.random);
      free_angular_[k] = free_angular_[k] + random_vector(random_, 0, options_.random_spin);
    }
  if (options_.rest > 0)
    for (Vec3& u : free_linear_) u = u + random_vector(random_, 0, options_.rest);
  if (step_ == options_.impact_step && options_.impact > 0)
    for (int body : structure_.struck) {
      Vec3& u = free_linear_[static_cast<std::size_t>(body)];
      u = u + options_.impact * structure_.struck_along;
    }
}

void Sequence::set_free_velocity() {
  contact_velocities(structure_, free_linear_, free_angular_, v_);
  const GapBias bias{.slop = options_.slop * structure_.size, .recovery = options_.recovery};
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i].n += bias(gaps_[i], structure_.h);
  problem_.set_v_free(v_);
}

}  // namespace repose::problems
