// SPDX-License-Identifier: Apache-2.0
// The certificate is zero if and only if the law holds, case by case: open, sticking, sliding.  [paper eq:modes]
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "problems/manufactured.h"
#include "repose/contact/residual.h"

namespace repose::testing {
namespace {

double between(double low, double high) { return low + (high - low) * *rc::gen::inRange(0, 1000001) * 1e-6; }

/// One contact with W = I and the given λ and v.
Certificate judged(ContactVec lambda, ContactVec v, double mu) {
  const DelassusBlock identity{0, 0, Mat3::identity()};
  const ContactProblem problem(MatrixForm(1, {&identity, 1}), {v - lambda}, {mu});
  return certify(problem, {&lambda, 1});
}

struct Pair {
  ContactVec lambda, v;
};

/// λ and v that obey the law; which of the three modes is drawn too.
Pair lawful(double mu) {
  const double angle = between(0, 6.283), n = between(0.1, 2), speed = between(0.1, 2), share = between(0, 0.95);
  const double c = std::cos(angle), s = std::sin(angle);
  switch (*rc::gen::inRange(0, 3)) {
    case 0: return {{}, {speed * c, speed * s, n}};                              // open
    case 1: return {{share * mu * n * c, share * mu * n * s, n}, {}};            // sticking
    default: return {{-mu * n * c, -mu * n * s, n}, {speed * c, speed * s, 0}};  // sliding
  }
}

RC_GTEST_PROP(ResidualLaw, ZeroWhereTheLawHolds, ()) {
  const double mu = between(0, 3);
  const Pair pair = lawful(mu);
  RC_ASSERT(judged(pair.lambda, pair.v, mu).worst() < 1e-14);
}

/// λ and v that break the law in one of seven ways.
Pair unlawful(double mu) {
  const double angle = between(0, 6.283), n = between(0.1, 2), speed = between(0.1, 2), share = between(0, 0.9);
  const double c = std::cos(angle), s = std::sin(angle), friction = mu * n;
  switch (*rc::gen::inRange(0, 7)) {
    case 0: return {{0, 0, n}, {0, 0, speed}};                                                      // loaded, yet opens
    case 1: return {{0, 0, -n}, {}};                                                                // pulls
    case 2: return {{}, {0, 0, -speed}};                                                            // penetrates
    case 3: return {{(friction + n) * c, (friction + n) * s, n}, {}};                               // outside the cone
    case 4: return {{-share * friction * c, -share * friction * s, n}, {speed * c, speed * s, 0}};  // slips too early
    case 5: return {{friction * c, friction * s, n}, {speed * c, speed * s, 0}};              // pushes along the slip
    default: return {{-friction * c, -friction * s, n}, {speed * c, speed * s, mu * speed}};  // the relaxed law's lift
  }
}

RC_GTEST_PROP(ResidualLaw, PositiveWhereItDoesNot, ()) {
  const double mu = between(0.1, 3);
  const Pair pair = unlawful(mu);
  RC_ASSERT(judged(pair.lambda, pair.v, mu).worst() > 1e-4);
}

RC_GTEST_PROP(ResidualLaw, GrowsWithTheDistanceFromAManufacturedAnswer, ()) {
  const auto made = problems::manufactured_problem({.contacts = 8, .seed = *rc::gen::inRange<std::uint64_t>(1, 1000)});
  const std::vector<ContactVec> zero(8);
  RC_ASSERT(certify(made.problem, made.lambda, zero).worst() < 1e-13);
  double last = 0;
  for (double size : {1e-9, 1e-6, 1e-3}) {
    std::vector<ContactVec> lambda = made.lambda;
    for (std::size_t i = 0; i < lambda.size(); ++i) lambda[i].n += (i % 2 == 0 ? size : -size);
    const double now = certify(made.problem, lambda, zero).worst();
    RC_ASSERT(now > last);
    RC_ASSERT(now < 100 * size);
    last = now;
  }
}

}  // namespace
}  // namespace repose::testing
