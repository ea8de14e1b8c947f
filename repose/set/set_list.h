// SPDX-License-Identifier: Apache-2.0
// The sets of all blocks of a problem: as a list, and in packs of eight for the kernels over R = Pack.
// Coulomb cones without compliance, the common case, take one number each.
#pragma once

#include <span>
#include <vector>

#include "repose/math/vec3.h"
#include "repose/set/block_set.h"
#include "repose/set/contact_array.h"

namespace repose {

class SetList {
 public:
  SetList() = default;
  /// Throws InputError when a number is out of its range.
  explicit SetList(std::span<const BlockSet> sets);
  [[nodiscard]] static SetList cones(std::span<const double> mu) {
    SetList sets;
    sets.assign_cones(mu);
    return sets;
  }
  /// Coulomb cones without compliance, in the memory that is there.
  void assign_cones(std::span<const double> mu);
  /// Empties the list and keeps its memory.
  void clear() {
    mu_.clear();
    extras_.clear();
  }
  /// InputError when a number is outside its range.
  void add(const BlockSet& set) {
    if (set.plain() && extras_.empty() && set.mu() >= 0 && set.mu() < kUnbounded)
      mu_.push_back(set.mu());
    else
      add_special(set);
  }

  [[nodiscard]] int size() const { return static_cast<int>(mu_.size()); }
  /// Whether every block is a Coulomb cone without compliance.
  [[nodiscard]] bool plain() const { return extras_.empty(); }
  /// Returns the first block that is not a Coulomb cone without compliance; size() when there is none.
  [[nodiscard]] int first_special() const;
  [[nodiscard]] BlockSet operator[](int i) const {
    const auto k = static_cast<std::size_t>(i);
    return extras_.empty() ? BlockSet::cone(mu_[k]) : BlockSet(mu_[k], extras_[k]);
  }
  [[nodiscard]] SetRef<double> ref(int i) const {
    const auto k = static_cast<std::size_t>(i);
    return {mu_[k], extras_.empty() ? nullptr : &extras_[k]};
  }
  [[nodiscard]] std::span<const double> mu() const { return mu_; }  ///< 0 for boxes
  [[nodiscard]] bool is_box(int i) const { return !extras_.empty() && extras_[static_cast<std::size_t>(i)].box; }

  /// Returns W_ii + C_i.
  [[nodiscard]] Mat3 with_compliance(int i, Mat3 W) const;
  /// Returns ρ_i: the mean of the diagonal over the rows whose impulse depends on v, 1/kg. `trace` is tr W_ii, without
  /// C.
  [[nodiscard]] double rho(int i, double trace) const { return extras_.empty() ? trace / 3 : rho_of_extra(i, trace); }

 private:
  void add_special(const BlockSet& set);
  [[nodiscard]] double rho_of_extra(int i, double trace) const;

  std::vector<double> mu_;
  std::vector<SetExtra<double>> extras_;  // empty: plain
};

/// Throws InputError unless every block is a Coulomb cone without compliance; the message names `who` and `why`.
void require_cones(const SetList& sets, const char* who, const char* why);

/// The sets in packs of eight. Lanes past the last block are cones with μ = 0.
class SetArray {
 public:
  void bind(const SetList& sets);
  [[nodiscard]] PackSet pack(int p) const {
    const auto k = static_cast<std::size_t>(p);
    return {mu_.pack(p), special_.empty() || !special_[k] ? nullptr : &extras_[k]};
  }
  /// Returns the lanes of pack p that belong to a block.
  [[nodiscard]] PackMask blocks(int p) const {
    const Pack index = broadcast(p * kLanes) + Pack{0, 1, 2, 3, 4, 5, 6, 7};
    return index < broadcast(mu_.size());
  }
  /// Returns the lanes of pack p that belong to a cone.
  [[nodiscard]] PackMask cones(int p) const {
    const PackSet set = pack(p);
    return set.extra ? blocks(p) & ~set.extra->box : blocks(p);
  }
  [[nodiscard]] SetRef<double> operator[](int i) const { return list_->ref(i); }
  [[nodiscard]] const SetList& list() const { return *list_; }
  [[nodiscard]] bool plain() const { return extras_.empty(); }
  [[nodiscard]] const ScalarArray& mu() const { return mu_; }

 private:
  const SetList* list_ = nullptr;
  ScalarArray mu_;
  AlignedVector<SetExtra<Pack>> extras_;  // empty: plain
  std::vector<char> special_;             // by pack: at least one lane is not a plain cone
};

/// v += C λ, block by block.
inline void add_compliance(const SetArray& sets, const ContactArray& lambda, ContactArray& v) {
  if (sets.plain()) return;
  for (int p = 0; p < v.packs(); ++p) v.pack(p) = with_compliance(sets.pack(p), v.pack(p), lambda.pack(p));
}

}  // namespace repose
