// SPDX-License-Identifier: Apache-2.0
#include "repose/base/input_file.h"

#include <system_error>

#include "repose/base/error.h"

namespace repose::files {

void require_regular_file(const std::filesystem::path& path, std::string_view expected) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  const std::string name = path.string();
  require(std::filesystem::exists(status), name, ": expected ", expected, ", got no such file");
  require(!std::filesystem::is_directory(status), name, ": expected ", expected, ", got a folder");
  require(std::filesystem::is_regular_file(status), name, ": expected ", expected,
          ", got something that is not a regular file");
}

}  // namespace repose::files
