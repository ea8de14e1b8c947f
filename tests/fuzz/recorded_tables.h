// SPDX-License-Identifier: Apache-2.0
// Changes of a recording's tables through the HDF5 library, so that its own checksums stay valid.
#pragma once

#include <string>

#include "tests/fuzz/targets.h"

namespace repose::fuzz {

/// Every 12 bytes are one change: table, kind of change, entry (2 bytes), value (8 bytes). The recording's checksums
/// are removed, as if a program of old had written it.
void change_tables(const std::string& path, Bytes changes);

}  // namespace repose::fuzz
