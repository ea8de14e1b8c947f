// SPDX-License-Identifier: Apache-2.0
// A file that appears complete or not at all.
#pragma once

#include <filesystem>
#include <span>

namespace repose::files {

/// A new file next to its target. commit() renames it to the target; without commit() it is removed. A failure does not
/// change the target; InputError names it.
class Draft {
 public:
  /// Follows a link; replaces regular files only.
  explicit Draft(const std::filesystem::path& target);
  ~Draft();
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  /// Returns the name of the new file, for writers that open files by name.
  [[nodiscard]] const std::filesystem::path& path() const { return name_; }
  void write(std::span<const char> bytes);
  /// Flushes to the disk, then renames.
  void commit();

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path shown_, target_, name_;
  int file_ = -1;
};

/// Writes the whole file at once.
void write_atomically(const std::filesystem::path& path, std::span<const char> bytes);

}  // namespace repose::files
