// SPDX-License-Identifier: Apache-2.0
#include "repose/stage/mode_newton.h"

#include "repose/set/fixed_mode.h"

namespace repose {

template <class Form>
void ModeNewton<Form>::bind(const Form& form, NewtonSystem<Form>& system, Judge& judge) {
  form_ = &form;
  system_ = &system;
  judge_ = &judge;
  change_.resize(form.size());
  dv_.resize(form.size());
  D_.resize(static_cast<std::size_t>(change_.packs()));
  dy_.assign(static_cast<std::size_t>(form.nodes()), Node{});
}

template <class Form>
bool ModeNewton<Form>::step(const ContactArray& lambda, const ContactArray& v, double alpha, ContactArray& next) {
  for (int p = 0; p < lambda.packs(); ++p) {
    next.pack(p) = fixed_mode(judge_->sets().pack(p), lambda.pack(p), v.pack(p), judge_->inverse_rho().pack(p),
                              broadcast(alpha), D_[static_cast<std::size_t>(p)]);
    change_.pack(p) = next.pack(p) - lambda.pack(p);
  }
  if (!system_->factor(D_)) return false;
  respond(*form_, change_, dy_);
  system_->solve(dy_);
  gather_all(*form_, dy_, dv_);
  for (int p = 0; p < lambda.packs(); ++p)
    next.pack(p) =
        clip(judge_->sets().pack(p), minus_slope(next.pack(p), D_[static_cast<std::size_t>(p)], dv_.pack(p)));
  return true;
}

template class ModeNewton<BodyForm>;
template class ModeNewton<MatrixForm>;

}  // namespace repose
