// SPDX-License-Identifier: Apache-2.0
// The file that a target's reader opens, in memory where the system offers that, and removed at the end.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "repose/base/error.h"
#include "tests/fuzz/targets.h"
#include "tests/support/temporary_folder.h"

namespace repose::fuzz {

inline std::filesystem::path quick_folder() {
  std::error_code ignored;
  const std::filesystem::path memory = "/dev/shm";
  return std::filesystem::is_directory(memory, ignored) ? memory : std::filesystem::temp_directory_path();
}

inline std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

class InputFile {
 public:
  explicit InputFile(const std::string& name) : folder_(quick_folder()), path_(folder_ / name) {}
  const std::string& with(std::string_view bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc).write(bytes.data(), std::ssize(bytes));
    return path_;
  }
  const std::string& with(Bytes bytes) const { return with(text_of(bytes)); }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string content() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Another file in the same folder, for inputs that name one.
  void put_beside(const std::string& name, std::string_view text) const { folder_.write(name, text); }

 private:
  testing::TemporaryFolder folder_;
  std::string path_;
};

/// Calls `read`, which refuses its input with an InputError or accepts it.
template <class Read>
void accept_or_refuse(const Read& read) {
  try {
    read();
    ++accepted();
  } catch (const InputError&) {
  }
}

}  // namespace repose::fuzz
