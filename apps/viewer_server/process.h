// SPDX-License-Identifier: Apache-2.0
// Other programs: finding, starting and ending them.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace repose::view {

/// Full path of the first of these names that is a program in PATH.
[[nodiscard]] std::optional<std::string> find_program(const std::vector<std::string>& names);

/// A running program in a process group of its own, with its output thrown away. Ended, with its children, when it
/// goes.
class Process {
 public:
  explicit Process(const std::vector<std::string>& command);  ///< throws InputError when it cannot be started
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] bool running();
  int wait();    ///< exit status, −1 when a signal ended it
  void leave();  ///< lets it go on by itself

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
};

/// A new empty folder, removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace repose::view
