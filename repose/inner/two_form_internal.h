// SPDX-License-Identifier: Apache-2.0
// One solver source, two forms of W: Kernel<BodyForm> and Kernel<MatrixForm> behind one ConeQpSolver.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>
#include <utility>
#include <variant>

#include "repose/base/error.h"
#include "repose/inner/cone_qp.h"

namespace repose {

/// The data of the problem that a kernel keeps between bind() and solve().
template <class Form>
struct BoundQp {
  const Form* form = nullptr;
  const SetList* sets = nullptr;
  double inverse_gamma = 0;  ///< γ⁻¹, 1/kg
  [[nodiscard]] int size() const { return form->size(); }
};

/// Kernel<Form> is made from Options and has bind(const BoundQp<Form>&), set_prox(double) and solve(c, lambda).
template <template <class> class Kernel, class Options>
class TwoFormSolver final : public ConeQpSolver {
 public:
  explicit TwoFormSolver(const Options& options) : options_(options) { validate(options); }

  void bind(const ContactProblem& problem) override {
    size_ = static_cast<std::size_t>(problem.size());
    std::visit(
        [&]<class Form>(const Form& form) {
          // A kernel of the same form keeps its memory and, when the contact graph is the same, its symbolic analysis.
          if (!std::holds_alternative<Kernel<Form>>(kernel_)) kernel_.template emplace<Kernel<Form>>(options_);
          std::get<Kernel<Form>>(kernel_).bind({&form, &problem.sets(), 0.0});
        },
        problem.form());
  }

  void set_prox(double inverse_gamma) override {
    require(inverse_gamma >= 0 && std::isfinite(inverse_gamma),
            "set_prox: inverse gamma: expected a finite number >= 0 (1/kg), got ", inverse_gamma);
    visit_bound([&](auto& kernel) { kernel.set_prox(inverse_gamma); });
  }

  /// Replaces a start that is not finite by zero; a c that is not finite leaves λ as it is, not converged.
  InnerReport solve(std::span<const ContactVec> c, std::span<ContactVec> lambda) override {
    assert(c.size() == size_ && lambda.size() == size_);
    if (size_ == 0) return {.converged = true};
    for (ContactVec& start : lambda)
      if (!finite(start)) start = {};
    if (!std::all_of(c.begin(), c.end(), finite)) return {.residual = HUGE_VAL};
    InnerReport report;
    visit_bound([&](auto& kernel) { report = kernel.solve(c, lambda); });
    return report;
  }

 private:
  template <class Action>
  void visit_bound(const Action& action) {
    std::visit(
        [&]<class Held>(Held& kernel) {
          if constexpr (std::is_same_v<Held, std::monostate>)
            assert(!"bind() comes first");
          else
            action(kernel);
        },
        kernel_);
  }

  [[nodiscard]] static bool finite(const ContactVec& x) { return std::isfinite(x.t1 + x.t2 + x.n); }

  Options options_;
  std::size_t size_ = 0;
  std::variant<std::monostate, Kernel<BodyForm>, Kernel<MatrixForm>> kernel_;
};

}  // namespace repose
