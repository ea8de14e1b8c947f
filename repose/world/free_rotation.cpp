// SPDX-License-Identifier: Apache-2.0
#include "repose/world/free_rotation_internal.h"

#include <algorithm>
#include <cmath>

namespace repose {
namespace {

using Vec3Pack = FreeRotation::Vec3Pack;
using QuatPack = FreeRotation::QuatPack;

/// Half an angle up to which its sine and cosine are their series without a reduction: less than π/4.
constexpr double kSeries = 0.78;

/// Bodies from which eight at a time is faster than one by one.
constexpr std::size_t kFewest = 2;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

double along(Vec3 v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }

/// c − a b, rounded once
Pack minus(const Pack& c, const Pack& a, const Pack& b) {
  Pack out;
  store(plus_product(in_registers(c), -in_registers(a), in_registers(b)), out);
  return out;
}

// What follows has the operations of portable.h and pose.h.

Pack sine_series(const Pack& r) {
  const Pack x = r * r;
  Pack p = broadcast(1.0 / 355687428096000.0);
  for (const double c : {1.0 / 1307674368000.0, 1.0 / 6227020800.0, 1.0 / 39916800.0, 1.0 / 362880.0, 1.0 / 5040.0,
                         1.0 / 120.0, 1.0 / 6.0})
    p = minus(broadcast(c), x, p);
  return minus(r, x * r, p);
}
Pack cosine_series(const Pack& r) {
  const Pack x = r * r;
  Pack p = broadcast(1.0 / 6402373705728000.0);
  for (const double c : {1.0 / 20922789888000.0, 1.0 / 87178291200.0, 1.0 / 479001600.0, 1.0 / 3628800.0, 1.0 / 40320.0,
                         1.0 / 720.0, 1.0 / 24.0, 0.5})
    p = minus(broadcast(c), x, p);
  return minus(broadcast(1.0), x, p);
}

Vec3Pack operator*(const Pack& s, const Vec3Pack& a) { return {s * a.x, s * a.y, s * a.z}; }
Vec3Pack operator+(const Vec3Pack& a, const Vec3Pack& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec3Pack cross(const Vec3Pack& a, const Vec3Pack& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Pack norm(const Vec3Pack& a) { return root(a.x * a.x + a.y * a.y + a.z * a.z); }

QuatPack operator*(const QuatPack& a, const QuatPack& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
QuatPack conjugate(const QuatPack& q) { return {q.w, -q.x, -q.y, -q.z}; }
QuatPack normalized(const QuatPack& q) {
  const Pack s = broadcast(1.0) / root(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}
Vec3Pack rotate(const QuatPack& q, const Vec3Pack& v) {
  const Vec3Pack axis{q.x, q.y, q.z};
  const Vec3Pack twice = broadcast(2.0) * cross(axis, v);
  return v + q.w * twice + cross(axis, twice);
}

/// Sets `far` where an angle needs the reduction.
QuatPack exponential(const Vec3Pack& angle, PackMask& far) {
  const Pack size = norm(angle), half = broadcast(0.5) * size, one = broadcast(1.0);
  far |= ~(half < broadcast(kSeries));
  const Pack near = broadcast(0.5) * (one - half * half / broadcast(6.0) * (one - half * half / broadcast(20.0)));
  const Pack s = select(size < broadcast(1e-3), near, sine_series(half) / size);
  return {cosine_series(half), s * angle.x, s * angle.y, s * angle.z};
}

Vec3Pack pick(PackMask mask, const Vec3Pack& a, const Vec3Pack& b) {
  return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
}
QuatPack pick(PackMask mask, const QuatPack& a, const QuatPack& b) {
  return {select(mask, a.w, b.w), select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
}

/// Component of v along the axis.
Pack along(const Vec3Pack& axis, const Vec3Pack& v) {
  const Pack zero{};
  return select(axis.x > zero, v.x, select(axis.y > zero, v.y, v.z));
}

void turn(const Vec3Pack& axis, Pack angle, QuatPack& attitude, Vec3Pack& l, PackMask& far) {
  const Pack zero{};
  const auto on = [&](const Pack& x) { return select(x > zero, angle, zero); };
  const QuatPack by = exponential({on(axis.x), on(axis.y), on(axis.z)}, far);
  const PackMask stays = angle == zero;
  attitude = pick(stays, attitude, attitude * by);
  l = pick(stays, l, rotate(conjugate(by), l));
}

}  // namespace

void FreeRotation::bind(std::span<const BodyModel> models, std::span<const int> bodies) {
  if (models.data() == models_.data() && std::equal(bodies.begin(), bodies.end(), bodies_.begin(), bodies_.end()))
    return;
  models_ = models;
  bodies_.assign(bodies.begin(), bodies.end());
  rotors_.clear();
  for (std::size_t first = 0; first < bodies_.size(); first += kLanes)
    rotors_.push_back(
        rotors_of(std::span<const int>(bodies_).subspan(first, std::min<std::size_t>(kLanes, bodies_.size() - first))));
}

FreeRotation::Rotors FreeRotation::rotors_of(std::span<const int> bodies) const {
  Rotors all{};
  all.never = broadcast(1.0);
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const BodyModel& model = models_[at(bodies[k])];
    const Rotor& rotor = model.rotor;
    if (rotor.round || !turns_freely(model)) continue;
    all.axes.w[k] = rotor.axes.w, all.axes.x[k] = rotor.axes.x, all.axes.y[k] = rotor.axes.y,
    all.axes.z[k] = rotor.axes.z;
    all.moments.x[k] = rotor.moments.x, all.moments.y[k] = rotor.moments.y, all.moments.z[k] = rotor.moments.z;
    for (const auto& [axis, part] : {std::pair(&all.on_i, rotor.i), std::pair(&all.on_j, rotor.j)})
      axis->x[k] = part == 0, axis->y[k] = part == 1, axis->z[k] = part == 2;
    all.inverse.x[k] = rotor.inverse.x, all.inverse.y[k] = rotor.inverse.y, all.inverse.z[k] = rotor.inverse.z;
    const double middle = along(rotor.inverse, rotor.middle);
    all.middle[k] = middle;
    all.apart_i[k] = along(rotor.inverse, rotor.i) - middle;
    all.apart_j[k] = along(rotor.inverse, rotor.j) - middle;
    all.never[k] = 0;
  }
  return all;
}

Pose FreeRotation::moved(std::size_t k, double h, BodyState state) const {
  move_freely(models_[at(bodies_[k])], h, state);
  return {state.centre, state.rotation};
}

FreeRotation::Turning FreeRotation::load(std::span<const BodyState> states) {
  const Pack zero{};
  Turning start{{broadcast(1.0), zero, zero, zero}, {zero, zero, zero}};
  for (std::size_t k = 0; k < states.size(); ++k) {
    const auto& [centre, q, velocity, w] = states[k];
    start.rotation.w[k] = q.w, start.rotation.x[k] = q.x, start.rotation.y[k] = q.y, start.rotation.z[k] = q.z;
    start.spin.x[k] = w.x, start.spin.y[k] = w.y, start.spin.z[k] = w.z;
  }
  return start;
}

/// `spins`: the spins are wanted, too.
FreeRotation::Turning FreeRotation::turned(const Rotors& rotors, double h, const Turning& start, bool spins,
                                           PackMask& alone) {
  const Pack zero{}, step = broadcast(h), part_half = broadcast(0.5);
  QuatPack attitude = start.rotation * rotors.axes;
  const Vec3Pack seen = rotate(conjugate(attitude), start.spin);
  Vec3Pack l{rotors.moments.x * seen.x, rotors.moments.y * seen.y, rotors.moments.z * seen.z};
  // One cycle serves where a part vanishes, or turns the body by little.
  const Pack fast = larger(rotors.apart_i, rotors.apart_j);
  alone = (rotors.never > zero) | ((step * norm(l) * fast > broadcast(kCoarseRotorAngle)) & (rotors.apart_i != zero) &
                                   (rotors.apart_j != zero));
  const QuatPack about_momentum = exponential(step * rotors.middle * rotate(attitude, l), alone);
  const Pack c_i = step * rotors.apart_i, c_j = step * rotors.apart_j;
  turn(rotors.on_i, part_half * c_i * along(rotors.on_i, l), attitude, l, alone);
  turn(rotors.on_j, c_j * along(rotors.on_j, l), attitude, l, alone);
  turn(rotors.on_i, part_half * c_i * along(rotors.on_i, l), attitude, l, alone);
  attitude = normalized(about_momentum * attitude);
  Turning end{normalized(attitude * conjugate(rotors.axes)), {zero, zero, zero}};
  if (spins) end.spin = rotate(attitude, {rotors.inverse.x * l.x, rotors.inverse.y * l.y, rotors.inverse.z * l.z});
  return end;
}

void FreeRotation::find_poses(double h, std::span<const BodyState> states, std::span<Pose> poses) const {
  if (bodies_.size() < kFewest) {
    for (std::size_t k = 0; k < bodies_.size(); ++k) poses[k] = moved(k, h, states[k]);
    return;
  }
  for (std::size_t first = 0; first < bodies_.size(); first += kLanes) {
    const std::size_t count = std::min<std::size_t>(kLanes, bodies_.size() - first);
    PackMask alone{};
    const QuatPack end = turned(rotors_[first / kLanes], h, load(states.subspan(first, count)), false, alone).rotation;
    for (std::size_t k = 0; k < count; ++k) {
      const BodyState& s = states[first + k];
      poses[first + k] =
          alone[k] ? moved(first + k, h, s) : Pose{s.centre + h * s.velocity, {end.w[k], end.x[k], end.y[k], end.z[k]}};
    }
  }
}

void FreeRotation::move(double h, std::size_t first, std::span<BodyState> states) const {
  PackMask alone{};
  const auto& [q, w] = turned(rotors_[first / kLanes], h, load(states), true, alone);
  for (std::size_t k = 0; k < states.size(); ++k) {
    BodyState& s = states[k];
    if (alone[k])
      move_freely(models_[at(bodies_[first + k])], h, s);
    else
      s = {s.centre + h * s.velocity, {q.w[k], q.x[k], q.y[k], q.z[k]}, s.velocity, {w.x[k], w.y[k], w.z[k]}};
  }
}

}  // namespace repose
