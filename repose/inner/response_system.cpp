// SPDX-License-Identifier: Apache-2.0
#include "repose/inner/response_system_internal.h"

namespace repose {
namespace {

using Edge = std::pair<int, int>;

Mat3 stiffness(const StiffnessArray& D, int i) {
  const ContactSlope<Pack>& s = D[static_cast<std::size_t>(i / kLanes)];
  const int k = i % kLanes;
  return {{{s.t1t1[k], s.t1t2[k], s.t1n[k]}, {s.t1t2[k], s.t2t2[k], s.t2n[k]}, {s.t1n[k], s.t2n[k], s.nn[k]}}};
}

/// K += Jᵀ (D J'), column by column.
inline void add_outer(BodyBlock& K, const Pack (&J)[3], const Pack (&DJ)[3]) {
  for (int c = 0; c < 6; ++c) K.column[c] += J[0] * DJ[0][c] + J[1] * DJ[1][c] + J[2] * DJ[2][c];
}

inline void multiply(const Mat3& D, const Pack (&J)[3], Pack (&DJ)[3]) {
  for (int r = 0; r < 3; ++r) DJ[r] = J[0] * D.m[r][0] + J[1] * D.m[r][1] + J[2] * D.m[r][2];
}

int index_of(const std::vector<Edge>& edges, int a, int b) {
  return static_cast<int>(std::lower_bound(edges.begin(), edges.end(), Edge{std::min(a, b), std::max(a, b)}) -
                          edges.begin());
}

}  // namespace

void ResponseSystem<BodyForm>::bind(const BodyForm& form) {
  form_ = &form;
  const auto moving = [&](int i) { return std::max(form.ends(i).a, form.ends(i).b) < form.bodies(); };
  std::vector<Edge> edges;
  for (int i = 0; i < form.size(); ++i)
    if (moving(i)) edges.emplace_back(std::minmax(form.ends(i).a, form.ends(i).b));
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  lu_.analyse(form.bodies(), edges);
  contact_edge_.clear();
  for (int i = 0; i < form.size(); ++i)
    contact_edge_.push_back(moving(i) ? index_of(edges, form.ends(i).a, form.ends(i).b) : -1);
}

void ResponseSystem<BodyForm>::add_contact(int i, const StiffnessArray& D) {
  const auto [a, b] = form_->ends(i);
  const BodyForm::Rows& J = form_->rows(i);
  const Mat3 d = stiffness(D, i);
  const int edge = contact_edge_[static_cast<std::size_t>(i)], ground = form_->bodies();
  Pack DJ[3];
  if (a < ground) {
    multiply(d, J.a, DJ);
    add_outer(lu_.diagonal(a), J.a, DJ);
    if (edge >= 0) add_outer(a < b ? lu_.backward(edge) : lu_.forward(edge), J.b, DJ);
  }
  if (b < ground) {
    multiply(d, J.b, DJ);
    add_outer(lu_.diagonal(b), J.b, DJ);
    if (edge >= 0) add_outer(a < b ? lu_.forward(edge) : lu_.backward(edge), J.a, DJ);
  }
}

bool ResponseSystem<BodyForm>::factor(const StiffnessArray& D) {
  lu_.set_identity();
  for (int i = 0; i < form_->size(); ++i) add_contact(i, D);
  return lu_.factor();
}

void ResponseSystem<MatrixForm>::bind(const MatrixForm& form) {
  form_ = &form;
  std::vector<Edge> edges;  // sorted as they come: columns ascend, rows ascend within a column
  for (int i = 0; i < form.size(); ++i)
    for (int s = form.first(i); s < form.first(i + 1); ++s)
      if (form.row(s) > i) edges.emplace_back(i, form.row(s));
  lu_.analyse(form.size(), edges);
  slot_edge_.clear();
  for (int i = 0; i < form.size(); ++i)
    for (int s = form.first(i); s < form.first(i + 1); ++s)
      slot_edge_.push_back(form.row(s) == i ? -1 : index_of(edges, i, form.row(s)));
}

bool ResponseSystem<MatrixForm>::factor(const StiffnessArray& D) {
  lu_.set_identity();
  for (int i = 0; i < form_->size(); ++i) {
    const Mat3 d = stiffness(D, i);
    for (int s = form_->first(i); s < form_->first(i + 1); ++s) {
      const int edge = slot_edge_[static_cast<std::size_t>(s)];
      ContactBlock& target = edge < 0 ? lu_.diagonal(i) : form_->row(s) < i ? lu_.forward(edge) : lu_.backward(edge);
      const ContactBlock& W = form_->block(s);
      for (int c = 0; c < 3; ++c)
        target.column[c] += W.column[0] * d.m[0][c] + W.column[1] * d.m[1][c] + W.column[2] * d.m[2][c];
    }
  }
  return lu_.factor();
}

}  // namespace repose
