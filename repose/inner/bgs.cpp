// SPDX-License-Identifier: Apache-2.0
#include "repose/inner/bgs.h"

#include <algorithm>

#include "repose/inner/qp_residual_internal.h"
#include "repose/set/local_box.h"
#include "repose/set/local_cone_qp.h"

namespace repose {
namespace {

template <class Form>
class BgsKernel {
 public:
  explicit BgsKernel(const BgsOptions& options) : options_(options) {}

  void bind(const BoundQp<Form>& qp) {
    qp_ = qp;
    residual_.bind(qp);
    response_.resize(static_cast<std::size_t>(qp.form->nodes()));
    local_.resize(static_cast<std::size_t>(qp.size()));
    set_prox(qp.inverse_gamma);
  }

  void set_prox(double inverse_gamma) {
    qp_.inverse_gamma = inverse_gamma;
    residual_.set_prox(inverse_gamma);
    const Mat3 prox = Mat3::diagonal(inverse_gamma, inverse_gamma, inverse_gamma);
    for (std::size_t i = 0; i < local_.size(); ++i) {
      const Mat3 W = qp_.form->diagonal_block(static_cast<int>(i));
      local_[i] = {W, LocalConeQp(qp_.sets->with_compliance(static_cast<int>(i), W + prox), qp_.sets->mu()[i])};
    }
  }

  InnerReport solve(std::span<const ContactVec> c, std::span<ContactVec> lambda) {
    start(lambda);
    InnerReport report;
    double next_check = options_.tolerance;  // change per sweep below which the residual is computed (one W product)
    while (report.iterations < options_.sweeps) {
      const double change = sweep(c, lambda);
      ++report.iterations;
      if (change > next_check) continue;
      report.residual = residual_.score(c, lambda);
      report.converged = report.residual <= options_.tolerance;
      if (report.converged || change == 0) return report;
      next_check = change / 4;
    }
    report.residual = residual_.score(c, lambda);
    report.converged = report.residual <= options_.tolerance;
    return report;
  }

 private:
  struct Local {
    Mat3 W;            ///< W_ii without the proximal term and compliance
    LocalConeQp step;  ///< with them; unused for boxes
  };

  /// λ ← Π_K λ, y ← R λ
  void start(std::span<ContactVec> lambda) {
    std::fill(response_.begin(), response_.end(), typename Form::Node{});
    for (std::size_t i = 0; i < lambda.size(); ++i) {
      lambda[i] = project(qp_.sets->ref(static_cast<int>(i)), lambda[i]);
      qp_.form->scatter(static_cast<int>(i), lambda[i], response_.data());
    }
  }

  /// Returns λ_i; b is the gradient without block i's own impulse.
  [[nodiscard]] ContactVec minimise(std::size_t i, ContactVec b) const {
    const auto block = static_cast<int>(i);
    if (!qp_.sets->is_box(block)) return local_[i].step.solve(b);
    const Mat3 prox = Mat3::diagonal(qp_.inverse_gamma, qp_.inverse_gamma, qp_.inverse_gamma);
    return LocalBox{qp_.sets->with_compliance(block, local_[i].W + prox), (*qp_.sets)[block].bounds()}.solve(b);
  }

  /// Makes one pass over the contacts; returns ‖change of λ‖/‖λ‖.
  double sweep(std::span<const ContactVec> c, std::span<ContactVec> lambda) {
    double change = 0, size = 0;
    for (std::size_t i = 0; i < lambda.size(); ++i) {
      const ContactVec old = lambda[i];
      const Vec3 own = local_[i].W * Vec3{old.t1, old.t2, old.n};
      const ContactVec others = qp_.form->gather(static_cast<int>(i), response_.data()) + c[i];
      lambda[i] = minimise(i, others - ContactVec{own.x, own.y, own.z});
      const ContactVec step = lambda[i] - old;
      qp_.form->scatter(static_cast<int>(i), step, response_.data());
      change += squared_norm(step);
      size += squared_norm(lambda[i]);
    }
    return change > 0 ? std::sqrt(change / std::max(size, 1e-300)) : 0.0;
  }

  BgsOptions options_;
  BoundQp<Form> qp_;
  QpResidual<Form> residual_;
  AlignedVector<typename Form::Node> response_;
  AlignedVector<Local> local_;
};

}  // namespace

void validate(const BgsOptions& options) {
  require(options.sweeps >= 1, "bgs: sweeps: expected >= 1, got ", options.sweeps);
  require(options.tolerance >= 0, "bgs: tolerance: expected >= 0, got ", options.tolerance);
}

std::unique_ptr<ConeQpSolver> make_inner(const BgsOptions& options) {
  return std::make_unique<TwoFormSolver<BgsKernel, BgsOptions>>(options);
}

}  // namespace repose
