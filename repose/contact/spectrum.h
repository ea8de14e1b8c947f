// SPDX-License-Identifier: Apache-2.0
// λ̂_max(W): the largest eigenvalue of (the symmetric part of) W, for γ_safe and the residual's scales.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "repose/base/random.h"
#include "repose/contact/problem.h"
#include "repose/set/contact_array.h"

namespace repose {

struct SpectrumOptions {
  /// The iteration stops when ‖W x − λ x‖² ≤ accuracy · λ² for the eigenpair (λ, x). The relative error of λ is then at
  /// most √accuracy, and about accuracy · λ_max over the distance to the next eigenvalue. Two very close eigenvalues
  /// are an exception: the smaller one may be found first.
  double accuracy = 1e-4;
  int max_iterations = 1000;  ///< W products, at most 1000; the paper takes ten.
};

struct SpectralEstimate {
  double largest = 0;  ///< 1/kg
  double accuracy = 0;  ///< ‖W x − λ x‖²/λ² of the eigenpair, or the last relative increase of λ; 0 in closed form
  int products = 0;  ///< number of W products
};

/// Returns the largest eigenvalue of the symmetric part of a 3×3 matrix, in closed form (Cardano's formula for three
/// real roots): accurate to rounding, or to eight digits when two eigenvalues coincide.
[[nodiscard]] double largest_eigenvalue(const Mat3& A);
/// Returns the largest eigenvalue of all diagonal blocks, which is that of W when no two contacts interact.
[[nodiscard]] double largest_block_eigenvalue(const ContactProblem& problem);

/// Estimates λ_max(W) by Lanczos' method from a fixed start vector (the same bits every run), in closed form for
/// separable problems. [paper eq:gamma_safe]
[[nodiscard]] SpectralEstimate largest_eigenvalue(const ContactProblem& problem, const SpectrumOptions& options = {});

/// Returns the Rayleigh quotient of the last of `products` ≥ 1 products of a power iteration from the same start
/// vector: at most λ_max, and less by more than Lanczos' method leaves. For comparison with the paper, which takes ten.
[[nodiscard]] double power_iteration(const ContactProblem& problem, int products);

/// A symmetric tridiagonal matrix T that grows row by row, and its largest eigenvalue θ.
class GrowingTridiagonal {
 public:
  static constexpr int kMostRows = 1000;

  /// Appends a row with this diagonal entry and this squared off-diagonal entry.
  void grow(double diagonal, double squared_side) {
    diagonal_[static_cast<std::size_t>(rows_)] = diagonal;
    squared_side_[static_cast<std::size_t>(rows_)] = squared_side;
    // Upper bound of θ: the largest eigenvalue of [bound, side; side, diagonal].
    const double half = 0.5 * (bound_ - diagonal);
    bound_ = rows_++ == 0 ? diagonal : bound_ - half + std::sqrt(half * half + squared_side);
  }

  struct Largest {
    double value = 0;
    double last_squared = 1;  ///< square of the last component of its unit eigenvector
  };
  /// Returns θ by Laguerre's iteration on det(T − xI) from the right: all roots are real, so that it decreases to the
  /// largest, with cubic convergence.
  [[nodiscard]] Largest largest() {
    Largest found{bound_, 1};
    bound_ += kRounding * std::abs(bound_);  // right of θ in spite of rounding
    for (int step = 0; step < kMostSteps; ++step) {
      // The determinant is the product of the pivots d_i, all negative right of θ: G and H are the first derivative of
      // its logarithm and minus the second.
      double d = diagonal_[0] - bound_, d1 = -1, d2 = 0, inverse = 1 / d, G = -inverse, H = G * G;
      for (std::size_t i = 1; i < static_cast<std::size_t>(rows_) && d < 0; ++i) {
        const double pull = squared_side_[i] * inverse * inverse;
        d2 = pull * (d2 - 2 * d1 * d1 * inverse);
        d1 = pull * d1 - 1;
        d = diagonal_[i] - bound_ - squared_side_[i] * inverse;
        inverse = 1 / d;
        const double share = d1 * inverse;
        G += share;
        H += share * share - d2 * inverse;
      }
      if (!(d < 0)) break;  // θ to rounding
      const double fall = rows_ / (G + std::sqrt(std::max(0.0, (rows_ - 1) * (rows_ * H - G * G))));
      bound_ -= fall;
      found = {bound_, -1 / d1};
      if (!(fall > kSmallStep * std::abs(bound_))) break;
    }
    return found;
  }

 private:
  static constexpr double kSmallStep = 1e-5;  // the next one is its cube
  static constexpr double kRounding = 1e-13;
  static constexpr int kMostSteps = 50;

  int rows_ = 0;
  double bound_ = 0;
  std::array<double, kMostRows> diagonal_, squared_side_;
};

/// Products between two evaluations of θ: on small problems an evaluation costs more than a product.
inline constexpr int kLanczosStride = 3;
/// Evaluations in a row without a relative increase above the accuracy after which the iteration stops.
inline constexpr int kSteadyChecks = 4;

/// Lanczos' method on the caller's memory: apply(x, y) sets y ← W x; x, y and before are scratch. It takes the same
/// products as the power iteration and the best Rayleigh quotient over the space that they span.
template <class Apply>
SpectralEstimate lanczos(const Apply& apply, ContactArray& x, ContactArray& y, ContactArray& before,
                         const SpectrumOptions& options) {
  SpectralEstimate estimate;
  Random random(1);
  for (int i = 0; i < x.size(); ++i) y.set(i, {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)});
  for (int p = 0; p < x.packs(); ++p) before.pack(p) = {};
  GrowingTridiagonal T;
  const int most = std::min(options.max_iterations, GrowingTridiagonal::kMostRows);
  double side = norm(y), last_side = 0;
  int steady = 0;
  while (side > 0 && estimate.products < most) {  // side 0: the Krylov space is invariant
    std::swap(x, y);
    for (int p = 0; p < x.packs(); ++p) x.pack(p) = broadcast(1.0 / side) * x.pack(p);
    apply(std::as_const(x), y);
    ++estimate.products;
    Pack product{};
    for (int p = 0; p < x.packs(); ++p) product += dot(x.pack(p), y.pack(p));
    const double diagonal = sum(product);
    T.grow(diagonal, last_side * last_side);
    for (int p = 0; p < x.packs(); ++p)
      y.pack(p) = y.pack(p) - broadcast(diagonal) * x.pack(p) - broadcast(last_side) * before.pack(p);
    last_side = side = norm(y);
    std::swap(before, x);
    if (side > 0 && estimate.products % kLanczosStride != 0 && estimate.products < most) continue;
    const auto [value, last_squared] = T.largest();
    // Rounding produces copies of a found eigenvalue, with a large residual, but no larger eigenvalue.
    const double rise = (value - std::exchange(estimate.largest, value)) / std::max(value, 1e-300);
    steady = rise <= options.accuracy ? steady + 1 : 0;
    const double residual = side * side * last_squared / std::max(value * value, 1e-300);
    estimate.accuracy = steady < kSteadyChecks ? residual : std::min(residual, std::abs(rise));
    if (estimate.accuracy <= options.accuracy) break;
  }
  return estimate;
}

}  // namespace repose
