// SPDX-License-Identifier: Apache-2.0
// A run in numbers: the output of `repose run --json` and of the programming interfaces.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "repose/world/world.h"

namespace repose {

/// Order statistics of one number per step; all 0 without steps.
struct Spread {
  double median = 0, p95 = 0, p99 = 0, max = 0, mean = 0;
};
/// Returns the q-quantile by nearest rank; the median of an even count is the mean of the middle two.
[[nodiscard]] Spread spread_of(std::vector<double> values);

struct BodyOutcome {
  std::string name;
  Vec3 position;  ///< of the body's frame, m
  Quat quaternion;
  Vec3 velocity, angular_velocity;                ///< of the mass centre
  double displacement = 0, max_displacement = 0;  ///< of the mass centre since the start, m
  double tilt_deg = 0;                            ///< tilt, since the start, of the axis that was vertical then
  double last_second_speed = 0;                   ///< largest speed of the mass centre in the last second, m/s
};

/// Residuals at which a summary counts steps, whatever their tolerance.
inline constexpr std::array<double, 3> kShareLevels{1e-4, 1e-6, 1e-8};

struct Summary {
  int steps = 0;
  double time = 0;  ///< s
  int dynamic = 0, kinematic = 0, fixed = 0;
  Spread r_c, r_c_paper, nat;  ///< of the steps with contacts; r_c_paper with the scales of the solve's start
  Spread contacts, outer, inner, work, ms, collide, assemble, solve, integrate;
  double solved_share = 1, accepted_share = 0;
  std::vector<int> accepted_steps, unsolved_steps;  ///< count from 1
  std::vector<int> rounding_steps;                  ///< those of both for which rounding is the limit
  std::vector<int> imprecise_steps;                 ///< those of both whose remainder is too large
  double remainder = 0;                             ///< the worst of all steps (StepReport)
  std::array<double, 3> shares{1, 1, 1};            ///< of the steps with r_c and nat at most kShareLevels
  long fallbacks = 0;
  double energy_start = 0, energy_end = 0, energy_rise = 0;
  double penetration = 0, overlap_share = 0;  ///< deepest overlap, m, and as a share of the thinner body
  int recoveries_unsolved = 0;
  double recovery_residual = 0;     ///< worst of the displacements that removed overlap
  std::vector<int> missed_steps;    ///< with pairs that overlap deeply and got no contact; count from 1
  int pairs_missed = 0;             ///< in all steps
  std::vector<int> squeezed_steps;  ///< count from 1
  Squeeze squeeze;                  ///< that of the step with the largest lack of room
  Vec3 ground;                      ///< mean force over the last second on all static and kinematic bodies together, N
  std::vector<BodyOutcome> final;
  std::string state_hash;
};

/// Returns "plate A and plate B leave cube 5 mm too little room".
[[nodiscard]] std::string squeeze_text(const Squeeze& squeeze, const Scene& scene);

class RunSummary {
 public:
  explicit RunSummary(const World& world);
  /// Adds the step that `world` has just taken.
  void add(const World& world, const StepReport& report);
  [[nodiscard]] Summary finish(const World& world) const;

  [[nodiscard]] int squeezed() const { return static_cast<int>(squeezed_.size()); }
  [[nodiscard]] int unsolved() const { return static_cast<int>(unsolved_.size()); }
  [[nodiscard]] double worst() const { return worst_; }  ///< largest max(r_c, nat) so far

 private:
  /// A part of the last second: several steps when they are short.
  struct Piece {
    double seconds = 0;
    Vec3 impulse;
    std::vector<double> speed;  // by body
  };
  void add_piece(const World& world);

  std::vector<BodyState> start_;
  double energy_start_ = 0, energy_rise_ = 0, penetration_ = 0, overlap_share_ = 0, worst_ = 0;
  long fallbacks_ = 0;
  int recoveries_unsolved_ = 0;
  double recovery_residual_ = 0;
  Squeeze squeeze_;
  std::vector<double> max_displacement_;
  std::vector<double> contacts_, r_c_, r_c_paper_, nat_, outer_, inner_, work_, ms_, collide_, assemble_, solve_,
      integrate_;
  std::vector<int> accepted_, unsolved_, rounding_, imprecise_, squeezed_, missed_;
  double remainder_ = 0;
  int pairs_missed_ = 0;
  std::array<int, 3> within_{};  // steps at most at kShareLevels
  std::deque<Piece> last_second_;
};

}  // namespace repose
