// SPDX-License-Identifier: Apache-2.0
// Definition of filter_gaps(): for one source of the host library, and for device sources.
#pragma once

#include <cassert>
#include <cmath>

#include "repose/math/scalar.h"
#include "repose/math/tangents.h"
#include "repose/world/gap_filter.h"

namespace repose {
namespace {

REPOSE_HD double largest(View<double> values) {
  double most = 0;
  for (const double x : values) most = max_of(most, std::abs(x));
  return most;
}

/// Least-squares plane over the patch: gap(u, v) = mean + a u + b v with u, v from the centroid.
struct Plane {
  Vec3 centroid, u, v;
  double mean = 0, a = 0, b = 0;
  REPOSE_HD [[nodiscard]] double operator()(Vec3 x) const {
    const Vec3 r = x - centroid;
    return mean + a * dot(u, r) + b * dot(v, r);
  }
};

REPOSE_HD Plane fitted(View<const ContactPoint> points, Vec3 normal, View<double> gaps) {
  Plane plane;
  const auto [t1, t2] = tangent_pair(normal);
  const double share = 1.0 / points.size();
  for (int k = 0; k < points.size(); ++k) {
    plane.centroid = plane.centroid + share * points[k].position;
    plane.mean += share * gaps[k];
  }
  plane.u = t1;
  plane.v = t2;
  double uu = 0, uv = 0, vv = 0, gu = 0, gv = 0;
  for (int k = 0; k < points.size(); ++k) {
    const Vec3 r = points[k].position - plane.centroid;
    const double u = dot(t1, r), v = dot(t2, r), g = gaps[k] - plane.mean;
    uu += u * u, uv += u * v, vv += v * v, gu += g * u, gv += g * v;
  }
  const double size = uu + vv, det = uu * vv - uv * uv;
  if (det > 1e-8 * size * size) {
    plane.a = (vv * gu - uv * gv) / det;
    plane.b = (uu * gv - uv * gu) / det;
  } else if (size > 0) {  // points on a line: the slope along it
    const double along = uu >= vv ? 1.0 : uv / vv, across = uu >= vv ? uv / uu : 1.0;
    const double slope =
        (along * gu + across * gv) / (along * along * uu + 2 * along * across * uv + across * across * vv);
    plane.a = slope * along;
    plane.b = slope * across;
  }
  return plane;
}

REPOSE_HD void make_affine(View<const ContactPoint> points, Vec3 normal, double noise, View<double> gaps) {
  const Plane plane = fitted(points, normal, gaps);
  for (int k = 0; k < points.size(); ++k)
    if (std::abs(plane(points[k].position) - gaps[k]) > noise) return;  // a curved patch, or an overlap of edges
  for (int k = 0; k < points.size(); ++k) gaps[k] = plane(points[k].position);
}

}  // namespace

REPOSE_KERNEL void filter_gaps(View<const ContactPoint> points, Vec3 normal, double noise, View<double> gaps) {
  assert(points.size() == gaps.size());
  for (int k = 0; k < points.size(); ++k) gaps[k] = points[k].gap;
  if (largest(gaps) <= noise) {
    for (double& gap : gaps) gap = 0;
    return;
  }
  if (points.size() > 2) make_affine(points, normal, noise, gaps);
  const double most = largest(gaps), keep = most > noise ? 1 - noise / most : 0.0;
  for (double& gap : gaps) gap *= keep;
}

}  // namespace repose
