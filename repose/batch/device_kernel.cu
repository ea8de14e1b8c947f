// SPDX-License-Identifier: Apache-2.0
// The kernel of one size class and set of features. Compiled once for each, with -DREPOSE_BATCH_THREADS=8 and
// -DREPOSE_BATCH_FEATURES=0 and so on, and with -fmad=false: the bits are those of host.cpp.
#include "repose/batch/device_kernel.cuh"
#include "repose/batch/step_internal.h"

namespace repose::batch {
namespace {

constexpr int W = REPOSE_BATCH_THREADS, S = W == 256 ? 2 : 1;
using Size = TeamSize<W, S, REPOSE_BATCH_FEATURES>;
/// Threads and worlds of a block; several worlds share a block of small teams.
constexpr int kBlockThreads = W < 32 ? 32 : W, kWorlds = kBlockThreads / W;
/// Blocks per multiprocessor that the registers have to suffice for.
constexpr int kBlocks = W == 8 ? 8 : W == 32 ? 16 : W == 64 ? 4 : W == 128 ? 3 : 1;

__global__ void __launch_bounds__(kBlockThreads, kBlocks) advance_worlds(char* states, int worlds, long long target) {
  const int world = static_cast<int>(blockIdx.x) * kWorlds + static_cast<int>(threadIdx.x) / W;
  const bool exists = world < worlds;
  const StateView state{&device_tables.state,
                        states + static_cast<size_t>(exists ? world : 0) * device_tables.state.bytes};
  bool runs = exists && state.header().status == WorldStatus::kReady && state.header().steps < target;
  if (runs && !Step<Size>::has_room(device_tables, state.header())) {
    Team<W>{}.sync();  // all have read the header
    if (Team<W>{}.leads()) state.header().status = WorldStatus::kCapacity;
    runs = false;
  }
  if (kWorlds == 1 && !runs) return;
  ContactSlots<Size> slots;
  Step<Size> step(Work<W>{}, state, slots);
  WorldStatus status = WorldStatus::kReady;
  const bool saves = runs;
  if (runs) step.load();
  // Worlds that share a warp begin every step together: apart, each would wait for the instructions of the others.
  while (kWorlds == 1 ? runs : __any_sync(~0u, runs)) {
    if (runs) status = step.advance();
    runs = runs && step.steps() < target && status == WorldStatus::kReady;
  }
  if (saves) step.save(status);
}

cudaError_t set_tables(const char* tables) {
  return cudaMemcpyToSymbol(device_tables, tables, sizeof(Tables), 0, cudaMemcpyDeviceToDevice);
}
cudaError_t prepare(int shared) {
  return cudaFuncSetAttribute(advance_worlds, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
}
cudaError_t run(char* states, int worlds, long long target, int shared) {
  const int blocks = (worlds + kWorlds - 1) / kWorlds;
  advance_worlds<<<blocks, kBlockThreads, static_cast<size_t>(shared)>>>(states, worlds, target);
  return cudaGetLastError();
}

}  // namespace

#define REPOSE_JOIN(threads, features) launch_##threads##_##features
#define REPOSE_LAUNCH(threads, features) REPOSE_JOIN(threads, features)
KernelLaunch REPOSE_LAUNCH(REPOSE_BATCH_THREADS, REPOSE_BATCH_FEATURES)() {
  return {kWorlds, set_tables, prepare, run};
}

}  // namespace repose::batch
