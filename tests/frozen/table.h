// SPDX-License-Identifier: Apache-2.0
// The frozen hashes as text: one line per hash, "NAME HASH", so that a change of bits is a line of a diff.
#pragma once

#include <map>
#include <string>

namespace repose::frozen {

struct Table {
  std::map<std::string, std::string> hash;  ///< by name
};

/// tests/frozen/hashes.txt of the repository. Throws InputError.
[[nodiscard]] Table read_table();
void write_table(const Table& table);

}  // namespace repose::frozen
