// SPDX-License-Identifier: Apache-2.0
// The sum of a coupling and its rows: over coordinates of other joints, over straight pieces of a path, or along a
// site. A piece of length l between points with the arms r from their mass centres, and its direction u from one to
// the other, has
//
//   l̇ = u·(v_b + ω_b × r_b − v_a − ω_a × r_a),
//   l̈ = u·(…)˙ + (|ḋ|² − l̇²)/l,   ḋ the difference of the velocities of both ends.
#include "repose/world/coupling_rows_internal.h"

#include <algorithm>
#include <cmath>

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

double size_of(const SceneBody& body, const BodyModel& model, Vec3 arm) {
  return body.kind == BodyKind::kDynamic ? std::max(model.size, norm(arm)) : 0.0;
}

/// Direction and length of a piece; where its ends coincide, one of length 0 along z.
Vec3 direction_of(Vec3 way, double length) { return length > 0 ? (1 / length) * way : Vec3{0, 0, 1}; }

void move_to_centres(std::span<const SceneBody> bodies, std::span<const BodyModel> models, JointModel& made) {
  for (PathPoint& point : made.path) {
    if (point.body == kWorldBody) continue;
    point.point = point.point - models[at(point.body)].centre;
    made.size = std::max(made.size, size_of(bodies[at(point.body)], models[at(point.body)], point.point));
  }
  if (!made.thrust) return;
  Pose& site = made.thrust->site;
  const int body = made.thrust->body;
  site = {site.position - models[at(body)].centre, normalized(site.rotation)};
  made.size = std::max(made.size, size_of(bodies[at(body)], models[at(body)], site.position));
}

/// Largest derivative of the sum by a coordinate in m: of a term with an angle by its arc.
double steepest_part(std::span<const JointModel> before, const JointModel& made) {
  double steepest = 0;
  for (const CouplingTerm& term : made.terms) {
    double factor = 0;
    for (const double f : term.factors) factor = std::max(factor, std::abs(f));
    steepest = std::max(steepest, factor / before[at(term.joint)].unit(term.coordinate));
  }
  for (std::size_t k = 0; k + 1 < made.path.size(); ++k) steepest = std::max(steepest, std::abs(made.path[k].factor));
  if (made.thrust) steepest = std::max({steepest, norm(made.thrust->along), norm(made.thrust->about) / made.length});
  return steepest;
}

}  // namespace

void finish_coupling(std::span<const SceneBody> bodies, std::span<const BodyModel> models,
                     std::span<const JointModel> before, JointModel& made) {
  move_to_centres(bodies, models, made);
  for (const CouplingTerm& term : made.terms) made.size = std::max(made.size, before[at(term.joint)].size);
  const double steepest = steepest_part(before, made);
  made.coupling = steepest > 0 ? 1 / steepest : 1;
}

void start_sum(const JointModel& coupling, JointFrames& frames) {
  frames.sum = {};
  frames.others.clear();
  for (const int body : coupling.others) frames.others.push_back({body, {}, {}});
}

BodyJacobian times(const ContactVec& factors, const BodyRow& row) {
  const double factor[3] = {factors.t1, factors.t2, factors.n};
  BodyJacobian rows;
  for (int r = 0; r < 3; ++r) rows.linear[r] = factor[r] * row.linear, rows.angular[r] = factor[r] * row.angular;
  return rows;
}

void add_to_sum(const JointModel& coupling, int body, Vec3 linear, Vec3 angular, JointFrames& frames) {
  CoordinateRow& sum = frames.sum;
  if (body == kWorldBody) return;
  if (body == coupling.body_a) {
    sum.linear_a = sum.linear_a + linear, sum.angular_a = sum.angular_a + angular;
  } else if (body == coupling.body_b) {
    sum.linear_b = sum.linear_b + linear, sum.angular_b = sum.angular_b + angular;
  } else {
    for (BodyRow& other : frames.others)
      if (other.body == body) other.linear = other.linear + linear, other.angular = other.angular + angular;
  }
}

void add_term(const JointModel& coupling, const JointModel& member, const CouplingTerm& term, double q,
              const CoordinateRow& row, JointFrames& frames) {
  const auto& f = term.factors;
  frames.sum.value += q * (f[0] + q * (f[1] + q * (f[2] + q * f[3])));
  const double slope = f[0] + q * (2 * f[1] + q * (3 * f[2] + q * 4 * f[3]));
  add_to_sum(coupling, member.body_a, slope * row.linear_a, slope * row.angular_a, frames);
  add_to_sum(coupling, member.body_b, slope * row.linear_b, slope * row.angular_b, frames);
}

PieceEnd place_end(const PathPoint& point, const Pose& body) {
  PieceEnd end;
  const bool world = point.body == kWorldBody;
  if (!world) end.arm = rotate(body.rotation, point.point);
  end.place = world ? point.point : body.position + end.arm;
  return end;
}

void add_piece(const JointModel& coupling, const PathPoint& from, const PathPoint& to, const PieceEnd& a,
               const PieceEnd& b, JointFrames& frames) {
  const Vec3 way = b.place - a.place;
  const double length = norm(way);
  frames.sum.value += from.factor * length;
  if (from.body == to.body) return;
  const Vec3 axis = from.factor * direction_of(way, length);
  add_to_sum(coupling, from.body, -1.0 * axis, -1.0 * cross(a.arm, axis), frames);
  add_to_sum(coupling, to.body, axis, cross(b.arm, axis), frames);
}

double piece_drift(const PieceEnd& a, const PieceEnd& b) {
  const Vec3 way = b.place - a.place, apart = b.velocity - a.velocity;
  const double length = norm(way);
  if (!(length > 0)) return 0;
  const Vec3 axis = direction_of(way, length);
  const double rate = dot(axis, apart);
  return dot(axis, b.centripetal - a.centripetal) + (dot(apart, apart) - rate * rate) / length;
}

void add_thrust(const JointModel& coupling, const Pose& body, JointFrames& frames) {
  const SiteThrust& thrust = *coupling.thrust;
  const Quat axes = body.rotation * thrust.site.rotation;
  const Vec3 along = rotate(axes, thrust.along), arm = rotate(body.rotation, thrust.site.position);
  add_to_sum(coupling, thrust.body, along, cross(arm, along) + rotate(axes, thrust.about), frames);
}

}  // namespace repose
