// SPDX-License-Identifier: Apache-2.0
// Interior-point method on the exact law with the coupling implicit: the cold start for stuck structures.
//
//   x = (μλ_N, λ_T),  z = (v_N/μ + |v_T|_e, v_T),  x ∘ z = σ m 1  in Lorentz cones,  |v_T|_e = v²/√(v² + e²)
//
// NT scaling, Mehrotra's predictor and corrector, one factorisation of I + R D G per iteration. 8–12 iterations on
// stuck structures at any size. The system is not monotone: where much slides, x and z drift to the cones' surfaces and
// steps collapse. With |v_T|_e frozen at its value the problem is convex, and a few steps at constant m bring x and z
// back to the central path, from where the implicit iteration goes on. What then still stalls is left to another
// method.
#pragma once

#include "repose/contact/newton_system.h"
#include "repose/contact/residual.h"
#include "repose/set/lorentz.h"
#include "repose/stage/box_barrier.h"
#include "repose/stage/soft_cones.h"
#include "repose/stage/stage.h"

namespace repose {

struct InteriorPointSchedule {
  double tolerance = 1e-4;  ///< good enough
  int iterations = 40;      ///< factorisations granted
  bool stiff = true;  ///< start from impulses that hold every contact still; three short steps tell that they cannot
  /// Stiffness, in units of 1/ρ_i, that holds the contacts in a start after that, or instead of it; 0: none.
  double glue = 0;
  double lost = 0;  ///< … but only after a start that held them still and left at least this residual
};

struct InteriorPointResult {
  Certificate certificate;  ///< of the λ handed back: the best seen
  int iterations = 0;
  bool collapsed = false;  ///< gave up: a false start, a singular pivot or a number that is not finite
};

template <class Form>
class InteriorPoint {
 public:
  using Node = typename Form::Node;

  void bind(const Form& form, NewtonSystem<Form>& system, Judge& judge);
  /// Starts from a bilateral solve (not from `lambda`) and replaces `lambda` when it found something better.
  InteriorPointResult run(ContactArray& lambda, const Certificate& before, const InteriorPointSchedule& schedule,
                          const StageContext& context);

 private:
  bool start(double stiffness);
  bool glue(double stiffness);
  bool recentre(int& iterations, int limit);
  bool linearise();
  void direction(double centring, bool corrector);
  double step_length() const;
  void move(double step);
  [[nodiscard]] double complementarity() const;
  [[nodiscard]] ContactPack impulse(int p) const;
  [[nodiscard]] PackMask blocks(int p) const;
  [[nodiscard]] PackMask cones(int p) const;
  void put_boxes();

  const Form* form_ = nullptr;
  NewtonSystem<Form>* system_ = nullptr;
  Judge* judge_ = nullptr;
  ScalarArray mu_;  // held away from zero: a start, not the answer
  BoxBarrier boxes_;
  SoftCones soft_;
  ContactArray x_, z_, v_, dx_, dz_, dv_, rd_, packed_, best_;
  AlignedVector<NesterovTodd<Pack>> scaling_;
  ScalarArray coupling_;             // |v_T|_e
  bool frozen_ = false;              // … and whether it keeps its value
  AlignedVector<ContactPack> slip_;  // ∂z_N/∂v
  SlopeArray D_;
  AlignedVector<Node> y_, dy_, rp_;
  double mean_ = 0;  // complementarity per contact
};

extern template class InteriorPoint<BodyForm>;
extern template class InteriorPoint<MatrixForm>;

}  // namespace repose
