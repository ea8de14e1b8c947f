// SPDX-License-Identifier: Apache-2.0
// Joints and actuators as the pages read them: a description in the header, and in each frame, after the words of the
// bodies, the coordinates of all joints and the control and force of each actuator, as 32-bit floats.
#pragma once

#include <vector>

#include "repose/export/page_data_internal.h"
#include "repose/world/world.h"

namespace repose::exporter {

/// What a frame says: coordinates at its state, controls and forces of the step that starts there.
struct JointMoment {
  std::vector<double> coordinates;       ///< by joint and coordinate, rad or m; balls have none
  std::vector<double> controls, forces;  ///< by actuator; forces before the gear, N m or N
};

/// Adds "joints" and "actuators", where there are some.
void put_joints(Json& header, const Scene& scene);
void put_joints(ChunkWriter& out, const JointMoment& moment);

[[nodiscard]] std::vector<double> joint_coordinates(const World& world);
/// Moments of frames first .. first + count of a recording of `scene`; the last state has no forces.
[[nodiscard]] std::vector<JointMoment> recorded_joints(const Recording& recording, const Scene& scene, int first,
                                                       const std::vector<RecordedState>& states);

}  // namespace repose::exporter
