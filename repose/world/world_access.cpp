// SPDX-License-Identifier: Apache-2.0
// The public interface of a world: access to its state, and to the contacts and problems of the last step.
#include <cmath>
#include <cstdio>
#include <utility>

#include "repose/base/bits.h"
#include "repose/base/error.h"
#include "repose/world/energy_internal.h"
#include "repose/world/hash.h"
#include "repose/world/joint_step_internal.h"
#include "repose/world/world_internal.h"

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

bool finite(Vec3 v) { return std::isfinite(v.x + v.y + v.z); }

}  // namespace

World::World(Scene scene, WorldOptions options) : impl_(std::make_unique<Impl>(std::move(scene), options)) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

StepReport World::step() { return impl_->step(); }

const Scene& World::scene() const { return impl_->setup.scene; }
const WorldOptions& World::options() const { return impl_->setup.options; }
int World::steps() const { return impl_->state.steps; }
double World::time() const { return impl_->time(); }
std::span<const BodyModel> World::models() const { return impl_->setup.models; }
std::span<const BodyState> World::states() const { return impl_->state.bodies; }
std::span<const BodyState> World::free_states() const { return impl_->data.free; }
bool World::present(int body) const { return impl_->state.present[at(body)]; }
Pose World::pose(int body) const { return frame_pose(impl_->setup.models[at(body)], impl_->state.bodies[at(body)]); }
Pose World::centre_pose(int body) const {
  return {impl_->state.bodies[at(body)].centre, impl_->state.bodies[at(body)].rotation};
}
double World::energy() const { return mechanical_energy(impl_->setup, impl_->state); }
BodyState World::start_state(int body) const {
  if (impl_->data.bodies.empty()) return impl_->state.bodies[at(body)];  // no step yet
  const StepBody& step = impl_->data.bodies[at(body)];
  BodyState start = impl_->data.free[at(body)];
  if (step.moves) start.velocity = step.before, start.angular_velocity = step.spin_before;
  return start;
}

std::vector<BodyTerm> World::body_terms() const {
  const StepData& data = impl_->data;
  std::vector<BodyTerm> terms;
  if (data.bodies.empty()) return terms;
  const auto zero = [](Vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; };
  for (int b = 0; b < impl_->setup.bodies(); ++b) {
    const Vec3 force = data.loads.force[at(b)], torque = data.loads.torque[at(b)];
    if (!data.bodies[at(b)].moves || (zero(force) && zero(torque))) continue;
    terms.push_back({BodyTerm::Kind::kLoad, b, force, torque, {}});
  }
  for (int b = 0; b < static_cast<int>(data.integrated.size()); ++b) {
    const Pose &from = data.integrated[at(b)], to = centre_pose(b);
    if (same_bits(from.position, to.position) && same_bits(from.rotation, to.rotation)) continue;
    terms.push_back({BodyTerm::Kind::kDisplacement,
                     b,
                     to.position - from.position,
                     logarithm(to.rotation * conjugate(from.rotation)),
                     {}});
  }
  return terms;
}

std::span<const OverlapPush> World::overlap_pushes() const { return impl_->correction.pushes(); }

std::span<const Contact> World::contacts() const { return impl_->data.found.contacts; }
std::span<const JointBlock> World::joint_blocks() const { return impl_->data.found.joints.blocks; }
std::span<const double> World::controls() const { return impl_->state.controls; }
std::span<const double> World::activations() const { return impl_->state.activations; }
std::span<const double> World::inputs() const { return impl_->data.kinematics.inputs; }
std::span<const int> World::problem_joint_blocks(int island) const { return impl_->islands[island].joints(); }
int World::problems() const { return impl_->islands.count(); }
const ContactProblem& World::problem(int island) const { return impl_->islands[island].problem(); }
std::span<const int> World::problem_contacts(int island) const { return impl_->islands[island].contacts(); }
const OuterReport& World::problem_report(int island) const { return impl_->islands[island].report(); }

FrictionOptions World::problem_options(int island) const {
  FrictionOptions options = impl_->setup.options.solver;
  options.polish = impl_->islands[island].polish();
  options.accept = impl_->islands[island].accept();
  options.budget = impl_->islands[island].budget();
  return options;
}

namespace {

void check_coordinate(const WorldSetup& setup, const char* who, int joint, int coordinate) {
  require(joint >= 0 && at(joint) < setup.joints.size(), who, ": joint: expected 0 to ",
          static_cast<long>(setup.joints.size()) - 1, ", got ", joint);
  const int count = value_count(setup.joints[at(joint)]);
  require(coordinate >= 0 && coordinate < count, who, ": coordinate: expected one of the joint's ", count, ", got ",
          coordinate);
}

}  // namespace

double World::joint_position(int joint, int coordinate) const {
  check_coordinate(impl_->setup, "joint_position", joint, coordinate);
  const JointModel& model = impl_->setup.joints[at(joint)];
  const double q = coordinate_row(model, coordinate, frames_of(impl_->setup, at(joint), impl_->state)).value;
  return is_angle(model, coordinate) ? unwrapped(q, impl_->state.coordinates[at(joint)][at(coordinate)]) : q;
}

double World::joint_velocity(int joint, int coordinate) const {
  check_coordinate(impl_->setup, "joint_velocity", joint, coordinate);
  const JointModel& model = impl_->setup.joints[at(joint)];
  const JointFrames frames = frames_of(impl_->setup, at(joint), impl_->state);
  return row_velocity(model, coordinate_row(model, coordinate, frames), frames, impl_->state);
}

double World::joint_force(int joint, int coordinate) const {
  check_coordinate(impl_->setup, "joint_force", joint, coordinate);
  double force = 0;
  for (const JointBlock& block : joint_blocks())
    if (block.joint == joint && block.role != JointRole::kPosition && block.coordinate == coordinate)
      force += (block.scale.n * block.lambda.n + block.scale.t1 * block.lambda.t1) / impl_->setup.scene.dt;
  for (const int k : impl_->setup.joint_actuators[at(joint)]) {
    const SceneActuator& actuator = impl_->setup.scene.actuators[at(k)];
    const auto& motor = impl_->data.kinematics.motor;
    if (actuator.coordinate == coordinate && at(k) < motor.size()) force += actuator.gear * motor[at(k)];
  }
  return force;
}

double World::actuator_force(int actuator) const {
  require(actuator >= 0 && at(actuator) < impl_->state.controls.size(), "actuator_force: actuator: expected 0 to ",
          static_cast<long>(impl_->state.controls.size()) - 1, ", got ", actuator);
  const SceneActuator& own = impl_->setup.scene.actuators[at(actuator)];
  for (const JointBlock& block : joint_blocks())
    if (block.joint == own.joint && block.role == JointRole::kServo && block.part == actuator)
      return block.scale.n * block.lambda.n / (impl_->setup.scene.dt * own.gear);
  const auto& motor = impl_->data.kinematics.motor;
  return at(actuator) < motor.size() ? motor[at(actuator)] : 0.0;
}

void World::set_control(int actuator, double control) {
  require(actuator >= 0 && at(actuator) < impl_->state.controls.size(), "set_control: actuator: expected 0 to ",
          static_cast<long>(impl_->state.controls.size()) - 1, ", got ", actuator);
  require(std::isfinite(control), "set_control: actuator ", actuator, ": expected a finite number, got ", control);
  impl_->state.controls[at(actuator)] = control;
}

void World::set_activation(int actuator, double activation) {
  require(actuator >= 0 && at(actuator) < impl_->state.activations.size(), "set_activation: actuator: expected 0 to ",
          static_cast<long>(impl_->state.activations.size()) - 1, ", got ", actuator);
  require(impl_->setup.scene.actuators[at(actuator)].has_state(), "set_activation: actuator ", actuator,
          ": expected one with an activation, got another");
  require(std::isfinite(activation), "set_activation: actuator ", actuator, ": expected a finite number, got ",
          activation);
  impl_->state.activations[at(actuator)] = activation;
}

void World::guide(int body, const Pose& pose) {
  require(body >= 0 && body < impl_->setup.bodies() && impl_->setup.is_guided(body),
          "guide: body: expected a kinematic one without a motion, got ", body);
  require(finite(pose.position) && std::isfinite(norm(pose.rotation)) && norm(pose.rotation) > 0, "guide: body ", body,
          ": expected finite numbers and a rotation other than zero, got others");
  impl_->state.guides[at(body)] = {pose.position, normalized(pose.rotation)};
}

Pose World::guide(int body) const {
  require(body >= 0 && body < impl_->setup.bodies(), "guide: body: expected 0 to ", impl_->setup.bodies() - 1, ", got ",
          body);
  return impl_->state.guides[at(body)];
}

void World::set_velocity(int body, Vec3 velocity, Vec3 angular_velocity) {
  require(body >= 0 && body < impl_->setup.bodies() && impl_->setup.models[at(body)].kind == BodyKind::kDynamic,
          "set_velocity: body: expected a dynamic one, got ", body);
  require(finite(velocity) && finite(angular_velocity), "set_velocity: body ", body,
          ": velocity: expected finite numbers, got one that is not");
  impl_->state.bodies[at(body)].velocity = allowed_velocity(impl_->setup.models[at(body)], velocity);
  impl_->state.bodies[at(body)].angular_velocity = allowed_spin(impl_->setup.models[at(body)], angular_velocity);
}

std::span<BodyState> World::writable_states() { return impl_->state.bodies; }

void World::accept_states() {
  for (int b = 0; b < impl_->setup.bodies(); ++b) {
    BodyState& s = impl_->state.bodies[at(b)];
    const auto check = [&](bool good, const char* field) {
      require(good, "body '", impl_->setup.scene.bodies[at(b)].name, "': ", field,
              ": expected finite numbers, got one that is not");
    };
    check(finite(s.centre), "position");
    check(finite(s.velocity), "velocity");
    check(finite(s.angular_velocity), "angular velocity");
    const double length = norm(s.rotation);
    check(std::isfinite(length), "quaternion");
    require(length > 0, "body '", impl_->setup.scene.bodies[at(b)].name,
            "': quaternion: expected one with a direction, got 0 0 0 0");
    // States that a step produced are closer to 1 than this and keep their bits.
    if (std::abs(length - 1) > 1e-12) s.rotation = normalized(s.rotation);
    if (impl_->setup.models[at(b)].kind != BodyKind::kDynamic) continue;
    s.velocity = allowed_velocity(impl_->setup.models[at(b)], s.velocity);
    s.angular_velocity = allowed_spin(impl_->setup.models[at(b)], s.angular_velocity);
  }
}

void World::place(int body, const Pose& frame, Vec3 velocity, Vec3 angular_velocity) {
  Impl& in = *impl_;
  const bool guided = body >= 0 && body < in.setup.bodies() && in.setup.is_guided(body);
  require(guided || (body >= 0 && body < in.setup.bodies() && in.setup.models[at(body)].kind == BodyKind::kDynamic),
          "place: body: expected a dynamic or a guided one, got ", body);
  require(finite(frame.position), "place: body ", body, ": position: expected finite numbers, got one that is not");
  require(std::abs(norm(frame.rotation) - 1) < 1e-9, "place: body ", body, ": quaternion: expected length 1, got ",
          norm(frame.rotation));
  in.state.bodies[at(body)].centre = centre_of(in.setup.models[at(body)], frame);
  in.state.bodies[at(body)].rotation = frame.rotation;
  in.state.pending[at(body)] = {};
  if (guided)
    in.state.guides[at(body)] = frame,
    in.state.bodies[at(body)].velocity = in.state.bodies[at(body)].angular_velocity = {};
  else
    set_velocity(body, velocity, angular_velocity);
  // Removing and adding the body clears the collision features of the old pose.
  in.renew_collisions();
  in.collision.set_present(body, false);
  in.collision.set_present(body, true);
  in.state.present[at(body)] = true;
}

void World::apply_force(int body, Vec3 force, Vec3 torque) {
  require(body >= 0 && body < impl_->setup.bodies() && impl_->setup.models[at(body)].kind == BodyKind::kDynamic,
          "apply_force: body: expected a dynamic one, got ", body);
  require(finite(force) && finite(torque), "apply_force: body ", body,
          ": force and torque: expected finite numbers, got one that is not");
  impl_->state.applied_force[at(body)] = impl_->state.applied_force[at(body)] + force;
  impl_->state.applied_torque[at(body)] = impl_->state.applied_torque[at(body)] + torque;
}

Vec3 World::contact_force(int body) const {
  Vec3 sum;
  for (const Contact& c : impl_->data.found.contacts) {
    if (c.body_b == body) sum = sum + c.impulse();
    if (c.body_a == body) sum = sum - c.impulse();
  }
  return (1 / impl_->setup.scene.dt) * sum;
}

std::string World::state_hash() const {
  Fnv1a hash;
  for (int b = 0; b < impl_->setup.bodies(); ++b) {
    const BodyState& s = impl_->state.bodies[at(b)];
    hash.add(impl_->state.present[at(b)]);
    for (const Vec3& v : {s.centre, s.velocity, s.angular_velocity}) hash.add(v.x), hash.add(v.y), hash.add(v.z);
    hash.add(s.rotation.w), hash.add(s.rotation.x), hash.add(s.rotation.y), hash.add(s.rotation.z);
    const PendingMotion& pending = impl_->state.pending[at(b)];
    if (is_zero(pending)) continue;
    for (const Vec3& v : {pending.shift, pending.angle}) hash.add(v.x), hash.add(v.y), hash.add(v.z);
  }
  for (std::size_t j = 0; j < impl_->state.coordinates.size(); ++j) {
    const JointValues& q = impl_->state.coordinates[j];
    const int count = std::max(3, coordinate_count(impl_->setup.joints[j]));
    for (int k = 0; k < count; ++k) hash.add(q[at(k)]);
  }
  for (const double u : impl_->state.controls) hash.add(u);
  for (std::size_t k = 0; k < impl_->state.activations.size(); ++k)
    if (impl_->setup.scene.actuators[k].has_state()) hash.add(impl_->state.activations[k]);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash.value()));
  return text;
}

}  // namespace repose
