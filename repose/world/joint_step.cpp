// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "repose/base/bits.h"
#include "repose/world/contact_terms.h"
#include "repose/world/joint_step_internal.h"

namespace repose {
namespace {

/// Smallest factor of a row of a limit that is out of reach.
constexpr double kLeastLimitScale = 1e-3;
/// Part of the block of a spring with slack, beside the other compliance of its coordinate.
constexpr int kSlackSpring = kMostCoordinates;
/// Share of the joint's size below which a gap is rounding: the limit is reached.
constexpr double kReached = 1e-9;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// Force of an actuator: constant + position · p + velocity · ṗ.
struct ActuatorLaw {
  double constant = 0, position = 0, velocity = 0;
  /// Whether the terms with p and ṗ hold or brake, so that they are taken at the end of the step.
  [[nodiscard]] bool is_servo() const { return position <= 0 && velocity <= 0 && (position < 0 || velocity < 0); }
};

ActuatorLaw law_of(const SceneActuator& actuator, double u) {
  return {actuator.gain[0] * u + actuator.bias[0], actuator.gain[1] * u + actuator.bias[1],
          actuator.gain[2] * u + actuator.bias[2]};
}

/// Velocity of a row with these body velocities.
double row_velocity(const CoordinateRow& row, Vec3 v_a, Vec3 w_a, Vec3 v_b, Vec3 w_b) {
  return dot(row.linear_a, v_a) + dot(row.angular_a, w_a) + dot(row.linear_b, v_b) + dot(row.angular_b, w_b);
}

/// Row r of the relative rotation of a ball, world axes.
CoordinateRow ball_row(int r) {
  const Vec3 axis{r == 0 ? 1.0 : 0.0, r == 1 ? 1.0 : 0.0, r == 2 ? 1.0 : 0.0};
  return {0, {}, -1.0 * axis, {}, axis};
}

/// The coordinates of one joint at the start of the step, and the making of its blocks.
class JointCollector {
 public:
  JointCollector(const WorldSetup& setup, const WorldState& state, const JointKinematics& joints,
                 std::span<const StepBody> bodies, int joint, std::vector<JointBlock>& blocks)
      : setup_(setup),
        state_(state),
        model_(setup.joints[at(joint)]),
        frames_(joints.frames[at(joint)]),
        joints_(joints),
        q_(joints.position[at(joint)]),
        bodies_(bodies),
        joint_(joint),
        h_(setup.scene.dt),
        blocks_(blocks) {}

  void add_position() {
    const auto parts = position_parts(model_);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const JointRows rows = position_rows(model_, parts[k], frames_, turns());
      JointBlock& block = add(JointRole::kPosition, static_cast<int>(k), 0);
      block.a = rows.a, block.b = rows.b;
      for (const BodyRow& other : frames_.others)
        block.others.push_back({other.body, times(sum_factors(model_), other)});
      block.set = model_.kind == JointKind::kRope ? BlockSet::half_line() : BlockSet::bilateral(row_count(parts[k]));
      if (model_.kind != JointKind::kRope) continue;
      block.target.n = rest_of(rows.error.n);
      block.bias = position_bias(block);
    }
  }

  /// By role, then by coordinate: ascending keys.
  void add_coordinates() {
    const int count = coordinate_count(model_);
    if (model_.kind == JointKind::kBall) return add_ball();
    for (int k = 0; k < count; ++k)
      if (model_.coordinates[at(k)].is_limited()) add_limit(k);
    for (int k = 0; k < count; ++k)
      if (model_.coordinates[at(k)].friction > 0) add_friction(k, model_.coordinates[at(k)]);
    for (int k = 0; k < count; ++k) add_compliance(k, model_.coordinates[at(k)]);
    for (int k = 0; k < count; ++k)
      if (model_.coordinates[at(k)].slack > 0) add_slack_spring(k);
  }

  void add_servo(int index, const SceneActuator& actuator) {
    const ActuatorLaw law = law_of(actuator, joints_.inputs[at(index)]);
    if (!law.is_servo()) return;
    const double G = servo_gain(actuator, law);
    if (G <= 0) return;
    JointBlock& block = add_soft(JointRole::kServo, index, actuator.coordinate, G);
    block.bias.n = servo_bias(index, actuator);
    const double scale = h_ / scale_of(actuator.coordinate);
    const double x = scale * actuator.gear * actuator.force_lower, y = scale * actuator.gear * actuator.force_upper;
    const ContactVec compliance = block.set.compliance();
    block.set = BlockSet::interval(std::min(x, y), std::max(x, y)).with_compliance(compliance);
  }

  /// What a step changes in blocks whose frames are those of the last step. False where it changes more.
  [[nodiscard]] bool refresh(std::span<JointBlock> blocks) const {
    for (JointBlock& block : blocks) {
      const int k = block.coordinate;
      switch (block.role) {
        case JointRole::kPosition: block.bias = position_bias(block); break;
        case JointRole::kFriction: block.bias = {}; break;
        case JointRole::kCompliance: block.bias = block.part < kSlackSpring ? compliance_bias(k) : slack_bias(k); break;
        case JointRole::kServo:
          block.bias = {0, 0, servo_bias(block.part, setup_.scene.actuators[at(block.part)])};
          break;
        case JointRole::kLimit: {
          const Limit limit = limit_of(k);
          if (!same_bits(limit.scale, block.scale)) return false;
          block.bias = limit.bias, block.bounces = limit.bounces;
          break;
        }
      }
    }
    return true;
  }

 private:
  /// Row n: the lower end, row t1: the upper one.
  struct Limit {
    ContactVec scale, target, bias;
    Bounds bounds{};
    std::array<bool, 3> bounces{};
  };

  JointBlock& add(JointRole role, int part, int coordinate) {
    JointBlock& block = blocks_.emplace_back();
    block.joint = joint_, block.role = role, block.part = part, block.coordinate = coordinate;
    block.body_a = model_.body_a, block.body_b = model_.body_b;
    return block;
  }

  [[nodiscard]] const CoordinateRow& row(int k) const { return joints_.row(joint_, k); }
  [[nodiscard]] int turns() const { return model_.kind == JointKind::kScrew ? whole_turns(q_[0]) : 0; }
  [[nodiscard]] double scale_of(int k) const { return model_.unit(k); }
  /// The part of a gap that is left at the end of the step: overlap is removed by its share per step.
  [[nodiscard]] double rest_of(double gap) const { return gap < 0 ? (1 - setup_.scene.recovery) * gap : 0.0; }

  [[nodiscard]] double velocity_before(const CoordinateRow& row) const {
    const auto own = [&](int body) { return body == kWorldBody ? StepBody{} : bodies_[at(body)]; };
    const StepBody a = own(model_.body_a), b = own(model_.body_b);
    const auto linear = [](const StepBody& s) { return s.moves ? s.before : s.velocity; };
    const auto spin = [](const StepBody& s) { return s.moves ? s.spin_before : s.spin; };
    return plus_others(row_velocity(row, linear(a), spin(a), linear(b), spin(b)),
                       [&](int body) { return std::pair(linear(bodies_[at(body)]), spin(bodies_[at(body)])); });
  }
  /// Adds the velocity of a coupling's row by the motion of its further bodies.
  template <class Motion>
  [[nodiscard]] double plus_others(double velocity, const Motion& motion) const {
    for (const BodyRow& other : frames_.others) {
      const auto [v, w] = motion(other.body);
      velocity += dot(other.linear, v) + dot(other.angular, w);
    }
    return velocity;
  }
  /// The motion of a joint's bodies before the step.
  [[nodiscard]] JointMotion motion_of(const JointModel& joint) const {
    const auto own = [&](int body) { return body == kWorldBody ? StepBody{} : bodies_[at(body)]; };
    const StepBody a = own(joint.body_a), b = own(joint.body_b);
    const auto linear = [](const StepBody& s) { return s.moves ? s.before : s.velocity; };
    const auto spin = [](const StepBody& s) { return s.moves ? s.spin_before : s.spin; };
    return {linear(a), spin(a), linear(b), spin(b)};
  }
  /// J̇ v of a coordinate; that of a coupling is the sum of its terms', and of their curvature.
  [[nodiscard]] double drift(int k) const {
    if (model_.kind != JointKind::kCoupling) return coordinate_drift(model_, k, frames_, motion_of(model_));
    double sum = 0;
    for (const CouplingTerm& term : model_.terms) {
      const std::size_t j = at(term.joint), c = at(term.coordinate);
      const JointModel& member = setup_.joints[j];
      const JointMotion m = motion_of(member);
      const CoordinateRow& row = joints_.row(term.joint, term.coordinate);
      const double rate = row_velocity(row, m.velocity_a, m.spin_a, m.velocity_b, m.spin_b);
      const auto& f = term.factors;
      const double q = joints_.position[j][c], slope = f[0] + q * (2 * f[1] + q * (3 * f[2] + q * 4 * f[3]));
      sum += slope * coordinate_drift(member, term.coordinate, joints_.frames[j], m) +
             (2 * f[1] + q * (6 * f[2] + q * 12 * f[3])) * rate * rate;
    }
    for (std::size_t n = 0; n + 1 < model_.path.size(); ++n)
      if (model_.path[n].factor != 0)
        sum += model_.path[n].factor * piece_drift(moving_end(model_.path[n]), moving_end(model_.path[n + 1]));
    return sum;
  }
  /// A point of the path with its motion before the step.
  [[nodiscard]] PieceEnd moving_end(const PathPoint& point) const {
    if (point.body == kWorldBody) return place_end(point, {});
    const StepBody& s = bodies_[at(point.body)];
    PieceEnd end = place_end(point, {s.centre, s.rotation});
    const Vec3 spin = s.moves ? s.spin_before : s.spin;
    end.velocity = (s.moves ? s.before : s.velocity) + cross(spin, end.arm);
    end.centripetal = cross(spin, cross(spin, end.arm));
    return end;
  }
  /// Velocity of a row from which a rotor is accelerated, where J̇ v is its drift. The impulses of a step change
  /// velocities first; then bodies rotate with their angular momentum, which changes their spin by −h I⁻¹ (ω × I ω),
  /// and the rotor's with it.
  [[nodiscard]] double rotor_velocity(const CoordinateRow& row, double drift = 0) const {
    const auto turning = [&](int body) {
      if (body == kWorldBody || !bodies_[at(body)].moves || !turns_freely(setup_.models[at(body)])) return Vec3{};
      const Rotor& rotor = setup_.models[at(body)].rotor;
      const StepBody& s = bodies_[at(body)];
      const Vec3 momentum = angular_momentum(rotor, s.rotation, s.spin_before);
      return angular_velocity(rotor, s.rotation, cross(momentum, s.spin_before));
    };
    const double turned = plus_others(row_velocity(row, {}, turning(model_.body_a), {}, turning(model_.body_b)),
                                      [&](int body) { return std::pair(Vec3{}, turning(body)); });
    return velocity_before(row) - h_ * (turned + drift);
  }
  [[nodiscard]] double free_velocity(const CoordinateRow& row) const {
    const auto velocity = [&](int body) { return body == kWorldBody ? Vec3{} : bodies_[at(body)].velocity; };
    const auto spin = [&](int body) { return body == kWorldBody ? Vec3{} : bodies_[at(body)].spin; };
    const int a = model_.body_a, b = model_.body_b;
    return plus_others(row_velocity(row, velocity(a), spin(a), velocity(b), spin(b)),
                       [&](int body) { return std::pair(bodies_[at(body)].velocity, bodies_[at(body)].spin); });
  }

  /// The rows of ends that are out of reach are small, so that their large biases do not enter the scales by which
  /// residuals are judged.
  [[nodiscard]] Limit limit_of(int k) const {
    Limit limit;
    const JointCoordinate& c = model_.coordinates[at(k)];
    const double unit = scale_of(k);
    const double before = velocity_before(row(k)), free = free_velocity(row(k));
    const double reach = std::max(unit * h_ * std::max(std::abs(free), std::abs(before)), 0.5 * kReached * model_.size);
    const auto take = [&](double sign, double gap, double ContactVec::*at_row, bool& bounces) {
      const double full = unit * gap, share = full > 2 * reach ? std::max(2 * reach / full, kLeastLimitScale) : 1.0;
      limit.scale.*at_row = sign * unit * share;
      limit.target.*at_row = share * rest_of(full);
      limit.bias.*at_row = (share * full - limit.target.*at_row) / h_;
      limit.bounds.upper.*at_row = kUnbounded;
      const double closing = limit.bias.*at_row, scale = limit.scale.*at_row;
      const double rebound =
          impact_bias(closing, c.restitution, scale * before, scale * free, setup_.rule.bounce_speed);
      bounces = c.restitution > 0 && rebound != closing;
      limit.bias.*at_row = rebound;
    };
    if (c.lower > -JointCoordinate::kNoLimit) take(1, q_[at(k)] - c.lower, &ContactVec::n, limit.bounces[2]);
    if (c.upper < JointCoordinate::kNoLimit) take(-1, c.upper - q_[at(k)], &ContactVec::t1, limit.bounces[0]);
    return limit;
  }

  void add_limit(int k) {
    JointBlock& block = add(JointRole::kLimit, k, k);
    const Limit limit = limit_of(k);
    block.scale = limit.scale, block.target = limit.target, block.bias = limit.bias;
    block.bounces = limit.bounces;
    block.set = BlockSet::box(limit.bounds);
    fill_rows(block);
  }

  /// Of a rope; zero for other joints.
  [[nodiscard]] ContactVec position_bias(const JointBlock& block) const {
    if (model_.kind != JointKind::kRope) return {};
    const double error = position_errors(model_, position_parts(model_)[at(block.part)], frames_, turns()).n;
    return {0, 0, (error - block.target.n) / h_};
  }

  void add_friction(int k, const JointCoordinate& c) {
    JointBlock& block = add(JointRole::kFriction, k, k);
    const double unit = scale_of(k), most = h_ * c.friction / unit;
    block.scale.n = unit;
    fill_rows(block);
    block.set = BlockSet::interval(-most, most);
  }

  /// Whether there is a spring that is never loose.
  [[nodiscard]] bool has_plain_spring(const JointCoordinate& c) const {
    return model_.kind != JointKind::kBall && c.slack == 0;
  }
  [[nodiscard]] double gain_of(const JointCoordinate& c) const {
    return c.armature + h_ * c.damping + (has_plain_spring(c) ? h_ * h_ * c.stiffness : 0.0);
  }
  [[nodiscard]] ContactVec compliance_bias(int k) const {
    const JointCoordinate& c = model_.coordinates[at(k)];
    const double G = gain_of(c);
    if (model_.kind == JointKind::kBall) {
      const double before = -model_.length * c.armature / G;
      return {before * rotor_velocity(ball_row(0)), before * rotor_velocity(ball_row(1)),
              before * rotor_velocity(ball_row(2))};
    }
    const double spring = has_plain_spring(c) ? h_ * c.stiffness * (q_[at(k)] - c.reference) : 0.0;
    const double of_rotor = c.armature > 0 ? c.armature * rotor_velocity(row(k), drift(k)) : 0.0;
    const double g0 = spring - of_rotor;
    return {0, 0, scale_of(k) * g0 / G};
  }
  void add_compliance(int k, const JointCoordinate& c) {
    if (gain_of(c) > 0) add_soft(JointRole::kCompliance, k, k, gain_of(c)).bias = compliance_bias(k);
  }

  /// Row n: pushes below the reference; row t1: pulls beyond the slack.
  [[nodiscard]] ContactVec slack_bias(int k) const {
    const JointCoordinate& c = model_.coordinates[at(k)];
    const double unit = scale_of(k) / h_;
    return {unit * (c.reference + c.slack - q_[at(k)]), 0, unit * (q_[at(k)] - c.reference)};
  }
  void add_slack_spring(int k) {
    JointBlock& block = add(JointRole::kCompliance, kSlackSpring + k, k);
    const double unit = scale_of(k), soft = unit * unit / (h_ * h_ * model_.coordinates[at(k)].stiffness);
    block.scale = {-unit, 0, unit};
    block.bias = slack_bias(k);
    Bounds bounds{};
    bounds.upper.n = bounds.upper.t1 = kUnbounded;
    block.set = BlockSet::box(bounds).with_compliance({soft, 0, soft});
    fill_rows(block);
  }

  /// Of an actuator with this law.
  [[nodiscard]] double servo_gain(const SceneActuator& actuator, const ActuatorLaw& law) const {
    return -actuator.gear * actuator.gear * (h_ * law.velocity + h_ * h_ * law.position);
  }
  [[nodiscard]] double servo_bias(int index, const SceneActuator& actuator) const {
    const ActuatorLaw law = law_of(actuator, joints_.inputs[at(index)]);
    const double gear = actuator.gear, q = q_[at(actuator.coordinate)];
    const double g0 = -h_ * gear * (law.constant + law.position * gear * q);
    return scale_of(actuator.coordinate) * g0 / servo_gain(actuator, law);
  }

  JointBlock& add_soft(JointRole role, int part, int coordinate, double G) {
    JointBlock& block = add(role, part, coordinate);
    const double unit = scale_of(coordinate);
    block.scale.n = unit;
    fill_rows(block);
    block.set = BlockSet::bilateral(1).with_compliance({0, 0, unit * unit / G});
    return block;
  }

  /// Friction, damping and armature on all three axes of the relative rotation.
  void add_ball() {
    const JointCoordinate& c = model_.coordinates[0];
    const double unit = model_.length, most = h_ * c.friction / unit, G = gain_of(c);
    if (c.friction > 0) {
      JointBlock& block = add(JointRole::kFriction, 0, 0);
      block.scale = {unit, unit, unit};
      fill_rows(block);
      block.set = BlockSet::box({{-most, -most, -most}, {most, most, most}});
    }
    if (G <= 0) return;
    JointBlock& block = add(JointRole::kCompliance, 0, 0);
    block.scale = {unit, unit, unit};
    fill_rows(block);
    const double soft = unit * unit / G;
    block.bias = compliance_bias(0);
    block.set = BlockSet::bilateral().with_compliance({soft, soft, soft});
  }

  /// The rows of a coordinate's block, from its scale.
  void fill_rows(JointBlock& block) const {
    const bool ball = model_.kind == JointKind::kBall;
    const double scale[3] = {block.scale.t1, block.scale.t2, block.scale.n};
    for (int r = 0; r < 3; ++r) {
      const CoordinateRow own = ball ? ball_row(r) : row(block.coordinate);
      block.a.linear[r] = scale[r] * own.linear_a, block.a.angular[r] = scale[r] * own.angular_a;
      block.b.linear[r] = scale[r] * own.linear_b, block.b.angular[r] = scale[r] * own.angular_b;
    }
    for (const BodyRow& other : frames_.others) block.others.push_back({other.body, times(block.scale, other)});
  }

  const WorldSetup& setup_;
  const WorldState& state_;
  const JointModel& model_;
  const JointFrames& frames_;
  const JointKinematics& joints_;
  const JointValues& q_;
  std::span<const StepBody> bodies_;
  int joint_;
  double h_;
  std::vector<JointBlock>& blocks_;
};

/// Whether the joint acts: its bodies are there and at least one moves freely.
bool acts(const WorldSetup& setup, const WorldState& state, const JointModel& joint) {
  const auto moves = [&](int b) { return b != kWorldBody && moves_freely(setup, state, b); };
  return is_present(state, joint) &&
         (moves(joint.body_a) || moves(joint.body_b) || std::any_of(joint.others.begin(), joint.others.end(), moves));
}

/// The impulse of a row, from the same row with another factor: what it does to the bodies is the same.
void rescale(double before, double now, double& lambda) {
  if (before != now) lambda = now != 0 ? lambda * before / now : 0.0;
}

/// The impulses of the last step along the rows of this one, whose factors differ at limits.
ContactVec impulses_of(const JointBlock& last, const JointBlock& block) {
  ContactVec lambda = last.lambda;
  rescale(last.scale.t1, block.scale.t1, lambda.t1);
  rescale(last.scale.t2, block.scale.t2, lambda.t2);
  rescale(last.scale.n, block.scale.n, lambda.n);
  return lambda;
}

/// Both lists are ascending by key.
void start_from(std::span<const JointBlock> last, std::span<JointBlock> blocks) {
  auto old = last.begin();
  for (JointBlock& block : blocks) {
    while (old != last.end() && old->key() < block.key()) ++old;
    if (old == last.end()) break;
    if (old->key() == block.key()) block.start = block.lambda = project(block.set.ref(), impulses_of(*old, block));
  }
}

Pose pose_of(const WorldState& state, int body) {
  if (body == kWorldBody) return {};
  return {state.bodies[at(body)].centre, state.bodies[at(body)].rotation};
}

}  // namespace

void add_motor_loads(const WorldSetup& setup, const WorldState& state, JointKinematics& joints, Loads& loads) {
  find_inputs(setup, state, joints.inputs);
  joints.motor.assign(setup.scene.actuators.size(), 0.0);
  for (std::size_t k = 0; k < setup.scene.actuators.size(); ++k) {
    const SceneActuator& actuator = setup.scene.actuators[k];
    const JointModel& model = setup.joints[at(actuator.joint)];
    const ActuatorLaw law = law_of(actuator, joints.inputs[k]);
    if (law.is_servo() || !acts(setup, state, model)) continue;
    const CoordinateRow& row = joints.row(actuator.joint, actuator.coordinate);
    const double p = actuator.gear * joints.position[at(actuator.joint)][at(actuator.coordinate)];
    const JointFrames& frames = joints.frames[at(actuator.joint)];
    const double rate = actuator.gear * row_velocity(model, row, frames, state);
    joints.motor[k] =
        std::clamp(law.constant + law.position * p + law.velocity * rate, actuator.force_lower, actuator.force_upper);
    const double force = actuator.gear * joints.motor[k];
    for_bodies(model, row, frames, [&](int body, Vec3 linear, Vec3 angular) {
      loads.force[at(body)] = loads.force[at(body)] + force * linear;
      loads.torque[at(body)] = loads.torque[at(body)] + force * angular;
    });
  }
}

namespace {

/// What decides which blocks there are and what their sets are, besides frames: joints that act, and inputs that
/// change the gains of servos.
void fill_makeup(const WorldSetup& setup, const WorldState& state, std::span<const double> inputs,
                 std::vector<double>& makeup) {
  makeup.clear();
  for (const JointModel& joint : setup.joints) makeup.push_back(acts(setup, state, joint) ? 1 : 0);
  for (std::size_t k = 0; k < setup.scene.actuators.size(); ++k) {
    const SceneActuator& actuator = setup.scene.actuators[k];
    if (actuator.gain[1] != 0 || actuator.gain[2] != 0) makeup.push_back(inputs[k]);
  }
}

/// Makes the blocks of joint j anew, at the end of the list.
void add_blocks(const WorldSetup& setup, const WorldState& state, const JointKinematics& joints,
                std::span<const StepBody> bodies, int j, std::vector<JointBlock>& blocks) {
  JointCollector collector(setup, state, joints, bodies, j, blocks);
  collector.add_position();
  collector.add_coordinates();
  for (const int k : setup.joint_actuators[at(j)]) collector.add_servo(k, setup.scene.actuators[at(k)]);
}

/// The blocks of one joint. Where its frames are those of the last step, only biases are new.
bool renew_blocks(const WorldSetup& setup, const WorldState& state, const JointKinematics& joints,
                  std::span<const StepBody> bodies, const JointSet& last, std::uint64_t& stamps, std::size_t p,
                  JointSet& found) {
  const Patch& link = found.links[p];
  if (link.count == 0) return true;
  const auto blocks = std::span(found.blocks).subspan(at(link.first), at(link.count));
  const int j = blocks.front().joint;
  if (last.kinematics[p] == joints.stamps[at(j)]) {
    if (found.stamps[p] != last.stamps[p]) std::copy_n(last.blocks.begin() + link.first, link.count, blocks.begin());
    found.stamps[p] = last.stamps[p], found.kinematics[p] = last.kinematics[p];
    if (JointCollector(setup, state, joints, bodies, j, found.blocks).refresh(blocks)) return true;
  }
  found.fresh.clear();
  add_blocks(setup, state, joints, bodies, j, found.fresh);
  if (found.fresh.size() != blocks.size()) return false;
  std::copy(found.fresh.begin(), found.fresh.end(), blocks.begin());
  found.stamps[p] = ++stamps, found.kinematics[p] = joints.stamps[at(j)];
  return true;
}

/// Renews the blocks joint by joint, where they are those of the last step but for numbers.
bool renew_joints(const WorldSetup& setup, const WorldState& state, const JointKinematics& joints,
                  std::span<const StepBody> bodies, const JointSet& last, std::uint64_t& stamps, JointSet& found) {
  const std::uint64_t layout = std::exchange(found.layout, 0);  // what an exception leaves has none
  if (!setup.options.warm_start || last.layout == 0 || found.makeup != last.makeup) return false;
  if (layout != last.layout)
    found.blocks = last.blocks, found.links = last.links, found.stamps = last.stamps,
    found.kinematics = last.kinematics;
  for (std::size_t p = 0; p < found.links.size(); ++p)
    if (!renew_blocks(setup, state, joints, bodies, last, stamps, p, found)) return false;
  found.layout = last.layout;
  return true;
}

}  // namespace

void collect_joints(const WorldSetup& setup, const WorldState& state, const JointKinematics& joints,
                    std::span<const StepBody> bodies, const JointSet& last, std::uint64_t& stamps, JointSet& found) {
  fill_makeup(setup, state, joints.inputs, found.makeup);
  if (!renew_joints(setup, state, joints, bodies, last, stamps, found)) {
    found.blocks.clear();
    found.links.clear();
    found.stamps.clear();
    found.kinematics.clear();
    for (int j = 0; j < static_cast<int>(setup.joints.size()); ++j) {
      const JointModel& model = setup.joints[at(j)];
      if (!acts(setup, state, model)) continue;
      const int first = static_cast<int>(found.blocks.size());
      add_blocks(setup, state, joints, bodies, j, found.blocks);
      add_links(
          model.body_a, model.body_b, model.others, first, static_cast<int>(found.blocks.size()) - first,
          [&](int body) { return moves_freely(setup, state, body); }, found.links);
      found.stamps.resize(found.links.size(), ++stamps);
      found.kinematics.resize(found.links.size(), joints.stamps[at(j)]);
    }
    found.layout = ++stamps;
  }
  if (setup.options.warm_start) start_from(last.blocks, found.blocks);
}

void find_end_poses(const WorldSetup& setup, const WorldState& state, std::vector<Pose>& ends) {
  ends.resize(state.bodies.size());
  for (int b = 0; b < setup.bodies(); ++b) {
    ends[at(b)] = pose_of(state, b);
    if (setup.has_prescribed_motion(b)) ends[at(b)] = setup.next_pose(state, b);
  }
}

}  // namespace repose
