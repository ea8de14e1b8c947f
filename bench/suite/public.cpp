// SPDX-License-Identifier: Apache-2.0
// Stored problems of others (FCLIB and Siconos files in data/fc3d), as they are, from zero.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "bench/suite/all_benchmarks.h"
#include "bench/suite/measure.h"
#include "bench/suite/schemes_by_name.h"
#include "bench/suite/text.h"
#include "repose/base/error.h"
#include "repose/contact/problem_file.h"

namespace repose::bench {
namespace {

namespace fs = std::filesystem;

fs::path data_folder(const SuiteOptions& options) {
  if (!options.data.empty()) return options.data / "fc3d";
  const char* chosen = std::getenv("REPOSE_DATA");
  return fs::path(chosen && *chosen ? chosen : REPOSE_DATA_DEFAULT) / "fc3d";
}

std::vector<fs::path> stored_problems(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code none;  // no folder: no files
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
    if (entry.path().extension() == ".dat" || entry.path().extension() == ".hdf5") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void solve_file(const fs::path& file, Context& context) {
  const std::string name = file.filename().string();
  context.working_on(name);
  const double tolerance = context.tolerance(1e-8);
  const ContactProblem problem = read_problem(file);
  const auto solver = auto_scheme(tolerance);
  const double bind_ms = measure_bind(*solver, problem);
  const MeasureOptions how{.cap = 60, .repetitions = 3, .repeat_below = 0.2};
  const Measured m = measure(*solver, problem, {}, how, context.options());
  if (context.stopped()) return;
  const bool solved = m.certificate.solved(tolerance);
  const double error = siconos_error(problem, m.lambda);
  context.add_row({{"file", name},
                   {"contacts", problem.size()},
                   {"solved", solved},
                   {"ms", m.ms},
                   {"bind_ms", bind_ms},
                   {"r_c", m.certificate.r_c()},
                   {"nat", m.certificate.nat},
                   {"siconos_error", error},
                   {"outer_iterations", m.report.outer_iterations},
                   {"inner_iterations", m.report.inner_iterations},
                   {"status", to_string(m.report.status)}},
                  {name, std::to_string(problem.size()), solved ? "yes" : "no", short_ms(m.ms), short_ms(bind_ms),
                   short_residual(m.certificate.r_c()), short_residual(m.certificate.nat), short_residual(error),
                   fmt::format("{} / {}", m.report.outer_iterations, m.report.inner_iterations)});
}

void solve_or_say_why_not(const fs::path& file, Context& context) {
  try {
    solve_file(file, context);
  } catch (const InputError& error) {
    context.add_row({{"file", file.filename().string()}, {"error", error.what()}},
                    {file.filename().string(), "-", "unreadable", "-", "-", "-", "-", "-", "-"});
  }
}

}  // namespace

void run_public(Context& context) {
  const fs::path folder = data_folder(context.options());
  std::vector<fs::path> files = stored_problems(folder);
  if (files.empty()) {
    context.note("public: skipped, no stored problems in " + folder.string() +
                 "; REPOSE_DATA names the folder that holds fc3d");
    return;
  }
  if (context.options().quick) files.resize(std::min<std::size_t>(files.size(), 5));
  context.start_table(fmt::format("Public problems, auto, cold, tol {}", short_power(context.tolerance(1e-8))),
                      {{"file", 44},
                       {"contacts", 4},
                       {"solved", 4},
                       {"ms", 7},
                       {"bind ms", 6},
                       {"r_c", 6},
                       {"nat", 6},
                       {"Siconos error", 6},
                       {"outer / Newton", 10}});
  for (const fs::path& file : files)
    if (!context.stopped()) solve_or_say_why_not(file, context);
}

}  // namespace repose::bench
