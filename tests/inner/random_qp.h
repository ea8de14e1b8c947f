// SPDX-License-Identifier: Apache-2.0
// Cone QPs for the tests of the inner solvers: towers and arches of boxes on four-point patches (W is singular), loose
// heaps of bodies joined at random points, in body form and in matrix form.
#pragma once

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "repose/base/random.h"
#include "repose/contact/problem.h"
#include "repose/set/coulomb_cone.h"
#include "tests/support/problem_copies.h"

namespace repose::testing {

struct QpCase {
  ContactProblem problem;    ///< v_free is c
  double inverse_gamma = 0;  ///< 1/kg
  [[nodiscard]] std::span<const ContactVec> c() const { return problem.v_free(); }
};

/// A solid box of `mass` kg and edges 2·half m, in world axes.
inline BodyInverseMass box_mass(double mass, Vec3 half) {
  const auto inverse = [mass](double p, double q) { return 3.0 / (mass * (p * p + q * q)); };
  return {1.0 / mass, Mat3::diagonal(inverse(half.y, half.z), inverse(half.x, half.z), inverse(half.x, half.y))};
}

/// Bodies and contacts before they become a problem.
struct Heap {
  std::vector<BodyInverseMass> bodies;
  std::vector<BodyContact> contacts;
};

/// n unit boxes on top of each other and on the ground; masses alternate between 1 kg and `heavy` kg.
inline Heap tower(int n, double heavy = 1.0) {
  Heap heap;
  for (int k = 0; k < n; ++k) {
    heap.bodies.push_back(box_mass(k % 2 == 0 ? 1.0 : heavy, {0.5, 0.5, 0.5}));
    for (double x : {-0.5, 0.5})
      for (double y : {-0.5, 0.5})
        heap.contacts.push_back(point_contact(k == 0 ? kStaticBody : k - 1, {x, y, 0.5}, k, {x, y, -0.5}, {0, 0, 1}));
  }
  return heap;
}

/// Semicircle of n stones of mean radius 1 m between two fixed springings, four points per joint.
inline Heap arch(int n) {
  Heap heap;
  const double thickness = 0.15, width = 0.3, turn = std::numbers::pi / n;
  const auto centre = [&](int k) {
    const double a = (k + 0.5) * turn;
    return Vec3{std::cos(a), 0, std::sin(a)};
  };
  for (int k = 0; k < n; ++k) heap.bodies.push_back(box_mass(1.0, {0.5 * thickness, 0.5 * width, 0.5 * turn}));
  for (int joint = 0; joint <= n; ++joint) {
    const double a = joint * turn;
    const int below = joint == 0 ? kStaticBody : joint - 1, above = joint == n ? kStaticBody : joint;
    for (double r : {1 - 0.5 * thickness, 1 + 0.5 * thickness})
      for (double y : {-0.5 * width, 0.5 * width}) {
        const Vec3 point{r * std::cos(a), y, r * std::sin(a)};
        heap.contacts.push_back(point_contact(below, point - centre(joint - 1), above, point - centre(joint),
                                              {-std::sin(a), 0, std::cos(a)}));
      }
  }
  return heap;
}

/// `contacts` random contacts between `bodies` random bodies (or the ground), mass ratio up to `ratio`.
inline Heap loose(Random& random, int bodies, int contacts, double ratio) {
  Heap heap;
  const auto draw = [&] { return Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; };
  for (int k = 0; k < bodies; ++k)
    heap.bodies.push_back(box_mass(std::pow(ratio, random.uniform(-0.5, 0.5)),
                                   {random.uniform(0.2, 1), random.uniform(0.2, 1), random.uniform(0.2, 1)}));
  for (int i = 0; i < contacts; ++i) {
    const int b = i % bodies, other = static_cast<int>(random.uniform(0, bodies + 1)) - 1;
    const int a = other == b ? kStaticBody : other;
    heap.contacts.push_back(point_contact(a, draw(), b, draw(), normalized(draw() + Vec3{0, 0, 1.5})));
  }
  return heap;
}

/// c = J u + a push apart of some contacts, u the bodies falling with random velocities: the QP is bounded for any γ.
inline ContactProblem falling(const Heap& heap, Random& random, double speed, const std::vector<double>& mu) {
  const BodyForm form(heap.bodies, heap.contacts);
  std::vector<Vec3> u, w;
  for (std::size_t k = 0; k < heap.bodies.size(); ++k) {
    const auto draw = [&] { return speed * Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; };
    u.push_back(draw() + Vec3{0, 0, -0.16});  // a sixtieth of a second of gravity
    w.push_back(draw());
  }
  std::vector<ContactVec> c;
  for (const BodyContact& contact : heap.contacts) {
    double v[3] = {0, 0, 0};
    const auto add = [&](int body, const BodyJacobian& J) {
      if (body == kStaticBody) return;
      const auto k = static_cast<std::size_t>(body);
      for (int r = 0; r < 3; ++r) v[r] += dot(J.linear[r], u[k]) + dot(J.angular[r], w[k]);
    };
    add(contact.body_a, contact.a);
    add(contact.body_b, contact.b);
    c.push_back({v[0], v[1], v[2] + (random.uniform() < 0.3 ? speed * random.uniform() : 0.0)});
  }
  return {form, c, mu};
}

}  // namespace repose::testing
