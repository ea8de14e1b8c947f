// SPDX-License-Identifier: Apache-2.0
#include "repose/inner/apgd.h"

#include "repose/inner/qp_residual_internal.h"

namespace repose {
namespace {

constexpr double kGrow = 1.5;       // growth of L when the energy exceeds its quadratic model
constexpr double kRelax = 0.98;     // factor on L per step: curvature decreases as contacts open
constexpr int kBacktrackings = 60;  // more of them are due to values that are not finite

template <class Form>
class ApgdKernel {
 public:
  explicit ApgdKernel(const ApgdOptions& options) : options_(options) {}

  void bind(const BoundQp<Form>& qp) {
    size_ = qp.size();
    residual_.bind(qp);
    for (ContactArray* array : {&c_, &lambda_, &A_lambda_, &last_, &A_last_, &eta_, &A_eta_, &best_})
      array->resize(size_);
    lipschitz_ = 1.0;
  }

  void set_prox(double inverse_gamma) {
    residual_.set_prox(inverse_gamma);
    lipschitz_ = 1.0;
  }

  InnerReport solve(std::span<const ContactVec> c, std::span<ContactVec> lambda) {
    start(c, lambda);
    InnerReport report{.residual = score()};
    best_ = lambda_;
    double momentum = 1.0;  // Nesterov's t
    while (report.residual > options_.tolerance && report.iterations < options_.max_iterations) {
      ++report.iterations;
      if (!step()) break;
      momentum = extrapolate(momentum);
      const double now = score();
      if (!(now < report.residual)) continue;
      report.residual = now;
      best_ = lambda_;
    }
    report.converged = report.residual <= options_.tolerance;
    best_.store(lambda);
    return report;
  }

 private:
  void start(std::span<const ContactVec> c, std::span<const ContactVec> lambda) {
    c_.load(c);
    lambda_.load(lambda);
    for (int p = 0; p < lambda_.packs(); ++p) lambda_.pack(p) = project(residual_.sets().pack(p), lambda_.pack(p));
    residual_.gradient(c_, lambda_, A_lambda_);
    eta_ = lambda_;
    A_eta_ = A_lambda_;
  }

  [[nodiscard]] double score() { return residual_.score(c_, lambda_, A_lambda_); }

  /// λ ← Π_K(η − (Lρ)⁻¹∇(η)), with L grown until it bounds the curvature along the step.
  bool step() {
    std::swap(last_, lambda_);
    std::swap(A_last_, A_lambda_);
    lipschitz_ *= kRelax;
    for (int attempt = 0; attempt < kBacktrackings; ++attempt) {
      const Pack inverse_L = broadcast(1.0 / lipschitz_);
      for (int p = 0; p < eta_.packs(); ++p)
        lambda_.pack(p) = project(residual_.sets().pack(p),
                                  eta_.pack(p) - (inverse_L * residual_.inverse_rho().pack(p)) * A_eta_.pack(p));
      residual_.gradient(c_, lambda_, A_lambda_);
      const double curvature = curvature_along_step();
      if (curvature <= lipschitz_ * (1 + 1e-12)) return true;
      lipschitz_ = std::max(kGrow * lipschitz_, curvature);
    }
    return false;
  }

  /// Returns dᵀAd / dᵀρd for d = λ − η; at rounding level it is meaningless and counts as bounded.
  [[nodiscard]] double curvature_along_step() const {
    Pack work{}, size{}, total{};
    for (int p = 0; p < eta_.packs(); ++p) {
      const ContactPack d = lambda_.pack(p) - eta_.pack(p);
      const Pack inverse = residual_.inverse_rho().pack(p);
      const Pack rho = 1.0 / select(inverse > Pack{}, inverse, inverse + 1.0);
      work += dot(d, A_lambda_.pack(p) - A_eta_.pack(p));
      size += rho * squared_norm(d);
      total += rho * squared_norm(lambda_.pack(p));
    }
    const double squared = sum(size);
    return squared > 1e-24 * sum(total) ? sum(work) / squared : 0.0;
  }

  /// η ← λ + β(λ − λ_last), or λ when the step opposes the momentum: (η − λ)ᵀρ(λ − λ_last) > 0. Returns the next t.
  double extrapolate(double t) {
    Pack uphill{};
    for (int p = 0; p < eta_.packs(); ++p) {
      const Pack inverse = residual_.inverse_rho().pack(p);
      const Pack rho = 1.0 / select(inverse > Pack{}, inverse, inverse + 1.0);
      uphill += rho * dot(eta_.pack(p) - lambda_.pack(p), lambda_.pack(p) - last_.pack(p));
    }
    const bool restart = sum(uphill) > 0;
    const double next = restart ? 1.0 : 0.5 * (1 + std::sqrt(1 + 4 * t * t));
    const Pack beta = broadcast(restart ? 0.0 : (t - 1) / next);
    for (int p = 0; p < eta_.packs(); ++p) {
      eta_.pack(p) = lambda_.pack(p) + beta * (lambda_.pack(p) - last_.pack(p));
      A_eta_.pack(p) = A_lambda_.pack(p) + beta * (A_lambda_.pack(p) - A_last_.pack(p));
    }
    return next;
  }

  ApgdOptions options_;
  int size_ = 0;
  QpResidual<Form> residual_;
  ContactArray c_, lambda_, last_, eta_, best_;
  ContactArray A_lambda_, A_last_, A_eta_;  // gradients (W + γ⁻¹I)· + c at the three points, m/s
  double lipschitz_ = 1.0;  // L, in units of ρ: the largest eigenvalue of ρ^−½ (W + γ⁻¹I) ρ^−½
};

}  // namespace

void validate(const ApgdOptions& options) {
  require(options.tolerance > 0, "apgd: tolerance: expected > 0, got ", options.tolerance);
  require(options.max_iterations >= 1, "apgd: max_iterations: expected >= 1, got ", options.max_iterations);
}

std::unique_ptr<ConeQpSolver> make_inner(const ApgdOptions& options) {
  return std::make_unique<TwoFormSolver<ApgdKernel, ApgdOptions>>(options);
}

}  // namespace repose
