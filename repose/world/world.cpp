// SPDX-License-Identifier: Apache-2.0
// The algorithm of a time step. Each phase has a file of its own; StepData goes from one to the next.
#include "repose/world/world.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "repose/world/collide_internal.h"
#include "repose/world/energy_internal.h"
#include "repose/world/events_internal.h"
#include "repose/world/free_motion_internal.h"
#include "repose/world/idle_points_internal.h"
#include "repose/world/integrate_internal.h"
#include "repose/world/joint_poses_internal.h"
#include "repose/world/joint_step_internal.h"
#include "repose/world/medium_internal.h"
#include "repose/world/squeeze_internal.h"
#include "repose/world/summary_internal.h"
#include "repose/world/world_internal.h"

namespace repose {
namespace {

/// Time since the last call of lap(), ms.
class Stopwatch {
 public:
  double lap() {
    const Clock::time_point now = Clock::now();
    return std::chrono::duration<double, std::milli>(now - std::exchange(last_, now)).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

}  // namespace

World::Impl::Impl(Scene scene, const WorldOptions& options)
    : setup(make_setup(std::move(scene), options)),
      state(placed_state(setup)),
      collision(make_collision(setup, state)),
      islands(setup.bodies(), options.threads),
      look_ahead(make_collision(setup, state)) {
  data.free = state.bodies;
  rollback.save(state);
}

StepReport World::Impl::step() {
  renew_collisions();
  rollback.save(state);
  found_is_new = false;
  try {
    return attempt();
  } catch (...) {
    take_back();
    throw;
  }
}

/// After an exception, for want of memory: the state before the step, with its contacts. Nothing is allocated.
void World::Impl::take_back() {
  rollback.restore(state);
  if (found_is_new) std::swap(data.found, previous);
  islands.clear();
  collisions_are_broken = true;
}

/// Makes again what an exception left half done.
void World::Impl::renew_collisions() {
  if (!collisions_are_broken) return;
  Collision fresh = make_collision(setup, state);
  look_ahead = LookAhead(make_collision(setup, state));
  collision = std::move(fresh);
  correction = Correction();
  collisions_are_broken = false;
}

StepReport World::Impl::attempt() {
  PhaseTimes ms;
  Stopwatch watch;
  start_step();
  if (const char* fault = find_free_fault(setup, data.bodies)) return abandon(StepStatus::kBroken, fault);
  const double energy_before = mechanical_energy(setup, state, data.kinematics);
  collide(setup, state, data.bodies, collision, data.poses, data.travels);
  ms.collide = watch.lap();
  if (setup.options.interrupt && *setup.options.interrupt) return abandon(StepStatus::kInterrupted);
  assemble();
  ms.assemble = watch.lap();
  const EndPoses known = solve();
  ms.solve = watch.lap();
  StepReport report = summarise(setup, data.found, islands);
  report.squeeze = data.squeeze;
  finish(report, known, energy_before);
  ms.integrate = watch.lap();
  report.ms = ms;
  return report;
}

/// Returns to the state before the step, of which nothing is known but its collisions.
StepReport World::Impl::abandon(StepStatus status, const char* why) {
  rollback.restore(state, collision);
  StepReport report;
  report.status = status;
  report.why = why;
  report.step = state.steps;
  report.time = time();
  report.energy = mechanical_energy(setup, state);
  return report;
}

void World::Impl::start_step() {
  apply_due_events(setup, state, collision);
  sum_loads(setup, state, data.loads);
  if (!setup.joints.empty()) {
    if (std::exchange(data.has_ended, false)) std::swap(data.kinematics, data.ended);
    find_kinematics(setup, state, data.stamps, data.kinematics);
    state.coordinates = data.kinematics.position;
    add_motor_loads(setup, state, data.kinematics, data.loads);
    find_end_poses(setup, state, data.ends);
  }
  if (setup.scene.medium.acts()) add_drag(setup, state, data.loads);
  free_motion(setup, state, data.loads, data.bodies);
  fill_free_states(state, data.bodies, data.free);
}

void World::Impl::assemble() {
  std::swap(data.found, previous);
  found_is_new = true;
  update_contacts(setup, collision, data.bodies, previous, data.found, data.idle);
  if (!setup.joints.empty())
    collect_joints(setup, state, data.kinematics, data.bodies, previous.joints, data.stamps, data.found.joints);
  islands.partition(data.bodies, data.found.patches, data.found.joints.links);
  islands.assemble(data.bodies, data.found, setup.scene.dt);
}

/// Makes contacts of idle points that the impulses found so far would close. Returns whether there are any.
bool World::Impl::wake(const LookAhead::Start& start) {
  const bool interrupted = setup.options.interrupt && *setup.options.interrupt;
  if (data.found.idle.empty() || interrupted) return false;
  if (!wake_points(setup, collision, data.bodies, look_ahead.motion_of(start, islands), data.found.idle)) return false;
  collect_awake(setup, collision, data.bodies, previous, data.found);
  islands.partition(data.bodies, data.found.patches, data.found.joints.links);
  islands.assemble(data.bodies, data.found, setup.scene.dt);
  return true;
}

EndPoses World::Impl::solve() {
  const SolveContext context{
      setup.rule,
      setup.options.solver,
      setup.options.interrupt,
      {&setup, data.bodies, state.pending, data.ends, data.kinematics.position, data.kinematics.frames},
      norm(setup.scene.gravity) * setup.scene.dt};
  const LookAhead::Start start{setup, state, data.bodies, &collision};
  islands.solve(data.found, context, look_ahead.fast_at_start(start));
  while (wake(start)) islands.solve(data.found, context, look_ahead.fast_at_start(start));
  const EndPoses known = look_ahead.run(start, islands, data.found, context);
  const bool refined = islands.refine(data.found, context);
  data.squeeze = relax_squeezes({setup, data.bodies, previous.contacts, context}, islands, data.found);
  // What the look-ahead collided were the end poses of the impulses before.
  const bool other_ends = data.squeeze.islands > 0 || (refined && known == EndPoses::kCollided);
  return other_ends ? EndPoses::kUnknown : known;
}

/// Those of the start, where no link has moved.
const JointKinematics& World::Impl::kinematics_at_end() {
  if (setup.joints.empty() || is_current(setup, state, data.kinematics)) return data.kinematics;
  find_kinematics(setup, state, data.stamps, data.ended, &data.kinematics);
  data.has_ended = true;
  return data.ended;
}

namespace {

void note_poses(const WorldState& state, std::vector<Pose>& poses) {
  poses.resize(state.bodies.size());
  for (std::size_t b = 0; b < poses.size(); ++b) poses[b] = {state.bodies[b].centre, state.bodies[b].rotation};
}

}  // namespace

/// Takes the step, or returns to the state before it.
void World::Impl::finish(StepReport& report, EndPoses known, double energy_before) {
  if (is_taken(report.status)) {
    integrate(setup, data.bodies, islands, state);
    note_poses(state, data.integrated);
    place_loose_joints(setup, islands, state);
    const char* fault = find_fault(setup, data.bodies, state);
    if (!fault) {  // overlap is looked for between finite poses
      correction.run({setup, data.bodies, data.found, &collision}, report.penetration, known, look_ahead.collision(),
                     state);
      if (!setup.joints.empty() && correction.islands() > 0) place_all_joints(setup, data.bodies, state);
      report.recoveries = correction.islands();
      report.recoveries_unsolved = correction.unsolved();
      report.recovery_residual = correction.residual();
      report.pairs_missed = look_ahead.missed();
      fault = find_fault(setup, data.bodies, state);
    }
    if (!fault) fault = find_burst(setup, data, islands);
    if (report.pairs_missed > 0) report.status = StepStatus::kUnsolved;
    if (fault) {
      report.status = StepStatus::kBroken;
      report.why = fault;
    }
  }
  if (is_taken(report.status)) {
    const JointKinematics& end = kinematics_at_end();
    report.joint_error = joint_error(setup, state, end);
    ++state.steps;
    advance_activations(setup, state);
    std::fill(state.applied_force.begin(), state.applied_force.end(), Vec3{});
    std::fill(state.applied_torque.begin(), state.applied_torque.end(), Vec3{});
    report.energy = mechanical_energy(setup, state, end);
    report.energy_rise = report.energy - energy_before - external_work(setup, data, state);
  } else {
    rollback.restore(state, collision);
    std::swap(data.found, previous);
    found_is_new = false;
    report.energy = mechanical_energy(setup, state);
  }
  report.step = state.steps;
  report.time = time();
}

}  // namespace repose
