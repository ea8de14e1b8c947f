// SPDX-License-Identifier: Apache-2.0
#include "tests/frozen/corpus.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "repose/contact/problem_file.h"
#include "repose/scheme/solve.h"
#include "repose/world/hash.h"

namespace repose::frozen {
namespace {

namespace fs = std::filesystem;
const fs::path kFolder = REPOSE_SOURCE_DIR "/problems/corpus";

std::string hash_of(const std::vector<ContactVec>& lambda) {
  Fnv1a hash;
  for (const ContactVec& x : lambda) hash.add(x.t1), hash.add(x.t2), hash.add(x.n);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash.value()));
  return text;
}

}  // namespace

std::vector<std::string> corpus_solves() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(kFolder))
    if (entry.path().extension() == ".hdf5")
      for (const char* start : {":cold", ":warm"}) names.push_back(entry.path().filename().string() + start);
  std::sort(names.begin(), names.end());
  return names;
}

CorpusAnswer corpus_answer(const std::string& name) {
  const std::size_t colon = name.rfind(':');
  const StoredProblem stored = read_stored_problem(kFolder / name.substr(0, colon));
  std::span<const ContactVec> start;
  if (name.substr(colon) == ":warm" && stored.guess) start = *stored.guess;
  const Solution solution = solve(stored.problem, {}, start);
  const double sweeps = std::max(0, solution.report.outer_iterations - solution.report.inner_iterations);
  return {hash_of(solution.lambda), (solution.report.inner_iterations + sweeps / 16) * stored.problem.size()};
}

}  // namespace repose::frozen
