// SPDX-License-Identifier: Apache-2.0
// The kernel of one size class and set of features. Compiled once for each, with -DREPOSE_BATCH_THREADS=8 and
// -DREPOSE_BATCH_FEATURES=0 and so on, and with -fmad=false: the bits are those of host.cpp.
#include "repose/batch/device_kernel.cuh"
#include "repose/batch/step_internal.h"

namespace repose::batch {
namespace {

constexpr int W = REPOSE_BATCH_THREADS, S = W == 256 ? 2 : 1;
using Size = TeamSize<W, S, REPOSE_BATCH_FEATURES>;
constexpr int kThreads = Team<W>::kLanes;
/// Blocks per multiprocessor that the registers have to suffice for.
constexpr int kBlocks = W == 8 ? 16 : W == 32 ? 16 : W == 64 ? 8 : W == 128 ? 3 : 1;

/// A block for each world.
__global__ void __launch_bounds__(kThreads, kBlocks) advance_worlds(char* states, long long target) {
  const StateView state{&device_tables.state, states + static_cast<size_t>(blockIdx.x) * device_tables.state.bytes};
  if (state.header().status != WorldStatus::kReady || state.header().steps >= target) return;
  if (!Step<Size>::has_room(device_tables, state.header())) {
    Team<W>{}.sync();  // all have read the header
    if (Team<W>{}.leads()) state.header().status = WorldStatus::kCapacity;
    return;
  }
  ContactSlots<Size> slots;
  Step<Size> step(Work<W>{}, state, slots);
  step.load();
  WorldStatus status = WorldStatus::kReady;
  while (step.steps() < target && status == WorldStatus::kReady) status = step.advance();
  step.save(status);
}

cudaError_t set_tables(const char* tables) {
  return cudaMemcpyToSymbol(device_tables, tables, sizeof(Tables), 0, cudaMemcpyDeviceToDevice);
}
cudaError_t prepare(int shared) {
  return cudaFuncSetAttribute(advance_worlds, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
}
cudaError_t run(char* states, int worlds, long long target, int shared) {
  advance_worlds<<<worlds, kThreads, static_cast<size_t>(shared)>>>(states, target);
  return cudaGetLastError();
}

}  // namespace

#define REPOSE_JOIN(threads, features) launch_##threads##_##features
#define REPOSE_LAUNCH(threads, features) REPOSE_JOIN(threads, features)
KernelLaunch REPOSE_LAUNCH(REPOSE_BATCH_THREADS, REPOSE_BATCH_FEATURES)() { return {set_tables, prepare, run}; }

}  // namespace repose::batch
