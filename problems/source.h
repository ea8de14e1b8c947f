// SPDX-License-Identifier: Apache-2.0
// A stream of contact problems, each following from the solution of the one before.
#pragma once

#include <span>
#include <vector>

#include "repose/contact/problem.h"

namespace repose::problems {

class Source {
 public:
  virtual ~Source() = default;
  /// The problem of the current step. The reference stays valid until the next advance().
  [[nodiscard]] virtual const ContactProblem& problem() const = 0;
  /// Applies λ to the bodies, moves on one time step and sets up its problem.
  virtual void advance(std::span<const ContactVec> lambda) = 0;
  /// The last λ, carried over to the contacts of the current problem; zero where there was none.
  [[nodiscard]] virtual std::vector<ContactVec> warm_start() const = 0;
  /// Number of advance() calls so far.
  [[nodiscard]] virtual int step() const = 0;
  /// True when every problem has the same contacts and the same W, and only v_f changes.
  [[nodiscard]] virtual bool fixed_operator() const = 0;
};

}  // namespace repose::problems
