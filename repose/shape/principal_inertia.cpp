// SPDX-License-Identifier: Apache-2.0
// Moments and axes of inertia with Jacobi's rotations. [Golub & Van Loan, Matrix Computations, 8.5]
#include <algorithm>
#include <cmath>
#include <utility>

#include "repose/shape/mass.h"

namespace repose {
namespace {

constexpr int kMostSweeps = 30;  // convergence is quadratic: five or six do

/// A = V D Vᵀ with a diagonal D, by rotations in the planes of two axes.
struct Jacobi {
  Mat3 A, V = Mat3::identity();

  /// Makes A_pq zero. Returns whether it was not.
  bool rotate(int p, int q) {
    const double off = A.m[p][q];
    if (off == 0) return false;
    const double half = 0.5 * (A.m[q][q] - A.m[p][p]), length = std::sqrt(half * half + off * off);
    const double t = (half < 0 ? -off : off) / (std::abs(half) + length);  // tan of the smaller angle
    const double c = 1 / std::sqrt(1 + t * t), s = t * c;
    A.m[p][p] -= t * off;
    A.m[q][q] += t * off;
    A.m[p][q] = A.m[q][p] = 0;
    const int r = 3 - p - q;
    turn(A.m[p][r], A.m[q][r], c, s);
    A.m[r][p] = A.m[p][r], A.m[r][q] = A.m[q][r];
    for (auto& row : V.m) turn(row[p], row[q], c, s);
    return true;
  }

 private:
  static void turn(double& x, double& y, double c, double s) {
    const double old = x;
    x = c * old - s * y;
    y = s * old + c * y;
  }
};

/// Off-diagonal numbers that change no digit of the diagonal are zero.
void drop_rounding(Mat3& A) {
  for (int p = 0; p < 3; ++p)
    for (int q = p + 1; q < 3; ++q) {
      const double small = std::min(std::abs(A.m[p][p]), std::abs(A.m[q][q]));
      if (small + 0.01 * std::abs(A.m[p][q]) == small) A.m[p][q] = A.m[q][p] = 0;
    }
}

}  // namespace

PrincipalInertia principal_inertia(const Mat3& inertia) {
  Jacobi jacobi{0.5 * (inertia + transpose(inertia))};
  bool turned = true;
  for (int sweep = 0; sweep < kMostSweeps && turned; ++sweep) {
    drop_rounding(jacobi.A);
    turned = jacobi.rotate(0, 1);
    turned = jacobi.rotate(0, 2) || turned;
    turned = jacobi.rotate(1, 2) || turned;
  }
  const auto moment = [&](int k) { return jacobi.A.m[k][k]; };
  const auto axis = [&](int k) { return Vec3{jacobi.V.m[0][k], jacobi.V.m[1][k], jacobi.V.m[2][k]}; };
  int order[3] = {0, 1, 2};
  for (const int i : {0, 1, 0})
    if (moment(order[i + 1]) < moment(order[i])) std::swap(order[i], order[i + 1]);
  const Vec3 x = axis(order[0]), y = axis(order[1]);
  return {from_axes(x, y, cross(x, y)), {moment(order[0]), moment(order[1]), moment(order[2])}};
}

}  // namespace repose
