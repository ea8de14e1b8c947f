// SPDX-License-Identifier: Apache-2.0
// Steps of a world on the host: those of its size class, and in longer lists those that the host finishes.
#define REPOSE_UNCONTRACTED repose_uncontracted
#include "repose/batch/host_room_internal.h"

namespace repose::batch::host {

// Of each set of features, in sources of their own.
void advance_0(const std::byte* tables, std::byte* state, long long target);
void advance_2(const std::byte* tables, std::byte* state, long long target);
void advance_3(const std::byte* tables, std::byte* state, long long target);
void advance_7(const std::byte* tables, std::byte* state, long long target);

void advance(const std::byte* tables, std::byte* state, long long target) {
  const Tables& t = *reinterpret_cast<const Tables*>(tables);
  const auto& world = *reinterpret_cast<const kernel::WorldHeader*>(state);
  if (world.status != WorldStatus::kReady || world.steps >= target) return;
  if (t.features == 0) return advance_0(tables, state, target);
  if (t.features == kernel::kScheduled) return advance_2(tables, state, target);
  if (!(t.features & kernel::kJoints)) return advance_3(tables, state, target);
  advance_7(tables, state, target);
}

namespace {
/// For every model: the host takes few steps itself.
using Wide = kernel::SizeClass<32, 128, kernel::kAllFeatures, 2048, 4096, 16384, 4096>;
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
