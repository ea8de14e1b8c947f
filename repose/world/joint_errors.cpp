// SPDX-License-Identifier: Apache-2.0
// Position errors of joints at the end of a step in which bodies hardly move: g(x + Δx) = g(x) + J Δx, to rounding.
#include <algorithm>
#include <cmath>

#include "repose/world/joint_projection_internal.h"

namespace repose {
namespace {

/// Motion within a step, as a share of the size and in rad, whose square is below the rounding of positions.
constexpr double kNoMotion = 1e-8;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

double& row_of(ContactVec& v, int r) { return r == 0 ? v.t1 : r == 1 ? v.t2 : v.n; }
double row_of(const ContactVec& v, int r) { return r == 0 ? v.t1 : r == 1 ? v.t2 : v.n; }

}  // namespace

ContactVec limit_errors(const JointModel& model, const JointBlock& block, const JointFrames& frames, double near) {
  const CoordinateRow row = coordinate_row(model, block.part, frames);
  const double q = is_angle(model, block.part) ? unwrapped(row.value, near) : row.value;
  const JointCoordinate& c = model.coordinates[at(block.part)];
  ContactVec errors;
  for (const int r : {0, 2}) {
    const double scale = row_of(block.scale, r);
    if (scale != 0) row_of(errors, r) = scale * (q - (r == 0 ? c.upper : c.lower));
  }
  return errors;
}

ContactVec JointProjection::errors_at_start(const JointBlock& block) const {
  const JointModel& model = context_.setup->joints[at(block.joint)];
  const JointFrames& frames = context_.frames[at(block.joint)];
  const auto& q = context_.coordinates[at(block.joint)];
  if (block.role == JointRole::kLimit) return limit_errors(model, block, frames, q[at(block.part)]);
  if (block.role != JointRole::kPosition) return {};
  const int turns = model.kind == JointKind::kScrew ? whole_turns(q[0]) : 0;
  return position_errors(model, position_parts(model)[at(block.part)], frames, turns);
}

/// g(x) + J Δx
ContactVec JointProjection::errors_of_motion(int k, const JointBlock& block) const {
  ContactVec g = start_errors_[at(k)];
  const auto add = [&](int body, const BodyJacobian& J) {
    const int node = body == kWorldBody ? -1 : nodes_[at(body)];
    if (node < 0) return;
    const Vec3 shift = motion_.linear[at(node)], angle = motion_.angular[at(node)];
    for (int r = 0; r < 3; ++r) row_of(g, r) += dot(J.linear[r], shift) + dot(J.angular[r], angle);
  };
  add(block.body_a, block.a), add(block.body_b, block.b);
  for (const JointEnd& end : block.others) add(end.body, end.rows);
  return g;
}

/// Fills the motion of all bodies within the step. False where one moves so far that terms of second order count.
bool JointProjection::find_small_motion(const NodeVelocities& change) {
  motion_.linear.resize(bodies_.size());
  motion_.angular.resize(bodies_.size());
  double largest = 0;
  for (std::size_t node = 0; node < bodies_.size(); ++node) {
    const StepBody& body = context_.bodies[at(bodies_[node])];
    const PendingMotion& pending = context_.pending[at(bodies_[node])];
    const Vec3 shift = pending.shift + h_ * (body.velocity + change.linear[node]);
    const Vec3 angle = pending.angle + h_ * (body.spin + change.angular[node]);
    motion_.linear[node] = shift, motion_.angular[node] = angle;
    largest = std::max(largest, dot(shift, shift) / (size_ * size_) + dot(angle, angle));
    if (!(largest <= kNoMotion * kNoMotion)) return false;
  }
  const auto is_driven = [&](int body) { return body != kWorldBody && context_.bodies[at(body)].driven; };
  return std::none_of(index_.begin(), index_.end(), [&](int k) {
    const JointBlock& block = blocks_[at(k)];
    return is_driven(block.body_a) || is_driven(block.body_b) ||
           std::any_of(block.others.begin(), block.others.end(), [&](const JointEnd& e) { return is_driven(e.body); });
  });
}

/// Unless those of before are of the same rows.
void JointProjection::find_start_errors() {
  if (rows_ != 0 && rows_ == start_rows_) return;
  start_rows_ = rows_;
  start_errors_.clear();
  for (const int k : index_) start_errors_.push_back(errors_at_start(blocks_[at(k)]));
}

double JointProjection::error_alone(std::span<const ContactVec> lambda, const NodeVelocities& change) {
  if (!find_small_motion(change)) return error(lambda, change);
  linear_ = true;
  find_start_errors();
  return evaluate_all(lambda);
}

}  // namespace repose
