// SPDX-License-Identifier: Apache-2.0
// The kernels of the size classes, each in an object of its own (device_kernel.cu).
#pragma once

#include <cuda_runtime.h>

namespace repose::batch {

struct KernelLaunch {
  int worlds;                                     ///< that share a block
  cudaError_t (*set_tables)(const char* tables);  ///< in the memory of the device
  cudaError_t (*prepare)(int shared);             ///< once: bytes of shared memory of a block
  cudaError_t (*run)(char* states, int worlds, long long target, int shared);
};

KernelLaunch launch_8();
KernelLaunch launch_32();
KernelLaunch launch_64();
KernelLaunch launch_128();
KernelLaunch launch_256();

}  // namespace repose::batch
