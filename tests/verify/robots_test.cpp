// SPDX-License-Identifier: Apache-2.0
// Recordings of public robots, checked from the recording alone: contacts, joints, limits, servos and couplings.
#include "repose/record/recorder.h"
#include "repose/scene/load.h"
#include "repose/scene/native_json.h"
#include "repose/verify/verify.h"
#include "tests/support/data.h"
#include "tests/support/recorded_runs.h"

namespace repose {
namespace {

using namespace testing;

TEST_F(RecordFile, RobotsAreFollowed) {
  REPOSE_NEEDS_DATA("menagerie");
  for (const char* file : {"robotiq_2f85/scene.xml", "agility_cassie/scene.xml", "shadow_hand/scene_right.xml",
                           "google_barkour_vb/scene.xml", "kuka_iiwa_14/scene.xml"}) {
    const Scene scene = load_scene((data_dir() / "menagerie" / file).string()).scene;
    {
      World world(scene);
      Recorder recorder(path, world, {.scene_json = native_scene_text(scene)});
      for (int k = 0; k < 150; ++k) recorder.add(world, world.step());
    }
    const Recording recording(path);
    const Verifier verifier(recording);
    ASSERT_TRUE(verifier.has_scene()) << file;
    for (int k = 0; k < recording.steps(); ++k) {
      const StepCheck check = verifier.check(k);
      ASSERT_STREQ(check.fault(), "") << file << " step " << k;
      ASSERT_TRUE(check.solved(1e-8)) << file << " step " << k;
    }
  }
}

}  // namespace
}  // namespace repose
