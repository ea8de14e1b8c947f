// SPDX-License-Identifier: Apache-2.0
// Lets the n-th call of operator new of this process fail, and counts what is not given back. For exactly one source
// file of a test executable: the operators are defined here.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace repose::testing {

inline std::atomic<long> allocations_left{-1};  ///< until the one that fails; < 0: none does
inline std::atomic<long> allocations_refused{0};
inline std::atomic<long> allocations_live{0};

enum class Failing { kOne, kAllAfter };
inline std::atomic<Failing> failing{Failing::kOne};

inline bool allocation_fails() {
  if (allocations_left.load(std::memory_order_relaxed) < 0) return false;
  if (allocations_left > 0) return --allocations_left, false;
  if (failing == Failing::kOne) allocations_left = -1;
  ++allocations_refused;
  return true;
}

/// From here to its end allocation n, counted from 0, fails; with kAllAfter those after it, too. For one thread.
class FailingAllocation {
 public:
  explicit FailingAllocation(long n, Failing which = Failing::kOne) {
    failing = which;
    allocations_refused = 0;
    allocations_left = n;
  }
  ~FailingAllocation() { allocations_left = -1; }
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;
  /// False: there were fewer allocations.
  [[nodiscard]] static bool came() { return allocations_refused > 0; }
};

inline void* allocated(void* memory) {
  if (memory != nullptr) allocations_live.fetch_add(1, std::memory_order_relaxed);
  return memory;
}
inline void* plain_allocation(std::size_t size) {
  return allocation_fails() ? nullptr : allocated(std::malloc(size > 0 ? size : 1));
}
inline void* aligned_allocation(std::size_t size, std::size_t alignment) {
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  return allocation_fails() ? nullptr : allocated(std::aligned_alloc(alignment, whole > 0 ? whole : alignment));
}
inline void given_back(void* memory) {
  if (memory != nullptr) allocations_live.fetch_sub(1, std::memory_order_relaxed);
  std::free(memory);
}

}  // namespace repose::testing

// The array forms of the standard library call these. Not inlined: GCC would see free() meet new.
#define REPOSE_PLAIN_CALL __attribute__((noinline))
REPOSE_PLAIN_CALL void* operator new(std::size_t size) {
  if (void* memory = repose::testing::plain_allocation(size)) return memory;
  throw std::bad_alloc();
}
REPOSE_PLAIN_CALL void* operator new(std::size_t size, std::align_val_t align) {
  if (void* memory = repose::testing::aligned_allocation(size, static_cast<std::size_t>(align))) return memory;
  throw std::bad_alloc();
}
REPOSE_PLAIN_CALL void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return repose::testing::plain_allocation(size);
}
REPOSE_PLAIN_CALL void operator delete(void* memory) noexcept { repose::testing::given_back(memory); }
REPOSE_PLAIN_CALL void operator delete(void* memory, std::align_val_t) noexcept { repose::testing::given_back(memory); }
REPOSE_PLAIN_CALL void operator delete(void* memory, std::size_t) noexcept { repose::testing::given_back(memory); }
REPOSE_PLAIN_CALL void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  repose::testing::given_back(memory);
}
#undef REPOSE_PLAIN_CALL
