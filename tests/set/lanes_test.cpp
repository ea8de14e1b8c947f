// SPDX-License-Identifier: Apache-2.0
// Kernels over eight blocks: each lane is the kernel over one block, and no lane knows its neighbours.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "repose/set/fixed_mode.h"
#include "repose/set/set_list.h"
#include "tests/support/problem_copies.h"
#include "tests/support/random_block.h"
#include "tests/support/slopes.h"

namespace repose {
namespace {

using testing::lane;
using testing::random_set;
using testing::random_vec;

/// What every kernel of block_set.h and fixed_mode.h makes of one block's numbers.
template <class R>
struct Results {
  ContactVecT<R> projected, dual, augmented, softened, stiffened, trial, mapped, de_saxce, held, clipped;
  R coupling, pairing;
  ContactSlope<R> map_slope, de_saxce_slope, held_slope;
};

template <class R>
Results<R> evaluate(const SetRef<R>& set, ContactVecT<R> x, ContactVecT<R> v, R g) {
  Results<R> r;
  r.projected = project(set, x), r.dual = project_dual(set, v), r.augmented = augmented(set, v);
  r.softened = with_compliance(set, v, x), r.stiffened = without_compliance(set, v, x);
  r.trial = trial_impulse(set, x, v, g), r.mapped = newton_map(set, x, v, g, r.map_slope);
  r.de_saxce = de_saxce_map(set, x, v, g, r.de_saxce_slope);
  r.held = fixed_mode(set, x, v, g, filled<R>(4.0), r.held_slope), r.clipped = clip(set, x);
  r.coupling = coupling(set, v), r.pairing = pairing(set, v, x);
  return r;
}

Results<double> lane_of(const Results<Pack>& r, int k) {
  return {lane(r.projected, k), lane(r.dual, k),           lane(r.augmented, k), lane(r.softened, k),
          lane(r.stiffened, k), lane(r.trial, k),          lane(r.mapped, k),    lane(r.de_saxce, k),
          lane(r.held, k),      lane(r.clipped, k),        r.coupling[k],        r.pairing[k],
          lane(r.map_slope, k), lane(r.de_saxce_slope, k), lane(r.held_slope, k)};
}

constexpr std::size_t kNumbers = sizeof(Results<double>) / sizeof(double);

constexpr std::size_t kPairing = offsetof(Results<double>, pairing) / sizeof(double);

struct Numbers {
  double x[kNumbers];
};
Numbers numbers(const Results<double>& r) {
  Numbers n;
  static_assert(sizeof n == sizeof r);
  std::memcpy(&n, &r, sizeof r);
  return n;
}

struct Blocks {
  std::vector<BlockSet> sets;
  std::vector<ContactVec> x, v;
  std::vector<double> g;
};

Blocks random_blocks(Random& random) {
  Blocks b;
  for (int k = 0; k < kLanes; ++k) {
    b.sets.push_back(random_set(random));
    b.x.push_back(random_vec(random)), b.v.push_back(random_vec(random)), b.g.push_back(random.uniform(0.2, 3));
  }
  return b;
}

Results<Pack> evaluate(const Blocks& b) {
  const SetList list(b.sets);
  SetArray sets;
  sets.bind(list);
  Pack g;
  for (int k = 0; k < kLanes; ++k) g[k] = b.g[static_cast<std::size_t>(k)];
  return evaluate<Pack>(sets.pack(0), testing::packed_lanes(std::span<const ContactVec, kLanes>(b.x)),
                        testing::packed_lanes(std::span<const ContactVec, kLanes>(b.v)), g);
}

/// Turning all lanes by one turns the results by one, bit for bit: a block's answer does not depend on its place.
TEST(Lanes, TheBitsOfABlockDoNotDependOnItsLane) {
  Random random(61);
  for (int trial = 0; trial < 500; ++trial) {
    Blocks b = random_blocks(random);
    b.sets[0] = BlockSet::half_line();  // so that both orders take the general path
    const Results<Pack> before = evaluate(b);
    std::rotate(b.sets.begin(), b.sets.begin() + 1, b.sets.end());
    std::rotate(b.x.begin(), b.x.begin() + 1, b.x.end());
    std::rotate(b.v.begin(), b.v.begin() + 1, b.v.end());
    std::rotate(b.g.begin(), b.g.begin() + 1, b.g.end());
    const Results<Pack> after = evaluate(b);
    for (int k = 0; k < kLanes; ++k) {
      const Results<double> one = lane_of(before, (k + 1) % kLanes), other = lane_of(after, k);
      ASSERT_EQ(std::memcmp(&one, &other, sizeof one), 0) << trial << ", lane " << k;
    }
  }
}

/// Bit for bit where a sum has one product only, as in the rows of boxes. In a sum of two products the compiler may
/// fuse either one with the addition, and does so differently for eight lanes: the last digits of cones may differ.
TEST(Lanes, EachIsTheKernelOfOneBlock) {
  Random random(62);
  for (int trial = 0; trial < 2000; ++trial) {
    const Blocks b = random_blocks(random);
    const SetList list(b.sets);
    const Results<Pack> eight = evaluate(b);
    for (int k = 0; k < kLanes; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const Numbers one = numbers(evaluate<double>(list.ref(k), b.x[i], b.v[i], b.g[i]));
      const Numbers same = numbers(lane_of(eight, k));
      for (std::size_t j = 0; j < kNumbers; ++j) {
        const bool exact = !b.sets[i].is_cone() && j != kPairing;
        ASSERT_NEAR(one.x[j], same.x[j], exact ? 0.0 : 1e-13) << b.sets[i].name() << ' ' << trial << ", number " << j;
      }
    }
  }
}

}  // namespace
}  // namespace repose
