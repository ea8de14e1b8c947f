// SPDX-License-Identifier: Apache-2.0
// What a contact does: the three cases of the law.
#pragma once

#include <cstdint>

#include "repose/cone/contact_vec.h"

namespace repose {

enum class ContactMode : std::uint8_t { kOpen, kStick, kSlip };

/// The case that a trial impulse λ − g v falls into (alart_curnier.h).
[[nodiscard]] inline ContactMode mode_of(ContactVec trial, double mu) {
  if (!(trial.n > 0)) return ContactMode::kOpen;
  return tangential_norm(trial) <= mu * trial.n ? ContactMode::kStick : ContactMode::kSlip;
}

}  // namespace repose
