// SPDX-License-Identifier: Apache-2.0
// The shared part of the outer schemes: scoring iterates, keeping the best one, stopping; and the coupling B(λ).
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "repose/contact/problem.h"
#include "repose/contact/residual.h"
#include "repose/scheme/solver.h"

namespace repose {

enum class StopRule {
  kCertificate,  ///< r_c ≤ tolerance and nat ≤ tolerance: the definition of "solved" throughout Repose
  kPaper         ///< r_c < tolerance with the scales fixed at the start  [paper eq:scales, eq:rc]
};

/// When iterates are tested, and which of those tested is returned.
struct TestRule {
  StopRule stop = StopRule::kCertificate;
  int every = 0;      ///< iterations between tests, the start is not tested; 0: the start and every iterate
  bool last = false;  ///< returns the last one tested, not the best
};

/// Tracks one solve: scores each iterate with the judge, stores the best, and decides when the solve is over.
class Progress {
 public:
  void bind(const ContactProblem& problem);
  /// Scores λ⁰, which may end the solve before its first iteration unless the rule leaves the start untested.
  void start(const OuterSolver& scheme, int default_iterations, std::span<const ContactVec> lambda0,
             const TestRule& rule = {});
  /// Counts outer iterations and scores their result.
  void score(std::span<const ContactVec> lambda, int iterations = 1);
  /// For a scheme that does not solve the exact law (relaxed): the solve ends when its own `measure` ≤ tolerance, and
  /// not at λ⁰.
  void start_own(const OuterSolver& scheme, int default_iterations, std::span<const ContactVec> lambda0);
  void score_own(std::span<const ContactVec> lambda, double measure);
  void count_inner(int iterations) { report_.inner_iterations += iterations; }
  /// Ends the solve as stalled when the best measure has not fallen by a hundredth in this many iterations.
  void stop_if_stalled(int iterations);

  [[nodiscard]] bool over() const { return over_; }
  /// Returns the outer iterations left before the limit.
  [[nodiscard]] int remaining() const { return max_iterations_ - report_.outer_iterations; }
  /// Returns the outer iterations up to the next test, or to the limit.
  [[nodiscard]] int until_test() const { return std::min(std::max(rule_.every, 1), remaining()); }
  [[nodiscard]] double tolerance() const { return scheme_->limits.tolerance; }
  [[nodiscard]] const Certificate& current() const { return current_; }
  [[nodiscard]] Judge& judge() { return judge_; }
  /// Returns the report and sets `lambda` to the best iterate, or to the last one where the rule asks for that.
  OuterReport finish(std::span<ContactVec> lambda) const;

 private:
  [[nodiscard]] double measure(const Certificate& certificate) const;
  void keep_if_best(std::span<const ContactVec> lambda, double measure);
  void decide(double measure);
  void end(Status why);
  void begin(const OuterSolver& scheme, int default_iterations, std::span<const ContactVec> lambda0);
  void count_and_certify(std::span<const ContactVec> lambda, int iterations);

  const OuterSolver* scheme_ = nullptr;
  TestRule rule_;
  int max_iterations_ = 0;
  bool over_ = false;
  Judge judge_;
  Certificate current_;
  OuterReport report_;  // with the certificate of the iterate that is returned
  double best_measure_ = 0;
  double milestone_ = 0;  // the measure after the last notable progress, and its iteration
  int milestone_at_ = 0;
  std::vector<ContactVec> best_;
};

/// B(λ) = μ‖v_T(λ)‖ e_N, the part of the law that is not the gradient of an energy.  [paper eq:B]
/// If W is not symmetric, B includes its skew part (W − Wᵀ)/2 λ, and the cone QP has (W + Wᵀ)/2.
class Coupling {
 public:
  enum class Friction { kExact, kRelaxed };  ///< kRelaxed drops μ‖v_T‖ e_N

  void bind(const ContactProblem& problem, Friction friction = Friction::kExact);
  /// g ← B(λ). symmetric_velocity() then belongs to this λ.
  void evaluate(std::span<const ContactVec> lambda, std::span<ContactVec> g);
  /// Returns (W + Wᵀ)/2 λ + v_f of the last evaluate().
  [[nodiscard]] std::span<const ContactVec> symmetric_velocity() const { return v_symmetric_; }
  /// Returns the problem to bind the inner solver to.
  [[nodiscard]] const ContactProblem& symmetric_problem() const { return *symmetric_; }
  /// Returns a bound of ‖B(λ₁) − B(λ₂)‖ / ‖λ₁ − λ₂‖ from λ̂_max(W), 1/kg.  [paper eq:Lipschitz]
  [[nodiscard]] double lipschitz(double lambda_max) const { return mu_max_ * lambda_max + skew_norm_; }

 private:
  const ContactProblem* problem_ = nullptr;
  const ContactProblem* symmetric_ = nullptr;  // the problem itself, or own_symmetric_
  ContactProblem own_symmetric_;
  Friction friction_ = Friction::kExact;
  DelassusOperator W_, W_symmetric_;
  std::vector<ContactVec> v_, v_symmetric_;
  double mu_max_ = 0, skew_norm_ = 0;
};

/// Returns the natural map of the cone QP with velocity w = W λ + c: ‖λ − Π_K(λ − ρ⁻¹ w)‖ / scale, the judge's nat with
/// w in place of ṽ.
[[nodiscard]] double qp_natural_map(Judge& judge, std::span<const ContactVec> lambda, std::span<const ContactVec> v,
                                    std::span<const ContactVec> g);

/// Returns ‖ρ⁻¹ (a − b)‖ / scale: a bound of how much a change of the coupling changes the natural map at λ.
[[nodiscard]] double coupling_change(Judge& judge, std::span<const ContactVec> lambda, std::span<const ContactVec> a,
                                     std::span<const ContactVec> b);

/// λ_i ← Π(λ_i), each onto its own set
void project_onto_sets(const ContactProblem& problem, std::span<ContactVec> lambda);

}  // namespace repose
