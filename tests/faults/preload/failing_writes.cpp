// SPDX-License-Identifier: Apache-2.0
// Loaded in front of the C library (LD_PRELOAD): the disk of one file is full after a number of writes, and its file
// system cannot reserve room. REPOSE_FULL_FILE is a part of the file's name, REPOSE_FULL_AFTER the number of writes.
#include <dlfcn.h>
#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

using WriteAt = ssize_t (*)(int, const void*, size_t, off_t);
using Write = ssize_t (*)(int, const void*, size_t);
using WriteParts = ssize_t (*)(int, const iovec*, int);

bool is_on_the_full_disk(int descriptor) {
  const char* wanted = std::getenv("REPOSE_FULL_FILE");
  if (wanted == nullptr) return false;
  char link[64], name[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = ::readlink(link, name, sizeof name);
  return length > 0 && std::string_view(name, static_cast<std::size_t>(length)).find(wanted) != std::string_view::npos;
}

bool is_full(int descriptor) {
  static std::atomic<long> done{0};
  return is_on_the_full_disk(descriptor) && ++done > std::atol(std::getenv("REPOSE_FULL_AFTER"));
}

/// Calls the C library's function of this name, unless the disk is full.
template <class Function, class... Arguments>
ssize_t guarded(const char* name, int descriptor, Arguments... arguments) {
  if (is_full(descriptor)) {
    errno = ENOSPC;
    return -1;
  }
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name))(descriptor, arguments...);
}

}  // namespace

extern "C" ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t place) {
  return guarded<WriteAt>("pwrite", descriptor, bytes, count, place);
}
extern "C" ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off_t place) {
  return guarded<WriteAt>("pwrite64", descriptor, bytes, count, place);
}
extern "C" ssize_t write(int descriptor, const void* bytes, size_t count) {
  return guarded<Write>("write", descriptor, bytes, count);
}
extern "C" ssize_t writev(int descriptor, const iovec* parts, int count) {
  return guarded<WriteParts>("writev", descriptor, parts, count);
}
extern "C" int fallocate(int, int, off_t, off_t) {
  errno = EOPNOTSUPP;
  return -1;
}
extern "C" int fallocate64(int, int, off_t, off_t) {
  errno = EOPNOTSUPP;
  return -1;
}
