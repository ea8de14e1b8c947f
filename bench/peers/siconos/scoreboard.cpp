// SPDX-License-Identifier: Apache-2.0
#include "bench/peers/siconos/scoreboard.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "bench/provenance/provenance.h"
#include "repose/base/error.h"

namespace repose::bench {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string now() {
  const std::time_t time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::ostringstream text;
  text << std::put_time(std::gmtime(&time), "%Y-%m-%dT%H:%M:%SZ");
  return text.str();
}

const Result* best_peer(const ProblemResults& problem) {
  const Result* best = nullptr;
  for (std::size_t i = 1; i < problem.results.size(); ++i) {
    const Result& result = problem.results[i];
    if (result.verdict == Verdict::kSolved && (best == nullptr || result.ms < best->ms)) best = &result;
  }
  return best;
}

std::string short_number(double value, const char* format) {
  if (!std::isfinite(value)) return "-";
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

Json to_json(const Result& r) {
  return {{"family", r.family},
          {"configuration", r.name},
          {"storage", r.storage},
          {"units", r.units},
          {"status", to_string(r.verdict)},
          {"own_tolerance", number(r.tolerance)},
          {"r_c", number(r.r_c)},
          {"nat", number(r.nat)},
          {"siconos_error", number(r.siconos_error)},
          {"iterations", r.iterations},
          {"ms", number(r.ms)},
          {"repeats", r.repeats}};
}

Json to_json(const ProblemResults& problem) {
  Json entry = {{"file", problem.file}, {"contacts", problem.contacts}};
  if (!problem.duel.rival.empty())
    entry["best_peer"] = {{"configuration", problem.duel.rival},
                          {"peer_ms", number(problem.duel.rival_ms)},
                          {"repose_ms", number(problem.duel.ours_ms)},
                          {"ratio", number(problem.duel.ratio())}};
  for (const Result& result : problem.results) entry["results"].push_back(to_json(result));
  return entry;
}

/// Written beside, then renamed: whoever reads it never meets half a file.
void replace_file(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path draft = path.string() + ".part";
  std::ofstream out(draft, std::ios::binary);
  out << text;
  out.close();
  require(out.good(), path.string(), ": cannot be written");
  std::filesystem::rename(draft, path);
}

std::string as_csv(const std::vector<ProblemResults>& all) {
  std::ostringstream csv;
  csv.precision(17);
  csv << "file,contacts,family,configuration,storage,units,status,own_tolerance,r_c,nat,siconos_error,iterations,ms,"
         "repeats\n";
  for (const ProblemResults& problem : all)
    for (const Result& r : problem.results) {
      csv << problem.file << ',' << problem.contacts << ',' << r.family << ',' << r.name << ',' << r.storage << ','
          << r.units << ',' << to_string(r.verdict);
      for (const double value : {r.tolerance, r.r_c, r.nat, r.siconos_error}) {
        csv << ',';
        if (std::isfinite(value)) csv << value;
      }
      csv << ',' << r.iterations << ',';
      if (std::isfinite(r.ms)) csv << r.ms;
      csv << ',' << r.repeats << '\n';
    }
  return csv.str();
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSolved: return "solved";
    case Verdict::kInaccurate: return "inaccurate";
    case Verdict::kNotConverged: return "not_converged";
    case Verdict::kTimeLimit: return "time_limit";
    case Verdict::kCrashed: return "crashed";
  }
  return "";
}

Summary summarise(const std::vector<ProblemResults>& all) {
  Summary summary{.problems = static_cast<int>(all.size())};
  double log_sum = 0, log_sum_larger = 0;
  int larger = 0;
  for (const ProblemResults& problem : all) {
    const bool ours = !problem.results.empty() && problem.results.front().verdict == Verdict::kSolved;
    summary.ours_solved += ours ? 1 : 0;
    summary.peer_solved += best_peer(problem) != nullptr ? 1 : 0;
    const double ratio = problem.duel.ratio();
    if (!ours || !std::isfinite(ratio)) continue;
    ++summary.compared;
    log_sum += std::log(ratio);
    if (problem.contacts >= kLarger) {
      log_sum_larger += std::log(ratio);
      ++larger;
    }
    summary.twice_as_slow += ratio > 2 ? 1 : 0;
    if (!(ratio <= summary.worst_ratio)) {
      summary.worst_ratio = ratio;
      summary.worst_file = problem.file;
    }
  }
  if (summary.compared > 0) summary.geometric_mean = std::exp(log_sum / summary.compared);
  if (larger > 0) summary.geometric_mean_larger = std::exp(log_sum_larger / larger);
  return summary;
}

RunFacts facts_of_this_run() {
  RunFacts facts;
  facts.started = now();
  return facts;
}

void print_problem(std::ostream& out, const ProblemResults& problem) {
  out << '\n' << problem.file << ", " << problem.contacts << " contacts\n";
  out << "  " << std::left << std::setw(34) << "solver" << std::setw(15) << "status" << std::right << std::setw(9)
      << "r_c" << std::setw(9) << "nat" << std::setw(10) << "siconos" << std::setw(10) << "its" << std::setw(12) << "ms"
      << '\n';
  for (const Result& r : problem.results)
    out << "  " << std::left << std::setw(34) << r.name << std::setw(15) << to_string(r.verdict) << std::right
        << std::setw(9) << short_number(r.r_c, "%.1e") << std::setw(9) << short_number(r.nat, "%.1e") << std::setw(10)
        << short_number(r.siconos_error, "%.1e") << std::setw(10) << r.iterations << std::setw(12)
        << short_number(r.ms, "%.4g") << '\n';
  if (!problem.duel.rival.empty())
    out << "  repose " << short_number(problem.duel.ours_ms, "%.4g") << " ms against "
        << short_number(problem.duel.rival_ms, "%.4g") << " ms of " << problem.duel.rival << ": ratio "
        << short_number(problem.duel.ratio(), "%.3g") << '\n';
}

void print_summary(std::ostream& out, const std::vector<ProblemResults>& all) {
  if (all.empty()) return;
  struct Row {
    int solved = 0, quickest = 0;
  };
  std::vector<std::string> order;
  std::map<std::string, Row> rows;
  for (const ProblemResults& problem : all) {
    const Result* best = best_peer(problem);
    for (const Result& r : problem.results) {
      if (!rows.contains(r.name)) order.push_back(r.name);
      Row& row = rows[r.name];
      row.solved += r.verdict == Verdict::kSolved ? 1 : 0;
      row.quickest += &r == best ? 1 : 0;
    }
  }
  out << "\nsolved, out of " << all.size() << " problems (and how often the quickest of the peers)\n";
  for (const std::string& name : order)
    out << "  " << std::left << std::setw(34) << name << std::right << std::setw(4) << rows[name].solved << std::setw(6)
        << (rows[name].quickest > 0 ? '(' + std::to_string(rows[name].quickest) + ')' : "") << '\n';
  const Summary s = summarise(all);
  out << "\nrepose solved " << s.ours_solved << ", at least one peer " << s.peer_solved << ", of " << s.problems
      << "\ntime of repose over the best peer of each problem: geometric mean "
      << short_number(s.geometric_mean, "%.3g") << ", worst " << short_number(s.worst_ratio, "%.3g") << " ("
      << s.worst_file << "), above 2 on " << s.twice_as_slow << " of " << s.compared << '\n';
}

void write_results(const std::filesystem::path& folder, const RunFacts& facts, const std::vector<ProblemResults>& all) {
  std::filesystem::create_directories(folder);
  const Summary s = summarise(all);
  Json document = {{"benchmark", "siconos"},
                   {"started", facts.started},
                   {"provenance", provenance()},
                   {"siconos", facts.peer_version},
                   {"clock", "CPU time of the solving thread"},
                   {"tolerance", facts.tolerance},
                   {"cap_s", facts.cap},
                   {"summary",
                    {{"problems", s.problems},
                     {"repose_solved", s.ours_solved},
                     {"best_peer_solved", s.peer_solved},
                     {"compared", s.compared},
                     {"geometric_mean_ratio", number(s.geometric_mean)},
                     {"geometric_mean_ratio_from_10_contacts", number(s.geometric_mean_larger)},
                     {"worst_ratio", number(s.worst_ratio)},
                     {"worst_file", s.worst_file},
                     {"above_twice", s.twice_as_slow}}},
                   {"problems", Json::array()}};
  for (const ProblemResults& problem : all) document["problems"].push_back(to_json(problem));
  replace_file(folder / "siconos.json", document.dump(1) + '\n');
  replace_file(folder / "siconos.csv", as_csv(all));
}

}  // namespace repose::bench
