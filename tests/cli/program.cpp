// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace repose::testing {
namespace {

namespace fs = std::filesystem;

void redirect(const std::string& file, int to) {
  const int from = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (from < 0 || ::dup2(from, to) < 0) ::_exit(126);
}

}  // namespace

std::vector<std::string> Folder::names() const {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(path())) found.push_back(entry.path().filename().string());
  std::sort(found.begin(), found.end());
  return found;
}

Running::Running(const Arguments& arguments, const std::string& program) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string out = folder_ / "out", err = folder_ / "err";
  pid_ = ::fork();
  if (pid_ != 0) return;
  redirect(out, STDOUT_FILENO);
  redirect(err, STDERR_FILENO);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

Running::~Running() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool Running::wait_for_output(std::string_view text) const {
  using namespace std::chrono_literals;
  for (int k = 0; k < 600; ++k) {
    if (read_all(folder_ / "out").find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(100ms);
  }
  return false;
}

void Running::send(int signal) const { ::kill(pid_, signal); }

Outcome Running::wait() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .out = read_all(folder_ / "out"),
          .err = read_all(folder_ / "err")};
}

Outcome run(const Arguments& arguments) { return Running(arguments).wait(); }

Outcome run_well(const Arguments& arguments) {
  Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  return outcome;
}

Outcome run_in_shell(const std::string& before, const Arguments& arguments, const std::string& after) {
  std::string line = before + " exec " REPOSE_PROGRAM;
  for (const std::string& word : arguments) line += " '" + word + "'";
  return Running({"-c", line + " " + after}, "/bin/sh").wait();
}

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_all(const std::string& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

json read_json(const std::string& path) { return json::parse(read_all(path)); }

std::size_t lines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string one_contact(double w, double n, double t1, double t2, double mu) {
  std::ostringstream text;
  text << "3 1 0 3 3 3 3\n" << w << " 0 0 0 " << w << " 0 0 0 " << w << "\n";
  text << n << ' ' << t1 << ' ' << t2 << '\n' << mu << '\n';
  return text.str();
}

}  // namespace repose::testing
