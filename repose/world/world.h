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

namespace repose {

/// The default scheme, with a polish: what is left of an impulse's error moves bodies at rest, step after step.
[[nodiscard]] inline FrictionOptions step_solver() {
  FrictionOptions options;
  options.polish = 2e-3;
  return options;
}

struct WorldOptions {
  FrictionOptions solver = step_solver();  ///< its tolerance is what "solved" means for a step
  bool warm_start = true;                  ///< start from the last step's impulses
  int threads = 1;                         ///< islands solved at the same time, ≥ 1; results do not depend on it
  const std::atomic<bool>* interrupt = nullptr;  ///< ends a long solve; the step is then not taken
};

enum class StepStatus {
  kSolved,       ///< r_c and nat within tolerance on every island
  kUnsolved,     ///< taken with the best impulses found, which miss the tolerance
  kBroken,       ///< NaN, overflow or explosion: not taken, the state is the last good one
  kInterrupted,  ///< not taken
};

struct PhaseTimes {
  double collide = 0, assemble = 0, solve = 0, integrate = 0;  ///< ms
  [[nodiscard]] double total() const { return collide + assemble + solve + integrate; }
};

struct StepReport {
  StepStatus status = StepStatus::kSolved;
  int step = 0;             ///< steps taken since t = 0, this one included
  double time = 0;          ///< at its end, s
  Certificate certificate;  ///< part by part the worst of all islands
  int contacts = 0, islands = 0, unsolved_islands = 0;
  int contacts_ahead = 0;  ///< of the contacts: not there at the start, met on the way (look_ahead.cpp)
  int outer_iterations = 0, inner_iterations = 0, fallbacks = 0;  ///< the largest of all islands
  int recoveries = 0;                                             ///< islands whose overlap was beyond the slop
  int recoveries_unsolved = 0;  ///< … where the displacement that removes it is only approximate
  double penetration = 0;       ///< deepest overlap at the start of the step, m
  double energy = 0;            ///< kinetic and potential at its end, J
  double energy_rise = 0;       ///< what the energy gained beyond the work of forces and prescribed motions, J
  PhaseTimes ms;
  const char* why = "";  ///< what broke, for kBroken
};

class World {
 public:
  /// Throws InputError when the scene makes no sense.
  explicit World(Scene scene, WorldOptions options = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  StepReport step();

  [[nodiscard]] const Scene& scene() const;
  [[nodiscard]] const WorldOptions& options() const;
  [[nodiscard]] int steps() const;    ///< taken since t = 0
  [[nodiscard]] double time() const;  ///< s

  // The state; indices are places in Scene::bodies.
  [[nodiscard]] std::span<const BodyModel> models() const;
  [[nodiscard]] std::span<const BodyState> states() const;
  [[nodiscard]] bool present(int body) const;
  [[nodiscard]] Pose pose(int body) const;         ///< of the body's frame
  [[nodiscard]] Pose centre_pose(int body) const;  ///< of its mass centre, body axes
  void set_velocity(int body, Vec3 velocity, Vec3 angular_velocity);
  /// The same memory as states(), which stays where it is for the world's life. Call accept_states() before the next
  /// step when something was written.
  [[nodiscard]] std::span<BodyState> writable_states();
  /// Throws InputError, naming body and field, when a number is not finite or a quaternion has no direction; scales
  /// quaternions to unit length and drops motions that a body does not have. Leaves states of its own as they are.
  void accept_states();
  /// Puts a dynamic body somewhere, present from the next step on, whether it was there before or not.
  void place(int body, const Pose& frame, Vec3 velocity, Vec3 angular_velocity = {});
  /// Acts during the next step only; calls add up.
  void apply_force(int body, Vec3 force, Vec3 torque = {});
  [[nodiscard]] double energy() const;  ///< kinetic and potential of dynamic bodies, J
  /// 16 hexadecimal digits from the bits of the whole state (FNV-1a).
  [[nodiscard]] std::string state_hash() const;

  // The last step.
  [[nodiscard]] std::span<const Contact> contacts() const;
  [[nodiscard]] Vec3 contact_force(int body) const;  ///< mean over the step, N
  /// Free velocities (with gravity and forces, without contacts) that the step's problems were made from.
  [[nodiscard]] std::span<const BodyState> free_states() const;
  /// Its contact problems, one per island; valid until the next step.
  [[nodiscard]] int problems() const;
  [[nodiscard]] const ContactProblem& problem(int island) const;
  [[nodiscard]] std::span<const int> problem_contacts(int island) const;  ///< places in contacts()
  [[nodiscard]] const OuterReport& problem_report(int island) const;
  /// What it was solved with: solve(problem, these, start) gives the step's impulses.
  [[nodiscard]] FrictionOptions problem_options(int island) const;

  /// Everything that the future depends on: a world made from the same scene and options that loads this continues
  /// with the same bits. load() throws InputError when the checkpoint is of another scene or damaged; the world then is
  /// as it was.
  void save(std::ostream& out) const;
  void load(std::istream& in);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace repose
