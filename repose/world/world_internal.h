// SPDX-License-Identifier: Apache-2.0
// The parts of a world.
#pragma once

#include "repose/world/correction_internal.h"
#include "repose/world/island_set_internal.h"
#include "repose/world/look_ahead_internal.h"
#include "repose/world/rollback_internal.h"
#include "repose/world/setup_internal.h"
#include "repose/world/step_data_internal.h"
#include "repose/world/world.h"

namespace repose {

struct World::Impl {
  Impl(Scene scene, const WorldOptions& options);

  StepReport step();
  /// For everything that uses the collisions between steps.
  void renew_collisions();
  [[nodiscard]] double time() const { return state.steps * setup.scene.dt; }

  const WorldSetup setup;
  WorldState state;
  Collision collision;  ///< with the features of the last step
  ContactSet previous;  ///< of the step before the last; its memory serves the next step
  StepData data;        ///< of the last step
  IslandSet islands;    ///< of the last step
  LookAhead look_ahead;
  Correction correction;
  Rollback rollback;
  bool collisions_are_broken = false;  ///< by an exception in the last step

 private:
  [[nodiscard]] StepReport attempt();
  void take_back();
  void start_step();
  [[nodiscard]] StepReport abandon(StepStatus status, const char* why = "");
  void assemble();
  bool wake(const LookAhead::Start& start);
  EndPoses solve();
  const JointKinematics& kinematics_at_end();
  void finish(StepReport& report, EndPoses known, double energy_before);
  bool found_is_new = false;  ///< data.found is that of the step being taken, `previous` that of the last one
};

/// Identifies what must be the same when a run is continued: bodies, masses, shapes, time step, edge normals.
[[nodiscard]] std::uint64_t fingerprint(const WorldSetup& setup);

}  // namespace repose
