// SPDX-License-Identifier: Apache-2.0
// Second-order cone algebra for interior-point methods: L = {(x_0, x_1) : ‖x_1‖ ≤ x_0} in three dimensions, stored as
// ContactVecT with n = x_0. Nesterov–Todd scaling, Jordan product and division, step to the boundary.
#pragma once

#include "repose/set/contact_vec.h"

namespace repose {

/// A symmetric map of the form [[a, b dᵀ], [b d, a d dᵀ + c (I − d dᵀ)]], d a unit tangent: the form of the maps of
/// Nesterov–Todd scaling.
template <class R>
struct LorentzMap {
  R a{}, b{}, c{}, d1{}, d2{};
};

template <class R>
REPOSE_HD inline ContactVecT<R> operator*(const LorentzMap<R>& H, ContactVecT<R> x) {
  const R along = H.d1 * x.t1 + H.d2 * x.t2;
  const R tangent = H.b * x.n + (H.a - H.c) * along;
  return {tangent * H.d1 + H.c * x.t1, tangent * H.d2 + H.c * x.t2, H.a * x.n + H.b * along};
}

template <class R>
struct NesterovTodd {
  LorentzMap<R> root, square, inverse_root;  ///< W, W², W⁻¹ with W z = W⁻¹ x
};

/// Returns x_0² − ‖x_1‖², factored to keep its relative accuracy near the boundary.
template <class R>
REPOSE_HD inline R lorentz_det(ContactVecT<R> x) {
  const R t = tangential_norm(x);
  return (x.n - t) * (x.n + t);
}

/// Returns the scaling point of x, z ∈ int L. `damping` δ ≥ 0 bounds the square from above: W² ← (W⁻² + δ)⁻¹.
template <class R>
REPOSE_HD inline NesterovTodd<R> nesterov_todd(ContactVecT<R> x, ContactVecT<R> z, R damping) {
  const R dx = root(lorentz_det(x)), dz = root(lorentz_det(z));
  const R ix = 1.0 / dx, iz = 1.0 / dz;
  const R cosine = (x.n * z.n + x.t1 * z.t1 + x.t2 * z.t2) * ix * iz;
  const R half = 0.5 / root(0.5 * (1.0 + cosine));
  const ContactVecT<R> w{half * (x.t1 * ix - z.t1 * iz), half * (x.t2 * ix - z.t2 * iz), half * (x.n * ix + z.n * iz)};
  const R t = tangential_norm(w);
  const R inverse = 1.0 / select(t > R{}, t, t + 1.0);
  const R d1 = select(t > R{}, w.t1 * inverse, filled<R>(1.0)), d2 = select(t > R{}, w.t2 * inverse, R{});
  const R eta = root(dx * iz);
  const R plus = eta * (w.n + t), minus = eta / (w.n + t);  // w̄_0 − t = 1/(w̄_0 + t): det w̄ = 1
  const auto map = [&](R p, R m, R c) { return LorentzMap<R>{0.5 * (p + m), 0.5 * (p - m), c, d1, d2}; };
  const auto damped = [&](R h) { return h * h / (1.0 + damping * h * h); };
  return {map(plus, minus, eta), map(damped(plus), damped(minus), damped(eta)),
          map(1.0 / plus, 1.0 / minus, 1.0 / eta)};
}

/// Returns W (I + δ W²)⁻¹: the root of the scaling under proximal damping.
template <class R>
REPOSE_HD inline LorentzMap<R> damped_root(const LorentzMap<R>& W, R delta) {
  const auto f = [&](R h) { return h / (1.0 + delta * h * h); };
  const R plus = f(W.a + W.b), minus = f(W.a - W.b);
  return {0.5 * (plus + minus), 0.5 * (plus - minus), f(W.c), W.d1, W.d2};
}

template <class R>
struct JordanEigenvalues {
  R low, high;
};
/// Returns the eigenvalues of x ∘ z in the scaled frame; their product is det x det z.
template <class R>
REPOSE_HD inline JordanEigenvalues<R> jordan_eigenvalues(ContactVecT<R> x, ContactVecT<R> z) {
  const R t = dot(x, z), det = lorentz_det(x) * lorentz_det(z);
  const R high = t + root(larger(t * t - det, R{}));
  return {det / high, high};
}

/// Returns the Jordan product x ∘ y.
template <class R>
REPOSE_HD inline ContactVecT<R> jordan(ContactVecT<R> x, ContactVecT<R> y) {
  return {x.n * y.t1 + y.n * x.t1, x.n * y.t2 + y.n * x.t2, dot(x, y)};
}

/// Returns the y with x ∘ y = r.
template <class R>
REPOSE_HD inline ContactVecT<R> jordan_divide(ContactVecT<R> x, ContactVecT<R> r) {
  const R n = (x.n * r.n - x.t1 * r.t1 - x.t2 * r.t2) / lorentz_det(x);
  const R inverse = 1.0 / x.n;
  return {(r.t1 - n * x.t1) * inverse, (r.t2 - n * x.t2) * inverse, n};
}

/// Returns 1/α for the largest α with x + α dx ∈ L; zero or less when every α is allowed.
template <class R>
REPOSE_HD inline R inverse_step_to_boundary(ContactVecT<R> x, ContactVecT<R> dx) {
  const R scale = 1.0 / root(lorentz_det(x));
  const ContactVecT<R> u = scale * x, d = scale * dx;
  const R head = u.n * d.n - u.t1 * d.t1 - u.t2 * d.t2;
  const R mix = (head + d.n) / (u.n + 1.0);
  const ContactVecT<R> tail{d.t1 - mix * u.t1, d.t2 - mix * u.t2, R{}};
  return tangential_norm(tail) - head;
}

}  // namespace repose
