// SPDX-License-Identifier: Apache-2.0
// One Newton step with the contact modes held fixed: open, stick, slide along d, read off at the natural scale 1/ρ.
//
// Unlike the proximal method, the modes do not depend on the step size α, so α can be large without flipping them; it
// removes the soft modes of a pile that Gauss–Seidel sweeps cannot reach. Used in bursts between sweeps.
#pragma once

#include "repose/contact/newton_system.h"
#include "repose/contact/residual.h"

namespace repose {

template <class Form>
class ModeNewton {
 public:
  using Node = typename Form::Node;
  void bind(const Form& form, NewtonSystem<Form>& system, Judge& judge);
  /// `next` ← the solution of the linear law around λ with step α/ρ_i, put back into K_μ. v is W λ + v_f.
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
