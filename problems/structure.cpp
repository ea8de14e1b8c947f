// SPDX-License-Identifier: Apache-2.0
#include "problems/structure.h"

#include <cmath>

#include "repose/base/error.h"

namespace repose::problems {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Inverse of a symmetric positive definite matrix by cofactors.
Mat3 inverse(const Mat3& A) {
  const Vec3 r0{A.m[0][0], A.m[0][1], A.m[0][2]}, r1{A.m[1][0], A.m[1][1], A.m[1][2]},
      r2{A.m[2][0], A.m[2][1], A.m[2][2]};
  const Vec3 c0 = cross(r1, r2), c1 = cross(r2, r0), c2 = cross(r0, r1);
  return (1.0 / dot(r0, c0)) * Mat3{{{c0.x, c1.x, c2.x}, {c0.y, c1.y, c2.y}, {c0.z, c1.z, c2.z}}};
}

void validate_body(const Body& body, std::size_t k) {
  require(body.mass > 0 && std::isfinite(body.mass), "body ", k, ": mass: expected a finite number > 0, kg, got ",
          body.mass);
  const Mat3 L = cholesky(body.inertia);
  require(L.m[0][0] > 0 && L.m[1][1] > 0 && L.m[2][2] > 0, "body ", k,
          ": inertia: expected a positive definite matrix, got another");
}

void validate_contact(const Contact& contact, std::size_t i, int bodies) {
  for (int body : {contact.a, contact.b})
    require(body >= kStaticBody && body < bodies, "contact ", i, ": body: expected -1 to ", bodies - 1, ", got ", body);
  const double length = norm(contact.normal);
  require(std::abs(length - 1) < 1e-9, "contact ", i, ": normal: expected length 1, got ", length);
  require(std::isfinite(contact.gap), "contact ", i, ": gap: expected a finite number, m, got ", contact.gap);
}

Vec3 point_velocity(const Structure& s, int body, Vec3 point, std::span<const Vec3> linear,
                    std::span<const Vec3> angular) {
  if (body == kStaticBody) return {};
  return linear[at(body)] + cross(angular[at(body)], point - s.bodies[at(body)].position);
}

Vec3 arm(const Structure& s, int body, Vec3 point) {
  return body == kStaticBody ? Vec3{} : point - s.bodies[at(body)].position;
}

}  // namespace

void validate(const Structure& structure) {
  require(structure.h > 0 && std::isfinite(structure.h), structure.name, ": h: expected a finite number > 0, s, got ",
          structure.h);
  require(structure.size > 0, structure.name, ": size: expected a number > 0, m, got ", structure.size);
  for (std::size_t k = 0; k < structure.bodies.size(); ++k) validate_body(structure.bodies[k], k);
  const int bodies = static_cast<int>(structure.bodies.size());
  for (std::size_t i = 0; i < structure.contacts.size(); ++i) validate_contact(structure.contacts[i], i, bodies);
}

BodyForm make_form(const Structure& structure) {
  validate(structure);
  std::vector<BodyInverseMass> bodies;
  bodies.reserve(structure.bodies.size());
  for (const Body& body : structure.bodies) bodies.push_back({1.0 / body.mass, inverse(body.inertia)});
  std::vector<BodyContact> contacts;
  contacts.reserve(structure.contacts.size());
  for (const Contact& c : structure.contacts)
    contacts.push_back(point_contact(c.a, arm(structure, c.a, c.point), c.b, arm(structure, c.b, c.point), c.normal));
  return {bodies, contacts};
}

void contact_velocities(const Structure& structure, std::span<const Vec3> linear, std::span<const Vec3> angular,
                        std::span<ContactVec> v) {
  for (std::size_t i = 0; i < structure.contacts.size(); ++i) {
    const Contact& c = structure.contacts[i];
    const Vec3 relative = point_velocity(structure, c.b, c.point, linear, angular) -
                          point_velocity(structure, c.a, c.point, linear, angular);
    const auto [t1, t2] = tangents(c.normal);
    v[i] = {dot(t1, relative), dot(t2, relative), dot(c.normal, relative)};
  }
}

ContactProblem make_problem(const Structure& structure, GapBias bias) {
  std::vector<Vec3> linear, angular;
  std::vector<double> mu;
  for (const Body& body : structure.bodies) {
    linear.push_back(body.linear + structure.h * structure.gravity);
    angular.push_back(body.angular);
  }
  std::vector<ContactVec> v_free(structure.contacts.size());
  contact_velocities(structure, linear, angular, v_free);
  for (std::size_t i = 0; i < v_free.size(); ++i) {
    v_free[i].n += bias(structure.contacts[i].gap, structure.h);
    mu.push_back(structure.contacts[i].mu);
  }
  return {make_form(structure), std::move(v_free), std::move(mu)};
}

void add_patch(Structure& structure, int a, int b, Vec3 centre, Vec3 half_u, Vec3 half_v, Vec3 normal, double mu) {
  for (double u : {-1.0, 1.0})
    for (double v : {-1.0, 1.0}) structure.contacts.push_back({a, b, centre + u * half_u + v * half_v, normal, 0, mu});
}

}  // namespace repose::problems
