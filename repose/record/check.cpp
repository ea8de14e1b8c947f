// SPDX-License-Identifier: Apache-2.0
#include "repose/record/check.h"

#include <algorithm>
#include <cmath>

#include "repose/base/error.h"
#include "repose/world/assemble.h"

namespace repose {
namespace {

/// The formulas and numbers are those of the run: only the compiler's contractions may differ.
constexpr double kSameCertificate = 1e-12, kSameVelocity = 1e-12;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

bool close(double a, double b) { return std::abs(a - b) <= kSameCertificate + 1e-6 * std::max(a, b); }

std::vector<StepBody> step_bodies(const Recording& recording, const RecordedState& before, const RecordedState& after,
                                  const RecordedStep& step) {
  std::vector<StepBody> bodies(recording.models().size());
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const BodyModel& model = recording.models()[b];
    const BodyState& state = before.bodies[b];
    StepBody& body = bodies[b];
    body.moves = model.kind == BodyKind::kDynamic && after.present[b];
    body.centre = state.centre;
    body.velocity = step.free_velocity[b];
    body.spin = step.free_spin[b];
    if (body.moves) {
      body.root = inverse_mass_root(model, state.rotation);
      body.held = {model.held[0], model.held[1], model.held[2]};
    } else if (model.kind == BodyKind::kKinematic) {
      body.prescribed =
          displacement({state.centre, state.rotation}, {after.bodies[b].centre, after.bodies[b].rotation});
      body.driven = norm(body.prescribed.shift) > 0 || norm(body.prescribed.angle) > 0;
    }
  }
  return bodies;
}

std::vector<Patch> patches_of(const std::vector<Contact>& contacts) {
  std::vector<Patch> patches;
  for (int i = 0; i < static_cast<int>(contacts.size()); ++i) {
    const Contact& c = contacts[at(i)];
    const bool goes_on =
        i > 0 && contacts[at(i) - 1].collider_a == c.collider_a && contacts[at(i) - 1].collider_b == c.collider_b;
    if (!goes_on) patches.push_back({c.body_a, c.body_b, i, 0});
    ++patches.back().count;
  }
  return patches;
}

void take_worst(Residual& worst, const Residual& r) {
  worst.force = std::max(worst.force, r.force);
  worst.velocity = std::max(worst.velocity, r.velocity);
  worst.gap = std::max(worst.gap, r.gap);
}

/// Returns the velocities after the impulses: v + M⁻¹ Σ λ, and the same for the angular momentum.
double velocity_error(const Recording& recording, const RecordedState& before, const RecordedState& after,
                      const RecordedStep& step, const std::vector<StepBody>& bodies, const std::vector<Vec3>& change,
                      const std::vector<Vec3>& spin_change) {
  double error = 0, size = 0;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (!bodies[b].moves) continue;
    const Rotor& rotor = recording.models()[b].rotor;
    const BodyState &old = before.bodies[b], &now = after.bodies[b];
    const Vec3 expected = step.free_velocity[b] + change[b];
    const Vec3 spin = step.free_spin[b] + spin_change[b];
    // The step keeps the angular momentum while the body rotates; divided by the mean moment it is a spin.
    const double moment = (rotor.moments.x + rotor.moments.y + rotor.moments.z) / 3;
    const double reach = std::sqrt(moment / recording.models()[b].mass);
    const bool free = turns_freely(recording.models()[b]);
    const Vec3 momentum = free ? angular_momentum(rotor, old.rotation, spin) : moment * spin;
    const Vec3 found =
        free ? angular_momentum(rotor, now.rotation, now.angular_velocity) : moment * now.angular_velocity;
    error = std::max({error, norm(now.velocity - expected), reach / moment * norm(found - momentum)});
    size = std::max({size, norm(expected), norm(step.free_velocity[b]), norm(now.velocity), reach * norm(spin),
                     reach * norm(step.free_spin[b])});
  }
  return size > 0 ? error / size : 0.0;
}

}  // namespace

bool StepCheck::agrees() const {
  return close(recomputed.r_c(), stored.r_c()) && close(recomputed.nat, stored.nat) && velocity_error <= kSameVelocity;
}

void require_certificates(const Recording& recording, const std::string& name) {
  require(recording.steps() == 0 || !std::isnan(recording.reports(0, 1).front().certificate.nat), name,
          ": expected a recording of repose run, got poses of another program, without certificates");
}

StepCheck check_step(const Recording& recording, int k) {
  const RecordedState before = recording.state(k), after = recording.state(k + 1);
  const RecordedStep step = recording.step(k);
  const std::vector<StepBody> bodies = step_bodies(recording, before, after, step);
  const std::vector<Patch> patches = patches_of(step.contacts);
  std::vector<char> moves;
  for (const StepBody& body : bodies) moves.push_back(body.moves);
  Islands islands;
  islands.build(moves, patches);

  StepCheck result{k, static_cast<int>(step.contacts.size()), {}, step.report.certificate, 0};
  std::vector<Vec3> change(bodies.size()), spin_change(bodies.size());
  IslandProblem part;
  for (int island = 0; island < islands.count(); ++island) {
    (void)part.assemble(bodies, step.contacts, patches, islands.bodies(island), islands.patches(island),
                        islands.nodes(), recording.dt());
    std::vector<ContactVec> lambda, start;
    for (const int i : part.contacts()) {
      lambda.push_back(step.contacts[at(i)].lambda);
      start.push_back(step.contacts[at(i)].start);
    }
    const Certificate c = certify(part.problem(), lambda, start);
    take_worst(result.recomputed.residual, c.residual);
    take_worst(result.recomputed.paper, c.paper);
    result.recomputed.nat = std::max(result.recomputed.nat, c.nat);

    const auto& form = std::get<BodyForm>(part.problem().form());
    AlignedVector<Pack> response(at(form.nodes()), Pack{});
    for (int i = 0; i < form.size(); ++i) form.scatter(i, lambda[at(i)], response.data());
    std::vector<Vec3> linear(at(form.bodies())), angular(at(form.bodies()));
    form.body_velocity(response, linear, angular);
    for (std::size_t node = 0; node < linear.size(); ++node) {
      const auto b = at(islands.bodies(island)[node]);
      change[b] = linear[node];
      spin_change[b] = angular[node];
    }
  }
  result.velocity_error = velocity_error(recording, before, after, step, bodies, change, spin_change);
  return result;
}

}  // namespace repose
