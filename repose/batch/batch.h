// SPDX-License-Identifier: Apache-2.0
// Many worlds of one model, advanced at the same time: on the threads of the host or on a CUDA device.
//
// Every step of every world is certified by the residuals of repose/contact/residual.h. A step that the batch's solver
// misses is solved by `auto` on the host. Equal worlds have equal bits, whatever else the batch holds, however its
// advance() is divided into calls, and on the host as on a device. See docs/gpu.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "repose/batch/batch_model.h"
#include "repose/batch/device_info.h"
#include "repose/contact/problem.h"
#include "repose/scene/load.h"

namespace repose {

enum class BatchDevice { kCpu, kCuda };

/// Parameters of one world.
struct BatchParameters {
  Vec3 gravity{0, 0, -9.81};  ///< m/s²
  double friction = 1;        ///< factor on every μ, ≥ 0
  double kick = 0;            ///< m/s: in every step every body gets a random velocity up to this along every axis
  std::uint64_t seed = 0;     ///< of these velocities
};

enum class BatchStatus {
  kRunning,
  kTooLarge,  ///< stopped: more contacts than its state has room for
  kBroken,    ///< stopped: a number is not finite, or a body has exploded out of the scene
};

/// Sums over worlds and steps since the start or the last reset_report().
struct BatchReport {
  std::int64_t steps = 0;     ///< taken, over all worlds
  std::int64_t solved = 0;    ///< with r_c and nat within the tolerance
  std::int64_t finished = 0;  ///< of them by `auto` on the host
  std::int64_t overlaps = 0;  ///< of the finished ones: because of overlap beyond what is left alone
  std::int64_t exceeded = 0;  ///< of the finished ones: because a list of the size class was too short
  std::int64_t ahead = 0;     ///< of the finished ones: because a struck body may reach another one beyond its margin
  std::int64_t warm = 0;      ///< that the impulses of the step before solved
  std::int64_t newton = 0, factors = 0, contacts = 0;
  double worst = 0;        ///< largest max(r_c, nat)
  double joint_error = 0;  ///< largest position error of a joint, as a share of its mechanism's size
  int stopped = 0;         ///< worlds that are not running
};

/// A contact of the last step of a world.
struct BatchContact {
  int collider_a = 0, collider_b = 0;  ///< shapes, counted over the whole scene
  std::uint32_t feature = 0;
  Vec3 normal;        ///< from a to b
  ContactVec lambda;  ///< N·s, frame of tangents(normal)
};

/// Numbers of all worlds.
enum class BatchField {
  kPosition,         ///< 3 per body: mass centre, m
  kQuaternion,       ///< 4 per body: w, x, y, z
  kVelocity,         ///< 3 per body, m/s
  kAngularVelocity,  ///< 3 per body: rad/s, world axes
  kForce,            ///< 3 per body: applied in every step until it is changed, N
  kTorque,           ///< 3 per body: the same, N m
  kGravity,          ///< 3 per world, m/s²
  kFriction,         ///< 1 per world: factor on every μ
  kKick,             ///< 1 per world: BatchParameters::kick, m/s
  kResidual,         ///< 2 per world: r_c and nat of the last step
  kControl,          ///< 1 per actuator of the scene
  kJointPosition,  ///< 1 per coordinate of a joint, rad or m, at the end of the last step; those of balls are left out
  kJointVelocity,  ///< the same, rad/s or m/s
};
/// Where they are: number k of row r of world w is data[w · world_stride + r · row_stride + k].
struct BatchArray {
  double* data = nullptr;  ///< in the memory of the batch's device
  std::int64_t world_stride = 0, row_stride = 0;
  int rows = 0;  ///< bodies, actuators or coordinates; 0: one row per world
  int width = 0;
};

class Batch {
 public:
  /// All worlds start in the state of the scene. Throws InputError where the device is not available.
  Batch(std::shared_ptr<const BatchModel> model, int worlds, BatchDevice device = BatchDevice::kCpu);
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  /// Advances every running world by `steps` steps.
  void advance(int steps);

  [[nodiscard]] int worlds() const;
  [[nodiscard]] BatchDevice device() const;
  [[nodiscard]] const BatchModel& model() const;
  /// The numbers themselves, for reading and writing between two calls of advance(). The address stays valid. Rotations
  /// that are not of unit length are normalised by the next step.
  [[nodiscard]] BatchArray array(BatchField field);
  /// The same numbers from and to memory of the host, world by world, row by row.
  void read(BatchField field, std::span<double> out) const;
  void write(BatchField field, std::span<const double> values);
  /// The worlds whose place in `chosen` is not zero go back to the start of the scene, at rest from applied forces.
  /// Their parameters and numbers of steps stay.
  void reset(const std::vector<char>& chosen);
  /// The same, to a state that a file names.
  void reset(const std::vector<char>& chosen, const SceneKey& key);
  /// Lets an event happen now in the worlds whose place in `chosen` is not zero; body: an index into Scene::bodies.
  /// The model has events, or was made with BatchOptions::events. At most eight pushes act at a time besides the
  /// scene's.
  void apply(const EventAction& action, const std::vector<char>& chosen);
  [[nodiscard]] bool present(int world, int body) const;  ///< body: an index into Scene::bodies
  [[nodiscard]] BatchReport report() const;
  void reset_report();

  // One world. Bodies are places in BatchModel::bodies().
  [[nodiscard]] BatchStatus status(int world) const;
  [[nodiscard]] std::int64_t steps(int world) const;  ///< taken since t = 0
  [[nodiscard]] double r_c(int world) const;          ///< of its last step
  [[nodiscard]] double nat(int world) const;
  [[nodiscard]] BatchParameters parameters(int world) const;
  void set_parameters(int world, const BatchParameters& parameters);
  [[nodiscard]] BodyState state(int world, int body) const;
  void set_state(int world, int body, const BodyState& state);
  [[nodiscard]] std::vector<BatchContact> contacts(int world) const;
  /// 16 hexadecimal digits from the bits of everything that the next step depends on.
  [[nodiscard]] std::string state_hash(int world) const;
  /// The contact problem of the next step as one problem, whatever its islands, and the impulses it starts from.
  [[nodiscard]] ContactProblem next_problem(int world, std::vector<ContactVec>& start) const;

  /// Time that the device has worked on advance() since reset_report(), s; 0 on the host.
  [[nodiscard]] double device_seconds() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace repose
