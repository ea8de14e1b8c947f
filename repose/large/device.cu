// SPDX-License-Identifier: Apache-2.0
// Sweeps on a CUDA device: one launch for many of them, its threads meeting after every phase. Compiled with
// -fmad=false: the bits are those of host.cpp.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>

#include "repose/base/error.h"
#include "repose/batch/device_info.h"
#include "repose/large/backend_internal.h"
#include "repose/large/sweeps_internal.h"

namespace repose::large {
namespace {

constexpr int kBlockThreads = 256;       ///< of a crew of one block
constexpr int kClusterThreads = 128;     ///< of each block of a cluster
constexpr int kGridThreads = 128;        ///< of each block of a grid
constexpr int kLeastLanes = 4;           ///< of a warp that are given patches
constexpr int kLargestCluster = 16;      ///< blocks; eight where the device has no room for sixteen
constexpr int kBlockContacts = 600;      ///< up to so many, one block
constexpr int kClusterContacts = 30000;  ///< and up to so many, one cluster

void check(cudaError_t error, const char* what) {
  if (error == cudaErrorNoKernelImageForDevice)
    fail("cuda: ", what, ": this program has no code for the device; rebuild with its architecture");
  if (error == cudaErrorMemoryAllocation) fail("cuda: ", what, ": the device has too little free memory");
  require(error == cudaSuccess, "cuda: ", what, ": ", cudaGetErrorString(error));
}

/// What the threads of all kinds of crew do alike. Tiles go round the blocks, so that few of them use all.
class Threads {
 public:
  __device__ Threads(int block, int blocks)
      : thread_((static_cast<int>(threadIdx.x) / kTile * blocks + block) * kTile +
                static_cast<int>(threadIdx.x) % kTile),
        threads_(static_cast<int>(blockDim.x) * blocks) {}
  __device__ bool leads() const { return thread_ == 0; }
  template <class F>
  __device__ __forceinline__ void each(int first, int last, F f) const {
#pragma unroll 1
    for (int i = first + thread_; i < last; i += threads_) f(i);
  }
  /// Few items are spread over all warps, as they take different ways through the same code.
  template <class F>
  __device__ __forceinline__ void each_apart(int first, int last, F f) const {
    int lanes = kTile;
    while (lanes > kLeastLanes && (last - first) * kTile <= threads_ * (lanes / 2)) lanes /= 2;
    if (thread_ % kTile >= lanes) return;
#pragma unroll 1
    for (int i = first + thread_ / kTile * lanes + thread_ % kTile; i < last; i += threads_ / kTile * lanes) f(i);
  }
  template <int K, class F>
  __device__ __forceinline__ void sum_groups(int items, double* out, F f) const {
#pragma unroll 1
    for (int i = thread_; i / kTile * kTile < items; i += threads_) {
      double part[K] = {};
      if (i < items) f(i, part);
      tree(part);
      if (i % kTile == 0)
        for (int k = 0; k < K; ++k) put(out + i / kTile * K + k, part[k]);
    }
  }
  template <int K>
  __device__ __forceinline__ void sum_of_groups(int groups, const double* of, double* out) const {
    if (thread_ >= kTile) return;
    double part[K] = {};
#pragma unroll 4
    for (int g = thread_; g < groups; g += kTile)
      for (int k = 0; k < K; ++k) part[k] += fresh(of + g * K + k);
    tree(part);
    if (thread_ == 0)
      for (int k = 0; k < K; ++k) put(out + k, part[k]);
  }

 private:
  template <int K>
  __device__ __forceinline__ static void tree(double (&part)[K]) {
    for (int d = 1; d < kTile; d *= 2)
      for (int k = 0; k < K; ++k) part[k] += __shfl_xor_sync(0xffffffffu, part[k], d);
  }

  int thread_, threads_;
};

struct BlockCrew : Threads {
  __device__ BlockCrew() : Threads(0, 1) {}
  __device__ void wait() const { __syncthreads(); }
};

struct ClusterCrew : Threads {
  __device__ ClusterCrew() : Threads(static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x)) {}
  __device__ void wait() const {
#if __CUDA_ARCH__ >= 900
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
  }
};

/// All blocks are resident (cooperative launch): the last one to arrive lets the others go on.
struct GridCrew : Threads {
  __device__ explicit GridCrew(unsigned* arrived)
      : Threads(static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x)), arrived_(arrived) {}
  __device__ void wait() const {
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      const unsigned goal = (atomicAdd(arrived_, 1u) / gridDim.x + 1) * gridDim.x;
      while (static_cast<int>(*static_cast<volatile unsigned*>(arrived_) - goal) < 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }
  unsigned* arrived_;
};

__global__ void __launch_bounds__(kBlockThreads, 1) sweep_block(Arrays arrays, Goal goal, long long until) {
  const BlockCrew crew;
  Sweeps<BlockCrew>(arrays, crew).run(goal, until);
}
__global__ void __launch_bounds__(kClusterThreads, 1) sweep_cluster(Arrays arrays, Goal goal, long long until) {
  const ClusterCrew crew;
  Sweeps<ClusterCrew>(arrays, crew).run(goal, until);
}
__global__ void __launch_bounds__(kGridThreads, 1)
    sweep_grid(Arrays arrays, Goal goal, long long until, unsigned* arrived) {
  const GridCrew crew(arrived);
  Sweeps<GridCrew>(arrays, crew).run(goal, until);
}

/// Memory of the device.
class Memory {
 public:
  Memory() = default;
  ~Memory() { cudaFree(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  void claim(std::size_t bytes) {
    if (bytes <= bytes_) return;
    cudaFree(data_);
    data_ = nullptr, bytes_ = 0;
    check(cudaMalloc(&data_, bytes), "memory of the problem");
    bytes_ = bytes;
  }
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class CudaSweeps final : public DeviceSweeps {
 public:
  explicit CudaSweeps(SweepCrew crew) : wanted_(crew) {
    check(cudaGetDeviceProperties(&device_, 0), "device");
    arrived_.claim(sizeof(unsigned));
  }

  void upload_constants(const std::byte* memory, const Layout& layout) override {
    const Clock::time_point start = Clock::now();
    memory_.claim(layout.bytes);
    layout_ = layout;
    crew_ = crew_for(layout.contacts);
    copy(memory, 0, layout.v_free);
    times_ = {.transfer = seconds_since(start)};
  }
  void upload_start(const std::byte* memory) override {
    const Clock::time_point start = Clock::now();
    copy(memory, layout_.v_free, layout_.bytes);
    times_.transfer += seconds_since(start);
  }

  Progress sweep(const Goal& goal, long long until) override {
    const Arrays arrays(layout_, memory_.data());
    if (crew_ == SweepCrew::kBlock)
      sweep_block<<<1, kBlockThreads>>>(arrays, goal, until);
    else if (crew_ == SweepCrew::kCluster)
      launch_cluster(arrays, goal, until);
    else
      launch_grid(arrays, goal, until);
    check(cudaGetLastError(), "sweep");
    Progress progress;
    check(cudaMemcpy(&progress, arrays.progress, sizeof progress, cudaMemcpyDeviceToHost), "sweep");
    ++times_.launches;
    return progress;
  }

  void download(std::byte* memory) override {
    const Clock::time_point start = Clock::now();
    const std::size_t first = layout_.constant_bytes;
    check(cudaMemcpy(memory + first, memory_.data() + first, layout_.bytes - first, cudaMemcpyDeviceToHost),
          "download");
    times_.transfer += seconds_since(start);
  }

  [[nodiscard]] const DeviceTimes& times() const override { return times_; }

 private:
  void copy(const std::byte* memory, std::size_t first, std::size_t end) {
    check(cudaMemcpy(memory_.data() + first, memory + first, end - first, cudaMemcpyHostToDevice), "upload");
  }

  [[nodiscard]] SweepCrew crew_for(int contacts) const {
    const bool clusters = device_.major >= 9;
    if (wanted_ == SweepCrew::kCluster) require(clusters, "crew: cluster: expected compute capability 9.0 or later");
    if (wanted_ != SweepCrew::kAny) return wanted_;
    if (contacts <= kBlockContacts) return SweepCrew::kBlock;
    return clusters && contacts <= kClusterContacts ? SweepCrew::kCluster : SweepCrew::kGrid;
  }

  void launch_cluster(const Arrays& arrays, const Goal& goal, long long until) {
    cudaLaunchAttribute size{};
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim = {kLargestCluster, 1, 1};
    cudaLaunchConfig_t config{};
    config.blockDim = kClusterThreads;
    config.attrs = &size, config.numAttrs = 1;
    check(cudaFuncSetAttribute(sweep_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "cluster");
    int clusters = 0;
    for (; size.val.clusterDim.x > 1; size.val.clusterDim.x /= 2) {
      config.gridDim = size.val.clusterDim.x;
      if (cudaOccupancyMaxActiveClusters(&clusters, sweep_cluster, &config) == cudaSuccess && clusters > 0) break;
    }
    check(cudaLaunchKernelEx(&config, sweep_cluster, arrays, goal, until), "sweep");
  }

  void launch_grid(const Arrays& arrays, const Goal& goal, long long until) {
    auto* arrived = reinterpret_cast<unsigned*>(arrived_.data());
    check(cudaMemset(arrived, 0, sizeof *arrived), "sweep");
    Arrays a = arrays;
    Goal g = goal;
    void* arguments[] = {&a, &g, &until, &arrived};
    check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(sweep_grid),
                                      dim3(static_cast<unsigned>(device_.multiProcessorCount)), dim3(kGridThreads),
                                      arguments, 0, nullptr),
          "sweep");
  }

  SweepCrew wanted_, crew_ = SweepCrew::kGrid;
  cudaDeviceProp device_{};
  Layout layout_;
  Memory memory_, arrived_;
  DeviceTimes times_;
};

}  // namespace

std::unique_ptr<DeviceSweeps> make_device_sweeps(SweepCrew crew) {
  std::string why;
  require(!cuda_devices(why).empty(), "device: expected cpu, got cuda: ", why);
  return std::make_unique<CudaSweeps>(crew);
}

}  // namespace repose::large
