// SPDX-License-Identifier: Apache-2.0
#include "repose/verify/motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace repose::verify {
namespace {

constexpr double kCoarse = 0.5, kFine = 0.125;  // rad: one cycle up to the first, cycles of the second beyond
constexpr double kSlow = 1e-8;                  // of the slower part: one cycle below it
constexpr double kMostCycles = 4096;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

Mat3 scaled_columns(const Mat3& R, Vec3 s) {
  Mat3 A = R;
  for (auto& row : A.m) row[0] *= s.x, row[1] *= s.y, row[2] *= s.z;
  return A;
}

/// A joint's frame in the world.
Pose placed(int body, const Pose& local, std::span<const BodyState> bodies) {
  return body == kWorldBody ? local : Pose{bodies[at(body)].centre, bodies[at(body)].rotation} * local;
}

bool is_free_to_turn(const BodyModel& m) { return !m.held[3] && !m.held[4] && !m.held[5]; }

Mat3 inertia(const BodyModel& model, Quat rotation) {
  const Mat3 R = to_matrix(rotation * model.rotor.axes);
  return scaled_columns(R, model.rotor.moments) * transpose(R);
}

/// Inverse of the rows and columns that may turn, by Gauss–Jordan elimination.
Mat3 inverse_on(Mat3 A, const std::array<bool, 3>& free) {
  Mat3 B = Mat3::diagonal(free[0] ? 1 : 0, free[1] ? 1 : 0, free[2] ? 1 : 0);
  for (int p = 0; p < 3; ++p) {
    if (!free[at(p)]) continue;
    const double pivot = A.m[p][p];
    for (int c = 0; c < 3; ++c) A.m[p][c] /= pivot, B.m[p][c] /= pivot;
    for (int r = 0; r < 3; ++r) {
      if (r == p || !free[at(r)]) continue;
      const double factor = A.m[r][p];
      for (int c = 0; c < 3; ++c) A.m[r][c] -= factor * A.m[p][c], B.m[r][c] -= factor * B.m[p][c];
    }
  }
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      if (!free[at(r)] || !free[at(c)]) B.m[r][c] = 0;
  return B;
}

/// The angular velocity of a free body is that of three plain rotations: about the momentum, and about two principal
/// axes (half, whole, half), with the rates by which their inverse moments differ from the middle one.
Quat free_rotation(const BodyModel& model, double h, Quat rotation, Vec3 spin) {
  const std::array<double, 3> I{model.rotor.moments.x, model.rotor.moments.y, model.rotor.moments.z};
  Quat q = rotation * model.rotor.axes;
  const Vec3 w = rotate_back(q, spin);
  Vec3 l{I[0] * w.x, I[1] * w.y, I[2] * w.z};
  const auto part = [&l](int k) -> double& { return k == 0 ? l.x : k == 1 ? l.y : l.z; };
  const int m = model.rotor.middle, i = model.rotor.i, j = model.rotor.j;
  const double rate_i = 1 / I[at(i)] - 1 / I[at(m)], rate_j = 1 / I[at(j)] - 1 / I[at(m)];
  const Quat about_momentum = exponential((h / I[at(m)]) * rotate(q, l));
  const double angle = h * norm(l) * std::max(std::abs(rate_i), std::abs(rate_j));
  const double fast = std::max(std::abs(rate_i), std::abs(rate_j));
  const double slow = h * norm(l) * std::min(std::abs(rate_i), std::abs(rate_j));
  const bool split = rate_i != 0 && rate_j != 0 && angle > kCoarse && slow * slow * fast * I[at(m)] > kSlow;
  const int cycles = split ? static_cast<int>(std::min(std::ceil(angle / kFine), kMostCycles)) : 1;
  const auto turn = [&](int k, double by) {
    Vec3 axis;
    (k == 0 ? axis.x : k == 1 ? axis.y : axis.z) = by * part(k);
    const Quat step = exponential(axis);
    q = q * step;
    l = rotate_back(step, l);
  };
  for (int n = 0; n < cycles; ++n) {
    turn(i, 0.5 * h / cycles * rate_i);
    turn(j, h / cycles * rate_j);
    turn(i, 0.5 * h / cycles * rate_i);
  }
  return normalized(about_momentum * q * conjugate(model.rotor.axes));
}

}  // namespace

Mat3 inverse_inertia(const BodyModel& model, Quat rotation) {
  if (is_free_to_turn(model)) {
    const Mat3 R = to_matrix(rotation * model.rotor.axes);
    const Vec3 I = model.rotor.moments;
    return scaled_columns(R, {1 / I.x, 1 / I.y, 1 / I.z}) * transpose(R);
  }
  return inverse_on(inertia(model, rotation), {!model.held[3], !model.held[4], !model.held[5]});
}

double gyration(const BodyModel& model) {
  const Vec3 I = model.rotor.moments;
  return model.mass > 0 ? std::sqrt((I.x + I.y + I.z) / 3 / model.mass) : 0.0;
}

double spin_energy(const BodyModel& model, Quat rotation, Vec3 spin) {
  return 0.5 * dot(spin, inertia(model, rotation) * spin);
}

Vec3 rotation_vector(Quat q) {
  const double sign = q.w < 0 ? -1 : 1;
  const Vec3 v{sign * q.x, sign * q.y, sign * q.z};
  const double s = norm(v);
  return s > 0 ? (2 * std::atan2(s, std::abs(q.w)) / s) * v : Vec3{};
}

Quat turned_by(Vec3 turn, Quat q) { return norm(turn) > 0 ? normalized(exponential(turn) * q) : q; }

Vec3 spin_after(const BodyModel& model, Quat before, Vec3 spin, Quat after) {
  if (!is_free_to_turn(model)) return spin;
  return inverse_inertia(model, after) * (inertia(model, before) * spin);
}

void move(const BodyModel& model, double h, BodyState& state) {
  state.centre = state.centre + h * state.velocity;
  state.rotation = is_free_to_turn(model) ? free_rotation(model, h, state.rotation, state.angular_velocity)
                                          : turned_by(h * state.angular_velocity, state.rotation);
}

Pose prescribed_pose(const Motion& motion, const Pose& start, double time, const Pose& given) {
  const auto steady = [&](Vec3 velocity, Vec3 spin, double seconds) {
    return Pose{start.position + seconds * velocity, turned_by(seconds * spin, start.rotation)};
  };
  if (const auto* m = std::get_if<ConstantMotion>(&motion)) return steady(m->velocity, m->angular_velocity, time);
  if (const auto* m = std::get_if<RampMotion>(&motion)) {
    const double T = m->duration, s = T > 0 ? std::min(time / T, 1.0) : 1.0;
    const double ramp = T > 0 ? T * (s * s * s - 0.5 * s * s * s * s) : 0.0;  // ∫ 3s² − 2s³
    return steady(m->velocity, m->angular_velocity, ramp + std::max(time - std::max(T, 0.0), 0.0));
  }
  if (const auto* m = std::get_if<TableMotion>(&motion)) {
    std::size_t k = 0;
    while (k < m->times.size() && m->times[k] <= time) ++k;
    if (k == 0) return m->poses.front();
    if (k == m->times.size()) return m->poses.back();
    const double share = (time - m->times[k - 1]) / (m->times[k] - m->times[k - 1]);
    const Pose &a = m->poses[k - 1], &b = m->poses[k];
    return {a.position + share * (b.position - a.position),
            turned_by(share * rotation_vector(b.rotation * conjugate(a.rotation)), a.rotation)};
  }
  return given;
}

double coupling_sum(const JointModel& coupling, std::span<const JointValues> coordinates,
                    std::span<const BodyState> bodies) {
  double sum = 0;
  for (const CouplingTerm& term : coupling.terms) {
    const double q = coordinates[at(term.joint)][at(term.coordinate)];
    double power = 1;
    for (const double factor : term.factors) power *= q, sum += factor * power;
  }
  Vec3 last;
  double factor = 0;
  for (const PathPoint& point : coupling.path) {
    const Vec3 here = placed(point.body, {point.point, {}}, bodies).position;
    if (factor != 0) sum += factor * norm(here - last);
    last = here, factor = point.factor;
  }
  return sum;
}

double coupling_gap(const JointModel& coupling, double stored, std::span<const JointValues> coordinates,
                    std::span<const BodyState> bodies) {
  if (coupling.kind != JointKind::kCoupling) return 0;
  const double sum = coupling_sum(coupling, coordinates, bodies);
  return std::abs(coupling.coupling) *
         std::max(std::abs(stored - sum), coupling.hold ? std::abs(sum - *coupling.hold) : 0.0);
}

double coordinate_error(const JointModel& joint, double stored, std::span<const BodyState> bodies) {
  if (joint.kind != JointKind::kHinge && joint.kind != JointKind::kSlide) return 0;
  const Pose a = placed(joint.body_a, joint.local_a, bodies), b = placed(joint.body_b, joint.local_b, bodies);
  if (joint.kind == JointKind::kSlide)
    return std::abs(stored - dot(rotate(a.rotation, {0, 0, 1}), b.position - a.position));
  const Vec3 turn = rotation_vector(conjugate(a.rotation) * b.rotation);
  return std::abs(std::remainder(stored - turn.z, 2 * std::numbers::pi));
}

double compound_gap(const JointModel& joint, const JointValues& stored, std::span<const BodyState> bodies) {
  if (joint.kind != JointKind::kCompound) return 0;
  Pose chain = placed(joint.body_a, joint.local_a, bodies);
  for (std::size_t k = 0; k < joint.axes.size(); ++k) {
    const JointAxis& own = joint.axes[k];
    if (own.slides) {
      chain = chain * Pose{stored[k] * own.axis, {}};
    } else {
      const Quat turn = exponential(stored[k] * own.axis);
      chain = chain * Pose{own.point, {}} * Pose{{}, turn} * Pose{-1.0 * own.point, {}};
    }
  }
  const Pose b = placed(joint.body_b, joint.local_b, bodies);
  return std::hypot(norm(b.position - chain.position),
                    joint.length * norm(rotation_vector(conjugate(normalized(chain.rotation)) * b.rotation)));
}

double joint_gap(const JointModel& joint, std::span<const BodyState> bodies) {
  if (joint.kind == JointKind::kCoupling || joint.kind == JointKind::kCompound) return 0;
  const Pose a = placed(joint.body_a, joint.local_a, bodies), b = placed(joint.body_b, joint.local_b, bodies);
  const Vec3 apart = b.position - a.position, z_a = rotate(a.rotation, {0, 0, 1}), z_b = rotate(b.rotation, {0, 0, 1});
  const double along = dot(z_a, apart), across = norm(apart - along * z_a);
  const Vec3 turn = rotation_vector(conjugate(a.rotation) * b.rotation);
  const double tilt = joint.length * std::atan2(norm(cross(z_a, z_b)), dot(z_a, z_b));
  switch (joint.kind) {
    case JointKind::kBall: return norm(apart);
    case JointKind::kHinge: return std::hypot(norm(apart), tilt);
    case JointKind::kSlide: return std::hypot(across, joint.length * norm(turn));
    case JointKind::kFixed: return std::hypot(norm(apart), joint.length * norm(turn));
    case JointKind::kDistance: return std::abs(norm(apart) - joint.rest);
    case JointKind::kRope: return std::max(norm(apart) - joint.rest, 0.0);
    case JointKind::kUniversal: return std::hypot(norm(apart), joint.length * dot(z_a, rotate(b.rotation, {1, 0, 0})));
    case JointKind::kCylindrical: return std::hypot(across, tilt);
    case JointKind::kPlanar: return std::hypot(along, tilt);
    case JointKind::kCoupling:
    case JointKind::kCompound: return 0;
    case JointKind::kScrew: {
      const double period = 2 * std::numbers::pi * joint.pitch, thread = along - joint.pitch * turn.z;
      const double off = period != 0 ? std::remainder(thread, period) : thread;
      return std::hypot(std::hypot(across, tilt), off);
    }
  }
  return 0;
}

}  // namespace repose::verify
