// SPDX-License-Identifier: Apache-2.0
// A build without CUDA.
#if !defined(REPOSE_HAVE_CUDA)

#include "repose/base/error.h"
#include "repose/batch/batch.h"
#include "repose/batch/device_internal.h"

namespace repose {

namespace {
constexpr const char* kNoCuda = "this build has no CUDA code (cmake -DREPOSE_CUDA=ON, or make build CUDA=1)";
}

std::vector<DeviceInfo> cuda_devices(std::string& why) {
  why = kNoCuda;
  return {};
}

namespace batch {
std::unique_ptr<DeviceWorlds> make_device_worlds(const MakeTables&, const DeviceNeeds&, int) {
  fail("device: expected cpu, got cuda: ", kNoCuda);
}
}  // namespace batch

}  // namespace repose

#endif
