// SPDX-License-Identifier: Apache-2.0
#include "repose/contact/body_form.h"

#include <algorithm>
#include <cmath>

#include "repose/base/error.h"

namespace repose {
namespace {

bool finite(Vec3 x) { return std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z); }

/// One row of J L as a pack.
Pack scaled_row(Vec3 linear, Vec3 angular, double root_inverse_mass, const Mat3& root_inverse_inertia) {
  const Vec3 l = root_inverse_mass * linear, a = transpose(root_inverse_inertia) * angular;
  return Pack{l.x, l.y, l.z, a.x, a.y, a.z, 0, 0};
}

void check_body(const BodyInverseMass& body, std::size_t index) {
  require(body.inverse_mass >= 0 && std::isfinite(body.inverse_mass), "body ", index, ": inverse mass ",
          body.inverse_mass, " 1/kg must be finite and >= 0");
  for (int r = 0; r < 3; ++r) {
    require(body.inverse_inertia.m[r][r] >= 0, "body ", index, ": inverse inertia [", r, "][", r, "] is ",
            body.inverse_inertia.m[r][r], " 1/(kg m^2), must be >= 0");
    for (int c = 0; c < 3; ++c)
      require(std::isfinite(body.inverse_inertia.m[r][c]), "body ", index, ": inverse inertia [", r, "][", c,
              "] must be finite");
  }
}

}  // namespace

std::pair<Vec3, Vec3> tangents(Vec3 normal) {
  // Duff et al. 2017, "Building an orthonormal basis, revisited": no branch on the smallest component.
  const double sign = std::copysign(1.0, normal.z);
  const double a = -1.0 / (sign + normal.z), b = normal.x * normal.y * a;
  return {{1.0 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x},
          {b, sign + normal.y * normal.y * a, -normal.y}};
}

BodyContact point_contact(int body_a, Vec3 arm_a, int body_b, Vec3 arm_b, Vec3 normal) {
  BodyContact contact{body_a, body_b, {}, {}};
  const auto [t1, t2] = tangents(normal);
  const Vec3 axes[3] = {t1, t2, normal};
  for (int r = 0; r < 3; ++r) {
    contact.b.linear[r] = axes[r];
    contact.b.angular[r] = cross(arm_b, axes[r]);
    contact.a.linear[r] = -1.0 * axes[r];
    contact.a.angular[r] = -1.0 * cross(arm_a, axes[r]);
  }
  return contact;
}

BodyForm::BodyForm(std::span<const BodyInverseMass> bodies, std::span<const BodyContact> contacts)
    : bodies_(static_cast<int>(bodies.size())) {
  root_inverse_mass_.reserve(bodies.size());
  root_inverse_inertia_.reserve(bodies.size());
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    check_body(bodies[k], k);
    root_inverse_mass_.push_back(std::sqrt(bodies[k].inverse_mass));
    root_inverse_inertia_.push_back(cholesky(bodies[k].inverse_inertia));
  }
  ends_.reserve(contacts.size());
  rows_.resize(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const BodyContact& c = contacts[i];
    require(std::max(c.body_a, c.body_b) < bodies_ && std::min(c.body_a, c.body_b) >= kStaticBody, "contact ", i,
            ": bodies ", c.body_a, " and ", c.body_b, " must be in -1 .. ", bodies_ - 1);
    require(c.body_a != c.body_b || c.body_a == kStaticBody, "contact ", i, ": joins body ", c.body_a, " to itself");
    const auto fill = [&](int body, const BodyJacobian& J, Pack* rows) {
      for (int r = 0; r < 3; ++r) {
        require(finite(J.linear[r]) && finite(J.angular[r]), "contact ", i, ": Jacobian row ", r, " is not finite");
        rows[r] = body == kStaticBody
                      ? Pack{}
                      : scaled_row(J.linear[r], J.angular[r], root_inverse_mass_[static_cast<std::size_t>(body)],
                                   root_inverse_inertia_[static_cast<std::size_t>(body)]);
      }
    };
    fill(c.body_a, c.a, rows_[i].a);
    fill(c.body_b, c.b, rows_[i].b);
    ends_.push_back({c.body_a == kStaticBody ? bodies_ : c.body_a, c.body_b == kStaticBody ? bodies_ : c.body_b});
  }
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
  return block;
}

void BodyForm::body_velocity(std::span<const Node> y, std::span<Vec3> linear, std::span<Vec3> angular) const {
  for (std::size_t k = 0; k < static_cast<std::size_t>(bodies_); ++k) {
    linear[k] = root_inverse_mass_[k] * Vec3{y[k][0], y[k][1], y[k][2]};
    angular[k] = root_inverse_inertia_[k] * Vec3{y[k][3], y[k][4], y[k][5]};
  }
}

}  // namespace repose
