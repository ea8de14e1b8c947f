// SPDX-License-Identifier: Apache-2.0
// Arrays without ownership, for kernels: a view of another object's memory, and a list in memory of fixed size. Both
// are plain data that host and device code can share (std::span is not callable on a device).
#pragma once

#include <cassert>
#include <cstddef>

#include "repose/base/pack.h"

// A call that is not inlined: the code for a full list stays out of the loops that fill it.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define REPOSE_OPAQUE __attribute__((noipa))
#else
#define REPOSE_OPAQUE __attribute__((noinline))
#endif

namespace repose {

/// A pointer and a count.
template <class T>
struct View {
  T* data = nullptr;
  int count = 0;

  REPOSE_HD [[nodiscard]] int size() const { return count; }
  REPOSE_HD T& operator[](int i) const { return data[i]; }
  REPOSE_HD T* begin() const { return data; }
  REPOSE_HD T* end() const { return data + count; }
};

/// A read-only view of a contiguous container: std::vector, std::span, std::array.
template <class Container>
[[nodiscard]] auto view_of_all(const Container& container) {
  return View<const typename Container::value_type>{container.data(), static_cast<int>(container.size())};
}

/// A list in memory of fixed size. Elements beyond it are not stored and set `exceeded`: the list is then incomplete,
/// and its owner has to repeat the work with more memory. The capacity must be at least one element.
template <class T>
struct Buffer {
  T* data = nullptr;
  int capacity = 0;
  int count = 0;
  bool exceeded = false;

  REPOSE_HD [[nodiscard]] int size() const { return count; }
  REPOSE_HD [[nodiscard]] bool empty() const { return count == 0; }
  REPOSE_HD T& operator[](int i) const { return data[i]; }
  REPOSE_HD T& back() const { return data[count - 1]; }
  REPOSE_HD T* begin() const { return data; }
  REPOSE_HD T* end() const { return data + count; }
  REPOSE_HD void clear() { count = 0; }
  REPOSE_HD void pop_back() { --count; }
  REPOSE_HD void push_back(const T& x) {
    if (count < capacity)
      data[count++] = x;
    else
      exceed();
  }

 private:
  REPOSE_OPAQUE REPOSE_HD void exceed() { exceeded = true; }
};

}  // namespace repose
