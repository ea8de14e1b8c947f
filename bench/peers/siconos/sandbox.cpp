// SPDX-License-Identifier: Apache-2.0
#include "bench/peers/siconos/sandbox.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <ctime>

#include "repose/base/error.h"

namespace repose::bench {
namespace {

constexpr int kMostRepeats = 1024;
constexpr double kWallFactor = 30;  // a busy machine may stretch CPU time this much before the wall clock ends a child

/// What parent and child share. λ follows in the same mapping.
struct Record {
  int finished = 0;
  Attempt last;
  double seconds[kMostRepeats];
};

class SharedRecord {
 public:
  explicit SharedRecord(int contacts)
      : bytes_(sizeof(Record) + sizeof(ContactVec) * static_cast<std::size_t>(contacts)) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    require(memory_ != MAP_FAILED, "bench_siconos: no shared memory of ", bytes_, " bytes");
    new (memory_) Record;
  }
  ~SharedRecord() { munmap(memory_, bytes_); }
  SharedRecord(const SharedRecord&) = delete;
  SharedRecord& operator=(const SharedRecord&) = delete;

  [[nodiscard]] Record& record() const { return *static_cast<Record*>(memory_); }
  [[nodiscard]] ContactVec* lambda() const { return reinterpret_cast<ContactVec*>(static_cast<Record*>(memory_) + 1); }

 private:
  std::size_t bytes_;
  void* memory_;
};

void arm(int timer, double seconds) {
  itimerval value{};
  value.it_value.tv_sec = static_cast<time_t>(seconds);
  value.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
  setitimer(timer, &value, nullptr);
}

void silence() {
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
}

[[noreturn]] void child(const SharedRecord& shared, int contacts, double cap, const Repeats& repeats,
                        const Solve& solve) {
  for (const int signal_number : {SIGPROF, SIGALRM, SIGINT, SIGTERM}) std::signal(signal_number, SIG_DFL);
  silence();
  Record& record = shared.record();
  std::vector<ContactVec> lambda(static_cast<std::size_t>(contacts));
  double spent = 0;
  for (int i = 0; i < std::min(repeats.at_most, kMostRepeats); ++i) {
    if (i >= repeats.at_least && spent > repeats.budget) break;
    std::fill(lambda.begin(), lambda.end(), ContactVec{});
    arm(ITIMER_PROF, cap);
    arm(ITIMER_REAL, kWallFactor * cap);
    const Attempt attempt = solve(lambda);
    arm(ITIMER_PROF, 0);
    spent += attempt.seconds;
    record.last = attempt;
    record.seconds[i] = attempt.seconds;
    std::copy(lambda.begin(), lambda.end(), shared.lambda());
    record.finished = i + 1;
  }
  _exit(0);  // no destructors, no buffers of the parent
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Smallest of many differences between two readings in a row, s.
double clock_cost() {
  double cost = HUGE_VAL;
  for (int i = 0; i < 1000; ++i) {
    const double start = thread_seconds();
    cost = std::min(cost, thread_seconds() - start);
  }
  return cost;
}

Ending ending_of(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Ending::kReturned;
  if (WIFSIGNALED(status)) {
    if (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM) return Ending::kTimeLimit;
    if (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM) return Ending::kInterrupted;
  }
  return Ending::kCrashed;
}

}  // namespace

Outcome run_apart(int contacts, double cap, const Repeats& repeats, const Solve& solve) {
  const SharedRecord shared(contacts);
  std::fflush(nullptr);
  const pid_t pid = fork();
  require(pid >= 0, "bench_siconos: no child process");
  if (pid == 0) child(shared, contacts, cap, repeats, solve);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) kill(pid, SIGTERM);  // interrupted: so is the child
  const Record& record = shared.record();
  Outcome outcome{.ending = ending_of(status), .last = record.last};
  // exit(0) inside the peer looks like a return, but leaves nothing behind.
  if (outcome.ending == Ending::kReturned && record.finished < repeats.at_least) outcome.ending = Ending::kCrashed;
  outcome.seconds.assign(record.seconds, record.seconds + record.finished);
  if (record.finished > 0) outcome.lambda.assign(shared.lambda(), shared.lambda() + contacts);
  return outcome;
}

Stopwatch::Stopwatch() : start_(thread_seconds()) {}

double Stopwatch::seconds() const {
  const double elapsed = thread_seconds() - start_;
  static const double cost = clock_cost();
  return std::max(elapsed - cost, 0.0);
}

}  // namespace repose::bench
