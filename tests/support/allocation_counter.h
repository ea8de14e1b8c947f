// SPDX-License-Identifier: Apache-2.0
// Counts calls of operator new in a test executable:
//
//   #define REPOSE_COUNT_ALLOCATIONS  // in exactly one source file of the executable, before the include
//   #include "tests/support/allocation_counter.h"
//
//   const AllocationScope scope;
//   solver->solve(c, lambda);
//   EXPECT_EQ(scope.count(), 0);
//
// All threads are counted: run such a test alone when others allocate beside it.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace repose::testing {

inline std::atomic<long> allocation_count{0};

/// Calls of operator new since it was made.
class AllocationScope {
 public:
  AllocationScope() : before_(allocation_count.load()) {}
  [[nodiscard]] long count() const { return allocation_count.load() - before_; }

 private:
  long before_;
};

}  // namespace repose::testing

#ifdef REPOSE_COUNT_ALLOCATIONS

// The array forms of the standard library call these. Not inlined: GCC would see free() meet new. The nothrow form has
// to be here too: std::stable_sort uses it, and the address sanitizer brings its own otherwise.
#define REPOSE_PLAIN_CALL __attribute__((noinline))
REPOSE_PLAIN_CALL void* operator new(std::size_t size) {
  repose::testing::allocation_count.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
REPOSE_PLAIN_CALL void* operator new(std::size_t size, std::align_val_t align) {
  repose::testing::allocation_count.fetch_add(1, std::memory_order_relaxed);
  const auto alignment = static_cast<std::size_t>(align);
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, whole > 0 ? whole : alignment)) return memory;
  throw std::bad_alloc();
}
REPOSE_PLAIN_CALL void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  repose::testing::allocation_count.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size > 0 ? size : 1);
}
REPOSE_PLAIN_CALL void operator delete(void* memory) noexcept { std::free(memory); }
REPOSE_PLAIN_CALL void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
REPOSE_PLAIN_CALL void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
REPOSE_PLAIN_CALL void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#undef REPOSE_PLAIN_CALL
#endif
