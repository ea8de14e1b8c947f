// SPDX-License-Identifier: Apache-2.0
// Where a problem is swept: on the host, or on a device, whose sources are compiled with other flags or by another
// compiler.
#pragma once

#include <cstddef>
#include <memory>

#include "repose/large/sweep_crew.h"
#include "repose/large/tables_internal.h"

namespace repose::large {

struct DeviceTimes {
  double transfer = 0;  ///< both ways since constants were uploaded, s
  long long launches = 0;
};

/// A problem in the memory of a device.
class DeviceSweeps {
 public:
  virtual ~DeviceSweeps() = default;
  /// Everything before Layout::v_free.
  virtual void upload_constants(const std::byte* memory, const Layout& layout) = 0;
  /// v_f and all that changes.
  virtual void upload_start(const std::byte* memory) = 0;
  virtual Progress sweep(const Goal& goal, long long until) = 0;
  virtual void download(std::byte* memory) = 0;
  [[nodiscard]] virtual const DeviceTimes& times() const = 0;
};

/// Throws InputError where there is no device.
[[nodiscard]] std::unique_ptr<DeviceSweeps> make_device_sweeps(SweepCrew crew);

namespace host {
/// `arrays`: const Arrays*, `goal`: const Goal*.
void sweep(const void* arrays, const void* goal, long long until);
}  // namespace host

}  // namespace repose::large
