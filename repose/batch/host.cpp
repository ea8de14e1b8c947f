// SPDX-License-Identifier: Apache-2.0
// The kernels of a batch for the host, with the bits of a device. They live in a namespace of their own: large kernels
// that a device compiles into every file have one copy in the host library already (REPOSE_KERNEL), and this source is
// compiled with other flags, while a linker keeps one copy of each name.
#define repose repose_uncontracted
#include "repose/batch/step_internal.h"
#undef repose

#include <memory>
#include <vector>

#include "repose/batch/backend_internal.h"

namespace repose::batch::host {
namespace {

namespace kernel = repose_uncontracted::batch;
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

void advance(const std::byte* tables, std::byte* state, long long target) {
  const Tables& t = *reinterpret_cast<const Tables*>(tables);
  const auto& world = *reinterpret_cast<const kernel::WorldHeader*>(state);
  if (world.status != WorldStatus::kReady || world.steps >= target) return;
  if (t.features == 0) return advance_class<0>(t, state, target);
  if (t.features == kernel::kScheduled) return advance_class<kernel::kScheduled>(t, state, target);
  if (!(t.features & kernel::kJoints)) return advance_class<kernel::kScheduled | kernel::kCylinders>(t, state, target);
  advance_class<kernel::kAllFeatures>(t, state, target);
}

namespace {
/// For every model: the host takes few steps itself.
using Wide = kernel::SizeClass<32, 128, kernel::kAllFeatures, 1024, kernel::kMostVertices, kernel::kMostEdges>;
}  // namespace

Needs measure(const std::byte* tables, std::byte* state) {
  const Tables& t = *reinterpret_cast<const Tables*>(tables);
  Room<Wide>& room = room_for<Wide>(t);
  const kernel::Work<32> work{&t, reinterpret_cast<char*>(room.memory.data())};
  kernel::Step<Wide> step(work, {&t.state, reinterpret_cast<char*>(state)}, room.slots);
  step.load();
  return step.measure<Needs>();
}

void finish_step(const std::byte* tables, std::byte* state, const HelpCall& call) {
  const Tables& t = *reinterpret_cast<const Tables*>(tables);
  Room<Wide>& room = room_for<Wide>(t);
  thread_local std::vector<kernel::StepContact> list;
  list.resize(static_cast<std::size_t>(t.capacity.contacts));
  const kernel::Work<32> work{&t, reinterpret_cast<char*>(room.memory.data())};
  kernel::Step<Wide> step(work, {&t.state, reinterpret_cast<char*>(state)}, room.slots);
  step.load();
  kernel::StepProblem problem;
  const auto correct = [&](const kernel::StepEnd& end) { call.correct(call.context, &end); };
  step.check_overlap(correct);
  WorldStatus status = step.pose(list.data(), problem);
  if (status == WorldStatus::kReady) {
    kernel::StepHelp help;
    call.solve(call.context, &problem, &help);
    status = step.finish(problem, help, correct);
  } else if (status == WorldStatus::kCapacity) {
    status = WorldStatus::kTooLarge;
  }
  step.save(status);
}

}  // namespace repose::batch::host
