// SPDX-License-Identifier: Apache-2.0
#include "repose/set/set_list.h"

#include "repose/base/error.h"

namespace repose {
namespace {

void check_friction(std::size_t block, double mu) {
  require(std::isfinite(mu) && mu >= 0, "contact ", block,
          ": friction coefficient: expected a finite number >= 0, got ", mu);
}

void check_row(std::size_t block, const char* row, double lower, double upper) {
  require(lower <= upper && lower < kUnbounded && upper > -kUnbounded, "block ", block, ": row ", row,
          ": expected lower <= upper, got [", lower, ", ", upper, "]");
}

void check(std::size_t block, const BlockSet& set) {
  const ContactVec c = set.compliance();
  require(std::isfinite(c.t1 + c.t2 + c.n) && c.t1 >= 0 && c.t2 >= 0 && c.n >= 0, "block ", block,
          ": compliance: expected finite numbers >= 0, got (", c.t1, ", ", c.t2, ", ", c.n, ") 1/kg");
  if (set.is_cone()) {
    check_friction(block, set.mu());
    require(c.t1 == c.t2, "block ", block, ": compliance of a Coulomb cone: expected the same number for both ",
            "tangents, got ", c.t1, " and ", c.t2, " 1/kg");
    return;
  }
  const Bounds& b = set.bounds();
  check_row(block, "t1", b.lower.t1, b.upper.t1);
  check_row(block, "t2", b.lower.t2, b.upper.t2);
  check_row(block, "n", b.lower.n, b.upper.n);
}

bool is_plain(const SetExtra<double>& extra) {
  return !extra.box && extra.compliance.t1 == 0 && extra.compliance.t2 == 0 && extra.compliance.n == 0;
}

void set_lane(ContactPack& to, int lane, ContactVec x) { to.t1[lane] = x.t1, to.t2[lane] = x.t2, to.n[lane] = x.n; }

}  // namespace

SetList::SetList(std::span<const BlockSet> sets) {
  mu_.reserve(sets.size());
  for (const BlockSet& set : sets) add(set);
}

void SetList::add_special(const BlockSet& set) {
  check(mu_.size(), set);
  if (extras_.empty() && !is_plain(set.extra())) extras_.resize(mu_.size());
  mu_.push_back(set.mu());
  if (!is_plain(set.extra()) || !extras_.empty()) extras_.push_back(set.extra());
}

void SetList::assign_cones(std::span<const double> mu) {
  for (std::size_t i = 0; i < mu.size(); ++i) check_friction(i, mu[i]);
  mu_.assign(mu.begin(), mu.end());
  extras_.clear();
}

int SetList::first_special() const {
  int i = 0;
  while (i < static_cast<int>(extras_.size()) && is_plain(extras_[static_cast<std::size_t>(i)])) ++i;
  return extras_.empty() ? size() : i;
}

Mat3 SetList::with_compliance(int i, Mat3 W) const {
  if (extras_.empty()) return W;
  const ContactVec c = extras_[static_cast<std::size_t>(i)].compliance;
  W.m[0][0] += c.t1, W.m[1][1] += c.t2, W.m[2][2] += c.n;
  return W;
}

double SetList::rho_of_extra(int i, double trace) const {
  const SetExtra<double>& extra = extras_[static_cast<std::size_t>(i)];
  const double with_c = trace + extra.compliance.t1 + extra.compliance.t2 + extra.compliance.n;
  if (!extra.box) return with_c / 3;
  const Bounds& b = extra.bounds;
  const int rows =
      row_is_live(b.lower.t1, b.upper.t1) + row_is_live(b.lower.t2, b.upper.t2) + row_is_live(b.lower.n, b.upper.n);
  return rows > 0 ? with_c / rows : with_c / 3;
}

void require_cones(const SetList& sets, const char* who, const char* why) {
  const int block = sets.first_special();
  if (block == sets.size()) return;
  const BlockSet set = sets[block];
  fail(who, ": block ", block, ": expected a Coulomb cone without compliance (", why, "), got a ",
       set.is_cone() ? "cone with compliance" : set.name());
}

void SetArray::bind(const SetList& sets) {
  list_ = &sets;
  mu_.claim(sets.size());
  mu_.load(sets.mu());
  if (sets.plain()) {
    extras_.clear();
    special_.clear();
    return;
  }
  const auto packs = static_cast<std::size_t>(mu_.packs());
  extras_.assign(packs, {});
  special_.assign(packs, 0);
  for (int i = 0; i < sets.size(); ++i) {
    const BlockSet set = sets[i];
    if (is_plain(set.extra())) continue;
    const auto k = static_cast<std::size_t>(i / kLanes);
    const int lane = i % kLanes;
    special_[k] = 1;
    extras_[k].box[lane] = set.is_cone() ? 0 : -1;
    set_lane(extras_[k].bounds.lower, lane, set.bounds().lower);
    set_lane(extras_[k].bounds.upper, lane, set.bounds().upper);
    set_lane(extras_[k].compliance, lane, set.compliance());
  }
}

}  // namespace repose
