// SPDX-License-Identifier: Apache-2.0
// One Newton step with fixed contact modes (open, stick, slide along d), determined at the natural scale 1/ρ.
//
// Unlike in the proximal method, the modes do not depend on the step size α, so that α can be large without changing
// them. The step removes the soft modes of a pile, which Gauss–Seidel sweeps reduce too slowly. It is used in bursts
// between sweeps.
#pragma once

#include "repose/contact/newton_system.h"
#include "repose/contact/residual.h"

namespace repose {

template <class Form>
class ModeNewton {
 public:
  using Node = typename Form::Node;
  void bind(const Form& form, NewtonSystem<Form>& system, Judge& judge);
  /// `next` ← the solution of the law linearised at λ with step α/ρ_i, returned to K_μ. v is W λ + v_f.
  /// False when the system is singular.
  [[nodiscard]] bool step(const ContactArray& lambda, const ContactArray& v, double alpha, ContactArray& next);

 private:
  const Form* form_ = nullptr;
  NewtonSystem<Form>* system_ = nullptr;
  Judge* judge_ = nullptr;
  ContactArray change_, dv_;
  SlopeArray D_;
  AlignedVector<Node> dy_;
};

extern template class ModeNewton<BodyForm>;
extern template class ModeNewton<MatrixForm>;

}  // namespace repose
