// SPDX-License-Identifier: Apache-2.0
// A scene in motion: collide, assemble, solve, integrate, with a certificate for every step. See docs/world.md.
//
//   v ← v + h (g + f/m),  ω ← ω + h I⁻¹τ          free velocities
//   v ← v + M⁻¹ Jᵀ λ                               λ: the exact Coulomb law at the step's contacts
//   x ← x + h v,  q ← free rotation of (q, L)      rotor.h; kinematic bodies go where their motion says
#pragma once

#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "repose/scene/scene.h"
#include "repose/scheme/solve.h"
#include "repose/world/body.h"
#include "repose/world/contact.h"
#include "repose/world/joint_block.h"

namespace repose {

/// The default scheme for the steps of a world. It has a polish, because the remaining error of the impulses would move
/// bodies at rest, step after step, and a limit on the work of steps that jam.
[[nodiscard]] inline FrictionOptions step_solver() {
  FrictionOptions options;
  options.polish = 2e-3;
  options.accept = kStepAccept;
  options.budget = kStepBudget;
  return options;
}

struct WorldOptions {
  FrictionOptions solver = step_solver();  ///< a step is solved within `tolerance`, accepted within `accept`
  bool warm_start = true;                  ///< start from the last step's impulses
  int threads = 1;                         ///< islands solved at the same time, ≥ 1; any number gives the same bits
  const std::atomic<bool>* interrupt = nullptr;  ///< true ends a solve; the step is then not taken
};

/// The values are those of recordings.
enum class StepStatus {
  kSolved = 0,       ///< r_c and nat within tolerance on every island
  kUnsolved = 1,     ///< taken with the best impulses found, which miss `accept` (without it: the tolerance)
  kBroken = 2,       ///< NaN, overflow or explosion: not taken, the state is the last good one
  kInterrupted = 3,  ///< not taken
  kAccepted = 4,     ///< taken; r_c and nat within `accept` on every island, above the tolerance on one or more
};

/// Returns "solved", "accepted", "unsolved", "broken", "interrupted".
[[nodiscard]] const char* to_string(StepStatus status);
/// Whether a step with this status was taken.
[[nodiscard]] inline bool is_taken(StepStatus status) {
  return status == StepStatus::kSolved || status == StepStatus::kAccepted || status == StepStatus::kUnsolved;
}
/// Returns the status of a step that was taken with this certificate.
[[nodiscard]] StepStatus status_of(const Certificate& certificate, double tolerance, double accept);

struct PhaseTimes {
  double collide = 0, assemble = 0, solve = 0, integrate = 0;  ///< ms
  [[nodiscard]] double total() const { return collide + assemble + solve + integrate; }
};

/// A body for which bodies that do not yield leave too little room: no impulse obeys the law and the prescribed
/// motions. Those motions then overlap the body instead of moving it, and do no work by it.
struct Squeeze {
  int islands = 0;                     ///< in which that happened; 0: nowhere. The rest is about the worst of them.
  int body = -1;                       ///< squeezed
  int between = -1, and_between = -1;  ///< the bodies that do not yield; may be the same
  double lack = 0;                     ///< room that is missing at the end of the step, m
};

struct StepReport {
  StepStatus status = StepStatus::kSolved;
  int step = 0;             ///< steps taken since t = 0, this one included
  double time = 0;          ///< at its end, s
  Certificate certificate;  ///< part by part the worst of all islands
  int contacts = 0, islands = 0;
  int accepted_islands = 0, unsolved_islands = 0;
  int imprecise_islands = 0;  ///< of both, those whose certificate alone says more: `remainder` is too large
  /// What the residual leaves in a contact's velocity, as a share of its speeds before and after the impulses and of
  /// gravity in a step, or in work, as a share of the energy of those speeds: at most, the worst of all islands.
  double remainder = 0;
  int contacts_ahead = 0;  ///< predicted contacts: those that only the end of the step shows
  int pairs_missed = 0;    ///< shapes that overlap deeply at the end of the step and got no contact
  int outer_iterations = 0, inner_iterations = 0, fallbacks = 0;  ///< the largest of all islands
  double work = 0;               ///< per contact, in block products; the largest of all islands (auto, newton)
  Squeeze squeeze;               ///< that the step found
  int recoveries = 0;            ///< islands that were displaced because of overlap beyond what is left alone
  int recoveries_unsolved = 0;   ///< 1: a pair is still deeper than a step may leave it
  double recovery_residual = 0;  ///< max(r_c, nat) of the displacements that removed overlap, the worst; 0: none
  double joint_error = 0;        ///< largest position error of a joint at the end of the step, m
  double penetration = 0;        ///< deepest overlap at the start of the step, m
  double overlap_share = 0;      ///< the same over the thickness of the pair's thinner body; 0: within the slop
  double energy = 0;             ///< kinetic and potential at its end, J
  double energy_rise = 0;        ///< gain beyond the work of forces and prescribed motions, J
  PhaseTimes ms;
  const char* why = "";  ///< what broke, for kBroken; self-stress or rounding, where that is why a step is not solved
};

/// What acted on one body in a step besides gravity, contacts and joints. The values are those of recordings.
struct BodyTerm {
  enum class Kind {
    kLoad = 0,  ///< force (N) and torque (N m): of the scene, pushes, motors and World::apply_force()
    kDisplacement =
        1,        ///< shift (m) and turn (rad) after the motion, which leave the velocities alone: overlap removed
    kChange = 2,  ///< the state that the step started from, where it is not that of the end of the step before
  };
  Kind kind = Kind::kLoad;
  int body = 0;
  Vec3 linear, angular;  ///< of a load or a displacement
  BodyState start;       ///< of a change
};

/// A contact that pushed bodies apart where they overlapped at the end of a step. Its point is that of the round's
/// poses: those at the end of the step, displaced by the rounds before.
struct OverlapPush {
  int round = 0;                 ///< counts from 0; after each the bodies were collided again
  int island = 0;                ///< of the round; each is a problem of its own
  int body_a = 0, body_b = 0;    ///< pushed against and along the normal
  int shape_a = 0, shape_b = 0;  ///< counted over the whole scene
  bool moved = false;            ///< closed in an earlier round and displaced with its bodies: not on both surfaces
  Vec3 position, normal;
  double gap = 0, allowed = 0;  ///< m; the round leaves a gap of at least −allowed
  double lambda = 0;            ///< multiplier, kg m: displacements are M⁻¹ Jᵀ λ
};

class World {
 public:
  /// Throws InputError when the scene or the options are not valid.
  explicit World(Scene scene, WorldOptions options = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  StepReport step();

  [[nodiscard]] const Scene& scene() const;
  [[nodiscard]] const WorldOptions& options() const;
  [[nodiscard]] int steps() const;    ///< taken since t = 0
  [[nodiscard]] double time() const;  ///< s

  // The state. Bodies are indices into Scene::bodies.
  [[nodiscard]] std::span<const BodyModel> models() const;
  [[nodiscard]] std::span<const BodyState> states() const;
  [[nodiscard]] bool present(int body) const;
  [[nodiscard]] Pose pose(int body) const;         ///< of the body's frame
  [[nodiscard]] Pose centre_pose(int body) const;  ///< of its mass centre, body axes
  void set_velocity(int body, Vec3 velocity, Vec3 angular_velocity);
  /// The memory of states(), at the same address for the world's life. Call accept_states() after writing to it, before
  /// the next step.
  [[nodiscard]] std::span<BodyState> writable_states();
  /// Checks and completes written states: throws InputError, naming body and field, when a number is not finite or a
  /// quaternion is zero; scales quaternions to unit length; sets velocities along held axes to zero. States that a step
  /// produced keep their bits.
  void accept_states();
  /// Sets pose and velocity of a dynamic body, which is present from the next step on.
  void place(int body, const Pose& frame, Vec3 velocity, Vec3 angular_velocity = {});
  /// Applies a force (N) and a torque (N m) during the next step only; calls add up.
  void apply_force(int body, Vec3 force, Vec3 torque = {});
  // Joints and actuators are indices into Scene::joints and Scene::actuators.
  /// Coordinate of a joint, rad or m; whole turns of an angle are counted from the start.
  [[nodiscard]] double joint_position(int joint, int coordinate = 0) const;
  [[nodiscard]] double joint_velocity(int joint, int coordinate = 0) const;  ///< rad/s or m/s
  /// What acted along a coordinate in the last step, mean over it, N m or N: limits, dry friction, springs, dampers,
  /// the rotor's inertia and actuators.
  [[nodiscard]] double joint_force(int joint, int coordinate = 0) const;
  /// Force of an actuator in the last step, before its gear, N m or N.
  [[nodiscard]] double actuator_force(int actuator) const;
  /// Says where a guided body, a kinematic one without a motion, goes in the next step (its frame), and stays.
  void guide(int body, const Pose& pose);
  /// Where the bodies' guides are; of other bodies anything.
  [[nodiscard]] Pose guide(int body) const;
  /// Sets the control of an actuator, from the next step on.
  void set_control(int actuator, double control);
  [[nodiscard]] std::span<const double> controls() const;  ///< by actuator
  /// Sets the activation of an actuator that has one.
  void set_activation(int actuator, double activation);
  [[nodiscard]] std::span<const double> activations() const;  ///< by actuator; 0 for those without
  /// By actuator, of the last step: the control within its range, or the activation.
  [[nodiscard]] std::span<const double> inputs() const;
  /// What a sensor reads, an index into Scene::sensors. Those of forces and accelerations belong to the last step, and
  /// read 0 before the first one.
  [[nodiscard]] std::vector<double> sensor(int sensor) const;
  [[nodiscard]] std::vector<double> sensor_data() const;  ///< of all sensors, one after the other
  [[nodiscard]] double energy() const;                    ///< kinetic and potential of dynamic bodies, J
  /// 16 hexadecimal digits from the bits of the whole state (FNV-1a).
  [[nodiscard]] std::string state_hash() const;

  // The last step.
  [[nodiscard]] std::span<const Contact> contacts() const;
  [[nodiscard]] Vec3 contact_force(int body) const;  ///< mean over the step, N
  [[nodiscard]] std::span<const JointBlock> joint_blocks() const;
  /// Free velocities (with gravity and forces, without contacts) that the step's problems were made from.
  [[nodiscard]] std::span<const BodyState> free_states() const;
  /// State at the start of the last step, after events.
  [[nodiscard]] BodyState start_state(int body) const;
  /// Loads and displacements of the last step, by ascending kind and body.
  [[nodiscard]] std::vector<BodyTerm> body_terms() const;
  /// What removed overlap at the end of the last step, by round.
  [[nodiscard]] std::span<const OverlapPush> overlap_pushes() const;
  /// The contact problems of the last step, one per island; valid until the next step.
  [[nodiscard]] int problems() const;
  [[nodiscard]] const ContactProblem& problem(int island) const;
  [[nodiscard]] std::span<const int> problem_contacts(int island) const;  ///< indices into contacts()
  /// Indices into joint_blocks(): the blocks of the problem after those of contacts.
  [[nodiscard]] std::span<const int> problem_joint_blocks(int island) const;
  [[nodiscard]] const OuterReport& problem_report(int island) const;
  /// Options of the island's solve: solve(problem, options, start) gives the step's impulses.
  [[nodiscard]] FrictionOptions problem_options(int island) const;

  /// Writes and reads a checkpoint: a world made from the same scene and options that loads it continues with the same
  /// bits. load() throws InputError when the checkpoint is damaged or of another scene, and then changes nothing.
  void save(std::ostream& out) const;
  void load(std::istream& in);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace repose
