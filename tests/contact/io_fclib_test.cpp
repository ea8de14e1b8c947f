// SPDX-License-Identifier: Apache-2.0
// FCLIB files: round trips to the last bit, the global form, and what is wrong with the wrong ones.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmath>
#include <csignal>
#include <functional>

#include "tests/contact/io_fields.h"
#include "tests/support/complaint.h"

namespace repose::testing {
namespace {

ContactProblem read_fields(const TempFolder& folder, const Fields& fields) {
  write_file(folder / "a.hdf5", hdf5_bytes(fields));
  return read_problem(folder / "a.hdf5");
}

double largest_difference(const ContactProblem& a, const ContactProblem& b) {
  double top = 0;
  for (int i = 0; i < a.size(); ++i) {
    top = std::max(top, std::sqrt(squared_norm(a.v_free()[static_cast<std::size_t>(i)] -
                                               b.v_free()[static_cast<std::size_t>(i)])));
    for (int j = 0; j < a.size(); ++j) {
      const Mat3 A = a.coupling(i, j), B = b.coupling(i, j);
      for (int k = 0; k < 9; ++k) top = std::max(top, std::abs(A.m[k / 3][k % 3] - B.m[k / 3][k % 3]));
    }
  }
  return top;
}

// ---- writing and reading back -----------------------------------------------------------------------------------

TEST(FclibFile, MatrixFormComesBackBitForBit) {
  const TempFolder folder;
  for (int contacts : {0, 1, 2, 7, 40}) {
    const ContactProblem problem = random_matrix_problem(contacts, 3);
    write_fclib(folder / "a.hdf5", problem);
    const StoredProblem back = read_stored_problem(folder / "a.hdf5");
    EXPECT_TRUE(same_problem(back.problem, problem)) << contacts;
    EXPECT_EQ(back.facts.kind, "hdf5-local");
    EXPECT_FALSE(back.guess || back.solution);
  }
}

TEST(FclibFile, BodyFormComesBackBitForBit) {
  const TempFolder folder;
  const ContactProblem problem = small_body_problem();
  write_fclib(folder / "a.hdf5", problem);
  const ContactProblem back = read_problem(folder / "a.hdf5");
  EXPECT_TRUE(same_problem(back, problem));
  const auto& form = std::get<BodyForm>(back.form());
  std::vector<Vec3> linear(2), angular(2);
  AlignedVector<Pack> y(3);
  y[1][0] = 1;
  form.body_velocity(y, linear, angular);  // masses come back as well
  EXPECT_EQ(linear[1].x, 0.5);
}

TEST(FclibFile, TextsGuessAndSolutionComeBack) {
  const TempFolder folder;
  const ContactProblem problem = small_body_problem();
  const std::vector<ContactVec> guess{{0.1, 0.2, 0.3}, {}, {-1, 0, 2}}, solution{{1e-300, 0, 1}, {0, 0, 0.5}, {}};
  write_fclib(folder / "a.hdf5", problem, {"Häuser", "two\nlines", "none", guess, solution});
  const StoredProblem back = read_stored_problem(folder / "a.hdf5");
  EXPECT_EQ(back.title, "Häuser");
  ASSERT_TRUE(back.guess && back.solution);
  EXPECT_TRUE(same_bits<ContactVec>(*back.guess, guess));
  EXPECT_TRUE(same_bits<ContactVec>(*back.solution, solution));
}

TEST(FclibFile, OthersFindWAndVelocityInTheirOrder) {
  const TempFolder folder;
  const std::vector<ContactVec> lambda{{0.1, 0.2, 0.3}, {0, 0, 0.4}, {-1, 0, 2}};
  write_fclib(folder / "a.hdf5", small_body_problem(), {{}, {}, {}, {}, lambda});
  const hid_t file = H5Fopen((folder / "a.hdf5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  EXPECT_EQ(library_numbers(file, "/fclib_local/W/nz"), std::vector<double>{-2});
  const auto p = library_numbers(file, "/fclib_local/W/p"), column = library_numbers(file, "/fclib_local/W/i");
  const auto x = library_numbers(file, "/fclib_local/W/x"), q = library_numbers(file, "/fclib_local/vectors/q");
  const auto r = library_numbers(file, "/solution/r"), u = library_numbers(file, "/solution/u");
  EXPECT_EQ(library_numbers(file, "/fclib_local/W/nzmax").at(0), static_cast<double>(x.size()));
  H5Fclose(file);
  ASSERT_EQ(p.size(), 10u);
  for (std::size_t row = 0; row < 9; ++row) {
    double sum = q[row];
    for (auto k = static_cast<std::size_t>(p[row]); k < static_cast<std::size_t>(p[row + 1]); ++k)
      sum += x[k] * r[static_cast<std::size_t>(column[k])];
    EXPECT_NEAR(sum, u[row], 1e-14);
  }
  EXPECT_EQ(r[0], 0.3);  // the normal comes first
  EXPECT_EQ(q[0], -1);
}

TEST(FclibFile, ZerosAreASolutionOnlyWhereNothingApproaches) {
  const TempFolder folder;
  Fields fields = local_fields();
  fields["/solution/r"] = std::vector<double>(6, 0.0);
  write_file(folder / "a.hdf5", hdf5_bytes(fields));
  EXPECT_FALSE(read_stored_problem(folder / "a.hdf5").solution.has_value());
  fields["/fclib_local/vectors/q"] = std::vector<double>{1, 0, 0, 0, 5, 0};
  write_file(folder / "a.hdf5", hdf5_bytes(fields));
  EXPECT_TRUE(read_stored_problem(folder / "a.hdf5").solution.has_value());
}

TEST(FclibFile, BodyRowsThatContradictWAreRefused) {
  const TempFolder folder;
  write_fclib(folder / "a.hdf5", small_body_problem());
  std::string bytes = file_bytes(folder / "a.hdf5");
  const double first = std::get<BodyForm>(small_body_problem().form()).rows(0).b[2][2];  // the normal, linear z
  double other = first + 0.25;
  std::string pattern(sizeof(double), '\0');
  std::memcpy(pattern.data(), &first, sizeof(double));
  std::size_t changed = 0;
  for (std::size_t at = bytes.find(pattern); at != bytes.npos; at = bytes.find(pattern, at + 8), ++changed)
    std::memcpy(&bytes[at], &other, sizeof(double));
  ASSERT_GT(changed, 0u);
  write_file(folder / "b.hdf5", bytes);
  const std::string fault = fault_of(folder / "b.hdf5");
  EXPECT_TRUE(says(fault, "/repose_body: expected J J' = W … got rows that differ from W")) << fault;
}

TEST(FclibFile, SameProblemSameBytes) {
  const TempFolder folder;
  write_fclib(folder / "a.hdf5", small_body_problem());
  write_fclib(folder / "b.hdf5", small_body_problem());
  EXPECT_EQ(file_bytes(folder / "a.hdf5"), file_bytes(folder / "b.hdf5"));
}

// ---- appearing whole or not at all ------------------------------------------------------------------------------

TEST(FclibFile, BadArgumentsWriteNothing) {
  const TempFolder folder;
  const ContactProblem problem = small_body_problem();
  const std::vector<ContactVec> few(2), bad{{}, {NAN, 0, 0}, {}};
  EXPECT_NE(complaint([&] { write_fclib(folder / "a.hdf5", problem, {{}, {}, {}, few, {}}); }), "");
  EXPECT_NE(complaint([&] { write_fclib(folder / "a.hdf5", problem, {{}, {}, {}, {}, bad}); }), "");
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(FclibFile, BadPlacesAreNamed) {
  const TempFolder folder;
  const ContactProblem problem = small_body_problem();
  std::filesystem::create_directory(folder / "sub");
  const auto fault = [&](const std::filesystem::path& path) { return complaint([&] { write_fclib(path, problem); }); };
  EXPECT_TRUE(says(fault(folder / "sub"), "output: expected … got a directory"));
  EXPECT_TRUE(says(fault(folder / "none/a.hdf5"), "output: expected … got no folder of that name"));
  EXPECT_TRUE(says(fault("/dev/null"), "output: expected … got something that is not a regular file"));
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(FclibFile, AFullDiskLeavesTheOldFile) {
  const TempFolder folder;
  write_fclib(folder / "a.hdf5", random_matrix_problem(2, 1));
  const std::string before = file_bytes(folder / "a.hdf5");
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit tight{4096, old.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const std::string fault = complaint([&] { write_fclib(folder / "a.hdf5", random_matrix_problem(30, 1)); });
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(says(fault, "a.hdf5: output: expected … got ")) << fault;
  EXPECT_EQ(file_bytes(folder / "a.hdf5"), before);
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(FclibFile, LinksAreFollowed) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "real");
  write_file(folder / "real/a.hdf5", "old");
  std::filesystem::create_symlink("real/a.hdf5", folder / "link.hdf5");
  write_fclib(folder / "link.hdf5", small_body_problem());
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.hdf5"));
  EXPECT_TRUE(same_problem(read_problem(folder / "real/a.hdf5"), small_body_problem()));
}

// ---- the local form ---------------------------------------------------------------------------------------------

TEST(FclibLocal, AllThreeStoragesAreTheSameMatrix) {
  const TempFolder folder;
  const ContactProblem rows = read_fields(folder, local_fields());
  EXPECT_EQ(rows.coupling(0, 1).m[2][0], 0.5);  // (N, T1)
  EXPECT_EQ(rows.coupling(1, 0).m[0][2], 0.5);
  Fields columns = local_fields();  // W is symmetric here
  columns["/fclib_local/W/nz"] = std::vector{-1};
  EXPECT_TRUE(same_problem(read_fields(folder, columns), rows));
  Fields triplets = local_fields();
  put_triplets(
      triplets, "/fclib_local/W", 6, 6,
      {{0, 0, 2}, {0, 4, 0.5}, {1, 1, 1.5}, {2, 2, 2}, {3, 3, 3}, {4, 0, 0.5}, {4, 4, 3}, {5, 5, 3}, {1, 1, 0.5}});
  EXPECT_TRUE(same_problem(read_fields(folder, triplets), rows));
  integers(triplets, "/fclib_local/W/nzmax")[0] = 30;  // room that was never used
  EXPECT_TRUE(same_problem(read_fields(folder, triplets), rows));
}

TEST(FclibLocal, TripletsHaveColumnsInP) {
  const TempFolder folder;
  Fields fields = local_fields();
  put_triplets(fields, "/fclib_local/W", 6, 6, {{0, 0, 2}, {1, 0, 7}});  // (T1, N)
  const Mat3 W = read_fields(folder, fields).coupling(0, 0);
  EXPECT_EQ(W.m[0][2], 7);
  EXPECT_EQ(W.m[2][0], 0);
}

TEST(FclibLocal, NewerHdf5IsReadToo) {
  const TempFolder folder;
  write_file(folder / "new.h5", hdf5_bytes(local_fields(), Format::kChecksummed));
  const StoredProblem stored = read_stored_problem(folder / "new.h5");
  EXPECT_TRUE(same_problem(stored.problem, read_fields(folder, local_fields())));
  EXPECT_EQ(stored.title, "two contacts");
}

TEST(FclibLocal, ContentDecidesNotTheEnding) {
  const TempFolder folder;
  write_file(folder / "odd.dat", hdf5_bytes(local_fields()));
  EXPECT_EQ(read_stored_problem(folder / "odd.dat").facts.kind, "hdf5-local");
}

// ---- the global form --------------------------------------------------------------------------------------------

TEST(FclibGlobal, BodiesAreKeptAndAgreeWithTheReducedMatrix) {
  const TempFolder folder;
  const ContactProblem bodies = read_fields(folder, global_fields()),
                       reduced = read_fields(folder, global_fields(true));
  ASSERT_TRUE(std::holds_alternative<BodyForm>(bodies.form()));
  ASSERT_TRUE(std::holds_alternative<MatrixForm>(reduced.form()));
  EXPECT_EQ(std::get<BodyForm>(bodies.form()).bodies(), 2);
  EXPECT_LT(largest_difference(bodies, reduced), 1e-14);
  EXPECT_EQ(read_stored_problem(folder / "a.hdf5").facts.kind, "hdf5-global");
}

TEST(FclibGlobal, PointMassesAreBodiesOfThree) {
  const TempFolder folder;
  Fields fields = global_fields();
  std::vector<Entry> M, H;
  for (int k = 0; k < 9; ++k) M.push_back({k, k, 2.0});
  for (int c = 0; c < 3; ++c)
    H.insert(H.end(), {{c, c, 1.0}, {3 + c, c, -1.0}, {3 + c, 3 + c, 1.0}, {6 + c, 3 + c, -1.0}});
  put_triplets(fields, "/fclib_global/M", 9, 9, M);
  put_triplets(fields, "/fclib_global/H", 9, 6, H);
  fields["/fclib_global/vectors/f"] = std::vector<double>(9, 0.0);
  const ContactProblem problem = read_fields(folder, fields);
  ASSERT_TRUE(std::holds_alternative<BodyForm>(problem.form()));
  EXPECT_EQ(std::get<BodyForm>(problem.form()).bodies(), 3);
  EXPECT_NEAR(problem.coupling(0, 0).m[2][2], 1, 1e-15);
  EXPECT_NEAR(problem.coupling(0, 1).m[0][0], -0.5, 1e-15);
}

TEST(FclibGlobal, ReadsBackWithItsBodies) {
  const TempFolder folder;
  const ContactProblem problem = read_fields(folder, global_fields());
  write_fclib(folder / "b.hdf5", problem);
  EXPECT_TRUE(same_problem(read_problem(folder / "b.hdf5"), problem));
}

TEST(FclibGlobal, TurnedTripletsAreSeenByTheirSizes) {
  const TempFolder folder;
  Fields fields = global_fields();
  const ContactProblem problem = read_fields(folder, fields);
  std::swap(fields["/fclib_global/H/p"], fields["/fclib_global/H/i"]);
  EXPECT_TRUE(same_problem(read_fields(folder, fields), problem));
}

TEST(FclibGlobal, SkewMassKeepsItsSkewW) {
  const TempFolder folder;
  Fields fields = global_fields();
  numbers(fields, "/fclib_global/M/x")[12] = 0.3;  // one of a pair: an implicit gyroscopic term
  const ContactProblem problem = read_fields(folder, fields);
  EXPECT_TRUE(std::holds_alternative<MatrixForm>(problem.form()));
  EXPECT_FALSE(problem.symmetric());
}

// ---- what is wrong ----------------------------------------------------------------------------------------------

struct Spoiled {
  const char* name;
  std::function<void(Fields&)> spoil;
  const char* fault;  ///< after "FILE: "
};

const std::string kW = "/fclib_local/W", kLocal = "/fclib_local/vectors", kGlobal = "/fclib_global/vectors";

std::vector<Spoiled> spoiled_local() {
  const auto set = [](std::string path, std::size_t k, int value) {
    return [=](Fields& f) { integers(f, path).at(k) = value; };
  };
  const auto put = [](std::string path, std::size_t k, double value) {
    return [=](Fields& f) { numbers(f, path).at(k) = value; };
  };
  const auto drop = [](std::string path) { return [=](Fields& f) { f.erase(path); }; };
  const auto add = [](std::string path, Field field) { return [=](Fields& f) { f[path] = field; }; };
  const double inf = INFINITY;
  return {
      {"planar", set("/fclib_local/spacedim", 0, 2), "/fclib_local/spacedim: expected 3 (planar … got 2"},
      {"no spacedim", drop("/fclib_local/spacedim"), "/fclib_local/spacedim: expected a dataset … got nothing"},
      {"spacedim list", add("/fclib_local/spacedim", std::vector{3, 3}),
       "/fclib_local/spacedim: expected 1 entry … got 2"},
      {"spacedim real", add("/fclib_local/spacedim", std::vector{3.0}),
       "/fclib_local/spacedim: expected integers … got another type"},
      {"text for q", add(kLocal + "/q", std::string("zero")), "/fclib_local/vectors/q: expected … got "},
      {"m", set(kW + "/m", 0, 9), "/fclib_local/W/m: expected 6 … got 9"},
      {"absurd m", set(kW + "/m", 0, 2000000000), "/fclib_local/W/m: expected 6 … got 2000000000"},
      {"n", set(kW + "/n", 0, -6), "/fclib_local/W/n: expected 6 … got -6"},
      {"nz", set(kW + "/nz", 0, -3), "/fclib_local/W/nz: expected -2 … got -3"},
      {"nz of triplets", set(kW + "/nz", 0, 2000000000), "/fclib_local/W/nz: expected 7 … got 2000000000"},
      {"nzmax", set(kW + "/nzmax", 0, 2000000000),
       "/fclib_local/W/nzmax: expected 8, the length of i … got 2000000000"},
      {"short p", add(kW + "/p", std::vector{0, 2, 8}), "/fclib_local/W/p: expected 7 entries … got 3"},
      {"p falls", set(kW + "/p", 2, 1), "/fclib_local/W/p: expected 2 .. 8 … got 1 at entry 2"},
      {"p start", set(kW + "/p", 0, 1), "/fclib_local/W/p: expected 0 as first entry … got 1"},
      {"p end", set(kW + "/p", 6, 9), "/fclib_local/W/p: expected 0 .. 8 as last entry … got 9"},
      {"p negative end", set(kW + "/p", 6, -1), "/fclib_local/W/p: expected 0 .. 8 as last entry … got -1"},
      {"p beyond", set(kW + "/p", 3, 100), "/fclib_local/W/p: expected 3 .. 8 … got 100 at entry 3"},
      {"i", set(kW + "/i", 1, 6), "/fclib_local/W/i: expected 0 .. 5 … got 6 at entry 1"},
      {"i negative", set(kW + "/i", 7, -1), "/fclib_local/W/i: expected 0 .. 5 … got -1 at entry 7"},
      {"short x", add(kW + "/x", std::vector<double>(7)), "/fclib_local/W/x: expected 8 entries … got 7"},
      {"nan in x", put(kW + "/x", 3, NAN), "/fclib_local/W/x: expected finite numbers … got nan at entry 3"},
      {"inf in q", put(kLocal + "/q", 2, -inf), "/fclib_local/vectors/q: expected finite … got -inf at entry 2"},
      {"short q", add(kLocal + "/q", std::vector<double>(5)), "/fclib_local/vectors/q: expected 6 entries … got 5"},
      {"mu below 0", put(kLocal + "/mu", 1, -0.5),
       "/fclib_local/vectors/mu: expected numbers >= 0 … got -0.5 at entry 1"},
      {"nan in mu", put(kLocal + "/mu", 0, NAN), "/fclib_local/vectors/mu: expected … got nan at entry 0"},
      {"no mu", drop(kLocal + "/mu"), "/fclib_local/vectors/mu: expected a dataset … got nothing"},
      {"overflow",
       [](Fields& f) {
         put_triplets(f, kW, 6, 6, {{0, 0, 1e308}, {0, 0, 1e308}});
       },
       "W: expected … got an overflow between"},
      {"joints", add("/fclib_local/V/m", std::vector{3}), "/fclib_local/V: expected none … got an equality part"},
      {"joint vector", add(kLocal + "/s", std::vector<double>(3)),
       "/fclib_local/vectors/s: expected … got an equality part"},
      {"guess", add("/guesses/1/r", std::vector<double>(3)), "/guesses/1/r: expected 6 entries … got 3"},
      {"solution", add("/solution/r", std::vector<double>(6, NAN)), "/solution/r: expected … got nan at entry 0"},
      {"empty",
       [](Fields& f) {
         f = {{"/other", std::vector{1}}};
       },
       "/: expected … got neither /fclib_local nor /fclib_global"},
  };
}

std::vector<Spoiled> spoiled_global() {
  return {
      {"planar", [](Fields& f) { f["/fclib_global/spacedim"] = std::vector{2}; },
       "/fclib_global/spacedim: expected … got 2"},
      {"joints", [](Fields& f) { f["/fclib_global/G/m"] = std::vector{1}; },
       "/fclib_global/G: expected … got an equality part"},
      {"joint vector", [](Fields& f) { f[kGlobal + "/b"] = std::vector{1.0}; },
       "/fclib_global/vectors/b: expected … got an equal"},
      {"short f", [](Fields& f) { f[kGlobal + "/f"] = std::vector<double>(11); },
       "/fclib_global/M/m: expected 11 … got 12"},
      {"short w", [](Fields& f) { f[kGlobal + "/w"] = std::vector<double>(5); },
       "/fclib_global/vectors/w: expected 6 entries … got 5"},
      {"massless", [](Fields& f) { numbers(f, "/fclib_global/M/x")[3] = 0; },
       "/fclib_global/M: expected … got 0 at row 3"},
      {"negative mass", [](Fields& f) { numbers(f, "/fclib_global/M/x")[3] = -1; },
       "/fclib_global/M: expected … got -1 at row 3"},
      {"nzmax", [](Fields& f) { integers(f, "/fclib_global/H/nzmax")[0] = 2000000000; },
       "/fclib_global/H/nzmax: expected 54 .. 72 … got 2000000000"},
      {"small nzmax", [](Fields& f) { integers(f, "/fclib_global/H/nzmax")[0] = 3; },
       "/fclib_global/H/nzmax: expected … got 3"},
      {"row", [](Fields& f) { integers(f, "/fclib_global/H/i")[4] = 12; },
       "/fclib_global/H/i: expected … got 12 at entry 4"},
      {"column", [](Fields& f) { integers(f, "/fclib_global/H/p")[4] = -1; },
       "/fclib_global/H/p: expected … got -1 at entry 4"},
      {"one triangle",
       [](Fields& f) {
         put_triplets(f, "/fclib_global/M", 12, 12, [] {
           std::vector<Entry> M{{1, 0, 0.5}};
           for (int k = 0; k < 12; ++k) M.push_back({k, k, 1.0});
           return M;
         }());
       },
       "/fclib_global/M: expected all entries … got one triangle only"},
      {"singular",
       [](Fields& f) {
         put_triplets(f, "/fclib_global/M", 12, 12, [] {
           std::vector<Entry> M{{0, 1, 1}, {1, 0, 1}};
           for (int k = 0; k < 12; ++k) M.push_back({k, k, 1.0});
           return M;
         }());
       },
       "/fclib_global/M: expected … got a singular matrix"},
  };
}

void check_faults(const std::vector<Spoiled>& table, const Fields& sound) {
  const TempFolder folder;
  const std::filesystem::path file = folder / "spoiled.hdf5";
  for (const auto format : {Format::kClassic, Format::kChecksummed})
    for (const Spoiled& spoiled : table) {
      Fields fields = sound;
      spoiled.spoil(fields);
      write_file(file, hdf5_bytes(fields, format));
      const std::string fault = fault_of(file);
      EXPECT_TRUE(fault.starts_with(file.string() + ":") && says(fault, spoiled.fault))
          << spoiled.name << ": " << fault;
      EXPECT_EQ(fault.find('\n'), std::string::npos) << spoiled.name;
    }
}

TEST(FclibLocal, WhatIsWrongIsSaidInOneLine) { check_faults(spoiled_local(), local_fields()); }
TEST(FclibGlobal, WhatIsWrongIsSaidInOneLine) { check_faults(spoiled_global(), global_fields()); }

TEST(FclibFile, AbsurdExtentsClaimNoMemory) {
  const TempFolder folder;
  Fields fields = local_fields();
  fields["/fclib_local/vectors/q"] = std::vector<double>(777, 1.0);
  std::string bytes = hdf5_bytes(fields);
  const std::uint64_t extent = 777, absurd = 1000000000000;
  const std::string pattern(reinterpret_cast<const char*>(&extent), 8);
  for (std::size_t at = bytes.find(pattern); at != bytes.npos; at = bytes.find(pattern, at + 1))
    std::memcpy(&bytes[at], &absurd, 8);
  write_file(folder / "a.hdf5", bytes);
  const std::string fault = fault_of(folder / "a.hdf5");
  EXPECT_TRUE(says(fault, "/q: expected at most 777 entries for the bytes stored … got 1000000000000")) << fault;
}

TEST(ProblemFile, WhatIsNoFileIsNamed) {
  const TempFolder folder;
  write_file(folder / "empty.dat", "");
  write_file(folder / "text.hdf5", "3 1 0");
  ASSERT_EQ(::mkfifo((folder / "pipe.dat").c_str(), 0600), 0);
  EXPECT_TRUE(says(fault_of(folder / "none.dat"), "none.dat: file: expected … got nothing of that name"));
  EXPECT_TRUE(says(fault_of(folder.path()), ": file: expected … got a directory"));
  EXPECT_TRUE(says(fault_of(folder / "empty.dat"), "empty.dat: file: expected … got 0 bytes"));
  EXPECT_TRUE(says(fault_of(folder / "pipe.dat"), "pipe.dat: file: expected … got a pipe"));
  EXPECT_TRUE(says(fault_of(folder / "text.hdf5"), "text.hdf5: file: expected … got no HDF5 signature"));
  EXPECT_TRUE(says(fault_of("/dev/null"), "/dev/null: file: expected … got a pipe, device"));
  EXPECT_EQ(fault_of(folder / "two\nlines.dat").find('\n'), std::string::npos);
}

TEST(FclibFile, EveryPrefixOfAFileIsRefused) {
  const TempFolder folder;
  for (const auto format : {Format::kClassic, Format::kChecksummed}) {
    const std::string whole = hdf5_bytes(local_fields(), format);
    for (std::size_t length = 1; length < whole.size(); length += length < 200 ? 1 : 97) {
      write_file(folder / "cut.hdf5", whole.substr(0, length));
      const std::string fault = fault_of(folder / "cut.hdf5");
      EXPECT_NE(fault, "") << length;
      EXPECT_EQ(fault.find('\n'), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace repose::testing
