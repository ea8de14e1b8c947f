// SPDX-License-Identifier: Apache-2.0
// The kernels of a batch for the host, with the bits of a device. They live in a namespace of their own for each source,
// REPOSE_UNCONTRACTED: large kernels that a device compiles into every file have one copy in the host library already
// (REPOSE_KERNEL), and these sources are compiled with other flags, while a linker keeps one copy of each name.
#pragma once

#define repose REPOSE_UNCONTRACTED
#include "repose/batch/step_internal.h"
#undef repose

#include <memory>
#include <vector>

#include "repose/batch/backend_internal.h"

namespace repose::batch::host {
namespace {

namespace kernel = REPOSE_UNCONTRACTED::batch;
using kernel::Tables;
using kernel::WorldStatus;

/// Everything that one world at work needs.
template <class Size>
struct Room {
  std::vector<double> memory;
  kernel::ContactSlots<Size> slots;
};

/// The memory of a thread, which stays from call to call.
template <class Size>
Room<Size>& room_for(const Tables& tables) {
  thread_local std::unique_ptr<Room<Size>> room;
  if (!room) room = std::make_unique<Room<Size>>();
  const std::size_t size = static_cast<std::size_t>(tables.work.bytes) / sizeof(double) + 1;
  if (room->memory.size() < size) room->memory.resize(size);
  return *room;
}

}  // namespace
}  // namespace repose::batch::host
