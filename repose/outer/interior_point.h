// SPDX-License-Identifier: Apache-2.0
// Interior-point method on the exact law with the coupling implicit: the cold start for stuck structures.
//
//   x = (μλ_N, λ_T),  z = (v_N/μ + |v_T|_e, v_T),  x ∘ z = σ m 1  in Lorentz cones,  |v_T|_e = v²/√(v² + e²)
//
// NT scaling, Mehrotra's predictor and corrector, one factorisation of I + R D G per iteration. 8–12 iterations on
// stuck structures at any size. The system is not monotone: on mostly sliding sets the steps collapse, which is
// detected (three steps below 0.05) and reported; another method has to go on from there.
#pragma once

#include "repose/cone/lorentz.h"
#include "repose/contact/residual.h"
#include "repose/inner/newton_system.h"
#include "repose/outer/stage.h"

namespace repose {

struct InteriorPointResult {
  Certificate certificate;  ///< of the λ handed back: the best seen
  int iterations = 0;
  bool collapsed = false;  ///< gave up on short steps or a singular pivot
};

template <class Form>
class InteriorPoint {
 public:
  using Node = typename Form::Node;

  void bind(const Form& form, NewtonSystem<Form>& system, Judge& judge);
  /// Starts from a bilateral solve (not from `lambda`) and replaces `lambda` when it found something better.
  InteriorPointResult run(ContactArray& lambda, const Certificate& before, double tolerance, int max_iterations,
                          const StageContext& context);

 private:
  bool start();
  bool linearise();
  void direction(double centring, bool corrector);
  double step_length() const;
  void move(double step);
  [[nodiscard]] double complementarity() const;
  [[nodiscard]] ContactPack impulse(int p) const;

  const Form* form_ = nullptr;
  NewtonSystem<Form>* system_ = nullptr;
  Judge* judge_ = nullptr;
  ScalarArray mu_;  // held away from zero: a start, not the answer
  ContactArray x_, z_, v_, dx_, dz_, dv_, rd_, packed_, best_;
  AlignedVector<NesterovTodd<Pack>> scaling_;
  AlignedVector<ContactPack> slip_;  // ∂|v_T|_e/∂v_T
  SlopeArray D_;
  AlignedVector<Node> y_, dy_, rp_;
  double mean_ = 0;  // complementarity per contact
};

extern template class InteriorPoint<BodyForm>;
extern template class InteriorPoint<MatrixForm>;

}  // namespace repose
