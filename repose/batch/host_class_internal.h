// SPDX-License-Identifier: Apache-2.0
// The kernels of one set of features, REPOSE_HOST_FEATURES, for all size classes. Included once per source.
#include "repose/batch/host_room_internal.h"

namespace repose::batch::host {
namespace {

template <class Size>
void advance_world(const Tables& tables, std::byte* state, long long target) {
  auto& world = *reinterpret_cast<kernel::WorldHeader*>(state);
  if (!kernel::Step<Size>::has_room(tables, world)) {
    world.status = WorldStatus::kCapacity;
    return;
  }
  Room<Size>& room = room_for<Size>(tables);
  const kernel::Work<Size::kThreads> work{&tables, reinterpret_cast<char*>(room.memory.data())};
  kernel::Step<Size> step(work, {&tables.state, reinterpret_cast<char*>(state)}, room.slots);
  step.load();
  WorldStatus status = WorldStatus::kReady;
  while (step.steps() < target && status == WorldStatus::kReady) status = step.advance();
  step.save(status);
}

/// `kFeatures`: at least those of the model.
template <int kFeatures>
void advance_class(const Tables& t, std::byte* state, long long target) {
  switch (t.threads) {
    case 8: return advance_world<kernel::TeamSize<8, 1, kFeatures>>(t, state, target);
    case 32: return advance_world<kernel::TeamSize<32, 1, kFeatures>>(t, state, target);
    case 64: return advance_world<kernel::TeamSize<64, 1, kFeatures>>(t, state, target);
    case 128: return advance_world<kernel::TeamSize<128, 1, kFeatures>>(t, state, target);
    default: return advance_world<kernel::TeamSize<256, 2, kFeatures>>(t, state, target);
  }
}

}  // namespace

#define REPOSE_JOIN(features) advance_##features
#define REPOSE_ADVANCE(features) REPOSE_JOIN(features)
void REPOSE_ADVANCE(REPOSE_HOST_FEATURES)(const std::byte* tables, std::byte* state, long long target) {
  advance_class<REPOSE_HOST_FEATURES>(*reinterpret_cast<const Tables*>(tables), state, target);
}

}  // namespace repose::batch::host
