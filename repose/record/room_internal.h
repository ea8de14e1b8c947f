// SPDX-License-Identifier: Apache-2.0
// Room on the disk for rows that are about to be written. HDF5 does not recover from a write that fails; to know before
// that there is no room keeps the file whole.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <string>

namespace repose::record {

/// Reserves `bytes` behind the end of an open file. Returns what is in the way ("No space left on device"), empty where
/// nothing is. On a file system that cannot reserve, only the limits of the process are looked at.
[[nodiscard]] std::string reserve_room(hid_t file, std::size_t bytes);

/// Gives back, when it goes out of scope, what is reserved behind the end of a file that was closed before.
class ReleasedRoom {
 public:
  explicit ReleasedRoom(std::string path) : path_(std::move(path)) {}
  ~ReleasedRoom();
  ReleasedRoom(const ReleasedRoom&) = delete;
  ReleasedRoom& operator=(const ReleasedRoom&) = delete;

 private:
  std::string path_;
};

}  // namespace repose::record
