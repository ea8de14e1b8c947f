// SPDX-License-Identifier: Apache-2.0
// The position constraint of an island's joints at the end of a step, g(x⁺) = 0.
//
// The impulses of joints act along the rows J of the step's start, so that joints, limits and contacts are one problem.
// Its bias b = J v is chosen such that the poses x⁺ reached with v satisfy g: with contacts, limits, friction and
// servos as they are, Newton's method changes the impulses of position rows (and of limits that carry one) by δλ,
//
//   h J⁺ M⁻¹ Jᵀ δλ = −g(x⁺)      J⁺: the rows at x⁺
//
// solved in the bodies' velocities, with stiff rows: (I + s (J L)ᵀ J⁺ L) y = −s (J L)ᵀ g/h. Where rows depend on each
// other, δλ is the smallest one that gives J M⁻¹ Jᵀ δλ = J L y: impulses that balance each other do not grow. b follows
// from the velocities and lies in the range of J, so that the problem has a solution where rows depend on each other.
// Without forces along the joints' motion this is the SHAKE method, which is symplectic.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "repose/contact/body_form.h"
#include "repose/world/free_rotation_internal.h"
#include "repose/world/joint_block.h"
#include "repose/world/node_velocities.h"
#include "repose/world/setup_internal.h"

namespace repose {

/// What the joints of all islands need to know of a step.
struct JointContext {
  const WorldSetup* setup = nullptr;  ///< null: no joints
  std::span<const StepBody> bodies;
  std::span<const PendingMotion> pending;    ///< by body: the step starts from its pose moved by this
  std::span<const Pose> ends;                ///< at the end of the step, for bodies that do not move freely
  std::span<const JointValues> coordinates;  ///< of all joints at the start of the step
  std::span<const JointFrames> frames;       ///< of all joints at the start of the step
};

/// The errors of a limit's rows with its joint's frames like this; angles are those nearest to `near`.
[[nodiscard]] ContactVec limit_errors(const JointModel& model, const JointBlock& block, const JointFrames& frames,
                                      double near);

class JointProjection {
 public:
  /// Takes the island's joint blocks, by their place in `blocks`; block `first` + k of the form is number k of them.
  /// While `rows` does not change, the island's rows and the poses at the start of the step are the same.
  void bind(const JointContext& context, std::span<const int> island_bodies, std::span<const int> nodes,
            const BodyForm& form, int first, std::span<const JointBlock> blocks, std::span<const int> island_blocks,
            std::uint64_t rows);

  /// Returns the largest position error as a share of the size of the largest body, when the impulses change the
  /// bodies' velocities like this; infinite where a body turns too far. Rows that carry no impulse and may open do not
  /// count.
  double error(std::span<const ContactVec> lambda, const NodeVelocities& change);
  /// The same, where no step() follows: bodies that hardly move change g by J times their motion, to rounding.
  double error_alone(std::span<const ContactVec> lambda, const NodeVelocities& change);

  /// One Newton step: changes λ. False when it is not possible.
  bool step(std::span<ContactVec> lambda);

  /// Changes λ such that the velocities of the rows that are held change by `wanted`, which is in their range.
  bool change_velocities(std::span<const ContactVec> wanted, std::span<ContactVec> lambda);

  /// Whether the velocities that the position constraint adds to the rows are small beside those of the motion. For
  /// rotations by about a radian per step and more there is no such solution.
  [[nodiscard]] bool is_small(std::span<const ContactVec> added, const NodeVelocities& change) const;

  /// Whether the impulses of the position rows raise the energy of the bodies, which they do after a step that was held
  /// at velocity level. `lambda`: of the joint blocks.
  [[nodiscard]] bool raises_energy(std::span<const ContactVec> added, std::span<const ContactVec> lambda,
                                   const NodeVelocities& change) const;

  /// Whether row r of joint block k is held at its target by the last call of error().
  [[nodiscard]] bool holds(int k, int r) const {
    return held_[static_cast<std::size_t>(k)][static_cast<std::size_t>(r)];
  }
  [[nodiscard]] bool holds_any(int k) const { return holds(k, 0) || holds(k, 1) || holds(k, 2); }
  /// Whether block k is held whatever its impulse: not a limit, not a rope.
  [[nodiscard]] bool is_bilateral(int k) const { return bilateral_[static_cast<std::size_t>(k)] != 0; }
  /// Largest turn of a body within the step, rad.
  [[nodiscard]] double largest_turn(const NodeVelocities& change) const;
  /// The last error() of bilateral blocks alone.
  [[nodiscard]] double bilateral_error() const { return bilateral_error_; }
  /// Whether the last error_alone() was linear in the motion: its derivatives are the rows of the start.
  [[nodiscard]] bool is_linear() const { return linear_; }
  [[nodiscard]] const FreeRotation& free_rotation() const { return free_rotation_; }  ///< of the island's bodies
  /// Finds the rows that are held at the poses of the last error(), as derivatives by the velocities of the step.
  void find_rows_at_end() { find_scaled_rows(); }
  [[nodiscard]] const BodyForm::Rows& rows_at_end(int k) const { return parts_[static_cast<std::size_t>(k)].scaled; }
  [[nodiscard]] int blocks() const { return static_cast<int>(index_.size()); }
  /// Velocity that makes an error of this share of the size in the step, m/s.
  [[nodiscard]] double rate_of(double error) const { return error * size_ / h_; }
  /// Velocity of the rows of block k that are held that would have made their errors in the step.
  [[nodiscard]] ContactVec error_rate(int k) const { return (1 / h_) * parts_[static_cast<std::size_t>(k)].error; }

 private:
  struct Pair {  ///< two ends of a block with more than two: e is a further one, f comes before it or is e
    int block, e, f, edge;
  };
  struct Part {             ///< of a block at the end of the step
    BodyForm::Rows scaled;  ///< J⁺ T L
    ContactVec error;       ///< of the rows that are held
  };
  [[nodiscard]] bool is_within_reach(const NodeVelocities& change) const;
  void prepare();
  void find_poses(const NodeVelocities& change);
  void find_scaled_rows();
  [[nodiscard]] const JointFrames& end_frames(int joint);
  [[nodiscard]] int end_turns(const JointModel& model, int joint) const;
  [[nodiscard]] JointRows end_rows(const JointBlock& block);
  [[nodiscard]] Pose end_pose(int body) const;
  void evaluate(int k, std::span<const ContactVec> lambda);
  double evaluate_all(std::span<const ContactVec> lambda);
  [[nodiscard]] ContactVec errors_at_end(const JointBlock& block);
  [[nodiscard]] ContactVec errors_at_start(const JointBlock& block) const;
  [[nodiscard]] ContactVec errors_of_motion(int k, const JointBlock& block) const;
  bool find_small_motion(const NodeVelocities& change);
  void find_start_errors();
  [[nodiscard]] Pack scaled(int body, Vec3 linear, Vec3 angular) const;
  void find_further_rows(int k, const JointBlock& block);
  [[nodiscard]] int edge_between(int a, int b) const;
  [[nodiscard]] const Pack (&rows_at_end(int k, int e) const)[3];
  void assemble(bool at_end, BodyForm::Lu& lu) const;
  void assemble_further(bool at_end, BodyForm::Lu& lu) const;
  bool factor_start();
  void scatter(std::span<const ContactVec> x);
  void find_impulses(std::span<ContactVec> lambda);

  JointContext context_;
  std::span<const int> bodies_, nodes_, index_;
  std::span<const JointBlock> blocks_;
  const BodyForm* form_ = nullptr;
  int first_ = 0;
  double size_ = 0, distance_ = 0, bilateral_error_ = 0, h_ = 0;
  JointFrames frames_;  ///< at the end of the step, of the joint whose blocks are evaluated
  int frames_of_ = -1;

  FreeRotation free_rotation_;
  std::vector<BodyState> starts_;            ///< by node, with the velocities of the step
  std::vector<Pose> poses_;                  ///< by node, at the end
  bool linear_ = false;                      ///< errors are those of the start and J times the motion
  NodeVelocities motion_;                    ///< by node, within the step: m, rad
  std::vector<ContactVec> start_errors_;     ///< by block
  std::uint64_t rows_ = 0, start_rows_ = 0;  ///< of this step, and of the errors; 0: none
  std::vector<Mat3> turn_;                   ///< by node: dφ⁺ = h · turn · dω
  std::vector<Part> parts_;
  std::vector<std::array<bool, 3>> held_;
  std::vector<char> bilateral_;
  bool prepared_ = false;  ///< for steps: what follows
  std::vector<double> stiffness_;
  std::vector<std::pair<int, int>> edges_;
  std::vector<int> edge_of_;
  std::vector<Pair> further_;
  AlignedVector<BodyForm::Further> end_rows_;    ///< J⁺ T L of the form's further ends, in its order
  BodyForm::Lu end_, start_;                     ///< I + s (J L)ᵀ J⁺ L and I + s (J L)ᵀ J L
  std::vector<std::array<bool, 3>> start_held_;  ///< rows in the factor of start_
  AlignedVector<Pack> y_;
  std::vector<ContactVec> wanted_, impulse_;
};

}  // namespace repose
