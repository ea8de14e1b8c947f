// SPDX-License-Identifier: Apache-2.0
// Vectors and matrices of dimension three, as plain aggregates that host and device code can share.
#pragma once

#include "repose/base/pack.h"

namespace repose {

struct Vec3 {
  double x = 0, y = 0, z = 0;
};

REPOSE_HD inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
REPOSE_HD inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
REPOSE_HD inline Vec3 operator*(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
REPOSE_HD inline double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
REPOSE_HD inline Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
REPOSE_HD inline double norm(Vec3 a) { return std::sqrt(dot(a, a)); }
REPOSE_HD inline Vec3 normalized(Vec3 a) { return (1.0 / norm(a)) * a; }

/// Row-major 3×3 matrix: m[row][column].
struct Mat3 {
  double m[3][3] = {};
  REPOSE_HD static Mat3 diagonal(double a, double b, double c) { return {{{a, 0, 0}, {0, b, 0}, {0, 0, c}}}; }
  REPOSE_HD static Mat3 identity() { return diagonal(1, 1, 1); }
};

REPOSE_HD inline Vec3 operator*(const Mat3& A, Vec3 x) {
  return {A.m[0][0] * x.x + A.m[0][1] * x.y + A.m[0][2] * x.z, A.m[1][0] * x.x + A.m[1][1] * x.y + A.m[1][2] * x.z,
          A.m[2][0] * x.x + A.m[2][1] * x.y + A.m[2][2] * x.z};
}
REPOSE_HD inline Mat3 operator*(const Mat3& A, const Mat3& B) {
  Mat3 C;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) C.m[r][c] = A.m[r][0] * B.m[0][c] + A.m[r][1] * B.m[1][c] + A.m[r][2] * B.m[2][c];
  return C;
}
REPOSE_HD inline Mat3 operator+(const Mat3& A, const Mat3& B) {
  Mat3 C;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) C.m[r][c] = A.m[r][c] + B.m[r][c];
  return C;
}
REPOSE_HD inline Mat3 operator*(double s, const Mat3& A) {
  Mat3 C;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) C.m[r][c] = s * A.m[r][c];
  return C;
}
REPOSE_HD inline Mat3 transpose(const Mat3& A) {
  Mat3 T;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) T.m[r][c] = A.m[c][r];
  return T;
}
REPOSE_HD inline double trace(const Mat3& A) { return A.m[0][0] + A.m[1][1] + A.m[2][2]; }

/// Returns the lower factor L of a symmetric positive semidefinite A = L Lᵀ; a massless direction gets a zero column.
REPOSE_HD inline Mat3 cholesky(const Mat3& A) {
  Mat3 L;
  for (int c = 0; c < 3; ++c) {
    double pivot = A.m[c][c];
    for (int k = 0; k < c; ++k) pivot -= L.m[c][k] * L.m[c][k];
    if (pivot <= 0) continue;
    L.m[c][c] = std::sqrt(pivot);
    for (int r = c + 1; r < 3; ++r) {
      double s = A.m[r][c];
      for (int k = 0; k < c; ++k) s -= L.m[r][k] * L.m[c][k];
      L.m[r][c] = s / L.m[c][c];
    }
  }
  return L;
}

}  // namespace repose
