// SPDX-License-Identifier: Apache-2.0
// Counts, statics with closed forms, and what the generators refuse.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "problems/arch.h"
#include "problems/bricks.h"
#include "problems/cards.h"
#include "problems/families.h"
#include "problems/manufactured.h"
#include "problems/sequence.h"
#include "problems/shapes.h"
#include "problems/simple.h"
#include "repose/base/error.h"
#include "repose/contact/residual.h"
#include "repose/contact/spectrum.h"
#include "tests/support/complaint.h"

namespace repose::problems {
namespace {

using testing::complaint;

struct Counts {
  std::size_t bodies, contacts;
  bool operator==(const Counts&) const = default;
};
Counts counts(const Structure& s) { return {s.bodies.size(), s.contacts.size()}; }

TEST(Counts, Arch) {
  EXPECT_EQ(counts(arch()), (Counts{23, 96}));
  EXPECT_EQ(counts(arch({.stones = 101})), (Counts{99, 400}));
  EXPECT_EQ(counts(arch({.stones = 501})), (Counts{499, 2000}));
  EXPECT_EQ(counts(catenary_arch({.stones = 951})), (Counts{949, 3800}));
}

TEST(Counts, Cards) {
  EXPECT_EQ(counts(cards({.levels = 1})), (Counts{2, 12}));
  EXPECT_EQ(counts(cards()), (Counts{26, 216}));
  EXPECT_EQ(counts(cards({.levels = 10})), (Counts{155, 1380}));
}

TEST(Counts, Wall) {
  EXPECT_EQ(counts(wall()), (Counts{16, 148}));
  EXPECT_EQ(counts(wall({.rows = 10, .columns = 12})), (Counts{120, 1316}));
  EXPECT_EQ(counts(wall({.rows = 20, .columns = 24})), (Counts{480, 5508}));
}

TEST(Counts, Pile) {
  EXPECT_EQ(counts(pile({.nx = 2, .ny = 2, .nz = 3})), (Counts{12, 88}));
  EXPECT_EQ(counts(pile({.nx = 3, .ny = 3, .nz = 4})), (Counts{36, 336}));
  EXPECT_EQ(counts(pile({.nx = 5, .ny = 5, .nz = 4})), (Counts{100, 1072}));
  EXPECT_EQ(counts(pile({.nx = 6, .ny = 6, .nz = 7})), (Counts{252, 3048}));
  EXPECT_EQ(counts(pile({.nx = 9, .ny = 9, .nz = 10})), (Counts{810, 10728}));
  EXPECT_EQ(counts(pile({.nx = 11, .ny = 11, .nz = 13})), (Counts{1573, 21652}));
}

TEST(Counts, FamiliesAreThoseOfTheTables) {
  const std::pair<const char*, int> expected[] = {{"rod", 1},         {"sliding_box", 4},  {"spheres_27", 81},
                                                  {"pile_2x2x3", 88}, {"pile_3x3x4", 336}, {"wall_4x4", 148},
                                                  {"arch_15", 56},    {"cards_3", 120}};
  ASSERT_EQ(families().size(), std::size(expected));
  for (std::size_t k = 0; k < families().size(); ++k) {
    EXPECT_EQ(families()[k].name, expected[k].first);
    EXPECT_EQ(families()[k].contacts, expected[k].second);
    EXPECT_EQ(family(expected[k].first, 0.3, 9).size(), expected[k].second);
  }
}

TEST(Structures, NormalsAreUnitAndPatchesLieBetweenTheirBodies) {
  for (const Structure& s : {arch(), catenary_arch(), cards(), wall(), pile(), lattice(), rod(), ball(), box()}) {
    EXPECT_NO_THROW(validate(s)) << s.name;
    for (const Contact& c : s.contacts) {
      const auto reach = [&](int body) {
        return body == kStaticBody ? 0.0 : dot(c.normal, c.point - s.bodies[static_cast<std::size_t>(body)].position);
      };
      EXPECT_GE(reach(c.a), -1e-12) << s.name;
      EXPECT_LE(reach(c.b), 1e-12) << s.name;
    }
  }
}

TEST(Shapes, PrismOverARectangleIsABox) {
  const Vec3 corners[4] = {{101, 0, 7}, {103, 0, 7}, {103, 0, 12}, {101, 0, 12}};
  const Body prism = prism_body(corners, 3, 10), box = box_body({2, 3, 5}, 10, {102, 0, 9.5});
  EXPECT_NEAR(prism.mass, box.mass, 1e-12 * box.mass);
  EXPECT_NEAR(norm(prism.position - box.position), 0, 1e-12);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(prism.inertia.m[r][c], box.inertia.m[r][c], 1e-10 * box.mass);
}

TEST(Shapes, PrismDoesNotCareAboutTheSenseOfItsPolygon) {
  const Vec3 there[3] = {{0, 0, 0}, {2, 0, 1}, {1, 0, 3}}, back[3] = {{1, 0, 3}, {2, 0, 1}, {0, 0, 0}};
  const Body a = prism_body(there, 1, 1), b = prism_body(back, 1, 1);
  EXPECT_GT(a.mass, 0);
  EXPECT_NEAR(a.mass, b.mass, 1e-14);
  EXPECT_NEAR(norm(a.position - b.position), 0, 1e-14);
  EXPECT_NEAR(a.inertia.m[0][2], b.inertia.m[0][2], 1e-14);
}

TEST(Arch, WeighsWhatItsAreaSays) {
  // n wedges between the circles R ± t/2: each has the area (r_o² − r_i²) sin(π/n)/2 = R t sin(π/n).
  const Structure s = arch();
  double mass = 0;
  for (const Body& body : s.bodies) mass += body.mass;
  EXPECT_NEAR(mass, 23 * 2500 * 1.5 * 10 * 1.5 * std::sin(std::numbers::pi / 25), 1e-8 * mass);
}

TEST(Catenary, LargestEigenvalueIsNearTheReference) {
  const std::pair<int, double> reference[] = {{25, 1.629e-4}, {101, 7.12e-4}, {501, 3.76e-3}, {951, 7.17e-3}};
  for (const auto& [stones, value] : reference)
    EXPECT_NEAR(largest_eigenvalue(make_problem(catenary_arch({.stones = stones}))).largest, value, 0.03 * value)
        << stones;
}

// Statics. The λ below is worked out by hand; the judge must find that it obeys the law.

TEST(Statics, BoxOnThePlaneRestsOnFourEqualImpulses) {
  const Structure s = box();
  const std::vector<ContactVec> lambda(4, {0, 0, s.bodies[0].mass * 9.81 * s.h / 4});
  EXPECT_LT(certify(make_problem(s), lambda).worst(), 1e-13);
}

TEST(Statics, BoxOnASlopeOfMuSticksAtTheEdgeOfTheCone) {
  // Slope and friction act at the plane, the weight at half height: the lower edge carries more.
  const Structure s = box({.slope = 0.5, .mu = 0.5});
  const double weight = s.bodies[0].mass * 9.81 * s.h / std::sqrt(1.25);
  std::vector<ContactVec> lambda(4);
  for (std::size_t i = 0; i < 4; ++i) {
    lambda[i].n = weight * (i < 2 ? 0.125 : 0.375);
    const auto [t1, t2] = tangents(s.contacts[i].normal);
    const Vec3 uphill = normalized(s.contacts[0].point - s.contacts[2].point);
    lambda[i].t1 = 0.5 * lambda[i].n * dot(t1, uphill);
    lambda[i].t2 = 0.5 * lambda[i].n * dot(t2, uphill);
  }
  EXPECT_LT(certify(make_problem(s), lambda).worst(), 1e-13);
}

TEST(Statics, EveryColumnOfALatticeCarriesWhatIsAboveIt) {
  const int n = 3;
  const Structure s = lattice({.n = n});
  std::vector<ContactVec> lambda(s.contacts.size());
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    const int layer = s.contacts[i].b / (n * n);
    if (s.contacts[i].normal.z > 0.5) lambda[i].n = (n - layer) * s.bodies[0].mass * 9.81 * s.h;
  }
  EXPECT_LT(certify(make_problem(s), lambda).worst(), 1e-13);
}

TEST(Statics, TentStandsOnItsWeightAndThrust) {
  const CardsOptions o{.levels = 1};
  const Structure s = cards(o);
  const double angle = o.tilt * std::numbers::pi / 180, weight = s.bodies[0].mass * 9.81 * s.h;
  // Moments about the foot: thrust × L cos = weight × (L sin − t cos)/2.
  const double thrust = weight * (o.length * std::tan(angle) - o.thickness) / (2 * o.length);
  std::vector<ContactVec> lambda(s.contacts.size());
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    const Contact& c = s.contacts[i];
    const bool apex = c.a != kStaticBody;
    const Vec3 force = apex ? Vec3{thrust, 0, 0} : Vec3{c.b == 0 ? thrust : -thrust, 0, weight};
    const auto [t1, t2] = tangents(c.normal);
    lambda[i] = {dot(t1, force) / 4, dot(t2, force) / 4, dot(c.normal, force) / 4};
  }
  EXPECT_LT(certify(make_problem(s), lambda).worst(), 1e-12);
}

TEST(Rod, ParadoxStartsAtItsCoefficient) {
  // A force at the edge of the cone, against sliding to −x, pulls the tip into the ground beyond the critical μ.
  for (double angle : {30.0, 63.434948822922, 80.0}) {
    const double c = std::cos(angle * std::numbers::pi / 180), s = std::sin(angle * std::numbers::pi / 180);
    const double critical = (1 + 3 * c * c) / (3 * s * c);
    const Mat3 W = make_problem(rod({.angle = angle})).diagonal_block(0);
    const auto [t1, t2] = tangents({0, 0, 1});
    const Vec3 pull = W * Vec3{critical * t1.x, critical * t2.x, 1};
    EXPECT_NEAR(pull.z, 0, 1e-12);
    EXPECT_GE(critical, 4.0 / 3.0 - 1e-12);
  }
}

TEST(Rod, TipMovesAsAsked) {
  const ContactProblem problem = make_problem(rod({.slide = 3, .fall = 2, .spin = 5}));
  const auto [t1, t2] = tangents({0, 0, 1});
  EXPECT_NEAR(problem.v_free()[0].t1 * t1.x + problem.v_free()[0].t2 * t2.x, -3, 1e-12);
  EXPECT_NEAR(problem.v_free()[0].n, -2 - 9.81 / 60, 1e-12);
}

TEST(Ball, RollsAtTheKnownSpeedOnceSlipStops) {
  Sequence sequence(ball());
  const double m = sequence.structure().bodies[0].mass, v = 4, r = 0.25, w = -200;
  const double along = 2.0 / 7 * m * (r * w - v);  // what stops the slip v − r w
  const auto [t1, t2] = tangents({0, 0, 1});
  const ContactVec lambda{along * t1.x, along * t2.x, m * 9.81 / 60};
  sequence.advance({&lambda, 1});
  EXPECT_NEAR(sequence.linear()[0].x, (5 * v + 2 * r * w) / 7, 1e-12);
  EXPECT_NEAR(sequence.linear()[0].x, r * sequence.angular()[0].y, 1e-12);
  EXPECT_NEAR(sequence.linear()[0].z, 0, 1e-12);
}

TEST(Manufactured, AnswerObeysTheLaw) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Manufactured made = manufactured_problem({.contacts = 40, .seed = seed});
    EXPECT_LT(certify(made.problem, made.lambda).worst(), 1e-13) << seed;
  }
}

TEST(Families, SameSeedSameBitsOtherSeedOtherProblem) {
  for (const Family& f : families()) {
    const ContactProblem a = family(f.name, 0.8, 5), b = family(f.name, 0.8, 5), c = family(f.name, 0.8, 6);
    double same = 0, other = 0;
    for (std::size_t i = 0; i < a.v_free().size(); ++i) {
      same += std::abs(a.v_free()[i].n - b.v_free()[i].n);
      other += std::abs(a.v_free()[i].n - c.v_free()[i].n);
    }
    EXPECT_EQ(same, 0) << f.name;
    EXPECT_GT(other, 0) << f.name;
  }
}

TEST(Refusals, NameTheFieldItsValueAndWhatIsAllowed) {
  EXPECT_EQ(complaint([] { (void)arch({.stones = 2}); }),
            "arch: stones: expected a whole number, 3 .. 100000, got '2'");
  EXPECT_EQ(complaint([] { (void)cards({.tilt = 40}); }), "cards: tilt: expected 1 .. 29 degrees, got '40'");
  EXPECT_EQ(complaint([] { (void)wall({.mu = -1}); }), "wall: mu: expected 0 .. 100, got '-1'");
  EXPECT_EQ(complaint([] { (void)pile({.density = std::nan("")}); }),
            "pile: density: expected 0.001 .. 1e+06 kg/m^3, got 'nan'");
  EXPECT_EQ(
      complaint([] { (void)family("heap", 0.5, 1); }),
      "family: expected rod, sliding_box, spheres_27, pile_2x2x3, pile_3x3x4, wall_4x4, arch_15, cards_3, got 'heap'");
}

}  // namespace
}  // namespace repose::problems
