// SPDX-License-Identifier: Apache-2.0
// The service behind recorded pages hands out the page and its blocks, and nothing else.
#include "apps/viewer_server/page_service.h"

#include <gtest/gtest.h>

#include "repose/record/recorder.h"
#include "repose/scene/native_json.h"
#include "scenes/registry.h"
#include "tests/support/temporary_folder.h"

namespace repose::view {
namespace {

/// Nothing but the page, the session and the blocks has a name, however it is written; there is no way to a file.
TEST(RecordedService, KnowsNoPathsOfTheFileSystem) {
  const testing::TemporaryFolder folder;
  {
    World world(scenes::make("arch", {}));
    Recorder recorder(folder / "arch.h5", world, {.scene_json = native_scene_text(world.scene())});
    for (int k = 0; k < 50; ++k) recorder.add(world, world.step());
  }
  RecordedService service({folder / "arch.h5"}, {"arch"});
  const auto status = [&](const std::string& path) {
    int found = 0;
    service.handle({false, path, "", ""}, [&](const HttpReply& reply) {
      found = reply.status;
      EXPECT_EQ(reply.body->find("root:"), std::string::npos) << path;
    });
    return found;
  };
  for (const char* path : {"/api/session", "/api/run/0/series/0", "/api/run/0/states/1", "/api/run/0/contacts/6",
                           "/api/run/0/pose/0", "/api/run/0/pose/50"})
    EXPECT_EQ(status(path), 200) << path;
  for (const char* path : {"",
                           "/..",
                           "/../../etc/passwd",
                           "//etc/passwd",
                           "/etc/passwd",
                           "/%2e%2e/etc/passwd",
                           "/api/../../etc/passwd",
                           "/api/run/../../../etc/passwd",
                           "/api/run/0/states/../../../../etc/passwd",
                           "/api/run/0/states/..",
                           "/api/run/0/../0",
                           "/api/run/1/states/0",
                           "/api/run/-1/states/0",
                           "/api/run/0/states/2",
                           "/api/run/0/states/-1",
                           "/api/run/0/states/0/0",
                           "/api/run/0/pose/51",
                           "/api/run/0/pose/1e1",
                           "/api/run/0/pose/",
                           "/api/run/0/series/1",
                           "/index.html",
                           "/api/run/0/states/0\n"})
    EXPECT_EQ(status(path), 404) << path;
}

/// What the browser is told: nothing from elsewhere, only the page's own script by its hash, nothing made from text.
TEST(RecordedService, ThePolicyAllowsThePageItsOwnScriptOnly) {
  const std::string policy = page_options("127.0.0.1", 0).policy;
  EXPECT_NE(policy.find("default-src 'none'"), policy.npos) << policy;
  EXPECT_NE(policy.find("frame-ancestors 'none'"), policy.npos) << policy;
  const std::size_t script = policy.find("script-src ");
  ASSERT_NE(script, policy.npos) << policy;
  const std::string scripts = policy.substr(script, policy.find(';', script) - script);
  EXPECT_NE(scripts.find("'sha256-"), scripts.npos) << scripts;
  for (const char* loose : {"unsafe-inline", "unsafe-eval", "http:", "https:", "*"})
    EXPECT_EQ(scripts.find(loose), scripts.npos) << loose;
}

}  // namespace
}  // namespace repose::view
