// SPDX-License-Identifier: Apache-2.0
// The scene of a recording: the shapes of its bodies.
#pragma once

#include "repose/record/recording.h"
#include "repose/scene/scene.h"

namespace repose::exporter {

/// The stored scene. Where none was kept, bodies are boxes of the same mass and inertia. Throws InputError when the
/// stored scene has other bodies than the recording.
[[nodiscard]] Scene recorded_scene(const Recording& recording);

/// Edges/2 of the homogeneous box with these principal moments (kg m²); 0 where no box has them.
[[nodiscard]] Vec3 equivalent_box(double mass, Vec3 moments);

/// "t = 2 s: ball appears", for people.
[[nodiscard]] std::string event_text(const Scene& scene, const Event& event);

}  // namespace repose::exporter
