// SPDX-License-Identifier: Apache-2.0
// Where the worlds of a batch are advanced: functions of plain bytes, so that their sources can be compiled with other
// flags (host.cpp) or by another compiler (device.cu). Tables and states are those of tables_internal.h.
#pragma once

#include <cstddef>

namespace repose::batch {

/// Called for a step that the host finishes; the structs are those of tables_internal.h.
struct HelpCall {
  void* context;
  /// `problem`: const StepProblem*, `help`: StepHelp*, whose memory stays valid until the next call.
  void (*solve)(void* context, const void* problem, void* help);
  /// Removes overlap; `end`: const StepEnd*.
  void (*correct)(void* context, const void* end);
};

namespace host {
/// What a world needs at its present poses.
struct Needs {
  int pairs = 0, contacts = 0, blocks = 0, updates = 0;
  bool fits = false;  ///< the tables have room for it
};
[[nodiscard]] Needs measure(const std::byte* tables, std::byte* state);
/// Advances one world until it has taken `target` steps. It stops early when its status is not kReady.
void advance(const std::byte* tables, std::byte* state, long long target);
/// Takes one step of a world with impulses from `call`, in lists that are longer than those of its size class.
void finish_step(const std::byte* tables, std::byte* state, const HelpCall& call);
}  // namespace host

}  // namespace repose::batch
