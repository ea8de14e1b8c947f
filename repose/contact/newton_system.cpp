// SPDX-License-Identifier: Apache-2.0
#include "repose/contact/newton_system.h"

#include <algorithm>

#include "repose/contact/body_rows.h"

namespace repose {
namespace {

/// Block products of a factorisation from which an order for the closed pairs pays. [docs/decisions/016]
constexpr long long kFollowFrom = 20'000;
/// Share of the pairs above which the order of all pairs serves.
constexpr double kNearlyAll = 0.9;
/// Factorisations for which a pair that has opened stays in the order: most such pairs close again.
constexpr int kRemembered = 20;

Slope3 slope_of(const SlopeArray& D, int i) {
  const ContactSlope<Pack>& s = D[static_cast<std::size_t>(i / kLanes)];
  const int k = i % kLanes;
  return {{{s.t1t1[k], s.t1t2[k], s.t1n[k]}, {s.t2t1[k], s.t2t2[k], s.t2n[k]}, {s.nt1[k], s.nt2[k], s.nn[k]}}};
}

/// Whether the slope is zero: an open contact, or a block whose rows are all at a bound.
bool is_zero(const Slope3& D) { return D.d[2][2] == 0 && D.d[0][0] == 0 && D.d[1][1] == 0; }

}  // namespace

bool NewtonSystem<BodyForm>::bind(const BodyForm& form, long long largest_factor) {
  form_ = &form, gathered_ = nullptr;
  const int ground = form.bodies();
  std::vector<Edge>& edges = edges_;
  edges.clear();
  for (int i = 0; i < form.size(); ++i) {
    const auto [a, b] = form.ends(i);
    if (a < ground && b < ground) edges.emplace_back(std::min(a, b), std::max(a, b));
  }
  for (const BodyForm::Further& end : form.further())
    for (int f = 0; f < form.end_count(end.block); ++f)
      if (const int node = form.end(end.block, f).node; node < ground && node != end.node)
        edges.emplace_back(std::min(node, end.node), std::max(node, end.node));
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
    if (a < ground && b < ground) patch.edge = edge_of(a, b);
    patches_.push_back(patch);
  }
  find_further_pairs();
  if (usable) {
    const auto packs = static_cast<std::size_t>((form.size() + kLanes - 1) / kLanes);
    blocks_.resize(patches_.size());
    open_.resize(patches_.size());
    last_.resize(packs);
    changed_.resize(packs);
  }
  has_last_ = follows_closed_ = first_ = uses_closed_ = closed_usable_ = false;
  return usable;
}

int NewtonSystem<BodyForm>::edge_of(int a, int b) const {
  const Edge edge{std::min(a, b), std::max(a, b)};
  return static_cast<int>(std::lower_bound(edges_.begin(), edges_.end(), edge) - edges_.begin());
}

/// The pairs of ends of a block that its patch does not have: every further end with itself and with those before it.
void NewtonSystem<BodyForm>::find_further_pairs() {
  further_.clear();
  if (form_->further().empty()) return;
  for (int i = 0; i < form_->size(); ++i)
    for (int e = 2; e < form_->end_count(i); ++e) {
      for (int f = 0; f < e; ++f)
        if (const int node = form_->end(i, f).node; node < form_->bodies())
          further_.push_back({i, e, f, edge_of(form_->end(i, e).node, node)});
      further_.push_back({i, e, e, -1});
    }
}

void NewtonSystem<BodyForm>::start() {
  if (lu_.factor_products() < kFollowFrom) return;
  if (!follows_closed_) {
    closed_.resize(edges_.size());
    place_.assign(edges_.size(), -1);
    closed_edges_.clear();
    follows_closed_ = true;
  }
  seen_.assign(edges_.size(), 0);
  factors_ = 0;
  first_ = true;
}

/// Accumulates the rows of one body, a or b: two blocks at a time fit into registers, four do not.
template <bool kOfA>
void NewtonSystem<BodyForm>::sum_rows(const Patch& patch, const SlopeArray& D, BodyBlock& own, BodyBlock& other) const {
  if ((kOfA ? patch.a : patch.b) == form_->bodies()) return;  // static
  BodyBlock own_sum{}, other_sum{};
  for (int i = patch.first; i < patch.last; ++i) {
    const Slope3 d = slope_of(D, i);
    if (is_zero(d)) continue;
    const BodyForm::Rows &J = form_->rows(i), &G = gathered_ ? gathered_->rows(i) : J;
    Registers<Pack> Y[3];
    weighted_rows(d, kOfA ? J.a : J.b, Y);
    add_outer(own_sum, Y, kOfA ? G.a : G.b);
    if (patch.edge >= 0) add_outer(other_sum, Y, kOfA ? G.b : G.a);
  }
  own = own_sum;
  if (patch.edge >= 0) other = other_sum;
}

/// Finds the contacts whose slope has changed since the last factorisation, and returns whether there are any. Between
/// two Newton steps most contacts keep their mode, and sticking and open ones then keep their slope.
bool NewtonSystem<BodyForm>::find_changes(const SlopeArray& D) {
  PackMask any{};
  for (std::size_t p = 0; p < D.size(); ++p) {
    const ContactSlope<Pack>&x = D[p], &y = last_[p];
    changed_[p] = (x.t1t1 != y.t1t1) | (x.t1t2 != y.t1t2) | (x.t2t2 != y.t2t2) | (x.t1n != y.t1n) | (x.t2n != y.t2n) |
                  (x.nn != y.nn) | (x.nt1 != y.nt1) | (x.nt2 != y.nt2) | (x.t2t1 != y.t2t1);
    any |= changed_[p];
  }
  for (int k = 0; k < kLanes; ++k)
    if (any[k]) return true;
  return false;
}

bool NewtonSystem<BodyForm>::changed(const Patch& patch) const {
  if (!has_last_) return true;
  for (int i = patch.first; i < patch.last; ++i)
    if (changed_[static_cast<std::size_t>(i / kLanes)][i % kLanes]) return true;
  return false;
}

void NewtonSystem<BodyForm>::add(const Patch& patch, const PatchBlocks& blocks) {
  const int ground = form_->bodies();
  if (patch.a < ground) add_block(lu().diagonal(patch.a), blocks.aa);
  if (patch.b < ground) add_block(lu().diagonal(patch.b), blocks.bb);
  if (patch.edge < 0) return;
  const int edge = uses_closed_ ? place_[static_cast<std::size_t>(patch.edge)] : patch.edge;
  lu().add(edge, patch.flipped ? blocks.ba : blocks.ab, patch.flipped ? blocks.ab : blocks.ba);
}

/// Adds Jᵀ D J of the pairs of ends that no patch has.
void NewtonSystem<BodyForm>::add_further(const SlopeArray& D) {
  for (const FurtherPair& pair : further_) {
    const Slope3 d = slope_of(D, pair.block);
    if (is_zero(d)) continue;
    const BodyForm::End p = form_->end(pair.block, pair.e), q = form_->end(pair.block, pair.f);
    Registers<Pack> Y[3];
    weighted_rows(d, p.rows, Y);
    if (pair.edge < 0) {
      add_outer(lu().diagonal(p.node), Y, p.rows);
      continue;
    }
    BodyBlock pq{}, qp{};
    add_outer(pq, Y, q.rows);
    weighted_rows(d, q.rows, Y);
    add_outer(qp, Y, p.rows);
    const int edge = uses_closed_ ? place_[static_cast<std::size_t>(pair.edge)] : pair.edge;
    lu().add(edge, p.node > q.node ? qp : pq, p.node > q.node ? pq : qp);
  }
}

bool NewtonSystem<BodyForm>::all_open(const Patch& patch, const SlopeArray& D) {
  for (int i = patch.first; i < patch.last; ++i)
    if (!is_zero(slope_of(D, i))) return false;
  return true;
}

bool NewtonSystem<BodyForm>::factor(const SlopeArray& D) {
  const bool same = has_last_ && !find_changes(D) && factored_;
  if (same && !first_) return true;  // the factor of these slopes is there
  if (!same) update_blocks(D);
  if (choose_order() && same) return true;
  lu().set_identity();
  for (std::size_t k = 0; k < patches_.size(); ++k)
    if (!open_[k]) add(patches_[k], blocks_[k]);
  add_further(D);
  return factored_ = lu().factor();
}

void NewtonSystem<BodyForm>::update_blocks(const SlopeArray& D) {
  for (std::size_t k = 0; k < patches_.size(); ++k) {
    const Patch& patch = patches_[k];
    if (!changed(patch)) continue;
    open_[k] = all_open(patch, D);
    if (open_[k]) continue;
    sum_rows<true>(patch, D, blocks_[k].aa, blocks_[k].ab);
    sum_rows<false>(patch, D, blocks_[k].bb, blocks_[k].ba);
  }
  std::copy(D.begin(), D.end(), last_.begin());
  has_last_ = true;
}

/// Decides which order the factorisation has. Returns whether it is that of the last one.
bool NewtonSystem<BodyForm>::choose_order() {
  if (!follows_closed_) return true;
  const bool before = uses_closed_;
  uses_closed_ = false;
  bool kept = true;
  if (mark_closed()) {
    const auto is_new = [&](std::size_t e) { return closed_[e] && place_[e] < 0; };
    bool other = first_ && !std::equal(closed_.begin(), closed_.end(), place_.begin(),
                                       [](char closed, int place) { return (closed != 0) == (place >= 0); });
    for (std::size_t e = 0; e < edges_.size() && !other; ++e) other = is_new(e);
    if (other) order_closed();
    kept = !other;
    first_ = false;
    uses_closed_ = closed_usable_;
  }
  return kept && uses_closed_ == before;
}

/// Marks the pairs that are closed, and notes them unless they are nearly all: returns whether they are fewer.
bool NewtonSystem<BodyForm>::mark_closed() {
  std::fill(closed_.begin(), closed_.end(), 0);
  for (std::size_t k = 0; k < patches_.size(); ++k)
    if (patches_[k].edge >= 0 && !open_[k]) closed_[static_cast<std::size_t>(patches_[k].edge)] = 1;
  for (const FurtherPair& pair : further_)
    if (pair.edge >= 0) closed_[static_cast<std::size_t>(pair.edge)] = 1;
  const auto count = std::count(closed_.begin(), closed_.end(), 1);
  if (static_cast<double>(count) > kNearlyAll * static_cast<double>(edges_.size())) return false;
  ++factors_;
  for (std::size_t e = 0; e < edges_.size(); ++e)
    if (closed_[e]) seen_[e] = factors_;
  return true;
}

/// Orders the bodies for the pairs that were closed in one of the last factorisations.
void NewtonSystem<BodyForm>::order_closed() {
  closed_edges_.clear();
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const bool recent = seen_[e] > 0 && seen_[e] + kRemembered > factors_;
    place_[e] = recent ? static_cast<int>(closed_edges_.size()) : -1;
    if (recent) closed_edges_.push_back(edges_[e]);
  }
  closed_usable_ = closed_lu_.analyse(form_->bodies(), closed_edges_, lu_.fill_blocks());
}

bool NewtonSystem<MatrixForm>::bind(const MatrixForm& form, long long largest_factor) {
  form_ = &form;
  // The pattern is symmetric and its columns are sorted: each column meets its earlier contacts in the edges' order.
  edges_.clear();
  slot_edge_.resize(static_cast<std::size_t>(form.first(form.size())));
  next_.resize(static_cast<std::size_t>(form.size()));
  for (int i = 0; i < form.size(); ++i) next_[static_cast<std::size_t>(i)] = form.first(i);
  for (int i = 0; i < form.size(); ++i)
    for (int s = form.first(i); s < form.first(i + 1); ++s) {
      const int j = form.row(s);
      if (j == i) slot_edge_[static_cast<std::size_t>(s)] = -1;
      if (j <= i) continue;
      const int edge = static_cast<int>(edges_.size());
      slot_edge_[static_cast<std::size_t>(s)] = edge;
      slot_edge_[static_cast<std::size_t>(next_[static_cast<std::size_t>(j)]++)] = edge;
      edges_.emplace_back(i, j);
    }
  return lu_.analyse(form.size(), edges_, largest_factor / (2 * static_cast<long long>(sizeof(ContactBlock))));
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
        target.column[c] +=
            plus_product(plus_product(W.column[0] * d.d[0][c], W.column[1], d.d[1][c]), W.column[2], d.d[2][c]);
    }
  }
  return lu_.factor();
}

}  // namespace repose
