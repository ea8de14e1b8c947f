// SPDX-License-Identifier: Apache-2.0
// Pictures of recordings: a browser without a window draws the same page that people see.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "repose/record/shown_forces.h"

namespace repose::view {

struct PictureOptions {
  std::vector<int> frames;  ///< which ones, ≥ 1 of them
  int width = 1280, height = 720;
  std::string theme = "light";    ///< light or dark
  std::string camera = "corner";  ///< corner, front, side or top
  double zoom = 1;                ///< > 0
  bool contacts = false, forces = false, thrust = false, cones = false, velocities = false, joints = false;
  Forces which = Forces::kAuto;  ///< of the admissible contact forces
  std::string colour = "body";   ///< body, speed, force or id
};

/// Calls `take` with the PNG of every frame, in order. Throws InputError when there is no browser, or when it fails.
/// `stop` is asked several times a second. REPOSE_BROWSER names a browser that is not in PATH.
void render_pictures(const std::vector<std::string>& recordings, const PictureOptions& options,
                     const std::function<void(int frame, const std::string& png)>& take,
                     const std::function<bool()>& stop);

/// Empty when none is found.
[[nodiscard]] std::string find_browser();

}  // namespace repose::view
