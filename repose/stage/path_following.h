// SPDX-License-Identifier: Apache-2.0
// One large proximal step, reached by path following from a problem whose solution is known.
//
//   F(y, t) = y − R AC(λ⁰, G y + v_f + (1 − t) q) = 0,   t: 0 → 1,   g_i = α/ρ_i as in prox_newton.h
//
// q is the velocity that must be added to v for λ⁰ to obey the law, so that y = R λ⁰ solves F(·, 0). AC is smooth while
// no contact changes mode (open, stick, slide). Inside such a cell the path is followed along its tangent with Newton
// corrections orthogonal to it. Where a contact reaches a kink, its mode is switched and the path continues in the next
// cell, with t rising or falling. The path therefore passes folds at which Newton's method with a line search stops,
// because ‖F‖ would have to rise. [Lemke's method for complementarity problems, for the curved cone; pseudo-arclength
// corrections after Keller 1977] A path may also turn back towards t → −∞; then λ stays as it was.
#pragma once

#include <vector>

#include "repose/contact/newton_system.h"
#include "repose/contact/residual.h"
#include "repose/set/block_mode.h"
#include "repose/stage/stage.h"

namespace repose {

struct PathSchedule {
  double alpha = 1e6;  ///< proximal step, in units of 1/ρ_i; > 0
  int pivots = 600;    ///< limit on the number of factorisations
};

struct PathResult {
  Certificate certificate;  ///< of the λ returned: the better of the path's two ends
  int pivots = 0;
};

template <class Form>
class PathFollowing {
 public:
  using Node = typename Form::Node;

  /// The caller binds `system` and `judge` to the same problem.
  void bind(const Form& form, NewtonSystem<Form>& system, Judge& judge);
  /// Replaces `lambda` by the end of the path if that is better. `before` is the certificate of `lambda`.
  PathResult run(ContactArray& lambda, const Certificate& before, const PathSchedule& schedule,
                 const StageContext& context);

 private:
  struct Kink {
    double step;  ///< |dt| from the current point
    int contact;  ///< −1: no kink, but a slip direction that has turned by kTurn
    BlockMode next;
  };
  struct Point {  ///< a point of the path and its direction (dy, dv)/dt
    ContactArray v, dv;
    AlignedVector<Node> y, dy;
    double t = 0;
  };
  void start(const ContactArray& lambda);
  bool follow(int& pivots, int limit, const StageContext& context);
  bool settle(bool at_end, int& pivots, int limit);
  double linearise();
  void find_tangent();
  void correct(bool at_end);
  [[nodiscard]] bool enters_mode(int i, BlockMode before) const;
  [[nodiscard]] ContactVec rate(int i, double sign) const;
  [[nodiscard]] Kink next_kink(double sign) const;
  void move(double dt);
  [[nodiscard]] ContactVec trial(int i) const { return trial_impulse(judge_->sets()[i], center_[i], at_.v[i], g_[i]); }

  const Form* form_ = nullptr;
  NewtonSystem<Form>* system_ = nullptr;
  Judge* judge_ = nullptr;
  ContactArray center_, q_, packed_;
  ScalarArray g_;
  std::vector<BlockMode> mode_;
  SlopeArray D_;
  AlignedVector<Node> F_;
  Point at_, last_;    // the current point, and the one at which the last step began
  double weight_ = 0;  // weight of dt² relative to ‖dy‖² in the length of a step
  bool moving_ = false;
};

extern template class PathFollowing<BodyForm>;
extern template class PathFollowing<MatrixForm>;

}  // namespace repose
