// SPDX-License-Identifier: Apache-2.0
// Fixed-width vectors of doubles, so that one kernel source serves one contact (R = double) or eight (R = Pack).
//
// The width does not depend on the machine: eight lanes are one AVX-512 register, two AVX2 registers or four SSE
// registers, and the memory layout is the same everywhere. Nothing here changes values (no fast-math).
#pragma once

#include <cmath>

#if defined(__CUDACC__)
#define REPOSE_HD __host__ __device__
#else
#define REPOSE_HD
#endif

// A large kernel. The host library holds one copy of it, in the source that includes its definition; a device compiler
// needs the definition in every file that calls it, and keeps it a call there, so that device code stays small.
#if defined(__CUDA_ARCH__)
#define REPOSE_KERNEL __host__ __device__ __noinline__ inline
#elif defined(__CUDACC__)
#define REPOSE_KERNEL __host__ __device__ inline
#else
#define REPOSE_KERNEL
#endif

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace repose {

inline constexpr int kLanes = 8;
using Pack = double __attribute__((vector_size(8 * kLanes)));  ///< eight doubles
using PackMask = decltype(Pack{} > Pack{});                    ///< result of comparing two packs
using Quad = double __attribute__((vector_size(32)));          ///< four doubles

// ---- scalar overloads, so that a kernel is written once over R --------------------------------------------------
REPOSE_HD inline double select(bool condition, double yes, double no) { return condition ? yes : no; }
REPOSE_HD inline double root(double x) { return std::sqrt(x); }
REPOSE_HD inline double larger(double x, double y) { return x > y ? x : y; }
REPOSE_HD inline double smaller(double x, double y) { return x < y ? x : y; }

// ---- eight lanes -----------------------------------------------------------------------------------------------
inline Pack select(PackMask condition, Pack yes, Pack no) { return condition ? yes : no; }
inline Pack larger(Pack x, Pack y) { return x > y ? x : y; }
inline Pack smaller(Pack x, Pack y) { return x < y ? x : y; }

inline Pack root(Pack x) {
#if defined(__AVX512F__)
  // The zero-masked form: g++ 12 warns about the plain one inside its own header.
  return reinterpret_cast<Pack>(_mm512_maskz_sqrt_pd(0xff, reinterpret_cast<__m512d>(x)));
#else
  Pack y;
  for (int lane = 0; lane < kLanes; ++lane) y[lane] = std::sqrt(x[lane]);
  return y;
#endif
}

inline Quad low_half(Pack x) { return __builtin_shufflevector(x, x, 0, 1, 2, 3); }
inline Quad high_half(Pack x) { return __builtin_shufflevector(x, x, 4, 5, 6, 7); }

/// Returns the sum over lanes, along one fixed tree.
inline double sum(Quad x) { return (x[0] + x[2]) + (x[1] + x[3]); }
inline double sum(Pack x) { return sum(low_half(x) + high_half(x)); }
inline double largest(Pack x) {
  double top = x[0];
  for (int lane = 1; lane < kLanes; ++lane) top = x[lane] > top ? x[lane] : top;
  return top;
}

/// Returns (Σ x, Σ y, Σ z, 0): three sums over lanes at the cost of about one and a half.
inline Quad sums(Pack x, Pack y, Pack z) {
  const Quad a = low_half(x) + high_half(x), b = low_half(y) + high_half(y), c = low_half(z) + high_half(z);
  const Quad zero{};
  const Quad ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Quad c0 = __builtin_shufflevector(c, zero, 0, 4, 2, 6) + __builtin_shufflevector(c, zero, 1, 5, 3, 7);
  return __builtin_shufflevector(ab, c0, 0, 1, 4, 5) + __builtin_shufflevector(ab, c0, 2, 3, 6, 7);
}

inline Pack broadcast(double x) { return Pack{x, x, x, x, x, x, x, x}; }

/// Copies lane k of x to every lane. The lane is part of the type, so that this is one instruction.
template <int k>
inline Pack spread(Pack x) {
  return __builtin_shufflevector(x, x, k, k, k, k, k, k, k, k);
}
template <int k>
inline Quad spread(Quad x) {
  return __builtin_shufflevector(x, x, k, k, k, k);
}

/// Returns x with y in lane k.
template <int k>
inline Pack with_lane(Pack x, double y) {
  return PackMask{-(k == 0), -(k == 1), -(k == 2), -(k == 3), -(k == 4), -(k == 5), -(k == 6), -(k == 7)} ? broadcast(y)
                                                                                                          : x;
}
template <int k>
inline Quad with_lane(Quad x, double y) {
  using Mask = decltype(x > x);
  return Mask{-(k == 0), -(k == 1), -(k == 2), -(k == 3)} ? Quad{y, y, y, y} : x;
}

/// Returns a constant of the kernel's type: filled<Pack>(0.5), filled<double>(0.5).
template <class R>
REPOSE_HD inline R filled(double x) {
  if constexpr (sizeof(R) == sizeof(double))
    return x;
  else
    return broadcast(x);
}

}  // namespace repose
