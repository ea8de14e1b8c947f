// SPDX-License-Identifier: Apache-2.0
// Proximal ADMM on the exact law, accelerated, with the coupling updated in every iteration.
//
// The law is split into a linear part in x and the cones in y, x = y at the solution; z is the multiplier of x = y and
// becomes the augmented velocity ṽ. With penalty r and prox term η, both in units of ρ_i = tr(W_ii)/3:
//   (W + (η + r)ρ) x = ηρ x⁻ + rρ ŷ + ẑ − v_f − μ‖ẑ_T‖ e_N
//   y = Π_K(x − ẑ/(rρ)),   z = ẑ + rρ (y − x)                     so that y ∈ K_μ, z ∈ K*_μ, yᵀz = 0 always
//   (ŷ, ẑ) = (y, z) + b (y − y⁻, z − z⁻)                          Nesterov's b, with restart
// One factorisation serves all iterations until r changes.  [Tsounis, Grandia & Bächer 2025; restart: Goldstein,
// O'Donoghue, Setzer & Baraniuk 2014]
#pragma once

#include <variant>
#include <vector>

#include "repose/contact/newton_system.h"
#include "repose/contact/residual.h"
#include "repose/scheme/solver.h"
#include "repose/stage/stage.h"

namespace repose {

struct PadmmOptions {
  double penalty = 0.1;    ///< r at the start, in units of ρ_i, > 0.
  double prox = 1e-6;      ///< η, in units of ρ_i, ≥ 0.
  int adapt_every = 20;    ///< Minimum of iterations between changes of r, ≥ 1; each change costs a factorisation.
  double imbalance = 5;    ///< r changes when primal and dual residual differ by more than this factor, > 1.
  double restart = 0.999;  ///< Momentum is dropped unless the combined residual falls by this factor, in (0, 1].
};

struct PadmmResult {
  Certificate certificate;  ///< of the best iterate, which is the λ returned
  int iterations = 0;
  int factorisations = 0;
  bool sound = true;  ///< false after a singular pivot or a value that is not finite
};

/// The iteration for one form of W. start() once, then any number of run() calls: each continues the last.
template <class Form>
class PadmmKernel {
 public:
  using Node = typename Form::Node;

  /// The caller binds `system` and `judge` to the same problem.
  void bind(const Form& form, NewtonSystem<Form>& system, Judge& judge, const PadmmOptions& options = {});
  /// Sets x = y = λ, z = ṽ(λ), and resets momentum and penalty. The judge must have been started on this problem.
  void start(const ContactArray& lambda);
  /// Iterates until max(r_c, nat) ≤ accuracy or for max_iterations more. Replaces `lambda` by the best iterate when it
  /// is better than `before`, the certificate of the given `lambda`. Calls the observer for every scored iterate.
  PadmmResult run(ContactArray& lambda, const Certificate& before, double accuracy, int max_iterations,
                  const StageContext& context);

 private:
  struct Residuals {
    double primal = 0;    // ‖x − y‖, in the norm of ρ
    double dual = 0;      // r ‖ŷ − y‖
    double combined = 0;  // monitored by the restart
    double size = 0;      // ‖y‖
  };
  [[nodiscard]] bool factor();
  void iterate();
  void right_hand_side();
  void project_and_update();
  void accelerate();
  [[nodiscard]] bool adapt_penalty();
  void score(ContactArray& lambda, PadmmResult& result, const StageContext& context);

  const Form* form_ = nullptr;
  NewtonSystem<Form>* system_ = nullptr;
  Judge* judge_ = nullptr;
  PadmmOptions options_;
  double penalty_ = 1;
  ScalarArray rho_;
  ContactArray x_, y_, z_, y_last_, z_last_, y_hat_, z_hat_, rhs_, Wx_;
  SlopeArray D_;  // 1/((η + r)ρ) on the diagonal
  AlignedVector<Node> response_;
  Residuals residuals_;
  double momentum_ = 1, last_combined_ = 0;
  int since_adapted_ = 0;
};

extern template class PadmmKernel<BodyForm>;
extern template class PadmmKernel<MatrixForm>;

class PadmmSolver final : public OuterSolver {
 public:
  static constexpr int kDefaultIterations = 20000;

  explicit PadmmSolver(const PadmmOptions& options);
  void bind(const ContactProblem& problem) override;
  /// Returns kStalled at once, with the warm start, when the factor would take more than kLargestFactor bytes.
  OuterReport solve(std::span<ContactVec> lambda) override;

 private:
  template <class Form>
  struct Bound {
    NewtonSystem<Form> system;
    PadmmKernel<Form> kernel;
  };
  [[nodiscard]] Status status(const Certificate& certificate, bool sound) const;

  PadmmOptions options_;
  Judge judge_;
  bool usable_ = false;
  ContactArray lambda_;
  std::variant<Bound<BodyForm>, Bound<MatrixForm>> bound_;
};

}  // namespace repose
