// SPDX-License-Identifier: Apache-2.0
// The kernels of the size classes and sets of features, each in an object of its own (device_kernel.cu).
#pragma once

#include <cuda_runtime.h>

namespace repose::batch {

struct KernelLaunch {
  int worlds;                                     ///< that share a block
  cudaError_t (*set_tables)(const char* tables);  ///< in the memory of the device
  cudaError_t (*prepare)(int shared);             ///< once: bytes of shared memory of a block
  cudaError_t (*run)(char* states, int worlds, long long target, int shared);
};

/// Each size class for each of the sets of features that kernels are compiled for.
#define REPOSE_DECLARE_LAUNCHES(features) \
  KernelLaunch launch_8_##features();     \
  KernelLaunch launch_32_##features();    \
  KernelLaunch launch_64_##features();    \
  KernelLaunch launch_128_##features();   \
  KernelLaunch launch_256_##features();
REPOSE_DECLARE_LAUNCHES(0)
REPOSE_DECLARE_LAUNCHES(2)
REPOSE_DECLARE_LAUNCHES(3)
REPOSE_DECLARE_LAUNCHES(7)
#undef REPOSE_DECLARE_LAUNCHES

}  // namespace repose::batch
