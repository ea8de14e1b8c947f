// SPDX-License-Identifier: Apache-2.0
// Runs the program under test as a user would: arguments in, exit status, standard output and standard error out.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace repose::testing {

using Arguments = std::vector<std::string>;
using nlohmann::json;

struct Outcome {
  int status = -1;  ///< exit status, or 128 + signal
  std::string out, err;
};

/// A new folder, removed at the end of the test.
class Folder : public TemporaryFolder {
 public:
  [[nodiscard]] std::vector<std::string> names() const;  ///< of what is in it, sorted
};

/// A program that is running.
class Running {
 public:
  explicit Running(const Arguments& arguments, const std::string& program = REPOSE_PROGRAM);
  ~Running();  ///< ends it
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  /// Waits until standard output contains `text`; false after a minute.
  [[nodiscard]] bool wait_for_output(std::string_view text) const;
  void send(int signal) const;
  [[nodiscard]] Outcome wait();

 private:
  Folder folder_;
  pid_t pid_ = -1;
};

[[nodiscard]] Outcome run(const Arguments& arguments);
/// The same, and a failure unless it exits with 0.
Outcome run_well(const Arguments& arguments);

/// Runs the program from a shell that has prepared something: "export X=1;".
[[nodiscard]] Outcome run_in_shell(const std::string& before, const Arguments& arguments,
                                   const std::string& after = "");

[[nodiscard]] std::string read_all(const std::string& path);
void write_all(const std::string& path, std::string_view text);
[[nodiscard]] json read_json(const std::string& path);
[[nodiscard]] std::size_t lines(std::string_view text);

/// Siconos text of one contact with W = w I and free velocity (n, t1, t2).
[[nodiscard]] std::string one_contact(double w, double n, double t1, double t2, double mu);

}  // namespace repose::testing
