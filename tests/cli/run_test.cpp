// SPDX-License-Identifier: Apache-2.0
// repose run and repose check: the document, every output, exit status, interruption, checkpoints.
#include <csignal>
#include <sstream>

#include "repose/world/world.h"
#include "tests/cli/program.h"

namespace repose::testing {
namespace {

json run_json(Arguments arguments) {
  arguments.insert(arguments.end(), {"--json", "-", "--quiet"});
  return json::parse(run_well(arguments).out);
}

TEST(Run, DocumentHasTheKeysOfTheInterface) {
  const json doc = run_json({"run", "arch", "--set", "stones=9", "--steps", "90"});
  for (const char* key :
       {"repose", "scene", "parameters", "dt", "steps", "time", "solver", "bodies", "contacts", "residual",
        "iterations", "ms_per_step", "energy", "penetration", "peak_memory_mib", "reactions", "final", "state_hash"})
    EXPECT_TRUE(doc.contains(key)) << key;
  EXPECT_EQ(doc["scene"], "arch");
  EXPECT_EQ(doc["parameters"]["stones"], 9);
  EXPECT_EQ(doc["parameters"]["projectiles"], false);
  EXPECT_EQ(doc["steps"], 90);
  EXPECT_NEAR(doc["time"], 1.5, 1e-12);
  EXPECT_EQ(doc["solver"], (json{{"outer", "auto"},
                                 {"inner", "auto"},
                                 {"tolerance", 1e-8},
                                 {"accept", 1e-4},
                                 {"budget", kStepBudget},
                                 {"threads", 1},
                                 {"device", "cpu"}}));
  EXPECT_EQ(doc["bodies"]["dynamic"], 7);
  EXPECT_EQ(doc["contacts"]["max"], 32);
  for (const char* measure : {"r_c", "nat"})
    for (const char* key : {"median", "p99", "max"}) EXPECT_LE(doc["residual"][measure][key].get<double>(), 1e-8);
  EXPECT_EQ(doc["residual"]["solved_share"], 1.0);
  EXPECT_TRUE(doc["residual"]["unsolved_steps"].empty());
  EXPECT_EQ(doc["residual"]["accepted_share"], 0.0);
  EXPECT_EQ(doc["residual"]["shares"], (json{{"1e-4", 1.0}, {"1e-6", 1.0}, {"1e-8", 1.0}}));
  for (const char* kind : {"outer", "inner", "work"})
    for (const char* key : {"median", "p95", "max"}) EXPECT_TRUE(doc["iterations"][kind].contains(key));
  EXPECT_TRUE(doc["iterations"]["fallbacks"].is_number_integer());
  for (const char* key : {"median", "p95", "max", "mean", "collide", "assemble", "solve", "integrate"})
    EXPECT_GE(doc["ms_per_step"][key].get<double>(), 0);
  for (const char* key : {"start", "end", "max_rise"}) EXPECT_TRUE(doc["energy"][key].is_number());
  EXPECT_LT(doc["reactions"]["ground"][2].get<double>(), -1000) << "the ground is pressed down";
  ASSERT_EQ(doc["final"].size(), 7U);
  for (const char* key : {"name", "position", "quaternion", "velocity", "angular_velocity", "displacement",
                          "max_displacement", "tilt_deg", "last_second_speed"})
    EXPECT_TRUE(doc["final"][0].contains(key)) << key;
  EXPECT_EQ(doc["final"][0]["quaternion"].size(), 4U);
  EXPECT_EQ(doc["state_hash"].get<std::string>().size(), 16U);
}

TEST(Run, SameBitsForAnyNumberOfThreadsAndRuns) {
  std::vector<std::string> hashes;
  for (const char* threads : {"1", "2", "4", "1"})
    hashes.push_back(run_json({"run", "stack", "--set", "count=3", "--set", "stacks=4", "--steps", "60", "--threads",
                               threads})["state_hash"]);
  for (const std::string& hash : hashes) EXPECT_EQ(hash, hashes[0]);
}

TEST(Run, TableSaysThatAllStepsAreSolved) {
  const Outcome outcome = run_well({"run", "incline", "--steps", "20"});
  for (const char* text : {"incline", "r_c", "nat", "20 of 20 steps solved to 1e-8", "contacts"})
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << " in\n" << outcome.out;
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(outcome.err, "");
}

/// A pile that falls apart: every step needs more than no work at all, and each is accepted as soon as it may be.
TEST(Run, AcceptedStepsAreSaidEverywhere) {
  const Folder folder;
  const Arguments scene{"run",      "pile", "--set",    "count=12",      "--steps", "60",
                        "--budget", "1e-6", "--record", folder / "r.h5", "--log",   folder / "log.jsonl"};
  const auto with = [&](Arguments more) {
    Arguments all = scene;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const Outcome outcome = run(with({"--json", folder / "run.json"}));
  EXPECT_EQ(outcome.status, 0);
  const json doc = json::parse(read_all(folder / "run.json"));
  const std::size_t accepted = doc["residual"]["accepted_steps"].size();
  ASSERT_GT(accepted, 0U);
  EXPECT_TRUE(doc["residual"]["unsolved_steps"].empty());
  EXPECT_NEAR(doc["residual"]["solved_share"].get<double>() + doc["residual"]["accepted_share"].get<double>(), 1,
              1e-12);
  EXPECT_EQ(doc["residual"]["shares"]["1e-4"], 1.0);
  EXPECT_LT(doc["residual"]["shares"]["1e-8"], 1.0);
  const std::string count = std::to_string(60 - accepted) + " of 60 steps solved to 1e-8, " + std::to_string(accepted) +
                            " accepted to 1e-4, 0 unsolved";
  EXPECT_NE(outcome.out.find(count), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("accepted: " + std::to_string(accepted) + " of 60 steps above 1e-8, within 1e-4"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(outcome.err.find("NOT SOLVED"), std::string::npos);

  std::istringstream log(read_all(folder / "log.jsonl"));
  std::size_t logged = 0;
  for (std::string line; std::getline(log, line);) logged += json::parse(line)["status"] == "accepted";
  EXPECT_EQ(logged, accepted);

  const Outcome check = run({"check", folder / "r.h5", "--json", folder / "check.json"});
  EXPECT_EQ(check.status, 0);
  EXPECT_NE(check.out.find(" accepted to 1e-4, 0 unsolved"), std::string::npos) << check.out;
  const json checked = json::parse(read_all(folder / "check.json"));
  EXPECT_EQ(checked["accept"], 1e-4);
  EXPECT_EQ(checked["residual"]["accepted_steps"], doc["residual"]["accepted_steps"]);
  EXPECT_EQ(checked["residual"]["solved_share"], doc["residual"]["solved_share"]);

  EXPECT_EQ(run(with({"--strict", "--quiet"})).status, 3) << "--strict asks for solved";
  EXPECT_EQ(run({"check", folder / "r.h5", "--strict", "--quiet"}).status, 3);
  EXPECT_EQ(run({"check", folder / "r.h5", "--tol", "1e-4", "--strict", "--quiet"}).status, 0);
  EXPECT_EQ(run({"check", folder / "r.h5", "--tol", "1e-4", "--accept", "1e-5"}).status, 2);
}

TEST(Run, WithoutAcceptAMissedToleranceIsUnsolved) {
  const Arguments poor{"run", "arch", "--steps", "3", "--outer", "nsgs", "--max-outer", "1", "--tol", "1e-12"};
  const auto with = [&](const char* accept) {
    Arguments all = poor;
    all.insert(all.end(), {"--accept", accept});
    return run_json(all)["residual"];
  };
  EXPECT_EQ(with("0")["unsolved_steps"].size(), 3U);
  EXPECT_EQ(with("0")["accepted_share"], 0.0);
  EXPECT_EQ(with("1e3")["accepted_share"], 1.0);
  EXPECT_EQ(with("1e3")["unsolved_steps"].size(), 0U);
}

TEST(Run, CheckpointContinuesBitForBit) {
  const Folder folder;
  const Arguments scene{"run", "tipping-box", "--set", "mu=0.55"};
  const auto with = [&](Arguments more) {
    Arguments all = scene;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const json whole = run_json(with({"--steps", "90"}));
  run_well(with({"--steps", "40", "--checkpoint", folder / "half", "--quiet"}));
  const json rest = run_json(with({"--steps", "50", "--from", folder / "half"}));
  EXPECT_EQ(rest["state_hash"], whole["state_hash"]);
  EXPECT_EQ(rest["time"], whole["time"]);
  const Outcome other = run({"run", "incline", "--steps", "1", "--from", folder / "half"});
  EXPECT_EQ(other.status, 1);
  EXPECT_EQ(lines(other.err), 1U);
}

TEST(Run, RecordingIsCheckedAndTamperingWouldShow) {
  const Folder folder;
  run_well({"run", "cards", "--set", "levels=2", "--steps", "40", "--record", folder / "r.h5", "--quiet"});
  const json doc = json::parse(run_well({"check", folder / "r.h5", "--json", "-", "--quiet"}).out);
  EXPECT_EQ(doc["steps"], 40);
  EXPECT_EQ(doc["scene"], "cards");
  EXPECT_EQ(doc["residual"]["solved_share"], 1.0);
  EXPECT_TRUE(doc["disagreeing_steps"].empty());
  EXPECT_LE(doc["largest_certificate_difference"].get<double>(), 1e-12);
  const Outcome strict = run({"check", folder / "r.h5", "--tol", "1e-30", "--strict", "--quiet"});
  EXPECT_EQ(strict.status, 3);
  EXPECT_EQ(run({"check", folder / "none.h5"}).status, 1);
}

TEST(Run, LogHasALineAStep) {
  const Folder folder;
  run_well({"run", "backspin", "--steps", "25", "--log", folder / "log.jsonl", "--quiet"});
  std::istringstream log(read_all(folder / "log.jsonl"));
  int count = 0;
  for (std::string line; std::getline(log, line); ++count) {
    const json step = json::parse(line);
    EXPECT_EQ(step["step"], count + 1);
    EXPECT_EQ(step["solved"], true);
    EXPECT_LE(step["r_c"].get<double>(), 1e-8);
  }
  EXPECT_EQ(count, 25);
}

/// Any step can be dumped and solved alone to the same impulses.
TEST(Run, DumpedProblemsAreSolvedAlone) {
  const Folder folder;
  run_well({"run", "cards", "--set", "levels=2", "--steps", "6", "--dump-problems", folder / "dump", "--dump-every",
            "3", "--quiet"});
  for (const char* name : {"dump/cards-000003-000.hdf5", "dump/cards-000006-000.hdf5"}) {
    const json solved = json::parse(run_well({"solve", folder / name, "--warm-start", "--json", "-", "--quiet"}).out);
    EXPECT_EQ(solved[0]["solved"], true);
    const json scored = json::parse(run_well({"score", folder / name, "--json", "-", "--quiet"}).out);
    EXPECT_EQ(scored[0]["solved"], true) << "the step's own impulses";
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "dump/cards-000002-000.hdf5"));
  run_well({"run", "cards", "--set", "levels=2", "--steps", "3", "--dump-problems", folder / "none", "--dump-unsolved",
            "--quiet"});
  EXPECT_TRUE(std::filesystem::is_empty(folder / "none"));
}

/// Without W, the file leads to the same solve: the same start, the same iterations, the same certificate.
TEST(Run, DumpsInGlobalFormAreTheSameProblems) {
  const Folder folder;
  const std::string forms[2] = {"local", "global"};
  for (const std::string& form : forms) {
    Arguments arguments{"run",         "cards",        "--set", "levels=2", "--steps", "6", "--dump-problems",
                        folder / form, "--dump-steps", "2,5",   "--quiet"};
    if (form == "global") arguments.emplace_back("--dump-global");
    run_well(arguments);
    EXPECT_FALSE(std::filesystem::exists(folder / (form + "/cards-000003-000.hdf5")));
  }
  for (const char* name : {"/cards-000002-000.hdf5", "/cards-000005-000.hdf5"}) {
    json solved[2];
    for (int k = 0; k < 2; ++k)
      solved[k] =
          json::parse(run_well({"solve", folder / (forms[k] + name), "--warm-start", "--json", "-", "--quiet"}).out)[0];
    EXPECT_EQ(solved[1]["format"], "hdf5-global");
    for (const char* key : {"form", "start", "contacts", "inner_iterations", "r_c", "nat"})
      EXPECT_EQ(solved[0][key], solved[1][key]) << name << " " << key;
  }
}

TEST(Run, UnsolvedStepsAreSaidAndStrictMindsThem) {
  const Arguments poor{"run", "cards", "--steps", "8", "--outer", "nsgs", "--max-outer", "1", "--no-warm-start"};
  const Outcome told = run_well(poor);
  EXPECT_NE(told.err.find("NOT SOLVED"), std::string::npos) << told.err;
  EXPECT_NE(told.out.find("0 of 8 steps solved"), std::string::npos) << told.out;
  Arguments strict = poor;
  strict.push_back("--strict");
  EXPECT_EQ(run(strict).status, 3);
}

/// Projectiles of 200 m/s throw cards through each other within a step.
TEST(Run, PairsWithoutAContactAreSaidAndNotSolved) {
  const Outcome outcome = run({"run", "cards", "--set", "projectiles=true", "--set", "projectile_time=0.05", "--set",
                               "projectile_speed=200", "--time", "0.4", "--json", "-", "--strict"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.err.find("got no contact"), std::string::npos) << outcome.err;
  const json doc = json::parse(outcome.out);
  EXPECT_GE(doc["pairs_missed"]["pairs"], doc["pairs_missed"]["steps"].size());
  for (const json& step : doc["pairs_missed"]["steps"]) {
    const json& unsolved = doc["residual"]["unsolved_steps"];
    EXPECT_NE(std::find(unsolved.begin(), unsolved.end(), step), unsolved.end()) << step;
  }
}

TEST(Run, RelaxedSlidingCubeIsAboveTolerance) {
  const Outcome outcome = run({"run", "launched-cube", "--steps", "10", "--outer", "relaxed", "--strict"});
  EXPECT_EQ(outcome.status, 3) << outcome.out << outcome.err;
}

TEST(Run, ExplosionEndsWithTheLastGoodState) {
  const Folder folder;
  const Outcome outcome = run({"run", "stack", "--gravity", "0,0,1e15", "--steps", "10", "--record", folder / "r.h5",
                               "--checkpoint", folder / "c", "--json", folder / "j.json"});
  EXPECT_EQ(outcome.status, 4) << outcome.err;
  EXPECT_NE(outcome.err.find("broke down"), std::string::npos) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "c"));
  run_well({"check", folder / "r.h5", "--quiet"});
  EXPECT_NE(read_json(folder / "j.json")["ended"].get<std::string>().find("broke down"), std::string::npos);
}

TEST(Run, InterruptClosesTheRecording) {
  const Folder folder;
  Running program({"run", "arch", "--steps", "100000000", "--record", folder / "r.h5", "--log", folder / "log.jsonl"});
  for (int k = 0; k < 600; ++k) {
    std::error_code none;
    if (std::filesystem::file_size(folder / "r.h5", none) > 1'000'000 && !none) break;
    ::usleep(100'000);
  }
  program.send(SIGINT);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.status, 130) << outcome.err;
  EXPECT_NE(outcome.err.find("interrupted"), std::string::npos);
  const json doc = json::parse(run_well({"check", folder / "r.h5", "--json", "-", "--quiet"}).out);
  EXPECT_GT(doc["steps"].get<int>(), 10);
  EXPECT_TRUE(doc["disagreeing_steps"].empty());
}

TEST(Run, BatchHasManyWorldsThatDifferByTheirKicks) {
  const Arguments batch{"run", "stack", "--set", "count=3", "--steps", "120", "--device", "cpu-batch", "--worlds", "3"};
  const auto with = [&](Arguments more) {
    more.insert(more.begin(), batch.begin(), batch.end());
    return run_json(more);
  };
  const json rest = with({}), kicked = with({"--kick", "0.001"});
  EXPECT_EQ(rest["worlds"], 3);
  EXPECT_EQ(rest["world_steps"], 360);
  EXPECT_EQ(rest["solved_share"], 1.0);
  EXPECT_EQ(kicked["solved_share"], 1.0);
  EXPECT_GT(rest["world_steps_per_second"].get<double>(), 0);
  EXPECT_EQ(rest["escalations"]["all"], 0);
  EXPECT_EQ(rest["state_hashes"][0], rest["state_hashes"][2]);
  EXPECT_NE(kicked["state_hashes"][0], kicked["state_hashes"][2]);
  EXPECT_EQ(with({"--kick", "0.001", "--threads", "2"})["state_hashes"], kicked["state_hashes"]);
}

/// Where there is a CUDA device it gives what the host gives; where there is none, one line says why.
TEST(Run, CudaHasTheBitsOfTheHostOrIsRefusedInOneLine) {
  const json devices = json::parse(run_well({"devices", "--json"}).out);
  EXPECT_GE(devices["cpu"]["threads"].get<int>(), 1);
  const auto on = [](const std::string& device) {
    return Arguments{"run",     "stack", "--device", device, "--worlds", "4",
                     "--steps", "20",    "--kick",   "0.01", "--json",   "-"};
  };
  if (!devices["cuda"].empty()) {
    const json there = json::parse(run_well(on("cuda")).out), here = json::parse(run_well(on("cpu-batch")).out);
    EXPECT_EQ(there["state_hashes"], here["state_hashes"]);
    return;
  }
  const std::string why = devices["no_cuda"];
  EXPECT_NE(run_well({"devices"}).out.find(why), std::string::npos);
  const Outcome outcome = run(on("cuda"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
  EXPECT_NE(outcome.err.find(why), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST(Run, WrongUsageAndBadInput) {
  const Folder folder;
  write_all(folder / "bad.json", "{");
  const struct {
    Arguments arguments;
    int status;
  } cases[] = {{{"run"}, 2},
               {{"run", "arch", "--time", "-1"}, 2},
               {{"run", "arch", "--time", "1", "--steps", "3"}, 2},
               {{"run", "arch", "--gravity", "1,2"}, 2},
               {{"run", "arch", "--gravity", "1,2,x"}, 2},
               {{"run", "arch", "--set", "stones"}, 2},
               {{"run", "stack", "--worlds", "2"}, 2},
               {{"run", "stack", "--kick", "0.1"}, 2},
               {{"run", "stack", "--device", "gpu"}, 2},
               {{"run", "stack", "--device", "cpu-batch", "--record", folder / "r.h5"}, 2},
               {{"run", "stack", "--device", "cpu-batch", "--worlds", "0"}, 2},
               {{"run", "stack", "--device", "cpu-batch", "--outer", "nsgs"}, 2},
               {{"run", "stack", "--device", "cpu-batch", "--set", "count=65"}, 1},
               {{"run", "arch", "--inner", "bgs"}, 2},
               {{"run", "arch", "--dump-every", "3"}, 2},
               {{"run", "arch", "--dump-steps", "3"}, 2},
               {{"run", "arch", "--dump-global"}, 2},
               {{"run", "arch", "--dump-problems", folder / "d", "--dump-steps", "3", "--dump-every", "2"}, 2},
               {{"run", "arch", "--record", folder / "x.txt"}, 2},
               {{"run", "arch", "--checkpoint", "/nowhere/at/all"}, 2},
               {{"run", folder / "bad.json", "--set", "a=1"}, 2},
               {{"run", "no-such-scene"}, 1},
               {{"run", "arch", "--set", "stones=two"}, 1},
               {{"run", "arch", "--set", "pebbles=3"}, 1},
               {{"run", folder / "bad.json"}, 1},
               {{"run", folder / "missing.xml"}, 1},
               {{"run", "arch", "--from", folder / "missing"}, 1},
               {{"check"}, 2}};
  for (const auto& c : cases) {
    const Outcome outcome = run(c.arguments);
    EXPECT_EQ(outcome.status, c.status) << c.arguments.back() << ": " << outcome.err;
    EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
    EXPECT_EQ(outcome.out, "") << c.arguments.back();
  }
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"bad.json"}));
}

}  // namespace
}  // namespace repose::testing
