// SPDX-License-Identifier: Apache-2.0
// The corpus of hard problems (problems/corpus), each from zero and from its stored start, beside the counts of the
// stored table: with the same bits, Newton steps, sweeps and impulses are the same.
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <map>

#include "bench/suite/all_benchmarks.h"
#include "bench/suite/measure.h"
#include "bench/suite/schemes_by_name.h"
#include "bench/suite/text.h"
#include "repose/base/error.h"
#include "repose/contact/problem_file.h"
#include "repose/world/hash.h"

namespace repose::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kCap = 5;           // CPU s a solve
constexpr int kQuickContacts = 150;  // the largest problem of a quick run
const fs::path kRepository = REPOSE_SOURCE_DIR;
constexpr const char* kStarts[2] = {"cold", "warm"};

Json read_json(const fs::path& path) {
  std::ifstream in(path);
  if (!in.good()) return {};
  return Json::parse(in, nullptr, false);
}

struct Entry {
  std::string file, group;
};

std::vector<Entry> listed_problems(const fs::path& folder) {
  std::vector<Entry> all;
  const Json manifest = read_json(folder / "manifest.json");
  if (!manifest.is_object()) return all;
  for (const Json& one : manifest.at("problems")) all.push_back({one.at("file"), one.at("group")});
  return all;
}

/// Sweeps of all Gauss–Seidel stages.
int sweeps(const OuterReport& report) {
  int count = 0;
  for (const Stage& stage : report.stages)
    if (std::strcmp(stage.method, "gauss-seidel") == 0) count += stage.iterations;
  return count;
}

std::string hash_of(const std::vector<ContactVec>& lambda) {
  Fnv1a hash;
  for (const ContactVec& x : lambda) hash.add(x.t1), hash.add(x.t2), hash.add(x.n);
  return fmt::format("{:016x}", hash.value());
}

/// What one start of one problem leaves in the table. A solve that the clock ended has no counts that repeat.
Json outcome(const Measured& m, double tolerance) {
  return {{"solved", m.certificate.solved(tolerance)},
          {"status", m.capped ? "time_limit" : to_string(m.report.status)},
          {"newton", m.report.inner_iterations},
          {"sweeps", sweeps(m.report)},
          {"ms", m.ms},
          {"r_c", m.certificate.r_c()},
          {"nat", m.certificate.nat},
          {"lambda", hash_of(m.lambda)}};
}

/// The row of a stored table for this file, or null.
const Json* stored_row(const Json& stored, const std::string& file) {
  if (!stored.is_object() || !stored.contains("tables") || stored["tables"].empty()) return nullptr;
  for (const Json& row : stored["tables"][0]["rows"])
    if (row.at("file") == file) return &row;
  return nullptr;
}

/// "": the same work and the same impulses.
std::string difference(const Json& now, const Json& before) {
  if (now.at("status") == "time_limit" && before.at("status") == "time_limit") return {};
  std::string text;
  for (const char* key : {"status", "newton", "sweeps"})
    if (now.at(key) != before.at(key))
      text += fmt::format(" {} {} -> {}", key, before.at(key).dump(), now.at(key).dump());
  if (text.empty() && now.at("lambda") != before.at("lambda")) text = " other bits of lambda";
  return text;
}

struct Group {
  std::array<Summary, 2> summary{Summary(0), Summary(0)};
  std::array<double, 2> ms{};
};

class Corpus {
 public:
  Corpus(Context& context, fs::path folder)
      : context_(context),
        folder_(std::move(folder)),
        tolerance_(context.tolerance(1e-8)),
        stored_(read_json(kRepository / "bench/results/hard.json")) {}

  void solve(const Entry& entry) {
    const StoredProblem stored = read_stored_problem(folder_ / entry.file);
    if (context_.options().quick && (stored.problem.size() > kQuickContacts || groups_.contains(entry.group))) return;
    context_.working_on(entry.file);
    Json row{{"file", entry.file}, {"group", entry.group}, {"contacts", stored.problem.size()}};
    std::vector<std::string> cells{entry.file, std::to_string(stored.problem.size())};
    for (std::size_t start = 0; start < 2; ++start) {
      const Measured m = solve_from(stored, start == 1);
      if (context_.stopped()) return;
      take(entry.group, start, m);
      const Json numbers = outcome(m, tolerance_);
      row[kStarts[start]] = numbers;
      for (const std::string& cell : texts(numbers)) cells.push_back(cell);
    }
    compare(row);
    context_.add_row(row, cells);
  }

  void report_groups() const {
    context_.start_table(
        "By group: solved, Newton steps median (max), CPU ms in all",
        {{"group", 12}, {"cold solved", 6}, {"Newton", 10}, {"ms", 6}, {"warm solved", 6}, {"Newton", 10}, {"ms", 6}});
    for (const std::string& name : order_) {
      const Group& group = groups_.at(name);
      Json row{{"group", name}};
      std::vector<std::string> cells{name};
      for (std::size_t start = 0; start < 2; ++start) {
        const Summary& s = group.summary[start];
        row[kStarts[start]] = s.numbers();
        row[kStarts[start]]["ms_sum"] = group.ms[start];
        cells.push_back(share(s.solved(), s.count()));
        cells.push_back(fmt::format("{:.0f} ({:.0f})", s.inner_median(), s.inner_max()));
        cells.push_back(short_ms(group.ms[start]));
      }
      context_.add_row(row, cells);
    }
  }

  void report_differences() const {
    context_.note(fmt::format("A solve ends after {} s of CPU time at the latest.", kCap));
    if (compared_ == 0) return context_.note("No stored table to compare with: bench/results/hard.json.");
    const std::string head = fmt::format("{} of {} solves differ from the stored table (bench/results/hard.json)",
                                         differences_.size(), compared_);
    context_.note(differences_.empty() ? head + "." : head + ":");
    for (const std::string& text : differences_) context_.note(text);
  }

 private:
  Measured solve_from(const StoredProblem& stored, bool warm) {
    const auto solver = auto_scheme(tolerance_);
    solver->bind(stored.problem);
    std::span<const ContactVec> start;
    if (warm && stored.guess) start = *stored.guess;
    // One solve a start: a second one by the same solver has the same counts, and last bits of λ that may differ.
    const MeasureOptions how{.cap = kCap};
    return measure(*solver, stored.problem, start, how, context_.options());
  }

  void take(const std::string& name, std::size_t start, const Measured& m) {
    if (!groups_.contains(name)) {
      order_.push_back(name);
      groups_[name].summary = {Summary(tolerance_), Summary(tolerance_)};
    }
    groups_[name].summary[start].add(m);
    groups_[name].ms[start] += m.ms;
  }

  static std::vector<std::string> texts(const Json& o) {
    return {o.at("newton").dump(), o.at("sweeps").dump(), short_ms(o.at("ms")),
            o.at("solved").get<bool>()
                ? std::string("yes")
                : fmt::format("{}, {}", o.at("status").get<std::string>(),
                              short_residual(std::max(o.at("r_c").get<double>(), o.at("nat").get<double>())))};
  }

  void compare(const Json& row) {
    const Json* before = stored_row(stored_, row.at("file"));
    for (const char* start : kStarts) {
      if (!before) continue;
      ++compared_;
      const std::string text = difference(row.at(start), before->at(start));
      if (!text.empty())
        differences_.push_back(fmt::format("{} {}:{}", row.at("file").get<std::string>(), start, text));
    }
  }

  Context& context_;
  fs::path folder_;
  double tolerance_;
  Json stored_;
  std::map<std::string, Group> groups_;
  std::vector<std::string> order_, differences_;
  int compared_ = 0;
};

}  // namespace

void run_hard(Context& context) {
  const fs::path folder = kRepository / "problems/corpus";
  const std::vector<Entry> entries = listed_problems(folder);
  if (entries.empty()) return context.note("hard: skipped, no problems in " + folder.string());
  Corpus corpus(context, folder);
  context.start_table(fmt::format("Hard problems, auto, tol {}", short_power(context.tolerance(1e-8))),
                      {{"problem", 28},
                       {"contacts", 4},
                       {"cold: Newton", 4},
                       {"sweeps", 5},
                       {"ms", 6},
                       {"solved", 6},
                       {"warm: Newton", 4},
                       {"sweeps", 5},
                       {"ms", 6},
                       {"solved", 6}});
  for (const Entry& entry : entries)
    if (!context.stopped()) corpus.solve(entry);
  if (context.stopped()) return;
  corpus.report_groups();
  corpus.report_differences();
}

}  // namespace repose::bench
