// SPDX-License-Identifier: Apache-2.0
// Siconos text files: what they mean, how freely they may be laid out, and what is wrong with the wrong ones.
#include <cmath>
#include <locale>

#include "tests/contact/io_support.h"

namespace repose::testing {
namespace {

using Tokens = std::vector<std::string>;

Tokens split(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

std::string join(const Tokens& tokens, const std::string& gap = "\n") {
  std::string text;
  for (const auto& token : tokens) text += token + gap;
  return text;
}

// One contact, dense. The numbers of W by columns, axes (N, T1, T2).
const std::string kDense = "3 1 0 3 3  3 3  1 2 3  4 5 6  7 8 9  -1 0.5 0.25  0.7";
constexpr std::size_t kDenseW = 7, kDenseQ = 16, kDenseMu = 19;  // token numbers

// Two contacts in blocks; W_12 = 0 is not stored.
const std::string kBlocks =
    "3 2 1 6 6  3  2 2  3 6  3 6  3 3  0 1 3  0 0 1"
    "  0 1 2 3 4 5 6 7 8 9  1 .1 .2 .3 .4 .5 .6 .7 .8 .9  2 10 20 30 40 50 60 70 80 90"
    "  -1 .5 .25 -2 1e-3 -4E+2  .7 0";

TEST(SiconosText, DenseMatrixIsByColumnsWithTheNormalFirst) {
  const TempFolder folder;
  write_file(folder / "a.dat", kDense);
  const StoredProblem stored = read_stored_problem(folder / "a.dat");
  EXPECT_EQ(stored.facts.kind, "dat-dense");
  EXPECT_DOUBLE_EQ(stored.facts.asymmetry, 4.0 / 9);
  // File: W(N,N) = 1, W(T1,N) = 2, W(T2,N) = 3, W(N,T1) = 4, ...; ours is (t1, t2, n).
  const double expected[3][3] = {{5, 8, 2}, {6, 9, 3}, {4, 7, 1}};
  const Mat3 W = stored.problem.coupling(0, 0);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) EXPECT_EQ(W.m[r][c], expected[r][c]) << r << c;
  const ContactVec v = stored.problem.v_free()[0];
  EXPECT_EQ(v.n, -1);
  EXPECT_EQ(v.t1, 0.5);
  EXPECT_EQ(v.t2, 0.25);
  EXPECT_EQ(stored.problem.sets().mu()[0], 0.7);
}

TEST(SiconosText, BlocksAreByColumnsToo) {
  const TempFolder folder;
  write_file(folder / "a.dat", kBlocks);
  const StoredProblem stored = read_stored_problem(folder / "a.dat");
  EXPECT_EQ(stored.facts.kind, "dat-sbm");
  const Mat3 W = stored.problem.coupling(1, 0);
  EXPECT_EQ(W.m[2][2], 0.1);  // (N, N)
  EXPECT_EQ(W.m[0][2], 0.2);  // (T1, N)
  EXPECT_EQ(W.m[2][0], 0.4);  // (N, T1)
  EXPECT_EQ(stored.problem.coupling(0, 1).m[2][2], 0);
  EXPECT_EQ(stored.problem.coupling(1, 1).m[1][1], 90);
  EXPECT_EQ(stored.problem.v_free()[1].t2, -400);
  EXPECT_EQ(stored.problem.sets().mu()[1], 0);
}

TEST(SiconosText, LayoutIsFreeAndOneTrailingIntegerIsIgnored) {
  const TempFolder folder;
  for (const std::string& text : {kDense, kBlocks}) {
    write_file(folder / "a.dat", text);
    const ContactProblem plain = read_problem(folder / "a.dat");
    for (const char* gap : {"\n", "\r\n", "\t", "  \n\n\n ", "\v\f "})
      for (const char* end : {"", "0", "1\n", "\n\n 17 \n\n"}) {
        write_file(folder / "a.dat", "\n " + join(split(text), gap) + end);
        EXPECT_TRUE(same_problem(read_problem(folder / "a.dat"), plain));
      }
    write_file(folder / "a.hdf5.dat", text);  // a name that Siconos uses
    EXPECT_TRUE(same_problem(read_problem(folder / "a.hdf5.dat"), plain));
  }
}

TEST(SiconosText, NumbersAreReadAsScanfDoes) {
  const TempFolder folder;
  Tokens tokens = split(kDense);
  tokens[kDenseQ] = "+1.5E+00";
  tokens[kDenseQ + 1] = "1e-400";  // below the smallest double
  tokens[kDenseQ + 2] = "4.9406564584124654e-324";
  tokens[kDenseMu] = "0.29999999999999998889776975374843";
  write_file(folder / "a.dat", join(tokens));
  const ContactProblem problem = read_problem(folder / "a.dat");
  EXPECT_EQ(problem.v_free()[0].n, 1.5);
  EXPECT_EQ(problem.v_free()[0].t1, 0);
  EXPECT_EQ(problem.v_free()[0].t2, 4.9406564584124654e-324);
  EXPECT_EQ(problem.sets().mu()[0], 0.3);
}

TEST(SiconosText, NoContactsIsAProblem) {
  const TempFolder folder;
  write_file(folder / "dense.dat", "3 0 0 0 0 0 0");
  write_file(folder / "blocks.dat", "3 0 1 0 0  0  0 0  1 0  0");
  EXPECT_EQ(read_problem(folder / "dense.dat").size(), 0);
  EXPECT_EQ(read_problem(folder / "blocks.dat").size(), 0);
}

/// Decimal comma, dots between thousands.
struct Continental : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(SiconosText, LocaleDoesNotMatter) {
  const TempFolder folder;
  write_file(folder / "a.dat", kBlocks);
  Tokens bad = split(kBlocks);
  bad[1] = "123456789";
  write_file(folder / "bad.dat", join(bad));
  const ContactProblem before = read_problem(folder / "a.dat");
  const std::string fault = fault_of(folder / "bad.dat");
  const std::locale old = std::locale::global(std::locale(std::locale::classic(), new Continental));
  const ContactProblem after = read_problem(folder / "a.dat");
  const std::string same_fault = fault_of(folder / "bad.dat");
  std::locale::global(old);
  EXPECT_TRUE(same_problem(before, after));
  EXPECT_EQ(fault, same_fault);
  EXPECT_TRUE(says(fault, "expected … got 123456789")) << fault;
}

struct Spoiled {
  const char* name;
  std::string text;
  const char* fault;  ///< after "FILE: "
};

std::string with(const std::string& base, std::size_t token, const std::string& value) {
  Tokens tokens = split(base);
  tokens.at(token) = value;
  return join(tokens);
}

std::string without_last(const std::string& base, std::size_t count) {
  Tokens tokens = split(base);
  tokens.resize(tokens.size() - count);
  return join(tokens);
}

std::vector<Spoiled> spoiled_headers() {
  return {
      {"planar", with(kDense, 0, "2"), ":1: dimension: expected 3 (planar … got 2"},
      {"word", with(kDense, 0, "three"), ":1: dimension: expected an integer … got three"},
      {"fraction", with(kDense, 1, "1.5"), ":2: nc: expected an integer … got 1.5"},
      {"negative", with(kDense, 1, "-1"), ":2: nc: expected 0 .. … got -1"},
      {"absurd", with(kDense, 1, "2000000000"), ":2: nc: expected 0 .. … got 2000000000"},
      {"beyond 64 bits", with(kDense, 1, "99999999999999999999"), ":2: nc: expected … got 99999999999999999999"},
      {"listing", with(kDense, 2, "2"), ":3: storage: expected 0 (dense) or 1 … got 2"},
      {"storage", with(kDense, 2, "7"), ":3: storage: expected 0 .. 2 … got 7"},
      {"size0", with(kDense, 3, "6"), ":4: size0: expected 3 … got 6"},
      {"size1", with(kDense, 4, "0"), ":5: size1: expected 3 … got 0"},
      {"rows", with(kDense, 5, "4"), ":6: rows of W: expected 3 … got 4"},
      {"columns", with(kDense, 6, "4"), ":7: columns of W: expected 3 … got 4"},
      {"only a number", "3", ":1: nc: expected an integer … got the end of the file"},
      {"white space", " \n\t\n ", "dimension"},
      {"prose", "Dear all,\nthe file is attached.\n", ":1: dimension: expected an integer … got Dear"},
      {"binary", std::string("3 1 0\0\1\2", 8), "file: expected … got binary data that is not HDF5"},
      {"a long word", std::string(1000, 'x'), ":1: dimension: expected … got xxxxxxxx"},
  };
}

std::vector<Spoiled> spoiled_values() {
  return {
      {"nan in W", with(kDense, kDenseW, "nan"), ":8: W: expected finite numbers … got nan"},
      {"-nan in W", with(kDense, kDenseW, "-nan"), ":8: W: expected finite numbers … got -nan"},
      {"inf in W", with(kBlocks, 24, "inf"), ":25: W: expected finite numbers … got inf"},
      {"overflow", with(kDense, kDenseQ, "-1e400"), ":17: q: expected finite numbers … got -1e400"},
      {"nan in q", with(kDense, kDenseQ, "NaN"), ":17: q: expected finite numbers … got NaN"},
      {"inf in mu", with(kDense, kDenseMu, "inf"), ":20: mu: expected finite numbers … got inf"},
      {"negative mu", with(kDense, kDenseMu, "-0.1"), ":20: mu: expected numbers >= 0 … got -0.1"},
      {"comma", with(kDense, kDenseQ, "1,5"), ":17: q: expected a number … got 1,5"},
      {"two signs", with(kDense, kDenseQ, "+-1"), ":17: q: expected a number … got +-1"},
      {"cut in mu", without_last(kDense, 1), ":20: mu: expected a number … got the end of the file"},
      {"cut in q", without_last(kDense, 2), ":19: q: expected a number … got the end of the file"},
      {"cut in W", without_last(kDense, 5), ":16: W: expected a number … got the end of the file"},
      {"more numbers", kDense + " 0.3", ":1: end of file: expected an integer … got 0.3"},
      {"two integers", kDense + " 1 2", ":1: end of file: expected nothing but one integer after mu … got 2"},
  };
}

std::vector<Spoiled> spoiled_blocks() {
  return {
      {"nbblocks", with(kBlocks, 5, "2"), "filled2"},
      {"negative nbblocks", with(kBlocks, 5, "-3"), ":6: nbblocks: expected 0 .. … got -3"},
      {"absurd nbblocks", with(kBlocks, 5, "1000000000000"), ":6: nbblocks: expected 0 .. … got 1000000000000"},
      {"blocknumber0", with(kBlocks, 6, "3"), ":7: blocknumber0: expected 2 … got 3"},
      {"blocknumber1", with(kBlocks, 7, "3"), ":8: blocknumber1: expected 2 … got 3"},
      {"blocksize0", with(kBlocks, 8, "2"), ":9: blocksize0: expected 3 … got 2"},
      {"blocksize1", with(kBlocks, 11, "7"), ":12: blocksize1: expected 6 … got 7"},
      {"filled1", with(kBlocks, 12, "4"), ":13: filled1: expected 1 .. 3 … got 4"},
      {"filled2", with(kBlocks, 13, "9"), ":14: filled2: expected 3 … got 9"},
      {"index1 start", with(kBlocks, 14, "1"), ":15: index1: expected 0 … got 1"},
      {"index1 falls", with(kBlocks, 15, "-1"), ":16: index1: expected 0 .. 3 … got -1"},
      {"index1 end", with(kBlocks, 16, "2"), ":17: index1: expected 3 as its last entry … got 2"},
      {"index1 beyond", with(kBlocks, 16, "4"), ":17: index1: expected 1 .. 3 … got 4"},
      {"index2", with(kBlocks, 18, "2"), ":19: index2: expected 0 .. 1 … got 2"},
      {"block number", with(kBlocks, 30, "2"), ":31: block number: expected 1 … got 2"},
  };
}

TEST(SiconosText, WhatIsWrongIsSaidInOneLine) {
  const TempFolder folder;
  const std::filesystem::path file = folder / "spoiled.dat";
  std::vector<Spoiled> all = spoiled_headers();
  for (const auto& more : {spoiled_values(), spoiled_blocks()}) all.insert(all.end(), more.begin(), more.end());
  for (const Spoiled& spoiled : all) {
    write_file(file, spoiled.text);
    const std::string fault = fault_of(file);
    EXPECT_TRUE(fault.starts_with(file.string() + ":") && says(fault, spoiled.fault)) << spoiled.name << ": " << fault;
    EXPECT_EQ(fault.find('\n'), std::string::npos) << spoiled.name;
    EXPECT_LT(fault.size(), file.string().size() + 200) << spoiled.name;
  }
}

TEST(SiconosText, EveryPrefixOfAFileIsRefused) {
  const TempFolder folder;
  for (const std::string& text : {kDense, kBlocks}) {
    const std::string whole = join(split(text), " ");
    const std::size_t last = whole.find_last_of(' ', whole.size() - 2) + 1;  // a shorter last number is a number, too
    for (std::size_t length = 1; length <= last; ++length) {
      write_file(folder / "cut.dat", whole.substr(0, length));
      EXPECT_NE(fault_of(folder / "cut.dat"), "") << length;
    }
  }
}

}  // namespace
}  // namespace repose::testing
