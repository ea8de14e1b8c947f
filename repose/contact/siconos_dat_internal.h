// SPDX-License-Identifier: Apache-2.0
// Siconos text files (frictionContact_printInFile): dense and sparse-block matrices.
#pragma once

#include <string_view>

#include "repose/contact/file_support_internal.h"
#include "repose/contact/problem_file.h"

namespace repose::files {

[[nodiscard]] StoredProblem parse_siconos_dat(std::string_view text, const FileFault& fault);

}  // namespace repose::files
