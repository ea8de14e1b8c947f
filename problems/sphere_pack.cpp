// SPDX-License-Identifier: Apache-2.0
#include "problems/sphere_pack.h"

#include <algorithm>

#include "problems/sequence.h"
#include "problems/shapes.h"
#include "repose/base/error.h"

namespace repose::problems {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

const Fields<SpherePackOptions>& fields(const SpherePackOptions&) {
  using O = SpherePackOptions;
  static const Fields<O> table = {
      {"n", &O::n, 1, 100, "", "balls per edge of the starting lattice"},
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"radius", &O::radius, 1e-3, 1e3, "m", "mean radius"},
      {"spread", &O::spread, 0, 0.5, "", "radii are uniform in radius * (1 -+ spread)"},
      {"spacing", &O::spacing, 2, 10, "", "of the starting lattice, in mean radii"},
      {"density", &O::density, 1e-3, 1e6, "kg/m^3", "density"},
      {"margin", &O::margin, 0, 10, "m", "pairs closer than this are contacts"},
      {"slop", &O::slop, 0, 1, "", "gap without bias, as a share of the mean radius"},
      {"recovery", &O::recovery, 0, 1, "", "share of a penetration removed per step"},
      {"kick", &O::kick, 0, 1e3, "m/s", "to every ball at kick_step, in a random direction"},
      {"kick_step", &O::kick_step, 0, 1e9, "", "step of the kick"},
      {"h", &O::h, 1e-6, 1, "s", "time step"},
      {"gravity", &O::gravity, 0, 1e3, "m/s^2", "downwards"},
  };
  return table;
}

SpherePack::SpherePack(const SpherePackOptions& options)
    : options_(options), random_(options.seed), width_(options.n * options.spacing * options.radius) {
  checked("spheres", options_);
  check_range("spheres", "spacing", options_.spacing, 2 * (1 + options_.spread), 10, "");
  planes_ = {{{0, 0, 1}, 0}, {{1, 0, 0}, 0}, {{-1, 0, 0}, -width_}, {{0, 1, 0}, 0}, {{0, -1, 0}, -width_}};
  place_balls();
  predict();
}

/// A lattice, each ball at random inside its own cell.
void SpherePack::place_balls() {
  const int n = options_.n;
  const double cell = options_.spacing * options_.radius;
  for (int ball = 0; ball < n * n * n; ++ball) {
    const double r = options_.radius * random_.uniform(1 - options_.spread, 1 + options_.spread);
    const auto inside = [&](int index) { return (index + 0.5) * cell + random_.uniform(-1, 1) * (cell / 2 - r); };
    const double x = inside(ball % n), y = inside(ball / n % n), z = inside(ball / (n * n));
    const Body body = sphere_body(r, options_.density, {x, y, z});
    radii_.push_back(r);
    positions_.push_back(body.position);
    masses_.push_back({1 / body.mass, 1 / body.inertia.m[0][0] * Mat3::identity()});
  }
  linear_.resize(positions_.size());
  angular_.resize(positions_.size());
}

void SpherePack::advance(std::span<const ContactVec> lambda) {
  require(lambda.size() == contacts_.size(), "advance: impulses: expected ", contacts_.size(), ", got ", lambda.size());
  carry(lambda);
  apply_impulses(lambda);
  for (std::size_t k = 0; k < positions_.size(); ++k) positions_[k] = positions_[k] + options_.h * linear_[k];
  ++step_;
  predict();
}

/// u ← û + M⁻¹ Jᵀ λ
void SpherePack::apply_impulses(std::span<const ContactVec> lambda) {
  const auto& form = std::get<BodyForm>(problem_.form());
  AlignedVector<Pack> response(at(form.nodes()));
  for (int i = 0; i < form.size(); ++i) form.scatter(i, lambda[at(i)], response.data());
  form.body_velocity(response, linear_, angular_);
  for (std::size_t k = 0; k < linear_.size(); ++k) {
    linear_[k] = free_linear_[k] + linear_[k];
    angular_[k] = free_angular_[k] + angular_[k];
  }
}

void SpherePack::carry(std::span<const ContactVec> lambda) {
  carried_.clear();
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const auto [t1, t2] = tangents(contacts_[i].normal);
    carried_.push_back({contacts_[i].id(), lambda[i].t1 * t1 + lambda[i].t2 * t2, lambda[i].n});
  }
}

std::vector<ContactVec> SpherePack::warm_start() const {
  std::vector<ContactVec> lambda(contacts_.size());
  auto old = carried_.begin();  // both lists are sorted
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const std::uint64_t id = contacts_[i].id();
    while (old != carried_.end() && old->id < id) ++old;
    if (old == carried_.end() || old->id != id) continue;
    const auto [t1, t2] = tangents(contacts_[i].normal);
    lambda[i] = {dot(t1, old->tangential), dot(t2, old->tangential), old->normal};
  }
  return lambda;
}

void SpherePack::predict() {
  free_linear_ = linear_;
  free_angular_ = angular_;
  for (Vec3& u : free_linear_) u.z -= options_.h * options_.gravity;
  find_contacts();
  if (options_.kick > 0 && step_ == options_.kick_step) kick(options_.kick);
}

void SpherePack::find_contacts() {
  contacts_ = find_ball_contacts(positions_, radii_, planes_, options_.margin);
  std::vector<BodyContact> rows;
  rows.reserve(contacts_.size());
  for (const BallContact& c : contacts_) rows.push_back(jacobian(c));
  problem_ = ContactProblem(BodyForm(masses_, rows), std::vector<ContactVec>(contacts_.size()),
                            std::vector<double>(contacts_.size(), options_.mu));
  set_free_velocity();
}

void SpherePack::kick(double speed) {
  for (Vec3& u : free_linear_) u = u + random_vector(random_, speed, speed);
  set_free_velocity();
}

void SpherePack::set_free_velocity() {
  const GapBias bias{.slop = options_.slop * options_.radius, .recovery = options_.recovery};
  std::vector<ContactVec> v(contacts_.size());
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const BallContact& c = contacts_[i];
    const Vec3 relative = relative_velocity(c);
    const auto [t1, t2] = tangents(c.normal);
    v[i] = {dot(t1, relative), dot(t2, relative), dot(c.normal, relative) + bias(c.gap, options_.h)};
  }
  problem_.set_v_free(v);
}

/// Lever arms are the radii, whatever the gap: a ball in free spin must not feel its own rounding.
BodyContact SpherePack::jacobian(const BallContact& c) const {
  if (c.other < 0) return point_contact(kStaticBody, {}, c.ball, -radii_[at(c.ball)] * c.normal, c.normal);
  return point_contact(c.ball, radii_[at(c.ball)] * c.normal, c.other, -radii_[at(c.other)] * c.normal, c.normal);
}

Vec3 SpherePack::relative_velocity(const BallContact& c) const {
  const auto surface = [&](int ball, double side) {
    return free_linear_[at(ball)] + cross(free_angular_[at(ball)], side * radii_[at(ball)] * c.normal);
  };
  return c.other < 0 ? surface(c.ball, -1) : surface(c.other, -1) - surface(c.ball, 1);
}

}  // namespace repose::problems
