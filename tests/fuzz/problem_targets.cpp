// SPDX-License-Identifier: Apache-2.0
// Contact problems in FCLIB HDF5 and Siconos text. A problem that is accepted is written and read again.
#include <cstdlib>

#include "problems/simple.h"
#include "repose/contact/problem_file.h"
#include "tests/fuzz/input_file.h"

namespace repose::fuzz {
namespace {

void feed_problem(const InputFile& file, Bytes bytes) {
  static const InputFile again("again.hdf5");
  accept_or_refuse([&] {
    const StoredProblem stored = read_stored_problem(file.with(bytes));
    write_fclib(again.path(), stored.problem);
    if (read_problem(again.path()).size() != stored.problem.size()) std::abort();
  });
}

}  // namespace

void feed_fclib(Bytes bytes) {
  static const InputFile file("input.hdf5");
  feed_problem(file, bytes);
}

void feed_siconos(Bytes bytes) {
  static const InputFile file("input.dat");
  feed_problem(file, bytes);
}

std::vector<FreshSeed> fresh_problems() {
  const InputFile file("fresh.hdf5");
  const ContactProblem problem = problems::make_problem(problems::rod());
  std::vector<FreshSeed> seeds;
  for (const FclibForm form : {FclibForm::kLocal, FclibForm::kGlobal})
    for (const bool compress : {false, true}) {
      FclibOptions options;
      options.form = form, options.compress = compress;
      write_fclib(file.path(), problem, options);
      const std::string name = form == FclibForm::kLocal ? "local" : "global";
      seeds.push_back({"fclib", "fresh-" + name + (compress ? "-packed" : ""), file.content()});
    }
  return seeds;
}

}  // namespace repose::fuzz
