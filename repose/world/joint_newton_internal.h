// SPDX-License-Identifier: Apache-2.0
// Newton's method on the law of an island and on the position constraint of its joints at once.
//
// The bias b of the rows that are held is such that g(x⁺) = 0 (joint_projection_internal.h). Here it is not found first
// and the law solved for it then: both are one equation in the bodies' velocities y,
//
//   y = R AC(λ, v(y)),   v = G y + v_f for the law's rows,   v = g(x⁺(y))/h for the rows of joints and of limits
//   reached,
//
// whose linearisation I + R D G has in G the rows of positions at the end of the step that the start leads to: what is
// left out is of the order of the change of that end, and so is the factor by which a step reduces the error. R has the
// rows of the start, along which impulses act. One factorisation serves all steps as long as the modes are those of the
// warm start. Modes follow from the velocities that the last linear solve gave, and the law is continued from there
// along its slope to the errors: an error that the next solve undoes changes no mode. Where rows depend on each other,
// their errors are first made velocities of bodies, G dy, so that impulses that balance each other do not grow.
// Products run over shared rows (shared_rows_internal.h); the certificate is that of the problem itself.
//
// It gives up rather than search: after a few steps, or where the turn is too large, the island is solved by its
// scheme.
#pragma once

#include <span>
#include <vector>

#include "repose/contact/newton_system.h"
#include "repose/contact/residual.h"
#include "repose/world/assemble.h"
#include "repose/world/joint_projection_internal.h"
#include "repose/world/shared_rows_internal.h"

namespace repose {

class JointNewton {
 public:
  struct Task {
    ContactProblem& problem;  ///< its v_f is left such that rows that are held do not move
    JointProjection& rows;    ///< bound to the step
    int first = 0;            ///< block of the problem that is the first of a joint
    double tolerance = 1e-8, aim = 0;
  };
  struct Result {
    bool solved = false;
    int steps = 0;
    double work = 0;  ///< per block, in block products
    Certificate certificate;
  };

  /// Announces what is new in the problem since the last call. Block `first` + k is joint block `blocks[index[k]]`.
  /// False when its factor is too expensive.
  bool take(const ContactProblem& problem, ProblemChange change, int first, std::span<const JointBlock> blocks,
            std::span<const int> index);

  /// Improves λ. Unless the result is solved, λ and v_f of the problem are those of before.
  Result run(const Task& task, std::span<ContactVec> lambda, NodeVelocities& change);

  /// (J L)ᵀ λ of the result
  [[nodiscard]] const AlignedVector<Pack>& response() const { return y_; }

 private:
  [[nodiscard]] double position_error(const Task& task, std::span<ContactVec> lambda, NodeVelocities& change);
  void take_rows(const Task& task);
  void hold_rows(const Task& task);
  [[nodiscard]] bool closes(const Task& task, int k, double rate) const;
  [[nodiscard]] bool step(const Task& task, bool first);
  [[nodiscard]] bool stays(double before, bool first);
  double evaluate(bool hold_modes);
  double residual();
  [[nodiscard]] ContactPack map(int p, const ContactPack& v, ContactSlope<Pack>& D) const;
  void keep_modes();
  bool take_modes();
  void solve_linear();
  [[nodiscard]] bool modes_differ() const;
  void take_errors(const Task& task);
  [[nodiscard]] bool take_consistent_errors(const Task& task);

  const BodyForm* form_ = nullptr;
  SharedRows rows_;
  NewtonSystem<BodyForm> system_;
  Judge judge_;
  bool usable_ = false;
  bool uses_ends_ = false;           ///< dv has the rows at the end of the step
  bool is_centred_ = true;           ///< y is the response of center_; otherwise a step further on
  double last_residual_ = 0;         ///< that the next one must not exceed by much
  double last_before_ = 0;           ///< at the start of the last step
  double left_ = 0, last_left_ = 0;  ///< at the end of the last step, and of the one before
  int idle_ = 0;                     ///< steps in a row that hardly reduced it
  double reached_error_ = 0;         ///< position error with that of limits and ropes that are reached
  ContactArray center_, free_, v_, dv_, P_;
  ContactArray seen_;  ///< v that modes follow
  ScalarArray g_;
  std::vector<char> boxes_;  ///< by pack: there are boxes alone
  SlopeArray D_, factored_;  ///< factored_: of the factor
  AlignedVector<Pack> y_, F_, dy_;
  std::vector<ContactVec> start_, v_free_, start_v_free_;
};

}  // namespace repose
