// SPDX-License-Identifier: Apache-2.0
// What the scene inside a recording says about its steps: surfaces, materials, motions, events.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "repose/record/recording.h"
#include "repose/scene/scene.h"
#include "repose/verify/surface.h"
#include "repose/verify/verify.h"

namespace repose::verify {

class RecordedScene {
 public:
  RecordedScene(Scene scene, const Recording& recording);

  [[nodiscard]] double gravity_scale(std::size_t body) const { return scene_.bodies[body].gravity_scale; }
  /// Diameter of a body's shapes about its mass centre, m; 0: only half-spaces.
  [[nodiscard]] double size(std::size_t body) const { return sizes_[body]; }
  /// Whether a contact's shapes are shapes of its bodies; what follows takes only those.
  [[nodiscard]] bool has_shapes_of(const Contact& c) const;
  /// Size of the smaller of two shapes' bodies, m.
  [[nodiscard]] double pair_size(int shape_a, int shape_b) const;
  [[nodiscard]] double friction(int shape_a, int shape_b) const;
  [[nodiscard]] double restitution(int shape_a, int shape_b) const;
  /// The part of a contact's bias that follows from its gap, m/s.
  [[nodiscard]] double gap_bias(const Contact& c, double h) const;
  /// How far the two ends of a contact's gap are from the surfaces of the two shapes, m.
  [[nodiscard]] double distance_from_surfaces(const Contact& c, const RecordedState& state) const;
  /// Whether both ends of a contact's gap lie on the surfaces to rounding: balls; half-spaces with boxes and hulls.
  [[nodiscard]] bool has_exact_points(int shape_a, int shape_b) const;
  /// How far such points may be off, m: a ball lies on the plane of a hull's face, a half-space on the corners.
  [[nodiscard]] double roughness(int shape_a, int shape_b) const;
  /// Number of pairs of shapes that overlap and are not in `touched`.
  [[nodiscard]] int overlaps_without(const std::set<std::pair<int, int>>& touched, const RecordedState& state,
                                     const std::vector<char>& present) const;
  /// Presence of bodies, velocities that events set, poses of prescribed motions.
  void check_events(int step, const RecordedStep& recorded, const RecordedState& before, const RecordedState& after,
                    StepCheck& result) const;

 private:
  struct Shape {
    int body = 0;
    const SceneShape* shape = nullptr;
    Ball ball;  ///< around it, in its own frame
  };
  [[nodiscard]] Pose pose(int shape, const RecordedState& state) const;
  [[nodiscard]] bool may_touch(const Shape& a, const Shape& b) const;
  [[nodiscard]] const PairOverride* own_law(int material_a, int material_b) const;

  Scene scene_;
  const Recording& recording_;
  std::vector<Shape> shapes_;            ///< counted over the whole scene
  std::vector<double> sizes_;            ///< by body, m
  std::set<std::pair<int, int>> apart_;  ///< bodies that do not collide with each other
  double scale_ = 0;                     ///< size of the largest body, m
};

/// Empty when the recording holds no scene that can be read.
[[nodiscard]] std::optional<RecordedScene> read_scene(const Recording& recording);

}  // namespace repose::verify
