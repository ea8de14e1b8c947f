// SPDX-License-Identifier: Apache-2.0
#include "repose/world/motion.h"

#include "repose/base/error.h"

namespace repose {
namespace {

struct ToView {
  MotionView operator()(const ConstantMotion& m) const {
    return {MotionView::Kind::kConstant, m.velocity, m.angular_velocity, 0, {}, {}};
  }
  MotionView operator()(const RampMotion& m) const {
    return {MotionView::Kind::kRamp, m.velocity, m.angular_velocity, m.duration, {}, {}};
  }
  MotionView operator()(const TableMotion& m) const {
    return {MotionView::Kind::kTable,
            {},
            {},
            0,
            {m.times.data(), static_cast<int>(m.times.size())},
            {m.poses.data(), static_cast<int>(m.poses.size())}};
  }
  MotionView operator()(const ScriptMotion&) const { fail("motion: expected a motion other than a script"); }
};

}  // namespace

MotionView view_of(const Motion& motion) { return std::visit(ToView{}, motion); }

Pose pose_at(const Motion& motion, const Pose& start, double time) {
  if (const auto* script = std::get_if<ScriptMotion>(&motion)) return script->pose(time);
  return pose_at(view_of(motion), start, time);
}

}  // namespace repose
