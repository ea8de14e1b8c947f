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

constexpr int kPosition = 0, kCoordinate = 1, kBall = 2;  ///< kinds of rows

}  // namespace

SharedRows::Makeup SharedRows::makeup_of(const JointBlock& block) {
  const Bounds& bounds = block.set.bounds();
  const auto used = [&](int r) { return row_of(bounds.lower, r) != 0 || row_of(bounds.upper, r) != 0; };
  const bool position = block.role == JointRole::kPosition;
  return {block.joint,
          block.coordinate,
          position              ? kPosition
          : block.scale.t2 != 0 ? kBall
                                : kCoordinate,
          {used(0), used(1), used(2)}};
}

bool SharedRows::assign(const BodyForm& form, int first, std::span<const JointBlock> blocks, std::span<const int> index,
                        bool same_ends) {
  const auto is_same = [&](int k, const Makeup& makeup) { return makeup_of(blocks[at(k)]) == makeup; };
  const bool same = same_ends && contacts_ == first &&
                    std::equal(index.begin(), index.end(), makeup_.begin(), makeup_.end(), is_same);
  contacts_ = first;
  if (!same) lay_out(form, blocks, index);
  take_numbers(form, blocks, index);
  return same;
}

/// Contacts share nothing: they have the places that they have in the problem.
void SharedRows::lay_out(const BodyForm& form, std::span<const JointBlock> blocks, std::span<const int> index) {
  makeup_.clear(), ends_.clear(), rows_.clear(), others_.clear();
  shares_.clear(), ratios_.clear(), sources_.clear(), positions_.clear();
  for (int i = 0; i < contacts_; ++i) ends_.push_back(form.ends(i)), rows_.push_back({});
  sources_.resize(3 * at(contacts_), {-1, 0});
  for (std::size_t k = 0; k < index.size(); ++k) {
    makeup_.push_back(makeup_of(blocks[at(index[k])]));
    if (k == 0 || makeup_[k - 1].joint != makeup_[k].joint) slots_.clear(), used_ = 3;
    for (int r = 0; r < 3; ++r)
      if (makeup_[k].used[at(r)]) take_row(form, {contacts_ + static_cast<int>(k), r}, makeup_[k]);
  }
  form_.assign_scaled(form.bodies(), ends_, rows_, others_);
  at_end_.assign_scaled(form.bodies(), ends_, rows_, others_);
  sums_.claim(form_.size());
  slopes_.resize(at(sums_.packs()));
}

/// The row is a multiple of a shared one, or becomes one.
void SharedRows::take_row(const BodyForm& form, Row row, const Makeup& makeup) {
  const int axis = makeup.kind == kBall ? row.row : 0;
  const auto known = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) {
    return makeup.kind != kPosition && s.coordinate == makeup.coordinate && s.axis == axis;
  });
  const bool is_new = known == slots_.end();
  const int place = is_new ? add_row(form, row) : known->place;
  if (makeup.kind == kPosition)
    positions_.push_back(place);
  else if (is_new)
    slots_.push_back({makeup.coordinate, axis, place, row});
  else
    ratios_.push_back({shares_.size(), row, known->row});
  shares_.push_back({place_of(row.block, row.row), place_of(place / 3, place % 3), slope_of(row.block, row.row),
                     slope_of(place / 3, place % 3), 1.0});
}

/// Returns its place.
int SharedRows::add_row(const BodyForm& form, Row row) {
  if (used_ == 3) {
    used_ = 0;
    ends_.push_back(form.ends(row.block));
    rows_.push_back({});
    sources_.resize(sources_.size() + 3, {-1, 0});
    for (const BodyForm::Further& end : form.further(row.block))
      others_.push_back({static_cast<int>(ends_.size()) - 1, end.node, {}});
  }
  const int place = 3 * static_cast<int>(ends_.size() - 1) + used_++;
  sources_[at(place)] = row;
  return place;
}

void SharedRows::take_numbers(const BodyForm& form, std::span<const JointBlock> blocks, std::span<const int> index) {
  for (int i = 0; i < contacts_; ++i) form_.scaled_rows(i) = form.rows(i);
  for (int i = contacts_; i < form_.size(); ++i) {
    BodyForm::Rows& rows = form_.scaled_rows(i);
    for (int r = 0; r < 3; ++r) {
      const Row source = sources_[3 * at(i) + at(r)];
      if (source.block < 0) continue;
      rows.a[r] = form.rows(source.block).a[source.row], rows.b[r] = form.rows(source.block).b[source.row];
      const auto from = form.further(source.block), to = form_.further(i);
      for (std::size_t e = 0; e < to.size(); ++e) form_.scaled_further(i, e).rows[r] = from[e].rows[source.row];
    }
  }
  const auto scale = [&](Row row) { return row_of(blocks[at(index[at(row.block - contacts_)])].scale, row.row); };
  for (const Ratio& ratio : ratios_) shares_[ratio.share].factor = scale(ratio.row) / scale(ratio.shared);
}

void SharedRows::take_ends(const JointProjection& rows) {
  for (int i = 0; i < form_.size(); ++i) at_end_.scaled_rows(i) = form_.rows(i);
  for (const int place : positions_) {
    const Row source = sources_[at(place)];
    const int i = place / 3, r = place % 3, k = source.block - contacts_;
    if (!rows.holds(k, source.row)) continue;
    at_end_.scaled_rows(i).a[r] = rows.rows_at_end(k).a[source.row];
    at_end_.scaled_rows(i).b[r] = rows.rows_at_end(k).b[source.row];
  }
  for (int i = 0; i < form_.size(); ++i)
    for (std::size_t e = 0; e < form_.further(i).size(); ++e) at_end_.scaled_further(i, e) = form_.further(i)[e];
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
