// SPDX-License-Identifier: Apache-2.0
// Fixed-width vectors of doubles, so that one kernel source serves one contact (R = double) or eight (R = Pack).
//
// The width does not depend on the machine: eight lanes are one AVX-512 register, two AVX2 registers or four SSE
// registers, and the memory layout is the same everywhere. Every function has the same bits on every machine.
#pragma once

#include <cmath>
#include <utility>

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
#elif defined(__ARM_NEON)
#include <arm_neon.h>
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
REPOSE_HD inline double plus_product(double c, double a, double b) { return std::fma(a, b, c); }
REPOSE_HD inline double minus_product(double c, double a, double b) { return std::fma(-a, b, c); }

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
inline Quad sums(Quad a, Quad b, Quad c) {
  const Quad zero{};
  const Quad ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Quad c0 = __builtin_shufflevector(c, zero, 0, 4, 2, 6) + __builtin_shufflevector(c, zero, 1, 5, 3, 7);
  return __builtin_shufflevector(ab, c0, 0, 1, 4, 5) + __builtin_shufflevector(ab, c0, 2, 3, 6, 7);
}
inline Quad sums(Pack x, Pack y, Pack z) {
  return sums(low_half(x) + high_half(x), low_half(y) + high_half(y), low_half(z) + high_half(z));
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

// ---- c + a b and c − a b, rounded once: the compiler rounds every other product and sum by itself ----------------
#if defined(__FMA__)
inline Quad plus_product(Quad c, Quad a, Quad b) {
  return reinterpret_cast<Quad>(
      _mm256_fmadd_pd(reinterpret_cast<__m256d>(a), reinterpret_cast<__m256d>(b), reinterpret_cast<__m256d>(c)));
}
inline Quad minus_product(Quad c, Quad a, Quad b) {
  return reinterpret_cast<Quad>(
      _mm256_fnmadd_pd(reinterpret_cast<__m256d>(a), reinterpret_cast<__m256d>(b), reinterpret_cast<__m256d>(c)));
}
#else
inline Quad plus_product(Quad c, Quad a, Quad b) {
  for (int lane = 0; lane < 4; ++lane) c[lane] = std::fma(a[lane], b[lane], c[lane]);
  return c;
}
inline Quad minus_product(Quad c, Quad a, Quad b) { return plus_product(c, -a, b); }
#endif
inline Quad plus_product(Quad c, Quad a, double b) { return plus_product(c, a, Quad{b, b, b, b}); }
inline Quad minus_product(Quad c, Quad a, double b) { return minus_product(c, a, Quad{b, b, b, b}); }

#if defined(__AVX512F__)
inline Pack plus_product(Pack c, Pack a, Pack b) {
  return reinterpret_cast<Pack>(
      _mm512_fmadd_pd(reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b), reinterpret_cast<__m512d>(c)));
}
inline Pack minus_product(Pack c, Pack a, Pack b) {
  return reinterpret_cast<Pack>(
      _mm512_fnmadd_pd(reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b), reinterpret_cast<__m512d>(c)));
}
inline Pack plus_product(Pack c, Pack a, double b) { return plus_product(c, a, broadcast(b)); }
inline Pack minus_product(Pack c, Pack a, double b) { return minus_product(c, a, broadcast(b)); }
#endif

// ---- registers of a pack ---------------------------------------------------------------------------------------
// Chains of products take their sums out of memory with in_registers() and put them back with store(). Where a pack is
// two registers they are two variables: GCC passes a pack from one intrinsic function to the next number by number.
#if !defined(__AVX512F__)
struct PackRegisters {
  Quad low, high;
};
inline PackRegisters in_registers(const Pack& x) {
  using Stored = double __attribute__((vector_size(32), may_alias));
  const Stored* half = reinterpret_cast<const Stored*>(&x);
  return {half[0], half[1]};
}
inline void store(const PackRegisters& x, Pack& to) {
  using Stored = double __attribute__((vector_size(32), may_alias));
  Stored* half = reinterpret_cast<Stored*>(&to);
  half[0] = x.low, half[1] = x.high;
}
inline PackRegisters operator+(PackRegisters a, PackRegisters b) { return {a.low + b.low, a.high + b.high}; }
inline PackRegisters operator-(PackRegisters a, PackRegisters b) { return {a.low - b.low, a.high - b.high}; }
inline PackRegisters operator-(PackRegisters a) { return {-a.low, -a.high}; }
inline PackRegisters operator*(PackRegisters a, PackRegisters b) { return {a.low * b.low, a.high * b.high}; }
inline PackRegisters operator*(PackRegisters a, double s) { return {a.low * s, a.high * s}; }
inline PackRegisters plus_product(PackRegisters c, PackRegisters a, PackRegisters b) {
  return {plus_product(c.low, a.low, b.low), plus_product(c.high, a.high, b.high)};
}
inline PackRegisters plus_product(PackRegisters c, PackRegisters a, double b) {
  const Quad all{b, b, b, b};
  return {plus_product(c.low, a.low, all), plus_product(c.high, a.high, all)};
}
inline PackRegisters minus_product(PackRegisters c, PackRegisters a, double b) {
  const Quad all{b, b, b, b};
  return {minus_product(c.low, a.low, all), minus_product(c.high, a.high, all)};
}
template <int k>
inline PackRegisters spread(PackRegisters x) {
  const Quad all = spread<k % 4>(k < 4 ? x.low : x.high);
  return {all, all};
}
template <int k>
inline double lane(PackRegisters x) {
  return k < 4 ? x.low[k % 4] : x.high[k % 4];
}
template <int k>
inline PackRegisters with_lane(PackRegisters x, double y) {
  if constexpr (k < 4)
    return {with_lane<k>(x.low, y), x.high};
  else
    return {x.low, with_lane<k - 4>(x.high, y)};
}
inline double sum(PackRegisters x) { return sum(x.low + x.high); }
inline Quad sums(PackRegisters x, PackRegisters y, PackRegisters z) {
  return sums(x.low + x.high, y.low + y.high, z.low + z.high);
}
#endif
/// Every other type is its own register.
template <class Node>
REPOSE_HD inline Node in_registers(const Node& x) {
  return x;
}
template <class Node>
REPOSE_HD inline void store(const Node& x, Node& to) {
  to = x;
}
template <int k, class Node>
REPOSE_HD inline double lane(const Node& x) {
  return x[k];
}
template <class Node>
using Registers = decltype(in_registers(std::declval<const Node&>()));

/// Returns a constant of the kernel's type: filled<Pack>(0.5), filled<double>(0.5).
template <class R>
REPOSE_HD inline R filled(double x) {
  if constexpr (sizeof(R) == sizeof(double))
    return x;
  else
    return broadcast(x);
}

}  // namespace repose
