// SPDX-License-Identifier: Apache-2.0
// repose run --ctrl: controls from a table, in recordings and over a checkpoint, and tables that make no sense.
#include <string>

#include "tests/cli/program.h"

namespace repose::testing {
namespace {

/// A rotor of 2 kg m² that a motor and a brake act on.
constexpr const char* kRotor =
    "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody><body name='rotor'>"
    "<joint name='axle' axis='0 0 1'/><inertial mass='1' pos='0 0 0' diaginertia='2 2 2'/></body></worldbody>"
    "<actuator><motor name='motor' joint='axle'/><motor name='brake' joint='axle' gear='-1'/></actuator>"
    "<sensor><jointvel name='speed' joint='axle'/></sensor></mujoco>";
/// 4 N m for half a second, nothing, and 1 N m against it from 0.8 s on.
constexpr const char* kTable = "time,brake,motor\n0,0,4\n0.5,0,0\n\n0.8,1,0\n";

class Controls : public ::testing::Test {
 protected:
  void SetUp() override {
    write_all(folder_ / "rotor.xml", kRotor);
    write_all(folder_ / "table.csv", kTable);
  }
  [[nodiscard]] Arguments run_of(int steps, Arguments more) const {
    Arguments all{"run", folder_ / "rotor.xml", "--steps", std::to_string(steps), "--quiet"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  [[nodiscard]] json document(int steps, Arguments more) const {
    more.insert(more.end(), {"--json", "-"});
    return json::parse(run_well(run_of(steps, more)).out);
  }
  const Folder folder_;
};

TEST_F(Controls, AreThoseOfTheTable) {
  const std::string table = folder_ / "table.csv";
  const json end = document(100, {"--ctrl", table, "--record", folder_ / "run.h5"});
  EXPECT_NEAR(end["final"][0]["angular_velocity"][2].get<double>(), 4 * 0.5 / 2 - 0.2 / 2, 1e-12);
  EXPECT_EQ(end["residual"]["solved_share"], 1.0);
  EXPECT_NEAR(document(50, {"--ctrl", table})["final"][0]["angular_velocity"][2].get<double>(), 1, 1e-12);
  EXPECT_EQ(run({"check", folder_ / "run.h5"}).status, 0);
}

TEST_F(Controls, GoOnFromACheckpointBitForBit) {
  const std::string table = folder_ / "table.csv", half = folder_ / "half";
  const json whole = document(100, {"--ctrl", table});
  run_well(run_of(60, {"--ctrl", table, "--checkpoint", half}));
  EXPECT_EQ(document(40, {"--ctrl", table, "--from", half})["state_hash"], whole["state_hash"]);
}

TEST_F(Controls, TablesThatMakeNoSenseGetOneLine) {
  const struct {
    const char *text, *complaint;
  } kBroken[] = {
      {"", "expected a line `time,<actuator>,...`"},
      {"time,motor\n", "got no numbers"},
      {"motor,time\n0,0\n", ":1: expected `time,<actuator>,...`, got 'motor,time'"},
      {"time,wheel\n0,0\n", ":1: expected actuators of the scene, motor, brake, got 'wheel'"},
      {"time,motor,motor\n0,0,0\n", ":1: expected each actuator once, got 'motor' again"},
      {"time,motor\n0,0,0\n", ":2: expected 2 numbers as in the first line, got 3"},
      {"time,motor\n0,x\n", ":2: expected finite numbers, got 'x'"},
      {"time,motor\n0,nan\n", ":2: expected finite numbers, got 'nan'"},
      {"time,motor\n0,0\n0,1\n", ":3: expected a time after 0 s, got 0 s"},
  };
  const std::string file = folder_ / "broken.csv";
  for (const auto& broken : kBroken) {
    write_all(file, broken.text);
    const Outcome outcome = run(run_of(1, {"--ctrl", file}));
    EXPECT_EQ(outcome.status, 1) << broken.text;
    EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
    EXPECT_NE(outcome.err.find(broken.complaint), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(run(run_of(1, {"--ctrl", folder_ / "none.csv"})).status, 1);
  EXPECT_EQ(run(run_of(1, {"--ctrl", file, "--device", "cpu-batch"})).status, 2);
}

}  // namespace
}  // namespace repose::testing
