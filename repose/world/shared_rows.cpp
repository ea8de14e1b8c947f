// SPDX-License-Identifier: Apache-2.0
#include "repose/world/shared_rows_internal.h"

#include <algorithm>
#include <cstddef>

#include "repose/contact/operators.h"

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

double row_of(const ContactVec& v, int r) { return r == 0 ? v.t1 : r == 1 ? v.t2 : v.n; }

/// Place of row r of block i among the numbers of a ContactArray.
std::size_t place_of(int i, int r) { return at(i / kLanes) * 3 * kLanes + at(r) * kLanes + at(i % kLanes); }
constexpr std::size_t kSlopePacks = sizeof(ContactSlope<Pack>) / sizeof(Pack);

/// Place of entry (r, r) of the slope of block i among the numbers of a SlopeArray.
std::size_t slope_of(int i, int r) {
  constexpr std::size_t kDiagonal[] = {offsetof(ContactSlope<Pack>, t1t1) / sizeof(Pack),
                                       offsetof(ContactSlope<Pack>, t2t2) / sizeof(Pack),
                                       offsetof(ContactSlope<Pack>, nn) / sizeof(Pack)};
  return (at(i / kLanes) * kSlopePacks + kDiagonal[r]) * kLanes + at(i % kLanes);
}

double* numbers_of(ContactArray& x) { return x.packs() > 0 ? reinterpret_cast<double*>(&x.pack(0)) : nullptr; }
const double* numbers_of(const ContactArray& x) {
  return x.packs() > 0 ? reinterpret_cast<const double*>(&x.pack(0)) : nullptr;
}

/// Whether the row takes part: not one that its block leaves out.
bool is_used(const Bounds& bounds, int r) { return row_of(bounds.lower, r) != 0 || row_of(bounds.upper, r) != 0; }

}  // namespace

bool SharedRows::assign(const BodyForm& form, int first, std::span<const JointBlock> blocks,
                        std::span<const int> index) {
  contacts_ = first;
  take_contacts(form);
  shares_.clear(), positions_.clear();
  int joint = -1;
  for (std::size_t k = 0; k < index.size(); ++k) {
    const JointBlock& block = blocks[at(index[k])];
    if (block.joint != joint) slots_.clear(), used_ = 3, joint = block.joint;
    take_block(form, first + static_cast<int>(k), block);
  }
  at_end_.assign_scaled(form.bodies(), ends_, rows_, other_);
  const bool same = form_.assign_scaled(form.bodies(), ends_, rows_, other_);
  sums_.claim(form_.size());
  slopes_.resize(at(sums_.packs()));
  return same;
}

/// Contacts share nothing: they have the places that they have in the problem.
void SharedRows::take_contacts(const BodyForm& form) {
  ends_.clear(), rows_.clear(), other_.clear();
  for (int i = 0; i < contacts_; ++i) ends_.push_back(form.ends(i)), rows_.push_back(form.rows(i));
}

void SharedRows::take_block(const BodyForm& form, int block, const JointBlock& joint) {
  const bool position = joint.role == JointRole::kPosition;
  const bool ball = joint.role != JointRole::kPosition && joint.scale.t2 != 0;
  for (int r = 0; r < 3; ++r) {
    if (!is_used(joint.set.bounds(), r)) continue;
    const Slot slot{position ? -1 : joint.coordinate, ball ? r : 0, row_of(joint.scale, r), 0};
    take_row(form, block, r, slot);
  }
}

/// The row is a multiple of a shared one, or becomes one.
void SharedRows::take_row(const BodyForm& form, int block, int row, Slot slot) {
  const auto known = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) {
    return slot.coordinate >= 0 && s.coordinate == slot.coordinate && s.axis == slot.axis;
  });
  const bool is_new = known == slots_.end();
  if (is_new) slot.place = add_row(form, block, row), slots_.push_back(slot);
  if (slot.coordinate < 0 && form.further(block).empty()) positions_.push_back({block - contacts_, row, slot.place});
  const Slot& shared = is_new ? slots_.back() : *known;
  const int to = shared.place / 3, to_row = shared.place % 3;
  shares_.push_back({place_of(block, row), place_of(to, to_row), slope_of(block, row), slope_of(to, to_row),
                     is_new ? 1.0 : slot.scale / shared.scale});
}

/// Returns its place: 3 · block + row.
int SharedRows::add_row(const BodyForm& form, int block, int row) {
  if (used_ == 3) {
    used_ = 0;
    ends_.push_back(form.ends(block));
    rows_.push_back({});
    for (const BodyForm::Further& end : form.further(block))
      other_.push_back({static_cast<int>(ends_.size()) - 1, end.node, {}});
  }
  const std::size_t k = ends_.size() - 1;
  rows_[k].a[used_] = form.rows(block).a[row];
  rows_[k].b[used_] = form.rows(block).b[row];
  const auto further = form.further(block);
  for (std::size_t e = 0; e < further.size(); ++e)
    other_[other_.size() - further.size() + e].rows[used_] = further[e].rows[row];
  return 3 * static_cast<int>(k) + used_++;
}

void SharedRows::take_ends(const JointProjection& rows) {
  for (const Position& p : positions_) {
    const int i = p.place / 3, r = p.place % 3;
    BodyForm::Rows next = at_end_.rows(i);
    const BodyForm::Rows& J = rows.holds(p.block, p.row) ? rows.rows_at_end(p.block) : form_.rows(i);
    const int from = rows.holds(p.block, p.row) ? p.row : r;
    next.a[r] = J.a[from], next.b[r] = J.b[from];
    at_end_.replace_rows(i, next);
  }
}

void SharedRows::respond(const ContactArray& lambda, AlignedVector<Pack>& y) {
  for (int p = 0; p < sums_.packs(); ++p) sums_.pack(p) = {};
  for (int i = 0; i < contacts_; ++i) sums_.set(i, lambda[i]);
  const double* own = numbers_of(lambda);
  double* sum = numbers_of(sums_);
  for (const Share& s : shares_) sum[s.shared] += s.factor * own[s.row];
  repose::respond(form_, sums_, y);
}

void SharedRows::gather_by(const BodyForm& form, const AlignedVector<Pack>& y, ContactArray& v) {
  gather_all(form, y, sums_);
  for (int i = 0; i < contacts_; ++i) v.set(i, sums_[i]);
  const double* shared = numbers_of(sums_);
  double* own = numbers_of(v);
  for (const Share& s : shares_) own[s.row] = s.factor * shared[s.shared];
}

const SlopeArray& SharedRows::sum_slopes(const SlopeArray& D) {
  std::fill(slopes_.begin(), slopes_.end(), ContactSlope<Pack>{});
  const auto* own = reinterpret_cast<const double*>(D.data());
  auto* sum = reinterpret_cast<double*>(slopes_.data());
  for (int i = 0; i < contacts_; ++i)
    for (std::size_t k = 0, place = slope_of(i, 0); k < kSlopePacks; ++k, place += kLanes) sum[place] = own[place];
  for (const Share& s : shares_) sum[s.shared_slope] += s.factor * s.factor * own[s.slope];
  return slopes_;
}

}  // namespace repose
