// SPDX-License-Identifier: Apache-2.0
// Recordings: everything comes back, also from a file that still grows and after the writer was killed; the check finds
// the stored certificates from the recording alone, and finds what was tampered with.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "repose/base/error.h"
#include "repose/record/recorder.h"
#include "repose/record/recording.h"
#include "repose/record/summary.h"
#include "repose/scene/native_json.h"
#include "repose/verify/verify.h"
#include "tests/support/recorded_runs.h"
#include "tests/support/world_scenes.h"

namespace repose {
namespace {

using namespace testing;

TEST_F(RecordFile, EverythingComesBack) {
  World world(mixed_scene());
  std::vector<StepReport> reports;
  std::vector<std::vector<Contact>> contacts;
  {
    Recorder recorder(path, world, {.scene_json = "{\"a\": 1}", .settings_json = "{}", .flush_steps = 7});
    for (int k = 0; k < 50; ++k) {
      reports.push_back(world.step());
      contacts.emplace_back(world.contacts().begin(), world.contacts().end());
      recorder.add(world, reports.back());
    }
  }
  const Recording recording(path);
  ASSERT_EQ(recording.steps(), 50);
  EXPECT_EQ(recording.scene_name(), "test");
  EXPECT_EQ(recording.scene_json(), "{\"a\": 1}");
  EXPECT_EQ(recording.names().size(), world.states().size());
  EXPECT_EQ(recording.names()[0], "ground");
  EXPECT_EQ(recording.tolerance(), 1e-8);
  const RecordedState last = recording.state(50);
  EXPECT_EQ(last.time, world.time());
  for (std::size_t b = 0; b < world.states().size(); ++b) {
    EXPECT_EQ(last.bodies[b].centre.x, world.states()[b].centre.x);
    EXPECT_EQ(last.bodies[b].rotation.z, world.states()[b].rotation.z);
    EXPECT_EQ(last.bodies[b].angular_velocity.y, world.states()[b].angular_velocity.y);
    EXPECT_EQ(last.positions[b].z, world.pose(static_cast<int>(b)).position.z);
    EXPECT_EQ(last.present[b] != 0, world.present(static_cast<int>(b)));
  }
  for (const int k : {0, 17, 49}) {
    const RecordedStep step = recording.step(k);
    const auto& expected = contacts[static_cast<std::size_t>(k)];
    ASSERT_EQ(step.contacts.size(), expected.size());
    EXPECT_EQ(step.report.certificate.r_c(), reports[static_cast<std::size_t>(k)].certificate.r_c());
    EXPECT_EQ(step.report.energy, reports[static_cast<std::size_t>(k)].energy);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(step.contacts[i].lambda.n, expected[i].lambda.n);
      EXPECT_EQ(step.contacts[i].normal.y, expected[i].normal.y);
      EXPECT_EQ(step.contacts[i].gap, expected[i].gap);
      EXPECT_EQ(step.contacts[i].feature, expected[i].feature);
      EXPECT_EQ(step.contacts[i].mode, expected[i].mode);
    }
  }
}

/// What a recording holds, written again: nothing of the run is needed.
TEST_F(RecordFile, StatesAndStepsFromElsewhereMakeARecording) {
  const Scene scene = mixed_scene();
  World world(scene);
  {
    Recorder recorder(path, world);
    for (int k = 0; k < 40; ++k) recorder.add(world, world.step());
  }
  std::vector<RecordedState> states;
  std::vector<RecordedStep> steps;
  {
    const Recording first(path);
    for (int k = 0; k <= 40; ++k) states.push_back(first.state(k));
    for (int k = 0; k < 40; ++k) steps.push_back(first.step(k));
  }
  Recorder::write(path, scene, states, steps, 1e-8, {.scene_json = "{}", .settings_json = "{\"engine\": \"other\"}"});
  const Recording again(path);
  ASSERT_EQ(again.steps(), 40);
  EXPECT_EQ(again.settings_json(), "{\"engine\": \"other\"}");
  EXPECT_EQ(again.state(40).bodies[1].centre.z, states[40].bodies[1].centre.z);
  for (int k = 0; k < 40; ++k) EXPECT_TRUE(check_step(again, k).agrees()) << k;
}

TEST_F(RecordFile, RowsThatDoNotFitAreRefused) {
  const Scene scene = mixed_scene();
  World world(scene);
  RecordedState state{
      .time = 0, .bodies = {world.states().begin(), world.states().end()}, .positions = {}, .present = {}};
  state.positions.resize(state.bodies.size());
  state.present.assign(state.bodies.size(), 1);
  EXPECT_THROW(Recorder::write(path, scene, {}, {}, 1e-8), InputError);
  EXPECT_THROW(Recorder::write(path, scene, {state, state}, {}, 1e-8), InputError);
  state.present.pop_back();
  EXPECT_THROW(Recorder::write(path, scene, {state}, {}, 1e-8), InputError);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(RecordFile, CheckFindsTheStoredCertificates) {
  World world(mixed_scene());
  Recorder recorder(path, world);
  for (int k = 0; k < 90; ++k) {
    const StepReport report = world.step();
    ASSERT_EQ(report.status, StepStatus::kSolved);
    recorder.add(world, report);
  }
  recorder.close();
  const Recording recording(path);
  for (int k = 0; k < recording.steps(); ++k) {
    const StepCheck check = check_step(recording, k);
    EXPECT_TRUE(check.agrees()) << "step " << k << ": r_c " << check.recomputed.r_c() << " stored "
                                << check.stored.r_c() << ", velocities " << check.velocity;
    EXPECT_TRUE(check.solved(1e-8));
  }
}

TEST_F(RecordFile, KeepsWhichStepsWereAccepted) {
  FrictionOptions poor = options_from_names("nsgs", "auto");
  poor.max_iterations = 1;
  poor.accept = 2;
  World world(stack(3), {.solver = poor, .warm_start = false});
  Recorder recorder(path, world);
  for (int k = 0; k < 3; ++k) recorder.add(world, world.step());
  recorder.close();
  const Recording recording(path);
  EXPECT_EQ(recording.accept(), 2);
  for (const StepReport& report : recording.reports(0, 3)) EXPECT_EQ(report.status, StepStatus::kAccepted);
}

/// Recordings of earlier versions say nothing of what is acceptable.
TEST_F(RecordFile, WithoutTheLimitItReadsAsNone) {
  World world(stack(2));
  Recorder recorder(path, world);
  recorder.add(world, world.step());
  recorder.close();
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  for (const char* table : {"/accept", "/checksum", "/steps/checksum", "/states/checksum"})
    ASSERT_GE(H5Ldelete(file, table, H5P_DEFAULT), 0);
  H5Fclose(file);
  const Recording recording(path);
  EXPECT_EQ(recording.accept(), 0);
  EXPECT_EQ(recording.reports(0, 1)[0].status, StepStatus::kSolved);
  EXPECT_TRUE(check_step(recording, 0).agrees());
}

TEST_F(RecordFile, JointsComeBackAndAreChecked) {
  World world(jointed_scene());
  std::vector<std::vector<JointBlock>> blocks;
  {
    Recorder recorder(path, world);
    for (int k = 0; k < 40; ++k) {
      world.set_control(0, 0.01 * k);
      const StepReport report = world.step();
      ASSERT_EQ(report.status, StepStatus::kSolved);
      blocks.emplace_back(world.joint_blocks().begin(), world.joint_blocks().end());
      recorder.add(world, report);
    }
  }
  const Recording recording(path);
  ASSERT_EQ(recording.steps(), 40);
  ASSERT_EQ(recording.joints().size(), 3U);
  EXPECT_EQ(recording.actuator_names().size(), 1U);
  EXPECT_EQ(recording.state(40).joint_positions[0][0], world.joint_position(0));
  EXPECT_EQ(recording.step(7).controls[0], 0.01 * 7);
  for (int k = 0; k < 40; ++k) {
    const std::vector<JointBlock> found = recording.step(k).joint_blocks;
    const auto& expected = blocks[static_cast<std::size_t>(k)];
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].key(), expected[i].key());
      EXPECT_EQ(found[i].lambda.n, expected[i].lambda.n);
      EXPECT_EQ(found[i].set.bounds().upper.n, expected[i].set.bounds().upper.n);
      EXPECT_EQ(found[i].set.compliance().n, expected[i].set.compliance().n);
      EXPECT_EQ(found[i].b.angular[0].x, expected[i].b.angular[0].x);
    }
    const StepCheck check = check_step(recording, k);
    EXPECT_TRUE(check.agrees()) << "step " << k << ": r_c " << check.recomputed.r_c() << " stored "
                                << check.stored.r_c() << ", velocities " << check.velocity << ", joints "
                                << check.joints;
    EXPECT_LE(check.joints, 1e-11);
  }
}

/// Where the numbers of a table of a closed file begin: those of its first block.
haddr_t place_of(const std::filesystem::path& path, const char* table) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t data = H5Dopen2(file, table, H5P_DEFAULT), space = H5Dget_space(data);
  haddr_t place = H5Dget_offset(data);  // of a text; undefined for blocks
  hsize_t start[3] = {}, bytes = 0;
  unsigned filters = 0;
  if (place == HADDR_UNDEF) H5Dget_chunk_info(data, space, 0, start, &filters, &place, &bytes);
  H5Sclose(space), H5Dclose(data), H5Fclose(file);
  return place;
}

void flip_bit(const std::filesystem::path& path, haddr_t place) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(place));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(place));
  file.put(static_cast<char>(byte ^ 4));
}

/// Reads everything.
void read_whole(const std::filesystem::path& path) {
  const Recording recording(path);
  for (int k = 0; k < recording.steps(); ++k) (void)check_step(recording, k);
}

void add_tables(hid_t group, const std::string& at, std::vector<std::string>& names) {
  H5G_info_t info;
  H5Gget_info(group, &info);
  for (hsize_t k = 0; k < info.nlinks; ++k) {
    char name[256];
    H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, sizeof name, H5P_DEFAULT);
    const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    if (H5Iget_type(object) == H5I_GROUP)
      add_tables(object, at + name + "/", names);
    else
      names.push_back(at + name);
    H5Oclose(object);
  }
}

/// Every table and text of a closed file, so that none is forgotten.
std::vector<std::string> tables_of(const std::filesystem::path& path) {
  std::vector<std::string> names;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  add_tables(file, "/", names);
  H5Fclose(file);
  return names;
}

/// Records a few steps of a scene, with a load besides, so that something is in every table.
void record_with_load(const std::filesystem::path& path, Scene scene) {
  scene.bodies[1].force = {0.5, 0, 0};
  World world(scene);
  Recorder recorder(path, world, {.scene_json = "{}", .settings_json = "{}"});
  for (int k = 0; k < 5; ++k) recorder.add(world, world.step());
}

/// `pushes`: bodies overlap, and the tables of what pushed them apart have rows.
void expect_flipped_bits_are_found(const std::filesystem::path& path, const Scene& scene, bool pushes = false) {
  record_with_load(path, scene);
  read_whole(path);
  for (const std::string& table : tables_of(path)) {
    if (table.starts_with("/pushes/") != pushes) continue;
    const haddr_t place = place_of(path, table.c_str());
    ASSERT_NE(place, HADDR_UNDEF) << table;
    flip_bit(path, place);
    EXPECT_THROW(read_whole(path), InputError) << table;
    flip_bit(path, place);
  }
  read_whole(path);
}

TEST_F(RecordFile, AFlippedBitIsFoundInEveryTable) { expect_flipped_bits_are_found(path, mixed_scene()); }
TEST_F(RecordFile, AFlippedBitIsFoundInThePushes) {
  Scene scene = empty_scene();
  add_ground(scene);
  add_shape_body(scene, Box{{0.1, 0.1, 0.1}}, {0, 0, 0.09});
  expect_flipped_bits_are_found(path, scene, true);
}
TEST_F(RecordFile, AFlippedBitIsFoundInEveryTableOfJoints) { expect_flipped_bits_are_found(path, jointed_scene()); }

/// The jointed scene with a sensor of each size.
Scene sensed_scene() {
  Scene scene = jointed_scene();
  scene.sensors.push_back({.name = "angle"});
  scene.sensors.push_back({.name = "turn", .kind = SensorKind::kFrameQuaternion, .site = {1, {}}});
  scene.sensors.push_back({.name = "pull", .kind = SensorKind::kForce, .site = {scene.joints[0].body_b, {}}});
  return scene;
}

TEST_F(RecordFile, SensorsComeBack) {
  World world(sensed_scene());
  std::vector<std::vector<double>> read;
  {
    Recorder recorder(path, world);
    for (int k = 0; k < 10; ++k) {
      recorder.add(world, world.step());
      read.push_back(world.sensor_data());
    }
  }
  const Recording recording(path);
  ASSERT_EQ(recording.steps(), 10);
  EXPECT_EQ(recording.sensor_names(), (std::vector<std::string>{"angle", "turn", "pull"}));
  EXPECT_EQ(recording.sensor_sizes(), (std::vector<int>{1, 4, 3}));
  EXPECT_EQ(recording.sensors(0, 10), read);
  EXPECT_EQ(recording.step(4).sensors, read[4]);
  EXPECT_NE(read[4][0], 0);
  EXPECT_TRUE(recording.sensors(3, 0).empty());
}

/// Recordings of earlier versions have none, whatever their scene says.
TEST_F(RecordFile, WithoutTablesOfSensorsItReadsTheRest) {
  World world(sensed_scene());
  Recorder recorder(path, world, {.scene_json = native_scene_text(world.scene())});
  recorder.add(world, world.step());
  recorder.close();
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  for (const char* table : {"/sensors", "/steps/sensor", "/steps/sensor_checksum", "/checksum"})
    ASSERT_GE(H5Ldelete(file, table, H5P_DEFAULT), 0);
  H5Fclose(file);
  const Recording recording(path);
  ASSERT_EQ(recording.steps(), 1);
  EXPECT_TRUE(recording.sensor_names().empty());
  EXPECT_TRUE(recording.step(0).sensors.empty());
  EXPECT_TRUE(recording.sensors(0, 1)[0].empty());
  EXPECT_TRUE(check_step(recording, 0).agrees());
}

TEST_F(RecordFile, AFlippedBitIsFoundInEveryTableOfSensors) { expect_flipped_bits_are_found(path, sensed_scene()); }

/// A short run of a small scene does not reserve blocks for a long one of a large scene.
TEST_F(RecordFile, ShortRunsMakeSmallFiles) {
  World world(stack(5));
  {
    Recorder recorder(path, world);
    for (int k = 0; k < 20; ++k) recorder.add(world, world.step());
  }
  EXPECT_LT(std::filesystem::file_size(path), 250'000U);
}

TEST_F(RecordFile, ReadableWhileItGrows) {
  World world(stack(3));
  Recorder recorder(path, world, {.flush_steps = 5, .flush_seconds = 1e9});
  for (int k = 0; k < 12; ++k) recorder.add(world, world.step());
  // Another process: HDF5 knows the file as open in this one.
  const pid_t reader = ::fork();
  if (reader == 0) {
    try {
      const Recording recording(path);
      ::_exit(recording.steps() == 10 && check_step(recording, 9).agrees() ? 0 : 1);
    } catch (const std::exception&) {
      ::_exit(2);
    }
  }
  int status = 0;
  ::waitpid(reader, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(RecordFile, ReadableAfterKill) {
  constexpr int kSteps = 40;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t writer = ::fork();
  if (writer == 0) {
    World world(stack(3));
    Recorder recorder(path, world, {.flush_steps = 4});
    for (int k = 0; k < 1000000; ++k) {
      recorder.add(world, world.step());
      if (k + 1 == kSteps && ::write(ready[1], "", 1) != 1) ::_exit(1);
    }
    ::_exit(0);
  }
  // Killed in the middle of whatever it is doing, once it has written some steps.
  ::close(ready[1]);
  char byte = 1;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  ::usleep(50000);
  ::kill(writer, SIGKILL);
  int status = 0;
  ::waitpid(writer, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  const Recording recording(path);
  EXPECT_GE(recording.steps(), kSteps);
  for (const int k : {0, recording.steps() / 2, recording.steps() - 1})
    EXPECT_STREQ(check_step(recording, k).fault(), "") << k;
}

/// The system writes a file page by page, and a kill may come between two of them: of a table's description that lay on
/// two pages, one part would be new and the other old, and nothing of the table could be read.
TEST_F(RecordFile, NoDescriptionOfATableCrossesAPage) {
  {
    World world(mixed_scene());
    Recorder recorder(path, world, {.flush_steps = 3});
    for (int k = 0; k < 40; ++k) recorder.add(world, world.step());
  }
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  int found = 0;
  for (std::size_t at = 0; (at = bytes.find("OHDR\2", at)) != bytes.npos; at += 4) {
    const auto byte = [&](std::size_t k) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes.at(k))); };
    const std::size_t flags = byte(at + 5), width = std::size_t{1} << (flags & 3);
    std::size_t head = at + 6 + ((flags & 0x20) != 0 ? 16 : 0) + ((flags & 0x10) != 0 ? 4 : 0), length = 0;
    for (std::size_t k = 0; k < width; ++k) length += byte(head + k) << (8 * k);
    const std::size_t end = head + width + length + 4;  // with its checksum
    EXPECT_EQ(at / 4096, (end - 1) / 4096) << at;
    ++found;
  }
  EXPECT_GT(found, 40);
}

TEST_F(RecordFile, FilesThatAreNoRecordingsAreRefused) {
  EXPECT_THROW(Recording{path}, InputError);  // not there
  std::ofstream(path) << "text";
  EXPECT_THROW(Recording{path}, InputError);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  EXPECT_THROW(Recording{path}, InputError);
  World world(stack(1));
  EXPECT_THROW(Recorder("/nowhere/at/all.h5", world), InputError);
}

TEST_F(RecordFile, SceneWithoutBodies) {
  World world(empty_scene());
  {
    Recorder recorder(path, world);
    for (int k = 0; k < 3; ++k) recorder.add(world, world.step());
  }
  const Recording recording(path);
  EXPECT_EQ(recording.steps(), 3);
  EXPECT_TRUE(check_step(recording, 2).agrees());
}

TEST(Summary, SpreadIsByNearestRank) {
  std::vector<double> values;
  for (int k = 1; k <= 100; ++k) values.push_back(k);
  const Spread s = spread_of(values);
  EXPECT_EQ(s.median, 50.5);
  EXPECT_EQ(s.p95, 95);
  EXPECT_EQ(s.p99, 99);
  EXPECT_EQ(s.max, 100);
  EXPECT_EQ(s.mean, 50.5);
  EXPECT_EQ(spread_of({}).max, 0);
  EXPECT_EQ(spread_of({3}).p95, 3);
}

TEST(Summary, TellsWhatHappenedInTheLastSecond) {
  for (const double dt : {1.0 / 60, 1.0 / 1000}) {
    Scene scene = stack(2);
    scene.dt = dt;
    scene.events = {{0.5, Push{2, {0, 0, 12000}, {}, 0.3}}};  // a little hop
    World world(scene);
    RunSummary summary(world);
    const int steps = static_cast<int>(2.5 / dt);
    for (int k = 0; k < steps; ++k) summary.add(world, world.step());
    const Summary s = summary.finish(world);
    EXPECT_EQ(s.steps, steps);
    EXPECT_EQ(s.dynamic, 2);
    EXPECT_EQ(s.fixed, 1);
    EXPECT_EQ(s.solved_share, 1);
    EXPECT_NEAR(s.ground.z, -2000 * kGravity, 1e-6 * 2000 * kGravity) << dt;
    EXPECT_EQ(s.final.size(), 2U);
    EXPECT_LE(s.final[1].last_second_speed, 1e-9) << "it has landed before the last second";
    EXPECT_GT(s.final[1].max_displacement, 0.1);
    EXPECT_NEAR(s.final[1].displacement, 0, 1e-6);
    EXPECT_NEAR(s.final[1].tilt_deg, 0, 1e-5);
  }
}

/// The HDF5 library need not have been built for threads: ours take turns.
TEST_F(RecordFile, ThreadsWriteAndReadTheirOwnFiles) {
  constexpr int kThreads = 4, kSteps = 60;
  std::vector<std::string> trouble(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([this, t, &trouble] {
      const std::filesystem::path own = path.string() + std::to_string(t);
      try {
        World world(mixed_scene());
        Recorder recorder(own, world, {.flush_steps = 2});
        for (int k = 0; k < kSteps; ++k) {
          recorder.add(world, world.step());
          if (k % 10 == 9) require(Recording(own).steps() >= k - 1, "found ", Recording(own).steps(), " steps");
        }
        recorder.close();
        const Recording whole(own);
        for (int k = 0; k < kSteps; ++k) require(check_step(whole, k).agrees(), "step ", k, " does not agree");
      } catch (const std::exception& error) {
        trouble[static_cast<std::size_t>(t)] = error.what();
      }
      std::filesystem::remove(own);
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& said : trouble) EXPECT_EQ(said, "");
}

}  // namespace
}  // namespace repose
