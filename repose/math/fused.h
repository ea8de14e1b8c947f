// SPDX-License-Identifier: Apache-2.0
// Products of vectors with their roundings written out: in a·b + c·d the first product is not rounded, the second is.
//
// No compiler contracts products and sums by itself here (cmake/flags.cmake). Kernels in which the fused ones pay, or
// in which a difference of products should keep its digits, use these functions, on host and device.
#pragma once

#include <cmath>

#include "repose/math/vec3.h"

namespace repose::fused {

REPOSE_HD inline double dot(Vec3 a, Vec3 b) { return std::fma(a.z, b.z, std::fma(a.x, b.x, a.y * b.y)); }
REPOSE_HD inline Vec3 cross(Vec3 a, Vec3 b) {
  return {std::fma(a.y, b.z, -(a.z * b.y)), std::fma(a.z, b.x, -(a.x * b.z)), std::fma(a.x, b.y, -(a.y * b.x))};
}
REPOSE_HD inline double norm(Vec3 a) { return std::sqrt(fused::dot(a, a)); }
REPOSE_HD inline Vec3 normalized(Vec3 a) { return (1.0 / fused::norm(a)) * a; }
/// a + s b
REPOSE_HD inline Vec3 plus_scaled(Vec3 a, double s, Vec3 b) {
  return {std::fma(s, b.x, a.x), std::fma(s, b.y, a.y), std::fma(s, b.z, a.z)};
}
/// A x
REPOSE_HD inline Vec3 times(const Mat3& A, Vec3 x) {
  return {fused::dot({A.m[0][0], A.m[0][1], A.m[0][2]}, x), fused::dot({A.m[1][0], A.m[1][1], A.m[1][2]}, x),
          fused::dot({A.m[2][0], A.m[2][1], A.m[2][2]}, x)};
}
/// Aᵀ x
REPOSE_HD inline Vec3 transposed_times(const Mat3& A, Vec3 x) {
  return {fused::dot({A.m[0][0], A.m[1][0], A.m[2][0]}, x), fused::dot({A.m[0][1], A.m[1][1], A.m[2][1]}, x),
          fused::dot({A.m[0][2], A.m[1][2], A.m[2][2]}, x)};
}

}  // namespace repose::fused
