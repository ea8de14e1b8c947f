// SPDX-License-Identifier: Apache-2.0
// A box at one block: v = W λ + b, lower ≤ λ ≤ upper, −v in the normal cone, by enumerating the 27 cases of three rows.
#pragma once

#include "repose/math/vec3.h"
#include "repose/set/block_mode.h"

namespace repose {

/// Solves A x = b for the rows and columns in `rows`, by elimination with pivoting on the diagonal. The other entries
/// of x stay. Where a pivot is below 1e-14 of the largest diagonal entry (a redundant row), x is zero.
REPOSE_HD inline void solve_rows(const Mat3& A, const bool (&rows)[3], const double (&b)[3], double (&x)[3]) {
  double M[3][4];
  bool left[3], used[3] = {false, false, false};
  double top = 0;
  int order[3], count = 0;
  for (int r = 0; r < 3; ++r) {
    left[r] = rows[r];
    for (int c = 0; c < 3; ++c) M[r][c] = A.m[r][c];
    M[r][3] = b[r];
    if (rows[r]) x[r] = 0, top = larger(top, A.m[r][r]);
  }
  for (;;) {
    int pivot = -1;
    for (int r = 0; r < 3; ++r)
      if (left[r] && M[r][r] > 1e-14 * top && (pivot < 0 || M[r][r] > M[pivot][pivot])) pivot = r;
    if (pivot < 0) break;
    left[pivot] = false;
    used[pivot] = true;
    order[count++] = pivot;
    for (int r = 0; r < 3; ++r) {
      if (!left[r]) continue;
      const double factor = M[r][pivot] / M[pivot][pivot];
      for (int c = 0; c < 4; ++c) M[r][c] -= factor * M[pivot][c];
    }
  }
  while (count > 0) {
    const int r = order[--count];
    double rest = M[r][3];
    for (int c = 0; c < 3; ++c)
      if (used[c] && c != r && rows[c]) rest -= M[r][c] * x[c];
    x[r] = rest / M[r][r];
    // The x of rows eliminated before this one is not set yet and counts as zero until then.
  }
}

struct LocalBox {
  Mat3 W;  ///< with compliance, in the order (t1, t2, n), 1/kg
  Bounds bounds;

  /// Returns λ; b is the velocity of this block without its own impulse.
  REPOSE_HD [[nodiscard]] ContactVec solve(ContactVec b) const {
    const double free[3] = {b.t1, b.t2, b.n};
    const double lower[3] = {bounds.lower.t1, bounds.lower.t2, bounds.lower.n};
    const double upper[3] = {bounds.upper.t1, bounds.upper.t2, bounds.upper.n};
    double best[3] = {}, least = HUGE_VAL;
    for (int code = 0; code < 27; ++code) {
      // Digit 0: inside, 1: at the lower bound, 2: at the upper bound. The case with all rows inside comes first.
      const int digits[3] = {code % 3, code / 3 % 3, code / 9};
      double x[3];
      if (!possible(digits, lower, upper)) continue;
      candidate(digits, free, lower, upper, x);
      const double miss = violation(free, lower, upper, x);
      if (miss < least) {
        least = miss;
        for (int r = 0; r < 3; ++r) best[r] = x[r];
      }
      if (least <= 0) break;
    }
    return {best[0], best[1], best[2]};
  }

 private:
  REPOSE_HD [[nodiscard]] static bool possible(const int (&digits)[3], const double (&lower)[3],
                                               const double (&upper)[3]) {
    for (int r = 0; r < 3; ++r) {
      if (digits[r] == 0 && !(lower[r] < upper[r])) return false;
      if (digits[r] == 1 && lower[r] == -kUnbounded) return false;
      if (digits[r] == 2 && (upper[r] == kUnbounded || !(lower[r] < upper[r]))) return false;
    }
    return true;
  }

  REPOSE_HD void candidate(const int (&digits)[3], const double (&free)[3], const double (&lower)[3],
                           const double (&upper)[3], double (&x)[3]) const {
    bool inside[3];
    for (int r = 0; r < 3; ++r) {
      inside[r] = digits[r] == 0;
      x[r] = digits[r] == 1 ? lower[r] : digits[r] == 2 ? upper[r] : 0.0;
    }
    double rhs[3];
    for (int r = 0; r < 3; ++r) {
      rhs[r] = -free[r];
      for (int c = 0; c < 3; ++c)
        if (!inside[c]) rhs[r] -= W.m[r][c] * x[c];
    }
    solve_rows(W, inside, rhs, x);
  }

  /// Returns the largest distance of a row from its fixed point x = Π(x − v/W_rr), N·s; rounding counts as zero.
  REPOSE_HD [[nodiscard]] double violation(const double (&free)[3], const double (&lower)[3], const double (&upper)[3],
                                           const double (&x)[3]) const {
    double worst = 0;
    for (int r = 0; r < 3; ++r) {
      double v = free[r], size = std::fabs(free[r]);
      for (int c = 0; c < 3; ++c) v += W.m[r][c] * x[c], size += std::fabs(W.m[r][c] * x[c]);
      if (!(W.m[r][r] > 0) || std::fabs(v) <= 1e-13 * size) v = 0;
      const double step = v != 0 ? v / W.m[r][r] : 0.0, trial = x[r] - step;
      const double fixed = trial < lower[r] ? lower[r] : trial > upper[r] ? upper[r] : trial;
      worst = larger(worst, std::fabs(x[r] - fixed));
    }
    return worst;
  }
};

}  // namespace repose
