// SPDX-License-Identifier: Apache-2.0
#include "repose/world/world.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <set>
#include <utility>

#include "repose/base/error.h"
#include "repose/world/hash.h"
#include "repose/world/world_internal.h"

namespace repose {
namespace {

using Clock = std::chrono::steady_clock;

/// Impacts slower than this many steps of free fall do not bounce: a body at rest falls one step's worth every step.
constexpr double kBounceSteps = 2;
/// A body this many scene sizes away, or this many sizes per step fast, is no simulation any more.
constexpr double kExploded = 1e9;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

double ms_between(Clock::time_point a, Clock::time_point b) {
  return std::chrono::duration<double, std::milli>(b - a).count();
}

bool finite(Vec3 v) { return std::isfinite(v.x + v.y + v.z); }

/// Size of everything that is not endless, from the origin.
double scene_size(const std::vector<BodyModel>& models, const std::vector<BodyState>& states, double margin) {
  double most = margin;
  for (std::size_t b = 0; b < models.size(); ++b) most = std::max(most, norm(states[b].centre) + models[b].size);
  return most;
}

std::function<bool(int, int)> exclusion(const std::vector<std::pair<int, int>>& pairs) {
  if (pairs.empty()) return {};
  std::set<std::pair<int, int>> both;
  for (const auto& [a, b] : pairs) both.insert({std::min(a, b), std::max(a, b)});
  return [both = std::move(both)](int a, int b) { return both.contains({std::min(a, b), std::max(a, b)}); };
}

void take_worst(Residual& worst, const Residual& r) {
  worst.force = std::max(worst.force, r.force);
  worst.velocity = std::max(worst.velocity, r.velocity);
  worst.gap = std::max(worst.gap, r.gap);
}

}  // namespace

World::Impl::Impl(Scene scene_, WorldOptions options_)
    : scene(std::move(scene_)), options(options_), laws(scene), schedule(scene.events) {
  validate(scene);
  require(options.threads >= 1, "threads ", options.threads, " must be >= 1");
  (void)make_solver(options.solver);  // bad options show here
  rule = {scene.dt, kBounceSteps * norm(scene.gravity) * scene.dt, scene.slop, scene.recovery};
  std::vector<Collider> shapes;
  std::vector<char> movable;
  for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) {
    const SceneBody& body = scene.bodies[at(b)];
    models.push_back(make_model(body));
    states.push_back(start_state(body, models.back()));
    present.push_back(body.present);
    movable.push_back(body.kind == BodyKind::kDynamic);
    for (const SceneShape& shape : body.shapes) {
      shapes.push_back({b,
                        {shape.pose.position - models.back().centre, normalized(shape.pose.rotation)},
                        shape.geometry,
                        shape.group,
                        shape.mask});
      colliders.push_back({b, shape.material, models.back().size});
    }
    if (body.kind == BodyKind::kKinematic && body.motion) place_kinematic(b, 0);
  }
  const auto n = models.size();
  for (auto* list : {&applied_force, &applied_torque, &force, &torque}) list->resize(n);
  free = states;
  old_states = states;
  old_present = present;
  moves.resize(n);
  poses.resize(n);
  margins.assign(n, 0.5 * scene.margin);
  travels.resize(n);
  step_bodies.resize(n);
  slots.resize(n);
  scale = scene_size(models, states, scene.margin);
  thinnest = HUGE_VAL;
  for (const BodyModel& model : models)
    if (model.kind == BodyKind::kDynamic && model.thickness > 0) thinnest = std::min(thinnest, model.thickness);
  ahead.bind(shapes, movable, exclusion(scene.excluded), scene.edge_normal);
  collision.bind(std::move(shapes), std::move(movable), exclusion(scene.excluded), scene.edge_normal);
  for (int b = 0; b < count(); ++b)
    if (!present[at(b)]) collision.set_present(b, false);
  if (options.threads > 1) {
    allowed.emplace(tbb::global_control::max_allowed_parallelism, at(options.threads));
    arena.emplace(options.threads);
  }
}

bool World::Impl::moves_freely(int b) const { return present[at(b)] && models[at(b)].kind == BodyKind::kDynamic; }

Pose World::Impl::kinematic_pose(int body, double time) const {
  const SceneBody& made = scene.bodies[at(body)];
  const Pose pose = pose_at(*made.motion, {made.pose.position, normalized(made.pose.rotation)}, time);
  return {pose.position, normalized(pose.rotation)};
}

void World::Impl::place_kinematic(int body, double time) {
  const Pose pose = kinematic_pose(body, time);
  states[at(body)].centre = pose.position;
  states[at(body)].rotation = pose.rotation;
}

StepReport World::Impl::step() {
  StepReport report;
  remember();
  const Clock::time_point t0 = Clock::now();
  start_step();
  const double before = energy();
  collide();
  const Clock::time_point t1 = Clock::now();
  assemble();
  const Clock::time_point t2 = Clock::now();
  solve();
  const Clock::time_point t3 = Clock::now();
  summarise(report);
  if (report.status == StepStatus::kSolved || report.status == StepStatus::kUnsolved) {
    integrate();
    report.why = fault() ? fault() : "";
    if (*report.why) report.status = StepStatus::kBroken;
  }
  if (report.status == StepStatus::kBroken || report.status == StepStatus::kInterrupted) {
    give_back();
    report.energy = energy();
  } else {
    ++steps;
    std::fill(applied_force.begin(), applied_force.end(), Vec3{});
    std::fill(applied_torque.begin(), applied_torque.end(), Vec3{});
    report.energy = energy();
    report.energy_rise = report.energy - before - outside_work();
  }
  report.step = steps;
  report.time = now();
  report.ms = {ms_between(t0, t1), ms_between(t1, t2), ms_between(t2, t3), ms_between(t3, Clock::now())};
  return report;
}

void World::Impl::remember() {
  old_states = states;
  old_present = present;
  old_events = schedule.done();
  old_pushes = schedule.pushes();
}

void World::Impl::give_back() {
  states = old_states;
  for (int b = 0; b < count(); ++b)
    if (present[at(b)] != old_present[at(b)]) collision.set_present(b, old_present[at(b)]);
  present = old_present;
  schedule.restore(old_events, old_pushes);
  std::swap(contacts, last_contacts);
  std::swap(patches, last_patches);
  islands_valid = false;
}

void World::Impl::take(const Event& event) {
  const auto set_present = [this](int body, bool value) {
    present[at(body)] = value;
    collision.set_present(body, value);
  };
  if (const auto* appear = std::get_if<Appear>(&event.action)) {
    states[at(appear->body)] = start_state(scene.bodies[at(appear->body)], models[at(appear->body)]);
    set_present(appear->body, true);
  } else if (const auto* disappear = std::get_if<Disappear>(&event.action)) {
    set_present(disappear->body, false);
    // Waits where it would appear again, so that a recording always has the pose that a step started from.
    states[at(disappear->body)] = start_state(scene.bodies[at(disappear->body)], models[at(disappear->body)]);
  } else if (const auto* change = std::get_if<SetVelocity>(&event.action)) {
    const BodyModel& model = models[at(change->body)];
    states[at(change->body)].velocity = allowed_velocity(model, change->velocity);
    states[at(change->body)].angular_velocity = allowed_spin(model, change->angular_velocity);
  }
}

void World::Impl::start_step() {
  schedule.take_due(now(), scene.dt, [this](const Event& event) { take(event); });
  for (int b = 0; b < count(); ++b) {
    force[at(b)] = scene.bodies[at(b)].force + applied_force[at(b)];
    torque[at(b)] = scene.bodies[at(b)].torque + applied_torque[at(b)];
  }
  schedule.push(scene.dt, [this](int body, Vec3 f, Vec3 t) {
    force[at(body)] = force[at(body)] + f;
    torque[at(body)] = torque[at(body)] + t;
  });
  for (int b = 0; b < count(); ++b) set_free(b);
}

/// The body as the step's contacts will see it.
void World::Impl::set_free(int b) {
  const BodyModel& model = models[at(b)];
  BodyState& state = states[at(b)];
  StepBody& body = step_bodies[at(b)];
  const double h = scene.dt;
  body.moves = moves_freely(b);
  if (body.moves != static_cast<bool>(moves[at(b)])) islands_valid = false;
  moves[at(b)] = body.moves;
  body.carries = false;
  body.centre = state.centre;
  if (body.moves) {
    body.root = inverse_mass_root(model, state.rotation);
    body.held = {model.held[0], model.held[1], model.held[2]};
    body.before = state.velocity;
    body.spin_before = state.angular_velocity;
    const Vec3 pull = model.gravity_scale * scene.gravity + model.inverse_mass * force[at(b)];
    body.velocity = state.velocity + h * allowed_velocity(model, pull);
    const Mat3& L = body.root.root_inverse_inertia;
    body.spin = state.angular_velocity + h * (L * (transpose(L) * torque[at(b)]));
  } else if (model.kind == BodyKind::kKinematic && scene.bodies[at(b)].motion) {
    const BodyState start = state;
    place_kinematic(b, (steps + 1) * h);
    body.carried = displacement({start.centre, start.rotation}, {state.centre, state.rotation});
    state.centre = start.centre;
    state.rotation = start.rotation;
    body.velocity = (1 / h) * body.carried.shift;
    body.spin = (1 / h) * body.carried.angle;
    body.carries = norm(body.carried.shift) > 0 || norm(body.carried.angle) > 0;
  }
  free[at(b)] = {state.centre, state.rotation, body.velocity, body.spin};
}

/// Bodies that fall side by side close nothing; what is struck on the way is left to look_ahead().
void World::Impl::find_travels() {
  for (int b = 0; b < count(); ++b) {
    const StepBody& body = step_bodies[at(b)];
    travels[at(b)] = {};
    if (!body.moves && !body.carries) continue;
    const double turn = scene.dt * std::max(norm(body.spin), norm(body.spin_before));
    travels[at(b)] = {scene.dt * body.velocity, scene.dt * (body.moves ? body.before : body.velocity),
                      models[at(b)].spin_reach * std::min(turn, 2.0)};
  }
}

void World::Impl::collide() {
  for (int b = 0; b < count(); ++b) poses[at(b)] = {states[at(b)].centre, states[at(b)].rotation};
  find_travels();
  collision.update(poses, margins, travels);
}

void World::Impl::assemble() {
  std::swap(contacts, last_contacts);
  std::swap(patches, last_patches);
  collect_contacts(collision, colliders, laws, step_bodies, rule, contacts, patches);
  if (options.warm_start) carry_impulses(last_contacts, contacts);
  if (!islands_valid || patches != last_patches) rebuild_islands();
  for_islands([this](int k) { assemble_island(k); });
}

void World::Impl::assemble_island(int k) {
  same_graph[at(k)] = active[at(k)]->part.assemble(step_bodies, contacts, patches, islands.bodies(k),
                                                   islands.patches(k), islands.nodes(), scene.dt);
}

void World::Impl::rebuild_islands() {
  islands.build(moves, patches);
  active.clear();
  for (int k = 0; k < islands.count(); ++k) {
    auto& slot = slots[at(islands.bodies(k).front())];
    if (!slot) slot = std::make_unique<Island>();
    active.push_back(slot.get());
  }
  same_graph.assign(active.size(), 0);
  islands_valid = true;
}

/// Large islands in fast motion are solved roughly first: what they need is known after a look ahead.
void World::Impl::solve() {
  find_courses_before();
  find_fast();
  for_islands([this](int k) { solve_island(k, is_drafted(k)); });
  look_ahead();
  for_islands([this](int k) {
    if (!active[at(k)]->draft()) return;
    go_on_from_here(k);
    same_graph[at(k)] = 1;
    solve_island(k, false);
  });
}

void World::Impl::solve_island(int k, bool draft) {
  active[at(k)]->solve(contacts, rule, options.solver, same_graph[at(k)], draft, options.interrupt);
}

void World::Impl::summarise(StepReport& report) const {
  report.contacts = static_cast<int>(contacts.size());
  report.islands = islands.count();
  for (const Contact& c : contacts) {
    if (c.seen == 0) report.penetration = std::max(report.penetration, -c.gap);
    report.contacts_ahead += c.seen > 0;
  }
  bool broken = false, interrupted = false;
  for (const Island* island : active) {
    const OuterReport& r = island->report();
    broken = broken || !std::isfinite(r.certificate.worst()) || r.status == Status::kNumericalFailure;
    interrupted = interrupted || r.status == Status::kInterrupted;
    take_worst(report.certificate.residual, r.certificate.residual);
    take_worst(report.certificate.paper, r.certificate.paper);
    report.certificate.nat = std::max(report.certificate.nat, r.certificate.nat);
    report.unsolved_islands += !r.certificate.solved(options.solver.tolerance);
    report.outer_iterations = std::max(report.outer_iterations, r.outer_iterations);
    report.inner_iterations = std::max(report.inner_iterations, r.inner_iterations);
    report.fallbacks = std::max(report.fallbacks, r.fallbacks);
    report.recoveries += island->recovers();
    report.recoveries_unsolved += !island->recovery_solved();
  }
  if (report.unsolved_islands > 0) report.status = StepStatus::kUnsolved;
  if (interrupted) report.status = StepStatus::kInterrupted;
  if (broken) {
    report.status = StepStatus::kBroken;
    report.why = "the contact solve gave numbers that are not finite";
  }
}

/// x ← x + h v and the free rotation. A recovery moves the body a little further and leaves its momenta alone.
void World::Impl::move(int b, const Vec3* recovery, const Vec3* recovery_spin) {
  BodyState& state = states[at(b)];
  const double h = scene.dt;
  move_freely(models[at(b)], h, state);
  if (!recovery) return;
  state.centre = state.centre + h * *recovery;
  if (!turns_freely(models[at(b)])) {
    state.rotation = normalized(exponential(h * *recovery_spin) * state.rotation);
    return;
  }
  const Vec3 momentum = angular_momentum(models[at(b)].rotor, state.rotation, state.angular_velocity);
  state.rotation = normalized(exponential(h * *recovery_spin) * state.rotation);
  state.angular_velocity = angular_velocity(models[at(b)].rotor, state.rotation, momentum);
}

void World::Impl::integrate() {
  for (int b = 0; b < count(); ++b) {
    if (step_bodies[at(b)].moves || step_bodies[at(b)].carries) {
      states[at(b)].velocity = step_bodies[at(b)].velocity;
      states[at(b)].angular_velocity = step_bodies[at(b)].spin;
    }
    if (models[at(b)].kind == BodyKind::kKinematic && scene.bodies[at(b)].motion) {
      place_kinematic(b, (steps + 1) * scene.dt);
      states[at(b)].velocity = step_bodies[at(b)].velocity;
      states[at(b)].angular_velocity = step_bodies[at(b)].spin;
    }
  }
  for (int k = 0; k < islands.count(); ++k) {
    const Island& island = *active[at(k)];
    for (std::size_t node = 0; node < islands.bodies(k).size(); ++node) {
      BodyState& state = states[at(islands.bodies(k)[node])];
      state.velocity = state.velocity + island.linear()[node];
      state.angular_velocity = state.angular_velocity + island.angular()[node];
      if (island.recovers())
        move(islands.bodies(k)[node], &island.recovery_linear()[node], &island.recovery_angular()[node]);
    }
  }
  // Bodies whose island recovers have moved already; nodes() tells which bodies have contacts at all.
  for (int k = 0; k < islands.count(); ++k)
    if (!active[at(k)]->recovers())
      for (const int b : islands.bodies(k)) move(b, nullptr, nullptr);
  for (int b = 0; b < count(); ++b)
    if (step_bodies[at(b)].moves && islands.nodes()[at(b)] < 0) move(b, nullptr, nullptr);
}

const char* World::Impl::fault() const {
  const double far = kExploded * scale;
  for (int b = 0; b < count(); ++b) {
    if (!moves[at(b)]) continue;
    const BodyState& s = states[at(b)];
    if (!finite(s.centre) || !finite(s.velocity) || !finite(s.angular_velocity) || !std::isfinite(norm(s.rotation)))
      return "a body's state is not finite";
    if (norm(s.centre) > far || scene.dt * norm(s.velocity) > far) return "a body has exploded out of the scene";
  }
  return nullptr;
}

double World::Impl::energy() const {
  double total = 0;
  for (int b = 0; b < count(); ++b) {
    if (!moves_freely(b)) continue;
    const BodyModel& model = models[at(b)];
    const BodyState& s = states[at(b)];
    total += 0.5 * model.mass * dot(s.velocity, s.velocity) + spin_energy(model.rotor, s.rotation, s.angular_velocity) -
             model.mass * model.gravity_scale * dot(scene.gravity, s.centre);
  }
  return total;
}

double World::Impl::outside_work() const {
  double work = 0;
  const double h = scene.dt;
  for (int b = 0; b < count(); ++b)
    if (moves[at(b)])
      work += h * (dot(force[at(b)], states[at(b)].velocity) + dot(torque[at(b)], states[at(b)].angular_velocity));
  for (const Contact& c : contacts)
    if (step_bodies[at(c.body_a)].carries || step_bodies[at(c.body_b)].carries) work += carried_work(c, step_bodies, h);
  return work;
}

World::World(Scene scene, WorldOptions options) : impl_(std::make_unique<Impl>(std::move(scene), options)) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

StepReport World::step() { return impl_->step(); }

const Scene& World::scene() const { return impl_->scene; }
const WorldOptions& World::options() const { return impl_->options; }
int World::steps() const { return impl_->steps; }
double World::time() const { return impl_->now(); }
std::span<const BodyModel> World::models() const { return impl_->models; }
std::span<const BodyState> World::states() const { return impl_->states; }
std::span<const BodyState> World::free_states() const { return impl_->free; }
bool World::present(int body) const { return impl_->present[at(body)]; }
Pose World::pose(int body) const { return frame_pose(impl_->models[at(body)], impl_->states[at(body)]); }
Pose World::centre_pose(int body) const { return {impl_->states[at(body)].centre, impl_->states[at(body)].rotation}; }
double World::energy() const { return impl_->energy(); }
std::span<const Contact> World::contacts() const { return impl_->contacts; }
int World::problems() const { return static_cast<int>(impl_->active.size()); }
const ContactProblem& World::problem(int island) const { return impl_->active[at(island)]->part.problem(); }
std::span<const int> World::problem_contacts(int island) const { return impl_->active[at(island)]->part.contacts(); }
const OuterReport& World::problem_report(int island) const { return impl_->active[at(island)]->report(); }

FrictionOptions World::problem_options(int island) const {
  FrictionOptions options = impl_->options.solver;
  options.polish = impl_->active[at(island)]->polish();
  return options;
}

void World::set_velocity(int body, Vec3 velocity, Vec3 angular_velocity) {
  require(body >= 0 && body < impl_->count() && impl_->models[at(body)].kind == BodyKind::kDynamic,
          "set_velocity: body ", body, " must be dynamic");
  require(finite(velocity) && finite(angular_velocity), "set_velocity: body ", body, ": velocity must be finite");
  impl_->states[at(body)].velocity = allowed_velocity(impl_->models[at(body)], velocity);
  impl_->states[at(body)].angular_velocity = allowed_spin(impl_->models[at(body)], angular_velocity);
}

std::span<BodyState> World::writable_states() { return impl_->states; }

void World::accept_states() {
  for (int b = 0; b < impl_->count(); ++b) {
    BodyState& s = impl_->states[at(b)];
    const auto check = [&](bool good, const char* field) {
      require(good, "body '", impl_->scene.bodies[at(b)].name, "': ", field, ": found a value that is not finite",
              ", allowed finite numbers");
    };
    check(finite(s.centre), "position");
    check(finite(s.velocity), "velocity");
    check(finite(s.angular_velocity), "angular velocity");
    const double length = norm(s.rotation);
    check(std::isfinite(length), "quaternion");
    require(length > 0, "body '", impl_->scene.bodies[at(b)].name, "': quaternion: found 0 0 0 0, allowed a direction");
    // Rounding of a run's own states stays below this: they keep their bits.
    if (std::abs(length - 1) > 1e-12) s.rotation = normalized(s.rotation);
    if (impl_->models[at(b)].kind != BodyKind::kDynamic) continue;
    s.velocity = allowed_velocity(impl_->models[at(b)], s.velocity);
    s.angular_velocity = allowed_spin(impl_->models[at(b)], s.angular_velocity);
  }
}

void World::place(int body, const Pose& frame, Vec3 velocity, Vec3 angular_velocity) {
  Impl& in = *impl_;
  require(body >= 0 && body < in.count() && in.models[at(body)].kind == BodyKind::kDynamic, "place: body ", body,
          " must be dynamic");
  require(finite(frame.position) && std::abs(norm(frame.rotation) - 1) < 1e-9, "place: body ", body,
          ": pose must be finite, with a unit quaternion");
  in.states[at(body)].centre = centre_of(in.models[at(body)], frame);
  in.states[at(body)].rotation = frame.rotation;
  set_velocity(body, velocity, angular_velocity);
  // Out and in again: what the collision remembers of the old place is gone.
  in.collision.set_present(body, false);
  in.collision.set_present(body, true);
  in.present[at(body)] = true;
}

void World::apply_force(int body, Vec3 force, Vec3 torque) {
  require(body >= 0 && body < impl_->count() && impl_->models[at(body)].kind == BodyKind::kDynamic,
          "apply_force: body ", body, " must be dynamic");
  require(finite(force) && finite(torque), "apply_force: body ", body, ": force and torque must be finite");
  impl_->applied_force[at(body)] = impl_->applied_force[at(body)] + force;
  impl_->applied_torque[at(body)] = impl_->applied_torque[at(body)] + torque;
}

Vec3 World::contact_force(int body) const {
  Vec3 sum;
  for (const Contact& c : impl_->contacts) {
    if (c.body_b == body) sum = sum + c.impulse();
    if (c.body_a == body) sum = sum - c.impulse();
  }
  return (1 / impl_->scene.dt) * sum;
}

std::string World::state_hash() const {
  Fnv1a hash;
  for (int b = 0; b < impl_->count(); ++b) {
    const BodyState& s = impl_->states[at(b)];
    hash.add(impl_->present[at(b)]);
    for (const Vec3& v : {s.centre, s.velocity, s.angular_velocity}) hash.add(v.x), hash.add(v.y), hash.add(v.z);
    hash.add(s.rotation.w), hash.add(s.rotation.x), hash.add(s.rotation.y), hash.add(s.rotation.z);
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash.value()));
  return text;
}

}  // namespace repose
