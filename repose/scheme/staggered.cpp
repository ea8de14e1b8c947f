// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/staggered.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "repose/base/error.h"
#include "repose/math/scalar.h"

namespace repose {
namespace {

constexpr int kPatience = 200;  // iterations without progress: a limit cycle

struct Vec2 {
  double x = 0, y = 0;
};

/// argmin over ‖x‖ ≤ r of ½ xᵀSx + bᵀx for one symmetric positive definite 2×2 matrix S and many b, r.
class DiscQp {
 public:
  DiscQp() = default;
  explicit DiscQp(const Mat3& W) {
    const double a = W.m[0][0], b = 0.5 * (W.m[0][1] + W.m[1][0]), c = W.m[1][1];
    const double angle = 0.5 * arc_tangent(2 * b, a - c), mean = 0.5 * (a + c), spread = hypotenuse(0.5 * (a - c), b);
    cos_ = cosine(angle), sin_ = sine(angle);
    const double floor = 1e-14 * (a + c);  // for an immovable direction
    high_ = std::max(mean + spread, floor), low_ = std::max(mean - spread, floor);
  }

  [[nodiscard]] Vec2 solve(Vec2 b, double r) const {
    if (!(r > 0)) return {};
    const double b1 = cos_ * b.x + sin_ * b.y, b2 = cos_ * b.y - sin_ * b.x;  // along the axes of S
    const double k = multiplier(b1, b2, r);
    const double x1 = -b1 / (high_ + k), x2 = -b2 / (low_ + k);
    const double length = hypotenuse(x1, x2), fit = length > r ? r / length : 1.0;
    return {fit * (cos_ * x1 - sin_ * x2), fit * (sin_ * x1 + cos_ * x2)};
  }

 private:
  /// Returns k ≥ 0 with ‖(S + kI)⁻¹b‖ ≤ r: Newton on 1/r − 1/‖x(k)‖, which increases to the root from the left.
  [[nodiscard]] double multiplier(double b1, double b2, double r) const {
    double k = 0;
    for (int iteration = 0; iteration < 50; ++iteration) {
      const double x1 = b1 / (high_ + k), x2 = b2 / (low_ + k);
      const double length = hypotenuse(x1, x2);
      if (length <= r * (1 + 1e-15)) break;
      const double slope = x1 * x1 / (high_ + k) + x2 * x2 / (low_ + k);
      k += (length - r) / r * length * length / slope;
    }
    return k;
  }

  double cos_ = 1, sin_ = 0, high_ = 1, low_ = 1;
};

template <class Form>
class Qps final : public StaggeredQps {
 public:
  Qps(const Form& form, const ContactProblem& problem)
      : form_(form), problem_(problem), response_(static_cast<std::size_t>(form.nodes())) {
    contacts_.reserve(static_cast<std::size_t>(form.size()));
    for (int i = 0; i < form.size(); ++i) {
      const Mat3 W = form.diagonal_block(i);
      contacts_.push_back({W, DiscQp(W), W.m[2][2] > 0 ? 1.0 / W.m[2][2] : 0.0});
    }
  }

  void start(std::span<const ContactVec> lambda) override {
    std::fill(response_.begin(), response_.end(), typename Form::Node{});
    for (int i = 0; i < form_.size(); ++i) form_.scatter(i, lambda[static_cast<std::size_t>(i)], response_.data());
  }

  double normal_sweep(std::span<ContactVec> lambda) override {
    double change = 0;
    for (std::size_t i = 0; i < lambda.size(); ++i) {
      const double next = std::max(lambda[i].n - contacts_[i].inverse_wnn * velocity(i).n, 0.0);
      change += move(i, lambda[i], {lambda[i].t1, lambda[i].t2, next});
    }
    return std::sqrt(change);
  }

  double tangential_sweep(std::span<ContactVec> lambda) override {
    double change = 0;
    for (std::size_t i = 0; i < lambda.size(); ++i) {
      const ContactVec v = velocity(i), l = lambda[i];
      const Mat3& W = contacts_[i].W;
      const double cross = 0.5 * (W.m[0][1] + W.m[1][0]);
      const Vec2 b{v.t1 - W.m[0][0] * l.t1 - cross * l.t2, v.t2 - cross * l.t1 - W.m[1][1] * l.t2};
      const Vec2 next = contacts_[i].disc.solve(b, problem_.sets().mu()[i] * l.n);
      change += move(i, lambda[i], {next.x, next.y, l.n});
    }
    return std::sqrt(change);
  }

 private:
  struct Contact {
    Mat3 W;
    DiscQp disc;
    double inverse_wnn;
  };

  [[nodiscard]] ContactVec velocity(std::size_t i) const {
    return form_.gather(static_cast<int>(i), response_.data()) + problem_.v_free()[i];
  }

  double move(std::size_t i, ContactVec& lambda, ContactVec next) {
    const ContactVec step = next - lambda;
    form_.scatter(static_cast<int>(i), step, response_.data());
    lambda = next;
    return squared_norm(step);
  }

  const Form& form_;
  const ContactProblem& problem_;
  std::vector<Contact> contacts_;
  AlignedVector<typename Form::Node> response_;
};

}  // namespace

StaggeredSolver::StaggeredSolver(const StaggeredOptions& options) : options_(options) {
  require(options.inner_accuracy > 0 && options.inner_accuracy < 1,
          "staggered: inner_accuracy: expected a number in (0, 1), got ", options.inner_accuracy);
  require(options.max_sweeps >= 1, "staggered: max_sweeps: expected >= 1, got ", options.max_sweeps);
}

void StaggeredSolver::bind(const ContactProblem& problem) {
  require_cones(problem.sets(), "staggered", "it alternates between normal impulses and friction discs");
  problem_ = &problem;
  progress_.bind(problem);
  std::visit([&](const auto& form) { qps_ = std::make_unique<Qps<std::decay_t<decltype(form)>>>(form, problem); },
             problem.form());
}

OuterReport StaggeredSolver::solve(std::span<ContactVec> lambda) {
  project_onto_sets(*problem_, lambda);
  progress_.start(*this, kDefaultIterations, lambda);
  while (!progress_.over()) {
    qps_->start(lambda);
    solve_normal(lambda);      // λ_N ≥ 0, λ_T fixed
    solve_tangential(lambda);  // ‖λ_T‖ ≤ μ λ_N, λ_N fixed
    progress_.score(lambda);
    progress_.stop_if_stalled(kPatience);
  }
  return progress_.finish(lambda);
}

void StaggeredSolver::solve_normal(std::span<ContactVec> lambda) {
  repeat([&] { return qps_->normal_sweep(lambda); });
}

void StaggeredSolver::solve_tangential(std::span<ContactVec> lambda) {
  repeat([&] { return qps_->tangential_sweep(lambda); });
}

template <class Sweep>
void StaggeredSolver::repeat(const Sweep& sweep) {
  const double first = sweep();
  int sweeps = 1;
  for (double change = first; sweeps < options_.max_sweeps && change > options_.inner_accuracy * first; ++sweeps)
    change = sweep();
  progress_.count_inner(sweeps);
}

}  // namespace repose
