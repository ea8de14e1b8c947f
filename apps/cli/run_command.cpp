// SPDX-License-Identifier: Apache-2.0
// repose run WHAT: simulates a built-in scene or a scene file and prints the certificate of the run.
#include <CLI/CLI.hpp>
#include <memory>

#include "apps/cli/batch_run.h"
#include "apps/cli/commands.h"
#include "apps/cli/run_session.h"
#include "apps/terminal/option_checks.h"

namespace repose::cli {
namespace {

constexpr const char* kRunExample =
    "Examples:\n"
    "  repose run arch --set stones=25 --time 10\n"
    "  repose run cards --set levels=4 --record house.h5 && repose check house.h5\n"
    "  repose run scene.xml --steps 600 --json -\n"
    "  repose run robot.xml --ctrl controls.csv --record robot.h5\n"
    "  repose run stack --device cuda --worlds 4096 --steps 200 --json - (docs/gpu.md)\n"
    "  repose run arch --time 5 --checkpoint half.bin && repose run arch --time 5 --from half.bin\n\n"
    "Exit status: 0 done, 1 bad input, 2 wrong usage, 3 --strict and a step above tolerance,\n"
    "4 the numbers broke down (NaN, overflow), 130 interrupted.";

void add_scene_options(CLI::App& app, RunSettings& s) {
  app.add_option("WHAT", s.what, "a built-in scene (repose scenes), or a .xml (MJCF), .urdf or .json file")
      ->required()
      ->type_name("");
  app.add_option(
         "--set", s.values,
         "a parameter of the scene, or base, self_collision or package_path of a .urdf file, key=value; repeatable")
      ->type_name("KEY=VALUE")
      ->take_all();
  auto* time = app.add_option("--time", s.time, "seconds to simulate (the scene's own)")
                   ->check(positive_number())
                   ->type_name("S");
  app.add_option("--steps", s.steps, "steps to simulate")->check(whole_number(0))->type_name("N")->excludes(time);
  app.add_option("--dt", s.dt, "length of a step, s (the scene's own)")->check(positive_number())->type_name("S");
  app.add_option("--gravity", s.gravity, "m/s^2 (the scene's own)")->type_name("X,Y,Z");
  app.add_option("--baumgarte", s.baumgarte,
                 "share of deeper overlap that becomes a velocity, nothing being displaced (the scene's own)")
      ->check(share())
      ->type_name("SHARE");
  app.add_option("--seed", s.seed, "of everything random in the scene")->type_name("N");
}

void add_run_options(CLI::App& app, RunSettings& s) {
  app.add_option("--threads", s.threads, "threads; results do not depend on it (1)")
      ->check(whole_number(1, 1024))
      ->type_name("N");
  app.add_option(
         "--device", s.device,
         "cpu: one world; cuda: many worlds on a GPU; cpu-batch: the\nsame worlds, bit for bit, on the processor (cpu)")
      ->check(one_of({"cpu", "cpu-batch", "cuda"}))
      ->type_name("NAME");
  app.add_option("--worlds", s.worlds, "worlds of --device cpu-batch or cuda (1)")
      ->check(whole_number(1, 10'000'000))
      ->type_name("N");
  app.add_option("--kick", s.kick, "with --worlds: every step gives every body a random velocity up\nto this, m/s (0)")
      ->check(positive_number())
      ->type_name("V");
  app.add_flag("--no-warm-start", s.no_warm_start, "solve every step from zero");
  app.add_option("--ctrl", s.ctrl, "controls of actuators by time: a line time,NAME,... and lines of numbers")
      ->type_name("FILE.csv");
  app.add_option("--from", s.from, "go on from a checkpoint of the same scene")->type_name("CHECKPOINT");
}

void add_output_options(CLI::App& app, RunSettings& s) {
  auto* record =
      app.add_option("--record", s.record, "states, contacts and certificates as HDF5; readable while it grows")
          ->check(hdf5_target())
          ->type_name("FILE.h5");
  app.add_flag("--compact", s.compact, "compress all of the recording: smaller, and slower to write")->needs(record);
  app.add_option("--log", s.log, "one JSON line a step")->check(file_target())->type_name("FILE.jsonl");
  auto* dump = app.add_option("--dump-problems", s.dump, "the contact problems of the steps as FCLIB, into DIR")
                   ->type_name("DIR");
  auto* every = app.add_option("--dump-every", s.dump_every, "only every N-th step")
                    ->check(whole_number(1))
                    ->type_name("N")
                    ->needs(dump);
  auto* unsolved =
      app.add_flag("--dump-unsolved", s.dump_unsolved, "only steps above tolerance")->needs(dump)->excludes(every);
  app.add_option("--dump-steps", s.dump_steps, "only these steps, numbers with commas between them")
      ->delimiter(',')
      ->check(whole_number(1))
      ->type_name("N,...")
      ->needs(dump)
      ->excludes(every)
      ->excludes(unsolved);
  app.add_flag("--dump-global", s.dump_global, "compressed, Jacobians instead of W: a tenth of the size")->needs(dump);
  app.add_option("--checkpoint", s.checkpoint, "write the last state, to go on with --from")
      ->check(file_target())
      ->type_name("FILE");
  app.add_option("--json", s.json,
                 "the run in numbers; - is standard output,\nand the table then moves to standard error")
      ->check(json_target())
      ->type_name("FILE|-");
  app.add_flag("--strict", s.strict, "exit with 3 unless every step is solved to the tolerance");
  app.add_flag("--quiet", s.quiet, "no table and no progress bar");
}

Exit run(const RunSettings& s) {
  if (s.device != "cpu") return run_batch(s);
  require_usage(!s.worlds && s.kick == 0, s.worlds ? "--worlds" : "--kick",
                ": expected --device cpu-batch or --device cuda with it, got --device cpu");
  return run_scene(s);
}

}  // namespace

Command add_run(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("run", "Simulate a scene and certify every step");
  app.footer(kRunExample);
  const auto settings = std::make_shared<RunSettings>();
  add_scene_options(app, *settings);
  add_scheme_options(app, *settings);
  add_run_options(app, *settings);
  add_output_options(app, *settings);
  return {&app, [settings] { return run(*settings); }};
}

}  // namespace repose::cli
