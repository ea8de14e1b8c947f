// SPDX-License-Identifier: Apache-2.0
// run(): a whole simulation and the summary that `repose run --json` prints.
#include <chrono>

#include "python/src/bindings.h"
#include "repose/record/recorder.h"
#include "repose/report/run_report_internal.h"

namespace repose::python {
namespace {

std::optional<Recorder> open_recording(const Data& data, const report::RunFacts& facts,
                                       const std::filesystem::path& file, bool compact) {
  if (file.empty()) return {};
  RecordOptions options;
  options.compact = compact;
  options.scene_json = report::scene_text(data.world.scene());
  options.settings_json = report::settings_text(facts, data.warm_start);
  return std::optional<Recorder>(std::in_place, file, data.world, options);
}

/// The JSON document of the run; signals end it with what they raise.
std::string run(Data& data, int steps, const std::filesystem::path& record, bool compact) {
  require(steps >= 0, "steps: expected >= 0, got ", steps);
  const InUse used(data);
  data.check();
  report::RunFacts facts = report::run_facts(data.world.options().solver, data.threads);
  std::optional<Recorder> recorder = open_recording(data, facts, record, compact);
  RunSummary summary(data.world);
  using Clock = std::chrono::steady_clock;
  for (int done = 0; done < steps && facts.ended == "done";) {
    {
      nb::gil_scoped_release release;
      const Clock::time_point end = Clock::now() + std::chrono::milliseconds(50);
      do {
        try {
          data.step_once();
        } catch (const BrokenRun&) {
          facts.ended = std::string("broke down: ") + data.report.why;
          break;
        }
        summary.add(data.world, data.report);
        if (recorder) recorder->add(data.world, data.report);
      } while (++done < steps && Clock::now() < end);
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();  // the recording closes itself
  }
  if (recorder) recorder->close();
  data.warn();
  return report::run_document(data.world, summary.finish(data.world), facts).dump();
}

}  // namespace

void bind_run(nb::module_& m) {
  m.def("run_data", &run, nb::arg("data"), nb::arg("steps"), nb::arg("record"), nb::arg("compact"),
        "Steps `data`, recording it where a file is given, and returns the summary as JSON text.");
}

}  // namespace repose::python
