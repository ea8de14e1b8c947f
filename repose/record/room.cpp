// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "repose/record/room_internal.h"

namespace repose::record {
namespace {

constexpr std::size_t kIndices = 256 * 1024;  // bytes: indices, headers, and what closing the file writes

std::string message(int error) { return std::error_code(error, std::generic_category()).message(); }

/// Whether a file system that does not reserve said so; a full disk says something else.
bool cannot_reserve(int error) { return error != ENOSPC && error != EDQUOT && error != EFBIG; }

bool within_limit(std::size_t size) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

}  // namespace

std::string reserve_room(hid_t file, std::size_t bytes) {
  hsize_t end = 0;
  void* handle = nullptr;
  if (H5Fget_filesize(file, &end) < 0 || H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0) return "an error of HDF5";
  const std::size_t more = bytes + kIndices;
  if (!within_limit(end + more)) return message(EFBIG);
#ifdef __linux__
  const int descriptor = *static_cast<const int*>(handle);
  int error = 0;
  do {
    error =
        fallocate(descriptor, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(end), static_cast<off_t>(more)) == 0 ? 0 : errno;
  } while (error == EINTR);
  if (error != 0 && !cannot_reserve(error)) return message(error);
#endif
  return {};
}

/// Without memory of its own, which may be what has run out.
ReleasedRoom::~ReleasedRoom() {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  static_cast<void>(::truncate(path_.c_str(), status.st_size) == 0);  // without success the room stays reserved
}

}  // namespace repose::record
