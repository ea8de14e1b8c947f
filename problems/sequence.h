// SPDX-License-Identifier: Apache-2.0
// Time steps of a structure with frozen geometry.
//
//   û = u + h g + kick,   v_f = J û + bias(gap),   u⁺ = û + M⁻¹ Jᵀ λ,   gap⁺ = gap + h (J u⁺)_N
#pragma once

#include <cstdint>

#include "problems/source.h"
#include "problems/structure.h"
#include "repose/base/parameters.h"
#include "repose/base/random.h"

namespace repose::problems {

/// Kicks add up; zero switches one off. Random kicks have uniform direction and a size uniform in [0, given].
struct SequenceOptions {
  double rest = 0;         ///< m/s; random kick to every body at every step
  double impact = 0;       ///< m/s; kick to the structure's struck bodies at impact_step
  int impact_step = 2;     ///< ≥ 0
  double random = 0;       ///< m/s; random velocity of every body at step 0
  double random_spin = 0;  ///< rad/s; random angular velocity of every body at step 0
  double slop = 1e-6;      ///< gap without bias as a share of the structure's size, ≥ 0
  double recovery = 0.2;   ///< share of a penetration removed per step, in [0, 1]
  std::uint64_t seed = 1;  ///< of the random kicks
};
[[nodiscard]] const Fields<SequenceOptions>& fields(const SequenceOptions& options);

/// Vector with uniform direction and length uniform in [low, high].
[[nodiscard]] Vec3 random_vector(Random& random, double low, double high);

class Sequence final : public Source {
 public:
  explicit Sequence(Structure structure, const SequenceOptions& options = {});

  [[nodiscard]] const ContactProblem& problem() const override { return problem_; }
  void advance(std::span<const ContactVec> lambda) override;
  [[nodiscard]] std::vector<ContactVec> warm_start() const override { return lambda_; }
  [[nodiscard]] int step() const override { return step_; }
  [[nodiscard]] bool fixed_operator() const override { return true; }

  [[nodiscard]] const Structure& structure() const { return structure_; }
  /// Velocities at the end of the last step (the structure's own before the first).
  [[nodiscard]] std::span<const Vec3> linear() const { return linear_; }
  [[nodiscard]] std::span<const Vec3> angular() const { return angular_; }
  [[nodiscard]] std::span<const double> gaps() const { return gaps_; }

 private:
  void apply_impulses(std::span<const ContactVec> lambda);
  void move_gaps();
  void predict();
  void add_kicks();
  void set_free_velocity();

  Structure structure_;
  SequenceOptions options_;
  Random random_;
  ContactProblem problem_;
  std::vector<Vec3> linear_, angular_;            // u
  std::vector<Vec3> free_linear_, free_angular_;  // û
  std::vector<Vec3> change_linear_, change_angular_;
  std::vector<double> gaps_;
  std::vector<ContactVec> lambda_, v_;
  AlignedVector<Pack> response_;
  int step_ = 0;
};

}  // namespace repose::problems
