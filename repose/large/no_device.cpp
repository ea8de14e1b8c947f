// SPDX-License-Identifier: Apache-2.0
// A build without CUDA.
#if !defined(REPOSE_HAVE_CUDA)

#include <string>

#include "repose/base/error.h"
#include "repose/batch/device_info.h"
#include "repose/large/backend_internal.h"

namespace repose::large {

std::unique_ptr<DeviceSweeps> make_device_sweeps(SweepCrew) {
  std::string why;
  static_cast<void>(cuda_devices(why));
  fail("device: expected cpu, got cuda: ", why);
}

}  // namespace repose::large

#endif
