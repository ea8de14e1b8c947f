// SPDX-License-Identifier: Apache-2.0
// A file that appears complete or not at all.
#pragma once

#include <filesystem>
#include <span>

namespace repose::files {

/// Writes beside `path`, flushes to the disk, then renames. On trouble nothing stays behind but what was there before.
void write_atomically(const std::filesystem::path& path, std::span<const char> bytes);

}  // namespace repose::files
