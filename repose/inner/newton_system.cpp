// SPDX-License-Identifier: Apache-2.0
#include "repose/inner/newton_system.h"

#include <algorithm>

namespace repose {
namespace {

using Edge = std::pair<int, int>;

struct Slope3 {
  double d[3][3];
};

Slope3 slope_of(const SlopeArray& D, int i) {
  const ContactSlope<Pack>& s = D[static_cast<std::size_t>(i / kLanes)];
  const int k = i % kLanes;
  return {{{s.t1t1[k], s.t1t2[k], s.t1n[k]}, {s.t2t1[k], s.t2t2[k], s.t2n[k]}, {s.nt1[k], s.nt2[k], s.nn[k]}}};
}

/// D J for one side: three rows.
inline void slope_times_rows(const Slope3& D, const Pack (&J)[3], Pack (&DJ)[3]) {
  for (int r = 0; r < 3; ++r) DJ[r] = J[0] * D.d[r][0] + J[1] * D.d[r][1] + J[2] * D.d[r][2];
}

/// K += Jᵀ (D J'), column by column.
inline void add_outer(BodyBlock& K, const Pack (&J)[3], const Pack (&DJ)[3]) {
  for (int c = 0; c < 6; ++c)
    for (int r = 0; r < 3; ++r) K.column[c] += J[r] * DJ[r][c];
}

inline void add_block(BodyBlock& to, const BodyBlock& from) {
  for (int c = 0; c < 6; ++c) to.column[c] += from.column[c];
}

}  // namespace

bool NewtonSystem<BodyForm>::bind(const BodyForm& form, long long largest_factor) {
  form_ = &form;
  const int ground = form.bodies();
  std::vector<Edge> edges;
  for (int i = 0; i < form.size(); ++i) {
    const auto [a, b] = form.ends(i);
    if (a < ground && b < ground) edges.emplace_back(std::min(a, b), std::max(a, b));
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  const bool usable =
      lu_.analyse(form.bodies(), edges, largest_factor / (2 * static_cast<long long>(sizeof(BodyBlock))));
  patches_.clear();
  for (int i = 0; i < form.size(); ++i) {
    const auto [a, b] = form.ends(i);
    if (!patches_.empty() && patches_.back().a == a && patches_.back().b == b) {
      patches_.back().last = i + 1;
      continue;
    }
    Patch patch{i, i + 1, a, b, -1, a > b};
    if (a < ground && b < ground)
      patch.edge = static_cast<int>(std::lower_bound(edges.begin(), edges.end(), Edge{std::min(a, b), std::max(a, b)}) -
                                    edges.begin());
    patches_.push_back(patch);
  }
  return usable;
}

/// The columns of one body, a or b: two blocks at a time stay in registers, four do not.
template <bool kOfA>
void NewtonSystem<BodyForm>::add_columns(const Patch& patch, const SlopeArray& D) {
  const int body = kOfA ? patch.a : patch.b;
  if (body == form_->bodies()) return;  // the ground
  BodyBlock own{}, other{};
  for (int i = patch.first; i < patch.last; ++i) {
    const Slope3 d = slope_of(D, i);
    if (d.d[2][2] == 0 && d.d[0][0] == 0) continue;  // open
    const BodyForm::Rows& J = form_->rows(i);
    Pack DJ[3];
    slope_times_rows(d, kOfA ? J.a : J.b, DJ);
    add_outer(own, kOfA ? J.a : J.b, DJ);
    if (patch.edge >= 0) add_outer(other, kOfA ? J.b : J.a, DJ);
  }
  add_block(lu_.diagonal(body), own);
  if (patch.edge >= 0) add_block(patch.flipped == kOfA ? lu_.forward(patch.edge) : lu_.backward(patch.edge), other);
}

bool NewtonSystem<BodyForm>::factor(const SlopeArray& D) {
  lu_.set_identity();
  for (const Patch& patch : patches_) {
    add_columns<true>(patch, D);
    add_columns<false>(patch, D);
  }
  return lu_.factor();
}

bool NewtonSystem<MatrixForm>::bind(const MatrixForm& form, long long largest_factor) {
  form_ = &form;
  std::vector<Edge> edges;
  for (int i = 0; i < form.size(); ++i)
    for (int s = form.first(i); s < form.first(i + 1); ++s)
      if (form.row(s) > i) edges.emplace_back(i, form.row(s));
  // The edges are sorted: columns ascend, rows ascend within a column.
  const bool usable =
      lu_.analyse(form.size(), edges, largest_factor / (2 * static_cast<long long>(sizeof(ContactBlock))));
  slot_edge_.clear();
  for (int i = 0; i < form.size(); ++i)
    for (int s = form.first(i); s < form.first(i + 1); ++s) {
      const Edge edge{std::min(i, form.row(s)), std::max(i, form.row(s))};
      const bool off_diagonal = edge.first != edge.second;
      slot_edge_.push_back(
          off_diagonal ? static_cast<int>(std::lower_bound(edges.begin(), edges.end(), edge) - edges.begin()) : -1);
    }
  return usable;
}

bool NewtonSystem<MatrixForm>::factor(const SlopeArray& D) {
  lu_.set_identity();
  for (int i = 0; i < form_->size(); ++i) {
    const Slope3 d = slope_of(D, i);
    for (int s = form_->first(i); s < form_->first(i + 1); ++s) {
      const int j = form_->row(s), edge = slot_edge_[static_cast<std::size_t>(s)];
      ContactBlock& target = edge < 0 ? lu_.diagonal(i) : (j < i ? lu_.forward(edge) : lu_.backward(edge));
      const ContactBlock& W = form_->block(s);
      for (int c = 0; c < 3; ++c)
        target.column[c] += W.column[0] * d.d[0][c] + W.column[1] * d.d[1][c] + W.column[2] * d.d[2][c];
    }
  }
  return lu_.factor();
}

}  // namespace repose
