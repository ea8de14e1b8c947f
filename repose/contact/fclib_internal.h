// SPDX-License-Identifier: Apache-2.0
// FCLIB HDF5 files: the names of their fields, and the reader.
#pragma once

#include <cstddef>
#include <string>

#include "repose/contact/file_support_internal.h"
#include "repose/contact/problem_file.h"

namespace repose::files {

/// Repose's own group beside FCLIB's: a problem in body form. Other readers ignore it.
inline constexpr const char* kBodyGroup = "/repose_body";
inline constexpr const char* kSetGroup = "/repose_sets";
inline constexpr int kBodyVersion = 1, kFurtherVersion = 2;  // the latter where blocks have more than two bodies

/// `bytes` are those of the file, with HDF5's superblock at the given offset.
[[nodiscard]] StoredProblem read_fclib(std::string bytes, std::size_t superblock, const FileFault& fault);

}  // namespace repose::files
