// SPDX-License-Identifier: Apache-2.0
// The threads that advance one world together.
//
// On a device a team is W threads of one block. On the host one thread plays all of them. Sums run along the same tree
// in both cases: thread i adds the items i, i + W, i + 2W … in this order, the W partial sums are added pairwise with
// the distances 1, 2, 4, 8 and 16, and the results of warps from the first to the last. So both give the same bits.
#pragma once

#include "repose/base/pack.h"

#if defined(__CUDACC__)
#define REPOSE_TEAM_HD __host__ __device__ __forceinline__
#define REPOSE_TEAM_CALL __host__ __device__ __noinline__ inline
#define REPOSE_UNROLL _Pragma("unroll")
#define REPOSE_PRAGMA(x) _Pragma(#x)
#define REPOSE_UNROLL_BY(n) REPOSE_PRAGMA(unroll n)
#define REPOSE_KEEP_LOOP _Pragma("unroll 1")
#else
#define REPOSE_TEAM_HD inline
#define REPOSE_TEAM_CALL inline
#define REPOSE_UNROLL
#define REPOSE_UNROLL_BY(n)
#define REPOSE_KEEP_LOOP
#endif

namespace repose::batch {

#if defined(__CUDACC__)
extern __shared__ __align__(16) char shared_memory[];
#endif

/// `W`: threads, 8, or a multiple of 32. Contacts belong to threads: contact i is item s of thread t with i = s W + t.
template <int W>
struct Team {
  static constexpr int kThreads = W;
  static constexpr int kWarp = W < 32 ? W : 32;
  static_assert(W == 8 || W % 32 == 0);

#if defined(__CUDA_ARCH__)
  REPOSE_TEAM_HD static int lane() { return static_cast<int>(threadIdx.x) % W; }
  /// Of the team's threads within their warp.
  REPOSE_TEAM_HD static unsigned mask() {
    return W >= 32 ? 0xffffffffu : ((1u << (W % 32)) - 1) << (threadIdx.x % 32 / W * W);
  }
  REPOSE_TEAM_HD void sync() const {
    if constexpr (W <= 32)
      __syncwarp(mask());
    else
      __syncthreads();
  }
  REPOSE_TEAM_HD bool leads() const { return lane() == 0; }
  /// The threads of a warp that are here at the same time, of several worlds where these share it.
  REPOSE_TEAM_HD static unsigned company() { return W < 32 ? __activemask() : 0u; }
  /// Whether anyone of the company goes on with a loop. All wait for each other: apart, each would wait for the
  /// instructions of the others.
  REPOSE_TEAM_HD static bool together(unsigned company, bool goes_on) {
    if constexpr (W < 32) return __any_sync(company, goes_on);
    return goes_on;
  }

  /// Calls f(i) for all i < n, and waits until all threads have finished.
  template <class F>
  REPOSE_TEAM_HD void each(int n, F f) const {
    REPOSE_KEEP_LOOP
    for (int i = lane(); i < n; i += W) f(i);
    sync();
  }
  /// Lets the first warp alone do what is a chain of short lists, each of which it goes through with each_in_warp():
  /// its threads wait for each other at less cost than those of several warps.
  template <class F>
  REPOSE_TEAM_HD void in_one_warp(F f) const {
    if (W <= 32 || lane() < 32) f();
    if constexpr (W > 32) sync();
  }
  template <class F>
  REPOSE_TEAM_HD void each_in_warp(int n, F f) const {
    REPOSE_KEEP_LOOP
    for (int i = lane(); i < n; i += kWarp) f(i);
    __syncwarp(mask());
  }
  /// Calls f(i, place) for all contacts i < n, each in its own thread. Does not wait.
  template <int kSlots, class F>
  REPOSE_TEAM_HD void contacts(int n, F f) const {
    REPOSE_UNROLL
    for (int s = 0; s < kSlots; ++s)
      if (s * W + lane() < n) f(s * W + lane(), s);
  }
  /// out[k] = Σ_i of what f(i, place, sums) adds to sums[k]. Every thread gets the result.
  template <int kSlots, int K, class F>
  REPOSE_TEAM_HD void sum_contacts(int n, F f, double (&out)[K]) const {
    for (int k = 0; k < K; ++k) out[k] = 0;
    contacts<kSlots>(n, [&](int i, int s) { f(i, s, out); });
    tree<K>(out);
  }
  template <int K, class F>
  REPOSE_TEAM_HD void sum(int n, F f, double (&out)[K]) const {
    for (int k = 0; k < K; ++k) out[k] = 0;
    REPOSE_KEEP_LOOP
    for (int i = lane(); i < n; i += W) f(i, out);
    tree<K>(out);
  }
  /// Whether f(i) holds for one i < n or more. Waits.
  template <class F>
  REPOSE_TEAM_HD bool any(int n, F f) const {
    bool found = false;
    REPOSE_KEEP_LOOP
    for (int i = lane(); i < n; i += W) found = f(i) || found;
    if constexpr (W <= 32)
      return __any_sync(mask(), found);
    else
      return __syncthreads_or(found);
  }
  template <int kSlots, class F>
  REPOSE_TEAM_HD bool any_contact(int n, F f) const {
    bool found = false;
    contacts<kSlots>(n, [&](int i, int s) { found = f(i, s) || found; });
    if constexpr (W <= 32)
      return __any_sync(mask(), found);
    else
      return __syncthreads_or(found);
  }
  /// The largest f(i, place), none of which may be NaN; 0 where all are below.
  template <int kSlots, class F>
  REPOSE_TEAM_HD double largest(int n, F f) const {
    double most = 0;
    contacts<kSlots>(n, [&](int i, int s) { most = larger(most, f(i, s)); });
    REPOSE_KEEP_LOOP
    for (int d = 1; d < kWarp; d *= 2) most = larger(most, __shfl_xor_sync(mask(), most, d));
    if constexpr (W > 32) {
      double* warps = reinterpret_cast<double*>(shared_memory);
      if (lane() % 32 == 0) warps[lane() / 32] = most;
      __syncthreads();
      for (int w = 0; w < W / 32; ++w) most = larger(most, warps[w]);
      __syncthreads();
    }
    return most;
  }
  REPOSE_TEAM_HD static void set_bit(unsigned* words, int i) { atomicOr(words + i / 32, 1u << (i % 32)); }

 private:
  template <int K>
  REPOSE_TEAM_HD void tree(double (&a)[K]) const {
    REPOSE_KEEP_LOOP
    for (int d = 1; d < kWarp; d *= 2) REPOSE_UNROLL
    for (int k = 0; k < K; ++k) a[k] += __shfl_xor_sync(mask(), a[k], d);
    if constexpr (W <= 32) __syncwarp(mask());  // exchanges order no memory: what was summed may be written now
    if constexpr (W > 32) {
      double* warps = reinterpret_cast<double*>(shared_memory);  // its first W / 32 · K places are free for this
      if (lane() % 32 == 0)
        for (int k = 0; k < K; ++k) warps[lane() / 32 * K + k] = a[k];
      __syncthreads();
      for (int k = 0; k < K; ++k) {
        a[k] = warps[k];
        for (int w = 1; w < W / 32; ++w) a[k] += warps[w * K + k];
      }
      __syncthreads();
    }
  }
#else
  void sync() const {}
  [[nodiscard]] bool leads() const { return true; }
  static unsigned company() { return 0; }
  static bool together(unsigned, bool goes_on) { return goes_on; }

  template <class F>
  void each(int n, F f) const {
    for (int i = 0; i < n; ++i) f(i);
  }
  template <class F>
  void in_one_warp(F f) const {
    f();
  }
  template <class F>
  void each_in_warp(int n, F f) const {
    each(n, f);
  }
  template <int kSlots, class F>
  void contacts(int n, F f) const {
    for (int i = 0; i < n; ++i) f(i, i);
  }
  template <int kSlots, int K, class F>
  void sum_contacts(int n, F f, double (&out)[K]) const {
    double part[W][K] = {};
    for (int i = 0; i < n; ++i) f(i, i, part[i % W]);
    tree(part, out);
  }
  template <int K, class F>
  void sum(int n, F f, double (&out)[K]) const {
    double part[W][K] = {};
    for (int i = 0; i < n; ++i) f(i, part[i % W]);
    tree(part, out);
  }
  template <class F>
  [[nodiscard]] bool any(int n, F f) const {
    bool found = false;
    for (int i = 0; i < n; ++i) found = f(i) || found;
    return found;
  }
  template <int kSlots, class F>
  [[nodiscard]] bool any_contact(int n, F f) const {
    return any(n, [&](int i) { return f(i, i); });
  }
  template <int kSlots, class F>
  [[nodiscard]] double largest(int n, F f) const {
    double most = 0;
    for (int i = 0; i < n; ++i) most = larger(most, f(i, i));
    return most;
  }
  static void set_bit(unsigned* words, int i) { words[i / 32] |= 1u << (i % 32); }

 private:
  template <int K>
  static void tree(double (&part)[W][K], double (&out)[K]) {
    for (int d = 1; d < kWarp; d *= 2)
      for (int i = 0; i < W; i += 2 * d)
        for (int k = 0; k < K; ++k) part[i][k] += part[i + d][k];
    for (int k = 0; k < K; ++k) {
      out[k] = part[0][k];
      for (int w = 1; w < W / kWarp; ++w) out[k] += part[w * kWarp][k];
    }
  }
#endif
};

REPOSE_TEAM_HD int count_bits(unsigned long long x) {
#if defined(__CUDA_ARCH__)
  return __popcll(x);
#else
  return __builtin_popcountll(x);
#endif
}
REPOSE_TEAM_HD int count_bits(unsigned x) {
#if defined(__CUDA_ARCH__)
  return __popc(x);
#else
  return __builtin_popcount(x);
#endif
}
/// Place of the lowest bit that is set; x ≠ 0.
REPOSE_TEAM_HD int lowest_bit(unsigned long long x) {
#if defined(__CUDA_ARCH__)
  return __ffsll(static_cast<long long>(x)) - 1;
#else
  return __builtin_ctzll(x);
#endif
}
REPOSE_TEAM_HD unsigned long long bit(int k) { return 1ull << k; }
/// The bits below k.
REPOSE_TEAM_HD unsigned long long below(int k) { return (1ull << k) - 1; }

}  // namespace repose::batch
