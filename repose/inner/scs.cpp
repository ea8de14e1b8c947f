// SPDX-License-Identifier: Apache-2.0
#include "repose/inner/scs.h"

#include "repose/base/error.h"

#if REPOSE_HAVE_SCS
#include <scs.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "repose/inner/formed_qp_internal.h"
#include "repose/set/coulomb_cone.h"
#endif

namespace repose {

void validate(const ScsOptions& options) {
  require(options.tolerance > 0, "scs: tolerance: expected > 0, got ", options.tolerance);
  require(options.absolute_tolerance >= 0, "scs: absolute_tolerance: expected >= 0, got ", options.absolute_tolerance);
  require(options.relative_tolerance >= 0, "scs: relative_tolerance: expected >= 0, got ", options.relative_tolerance);
  require(options.absolute_tolerance + options.relative_tolerance > 0,
          "scs: absolute_tolerance, relative_tolerance: expected at least one > 0, got 0 and 0");
  require(options.max_iterations >= 1, "scs: max_iterations: expected >= 1, got ", options.max_iterations);
  require(options.acceleration_memory >= 0, "scs: acceleration_memory: expected >= 0, got ",
          options.acceleration_memory);
}

#if REPOSE_HAVE_SCS
namespace {

/// s = −A x: one entry per column. SCS expects the half lines {n ≥ 0} first, then the cones {‖(t1, t2)‖ ≤ μ n}, each as
/// (μ n, t1, t2).
struct ConeRows {
  std::vector<scs_int> column_start, row;
  std::vector<double> value;
  int half_lines = 0;
  std::vector<scs_int> cone_sizes;

  void lay_out(const ContactProblem& problem, const FormedQp& qp) {
    column_start.resize(static_cast<std::size_t>(qp.variables()) + 1);
    std::iota(column_start.begin(), column_start.end(), 0);
    row.clear();
    value.clear();
    half_lines = static_cast<int>(std::count(problem.sets().mu().begin(), problem.sets().mu().end(), 0.0));
    cone_sizes.assign(static_cast<std::size_t>(problem.size() - half_lines), 3);
    int half_line = 0, cone = half_lines;
    for (int i = 0; i < problem.size(); ++i) {
      if (qp.frictional(i)) {
        row.insert(row.end(), {cone + 1, cone + 2, cone});
        value.insert(value.end(), {-1.0, -1.0, -problem.sets().mu()[static_cast<std::size_t>(i)]});
        cone += 3;
      } else {
        row.push_back(half_line++);
        value.push_back(-1.0);
      }
    }
  }

  /// y ← nearest point of the dual cone (these cones are their own duals).
  void project(std::span<double> y) const {
    const auto first_cone = static_cast<std::size_t>(half_lines);
    for (std::size_t r = 0; r < first_cone; ++r) y[r] = std::max(y[r], 0.0);
    for (std::size_t r = first_cone; r < y.size(); r += 3) {
      const ContactVec inside = project_onto_cone(ContactVec{y[r + 1], y[r + 2], y[r]}, 1.0);
      y[r] = inside.n, y[r + 1] = inside.t1, y[r + 2] = inside.t2;
    }
  }
};

class ScsSolver final : public ConeQpSolver {
 public:
  explicit ScsSolver(const ScsOptions& options) : options_(options) {}

  void bind(const ContactProblem& problem) override {
    require_cones(problem.sets(), "scs", "its program is written for cones");
    qp_.bind(problem);
    rows_.lay_out(problem, qp_);
    regularised_ = false;
    for (auto* values : {&zero_, &q_, &x_, &y_, &s_}) values->assign(static_cast<std::size_t>(qp_.variables()), 0.0);
    work_.reset();
  }

  void set_prox(double inverse_gamma) override {
    qp_.set_prox(inverse_gamma);
    regularised_ = inverse_gamma > 0;
    work_.reset();
  }

  InnerReport solve(std::span<const ContactVec> c, std::span<ContactVec> lambda) override {
    return qp_.solve(c, lambda, options_.tolerance, [&](std::span<ContactVec> start) { return minimise(c, start); });
  }

 private:
  struct Finish {
    void operator()(ScsWork* work) const { scs_finish(work); }
  };

  int minimise(std::span<const ContactVec> c, std::span<ContactVec> lambda) {
    warm_start(c, lambda);
    q_ = qp_.q();
    if (work_)
      scs_update(work_.get(), nullptr, q_.data());
    else
      set_up();
    ScsSolution solution{x_.data(), y_.data(), s_.data()};
    ScsInfo info{};
    const scs_int status = scs_solve(work_.get(), &solution, &info, 1);
    if (status == SCS_SOLVED || status == SCS_SOLVED_INACCURATE) qp_.to_impulses(x_, lambda);
    return info.iter;
  }

  /// Computes x, s and y from λ: y is the gradient transformed by A and projected onto the dual cone. At the answer
  /// they satisfy SCS's own conditions.
  void warm_start(std::span<const ContactVec> c, std::span<const ContactVec> lambda) {
    qp_.to_variables(lambda, x_);
    qp_.scaled_gradient(c, lambda, q_);
    for (std::size_t j = 0; j < x_.size(); ++j) {
      const auto r = static_cast<std::size_t>(rows_.row[j]);
      s_[r] = -rows_.value[j] * x_[j];
      y_[r] = -q_[j] / rows_.value[j];
    }
    rows_.project(y_);
  }

  void set_up() {
    const scs_int n = qp_.variables();
    // SCS copies all of it, but its structs hold pointers to mutable data.
    ScsMatrix P{const_cast<double*>(qp_.P().data()), const_cast<int*>(qp_.row().data()),
                const_cast<int*>(qp_.column_start().data()), n, n};
    ScsMatrix A{rows_.value.data(), rows_.row.data(), rows_.column_start.data(), n, n};
    ScsData data{n, n, &A, &P, zero_.data(), q_.data()};
    ScsCone cone{};
    cone.l = rows_.half_lines;
    cone.q = rows_.cone_sizes.data();
    cone.qsize = static_cast<scs_int>(rows_.cone_sizes.size());
    const ScsSettings chosen = settings();
    work_.reset(scs_init(&data, &cone, &chosen));
    require(work_ != nullptr, "scs: W + 1/gamma: expected a positive semidefinite matrix, got one that SCS refused");
  }

  [[nodiscard]] ScsSettings settings() const {
    ScsSettings chosen;
    scs_set_default_settings(&chosen);
    chosen.eps_abs = options_.absolute_tolerance;
    chosen.eps_rel = options_.relative_tolerance;
    chosen.max_iters = options_.max_iterations;
    chosen.acceleration_lookback = options_.acceleration_memory;
    chosen.verbose = 0;
    // The initial dual scale. With γ⁻¹ > 0 and our scaling, 1 takes 2 to 8 times fewer iterations than SCS's 0.1
    // (measured). A singular W needs a smaller scale, which SCS finds more reliably from 0.1.
    if (regularised_) chosen.scale = 1;
    return chosen;
  }

  ScsOptions options_;
  FormedQp qp_;
  ConeRows rows_;
  std::unique_ptr<ScsWork, Finish> work_;  // empty until the first solve after bind() or set_prox()
  bool regularised_ = false;               // γ⁻¹ > 0
  std::vector<double> zero_, q_, x_, y_, s_;
};

}  // namespace

std::unique_ptr<ConeQpSolver> make_inner(const ScsOptions& options) {
  validate(options);
  return std::make_unique<ScsSolver>(options);
}

std::string_view scs_version() { return ::scs_version(); }

#else

std::unique_ptr<ConeQpSolver> make_inner(const ScsOptions& options) {
  validate(options);
  fail("scs: expected a build with it (-DREPOSE_SCS=ON, needs pip once, or REPOSE_SCS_ARCHIVE), got one without");
}

std::string_view scs_version() { return {}; }

#endif

}  // namespace repose
