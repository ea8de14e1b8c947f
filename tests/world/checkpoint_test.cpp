// SPDX-License-Identifier: Apache-2.0
// Checkpoints: a restored run continues bit for bit, and damaged ones are refused without a trace.
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "repose/base/error.h"
#include "repose/world/hash.h"
#include "repose/world/world.h"
#include "tests/support/world_scenes.h"

namespace repose {
namespace {

using namespace testing;

TEST(Checkpoint, RestoredRunContinuesBitForBit) {
  for (const int at : {7, 25, 40}) {
    World world(busy_scene());
    for (int k = 0; k < at; ++k) world.step();
    std::stringstream stored;
    world.save(stored);
    for (int k = 0; k < 40; ++k) world.step();
    World again(busy_scene());
    again.load(stored);
    EXPECT_EQ(again.steps(), at);
    for (int k = 0; k < 40; ++k) again.step();
    EXPECT_EQ(again.state_hash(), world.state_hash()) << "restored at step " << at;
  }
}

TEST(Checkpoint, RestoredRunKeepsTheStepSizeOfFbf) {
  FrictionOptions fbf = options_from_names("fbf", "auto");
  std::get<FbfOptions>(fbf.outer).safety = 100;  // leans on the test that shrinks γ
  fbf.max_iterations = 30;
  World world(stack(3, 1e-3), {.solver = fbf});
  for (int k = 0; k < 5; ++k) world.step();
  std::stringstream stored;
  world.save(stored);
  World again(stack(3, 1e-3), {.solver = fbf});
  again.load(stored);
  for (int k = 0; k < 5; ++k) {
    world.step();
    again.step();
  }
  EXPECT_EQ(again.state_hash(), world.state_hash());
}

TEST(Checkpoint, CheckpointsOfOtherScenesAndDamagedOnesAreRefused) {
  World world(busy_scene()), other(stack(3));
  std::stringstream stored;
  world.save(stored);
  std::istringstream whole(stored.str()), cut(stored.str().substr(0, stored.str().size() / 2)),
      text("not a checkpoint");
  EXPECT_THROW(other.load(whole), InputError);
  EXPECT_THROW(world.load(cut), InputError);
  EXPECT_THROW(world.load(text), InputError);
}

TEST(Checkpoint, CheckpointsOfTheOtherEdgeNormalAreRefused) {
  Scene on_faces = stack(3);
  on_faces.edge_normal = EdgeNormal::kFace;
  World halving(stack(3)), faces(on_faces), again(on_faces);
  std::stringstream stored, other;
  faces.save(stored);
  halving.save(other);
  std::istringstream copy(stored.str());
  EXPECT_THROW(halving.load(copy), InputError);
  EXPECT_THROW(faces.load(other), InputError);
  again.load(stored);
  EXPECT_EQ(again.state_hash(), faces.state_hash());
}

std::string checkpoint_of(const World& world) {
  std::ostringstream out;
  world.save(out);
  return out.str();
}

/// What load() says: empty when it took the checkpoint.
std::string refusal(World& world, const std::string& bytes) {
  std::istringstream in(bytes);
  try {
    world.load(in);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

/// Where the hash of the content and the content begin.
constexpr std::size_t kHash = 28, kContent = 36;

std::string with_flipped_bit(std::string bytes, std::size_t place) {
  bytes[place] = static_cast<char>(bytes[place] ^ (1 << (place % 8)));
  return bytes;
}

std::string with_new_hash(std::string bytes) {
  Fnv1a hash;
  for (const char c : bytes.substr(kContent)) hash.add(c);
  const std::uint64_t value = hash.value();
  std::memcpy(&bytes[kHash], &value, sizeof value);
  return bytes;
}

TEST(Checkpoint, DamagedCheckpointsChangeNothing) {
  World source(busy_scene()), world(busy_scene()), twin(busy_scene());
  for (int k = 0; k < 25; ++k) source.step();
  for (int k = 0; k < 12; ++k) world.step(), twin.step();
  const std::string good = checkpoint_of(source), before = checkpoint_of(world);
  ASSERT_NE(good, before);
  const auto expect_unchanged = [&](const std::string& why, std::size_t place) {
    EXPECT_EQ(why.find('\n'), why.npos) << why;
    ASSERT_EQ(checkpoint_of(world), before) << "byte " << place << ": " << why;
  };
  for (std::size_t keep = 0; keep < good.size(); keep += keep < 200 ? 1 : 7) {
    const std::string why = refusal(world, good.substr(0, keep));
    ASSERT_NE(why, "") << keep << " of " << good.size() << " bytes";
    expect_unchanged(why, keep);
    if (HasFatalFailure()) return;
  }
  // One bit of every byte.
  for (std::size_t place = 0; place < good.size(); ++place) {
    const std::string why = refusal(world, with_flipped_bit(good, place));
    ASSERT_NE(why, "") << "byte " << place;
    expect_unchanged(why, place);
    if (HasFatalFailure()) return;
  }
  // The same with a hash that agrees: refused, or taken (a digit more or less is a state, too) and good for a step.
  std::size_t refused = 0, taken = 0;
  for (std::size_t place = kContent; place < good.size(); ++place) {
    const std::string damaged = with_new_hash(with_flipped_bit(good, place));
    const std::string why = refusal(world, damaged);
    if (why.empty()) {
      EXPECT_EQ(checkpoint_of(world).size(), damaged.size()) << "byte " << place;
      if (++taken % 32 == 0) (void)world.step();
      ASSERT_EQ(refusal(world, before), "") << "byte " << place;
    } else {
      ++refused;
    }
    expect_unchanged(why, place);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(refused, good.size() / 20);
  EXPECT_GT(taken, good.size() / 20);
  for (int k = 0; k < 40; ++k) world.step(), twin.step();
  EXPECT_EQ(world.state_hash(), twin.state_hash());
  EXPECT_EQ(refusal(world, good), "");
  EXPECT_EQ(checkpoint_of(world), good);
}

}  // namespace
}  // namespace repose
