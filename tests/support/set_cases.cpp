// SPDX-License-Identifier: Apache-2.0
#include "tests/support/set_cases.h"

#include <algorithm>
#include <cmath>

#include "repose/base/error.h"
#include "repose/set/set_list.h"

namespace repose::testing {
namespace {

/// Particles and the blocks between their centres. The normal of every block is z, its tangents x and y, so that a
/// velocity (t1, t2, n) is (x, y, z) of b relative to a.
class Particles {
 public:
  explicit Particles(std::vector<double> masses, std::vector<Vec3> velocities) : velocities_(std::move(velocities)) {
    for (const double m : masses) bodies_.push_back({1 / m, Mat3::identity()});
  }
  /// `rows` as BlockSet::bilateral(rows): 1 is n, 2 are t1 and t2, 3 all.
  Particles& add(int a, int b, const BlockSet& set, int rows = 3) {
    BodyContact block{a, b, {}, {}};
    const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const bool used[3] = {rows >= 2, rows >= 2, rows != 2};
    Vec3 relative = b == kStaticBody ? Vec3{} : velocities_[static_cast<std::size_t>(b)];
    if (a != kStaticBody) relative = relative - velocities_[static_cast<std::size_t>(a)];
    for (int r = 0; r < 3; ++r) {
      if (!used[r]) continue;
      block.a.linear[r] = -1.0 * axes[r];
      block.b.linear[r] = axes[r];
    }
    blocks_.push_back(block);
    sets_.push_back(set);
    v_free_.push_back({used[0] ? relative.x : 0, used[1] ? relative.y : 0, used[2] ? relative.z : 0});
    return *this;
  }
  /// Adds to the free velocity of the last block: a moving target.
  Particles& drive(ContactVec v) {
    v_free_.back() = v_free_.back() + v;
    return *this;
  }
  [[nodiscard]] ContactProblem problem() const {
    return ContactProblem(BodyForm(bodies_, blocks_), v_free_, SetList(sets_));
  }

 private:
  std::vector<BodyInverseMass> bodies_;
  std::vector<Vec3> velocities_;
  std::vector<BodyContact> blocks_;
  std::vector<BlockSet> sets_;
  std::vector<ContactVec> v_free_;
};

constexpr int kGround = kStaticBody;

/// Two particles of 2 and 3 kg that a joint stops against each other: λ = −(reduced mass) v_f.
SetCase bilateral_pair() {
  const double reduced = 2.0 * 3.0 / (2.0 + 3.0);
  Particles p({2, 3}, {{1, -2, 0.5}, {-3, 1, 2}});
  p.add(0, 1, BlockSet::bilateral());
  return {p.problem(), {{}}, {{4 * reduced, -3 * reduced, -1.5 * reduced}}};
}

/// Two joints at the same place: W is singular, the velocities are not.
SetCase redundant_joints() {
  Particles p({2, 3}, {{1, -2, 0.5}, {-3, 1, 2}});
  p.add(0, 1, BlockSet::bilateral()).add(0, 1, BlockSet::bilateral());
  return {p.problem(), {{}, {}}, {}};
}

/// A chain of particles hung from the ground, each 1000 times as heavy as the one above: all stop.
SetCase heavy_chain() {
  Particles p({1, 1000}, {{0, 0, -1}, {0.5, 0, -1}});
  p.add(0, kGround, BlockSet::bilateral()).add(1, 0, BlockSet::bilateral());
  // v of (0 → ground) is −v_0: λ_1 = 1000 (v_1 − 0) on particle 1, λ_0 holds both.
  // The residual is relative to all impulses; the light particle feels a thousandth of them.
  return {p.problem(), {{}, {}}, {{1000 * 0.5, 0, -1 - 1000}, {1000 * 0.5, 0, -1000}}, 1e-4};
}

/// Two limits on one row each: one is hit, one is left.
SetCase limits() {
  Particles p({4, 5}, {{0, 0, -2}, {0, 0, 3}});
  p.add(kGround, 0, BlockSet::half_line(), 1).add(kGround, 1, BlockSet::half_line(), 1);
  return {p.problem(), {{}, {0, 0, 3}}, {{0, 0, 8}, {}}};
}

/// A limit that stops a particle which a joint ties to another one.
SetCase limit_and_joint() {
  Particles p({4, 6}, {{0, 0, -2}, {0, 0, -2}});
  p.add(kGround, 0, BlockSet::half_line(), 1).add(0, 1, BlockSet::bilateral());
  return {p.problem(), {{}, {}}, {{0, 0, 20}, {0, 0, 12}}};
}

/// Dry friction of a joint: below its limit it holds, above it the row slips with the limit as impulse.
SetCase dry_friction() {
  Particles p({2, 2}, {{0, 0, 1}, {0, 0, -5}});
  p.add(kGround, 0, BlockSet::interval(-3, 3), 1).add(kGround, 1, BlockSet::interval(-3, 3), 1);
  return {p.problem(), {{}, {0, 0, -3.5}}, {{0, 0, -2}, {0, 0, 3}}};
}

/// A row whose impulse is prescribed.
SetCase prescribed_impulse() {
  Particles p({2}, {{0, 0, 1}});
  p.add(kGround, 0, BlockSet::interval(4, 4), 1);
  return {p.problem(), {{0, 0, 3}}, {{0, 0, 4}}};
}

/// A damper, a soft limit and a soft interval: C is added to 1/m.
SetCase compliant_rows() {
  Particles p({2, 2, 2}, {{0, 0, 3}, {0, 0, -3}, {0, 0, -12}});
  const ContactVec soft{0, 0, 1};
  p.add(kGround, 0, BlockSet::bilateral(1).with_compliance(soft), 1)
      .add(kGround, 1, BlockSet::half_line().with_compliance(soft), 1)
      .add(kGround, 2, BlockSet::interval(-3, 3).with_compliance(soft), 1);
  return {p.problem(), {{}, {}, {0, 0, -12 + 3 * 1.5}}, {{0, 0, -2}, {0, 0, 2}, {0, 0, 3}}};
}

/// Two particles tied together, one of which lands on the ground with friction: they slide and stop as one mass.
SetCase joint_and_contact(double mu) {
  const double m0 = 2, m1 = 3, mass = m0 + m1;
  Particles p({m0, m1}, {{2, 0, -1}, {2, 0, -1}});
  p.add(kGround, 0, BlockSet::cone(mu)).add(0, 1, BlockSet::bilateral());
  const double slow = std::min(2.0, mu);  // what friction takes of the sliding speed, m/s
  return {p.problem(), {{2 - slow, 0, 0}, {}}, {{-mass * slow, 0, mass}, {-m1 * slow, 0, m1}}};
}

/// A motor with a force limit pushes a particle that friction holds: limit below friction, above it, and no limit met.
SetCase motor(double limit) {
  const double mass = 2, mu = 0.5, press = mass * 1.0, target = 3;  // press: landing at 1 m/s
  Particles p({mass}, {{0, 0, -1}});
  p.add(kGround, 0, BlockSet::cone(mu));
  // The motor drives along x: its velocity is v_x − target.
  p.add(kGround, 0, BlockSet::box({{-limit, 0, 0}, {limit, 0, 0}}), 2).drive({-target, 0, 0});
  const double needed = mass * target + mu * press, push = std::min(limit, needed);
  const double friction = std::min(push, mu * press), speed = (push - friction) / mass;
  return {p.problem(), {{speed, 0, 0}, {speed - target, 0, 0}}, {{-friction, 0, press}, {push, 0, 0}}};
}

/// A contact whose normal row is soft: it yields, and friction follows what is left of the normal impulse.
SetCase soft_contact() {
  Particles p({1}, {{4, 0, -3}});
  p.add(kGround, 0, BlockSet::cone(0.5).with_compliance({0, 0, 2}));
  return {p.problem(), {{3.5, 0, 0}}, {{-0.5, 0, 1}}};
}

/// The same in the tangents: sticking, λ_T = −v_T/(1/m + C).
SetCase soft_friction() {
  Particles p({1}, {{0.9, 0, -3}});
  p.add(kGround, 0, BlockSet::cone(0.5).with_compliance({2, 2, 0}));
  return {p.problem(), {{0, 0, 0}}, {{-0.3, 0, 3}}};
}

/// Three rows in one box, one at its lower bound, one inside, one at its upper bound.
SetCase box_of_three() {
  Particles p({2}, {{4, -1, -4}});
  p.add(kGround, 0, BlockSet::box({{-1, -5, -2}, {1, 5, 2}}));
  return {p.problem(), {{3.5, 0, -3}}, {{-1, 2, 2}}};
}

struct Named {
  const char* name;
  SetCase (*make)();
};
constexpr Named kCases[] = {
    {"bilateral_pair", bilateral_pair},
    {"redundant_joints", redundant_joints},
    {"heavy_chain", heavy_chain},
    {"limits", limits},
    {"limit_and_joint", limit_and_joint},
    {"dry_friction", dry_friction},
    {"prescribed_impulse", prescribed_impulse},
    {"compliant_rows", compliant_rows},
    {"joint_and_contact_slides", [] { return joint_and_contact(0.4); }},
    {"joint_and_contact_sticks", [] { return joint_and_contact(3); }},
    {"motor_too_weak", [] { return motor(0.6); }},
    {"motor_at_limit", [] { return motor(4); }},
    {"motor_reaches_target", [] { return motor(20); }},
    {"soft_contact", soft_contact},
    {"soft_friction", soft_friction},
    {"box_of_three", box_of_three},
};

}  // namespace

const std::vector<std::string>& set_case_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made;
    for (const Named& c : kCases) made.emplace_back(c.name);
    return made;
  }();
  return names;
}

SetCase make_set_case(const std::string& name) {
  for (const Named& c : kCases)
    if (name == c.name) return c.make();
  fail("no case named '", name, "'");
}

}  // namespace repose::testing
