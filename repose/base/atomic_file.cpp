// SPDX-License-Identifier: Apache-2.0
#include "repose/base/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "repose/base/error.h"

namespace repose::files {
namespace {

namespace fs = std::filesystem;

/// The name of a file as one line.
std::string one_line(const fs::path& path) {
  std::string line = path.string();
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return line;
}

[[noreturn]] void refuse(const fs::path& path, std::string_view found, std::string_view allowed) {
  repose::fail(one_line(path), ": output: expected ", allowed, ", got ", found);
}

void expect(bool condition, const fs::path& path, std::string_view found, std::string_view allowed) {
  if (!condition) refuse(path, found, allowed);
}

/// Returns the file that `path` refers to when it is a link.
fs::path resolve(const fs::path& path) {
  std::error_code error;
  fs::path target = fs::is_symlink(path, error) ? fs::weakly_canonical(path, error) : path;
  const fs::file_status status = fs::status(target, error);
  expect(!fs::is_directory(status), path, "a directory", "a file name");
  expect(!fs::exists(status) || fs::is_regular_file(status), path, "something that is not a regular file",
         "a file name");
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  expect(fs::is_directory(folder, error), path, "no folder of that name", "an existing folder");
  return target;
}

}  // namespace

Draft::Draft(const fs::path& target) : shown_(target), target_(resolve(target)), name_(target_) {
  static std::atomic<unsigned> count{0};
  name_ += ".part-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
  file_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0) fail();
}

Draft::~Draft() {
  if (file_ >= 0) ::close(file_);
  if (!name_.empty()) ::unlink(name_.c_str());
}

void Draft::write(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail();
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

void Draft::commit() {
  if (::fsync(file_) != 0 && errno != EINVAL && errno != ENOTSUP) fail();
  if (::close(std::exchange(file_, -1)) != 0) fail();
  if (::rename(name_.c_str(), target_.c_str()) != 0) fail();
  name_.clear();
}

void Draft::fail() const {
  refuse(shown_, std::error_code(errno, std::generic_category()).message(), "a place that can be written");
}

void write_atomically(const fs::path& path, std::span<const char> bytes) {
  Draft draft(path);
  draft.write(bytes);
  draft.commit();
}

}  // namespace repose::files
