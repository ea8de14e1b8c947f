// SPDX-License-Identifier: Apache-2.0
#include "repose/contact/body_form.h"

#include <algorithm>
#include <cmath>

#include "repose/base/error.h"

namespace repose {
namespace {

bool finite(Vec3 x) { return std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z); }

/// Returns one row of J L as a pack.
Pack scaled_row(Vec3 linear, Vec3 angular, const BodyForm::Roots& root) {
  const Vec3 l = root.root_inverse_mass * linear, a = transpose(root.root_inverse_inertia) * angular;
  return Pack{l.x, l.y, l.z, a.x, a.y, a.z, 0, 0};
}

void check_body(const BodyInverseMass& body, std::size_t index) {
  require(body.inverse_mass >= 0 && std::isfinite(body.inverse_mass), "body ", index,
          ": inverse mass: expected a finite number >= 0 (1/kg), got ", body.inverse_mass);
  for (int r = 0; r < 3; ++r) {
    require(body.inverse_inertia.m[r][r] >= 0, "body ", index, ": inverse inertia [", r, "][", r,
            "]: expected a number >= 0 (1/(kg m^2)), got ", body.inverse_inertia.m[r][r]);
    for (int c = 0; c < 3; ++c)
      require(std::isfinite(body.inverse_inertia.m[r][c]), "body ", index, ": inverse inertia [", r, "][", c,
              "]: expected a finite number, got ", body.inverse_inertia.m[r][c]);
  }
}

/// Requires finite rows in the six lanes of a moving body, and zeros in the other lanes and for a static body.
void check_rows(const Pack* rows, bool moves, std::size_t contact) {
  for (int r = 0; r < 3; ++r)
    for (int lane = 0; lane < kLanes; ++lane)
      require(moves && lane < BodyForm::kDof ? std::isfinite(rows[r][lane]) : rows[r][lane] == 0, "contact ", contact,
              ": scaled row ", r, ", lane ", lane, ": expected ",
              moves && lane < BodyForm::kDof ? "a finite number" : "0", ", got ", rows[r][lane]);
}

}  // namespace

std::pair<Vec3, Vec3> tangents(Vec3 normal) {
  // The text of tangent_pair(): copied out of its struct the two vectors take three times as long.
  const double sign = std::copysign(1.0, normal.z);
  const double a = -1.0 / (sign + normal.z), b = normal.x * normal.y * a;
  return {{1.0 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x},
          {b, sign + normal.y * normal.y * a, -normal.y}};
}

BodyContact point_contact(int body_a, Vec3 arm_a, int body_b, Vec3 arm_b, Vec3 normal) {
  const auto [t1, t2] = tangents(normal);
  return point_contact_rows(body_a, arm_a, body_b, arm_b, t1, t2, normal);
}

BodyForm::BodyForm(std::span<const BodyInverseMass> bodies, std::span<const BodyContact> contacts)
    : bodies_(static_cast<int>(bodies.size())) {
  roots_.reserve(bodies.size());
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    check_body(bodies[k], k);
    roots_.push_back({std::sqrt(bodies[k].inverse_mass), cholesky(bodies[k].inverse_inertia)});
  }
  ends_.reserve(contacts.size());
  rows_.resize(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const BodyContact& c = contacts[i];
    require(std::max(c.body_a, c.body_b) < bodies_ && std::min(c.body_a, c.body_b) >= kStaticBody, "contact ", i,
            ": bodies: expected -1 .. ", bodies_ - 1, ", got ", c.body_a, " and ", c.body_b);
    require(c.body_a != c.body_b || c.body_a == kStaticBody, "contact ", i,
            ": bodies: expected two different ones, got ", c.body_a, " twice");
    const auto fill = [&](int body, const BodyJacobian& J, Pack* rows) {
      for (int r = 0; r < 3; ++r) {
        require(finite(J.linear[r]) && finite(J.angular[r]), "contact ", i, ": Jacobian row ", r,
                ": expected finite numbers");
        rows[r] = body == kStaticBody ? Pack{}
                                      : scaled_row(J.linear[r], J.angular[r], roots_[static_cast<std::size_t>(body)]);
      }
    };
    fill(c.body_a, c.a, rows_[i].a);
    fill(c.body_b, c.b, rows_[i].b);
    ends_.push_back({c.body_a == kStaticBody ? bodies_ : c.body_a, c.body_b == kStaticBody ? bodies_ : c.body_b});
  }
}

bool BodyForm::assign(std::span<const Roots> bodies, std::span<const BodyContact> contacts,
                      std::span<const FurtherEnd> further) {
  bool same = bodies_ == static_cast<int>(bodies.size()) && ends_.size() == contacts.size() &&
              further_.size() == further.size();
  bodies_ = static_cast<int>(bodies.size());
  roots_.assign(bodies.begin(), bodies.end());
  ends_.resize(contacts.size());
  rows_.resize(contacts.size());
  const auto node = [this](int body) { return body == kStaticBody ? bodies_ : body; };
  const auto fill = [this](int body, const BodyJacobian& J, Pack* rows) {
    for (int r = 0; r < 3; ++r)
      rows[r] =
          body == kStaticBody ? Pack{} : scaled_row(J.linear[r], J.angular[r], roots_[static_cast<std::size_t>(body)]);
  };
  Pack finite{};  // stays zero unless a row has NaN or infinity
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const BodyContact& c = contacts[i];
    require(std::max(c.body_a, c.body_b) < bodies_ && std::min(c.body_a, c.body_b) >= kStaticBody &&
                (c.body_a != c.body_b || c.body_a == kStaticBody),
            "contact ", i, ": bodies: expected two different ones in -1 .. ", bodies_ - 1, ", got ", c.body_a, " and ",
            c.body_b);
    fill(c.body_a, c.a, rows_[i].a);
    fill(c.body_b, c.b, rows_[i].b);
    for (int r = 0; r < 3; ++r) finite += 0.0 * rows_[i].a[r] + 0.0 * rows_[i].b[r];
    const Ends ends{node(c.body_a), node(c.body_b)};
    same = same && ends_[i] == ends;
    ends_[i] = ends;
  }
  further_.resize(further.size());
  for (std::size_t k = 0; k < further.size(); ++k) {
    const FurtherEnd& end = further[k];
    require(end.block >= 0 && end.block < size() && end.body >= 0 && end.body < bodies_, "further end ", k,
            ": expected a block and a body of the problem, got ", end.block, " and ", end.body);
    same = same && further_[k].block == end.block && further_[k].node == end.body;
    further_[k].block = end.block, further_[k].node = end.body;
    fill(end.body, end.rows, further_[k].rows);
    for (const Pack& row : further_[k].rows) finite += 0.0 * row;
  }
  index_further();
  require(sum(finite) == 0, "body form: expected finite Jacobians and inverse masses");
  return same;
}

bool BodyForm::assign_scaled(int bodies, std::span<const Ends> ends, std::span<const Rows> rows,
                             std::span<const Further> further) {
  const auto same_end = [](const Further& x, const Further& y) { return x.block == y.block && x.node == y.node; };
  const bool same = bodies_ == bodies && std::equal(ends.begin(), ends.end(), ends_.begin(), ends_.end()) &&
                    std::equal(further.begin(), further.end(), further_.begin(), further_.end(), same_end);
  bodies_ = bodies;
  ends_.assign(ends.begin(), ends.end());
  rows_.assign(rows.begin(), rows.end());
  further_.assign(further.begin(), further.end());
  roots_.clear();
  index_further();
  return same;
}

/// Requires blocks in ascending order, and ends that differ from each other.
void BodyForm::index_further() {
  first_further_.clear();
  if (further_.empty()) return;
  first_further_.assign(ends_.size() + 1, 0);
  for (std::size_t k = 0; k < further_.size(); ++k) {
    const Further& end = further_[k];
    const auto block = static_cast<std::size_t>(end.block);
    require(k == 0 || further_[k - 1].block <= end.block, "further ends: expected ascending blocks, got ", end.block,
            " after ", further_[k - 1].block);
    bool taken = ends_[block].a == end.node || ends_[block].b == end.node;
    for (std::size_t j = k; j > 0 && further_[j - 1].block == end.block; --j) taken |= further_[j - 1].node == end.node;
    require(!taken, "contact ", end.block, ": bodies: expected different ones, got ", end.node, " twice");
    ++first_further_[block + 1];
  }
  for (std::size_t i = 0; i < ends_.size(); ++i) first_further_[i + 1] += first_further_[i];
}

BodyForm BodyForm::from_scaled_rows(int bodies, std::span<const Ends> ends, std::span<const Rows> rows,
                                    std::span<const Roots> roots, std::span<const Further> further) {
  require(bodies >= 0 && ends.size() == rows.size(), "body form: expected as many pairs of ends as sets of rows, got ",
          ends.size(), " and ", rows.size(), " for ", bodies, " bodies");
  require(roots.empty() || roots.size() == static_cast<std::size_t>(bodies), "body form: expected ", bodies,
          " mass roots, one per body, got ", roots.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto [a, b] = ends[i];
    require(std::min(a, b) >= 0 && std::max(a, b) <= bodies, "contact ", i, ": nodes: expected 0 .. ", bodies, ", got ",
            a, " and ", b);
    require(a != b || a == bodies, "contact ", i, ": nodes: expected two different bodies, got ", a, " twice");
    check_rows(rows[i].a, a < bodies, i);
    check_rows(rows[i].b, b < bodies, i);
  }
  BodyForm form;
  form.bodies_ = bodies;
  form.ends_.assign(ends.begin(), ends.end());
  form.rows_.assign(rows.begin(), rows.end());
  form.roots_.assign(roots.begin(), roots.end());
  for (const Further& end : further) {
    require(end.block >= 0 && end.block < form.size() && end.node >= 0 && end.node < bodies, "further ends: expected ",
            "blocks below ", form.size(), " and bodies below ", bodies, ", got ", end.block, " and ", end.node);
    check_rows(end.rows, true, static_cast<std::size_t>(end.block));
  }
  form.further_.assign(further.begin(), further.end());
  form.index_further();
  return form;
}

void BodyForm::scatter_further(int i, ContactVec lambda, Node* y) const {
  for (const Further& end : further(i)) {
    Node& at = y[end.node];
    store(in_registers(at) + sum_of_products(end.rows, lambda.t1, lambda.t2, lambda.n), at);
  }
}

ContactVec BodyForm::gather_further(int i, const Node* y) const {
  ContactVec v;
  for (const Further& end : further(i))
    v = v + ContactVec{sum(end.rows[0] * y[end.node]), sum(end.rows[1] * y[end.node]), sum(end.rows[2] * y[end.node])};
  return v;
}

double BodyForm::further_trace(int i) const {
  double trace = 0;
  for (const Further& end : further(i))
    for (const Pack& row : end.rows) trace += sum(row * row);
  return trace;
}

Mat3 BodyForm::coupling(int i, int j) const {
  Mat3 block;
  const auto add = [&](const Pack* left, const Pack* right) {
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) block.m[r][c] += sum(left[r] * right[c]);
  };
  const Ends p = ends(i), q = ends(j);
  if (p.a == q.a) add(rows(i).a, rows(j).a);
  if (p.b == q.b) add(rows(i).b, rows(j).b);
  if (p.a == q.b) add(rows(i).a, rows(j).b);
  if (p.b == q.a) add(rows(i).b, rows(j).a);
  if (further_.empty()) return block;
  for (int e = 0; e < end_count(i); ++e)
    for (int f = e < 2 ? 2 : 0; f < end_count(j); ++f)
      if (end(i, e).node == end(j, f).node) add(end(i, e).rows, end(j, f).rows);
  return block;
}

void BodyForm::body_velocity(std::span<const Node> y, std::span<Vec3> linear, std::span<Vec3> angular) const {
  require(roots_.size() == static_cast<std::size_t>(bodies_),
          "body velocity: expected a problem with known masses, got one without");
  for (std::size_t k = 0; k < roots_.size(); ++k) {
    linear[k] = roots_[k].root_inverse_mass * Vec3{y[k][0], y[k][1], y[k][2]};
    angular[k] = roots_[k].root_inverse_inertia * Vec3{y[k][3], y[k][4], y[k][5]};
  }
}

}  // namespace repose
