// SPDX-License-Identifier: Apache-2.0
// The threads that sweep over one problem together, on the host a single one.
//
// Items belong to threads in no particular way: nothing depends on their number. Sums have a tree of their own: the
// items 32 g … 32 g + 31 are added pairwise with the distances 1, 2, 4, 8 and 16; of these groups one warp adds the
// groups l, l + 32, … in its lane l, and then its lanes in the same way. So host and device give the same bits.
//
// On a device what threads of other multiprocessors write is read past the first-level cache (fresh(), put()).
#pragma once

#include "repose/base/pack.h"
#include "repose/large/tables_internal.h"

#if defined(__CUDACC__)
#define REPOSE_CREW_HD __host__ __device__ __forceinline__
#else
#define REPOSE_CREW_HD inline
#endif

namespace repose::large {

#if defined(__CUDA_ARCH__)
template <class T>
REPOSE_CREW_HD T fresh(const T* at) {
  return __ldcg(at);
}
template <class T>
REPOSE_CREW_HD void put(T* at, T x) {
  __stcg(at, x);
}
#else
template <class T>
REPOSE_CREW_HD T fresh(const T* at) {
  return *at;
}
template <class T>
REPOSE_CREW_HD void put(T* at, T x) {
  *at = x;
}
#endif

/// The host plays a crew.
struct Alone {
  [[nodiscard]] bool leads() const { return true; }
  void wait() const {}
  template <class F>
  void each(int first, int last, F f) const {
    for (int i = first; i < last; ++i) f(i);
  }
  template <class F>
  void each_apart(int first, int last, F f) const {
    each(first, last, f);
  }
  /// out[g K + k] = Σ over the items i of group g of what f(i, sums) writes to sums[k].
  template <int K, class F>
  void sum_groups(int items, double* out, F f) const {
    for (int first = 0; first < items; first += kTile) {
      double part[kTile][K] = {};
      for (int i = first; i < items && i < first + kTile; ++i) f(i, part[i - first]);
      tree(part, out + first / kTile * K);
    }
  }
  /// out[k] = Σ_g groups[g K + k]. One warp does it; the others go on.
  template <int K>
  void sum_of_groups(int groups, const double* of, double* out) const {
    double part[kTile][K] = {};
    for (int g = 0; g < groups; ++g)
      for (int k = 0; k < K; ++k) part[g % kTile][k] += of[g * K + k];
    tree(part, out);
  }

 private:
  template <int K>
  static void tree(double (&part)[kTile][K], double* out) {
    for (int d = 1; d < kTile; d *= 2)
      for (int i = 0; i < kTile; i += 2 * d)
        for (int k = 0; k < K; ++k) part[i][k] += part[i + d][k];
    for (int k = 0; k < K; ++k) out[k] = part[0][k];
  }
};

}  // namespace repose::large
