// SPDX-License-Identifier: Apache-2.0
#include "apps/viewer_server/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>

#include "repose/base/error.h"

extern char** environ;

namespace repose::view {

std::optional<std::string> find_program(const std::vector<std::string>& names) {
  const char* folders = std::getenv("PATH");
  for (const std::string& name : names) {
    if (name.find('/') != name.npos && access(name.c_str(), X_OK) == 0) return name;
    std::istringstream list(folders != nullptr ? folders : "");
    for (std::string folder; std::getline(list, folder, ':');) {
      const std::string file = folder + "/" + name;
      if (!folder.empty() && access(file.c_str(), X_OK) == 0 && !std::filesystem::is_directory(file)) return file;
    }
  }
  return std::nullopt;
}

Process::Process(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&how, 0);
  const int error = posix_spawnp(&pid_, command[0].c_str(), &files, &how, arguments.data(), environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  require(error == 0, command[0], ": expected a program that starts, got ", std::strerror(error));
}

Process::~Process() {
  if (pid_ < 0 || !running()) return;
  kill(-pid_, SIGTERM);
  for (int k = 0; k < 30 && running(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(-pid_, SIGKILL);  // also what the program has left behind of its own
  if (!status_) wait();
}

bool Process::running() {
  if (pid_ < 0 || status_) return false;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return true;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return false;
}

int Process::wait() {
  if (status_) return *status_;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return *status_;
}

void Process::leave() { pid_ = -1; }

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "repose-XXXXXX").string();
  require(mkdtemp(name.data()) != nullptr, name, ": expected a folder that can be made, got ", std::strerror(errno));
  path_ = name;
}
TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace repose::view
