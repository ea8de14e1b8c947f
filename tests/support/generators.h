// SPDX-License-Identifier: Apache-2.0
// What rapidcheck draws for the cone kernels: vectors over many sizes with zeros of both signs, friction from none on.
#pragma once

#include <rapidcheck.h>

#include <cmath>

#include "repose/set/contact_vec.h"
#include "tests/support/random_block.h"

namespace repose::testing {

/// ±m·10^e with m in {0, 0.001, …, 1}; the zero comes with both signs.
inline rc::Gen<double> any_number() {
  return rc::gen::map(rc::gen::tuple(rc::gen::inRange(0, 1001), rc::gen::inRange(-8, 9), rc::gen::arbitrary<bool>()),
                      [](const std::tuple<int, int, bool>& parts) {
                        const double size = std::get<0>(parts) * 1e-3 * std::pow(10.0, std::get<1>(parts));
                        return std::get<2>(parts) ? -size : size;
                      });
}

/// Components of similar or of very different size.
inline rc::Gen<ContactVec> any_vec() {
  return rc::gen::map(rc::gen::tuple(any_number(), any_number(), any_number()),
                      [](const std::tuple<double, double, double>& x) {
                        return ContactVec{std::get<0>(x), std::get<1>(x), std::get<2>(x)};
                      });
}

/// Components in [−1, 1].
inline rc::Gen<ContactVec> unit_vec() {
  const auto number = rc::gen::map(rc::gen::inRange(-1000, 1001), [](int m) { return m * 1e-3; });
  return rc::gen::map(rc::gen::tuple(number, number, number), [](const std::tuple<double, double, double>& x) {
    return ContactVec{std::get<0>(x), std::get<1>(x), std::get<2>(x)};
  });
}

inline rc::Gen<double> any_friction() {
  return rc::gen::elementOf(std::vector<double>(std::begin(kFrictions), std::end(kFrictions)));
}

}  // namespace repose::testing
