// SPDX-License-Identifier: Apache-2.0
// A vector of contacts stored in packs of eight (array of structures of packs), for kernels over R = Pack.
// Lanes past size() are kept at zero, with μ = 0: they project to zero and add nothing to a norm.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>

#include "repose/base/aligned.h"
#include "repose/set/contact_vec.h"

namespace repose {

[[nodiscard]] inline int pack_count(int contacts) { return (contacts + kLanes - 1) / kLanes; }

/// One number per contact.
class ScalarArray {
 public:
  void resize(int contacts) {
    size_ = contacts;
    packs_.assign(static_cast<std::size_t>(pack_count(contacts)), Pack{});
  }
  /// Claims memory without zeroing it, for scratch that is written before it is read: rebinding a small problem is
  /// faster.
  void claim(int contacts) {
    if (contacts != size_) resize(contacts);
  }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] int packs() const { return static_cast<int>(packs_.size()); }
  [[nodiscard]] double operator[](int i) const { return packs_[static_cast<std::size_t>(i / kLanes)][i % kLanes]; }
  void set(int i, double x) { packs_[static_cast<std::size_t>(i / kLanes)][i % kLanes] = x; }
  void load(std::span<const double> from) {
    assert(static_cast<int>(from.size()) == size_);
    std::copy(from.begin(), from.end(), reinterpret_cast<double*>(packs_.data()));
  }
  [[nodiscard]] const Pack& pack(int p) const { return packs_[static_cast<std::size_t>(p)]; }
  [[nodiscard]] Pack& pack(int p) { return packs_[static_cast<std::size_t>(p)]; }

 private:
  int size_ = 0;
  AlignedVector<Pack> packs_;
};

/// One ContactVec per contact.
class ContactArray {
 public:
  void resize(int contacts) {
    size_ = contacts;
    packs_.assign(static_cast<std::size_t>(pack_count(contacts)), ContactPack{});
  }
  /// See ScalarArray::claim().
  void claim(int contacts) {
    if (contacts != size_) resize(contacts);
  }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] int packs() const { return static_cast<int>(packs_.size()); }
  [[nodiscard]] ContactVec operator[](int i) const {
    const ContactPack& p = packs_[static_cast<std::size_t>(i / kLanes)];
    const int lane = i % kLanes;
    return {p.t1[lane], p.t2[lane], p.n[lane]};
  }
  void set(int i, ContactVec x) {
    double* p = reinterpret_cast<double*>(&packs_[static_cast<std::size_t>(i / kLanes)]) + i % kLanes;
    p[0] = x.t1;
    p[kLanes] = x.t2;
    p[2 * kLanes] = x.n;
  }
  [[nodiscard]] const ContactPack& pack(int p) const { return packs_[static_cast<std::size_t>(p)]; }
  [[nodiscard]] ContactPack& pack(int p) { return packs_[static_cast<std::size_t>(p)]; }

  void load(std::span<const ContactVec> from) {
    assert(static_cast<int>(from.size()) == size_);
    for (int i = 0; i < size_; ++i) set(i, from[static_cast<std::size_t>(i)]);
  }
  void store(std::span<ContactVec> to) const {
    assert(static_cast<int>(to.size()) == size_);
    for (int i = 0; i < size_; ++i) to[static_cast<std::size_t>(i)] = (*this)[i];
  }

 private:
  int size_ = 0;
  AlignedVector<ContactPack> packs_;
};

/// Euclidean norm over all contacts, summed in one fixed order.
[[nodiscard]] inline double norm(const ContactArray& x) {
  Pack total{};
  for (int p = 0; p < x.packs(); ++p) total += squared_norm(x.pack(p));
  return std::sqrt(sum(total));
}

}  // namespace repose
