// SPDX-License-Identifier: Apache-2.0
// Loaded in front of the C library (LD_PRELOAD): the disk of one file is full after a number of writes, and its file
// system cannot reserve room. REPOSE_FULL_FILE is the end of the file's name, REPOSE_FULL_AFTER the number of writes.
#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

using Write = ssize_t (*)(int, const void*, size_t, off_t);

bool is_on_the_full_disk(int descriptor) {
  const char* wanted = std::getenv("REPOSE_FULL_FILE");
  if (wanted == nullptr) return false;
  char link[64], name[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = ::readlink(link, name, sizeof name);
  return length > 0 && std::string_view(name, static_cast<std::size_t>(length)).ends_with(wanted);
}

bool is_full(int descriptor) {
  static const long most = std::atol(std::getenv("REPOSE_FULL_AFTER"));
  static std::atomic<long> done{0};
  return is_on_the_full_disk(descriptor) && ++done > most;
}

ssize_t guarded(const char* name, int descriptor, const void* bytes, size_t count, off_t place) {
  if (is_full(descriptor)) {
    errno = ENOSPC;
    return -1;
  }
  return reinterpret_cast<Write>(::dlsym(RTLD_NEXT, name))(descriptor, bytes, count, place);
}

}  // namespace

extern "C" ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t place) {
  return guarded("pwrite", descriptor, bytes, count, place);
}
extern "C" ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off_t place) {
  return guarded("pwrite64", descriptor, bytes, count, place);
}
extern "C" int fallocate(int, int, off_t, off_t) {
  errno = EOPNOTSUPP;
  return -1;
}
extern "C" int fallocate64(int, int, off_t, off_t) {
  errno = EOPNOTSUPP;
  return -1;
}
