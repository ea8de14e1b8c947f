// SPDX-License-Identifier: Apache-2.0
// The devices that a batch can run on.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace repose {

/// A device that a batch can run on.
struct DeviceInfo {
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  std::size_t memory = 0;  ///< bytes
  int block_memory = 0;    ///< shared memory of a block, bytes
};
/// The CUDA devices of this machine. When there is none, `why` says what is missing.
[[nodiscard]] std::vector<DeviceInfo> cuda_devices(std::string& why);

}  // namespace repose
