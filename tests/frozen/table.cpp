// SPDX-License-Identifier: Apache-2.0
#include "tests/frozen/table.h"

#include <fstream>
#include <sstream>

#include "repose/base/error.h"

namespace repose::frozen {
namespace {

const std::string kPath = REPOSE_SOURCE_DIR "/tests/frozen/hashes.txt";
constexpr const char* kHead =
    "# Hashes of final states and of impulses, for every compiler and instruction set.\n"
    "# Written by `test_frozen --freeze`; CONTRIBUTING.md says when that is allowed.\n";

}  // namespace

Table read_table() {
  std::ifstream in(kPath);
  require(in.good(), kPath, ": expected a table of hashes, got no such file");
  Table table;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::string name, hash, more;
    words >> name >> hash;
    require(hash.size() == 16 && !(words >> more), kPath, ":", number, ": expected a name and 16 digits, got '", line,
            "'");
    require(table.hash.emplace(name, hash).second, kPath, ":", number, ": expected each name once, got '", name,
            "' again");
  }
  return table;
}

void write_table(const Table& table) {
  std::ofstream out(kPath);
  out << kHead;
  for (const auto& [name, hash] : table.hash) out << name << " " << hash << "\n";
  out.close();
  require(!out.fail(), kPath, ": expected a file that can be written, got an error");
}

}  // namespace repose::frozen
