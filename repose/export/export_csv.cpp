// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "repose/base/atomic_file.h"
#include "repose/export/export.h"
#include "repose/export/page_data_internal.h"

namespace repose::exporter {
namespace {

/// Quoted as RFC 4180 has it where the name needs it.
std::string field(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

void append_state(std::string& out, const Recording& recording, const RecordedState& state, int number) {
  for (std::size_t b = 0; b < state.bodies.size(); ++b) {
    const BodyState& s = state.bodies[b];
    const Vec3 p = state.positions[b], v = s.velocity, w = s.angular_velocity;
    const Quat q = s.rotation;
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", number,
                   state.time, b, field(recording.names()[b]), int{state.present[b] != 0}, p.x, p.y, p.z, q.w, q.x, q.y,
                   q.z, v.x, v.y, v.z, w.x, w.y, w.z);
  }
}

}  // namespace

void export_csv(const Recording& recording, const std::filesystem::path& file) {
  std::string out = "state,time,body,name,present,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
  for (int first = 0; first <= recording.steps(); first += kFramesPerChunk) {
    int number = first;
    for (const RecordedState& state : recording.states(first, std::min(kFramesPerChunk, recording.steps() + 1 - first)))
      append_state(out, recording, state, number++);
  }
  files::write_atomically(file, out);
}

}  // namespace repose::exporter
