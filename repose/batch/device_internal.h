// SPDX-License-Identifier: Apache-2.0
// The worlds of a batch on a device. device.cu implements it with CUDA; builds without it have no_device.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace repose::batch {

class DeviceWorlds {
 public:
  virtual ~DeviceWorlds() = default;
  /// The states of all worlds, in the memory of the device.
  [[nodiscard]] virtual std::byte* memory() const = 0;
  virtual void upload(const std::byte* states, int first, int count) = 0;
  virtual void download(std::byte* states, int first, int count) = 0;
  /// The first `bytes` of every world's state, one after the other.
  virtual void download_heads(std::byte* heads, int bytes) = 0;
  /// Advances every world that is ready until it has taken `target` steps since t = 0.
  virtual void advance(long long target) = 0;
  [[nodiscard]] virtual double seconds() const = 0;
  virtual void reset_seconds() = 0;
};

/// Makes the block of tables for its address on the device.
using MakeTables = std::function<std::vector<std::byte>(std::size_t address)>;

/// Of a world: its size class, the features of its model, its memory.
struct DeviceNeeds {
  int threads = 0, features = 0, state_bytes = 0, work_bytes = 0;
};

/// Throws InputError where there is no device.
[[nodiscard]] std::unique_ptr<DeviceWorlds> make_device_worlds(const MakeTables& tables, const DeviceNeeds& needs,
                                                               int worlds);

}  // namespace repose::batch
