// SPDX-License-Identifier: Apache-2.0
// Hinges and slides one after the other, without bodies between them. The pose of frame b in frame a is
//
//   P(q) = exp(S₁ q₁) exp(S₂ q₂) … exp(Sₙ qₙ),
//
// and the relative motion (L ω, v) at the origin of b is B q̇: column k is what axis k does, where the axes before it
// have carried it; L is the joint's length. For the pose P of two bodies the error e = (L rotation, shift) leads from
// P(q) to P, and the coordinates are those with Bᵀ e = 0. With B = Q R, N the complement of Q,
//
//   q̇ = R⁻¹ Qᵀ (L ω, v),     g = Nᵀ e,     ġ = Nᵀ (L ω, v):
//
// the rows of the coordinates, and of what the joint keeps at zero.
#include "repose/world/compound_rows_internal.h"

#include <algorithm>
#include <cmath>

#include "repose/math/scalar.h"

namespace repose {
namespace {

constexpr int kSix = 6;
/// Share of its length that a column of B needs beside those before it: closer to a position in which axes repeat each
/// other (the gimbal lock of three hinges) rows stay as long as here.
constexpr double kLeastPivot = 1e-4;
/// The same for steps of Newton's method on the coordinates; what is shorter does not move.
constexpr double kSolvable = 1e-12;
/// Step of Newton's method, as a share of the joint's size, after which the next one is below rounding.
constexpr double kClose = 1e-8;
/// Coordinates are rounded to this share before the last two steps, so that they do not depend on the start.
constexpr double kGrid = 0x1p-26;
constexpr double kFarthest = 1;  // rad: a longer step is shortened
constexpr int kSteps = 40;
/// A pose whose known coordinates are off by more than kNear of the joint's size was set from outside, or turned far
/// within a step. Where it is not met to kApart, other starts are tried; they must be better by kBetter.
constexpr double kNear = 0.3, kApart = 1e-3, kBetter = 0.1;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

using Six = std::array<double, kSix>;  // (L rotation, shift), axes of a

double dot(const Six& a, const Six& b) {
  double sum = 0;
  for (std::size_t i = 0; i < kSix; ++i) sum += a[i] * b[i];
  return sum;
}

Six six(Vec3 angular, Vec3 linear) { return {angular.x, angular.y, angular.z, linear.x, linear.y, linear.z}; }

/// Twice the vector part: the angle near zero.
Vec3 small_rotation(Quat q) {
  const double twice = q.w < 0 ? -2 : 2;
  return {twice * q.x, twice * q.y, twice * q.z};
}

/// The compound at some coordinates, seen from frame a.
class Compound {
 public:
  Compound(const JointModel& joint, const Pose& pose) : joint_(joint), pose_(pose), count_(coordinate_count(joint)) {
    for (const bool slides : {false, true})  // rotations first: rows of pure rotations and pure shifts stay pure
      for (int k = 0; k < count_; ++k)
        if (joint.axes[at(k)].slides == slides) order_[at(placed_++)] = k;
  }

  void solve(const JointValues& known) {
    q_ = known;
    evaluate();
    const bool near = error_ <= kNear * joint_.size;
    if (!search(known) || !(near || error_ <= kApart * joint_.size)) try_other_starts(known);
    for (int k = 0; k < count_; ++k) {
      const double grid = kGrid * (joint_.axes[at(k)].slides ? joint_.size : 1.0);
      q_[at(k)] = grid * std::round(q_[at(k)] / grid);
    }
    for (int n = 0; n < 2; ++n) evaluate(), (void)advance();
  }

  void fill(JointFrames& f) const {
    f.compound.resize(kSix);
    for (int k = 0; k < count_; ++k) {
      CompoundRow& to = f.compound[at(k)];
      to.row = row_of(f, coordinate_row(k));
      to.row.value = q_[at(k)];
      to.axis = rotate(f.a.rotation, axis_[at(k)]), to.point = f.a * point_[at(k)];
    }
    for (int k = count_; k < kSix; ++k) {
      const Six& n = across_[at(k)];
      f.compound[at(k)] = {row_of(f, n), {}, {}};
      f.compound[at(k)].row.value = dot(n, off_);
    }
  }

 private:
  /// Newton's method from a start. False where it does not come to an end.
  bool search(const JointValues& start) {
    q_ = start;
    for (int n = 0; n < kSteps; ++n) {
      evaluate();
      if (advance() <= kClose * joint_.size) return true;
    }
    return false;
  }

  /// Hinges a third of a turn apart; keeps the coordinates with the smallest error.
  void try_other_starts(const JointValues& known) {
    JointValues best = q_;
    double least = kBetter * error_;
    int starts = 1;
    for (int k = 0; k < count_; ++k) starts *= joint_.axes[at(k)].slides ? 1 : 3;
    for (int s = 1; s < starts; ++s) {
      JointValues start = known;
      for (int k = 0, rest = s; k < count_; ++k) {
        if (joint_.axes[at(k)].slides) continue;
        start[at(k)] += 2.0 * (rest % 3 - (rest % 3 == 2 ? 3 : 0)), rest /= 3;
      }
      if (search(start) && error_ < least) best = q_, least = error_;
    }
    q_ = best;
  }

  /// Axes, error and decomposition at q_.
  void evaluate() {
    Pose c;
    for (int k = 0; k < count_; ++k) {
      const JointAxis& own = joint_.axes[at(k)];
      axis_[at(k)] = rotate(c.rotation, own.axis), point_[at(k)] = c * own.point;
      const double q = q_[at(k)];
      if (own.slides) {
        c.position = c.position + q * axis_[at(k)];
        continue;
      }
      const Quat turn = exponential(q * axis_[at(k)]);
      c = {point_[at(k)] + rotate(turn, c.position - point_[at(k)]), normalized(turn * c.rotation)};
    }
    off_ = six(joint_.length * small_rotation(pose_.rotation * conjugate(c.rotation)), pose_.position - c.position);
    error_ = std::sqrt(dot(off_, off_));
    for (int n = 0; n < count_; ++n) {
      const int k = order_[at(n)];
      const Vec3 z = axis_[at(k)];
      columns_[at(n)] =
          joint_.axes[at(k)].slides ? six({}, z) : six(joint_.length * z, cross(z, c.position - point_[at(k)]));
    }
    decompose();
  }

  /// Householder's B = Q R with a positive diagonal and det Q = 1: Q goes on smoothly with B.
  void decompose() {
    for (std::size_t i = 0; i < kSix; ++i) across_[i] = {}, across_[i][i] = 1;
    std::array<Six, kSix> reflections{};
    double turn = 1;
    for (int n = 0; n < count_; ++n) {
      Six x = columns_[at(n)];
      length_[at(n)] = std::sqrt(dot(x, x));
      for (int m = 0; m < n; ++m) reflect(reflections[at(m)], x);
      double rest = 0;
      for (std::size_t i = at(n); i < kSix; ++i) rest += x[i] * x[i];
      rest = std::sqrt(rest);
      Six& v = reflections[at(n)];
      for (std::size_t i = at(n); i < kSix; ++i) v[i] = x[i];
      const double sign = x[at(n)] > 0 ? -1 : 1;  // of the diagonal
      v[at(n)] -= sign * rest;
      const double square = dot(v, v);
      for (double& w : v) w *= square > 0 ? std::sqrt(2 / square) : 0.0;
      turn *= (square > 0 ? -1 : 1) * sign;
      signs_[at(n)] = sign;
      for (int m = 0; m < n; ++m) upper_[at(m)][at(n)] = signs_[at(m)] * x[at(m)];
      upper_[at(n)][at(n)] = rest;
    }
    for (std::size_t i = 0; i < kSix; ++i)
      for (int m = count_ - 1; m >= 0; --m) reflect(reflections[at(m)], across_[i]);
    for (int n = 0; n < count_; ++n)
      for (double& x : across_[at(n)]) x *= signs_[at(n)];
    if (count_ < kSix)
      for (double& x : across_[at(count_)]) x *= turn;
  }
  static void reflect(const Six& v, Six& x) {
    const double along = dot(v, x);
    for (std::size_t i = 0; i < kSix; ++i) x[i] -= along * v[i];
  }

  /// One step; returns its length, m.
  double advance() {
    Six along{}, step{};
    for (int n = 0; n < count_; ++n) along[at(n)] = dot(across_[at(n)], off_);
    const double length = std::sqrt(dot(along, along));
    double share = 1;
    for (int n = count_ - 1; n >= 0; --n) {
      double x = along[at(n)];
      for (int m = n + 1; m < count_; ++m) x -= upper_[at(n)][at(m)] * step[at(m)];
      const double pivot = upper_[at(n)][at(n)];
      step[at(n)] = pivot > kSolvable * length_[at(n)] ? x / pivot : 0.0;
      if (!joint_.axes[at(order_[at(n)])].slides && std::abs(step[at(n)]) > kFarthest)
        share = std::min(share, kFarthest / std::abs(step[at(n)]));
    }
    for (int n = 0; n < count_; ++n) q_[at(order_[at(n)])] += share * step[at(n)];
    return share < 1 ? HUGE_VAL : length;
  }

  /// Row k of R⁻¹ Qᵀ.
  [[nodiscard]] Six coordinate_row(int k) const {
    Six row{};
    double weight[kSix] = {};
    for (int n = 0; n < count_; ++n) {
      double x = order_[at(n)] == k ? 1 : 0;
      for (int m = 0; m < n; ++m) x -= weight[m] * upper_[at(m)][at(n)];
      weight[n] = x / std::max(upper_[at(n)][at(n)], kLeastPivot * length_[at(n)]);
      for (std::size_t i = 0; i < kSix; ++i) row[i] += weight[n] * across_[at(n)][i];
    }
    return row;
  }

  /// Against the bodies; the point of a is where the origin of b is: the axes turn with a.
  [[nodiscard]] CoordinateRow row_of(const JointFrames& f, const Six& x) const {
    const Vec3 angular = joint_.length * rotate(f.a.rotation, {x[0], x[1], x[2]});
    const Vec3 linear = rotate(f.a.rotation, {x[3], x[4], x[5]}), p = f.b.position;
    return {0, -1.0 * linear, -1.0 * (cross(p - f.centre_a, linear) + angular), linear,
            cross(p - f.centre_b, linear) + angular};
  }

  const JointModel& joint_;
  Pose pose_;
  int count_, placed_ = 0;
  std::array<int, kSix> order_{};
  JointValues q_{};
  std::array<Vec3, kSix> axis_, point_;
  Six off_{};
  double error_ = 0;
  std::array<Six, kSix> columns_{}, upper_{};
  std::array<Six, kSix> across_{};  ///< columns of Q, then of N
  Six length_{}, signs_{};
};

}  // namespace

void place_compound(const JointModel& joint, const JointValues& known, JointFrames& frames) {
  Compound compound(joint, inverse(frames.a) * frames.b);
  compound.solve(known);
  compound.fill(frames);
}

/// The motion of b's origin is v_a + ω_a × r + Σ (axis k's) q̇_k; its acceleration without those of the bodies and of
/// the coordinates is the centripetal one of b, minus that of a and those of the axes as they are carried.
double compound_drift(const JointModel& joint, int coordinate, const JointFrames& f, const JointMotion& m) {
  const Vec3 origin = f.b.position, arm_b = origin - f.centre_b;
  const auto own = [&](const CoordinateRow& row) {
    return repose::dot(row.linear_a, m.velocity_a) + repose::dot(row.angular_a, m.spin_a) +
           repose::dot(row.linear_b, m.velocity_b) + repose::dot(row.angular_b, m.spin_b);
  };
  const Vec3 of_point = m.velocity_b + cross(m.spin_b, arm_b);
  Vec3 linear = cross(m.spin_b, cross(m.spin_b, arm_b)) - cross(m.spin_a, of_point - m.velocity_a), angular;
  Vec3 spin = m.spin_a;  // of what carries axis k
  const int count = coordinate_count(joint);
  for (int k = 0; k < count; ++k) {
    const CompoundRow& axis = f.compound[at(k)];
    const double rate = own(axis.row);
    const Vec3 turned = cross(spin, axis.axis);
    if (joint.axes[at(k)].slides) {
      linear = linear - rate * turned;
      continue;
    }
    Vec3 carried = m.velocity_a + cross(m.spin_a, axis.point - f.centre_a);  // velocity of the axis
    for (int j = 0; j < k; ++j) {
      const CompoundRow& before = f.compound[at(j)];
      const double q = own(before.row);
      carried = carried + q * (joint.axes[at(j)].slides ? before.axis : cross(before.axis, axis.point - before.point));
    }
    linear = linear - rate * (cross(turned, origin - axis.point) + cross(axis.axis, of_point - carried));
    angular = angular - rate * turned;
    spin = spin + rate * axis.axis;
  }
  const CoordinateRow& row = f.compound[at(coordinate)].row;
  const Vec3 about = row.angular_b - cross(arm_b, row.linear_b);
  return repose::dot(row.linear_b, linear) + repose::dot(about, angular);
}

}  // namespace repose
