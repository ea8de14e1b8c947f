// SPDX-License-Identifier: Apache-2.0
// The mode of a block: which case of its law applies. The law is smooth inside a case and has kinks between cases.
#pragma once

#include <cstdint>

#include "repose/set/block_set.h"

namespace repose {

/// The three cases of the Coulomb cone.
enum class ContactMode : std::uint8_t { kOpen, kStick, kSlip };

/// Returns the case of a trial impulse λ − g v (alart_curnier.h).
[[nodiscard]] inline ContactMode mode_of(ContactVec trial, double mu) {
  if (!(trial.n > 0)) return ContactMode::kOpen;
  return tangential_norm(trial) <= mu * trial.n ? ContactMode::kStick : ContactMode::kSlip;
}

/// The three cases of one row of a box.
enum class RowMode : std::uint8_t { kLower, kInside, kUpper };

[[nodiscard]] inline RowMode row_mode(double trial, double lower, double upper) {
  if (!(trial > lower) || lower == upper) return RowMode::kLower;  // a prescribed row has one mode
  return trial < upper ? RowMode::kInside : RowMode::kUpper;
}

/// The case of a block: a ContactMode for a cone, three RowModes for a box.
class BlockMode {
 public:
  BlockMode() = default;
  explicit BlockMode(ContactMode mode) : code_(static_cast<std::uint8_t>(mode)) {}
  [[nodiscard]] ContactMode contact() const { return static_cast<ContactMode>(code_); }
  [[nodiscard]] RowMode row(int r) const { return static_cast<RowMode>((code_ >> (2 * r)) & 3); }  ///< t1, t2, n
  [[nodiscard]] BlockMode with_row(int r, RowMode mode) const {
    BlockMode changed = *this;
    changed.code_ = static_cast<std::uint8_t>((code_ & ~(3 << (2 * r))) | (static_cast<int>(mode) << (2 * r)));
    return changed;
  }
  bool operator==(const BlockMode&) const = default;

 private:
  std::uint8_t code_ = 0;
};

/// The rows of a block in the order of BlockMode::row().
inline constexpr double ContactVec::*kRows[3] = {&ContactVec::t1, &ContactVec::t2, &ContactVec::n};

/// Returns the case of a trial impulse (trial_impulse()).
[[nodiscard]] inline BlockMode mode_of(const SetRef<double>& set, ContactVec trial) {
  if (!set.extra || !set.extra->box) return BlockMode(mode_of(trial, set.mu));
  BlockMode mode;
  for (int r = 0; r < 3; ++r)
    mode = mode.with_row(
        r, row_mode(trial.*kRows[r], set.extra->bounds.lower.*kRows[r], set.extra->bounds.upper.*kRows[r]));
  return mode;
}

}  // namespace repose
