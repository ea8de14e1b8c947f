// SPDX-License-Identifier: Apache-2.0
// Time steps of one body on a plane, solved by a given scheme: enough for the textbook motions.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "problems/sequence.h"
#include "tests/conformance/choices.h"

namespace repose::testing {

class Stepper {
 public:
  Stepper(problems::Structure structure, const FrictionOptions& options)
      : sequence_(std::move(structure)), solver_(make_solver(options)), lambda_(sequence_.warm_start()) {
    solver_->bind(sequence_.problem());
  }

  /// One step from the last step's impulses. Returns whether the scheme met its own goal.
  bool step() {
    const OuterReport report = solver_->solve(lambda_);
    worst_ = std::max(worst_, report.certificate.worst());
    sequence_.advance(lambda_);
    position_ = position_ + sequence_.structure().h * velocity();
    for (double gap : sequence_.gaps()) highest_gap_ = std::max(highest_gap_, gap);
    return report.status == Status::kConverged;
  }
  bool steps(int count) {
    bool good = true;
    for (int k = 0; k < count; ++k) good = step() && good;
    return good;
  }

  [[nodiscard]] Vec3 velocity() const { return sequence_.linear()[0]; }
  [[nodiscard]] Vec3 spin() const { return sequence_.angular()[0]; }
  [[nodiscard]] Vec3 position() const { return position_; }  ///< of the mass centre, from where it started
  [[nodiscard]] double highest_gap() const { return highest_gap_; }
  [[nodiscard]] double worst() const { return worst_; }  ///< largest max(r_c, nat) over the steps
  [[nodiscard]] const std::vector<ContactVec>& lambda() const { return lambda_; }

 private:
  problems::Sequence sequence_;
  std::unique_ptr<OuterSolver> solver_;
  std::vector<ContactVec> lambda_;
  Vec3 position_{};
  double highest_gap_ = 0, worst_ = 0;
};

}  // namespace repose::testing
