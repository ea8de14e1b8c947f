// SPDX-License-Identifier: Apache-2.0
// Runs, solves, checks and registries as JSON: the keys that others build on, in their order, with what they stand for.
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "problems/simple.h"
#include "repose/record/recorder.h"
#include "repose/report/check_report_internal.h"
#include "repose/report/kind_report_internal.h"
#include "repose/report/run_report_internal.h"
#include "repose/report/solve_report_internal.h"
#include "repose/scheme/solve.h"
#include "scenes/registry.h"
#include "tests/support/temporary_folder.h"

namespace repose::report {
namespace {

using Names = std::vector<std::string>;

Names keys(const Json& object) {
  Names names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

TEST(JsonRecord, ANumberThatIsNoneBecomesNullWithAReason) {
  JsonRecord record;
  record.put("a", 0.1);
  record.put("b", std::numeric_limits<double>::quiet_NaN());
  record.put("c", -std::numeric_limits<double>::infinity());
  EXPECT_EQ(record.finish().dump(), R"({"a":0.1,"b":null,"c":null,"why":"b is not a number, c is infinite"})");
}

TEST(JsonRecord, GoesIntoAFileAsAWhole) {
  const testing::TemporaryFolder folder;
  write_json(folder / "a.json", Json{{"x", 1.0 / 3}, {"name", "\xff"}});  // a name need not be UTF-8
  std::ifstream in(folder / "a.json");
  const Json read = Json::parse(in);
  EXPECT_EQ(read["x"], 1.0 / 3);
  EXPECT_EQ(read["name"], "\xef\xbf\xbd");
}

class RunReport : public ::testing::Test {
 protected:
  RunReport() : world(scenes::make("stack", {{"count", "2"}})), summary(world) {
    for (int k = 0; k < 3; ++k) {
      last = world.step();
      summary.add(world, last);
    }
  }
  World world;
  RunSummary summary;
  StepReport last;
};

TEST_F(RunReport, HasTheKeysOfTheInterface) {
  RunFacts facts = run_facts(world.options().solver, 2);
  facts.cpu_ms = 3;
  const Json doc = run_document(world, summary.finish(world), facts);
  EXPECT_EQ(keys(doc), (Names{"repose",
                              "scene",
                              "parameters",
                              "dt",
                              "steps",
                              "time",
                              "ended",
                              "solver",
                              "bodies",
                              "contacts",
                              "residual",
                              "iterations",
                              "ms_per_step",
                              "energy",
                              "penetration",
                              "recoveries_unsolved",
                              "recovery_residual",
                              "pairs_missed",
                              "squeezes",
                              "peak_memory_mib",
                              "reactions",
                              "final",
                              "state_hash"}));
  EXPECT_EQ(doc["parameters"]["count"], 2);
  EXPECT_EQ(doc["solver"].dump(), R"({"outer":"auto","inner":"auto","tolerance":1e-08,"accept":0.0001,"budget":)" +
                                      Json(kStepBudget).dump() + R"(,"threads":2,"device":"cpu"})");
  EXPECT_EQ(doc["bodies"].dump(), R"({"dynamic":2,"kinematic":0,"static":1})");
  EXPECT_EQ(keys(doc["residual"]),
            (Names{"r_c", "nat", "r_c_paper", "solved_share", "accepted_share", "shares", "accepted_steps",
                   "unsolved_steps", "rounding_steps", "imprecise_steps", "remainder"}));
  EXPECT_EQ(doc["residual"]["unsolved_steps"], Json::array());
  EXPECT_EQ(doc["residual"]["accepted_steps"], Json::array());
  EXPECT_EQ(doc["residual"]["accepted_share"], 0.0);
  EXPECT_EQ(doc["residual"]["shares"].dump(), R"({"1e-4":1.0,"1e-6":1.0,"1e-8":1.0})");
  EXPECT_EQ(doc["ms_per_step"]["cpu_mean"], 1);
  EXPECT_EQ(doc["final"].size(), 2U);
  EXPECT_EQ(keys(doc["final"][0]), (Names{"name", "position", "quaternion", "velocity", "angular_velocity",
                                          "displacement", "max_displacement", "tilt_deg", "last_second_speed"}));
  EXPECT_GT(doc["peak_memory_mib"], 0);
}

TEST_F(RunReport, AcceptedAndUnsolvedStepsAreCountedApart) {
  RunSummary counted(world);
  StepReport report;
  for (const double nat : {1e-9, 1e-7, 1e-5, 1e-2}) {
    report.step++;
    report.certificate.nat = nat;
    report.status = status_of(report.certificate, 1e-8, 1e-4);
    counted.add(world, report);
  }
  const Json residual = run_document(world, counted.finish(world), run_facts(world.options().solver, 1))["residual"];
  EXPECT_EQ(residual["solved_share"], 0.25);
  EXPECT_EQ(residual["accepted_share"], 0.5);
  EXPECT_EQ(residual["accepted_steps"].dump(), "[2,3]");
  EXPECT_EQ(residual["unsolved_steps"].dump(), "[4]");
  EXPECT_EQ(residual["shares"].dump(), R"({"1e-4":0.75,"1e-6":0.5,"1e-8":0.25})");
  report.status = StepStatus::kAccepted;
  EXPECT_EQ(Json::parse(step_line(report))["status"], "accepted");
  EXPECT_EQ(Json::parse(step_line(report))["solved"], false);
}

TEST_F(RunReport, AStepIsOneLine) {
  const std::string line = step_line(last);
  EXPECT_EQ(line.find('\n'), line.npos);
  const Json step = Json::parse(line);
  EXPECT_EQ(step["step"], 3);
  EXPECT_EQ(step["solved"], true);
  EXPECT_EQ(step["status"], "solved");
  EXPECT_EQ(step["work"], last.work);
  EXPECT_EQ(step["contacts"], last.contacts);
  EXPECT_EQ(step["nat"], last.certificate.nat);
}

TEST_F(RunReport, RecordingsKeepSettingsAndScene) {
  FrictionOptions solver;
  solver.outer = outer_options("fbf");
  solver.inner = inner_options("apgd");
  EXPECT_EQ(
      settings_text(run_facts(solver, 1), false),
      R"({"outer":"fbf","inner":"apgd","tolerance":1e-08,"accept":0.0,"budget":0.0,"threads":1,"warm_start":false})");
  EXPECT_NE(scene_text(world.scene()).find("\"stack\""), std::string::npos);
  Scene scripted = world.scene();
  scripted.bodies[1].kind = BodyKind::kKinematic;
  scripted.bodies[1].motion = ScriptMotion{[](double) { return Pose{}; }};
  EXPECT_EQ(scene_text(scripted), "");
}

TEST_F(RunReport, TheCheckOfARecordingIsSummedUp) {
  const testing::TemporaryFolder folder;
  {
    Recorder recorder(folder / "run.h5", world, {});
    for (int k = 0; k < 4; ++k) recorder.add(world, world.step());
  }
  const Recording recording(folder / "run.h5");
  CheckTally tally, strict, lenient;
  for (int k = 0; k < recording.steps(); ++k) {
    tally.add(check_step(recording, k), 1e-8, recording.accept());
    strict.add(check_step(recording, k), 0, 0);
    lenient.add(check_step(recording, k), 0, 1);
  }
  const Json doc = check_document("run.h5", recording, tally, 1e-8, recording.accept());
  EXPECT_EQ(keys(doc),
            (Names{"recording", "scene", "steps", "tolerance", "accept", "residual", "disagreeing_steps",
                   "largest_certificate_difference", "largest_velocity_error", "first_fault", "errors", "counts"}));
  EXPECT_EQ(doc["steps"], 4);
  EXPECT_EQ(doc["residual"]["solved_share"], 1.0);
  EXPECT_EQ(tally.disagreeing, std::vector<int>{});
  EXPECT_EQ(tally.unsolved, std::vector<int>{});
  EXPECT_LE(tally.worst, 1e-8);
  EXPECT_EQ(strict.unsolved.empty(), strict.worst == 0);
  EXPECT_EQ(lenient.accepted, strict.unsolved);
  EXPECT_EQ(lenient.unsolved, std::vector<int>{});
  EXPECT_EQ(doc["residual"]["accepted_share"], 0.0);
}

TEST(SolveReport, HasTheKeysOfTheInterface) {
  Solved solved;
  solved.file = "ball.hdf5";
  solved.stored.problem = problems::make_problem(problems::ball());
  const Solution answer = solve(solved.stored.problem);
  solved.lambda = answer.lambda;
  solved.report = answer.report;
  solved.certificate = answer.report.certificate;
  solved.repeats = 1;
  solved.history = {{1, 0.5, 1e-3, 1e-4, 1e-3}};
  const Json plain = solve_record(solved, {});
  EXPECT_EQ(keys(plain), (Names{"file",
                                "contacts",
                                "status",
                                "r_c",
                                "force",
                                "velocity",
                                "gap",
                                "nat",
                                "siconos_error",
                                "outer_iterations",
                                "inner_iterations",
                                "ms",
                                "outer",
                                "inner",
                                "solved",
                                "tolerance",
                                "r_c_paper",
                                "form",
                                "format",
                                "forces",
                                "start",
                                "fallbacks",
                                "stages",
                                "bind_ms",
                                "cpu_ms",
                                "repeats",
                                "threads"}));
  EXPECT_EQ(plain["contacts"], 1);
  EXPECT_EQ(plain["status"], "converged");
  EXPECT_EQ(plain["outer"], "auto");
  EXPECT_EQ(plain["inner"], "none");
  EXPECT_EQ(plain["start"], "zero");
  SolveFacts facts;
  facts.options.outer = outer_options("fbf");
  facts.history = true;
  const Json fbf = solve_record(solved, facts);
  EXPECT_EQ(fbf["inner"], "bgs");
  EXPECT_TRUE(fbf.contains("gamma") && fbf.contains("gamma_shrinks"));
  EXPECT_EQ(fbf["history"].dump(), R"([{"iteration":1,"ms":0.5,"r_c":0.001,"nat":0.0001,"r_c_paper":0.001}])");
}

TEST(SolveReport, ABreakdownIsNotANumber) {
  Solved solved;
  EXPECT_FALSE(solved.broke_down());
  solved.certificate.nat = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(solved.broke_down());
  solved.certificate.nat = 0;
  solved.report.status = Status::kNumericalFailure;
  EXPECT_TRUE(solved.broke_down());
}

TEST(KindReport, ParametersHaveTheirTypes) {
  const Kind kind{"bridge",
                  "over water",
                  {{"span", "number", "12.5", 1, 100, {}, "m", "between the banks"},
                   {"piers", "whole", "3", 0, 9, {}, "", "in the water"},
                   {"open", "flag", "true", 0, 0, {}, "", "to ships"},
                   {"style", "choice", "beam", 0, 0, {"beam", "arch"}, "", "how it carries"}}};
  const Json record = kind_record(kind);
  EXPECT_EQ(keys(record), (Names{"name", "summary", "parameters"}));
  EXPECT_EQ(
      record["parameters"].dump(),
      R"([{"name":"span","type":"number","default":12.5,"min":1.0,"max":100.0,"whole":false,"unit":"m","help":"between the banks"},)"
      R"({"name":"piers","type":"whole","default":3,"min":0.0,"max":9.0,"whole":true,"unit":"","help":"in the water"},)"
      R"({"name":"open","type":"flag","default":true,"unit":"","help":"to ships"},)"
      R"({"name":"style","type":"choice","default":"beam","choices":["beam","arch"],"unit":"","help":"how it carries"}])");
}

}  // namespace
}  // namespace repose::report
