// SPDX-License-Identifier: Apache-2.0
// What sensors read: functions of a world's state and of what its last step found, evaluated when they are asked.
//
//   accelerometer    Rᵀ ((v⁺ − v⁻)/h − g)                       v: of the site's origin, R: the site at the end
//   force, torque    Rᵀ (Σ (p⁺ − p⁻)/h − Σ f)                   over all bodies that hang on the cut, R: at the start
//
// p are the bodies' momenta, and f what acts on them from outside: gravity, loads, contacts, joints that close loops.
// What remains is what the parent transmits through the cut: the joint, its limits, friction and motors, couplings.
#include <algorithm>
#include <cmath>

#include "repose/base/error.h"
#include "repose/world/joint_step_internal.h"
#include "repose/world/sensor_volume.h"
#include "repose/world/world_internal.h"

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// A force and its torque about a fixed point, or momenta likewise; world axes.
struct Wrench {
  Vec3 force, torque;
  void add(double factor, Vec3 f, Vec3 arm, Vec3 couple = {}) {
    force = force + factor * f;
    torque = torque + factor * (cross(arm, f) + couple);
  }
};

/// A frame in motion.
struct Moving {
  Pose pose;
  Vec3 velocity, spin;  ///< of its origin, world axes
};

/// The parts of a world that sensors read.
struct SensedWorld {
  const World& world;
  const WorldSetup& setup;
  const WorldState& state;
  const WorldState& before;  ///< the state that the last step began with, before events
  const StepData& data;      ///< of the last step

  [[nodiscard]] bool has_step() const { return !data.bodies.empty(); }
  [[nodiscard]] double dt() const { return setup.scene.dt; }
  [[nodiscard]] BodyState end(int body) const { return state.bodies[at(body)]; }
  /// At the start of the last step, after events. Bodies with a prescribed motion have the velocity of the step before.
  [[nodiscard]] BodyState start(int body) const {
    BodyState start = world.start_state(body);
    if (!has_step() || setup.models[at(body)].kind != BodyKind::kKinematic) return start;
    start.velocity = before.bodies[at(body)].velocity,
    start.angular_velocity = before.bodies[at(body)].angular_velocity;
    return start;
  }
  [[nodiscard]] Moving moving(const SensorFrame& frame, bool at_start = false) const {
    if (frame.body == kWorldBody) return {frame.pose, {}, {}};
    const BodyState body = at_start ? start(frame.body) : end(frame.body);
    const Pose pose = frame_pose(setup.models[at(frame.body)], body) * frame.pose;
    return {pose, body.velocity + cross(body.angular_velocity, pose.position - body.centre), body.angular_velocity};
  }
};

/// Sums the momentum balance of what hangs on a force sensor's site, about the site's origin at the start of the step.
class Cut {
 public:
  Cut(const SensedWorld& in, const SceneSensor& sensor)
      : in_(in), sensor_(sensor), root_(sensor.site.body), origin_(in.moving(sensor.site, true).pose.position) {
    find_parents();
    for (int b = 0; b < in.setup.bodies(); ++b) hanging_.push_back(hangs(b));
    first_shape_ = 0;
    for (int b = 0; b < root_; ++b) first_shape_ += static_cast<int>(in.setup.scene.bodies[at(b)].shapes.size());
  }

  /// What the parent transmits.
  [[nodiscard]] Wrench wrench() {
    for (int b = 0; b < in_.setup.bodies(); ++b)
      if (hanging_[at(b)] && in_.data.bodies[at(b)].moves) add_body(b);
    for (const Contact& c : in_.data.found.contacts) add_contact(c);
    for (const JointBlock& block : in_.data.found.joints.blocks)
      if (closes_a_loop(block.joint)) add_block(block);
    add_motors();
    return sum_;
  }

 private:
  void find_parents() {
    parents_.assign(at(in_.setup.bodies()), -1);
    for (int b = 0; b < in_.setup.bodies(); ++b) parents_[at(b)] = parent_joint(in_.setup.scene, b);
  }
  /// Whether a joint is attached to what the sensor holds of its own body.
  [[nodiscard]] bool is_attached(int joint) const {
    if (!sensor_.part) return true;
    const std::vector<int>& own = sensor_.part->joints;
    return std::find(own.begin(), own.end(), joint) != own.end();
  }
  /// Whether a body is the sensor's or hangs on it; loops of parents end nowhere.
  [[nodiscard]] bool hangs(int body) const {
    for (std::size_t k = 0; k <= parents_.size() && body != root_; ++k) {
      const int joint = parents_[at(body)];
      if (joint < 0) return false;
      body = in_.setup.scene.joints[at(joint)].body_a;
      if (body == kWorldBody) return false;
      if (body == root_) return is_attached(joint);
    }
    return body == root_;
  }
  [[nodiscard]] bool closes_a_loop(int joint) const {
    const SceneJoint& own = in_.setup.scene.joints[at(joint)];
    return own.kind != JointKind::kCoupling && parents_[at(own.body_b)] != joint;
  }

  /// Momentum that a body gains, without what gravity and loads give it.
  void add_body(int b) {
    if (b == root_ && sensor_.part) return add_part(sensor_.part->mass);
    const BodyModel& model = in_.setup.models[at(b)];
    const BodyState from = in_.start(b), to = in_.end(b);
    const Vec3 arm = from.centre - origin_, weight = model.mass * model.gravity_scale * in_.setup.scene.gravity;
    sum_.add(1 / in_.dt(), model.mass * (to.velocity - from.velocity), arm,
             angular_momentum(model.rotor, to.rotation, to.angular_velocity) -
                 angular_momentum(model.rotor, from.rotation, from.angular_velocity));
    sum_.add(-1, weight + in_.data.loads.force[at(b)], arm, in_.data.loads.torque[at(b)]);
  }

  /// The same of a part of the sensor's body; loads act on the rest of the body.
  void add_part(const MassProperties& part) {
    const BodyModel& model = in_.setup.models[at(root_)];
    const Vec3 local = part.centre - model.centre;
    const auto velocity = [&](const BodyState& s) {
      return s.velocity + cross(s.angular_velocity, rotate(s.rotation, local));
    };
    const auto momentum = [&](const BodyState& s) {
      return rotate(s.rotation, part.inertia * rotate_back(s.rotation, s.angular_velocity));
    };
    const BodyState from = in_.start(root_), to = in_.end(root_);
    const Vec3 arm = from.centre + rotate(from.rotation, local) - origin_;
    sum_.add(1 / in_.dt(), part.mass * (velocity(to) - velocity(from)), arm, momentum(to) - momentum(from));
    sum_.add(-1, part.mass * model.gravity_scale * in_.setup.scene.gravity, arm);
  }

  [[nodiscard]] bool holds_shape(int body, int collider) const {
    if (!hanging_[at(body)]) return false;
    if (body != root_ || !sensor_.shapes) return true;
    return std::find(sensor_.shapes->begin(), sensor_.shapes->end(), collider - first_shape_) != sensor_.shapes->end();
  }
  void add_contact(const Contact& c) {
    const double share = (holds_shape(c.body_a, c.collider_a) ? 1 : 0) - (holds_shape(c.body_b, c.collider_b) ? 1 : 0);
    if (share != 0) sum_.add(share / in_.dt(), c.impulse(), c.position - origin_);
  }

  [[nodiscard]] bool holds_end(int body, int joint) const {
    return body != kWorldBody && hanging_[at(body)] && (body != root_ || is_attached(joint));
  }
  void add_block(const JointBlock& block) {
    const double lambda[3] = {block.lambda.t1, block.lambda.t2, block.lambda.n};
    const auto add = [&](int body, const BodyJacobian& rows) {
      if (!holds_end(body, block.joint)) return;
      const Vec3 arm = in_.start(body).centre - origin_;
      for (int r = 0; r < 3; ++r) sum_.add(-lambda[r] / in_.dt(), rows.linear[r], arm, rows.angular[r]);
    };
    add(block.body_a, block.a), add(block.body_b, block.b);
  }

  /// Motors are among the loads of bodies. Those of joints that close no loop are transmitted; a part of a body has no
  /// loads but those of its loops.
  void add_motors() {
    const auto& motors = in_.data.kinematics.motor;
    for (std::size_t k = 0; k < motors.size(); ++k) {
      const SceneActuator& actuator = in_.setup.scene.actuators[k];
      const JointModel& model = in_.setup.joints[at(actuator.joint)];
      const JointFrames& frames = in_.data.kinematics.frames[at(actuator.joint)];
      const CoordinateRow row = coordinate_row(model, actuator.coordinate, frames);
      const double force = actuator.gear * motors[k];
      for_bodies(model, row, frames, [&](int body, Vec3 linear, Vec3 angular) {
        const bool is_part = body == root_ && sensor_.part;
        if (is_part != closes_a_loop(actuator.joint) || !holds_end(body, actuator.joint)) return;
        sum_.add(is_part ? -force : force, linear, in_.start(body).centre - origin_, angular);
      });
    }
  }

  const SensedWorld& in_;
  const SceneSensor& sensor_;
  int root_;
  Vec3 origin_;
  int first_shape_ = 0;
  std::vector<int> parents_;
  std::vector<char> hanging_;  ///< by body
  Wrench sum_;
};

/// Reads sensors, one after the other.
class SensorReader {
 public:
  explicit SensorReader(const SensedWorld& in) : in_(in) {}

  void read(const SceneSensor& sensor, std::vector<double>& numbers) {
    const std::size_t first = numbers.size();
    if (is_of_joint(sensor.kind))
      numbers.push_back(of_joint(sensor));
    else if (is_of_actuator(sensor.kind))
      numbers.push_back(of_actuator(sensor));
    else if (sensor.kind == SensorKind::kTouch)
      numbers.push_back(touch(sensor));
    else if (sensor.kind == SensorKind::kFrameQuaternion)
      put(seen(sensor).pose.rotation, numbers);
    else
      put(of_site(sensor), numbers);
    const bool direction = sensor.kind >= SensorKind::kFrameQuaternion && sensor.kind <= SensorKind::kFrameZAxis;
    if (sensor.cutoff == 0 || direction) return;
    for (std::size_t k = first; k < numbers.size(); ++k)
      numbers[k] = std::clamp(numbers[k], -sensor.cutoff, sensor.cutoff);
  }

 private:
  static void put(Vec3 v, std::vector<double>& numbers) { numbers.insert(numbers.end(), {v.x, v.y, v.z}); }
  static void put(Quat q, std::vector<double>& numbers) { numbers.insert(numbers.end(), {q.w, q.x, q.y, q.z}); }

  [[nodiscard]] double of_joint(const SceneSensor& sensor) const {
    const int joint = sensor.object, k = sensor.coordinate;
    if (sensor.kind == SensorKind::kJointPosition) return in_.world.joint_position(joint, k);
    if (sensor.kind == SensorKind::kJointVelocity) return in_.world.joint_velocity(joint, k);
    return sensor.kind == SensorKind::kJointLimitForce ? limit_force(joint, k) : actuators_force(joint, k);
  }
  [[nodiscard]] double limit_force(int joint, int coordinate) const {
    double force = 0;
    for (const JointBlock& block : in_.data.found.joints.blocks)
      if (block.joint == joint && block.role == JointRole::kLimit && block.coordinate == coordinate)
        force += (std::abs(block.scale.n) * block.lambda.n + std::abs(block.scale.t1) * block.lambda.t1) / in_.dt();
    return force;
  }
  /// Of the actuators of the coordinate, and of those of couplings that it is in.
  [[nodiscard]] double actuators_force(int joint, int coordinate) const {
    double force = own_actuators_force(joint, coordinate);
    if (!in_.has_step()) return force;
    const double q = in_.data.kinematics.position[at(joint)][at(coordinate)];
    for (int j = 0; j < static_cast<int>(in_.setup.scene.joints.size()); ++j)
      for (const CouplingTerm& term : in_.setup.scene.joints[at(j)].terms)
        if (term.joint == joint && term.coordinate == coordinate) force += slope(term, q) * own_actuators_force(j, 0);
    return force;
  }
  [[nodiscard]] double own_actuators_force(int joint, int coordinate) const {
    double force = 0;
    for (const int k : in_.setup.joint_actuators[at(joint)]) {
      const SceneActuator& actuator = in_.setup.scene.actuators[at(k)];
      if (actuator.coordinate == coordinate) force += actuator.gear * in_.world.actuator_force(k);
    }
    return force;
  }
  /// Derivative of a term with respect to its coordinate.
  static double slope(const CouplingTerm& term, double q) {
    const auto& f = term.factors;
    return f[0] + q * (2 * f[1] + q * (3 * f[2] + q * 4 * f[3]));
  }

  [[nodiscard]] double of_actuator(const SceneSensor& sensor) const {
    if (sensor.kind == SensorKind::kActuatorForce) return in_.world.actuator_force(sensor.object);
    const SceneActuator& actuator = in_.setup.scene.actuators[at(sensor.object)];
    const bool position = sensor.kind == SensorKind::kActuatorPosition;
    return actuator.gear * (position ? in_.world.joint_position(actuator.joint, actuator.coordinate)
                                     : in_.world.joint_velocity(actuator.joint, actuator.coordinate));
  }

  /// Calls use(contact, sign) for the contacts of the sensor's shapes; sign −1: they are those of body a.
  template <class Use>
  void for_contacts(const SceneSensor& sensor, const Use& use) const {
    int first = 0;
    for (int b = 0; b < sensor.site.body; ++b) first += static_cast<int>(in_.setup.scene.bodies[at(b)].shapes.size());
    const auto counts = [&](int body, int collider) {
      if (body != sensor.site.body || !sensor.shapes) return body == sensor.site.body;
      return std::find(sensor.shapes->begin(), sensor.shapes->end(), collider - first) != sensor.shapes->end();
    };
    for (const Contact& c : in_.data.found.contacts) {
      if (counts(c.body_a, c.collider_a)) use(c, -1.0);
      if (counts(c.body_b, c.collider_b)) use(c, 1.0);
    }
  }
  /// A contact counts where it is in the volume, or where the volume is outwards of it: points of overlapping bodies
  /// lie below their surfaces.
  [[nodiscard]] double touch(const SceneSensor& sensor) const {
    const Pose to_site = inverse(in_.moving(sensor.site, true).pose);
    double force = 0;
    for_contacts(sensor, [&](const Contact& c, double sign) {
      if (sensor.volume && !meets(*sensor.volume, to_site * c.position, rotate(to_site.rotation, -sign * c.normal)))
        return;
      force += c.lambda.n / in_.dt();
    });
    return force;
  }
  [[nodiscard]] Vec3 contact_force(const SceneSensor& sensor) const {
    Vec3 force;
    for_contacts(sensor, [&](const Contact& c, double sign) { force = force + sign / in_.dt() * c.impulse(); });
    return force;
  }

  [[nodiscard]] Vec3 of_site(const SceneSensor& sensor) const {
    const Moving site = in_.moving(sensor.site);
    switch (sensor.kind) {
      case SensorKind::kForce: return held(sensor, &Wrench::force);
      case SensorKind::kTorque: return held(sensor, &Wrench::torque);
      case SensorKind::kGyro: return rotate_back(site.pose.rotation, site.spin);
      case SensorKind::kAccelerometer: return acceleration(sensor, site);
      case SensorKind::kVelocimeter: return rotate_back(site.pose.rotation, site.velocity);
      case SensorKind::kContactForce: return contact_force(sensor);
      case SensorKind::kFrameXAxis: return rotate(seen(sensor).pose.rotation, {1, 0, 0});
      case SensorKind::kFrameYAxis: return rotate(seen(sensor).pose.rotation, {0, 1, 0});
      case SensorKind::kFrameZAxis: return rotate(seen(sensor).pose.rotation, {0, 0, 1});
      case SensorKind::kFrameVelocity: return seen(sensor).velocity;
      case SensorKind::kFrameAngularVelocity: return seen(sensor).spin;
      default: return seen(sensor).pose.position;
    }
  }
  [[nodiscard]] Vec3 held(const SceneSensor& sensor, Vec3 Wrench::*part) const {
    if (!in_.has_step()) return {};
    return rotate_back(in_.moving(sensor.site, true).pose.rotation, Cut(in_, sensor).wrench().*part);
  }
  [[nodiscard]] Vec3 acceleration(const SceneSensor& sensor, const Moving& site) const {
    if (!in_.has_step()) return {};
    const Vec3 gain = (1 / in_.dt()) * (site.velocity - in_.moving(sensor.site, true).velocity);
    return rotate_back(site.pose.rotation, gain - in_.setup.scene.gravity);
  }
  /// A site as its reference sees it.
  [[nodiscard]] Moving seen(const SceneSensor& sensor) const {
    const Moving site = in_.moving(sensor.site);
    if (!sensor.reference) return site;
    const Moving from = in_.moving(*sensor.reference);
    const Pose pose = inverse(from.pose) * site.pose;
    const Vec3 carried = from.velocity + cross(from.spin, site.pose.position - from.pose.position);
    return {pose, rotate_back(from.pose.rotation, site.velocity - carried),
            rotate_back(from.pose.rotation, site.spin - from.spin)};
  }

  const SensedWorld in_;
};

}  // namespace

std::vector<double> World::sensor(int sensor) const {
  const std::vector<SceneSensor>& all = scene().sensors;
  require(sensor >= 0 && at(sensor) < all.size(), "sensor: expected 0 to ", static_cast<long>(all.size()) - 1, ", got ",
          sensor);
  std::vector<double> numbers;
  SensorReader({*this, impl_->setup, impl_->state, impl_->rollback.saved(), impl_->data})
      .read(all[at(sensor)], numbers);
  return numbers;
}

std::vector<double> World::sensor_data() const {
  std::vector<double> numbers;
  SensorReader reader({*this, impl_->setup, impl_->state, impl_->rollback.saved(), impl_->data});
  for (const SceneSensor& sensor : scene().sensors) reader.read(sensor, numbers);
  return numbers;
}

}  // namespace repose
