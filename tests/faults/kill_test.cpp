// SPDX-License-Identifier: Apache-2.0
// A program that records is killed at a random moment: every step that was reported as written can be read and checks.
//   REPOSE_KILLS   number of kills, 10 when not set
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <random>

#include "repose/record/recorder.h"
#include "repose/scene/native_json.h"
#include "repose/verify/verify.h"
#include "tests/support/small_scenes.h"
#include "tests/support/temporary_folder.h"

namespace repose::testing {
namespace {

/// Records for ever and sends the number of written steps through the pipe after every flush.
[[noreturn]] void record(const std::string& file, int report_to) {
  World world(piled_scene());
  Recorder recorder(file, world, {.scene_json = native_scene_text(piled_scene()), .flush_steps = 1000});
  for (int k = 0;; ++k) {
    recorder.add(world, world.step());
    if (k % 3 != 2) continue;
    recorder.flush();
    const int written = world.steps();
    if (::write(report_to, &written, sizeof written) != sizeof written) ::_exit(1);
  }
}

/// Starts a recording, kills it after so many microseconds, and returns the last number that it reported.
int killed_after(const std::string& file, unsigned microseconds) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t writer = ::fork();
  if (writer == 0) {
    ::close(ends[0]);
    record(file, ends[1]);
  }
  ::close(ends[1]);
  int last = 0;
  EXPECT_EQ(::read(ends[0], &last, sizeof last), ssize_t{sizeof last});  // it has begun
  ::usleep(microseconds);
  ::kill(writer, SIGKILL);
  ::waitpid(writer, nullptr, 0);
  for (int next = 0; ::read(ends[0], &next, sizeof next) == ssize_t{sizeof next};) last = next;
  ::close(ends[0]);
  return last;
}

int kills() {
  const char* text = std::getenv("REPOSE_KILLS");
  return text != nullptr ? std::atoi(text) : 10;
}

TEST(Kill, LeavesEveryStepThatWasReportedAsWritten) {
  std::mt19937 random(7);
  std::uniform_int_distribution<unsigned> moment(0, 60000);
  long reported = 0, readable = 0;
  for (int k = 0; k < kills(); ++k) {
    const TemporaryFolder folder;
    const std::string file = folder / "run.h5";
    const int written = killed_after(file, moment(random));
    const Recording recording(file);
    ASSERT_GE(recording.steps(), written) << "kill " << k;
    for (int step = 0; step < recording.steps(); ++step)
      ASSERT_STREQ(check_step(recording, step).fault(), "") << "kill " << k << ", step " << step;
    reported += written, readable += recording.steps();
  }
  std::cout << kills() << " kills, " << reported << " steps reported as written, " << readable << " readable\n";
}

}  // namespace
}  // namespace repose::testing
