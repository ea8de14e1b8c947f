// SPDX-License-Identifier: Apache-2.0
// An answer that owes nothing to the schemes under test: sweeps of the exact local law over a dense W.
#pragma once

#include <vector>

#include "repose/contact/residual.h"
#include "repose/set/local_coulomb.h"

namespace repose::testing {

struct Reference {
  std::vector<ContactVec> lambda, v;
  double worst = 0;  ///< max(r_c, nat)
};

[[nodiscard]] inline ContactVec multiply(const Mat3& A, ContactVec x) {
  const Vec3 y = A * Vec3{x.t1, x.t2, x.n};
  return {y.x, y.y, y.z};
}

[[nodiscard]] inline Reference reference_solution(const ContactProblem& problem, double tolerance = 1e-13,
                                                  int sweeps = 200000) {
  const int n = problem.size();
  std::vector<Mat3> W(static_cast<std::size_t>(n * n));
  std::vector<LocalCoulomb> law(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) W[static_cast<std::size_t>(i * n + j)] = problem.coupling(i, j);
    law[static_cast<std::size_t>(i)] =
        LocalCoulomb(problem.diagonal_block(i), problem.sets().mu()[static_cast<std::size_t>(i)]);
  }
  std::vector<double> rate(static_cast<std::size_t>(n));
  Reference found{
      std::vector<ContactVec>(static_cast<std::size_t>(n)), {problem.v_free().begin(), problem.v_free().end()}, 0};
  const auto velocity = [&](int i, bool with_own) {
    ContactVec v = problem.v_free()[static_cast<std::size_t>(i)];
    for (int j = 0; j < n; ++j)
      if (with_own || j != i)
        v = v + multiply(W[static_cast<std::size_t>(i * n + j)], found.lambda[static_cast<std::size_t>(j)]);
    return v;
  };
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      found.lambda[k] = law[k].solve(velocity(i, false), rate[k]);
    }
    if (sweep % 50 == 0 &&
        certify(problem, found.lambda, std::vector<ContactVec>(found.lambda.size())).worst() <= tolerance)
      break;
  }
  for (int i = 0; i < n; ++i) found.v[static_cast<std::size_t>(i)] = velocity(i, true);
  found.worst = certify(problem, found.lambda, std::vector<ContactVec>(found.lambda.size())).worst();
  return found;
}

}  // namespace repose::testing
