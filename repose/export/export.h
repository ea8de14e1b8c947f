// SPDX-License-Identifier: Apache-2.0
// Recordings in the formats of others. Each function writes a file that appears complete or not at all, and throws
// InputError when it cannot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "repose/record/recording.h"
#include "repose/record/shown_forces.h"

namespace repose::exporter {

/// One page that works from a file and without a network; with two recordings it compares them.
[[nodiscard]] std::string html_of(const std::vector<const Recording*>& recordings, Forces forces = Forces::kAuto);
void export_html(const std::vector<const Recording*>& recordings, const std::filesystem::path& file,
                 Forces forces = Forces::kAuto);
/// One row per state and body, full precision.
void export_csv(const Recording& recording, const std::filesystem::path& file);
/// Arrays for numpy.load: states, steps, contacts.
void export_npz(const Recording& recording, const std::filesystem::path& file, Forces forces = Forces::kAuto);
/// glTF 2.0 with an animation.
void export_glb(const Recording& recording, const std::filesystem::path& file);
/// Universal Scene Description with the physics schema and time samples.
void export_usda(const Recording& recording, const std::filesystem::path& file);
/// VTKHDF poly data that changes with time.
void export_vtkhdf(const Recording& recording, const std::filesystem::path& file);

/// By ending; `others` go into .html only, and only .html and .npz have contact forces.
void export_recording(const Recording& recording, const std::vector<const Recording*>& others,
                      const std::filesystem::path& file, Forces forces = Forces::kAuto);
/// ".html", ".glb", …
[[nodiscard]] const std::vector<std::string>& export_endings();

}  // namespace repose::exporter
