// SPDX-License-Identifier: Apache-2.0
// The worlds of a batch on a CUDA device: one team of threads per world, one block per world from 32 threads on.
// Compiled with -fmad=false: the bits are those of host.cpp.
#include <cuda_runtime.h>

#include <string>

#include "repose/base/error.h"
#include "repose/batch/device_info.h"
#include "repose/batch/device_internal.h"
#include "repose/batch/device_kernel.cuh"
#include "repose/batch/tables_internal.h"

namespace repose {
namespace batch {
namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaErrorNoKernelImageForDevice)
    fail("cuda: ", what, ": this program has no code for the device; rebuild with its architecture");
  if (error == cudaErrorMemoryAllocation) fail("cuda: ", what, ": the device has too little free memory");
  require(error == cudaSuccess, "cuda: ", what, ": ", cudaGetErrorString(error));
}

/// The kernel of a size class that has the features of the model, and no more than it must.
KernelLaunch launch_for(int threads, int features) {
  using Launch = KernelLaunch (*)();
#define REPOSE_LAUNCHES(features) \
  { launch_8_##features, launch_32_##features, launch_64_##features, launch_128_##features, launch_256_##features }
  static const Launch launches[][5] = {REPOSE_LAUNCHES(0), REPOSE_LAUNCHES(2), REPOSE_LAUNCHES(3), REPOSE_LAUNCHES(7)};
#undef REPOSE_LAUNCHES
  const int set = features == 0 ? 0 : features == kScheduled ? 1 : !(features & kJoints) ? 2 : 3;
  const int size = threads == 8 ? 0 : threads == 32 ? 1 : threads == 64 ? 2 : threads == 128 ? 3 : 4;
  return launches[set][size]();
}

/// Memory of the device.
class DeviceMemory {
 public:
  explicit DeviceMemory(size_t bytes) { check(cudaMalloc(&data_, bytes), "memory of the batch"); }
  ~DeviceMemory() { cudaFree(data_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  [[nodiscard]] char* data() const { return static_cast<char*>(data_); }

 private:
  void* data_ = nullptr;
};

/// Measures the time between two moments on the device.
class Stopwatch {
 public:
  Stopwatch() {
    check(cudaEventCreate(&start_), "event");
    check(cudaEventCreate(&stop_), "event");
  }
  ~Stopwatch() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  void start() { check(cudaEventRecord(start_), "event"); }
  double stop() {
    check(cudaEventRecord(stop_), "event");
    check(cudaEventSynchronize(stop_), "advance");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start_, stop_), "event");
    return 1e-3 * static_cast<double>(ms);
  }

 private:
  cudaEvent_t start_{}, stop_{};
};

class CudaWorlds final : public DeviceWorlds {
 public:
  CudaWorlds(const MakeTables& tables, const DeviceNeeds& needs, int worlds)
      : launch_(launch_for(needs.threads, needs.features)),
        worlds_(worlds),
        state_bytes_(static_cast<size_t>(needs.state_bytes)),
        shared_(needs.work_bytes * launch_.worlds),
        tables_(tables(0).size()),
        states_(state_bytes_ * static_cast<size_t>(worlds)) {
    const std::vector<std::byte> bytes = tables(reinterpret_cast<size_t>(tables_.data()));
    check(cudaMemcpy(tables_.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "tables");
    check(launch_.prepare(shared_), "shared memory of a world");
  }

  [[nodiscard]] std::byte* memory() const override { return reinterpret_cast<std::byte*>(at(0)); }
  void upload(const std::byte* states, int first, int count) override {
    check(cudaMemcpy(at(first), states, state_bytes_ * static_cast<size_t>(count), cudaMemcpyHostToDevice), "upload");
  }
  void download(std::byte* states, int first, int count) override {
    check(cudaMemcpy(states, at(first), state_bytes_ * static_cast<size_t>(count), cudaMemcpyDeviceToHost), "download");
  }
  void download_heads(std::byte* heads, int bytes) override {
    const auto size = static_cast<size_t>(bytes);
    check(cudaMemcpy2D(heads, size, at(0), state_bytes_, size, static_cast<size_t>(worlds_), cudaMemcpyDeviceToHost),
          "download");
  }
  void advance(long long target) override {
    check(launch_.set_tables(tables_.data()), "tables");
    watch_.start();
    check(launch_.run(at(0), worlds_, target, shared_), "advance");
    seconds_ += watch_.stop();
  }
  [[nodiscard]] double seconds() const override { return seconds_; }
  void reset_seconds() override { seconds_ = 0; }

 private:
  [[nodiscard]] char* at(int world) const { return states_.data() + state_bytes_ * static_cast<size_t>(world); }

  KernelLaunch launch_;
  int worlds_;
  size_t state_bytes_;
  int shared_;
  DeviceMemory tables_, states_;
  Stopwatch watch_;
  double seconds_ = 0;
};

}  // namespace

std::unique_ptr<DeviceWorlds> make_device_worlds(const MakeTables& tables, const DeviceNeeds& needs, int worlds) {
  std::string why;
  const std::vector<DeviceInfo> devices = cuda_devices(why);
  require(!devices.empty(), "device: expected cpu, got cuda: ", why);
  const int needed = needs.work_bytes * (needs.threads < 32 ? 32 / needs.threads : 1);
  require(needed <= devices[0].block_memory, "device: ", devices[0].name, ": expected ", (needed + 1023) / 1024,
          " KB of shared memory per block for this scene, got ", devices[0].block_memory / 1024, " KB");
  return std::make_unique<CudaWorlds>(tables, needs, worlds);
}

}  // namespace batch

namespace {

/// What is missing when the devices cannot be counted.
std::string missing(cudaError_t error) {
  int driver = 0;
  if (error == cudaErrorNoDevice) return "the driver has no CUDA device";
  if (error != cudaErrorInsufficientDriver || cudaDriverGetVersion(&driver) != cudaSuccess)
    return cudaGetErrorString(error);
  if (driver == 0) return "no NVIDIA driver is installed";
  const auto text = [](int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  };
  return "the NVIDIA driver is for CUDA " + text(driver) + ", this build needs " + text(CUDART_VERSION);
}

}  // namespace

std::vector<DeviceInfo> cuda_devices(std::string& why) {
  int count = 0;
  std::vector<DeviceInfo> devices;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) {
    why = missing(error);
    return devices;
  }
  for (int k = 0; k < count; ++k) {
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, k) != cudaSuccess) continue;
    devices.push_back({p.name, p.major, p.minor, p.multiProcessorCount, p.totalGlobalMem,
                       static_cast<int>(p.sharedMemPerBlockOptin)});
  }
  if (devices.empty()) why = "no CUDA device";
  return devices;
}

}  // namespace repose
