// SPDX-License-Identifier: Apache-2.0
// FCLIB's global form as we write it: mass-scaled Jacobians instead of W, plain or compressed.
#include <cmath>

#include "problems/arch.h"
#include "tests/contact/io_fields.h"

namespace repose::testing {
namespace {

constexpr FclibOptions kPacked{.title = {},
                               .description = {},
                               .math_info = {},
                               .guess = {},
                               .solution = {},
                               .form = FclibForm::kGlobal,
                               .compress = true};

std::vector<ContactVec> some_impulses(const ContactProblem& problem) {
  Random random(5);
  std::vector<ContactVec> lambda(static_cast<std::size_t>(problem.size()));
  for (ContactVec& x : lambda) x = {random.uniform(-1, 1), -0.0, random.uniform(0, 1)};
  return lambda;
}

/// Zeros keep their sign, ends of a contact their order, masses and the start their bits.
void expect_same_bits(const ContactProblem& problem, bool compress) {
  const TempFolder folder;
  const std::vector<ContactVec> start = some_impulses(problem);
  FclibOptions options = kPacked;
  options.guess = start;
  options.compress = compress;
  write_fclib(folder / "a.hdf5", problem, options);
  const StoredProblem back = read_stored_problem(folder / "a.hdf5");
  EXPECT_EQ(back.facts.kind, "hdf5-global");
  EXPECT_TRUE(same_problem(back.problem, problem));
  const auto expected = std::get<BodyForm>(problem.form()).roots(),
             found = std::get<BodyForm>(back.problem.form()).roots();
  EXPECT_TRUE(same_bits<BodyForm::Roots>(found, expected));
  if (problem.size() == 0) return;
  ASSERT_TRUE(back.guess.has_value());
  EXPECT_TRUE(same_bits<ContactVec>(*back.guess, start));
}

TEST(FclibGlobal, ComesBackBitForBit) {
  for (bool compress : {false, true}) {
    expect_same_bits(small_body_problem(), compress);
    expect_same_bits(problems::make_problem(problems::arch({.stones = 25})), compress);
    expect_same_bits(ContactProblem(BodyForm(std::vector<BodyInverseMass>(1), {}), {}, {}), compress);
  }
}

TEST(FclibGlobal, EndsMayComeInAnyOrder) {
  const BodyInverseMass unit{1, {{{1, 0, 0}, {0, 2, 0}, {0, 0, 4}}}};
  const std::vector<BodyInverseMass> bodies(3, unit);
  const Vec3 up{0, 0, 1}, arm{0.1, -0.2, 0.3};
  const std::vector<BodyContact> contacts{point_contact(2, arm, 0, -1 * arm, up),
                                          point_contact(kStaticBody, {}, 1, arm, up),
                                          point_contact(1, arm, kStaticBody, {}, up)};
  expect_same_bits(ContactProblem(BodyForm(bodies, contacts), {{-0.0, 1, -1}, {0, 0, 2}, {1, -0.0, -0.0}}, {0.5, 0, 1}),
                   true);
}

TEST(FclibGlobal, OthersFindOneLawInIt) {
  const TempFolder folder;
  const ContactProblem problem = small_body_problem();
  const std::vector<ContactVec> lambda = some_impulses(problem);
  FclibOptions options = kPacked;
  options.solution = lambda;
  write_fclib(folder / "a.hdf5", problem, options);
  const hid_t file = H5Fopen((folder / "a.hdf5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const auto numbers = [&](const char* path) { return library_numbers(file, path); };
  const auto p = numbers("/fclib_global/H/p"), row = numbers("/fclib_global/H/i"), x = numbers("/fclib_global/H/x");
  const auto w = numbers("/fclib_global/vectors/w"), r = numbers("/solution/r"), u = numbers("/solution/u"),
             v = numbers("/solution/v");
  EXPECT_EQ(numbers("/fclib_global/M/x"), std::vector<double>(v.size(), 1.0));
  H5Fclose(file);
  std::vector<double> response(v.size(), 0.0);
  const auto at = [](double k) { return static_cast<std::size_t>(k); };
  for (std::size_t c = 0; c + 1 < p.size(); ++c) {
    double sum = w[c];
    for (std::size_t k = at(p[c]); k < at(p[c + 1]); ++k) {
      sum += x[k] * v[at(row[k])];
      response[at(row[k])] += x[k] * r[c];
    }
    EXPECT_NEAR(sum, u[c], 1e-14);
  }
  for (std::size_t k = 0; k < v.size(); ++k) EXPECT_NEAR(response[k], v[k], 1e-14);
}

TEST(FclibGlobal, CompressionPays) {
  const TempFolder folder;
  const ContactProblem problem = problems::make_problem(problems::arch({.stones = 101}));
  write_fclib(folder / "local.hdf5", problem);
  write_fclib(folder / "global.hdf5", problem, kPacked);
  EXPECT_LT(5 * file_bytes(folder / "global.hdf5").size(), file_bytes(folder / "local.hdf5").size());
}

TEST(FclibGlobal, MatrixFormHasNoBodies) {
  const TempFolder folder;
  EXPECT_THROW(write_fclib(folder / "a.hdf5", random_matrix_problem(3, 3), kPacked), InputError);
  EXPECT_EQ(folder.entries(), 0u);
}

/// Boxes, infinite bounds and compliance, in both forms of the file.
TEST(FclibSets, ComeBackBitForBit) {
  const ContactProblem cones = small_body_problem();
  std::vector<BlockSet> sets;
  for (int i = 0; i < cones.size(); ++i) sets.push_back(cones.sets()[i]);
  sets[0] = BlockSet::bilateral();
  sets[1] = BlockSet::interval(-0.25, kUnbounded).with_compliance({0, 0, 3});
  sets.back() = BlockSet::cone(0.7).with_compliance({1, 1, 0.5});
  const ContactProblem problem(cones.form(), {cones.v_free().begin(), cones.v_free().end()}, SetList(sets));
  const TempFolder folder;
  for (const FclibForm form : {FclibForm::kLocal, FclibForm::kGlobal}) {
    FclibOptions options = kPacked;
    options.form = form;
    write_fclib(folder / "sets.hdf5", problem, options);
    const ContactProblem back = read_stored_problem(folder / "sets.hdf5").problem;
    EXPECT_TRUE(same_problem(back, problem));
    for (int i = 0; i < problem.size(); ++i) {
      const BlockSet found = back.sets()[i], expected = problem.sets()[i];
      EXPECT_EQ(found.is_cone(), expected.is_cone());
      EXPECT_STREQ(found.name(), expected.name());
      for (const auto row : {&ContactVec::t1, &ContactVec::t2, &ContactVec::n}) {
        EXPECT_EQ(found.bounds().lower.*row, expected.bounds().lower.*row) << i;
        EXPECT_EQ(found.bounds().upper.*row, expected.bounds().upper.*row) << i;
        EXPECT_EQ(found.compliance().*row, expected.compliance().*row) << i;
      }
    }
  }
}

}  // namespace
}  // namespace repose::testing
