// SPDX-License-Identifier: Apache-2.0
#include "repose/inner/clarabel.h"

#include "repose/base/error.h"

#if REPOSE_HAVE_CLARABEL
#include <clarabel_shim.h>

#include <algorithm>
#include <array>
#include <vector>

#include "repose/inner/bgs.h"
#include "repose/inner/formed_qp_internal.h"
#endif

namespace repose {

void validate(const ClarabelOptions& options) {
  require(options.tolerance > 0, "clarabel: tolerance: expected > 0, got ", options.tolerance);
  require(options.gap_tolerance > 0, "clarabel: gap_tolerance: expected > 0, got ", options.gap_tolerance);
  require(options.feasibility_tolerance > 0, "clarabel: feasibility_tolerance: expected > 0, got ",
          options.feasibility_tolerance);
  require(options.max_iterations >= 1, "clarabel: max_iterations: expected >= 1, got ", options.max_iterations);
  require(options.polish_sweeps >= 0, "clarabel: polish_sweeps: expected >= 0, got ", options.polish_sweeps);
}

#if REPOSE_HAVE_CLARABEL
namespace {

class ClarabelSolver final : public ConeQpSolver {
 public:
  explicit ClarabelSolver(const ClarabelOptions& options) : options_(options) {
    if (options.polish_sweeps > 0) polish_ = make_inner(BgsOptions{.sweeps = options.polish_sweeps});
  }

  void bind(const ContactProblem& problem) override {
    require_cones(problem.sets(), "clarabel", "its program is written for cones");
    qp_.bind(problem);
    for (auto* values : {&x_, &solved_q_}) values->assign(static_cast<std::size_t>(qp_.variables()), 0.0);
    found_.resize(static_cast<std::size_t>(problem.size()));
    if (polish_) polish_->bind(problem);
    status_ = REPOSE_CLARABEL_UNSOLVED;
    handle_.reset();
    if (problem.size() > 0) create(problem.sets().mu());
  }

  void set_prox(double inverse_gamma) override {
    qp_.set_prox(inverse_gamma);
    if (polish_) polish_->set_prox(inverse_gamma);
    status_ = REPOSE_CLARABEL_UNSOLVED;
    if (!handle_) return;
    const int status = repose_clarabel_update_p(handle_.get(), qp_.P().data(), qp_.P().size());
    require(status == REPOSE_CLARABEL_SOLVED,
            "clarabel: expected that Clarabel takes new values of W + 1/gamma, got its status ", status);
  }

  InnerReport solve(std::span<const ContactVec> c, std::span<ContactVec> lambda) override {
    return qp_.solve(c, lambda, options_.tolerance, [&](std::span<ContactVec> start) { return minimise(c, start); });
  }

 private:
  struct Destroy {
    void operator()(repose_clarabel* handle) const { repose_clarabel_destroy(handle); }
  };

  void create(std::span<const double> mu) {
    const std::vector<std::size_t> column_start(qp_.column_start().begin(), qp_.column_start().end());
    const std::vector<std::size_t> row(qp_.row().begin(), qp_.row().end());
    const repose_clarabel_settings settings{options_.gap_tolerance, options_.gap_tolerance,
                                            options_.feasibility_tolerance,
                                            static_cast<std::uint32_t>(options_.max_iterations)};
    std::array<char, 256> error{};
    handle_.reset(repose_clarabel_create(x_.size(), column_start.data(), row.data(), qp_.P().data(), mu.size(),
                                         mu.data(), &settings, error.data(), error.size()));
    require(handle_ != nullptr, "clarabel: problem: expected one that Clarabel accepts, got ", error.data());
  }

  /// Clarabel's iterations.
  int minimise(std::span<const ContactVec> c, std::span<ContactVec> lambda) {
    const int iterations = run_clarabel();
    if (!is_point(status_)) return iterations;
    qp_.to_impulses(x_, found_);
    if (qp_.natural_residual(c, found_) < qp_.natural_residual(c, lambda))
      std::copy(found_.begin(), found_.end(), lambda.begin());
    if (polish_) (void)polish_->solve(c, lambda);
    return iterations;
  }

  /// Writes Clarabel's answer to x_. Does nothing for the right-hand side of the last call, whose answer is there.
  int run_clarabel() {
    if (status_ != REPOSE_CLARABEL_UNSOLVED && qp_.q() == solved_q_) return 0;
    solved_q_ = qp_.q();
    repose_clarabel_info info{};
    status_ = repose_clarabel_solve(handle_.get(), qp_.q().data(), x_.data(), &info);
    return static_cast<int>(info.iterations);
  }

  /// Whether Clarabel returned an iterate, rather than a certificate of unboundedness or nothing.
  static bool is_point(int status) {
    return status == REPOSE_CLARABEL_SOLVED || status == REPOSE_CLARABEL_ALMOST_SOLVED ||
           status == REPOSE_CLARABEL_MAX_ITERATIONS || status == REPOSE_CLARABEL_NUMERICAL_ERROR ||
           status == REPOSE_CLARABEL_INSUFFICIENT_PROGRESS;
  }

  ClarabelOptions options_;
  FormedQp qp_;
  std::unique_ptr<repose_clarabel, Destroy> handle_;  // empty without contacts
  std::unique_ptr<ConeQpSolver> polish_;
  std::vector<double> x_, solved_q_;  // Clarabel's last answer and its right-hand side
  std::vector<ContactVec> found_;     // that answer as impulses
  int status_ = REPOSE_CLARABEL_UNSOLVED;
};

}  // namespace

std::unique_ptr<ConeQpSolver> make_inner(const ClarabelOptions& options) {
  validate(options);
  return std::make_unique<ClarabelSolver>(options);
}

std::string_view clarabel_version() { return repose_clarabel_version(); }

#else

std::unique_ptr<ConeQpSolver> make_inner(const ClarabelOptions& options) {
  validate(options);
  fail("clarabel: expected a build with it (-DREPOSE_CLARABEL=ON, needs cargo), got one without");
}

std::string_view clarabel_version() { return {}; }

#endif

}  // namespace repose
