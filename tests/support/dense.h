// SPDX-License-Identifier: Apache-2.0
// Contact problems as dense matrices and vectors of Eigen: the reference that owes nothing to the forms' own loops.
#pragma once

#include <Eigen/Dense>

#include "tests/support/problem_copies.h"

namespace repose::testing {

[[nodiscard]] inline Eigen::VectorXd flat(std::span<const ContactVec> x) {
  Eigen::VectorXd y(3 * static_cast<Eigen::Index>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i)
    y.segment<3>(3 * static_cast<Eigen::Index>(i)) = Eigen::Vector3d(x[i].t1, x[i].t2, x[i].n);
  return y;
}

[[nodiscard]] inline Impulses unflat(const Eigen::VectorXd& y) {
  Impulses x(static_cast<std::size_t>(y.size() / 3));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto k = 3 * static_cast<Eigen::Index>(i);
    x[i] = {y[k], y[k + 1], y[k + 2]};
  }
  return x;
}

/// W block by block, without compliance.
[[nodiscard]] inline Eigen::MatrixXd dense_delassus(const ContactProblem& problem) {
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(3 * problem.size(), 3 * problem.size());
  for (const DelassusBlock& block : delassus_blocks(problem))
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) W(3 * block.row + r, 3 * block.column + c) = block.value.m[r][c];
  return W;
}

/// The diagonal of C.
[[nodiscard]] inline Eigen::VectorXd dense_compliance(const ContactProblem& problem) {
  Impulses c;
  for (int i = 0; i < problem.size(); ++i) c.push_back(problem.sets()[i].compliance());
  return flat(c);
}

}  // namespace repose::testing
