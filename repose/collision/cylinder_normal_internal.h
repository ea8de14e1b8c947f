// SPDX-License-Identifier: Apache-2.0
// The direction n of largest separation of two cylinders where a rim defines it: Newton's method on the unit sphere.
//
// With centres c, axes u, half lengths h and radii r of the cylinders a and b,
//   s(n) = n·(c_b − c_a) − h_a |n·u_a| − r_a |n×u_a| − h_b |n·u_b| − r_b |n×u_b|.
// At a rim s is smooth. Its gradient is y − x, the difference of the two extreme points along n, and its negative
// Hessian on the sphere is
//   Σ (r / |n×u|) t tᵀ + s I,   t = u×n / |u×n|: the tangent of a rim.
// At n·u = 0 the slope jumps: the whole line of the side is extreme, and n stays perpendicular to u while the point of
// the line opposite to the other body lies between the caps. s is concave, so a stationary direction with s > 0 belongs
// to the closest points; with s ≤ 0 it is a direction of locally least depth. The Hessian is regular at touch when the
// tangents of the rims cross, so that no distance has to be divided by. Lengths: m.
#pragma once

#include "repose/collision/cylinder_search_internal.h"

namespace repose::collision {

/// Returns s(n).
REPOSE_HD inline double separation_of(const PlacedCylinder& a, const PlacedCylinder& b, Vec3 n) {
  return b.lowest_height(n) + a.lowest_height(-n);
}

class NormalOfRims {
 public:
  enum class Outcome : std::uint8_t {
    kFound,
    kRidge,  ///< the largest separation nearby is that of a cap's normal or of the direction between the sides
    kFailed
  };

  REPOSE_HD NormalOfRims(const PlacedCylinder& a, const PlacedCylinder& b, double margin, double size)
      : a_(a), b_(b), margin_(margin), size_(size) {}

  /// Searches uphill from `start`. Ends at the first direction that separates by more than the margin; the result then
  /// has no points.
  REPOSE_HD Outcome find(Vec3 start, Nearest& found) {
    approach(start);
    double last = kFar;
    for (int i = 0; i < kMostSteps; ++i) {
      found = {separation(), n_, {}, {}};
      if (found.distance > margin_) return Outcome::kFound;
      if (at_cap(a_, b_, n_) || at_cap(b_, a_, -n_)) return Outcome::kRidge;
      if (const Outcome placed = place_points(); placed != Outcome::kFound) return placed;
      const Vec3 step = newton_step();
      const double length = norm(step);
      const bool converged = length < kConverged || (length < kAtRounding && length > 0.5 * last);
      last = length;
      if (converged && !maximum_) return Outcome::kFailed;
      if (!advance((length > kLongestStep ? kLongestStep / length : 1.0) * step)) return Outcome::kFailed;
      if (!converged || place_points() != Outcome::kFound) continue;
      found = {gap_, n_, x_.x, y_.x};
      return Outcome::kFound;
    }
    return Outcome::kFailed;
  }

 private:
  // The feature that is extreme along a direction: the rim of cap 0 or 1, or the side.
  static constexpr int kOnSide = 2;
  static constexpr int kMostSteps = 40, kMostChanges = 10;
  static constexpr double kLongestStep = 0.3;  // rad
  static constexpr double kConverged = 1e-10;  // rad: the step after one of this length is below rounding
  static constexpr double kNearCap = 0.1;      // rad: a cap's normal that is a maximum ends the search from here on
  static constexpr double kTilt = 0.02;        // rad: start beside a cap's normal that is none
  static constexpr double kAtRounding = 1e-8;  // rad: nearly parallel tangents, where steps end at rounding errors

  // An extreme point, the tangent of its rim and r / |n×u|.
  struct Extreme {
    Vec3 x, tangent;
    double bend = 0;
  };

  const PlacedCylinder &a_, &b_;
  double margin_, size_;
  Vec3 n_;
  int on_a_ = kOnSide, on_b_ = kOnSide, changes_ = 0;
  Extreme x_, y_;
  double gap_ = 0;
  bool maximum_ = false;

  REPOSE_HD [[nodiscard]] double separation() const { return separation_of(a_, b_, n_); }

  // Starts in closed form lie on ridges of s(n), where the slope is not defined. Projections onto the two bodies in
  // turn, moved apart along n, lead away from them.
  REPOSE_HD void approach(Vec3 start) {
    const Vec3 shift = max_of(kPush * size_ - separation_of(a_, b_, start), 0.0) * start;
    PlacedCylinder moved = b_;
    moved.centre = b_.centre + shift;
    const Segment first{a_.cap_centre(0), a_.cap_centre(1)}, second{moved.cap_centre(0), moved.cap_centre(1)};
    SolidPoint on_a = nearest_on_cylinder(a_, point_at(second, nearest_parameters(first, second).t)), on_b;
    for (int i = 0; i < 3; ++i) {
      on_b = nearest_on_cylinder(moved, on_a.foot);
      on_a = nearest_on_cylinder(a_, on_b.foot);
    }
    n_ = on_a.normal;
    tilt(a_, b_, n_);
    Vec3 back = -n_;
    tilt(b_, a_, back);
    n_ = -back;
    on_a_ = feature_along(a_, n_);
    on_b_ = feature_along(b_, -n_);
  }

  // A cap's normal d: turned towards the extreme point of the other body, if that point lies beyond the rim.
  REPOSE_HD static void tilt(const PlacedCylinder& c, const PlacedCylinder& other, Vec3& d) {
    if (norm(cross(c.axis, d)) > kTilt || at_cap(c, other, d)) return;
    const Vec3 arm = other.lowest(d) - c.centre, across = arm - dot(arm, c.axis) * c.axis;
    d = normalized(d + (kTilt / norm(across)) * across);
  }

  // Returns whether the cap's normal near d is a maximum: the extreme point of the other body lies over the cap.
  REPOSE_HD static bool at_cap(const PlacedCylinder& c, const PlacedCylinder& other, Vec3 d) {
    if (norm(cross(c.axis, d)) > kNearCap) return false;
    if (norm(cross(c.axis, other.axis)) <= kPatchAngle) return true;
    return norm(cross(other.lowest(c.cap_normal(dot(c.axis, d) > 0)) - c.centre, c.axis)) <= c.radius;
  }

  REPOSE_HD static int feature_along(const PlacedCylinder& c, Vec3 d) {
    const double along = dot(c.axis, d);
    return std::abs(along) < kRounding ? kOnSide : along > 0;
  }

  // The extreme point along d; on the side, the middle of the extreme line.
  REPOSE_HD static Extreme extreme(const PlacedCylinder& c, int feature, Vec3 d) {
    const Vec3 turn = cross(c.axis, d);
    const double sine = norm(turn);
    const Vec3 tangent = (1.0 / sine) * turn, foot = feature == kOnSide ? c.centre : c.cap_centre(feature);
    return {foot + c.radius * cross(tangent, c.axis), tangent, c.radius / sine};
  }

  // Moves the extreme point of a side opposite to `other`. Returns the feature: the rim, if that is beyond a cap.
  REPOSE_HD static int slide(const PlacedCylinder& c, Extreme& point, Vec3 other) {
    const double along = dot(c.axis, other - c.centre);
    if (std::abs(along) > c.half) return along > 0;
    point.x = point.x + along * c.axis;
    return kOnSide;
  }

  // Finds the extreme points along n and the features they belong to.
  REPOSE_HD Outcome place_points() {
    for (; changes_ < kMostChanges; ++changes_) {
      if (on_a_ == kOnSide && on_b_ == kOnSide && !leave_sides()) return Outcome::kRidge;
      x_ = extreme(a_, on_a_, n_);
      y_ = extreme(b_, on_b_, -n_);
      const int on_a = on_a_ == kOnSide ? slide(a_, x_, y_.x) : on_a_;
      const int on_b = on_b_ == kOnSide ? slide(b_, y_, x_.x) : on_b_;
      gap_ = dot(n_, y_.x - x_.x);
      if (on_a == on_a_ && on_b == on_b_) return Outcome::kFound;
      on_a_ = on_a, on_b_ = on_b;
    }
    return Outcome::kFailed;
  }

  // Both bodies touch with their sides: the direction between the axes is the maximum, unless the closest points of the
  // two lines lie beyond a cap.
  REPOSE_HD bool leave_sides() {
    const Vec3 across = cross(a_.axis, b_.axis), way = b_.centre - a_.centre;
    const double sine2 = dot(across, across);
    if (sine2 <= square(kPatchAngle)) return false;
    const double along_a = dot(cross(way, b_.axis), across) / sine2, along_b = dot(cross(way, a_.axis), across) / sine2;
    if (std::abs(along_a) > a_.half) on_a_ = along_a > 0;
    if (std::abs(along_b) > b_.half) on_b_ = along_b > 0;
    n_ = ((dot(n_, across) < 0 ? -1.0 : 1.0) / std::sqrt(sine2)) * across;
    return on_a_ != kOnSide || on_b_ != kOnSide;
  }

  REPOSE_HD Vec3 newton_step() {
    const Vec3 way = y_.x - x_.x;
    if (on_a_ == kOnSide) return step_around(x_.tangent, way, y_, a_.radius);
    if (on_b_ == kOnSide) return step_around(y_.tangent, way, x_, b_.radius);
    const Vec3 e = x_.tangent, f = cross(n_, e);
    const double p = dot(y_.tangent, e), q = dot(y_.tangent, f);
    double level = gap_, ee = 0, ff = 0, determinant = 0;
    const double ef = y_.bend * p * q;
    for (const bool last : {false, true}) {
      ee = x_.bend + y_.bend * p * p + level, ff = y_.bend * q * q + level;
      determinant = ee * ff - ef * ef;
      maximum_ = !last && ee > 0 && determinant > 1e-9 * ee * ee;
      if (maximum_) break;
      level = 0.1 * (x_.bend + y_.bend);  // no maximum near: a shorter step uphill
    }
    const double ge = dot(way, e), gf = dot(way, f);
    return ((ff * ge - ef * gf) / determinant) * e + ((ee * gf - ef * ge) / determinant) * f;
  }

  // One body touches with its side, of this radius: n turns about that body's axis.
  REPOSE_HD Vec3 step_around(Vec3 tangent, Vec3 way, const Extreme& rim, double radius) {
    const double p = dot(tangent, rim.tangent), slope = rim.bend * p * p + gap_ + radius;
    maximum_ = slope > 1e-9 * radius;
    return (dot(way, tangent) / (maximum_ ? slope : radius)) * tangent;
  }

  // Turns n by the step, or by a part of it that does not reduce s(n). A rim whose n·u would change its sign gives
  // way to the side.
  REPOSE_HD bool advance(Vec3 step) {
    const Vec3 before = n_;
    const int on_a = on_a_, on_b = on_b_;
    const double least = separation() - kRounding * size_, length = norm(step);
    for (double part = 1; part > 1e-3; part *= 0.5) {
      n_ = normalized(before + part * step);
      on_a_ = kept_on(a_, on_a, n_, n_);
      on_b_ = kept_on(b_, on_b, -n_, n_);
      if (length < 1e-6 || separation() >= least) return true;
    }
    return false;
  }

  // Returns the feature along d for a normal n = ±d that came from `feature`; on the side n is made perpendicular.
  REPOSE_HD static int kept_on(const PlacedCylinder& c, int feature, Vec3 d, Vec3& n) {
    const double along = dot(c.axis, d);
    if (feature != kOnSide && (feature == 1) == (along >= 0)) return feature;
    n = normalized(n - dot(c.axis, n) * c.axis);
    return kOnSide;
  }
};

}  // namespace repose::collision
