// SPDX-License-Identifier: Apache-2.0
// Scenes in MJCF, URDF, native JSON and the format of Rigid-IPC. A scene that is accepted is written and read again.
#include <cstdlib>

#include "repose/scene/load.h"
#include "repose/scene/native_json.h"
#include "tests/fuzz/input_file.h"

namespace repose::fuzz {
namespace {

/// What the program writes it reads, and finds the same in it.
void expect_round_trip(const Scene& scene) {
  const std::string text = native_scene_text(scene);
  if (native_scene_text(parse_native_scene(text, "again")) != text) std::abort();
}

/// With the meshes and the part that the seeds name.
class SceneFile : public InputFile {
 public:
  explicit SceneFile(const std::string& name) : InputFile(name) {
    put_beside("cube.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\nf 1 3 4 2\nf 5 6 8 7\n"
               "f 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    put_beside("plate.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3 4\n");
    put_beside("part.xml", "<mujoco><worldbody><geom type=\"sphere\" size=\"1\"/></worldbody></mujoco>");
  }
};

void feed_scene(const InputFile& file, Bytes bytes) {
  accept_or_refuse([&] { expect_round_trip(load_scene(file.with(bytes)).scene); });
}

}  // namespace

void feed_mjcf(Bytes bytes) {
  static const SceneFile file("input.xml");
  feed_scene(file, bytes);
}

void feed_urdf(Bytes bytes) {
  static const SceneFile file("input.urdf");
  feed_scene(file, bytes);
}

void feed_native(Bytes bytes) {
  static const SceneFile file("input.json");
  feed_scene(file, bytes);
}

void feed_rigid_ipc(Bytes bytes) { feed_native(bytes); }

}  // namespace repose::fuzz
