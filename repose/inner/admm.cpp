// SPDX-License-Identifier: Apache-2.0
#include "repose/inner/admm.h"

#include "repose/contact/newton_system.h"
#include "repose/inner/qp_residual_internal.h"

namespace repose {
namespace {

constexpr double kPatience = 1.5;                   // growth of the interval after a change, in which r has to settle
constexpr double kWorthRefactoring = 2.5;           // factor of change of r below which the old factorisation is kept
constexpr double kLargestChange = 10.0;             // limit on the factor of change of r
constexpr double kSmallest = 1e-6, kLargest = 1e6;  // bounds of r, in units of ρ

template <class Form>
class AdmmKernel {
 public:
  explicit AdmmKernel(const AdmmOptions& options) : options_(options) {}

  void bind(const BoundQp<Form>& qp) {
    qp_ = qp;
    residual_.bind(qp);
    system_.bind(*qp.form, kNoFactorLimit);
    for (ContactArray* array : {&c_, &lambda_, &s_, &u_, &work_, &best_}) array->resize(qp.size());
    D_.resize(static_cast<std::size_t>(c_.packs()));
    response_.resize(static_cast<std::size_t>(qp.form->nodes()));
    set_prox(qp.inverse_gamma);
  }

  void set_prox(double inverse_gamma) {
    qp_.inverse_gamma = inverse_gamma;
    residual_.set_prox(inverse_gamma);
    set_penalty(options_.penalty);
  }

  InnerReport solve(std::span<const ContactVec> c, std::span<ContactVec> lambda) {
    if (drifted_) set_penalty(options_.penalty);
    start(c, lambda);
    InnerReport report;
    score(report, HUGE_VAL);
    double next_check = options_.tolerance, wait = options_.adapt_every;
    int next_adapt = options_.adapt_every;
    while (!report.converged && report.iterations < options_.max_iterations) {
      if (!factored_ && !factor()) break;
      const Progress progress = iterate();
      ++report.iterations;
      const double scale = residual_.impulse_scale(progress.size, c_norm_);
      const double worst = std::max(progress.primal, progress.dual) / scale;
      if (worst <= next_check || report.iterations == options_.max_iterations) {
        score(report, report.residual);
        next_check = worst / 2;
      }
      if (report.iterations < next_adapt) continue;
      if (adapt(progress)) wait *= kPatience;
      next_adapt = report.iterations + static_cast<int>(wait);
    }
    best_.store(lambda);
    drifted_ = !report.converged;
    return report;
  }

 private:
  struct Progress {
    double primal, dual;     ///< ‖λ − s⁺‖ and r‖s⁺ − s‖, N·s
    double size, dual_size;  ///< ‖s⁺‖ and r‖u⁺‖, N·s
  };

  /// Starts from s = λ, u = −Π_K*(∇(s))/(rρ).
  void start(std::span<const ContactVec> c, std::span<const ContactVec> lambda) {
    c_.load(c);
    c_norm_ = norm(c_);
    s_.load(lambda);
    for (int p = 0; p < s_.packs(); ++p) s_.pack(p) = project(residual_.sets().pack(p), s_.pack(p));
    residual_.gradient(c_, s_, work_);
    for (int p = 0; p < s_.packs(); ++p) {
      const Pack scale = (-1.0 / penalty_) * residual_.inverse_rho().pack(p);
      u_.pack(p) = scale * project_dual(residual_.sets().pack(p), work_.pack(p));
    }
    best_ = s_;
  }

  /// Returns the natural map at s; keeps s when it is the best so far.
  void score(InnerReport& report, double best) {
    residual_.gradient(c_, s_, work_);
    const double now = residual_.score(c_, s_, work_);
    report.residual = std::min(now, best);
    if (now <= report.residual) best_ = s_;
    report.converged = report.residual <= options_.tolerance;
  }

  [[nodiscard]] bool factor() {
    const Pack one = broadcast(1.0);
    for (int p = 0; p < c_.packs(); ++p) {
      const Pack inverse = residual_.inverse_rho().pack(p);
      const Pack rho = 1.0 / select(inverse > Pack{}, inverse, inverse + 1.0);
      const Pack d = select(inverse > Pack{}, 1.0 / (qp_.inverse_gamma + penalty_ * rho), Pack{});
      const PackSet set = residual_.sets().pack(p);
      const ContactPack soft = set.extra ? softness(*set.extra, d) : ContactPack{one, one, one};
      D_[static_cast<std::size_t>(p)] = {.t1t1 = d * soft.t1, .t2t2 = d * soft.t2, .nn = d * soft.n};
    }
    return factored_ = system_.factor(D_);
  }

  /// λ ← (W + D⁻¹)⁻¹ (rρ(s − u) − c)
  void solve_linear() {
    for (int p = 0; p < c_.packs(); ++p) {
      const ContactSlope<Pack>& D = D_[static_cast<std::size_t>(p)];
      const PackSet set = residual_.sets().pack(p);
      if (set.extra) {
        lambda_.pack(p) = soft_right_hand_side(p, D, set.extra->compliance);
        continue;
      }
      const Pack d = D.nn;
      const Pack weight = 1.0 - qp_.inverse_gamma * d;  // D rρ
      lambda_.pack(p) = weight * (s_.pack(p) - u_.pack(p)) - d * c_.pack(p);
    }
    respond(*qp_.form, lambda_, response_);
    system_.solve(response_);
    gather_all(*qp_.form, response_, work_);
    for (int p = 0; p < c_.packs(); ++p)
      lambda_.pack(p) = lambda_.pack(p) - times_diagonal(D_[static_cast<std::size_t>(p)], work_.pack(p));
  }

  /// D (rρ(s − u) − c) for blocks with different rows: D rρ = 1 − (γ⁻¹ + C) D.
  [[nodiscard]] ContactPack soft_right_hand_side(int p, const ContactSlope<Pack>& D, ContactPack C) const {
    const ContactPack target = s_.pack(p) - u_.pack(p), c = c_.pack(p);
    const auto row = [&](Pack d, Pack soft, Pack t, Pack free) {
      return (1.0 - (qp_.inverse_gamma + soft) * d) * t - d * free;
    };
    return {row(D.t1t1, C.t1, target.t1, c.t1), row(D.t2t2, C.t2, target.t2, c.t2), row(D.nn, C.n, target.n, c.n)};
  }

  void set_penalty(double penalty) {
    penalty_ = penalty;
    factored_ = false;
  }

  Progress iterate() {
    solve_linear();
    const Pack alpha = broadcast(options_.relaxation), rest = broadcast(1 - options_.relaxation);
    Pack primal{}, dual{}, size{}, dual_size{};
    for (int p = 0; p < c_.packs(); ++p) {
      const ContactPack relaxed = alpha * lambda_.pack(p) + rest * s_.pack(p) + u_.pack(p);
      const ContactPack s = project(residual_.sets().pack(p), relaxed);
      primal += squared_norm(lambda_.pack(p) - s);
      dual += squared_norm(s - s_.pack(p));
      u_.pack(p) = relaxed - s;
      s_.pack(p) = s;
      size += squared_norm(s);
      dual_size += squared_norm(u_.pack(p));
    }
    return {std::sqrt(sum(primal)), penalty_ * std::sqrt(sum(dual)), std::sqrt(sum(size)),
            penalty_ * std::sqrt(sum(dual_size))};
  }

  /// Balances the residuals relative to the terms they are differences of; rρu, the multiplier, is kept.
  bool adapt(const Progress& progress) {
    const double primal = progress.primal / std::max(progress.size, 1e-300);
    const double dual = progress.dual / std::max(progress.dual_size, 1e-300);
    if (!(primal > 0) || !(dual > 0)) return false;
    const double change = std::clamp(std::sqrt(primal / dual), 1 / kLargestChange, kLargestChange);
    const double next = std::clamp(penalty_ * change, kSmallest, kLargest);
    if (std::max(next / penalty_, penalty_ / next) < kWorthRefactoring) return false;
    for (int p = 0; p < u_.packs(); ++p) u_.pack(p) = broadcast(penalty_ / next) * u_.pack(p);
    set_penalty(next);
    return true;
  }

  AdmmOptions options_;
  BoundQp<Form> qp_;
  QpResidual<Form> residual_;
  NewtonSystem<Form> system_;
  SlopeArray D_;  // (γ⁻¹ + rρ)⁻¹, kg
  ContactArray c_, lambda_, s_, u_, work_, best_;
  AlignedVector<typename Form::Node> response_;
  double penalty_ = 1.0, c_norm_ = 0;
  bool factored_ = false;
  bool drifted_ = false;  // the last solve missed its tolerance: the penalty may be what kept it from it
};

}  // namespace

void validate(const AdmmOptions& options) {
  require(options.tolerance > 0, "admm: tolerance: expected > 0, got ", options.tolerance);
  require(options.max_iterations >= 1, "admm: max_iterations: expected >= 1, got ", options.max_iterations);
  require(options.penalty > 0 && std::isfinite(options.penalty), "admm: penalty: expected a finite number > 0, got ",
          options.penalty);
  require(options.relaxation > 0 && options.relaxation < 2, "admm: relaxation: expected a number in (0, 2), got ",
          options.relaxation);
  require(options.adapt_every >= 1, "admm: adapt_every: expected >= 1, got ", options.adapt_every);
}

std::unique_ptr<ConeQpSolver> make_inner(const AdmmOptions& options) {
  return std::make_unique<TwoFormSolver<AdmmKernel, AdmmOptions>>(options);
}

}  // namespace repose
