// SPDX-License-Identifier: Apache-2.0
// What fuzzing feeds with bytes: every reader of files and messages that come from elsewhere.
//
// A target takes any bytes. What it reads is accepted or refused with an InputError; every other exception, a crash, a
// sanitizer's report and the limits on time and memory of scripts/fuzz are findings. tests/fuzz/seeds/<name> has inputs
// to start from and those that once were findings; seeds_test.cpp feeds them all with the ordinary compiler.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace repose::fuzz {

using Bytes = std::span<const std::uint8_t>;

void feed_mjcf(Bytes bytes);
void feed_urdf(Bytes bytes);
void feed_native(Bytes bytes);
void feed_rigid_ipc(Bytes bytes);
void feed_fclib(Bytes bytes);
void feed_siconos(Bytes bytes);
void feed_recording(Bytes bytes);
/// Numbers of a recording, with valid checksums of the library around them: feed_recording() hardly gets past those.
/// The bytes are changes of its tables: see RecordedTables in record_targets.cpp.
void feed_tables(Bytes bytes);
/// The content of a checkpoint, to which the target adds header, length and hash.
void feed_checkpoint(Bytes bytes);
void feed_message(Bytes bytes);
/// Bytes for the port of the viewer's server. "@HOST" stands for its address.
void feed_request(Bytes bytes);

struct Target {
  const char* name;
  void (*feed)(Bytes bytes);
};
inline constexpr Target kTargets[] = {
    {"mjcf", feed_mjcf},           {"urdf", feed_urdf},       {"native", feed_native},
    {"rigid_ipc", feed_rigid_ipc}, {"fclib", feed_fclib},     {"siconos", feed_siconos},
    {"recording", feed_recording}, {"tables", feed_tables},   {"checkpoint", feed_checkpoint},
    {"message", feed_message},     {"request", feed_request},
};

/// Inputs that depend on formats of this version, made anew: those that a target accepts.
struct FreshSeed {
  std::string target, name, bytes;
};
[[nodiscard]] std::vector<FreshSeed> fresh_seeds();
[[nodiscard]] std::vector<FreshSeed> fresh_problems();
[[nodiscard]] std::vector<FreshSeed> fresh_recordings();

/// Number of inputs since the start that were read without an objection: a target that refuses everything tests little.
[[nodiscard]] long& accepted();

}  // namespace repose::fuzz
