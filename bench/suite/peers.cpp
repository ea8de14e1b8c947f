// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/peers.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "repose/base/error.h"

namespace repose::bench {

namespace fs = std::filesystem;

std::string project_python() {
  if (const char* chosen = std::getenv("REPOSE_PYTHON")) return chosen;
  const fs::path own = fs::path(REPOSE_SOURCE_DIR) / ".venv/bin/python";
  return fs::exists(own) ? own.string() : "python3";
}

void become_peers(const std::vector<std::string>& arguments) {
  const fs::path script = fs::path(REPOSE_SOURCE_DIR) / "bench/peers/peers.py";
  require(fs::exists(script), script.string(), ": script: expected the one of the repository, got none");
  std::vector<std::string> words{project_python(), script.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  fail(words[0], ": Python: expected a program that starts (REPOSE_PYTHON names another), got ", std::strerror(errno));
}

}  // namespace repose::bench
