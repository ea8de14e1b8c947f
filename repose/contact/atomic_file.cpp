// SPDX-License-Identifier: Apache-2.0
#include "repose/contact/atomic_file_internal.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "repose/contact/file_support_internal.h"

namespace repose::files {
namespace {

namespace fs = std::filesystem;

std::string reason() { return std::error_code(errno, std::generic_category()).message(); }

/// Where the bytes belong when `path` is a link; nothing but a file is ever replaced.
fs::path resolve(const fs::path& path, const FileFault& fault) {
  std::error_code error;
  const fs::path target = fs::is_symlink(path, error) ? fs::weakly_canonical(path, error) : path;
  const fs::file_status status = fs::status(target, error);
  fault.expect(!fs::is_directory(status), "output", "a directory", "a file name");
  fault.expect(!fs::exists(status) || fs::is_regular_file(status), "output", "something that is not a regular file",
               "a file name");
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  fault.expect(fs::is_directory(folder, error), "output", "no folder of that name", "an existing folder");
  return target;
}

/// A new file next to `target`, removed again unless it is renamed.
class Draft {
 public:
  Draft(const fs::path& target, const FileFault& fault) : fault_(fault), name_(target) {
    static std::atomic<unsigned> count{0};
    name_ += ".part-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
    file_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0) fail();
  }
  ~Draft() {
    if (file_ >= 0) ::close(file_);
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  void write(std::span<const char> bytes) {
    while (!bytes.empty()) {
      const ssize_t done = ::write(file_, bytes.data(), bytes.size());
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) fail();
      bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
  }
  void rename_to(const fs::path& target) {
    if (::fsync(file_) != 0 && errno != EINVAL && errno != ENOTSUP) fail();
    if (::close(std::exchange(file_, -1)) != 0) fail();
    if (::rename(name_.c_str(), target.c_str()) != 0) fail();
    name_.clear();
  }

 private:
  [[noreturn]] void fail() const { fault_.fail("output", reason(), "a place that can be written"); }

  const FileFault& fault_;
  fs::path name_;
  int file_ = -1;
};

}  // namespace

void write_atomically(const fs::path& path, std::span<const char> bytes) {
  const FileFault fault(path.string());
  const fs::path target = resolve(path, fault);
  Draft draft(target, fault);
  draft.write(bytes);
  draft.rename_to(target);
}

}  // namespace repose::files
