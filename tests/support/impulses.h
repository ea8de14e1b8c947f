// SPDX-License-Identifier: Apache-2.0
// Impulses and velocities of all contacts: sizes, differences, and the way into the packed arrays of the solvers.
#pragma once

#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "repose/set/contact_array.h"

namespace repose::testing {

using Impulses = std::vector<ContactVec>;

/// ‖a − b‖ over all contacts.
[[nodiscard]] inline double distance(std::span<const ContactVec> a, std::span<const ContactVec> b) {
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) total += squared_norm(a[i] - b[i]);
  return std::sqrt(total);
}

[[nodiscard]] inline double length(ContactVec x) { return std::sqrt(squared_norm(x)); }
[[nodiscard]] inline double length(std::span<const ContactVec> a) { return distance(a, Impulses(a.size())); }

[[nodiscard]] inline bool same_bits(std::span<const ContactVec> a, std::span<const ContactVec> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

[[nodiscard]] inline ContactArray packed(std::span<const ContactVec> x) {
  ContactArray array;
  array.resize(static_cast<int>(x.size()));
  array.load(x);
  return array;
}

[[nodiscard]] inline Impulses unpacked(const ContactArray& array) {
  Impulses x(static_cast<std::size_t>(array.size()));
  array.store(x);
  return x;
}

/// A warm start that is wrong by a known amount: every `every`-th impulse times `factor`.
[[nodiscard]] inline Impulses weakened(Impulses lambda, double factor, std::size_t every = 1) {
  for (std::size_t i = 0; i < lambda.size(); i += every) lambda[i] = factor * lambda[i];
  return lambda;
}

}  // namespace repose::testing
