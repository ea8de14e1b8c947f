// SPDX-License-Identifier: Apache-2.0
// Prints the hashes of this build and compares them with hashes.txt.   repose_bits [NAME...]
// Exit status 0: all are as stored. Without names everything is run.
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "repose/base/error.h"
#include "repose/shape/polyhedron.h"
#include "tests/frozen/corpus.h"
#include "tests/frozen/scenes.h"
#include "tests/frozen/table.h"

// No run reads a mesh: the library for that is left out.
std::vector<repose::Vec3> repose::read_mesh_vertices(const std::string& path) {
  fail(path, ": repose_bits reads no meshes");
}

namespace repose::frozen {
namespace {

std::string hash_of(const std::string& name) {
  for (const FrozenScene& run : frozen_scenes())
    if (run.name == name) return final_hash(run);
  return corpus_answer(name).hash;
}

int compare(std::span<char*> names) {
  const Table table = read_table();
  int compared = 0, other = 0;
  const auto run = [&](const std::string& name) {
    const auto stored = table.hash.find(name);
    require(stored != table.hash.end(), "repose_bits: expected a name of hashes.txt, got ", name);
    const std::string hash = hash_of(name);
    const bool same = hash == stored->second;
    std::printf("%s %s%s\n", name.c_str(), hash.c_str(), same ? "" : (" stored: " + stored->second).c_str());
    std::fflush(stdout);
    ++compared, other += !same;
  };
  for (const char* name : names) run(name);
  if (names.empty())
    for (const auto& line : table.hash) run(line.first);
  std::printf("%d of %d hashes as stored\n", compared - other, compared);
  return other == 0 ? 0 : 1;
}

}  // namespace
}  // namespace repose::frozen

int main(int argc, char** argv) {
  try {
    return repose::frozen::compare(std::span(argv + 1, static_cast<std::size_t>(argc - 1)));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
