// SPDX-License-Identifier: Apache-2.0
// A run as the pages read it: one JSON header that describes the bodies, and blocks of frames (chunk.h).
//
// Frame k is state k with the contacts, forces and certificate of step k, which starts there. Positions and forces are
// 32-bit floats, the numbers of the plots 64-bit ones.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "repose/export/chunk.h"
#include "repose/record/recording.h"
#include "repose/record/shown_forces.h"
#include "repose/scene/scene.h"

namespace repose::exporter {

using Json = nlohmann::ordered_json;

constexpr int kFramesPerChunk = 32;     ///< of poses
constexpr int kContactFrames = 8;       ///< of contacts, which take several times as many bytes
constexpr std::size_t kBodyWords = 14;  ///< position 3, quaternion 4 (w first), velocity 3, spin 3, present
constexpr std::size_t kContactWords =
    14;  ///< bodies 2, mode, position 3, normal 3, gap, friction, force on the second 3
constexpr std::size_t kSeriesColumns = 16;

/// Name, bodies and their shapes, gravity, events, joints.
[[nodiscard]] Json scene_header(const Scene& scene, std::span<const BodyModel> models);

/// The words of one frame.
void put_body(ChunkWriter& out, Vec3 position, const BodyState& state, bool present);
void put_contact(ChunkWriter& out, const Contact& contact, double dt);
/// Time at the start, r_c, nat, contacts, outer, inner, fallbacks, islands, status, overlap, energy, rise, 4 × ms.
void put_report(ChunkWriter& out, double start, const StepReport& report);

/// A recording in the form of a page. The recording must outlive it.
class RecordedPages {
 public:
  explicit RecordedPages(const Recording& recording, Forces forces = Forces::kAuto);
  [[nodiscard]] const Json& header() const { return header_; }  ///< without the places of blocks
  [[nodiscard]] const Scene& scene() const { return scene_; }
  [[nodiscard]] int frames() const { return recording_.steps() + 1; }
  [[nodiscard]] int chunks() const;  ///< blocks of poses
  [[nodiscard]] int contact_chunks() const;
  [[nodiscard]] std::string series(int level = 6) const;
  [[nodiscard]] std::string states(int chunk, int level = 6) const;
  [[nodiscard]] std::string contacts(int chunk, int level = 6) const;
  /// Returns the poses of one frame, for a jump to a frame whose block is not loaded yet.
  [[nodiscard]] std::string pose(int frame, int level = 6) const;

 private:
  [[nodiscard]] std::string poses(int first, int count, int level) const;
  const Recording& recording_;
  Forces forces_;
  Scene scene_;
  Json header_;
};

}  // namespace repose::exporter
