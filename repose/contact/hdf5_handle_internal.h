// SPDX-License-Identifier: Apache-2.0
// Owns one identifier of the HDF5 library, of any kind, and serialises threads: a program has one library, which need
// not have been built for several threads. Every caller holds a session.
#pragma once

#include <hdf5.h>

#include <mutex>
#include <utility>

namespace repose::files {

/// The one lock around the library.
[[nodiscard]] std::recursive_mutex& hdf5_mutex();

/// Locks out other threads and keeps HDF5's error stack off the terminal. One thread may hold several sessions.
class Hdf5Session {
 public:
  Hdf5Session() : lock_(hdf5_mutex()) {
    H5Eget_auto2(H5E_DEFAULT, &print_, &print_to_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Hdf5Session() { H5Eset_auto2(H5E_DEFAULT, print_, print_to_); }
  Hdf5Session(const Hdf5Session&) = delete;
  Hdf5Session& operator=(const Hdf5Session&) = delete;

 private:
  std::lock_guard<std::recursive_mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* print_to_ = nullptr;
};

/// An HDF5 identifier with its closing function. Closing needs no session.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() { reset(); }
  void reset() {
    if (id_ < 0) return;
    const Hdf5Session session;
    close_(id_);
    id_ = -1;
  }
  [[nodiscard]] hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

}  // namespace repose::files
