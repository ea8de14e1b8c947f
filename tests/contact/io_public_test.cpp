// SPDX-License-Identifier: Apache-2.0
// The public problems, read and held against what is known about each of them.
#include <cmath>
#include <cstdlib>
#include <map>

#include "repose/contact/spectrum.h"
#include "tests/contact/io_support.h"
#include "tests/support/data.h"

namespace repose::testing {
namespace {

namespace fs = std::filesystem;
using Row = std::map<std::string, std::string>;

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out(1);
  for (char c : line)
    if (c == ',')
      out.emplace_back();
    else if (c != '\r')
      out.back() += c;
  return out;
}

std::vector<Row> read_table(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  const auto names = cells(line);
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    const auto values = cells(line);
    Row row;
    for (std::size_t k = 0; k < names.size() && k < values.size(); ++k) row[names[k]] = values[k];
    rows.push_back(row);
  }
  return rows;
}

double number(const Row& row, const std::string& name) { return std::stod(row.at(name)); }

double norm_q(const ContactProblem& problem) {
  double sum = 0;
  for (ContactVec v : problem.v_free()) sum += squared_norm(v);
  return std::sqrt(sum);
}

void check_row(const Row& row, const StoredProblem& stored) {
  const ContactProblem& problem = stored.problem;
  EXPECT_EQ(stored.facts.kind, row.at("kind"));
  EXPECT_EQ(problem.size(), number(row, "contacts"));
  if (stored.facts.kind != "hdf5-global") {  // reduced with rounding there, symmetric by construction here
    const double told = number(row, "asymmetry");
    EXPECT_NEAR(stored.facts.asymmetry, told, 0.5 * told);
  } else {
    EXPECT_TRUE(problem.symmetric());
  }
  const double largest = largest_eigenvalue(problem, {.accuracy = 1e-7, .max_iterations = 20000}).largest;
  EXPECT_NEAR(largest / number(row, "lambda_max"), 1, 2e-3);
  EXPECT_NEAR(norm_q(problem) / number(row, "norm_q"), 1, 1e-3);
  const auto mu = problem.sets().mu();
  EXPECT_NEAR(*std::min_element(mu.begin(), mu.end()), number(row, "mu_min"), 1e-9);
  EXPECT_NEAR(*std::max_element(mu.begin(), mu.end()), number(row, "mu_max"), 1e-9);
  const auto v = problem.v_free();
  EXPECT_EQ(std::count_if(v.begin(), v.end(), [](ContactVec x) { return x.n < 0; }), number(row, "approaching"));
}

/// max |A − B| / max |A| over all blocks, and the same for v_free.
double difference(const ContactProblem& a, const ContactProblem& b) {
  double top = 0, scale = 0, v_top = 0;
  for (int i = 0; i < a.size(); ++i)
    for (int j = 0; j < a.size(); ++j) {
      const Mat3 A = a.coupling(i, j), B = b.coupling(i, j);
      for (int k = 0; k < 9; ++k) {
        top = std::max(top, std::abs(A.m[k / 3][k % 3] - B.m[k / 3][k % 3]));
        scale = std::max(scale, std::abs(A.m[k / 3][k % 3]));
      }
    }
  for (std::size_t i = 0; i < a.v_free().size(); ++i)
    v_top = std::max(v_top, std::sqrt(squared_norm(a.v_free()[i] - b.v_free()[i])));
  return std::max(top / scale, v_top / norm_q(a));
}

TEST(PublicProblems, MatchTheTable) {
  REPOSE_NEEDS_DATA("fc3d/problems.csv");
  const auto rows = read_table(data_dir() / "fc3d/problems.csv");
  EXPECT_EQ(rows.size(), 23u);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.at("file"));
    check_row(row, read_stored_problem(data_dir() / "fc3d" / row.at("file")));
  }
}

TEST(PublicProblems, LocalHdf5IsItsTextBitForBit) {
  REPOSE_NEEDS_DATA("fc3d/problems.csv");
  for (const Row& row : read_table(data_dir() / "fc3d/problems.csv")) {
    if (row.at("kind") != "hdf5-local") continue;
    SCOPED_TRACE(row.at("file"));
    EXPECT_TRUE(same_problem(read_problem(data_dir() / "fc3d" / row.at("file")),
                             read_problem(data_dir() / "fc3d" / row.at("plain_dat"))));
  }
}

TEST(PublicProblems, GlobalHdf5KeepsItsBodiesAndIsItsReducedText) {
  REPOSE_NEEDS_DATA("fc3d/problems.csv");
  for (const Row& row : read_table(data_dir() / "fc3d/problems.csv")) {
    if (row.at("kind") != "hdf5-global") continue;
    SCOPED_TRACE(row.at("file"));
    const ContactProblem global = read_problem(data_dir() / "fc3d" / row.at("file"));
    ASSERT_TRUE(std::holds_alternative<BodyForm>(global.form()));
    EXPECT_EQ(6 * std::get<BodyForm>(global.form()).bodies(), number(row, "ndof_global"));
    EXPECT_LT(difference(global, read_problem(data_dir() / "fc3d" / row.at("plain_dat"))), 1e-14);
  }
}

TEST(PublicProblems, WriteAndReadBackBitForBit) {
  REPOSE_NEEDS_DATA("fc3d/problems.csv");
  const TempFolder folder;
  for (const Row& row : read_table(data_dir() / "fc3d/problems.csv")) {
    SCOPED_TRACE(row.at("file"));
    const ContactProblem problem = read_problem(data_dir() / "fc3d" / row.at("file"));
    write_fclib(folder / "copy.hdf5", problem);
    EXPECT_TRUE(same_problem(read_problem(folder / "copy.hdf5"), problem));
  }
}

TEST(PublicProblems, ZerosAreNoSolutionAndGuessesAreRead) {
  REPOSE_NEEDS_DATA("fc3d/Capsules-i125-1213.hdf5");
  const StoredProblem stored = read_stored_problem(data_dir() / "fc3d/Capsules-i125-1213.hdf5");
  EXPECT_EQ(stored.title, "Capsules");
  EXPECT_FALSE(stored.solution.has_value());
  ASSERT_TRUE(stored.guess.has_value());
  EXPECT_NEAR(stored.guess->front().n, 2.90366180e-03, 1e-11);
  EXPECT_NEAR(stored.guess->front().t1, -8.23766912e-04, 1e-12);
}

}  // namespace
}  // namespace repose::testing
