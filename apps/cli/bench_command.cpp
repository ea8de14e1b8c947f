// SPDX-License-Identifier: Apache-2.0
// repose bench ...: becomes repose-bench, the program of the benchmarks, which lies beside this one.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "apps/cli/commands.h"
#include "repose/base/error.h"

namespace repose::cli {

namespace fs = std::filesystem;

void become_bench(const std::vector<std::string>& arguments) {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "repose-bench";
  require(fs::exists(program), "bench: expected ", program.string(),
          ", got none; 'make build' in the repository builds it (cmake: -DREPOSE_BENCH=ON, target repose_bench)");
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(pointers[0], pointers.data());
  fail(program.string(), ": expected a program that starts, got ",
       std::error_code(errno, std::generic_category()).message());
}

Command add_bench(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("bench", "Run benchmarks by name");
  return {&app, []() -> Exit { become_bench({}); }};
}

}  // namespace repose::cli
