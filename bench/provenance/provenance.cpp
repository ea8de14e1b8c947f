// SPDX-License-Identifier: Apache-2.0
#include "bench/provenance/provenance.h"

#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>

#include "repose/base/version.h"

namespace repose::bench {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  return "unknown";
}

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

/// The build writes the file (commit.cmake). It stays outside the program, so that the same sources make the same
/// program at every commit.
std::string commit() {
  std::ifstream file(REPOSE_COMMIT_FILE);
  std::string text;
  return std::getline(file, text) && !text.empty() ? text : "unknown";
}

std::string operating_system() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return std::string(names.sysname) + " " + names.machine;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[16];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts)};
}

}  // namespace

nlohmann::ordered_json provenance() {
  return {{"version", kVersion},          {"commit", commit()},       {"compiler", compiler()},
          {"flags", REPOSE_BUILD_FLAGS},  {"processor", processor()}, {"cores", std::thread::hardware_concurrency()},
          {"system", operating_system()}, {"date", today()}};
}

}  // namespace repose::bench
