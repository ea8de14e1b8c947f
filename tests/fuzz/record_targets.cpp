// SPDX-License-Identifier: Apache-2.0
// Recordings, from their first byte to the verdict and the page, and checkpoints.
#include <algorithm>
#include <cstring>
#include <sstream>

#include "repose/export/page_data_internal.h"
#include "repose/record/recorder.h"
#include "repose/scene/native_json.h"
#include "repose/verify/verify.h"
#include "repose/world/hash.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/recorded_tables.h"
#include "tests/support/small_scenes.h"

namespace repose::fuzz {
namespace {

constexpr int kMostSteps = 6;  // of one input

World after(Scene scene, int steps) {
  World world(std::move(scene));
  for (int k = 0; k < steps; ++k) static_cast<void>(world.step());
  return world;
}

std::string recording_of(const Scene& scene, int steps) {
  const InputFile file("fresh.h5");
  World world(scene);
  {
    Recorder recorder(file.path(), world, {.scene_json = native_scene_text(scene), .flush_steps = 2});
    for (int k = 0; k < steps; ++k) recorder.add(world, world.step());
  }
  return file.content();
}

/// Everything that a program does with a recording it knows nothing about.
void use(const std::string& path) {
  const Recording recording(path);
  require_certificates(recording, path);
  const int steps = std::min(recording.steps(), kMostSteps);
  static_cast<void>(recording.times());
  static_cast<void>(recording.states(0, steps + 1));
  static_cast<void>(recording.contacts(0, steps));
  static_cast<void>(recording.joint_blocks(0, steps));
  const Verifier verifier(recording);
  for (int k = 0; k < steps; ++k) static_cast<void>(std::strlen(verifier.check(k).fault()));
  const exporter::RecordedPages pages(recording);
  static_cast<void>(pages.series(exporter::kPlain));
  static_cast<void>(pages.states(0, exporter::kPlain));
  if (pages.contact_chunks() > 0) static_cast<void>(pages.contacts(0, exporter::kPlain));
}

void feed_file(const std::string& path) {
  accept_or_refuse([&] { use(path); });
}

/// A world and what stands before the content of its checkpoints.
struct Checkpointed {
  World world = after(testing::jointed_scene(), 3);
  std::string header, content;
  Checkpointed() {
    constexpr std::size_t kHeader = 8 + 4 + 8, kSizeAndHash = 16;
    std::ostringstream out;
    world.save(out);
    header = out.str().substr(0, kHeader), content = out.str().substr(kHeader + kSizeAndHash);
  }
};

std::string with_hash(const std::string& header, std::string_view content) {
  Fnv1a hash;
  for (const char c : content) hash.add(c);
  std::string all = header;
  for (const std::uint64_t number : {std::uint64_t{content.size()}, hash.value()})
    all.append(reinterpret_cast<const char*>(&number), sizeof number);
  return all.append(content);
}

}  // namespace

void feed_recording(Bytes bytes) {
  static const InputFile file("input.h5");
  feed_file(file.with(bytes));
}

void feed_tables(Bytes bytes) {
  static const InputFile file("input.h5");
  static const std::string bases[] = {recording_of(testing::jointed_scene(), 3),
                                      recording_of(testing::piled_scene(), 3)};
  if (bytes.empty()) return;
  file.with(bases[bytes[0] % std::size(bases)]);
  change_tables(file.path(), bytes.subspan(1));
  feed_file(file.path());
}

void feed_checkpoint(Bytes bytes) {
  static const Checkpointed one;
  accept_or_refuse([&] {
    WorldOptions options;
    options.solver.max_iterations =
        2;  // a state that no step made may be hard to solve, which is not what is looked for
    World world(testing::jointed_scene(), options);
    std::istringstream in(with_hash(one.header, text_of(bytes)));
    world.load(in);
    static_cast<void>(world.step());
  });
}

std::vector<FreshSeed> fresh_recordings() {
  return {{"recording", "fresh-joints", recording_of(testing::jointed_scene(), 3)},
          {"recording", "fresh-pile", recording_of(testing::piled_scene(), 3)},
          {"tables", "fresh-joints", std::string(1, '\0')},
          {"tables", "fresh-pile", std::string(1, '\1')},
          {"checkpoint", "fresh", Checkpointed().content}};
}

}  // namespace repose::fuzz
