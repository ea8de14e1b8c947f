// SPDX-License-Identifier: Apache-2.0
// Refuses inputs that cannot be read as files: opening a pipe that nobody writes to would wait for ever.
#pragma once

#include <filesystem>
#include <string_view>

namespace repose::files {

/// Throws InputError, "path: expected …, got …", unless the path is a regular file or a link to one.
void require_regular_file(const std::filesystem::path& path, std::string_view expected);

}  // namespace repose::files
