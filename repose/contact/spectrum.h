// SPDX-License-Identifier: Apache-2.0
// λ̂_max(W): the largest eigenvalue of (the symmetric part of) W, for γ_safe and the residual's scales.
#pragma once

#include <cmath>
#include <utility>

#include "repose/base/random.h"
#include "repose/cone/contact_array.h"
#include "repose/contact/problem.h"

namespace repose {

struct SpectrumOptions {
  double accuracy = 1e-4;     ///< Stop when two iterations in a row move the estimate by less than this share of it.
                              ///< The error left is a few times that, where eigenvalues cluster tens of times.
  int max_iterations = 1000;  ///< W products; the paper takes ten.
};

struct SpectralEstimate {
  double largest = 0;   ///< 1/kg
  double accuracy = 0;  ///< relative change in the last iteration
  int products = 0;     ///< W applications spent
};

/// Largest eigenvalue of the symmetric part of a 3×3 matrix, in closed form (Cardano's formula for three real roots):
/// to rounding, or to eight digits when two eigenvalues coincide.
[[nodiscard]] double largest_eigenvalue(const Mat3& A);
/// Largest eigenvalue of all diagonal blocks; that of W when no two contacts interact.
[[nodiscard]] double largest_block_eigenvalue(const ContactProblem& problem);

/// Power iteration from a fixed start vector (the same bits every run), closed form for separable problems.
/// [paper eq:gamma_safe]
[[nodiscard]] SpectralEstimate largest_eigenvalue(const ContactProblem& problem, const SpectrumOptions& options = {});

/// Limit of a sequence whose steps shrink geometrically, from its last three members (Aitken's Δ²).
[[nodiscard]] inline double extrapolated(double before, double last, double now) {
  const double step = now - last, shrink = (last - before) - step;
  return step > 0 && shrink > 0 ? now + step * step / shrink : now;
}

/// The iteration itself, on the caller's memory: apply(x, y) sets y ← W x; x and y are scratch. Rayleigh quotients rise
/// towards λ_max by steps that shrink geometrically, so their limit is known long before they reach it.
template <class Apply>
SpectralEstimate power_iteration(const Apply& apply, ContactArray& x, ContactArray& y, const SpectrumOptions& options) {
  constexpr double kSettled = 0.02;  // share of itself by which a quotient may still grow when its limit is believed
  SpectralEstimate estimate;
  Random random(1);
  for (int i = 0; i < x.size(); ++i) x.set(i, {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)});
  int steady = 0;  // one small move may be a plateau between clustered eigenvalues
  double quotient = 0, before = 0;
  while (steady < 2 && estimate.products < options.max_iterations) {
    const double length = norm(x);
    if (!(length > 0)) break;
    for (int p = 0; p < x.packs(); ++p) x.pack(p) = broadcast(1.0 / length) * x.pack(p);
    apply(std::as_const(x), y);
    Pack product{};
    for (int p = 0; p < x.packs(); ++p) product += dot(x.pack(p), y.pack(p));
    const double last = std::exchange(quotient, sum(product));
    const double limit = estimate.products < 2 ? quotient : extrapolated(before, last, quotient);
    const double moved = std::abs(limit - std::exchange(estimate.largest, limit));
    before = last;
    estimate.accuracy = moved / std::max(std::abs(limit), 1e-300);
    const bool settled = std::abs(quotient - last) <= kSettled * std::abs(quotient);
    steady = settled && estimate.accuracy <= options.accuracy ? steady + 1 : 0;
    ++estimate.products;
    std::swap(x, y);
  }
  return estimate;
}

}  // namespace repose
