// SPDX-License-Identifier: Apache-2.0
#include "repose/outer/mode_newton.h"

namespace repose {
namespace {

/// λ⁺(v) with the mode of (λ, v) at scale g = 1/ρ held, and its slope.
template <class R>
ContactVecT<R> fixed_mode(ContactVecT<R> l, ContactVecT<R> v, R g, R alpha, R mu, ContactSlope<R>& D) {
  const R zero{}, one = filled<R>(1.0);
  const R n = l.n - g * v.n, y1 = l.t1 - g * v.t1, y2 = l.t2 - g * v.t2;
  const R t = root(y1 * y1 + y2 * y2), radius = mu * n, stiff = alpha * g;
  const auto closed = n > zero;
  const auto slides = t > radius;
  const R inverse = 1.0 / select(slides, t, t + 1.0);
  const R d1 = y1 * inverse, d2 = y2 * inverse;
  const R q = select(slides, radius * inverse, zero);
  // Tangential stiffness across the sliding direction: what the law itself has, g q/(1 − q), but never above α g.
  const R across = smaller(stiff, g * q / (one - select(q < one, q, zero)));
  const R kappa = select(q < one, across, stiff);
  const R held_n = l.n - stiff * v.n;
  const R slip = d1 * v.t1 + d2 * v.t2;
  D.nn = select(closed, stiff, zero);
  D.t1t1 = select(closed, select(slides, kappa * (one - d1 * d1), stiff), zero);
  D.t2t2 = select(closed, select(slides, kappa * (one - d2 * d2), stiff), zero);
  D.t1t2 = select(closed, select(slides, -kappa * d1 * d2, zero), zero);
  D.t2t1 = D.t1t2;
  D.t1n = select(closed, select(slides, mu * stiff * d1, zero), zero);
  D.t2n = select(closed, select(slides, mu * stiff * d2, zero), zero);
  D.nt1 = zero, D.nt2 = zero;
  return {select(closed, select(slides, mu * held_n * d1 - kappa * (v.t1 - slip * d1), l.t1 - stiff * v.t1), zero),
          select(closed, select(slides, mu * held_n * d2 - kappa * (v.t2 - slip * d2), l.t2 - stiff * v.t2), zero),
          select(closed, held_n, zero)};
}

template <class R>
ContactVecT<R> minus_slope(ContactVecT<R> l, const ContactSlope<R>& D, ContactVecT<R> dv) {
  return {l.t1 - (D.t1t1 * dv.t1 + D.t1t2 * dv.t2 + D.t1n * dv.n),
          l.t2 - (D.t2t1 * dv.t1 + D.t2t2 * dv.t2 + D.t2n * dv.n), l.n - D.nn * dv.n};
}

/// Into K_μ along the tangent: the normal impulse is what Newton found.
template <class R>
ContactVecT<R> clip(ContactVecT<R> l, R mu) {
  const R zero{}, n = larger(l.n, zero), t = tangential_norm(l), radius = mu * n;
  const R shrink = select(t > radius, radius / select(t > radius, t, t + 1.0), filled<R>(1.0));
  return {shrink * l.t1, shrink * l.t2, n};
}

}  // namespace

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
    next.pack(p) = fixed_mode(lambda.pack(p), v.pack(p), judge_->inverse_rho().pack(p), broadcast(alpha),
                              judge_->mu().pack(p), D_[static_cast<std::size_t>(p)]);
    change_.pack(p) = next.pack(p) - lambda.pack(p);
  }
  if (!system_->factor(D_)) return false;
  respond(*form_, change_, dy_);
  system_->solve(dy_);
  gather_all(*form_, dy_, dv_);
  for (int p = 0; p < lambda.packs(); ++p)
    next.pack(p) = clip(minus_slope(next.pack(p), D_[static_cast<std::size_t>(p)], dv_.pack(p)), judge_->mu().pack(p));
  return true;
}

template class ModeNewton<BodyForm>;
template class ModeNewton<MatrixForm>;

}  // namespace repose
