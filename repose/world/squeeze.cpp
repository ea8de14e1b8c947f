// SPDX-License-Identifier: Apache-2.0
#include "repose/world/squeeze_internal.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "repose/contact/spectrum.h"

namespace repose {
namespace {

constexpr double kRay = 1e4;  // least energy of a solution, as a multiple of that of the approach
constexpr int kRayIterations = 500;
constexpr double kRayShare = 1e-3;  // of the ray's largest impulse: smaller ones take no part
// Energy of an island as a multiple of what it and the motions that drive it had: worth a look, and absurd.
constexpr double kSuspect = 25, kBurst = 1e6;
// The same of the impulses of all contacts, as if each acted alone: worth a look; more than a squeezed island keeps.
// The self-stress of a grip grows by that of one step in every step.
constexpr double kStressed = 1e8, kGripped = 1e6;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

using Impulses = std::vector<ContactVec>;

double dot_of(const Impulses& a, std::span<const ContactVec> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += dot(a[i], b[i]);
  return sum;
}

bool is_unsolved(const Island& island, const FrictionOptions& options) {
  return status_of(island.report().certificate, options.tolerance, options.accept) == StepStatus::kUnsolved;
}

bool any_driven(std::span<const StepBody> bodies) {
  return std::any_of(bodies.begin(), bodies.end(), [](const StepBody& b) { return b.driven; });
}

/// Speed with which a prescribed motion closes a contact faster than its gap allows, m/s.
double excess(const Contact& c, std::span<const StepBody> bodies, double h) {
  return std::max(0.0, dot(c.normal, driving_velocity(c, bodies, h)) - c.closing);
}

/// Normal velocities with which the prescribed motions close the contacts of a problem while its bodies stand still.
struct Closing {
  Impulses v;           // as v_f
  double approach = 0;  // Σ excess²/ρ, twice the energy of the approach
};

Closing closing_of(const Island& island, std::span<const Contact> contacts, std::span<const StepBody> bodies,
                   double h) {
  Closing closing;
  closing.v.resize(at(island.problem().size()));
  for (std::size_t i = 0; i < island.contacts().size(); ++i) {
    const Contact& c = contacts[at(island.contacts()[i])];
    closing.v[i].n = c.closing - dot(c.normal, driving_velocity(c, bodies, h));
    const double speed = excess(c, bodies, h);
    closing.approach += speed * speed / island.problem().rho(static_cast<int>(i));
  }
  return closing;
}

/// Returns a ray that shows that the problem has no solution, empty where none is found: accelerated projected
/// gradients on ½ λᵀWλ + vᵀλ over the cones, which has no minimum then.
Impulses find_ray(const ContactProblem& problem, const Closing& closing) {
  DelassusOperator W;
  W.bind(problem);
  const double step = 1 / (1.01 * largest_eigenvalue(problem).largest);
  Impulses lambda(at(problem.size())), ahead = lambda, next = lambda, v = lambda;
  double momentum = 1;
  for (int k = 1; k <= kRayIterations; ++k) {
    W.apply(ahead, v);
    for (int i = 0; i < problem.size(); ++i)
      next[at(i)] = project(problem.sets().ref(i), ahead[at(i)] - step * (v[at(i)] + closing.v[at(i)]));
    const double after = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum)), share = (momentum - 1) / after;
    for (std::size_t i = 0; i < next.size(); ++i) ahead[i] = next[i] + share * (next[i] - lambda[i]);
    std::swap(lambda, next);
    momentum = after;
    if (k % 10 != 0) continue;
    W.apply(lambda, v);
    const double work = dot_of(lambda, closing.v);
    if (work < 0 && work * work > kRay * closing.approach * dot_of(lambda, v)) return lambda;
  }
  return {};
}

/// Kinetic energy of an island's bodies, J: without contacts but with the speed of what drives them; after the
/// impulses; and the sum of what every impulse alone would give.
struct IslandEnergy {
  double before = 0, after = 0, stress = 0;
};

bool is_absurd(const IslandEnergy& e, double stressed) {
  return !(e.after <= kSuspect * e.before && e.stress <= stressed * e.before);
}

double kinetic_energy(const BodyModel& model, Quat rotation, Vec3 velocity, Vec3 spin) {
  return 0.5 * model.mass * dot(velocity, velocity) + spin_energy(model.rotor, rotation, spin);
}

IslandEnergy energy_of(const WorldSetup& setup, std::span<const StepBody> bodies, const ContactSet& found,
                       const IslandSet& islands, int k) {
  double speed = 0;
  IslandEnergy energy;
  for (std::size_t i = 0; i < islands[k].contacts().size(); ++i) {
    const Contact& c = found.contacts[at(islands[k].contacts()[i])];
    speed = std::max(speed, norm(driving_velocity(c, bodies, setup.scene.dt)));
    energy.stress += 0.5 * islands[k].problem().rho(static_cast<int>(i)) * dot(c.lambda, c.lambda);
  }
  const NodeVelocities& change = islands[k].change();
  for (std::size_t node = 0; node < islands.bodies(k).size(); ++node) {
    const int b = islands.bodies(k)[node];
    const StepBody& body = bodies[at(b)];
    const BodyModel& model = setup.models[at(b)];
    energy.before += kinetic_energy(model, body.rotation, body.velocity, body.spin) + 0.5 * model.mass * speed * speed;
    energy.after +=
        kinetic_energy(model, body.rotation, body.velocity + change.linear[node], body.spin + change.angular[node]);
  }
  return energy;
}

/// The largest share of an island's impulses, at most 1, with which its bodies gain no more energy than the motions
/// that have not yielded give. With the velocity changes s Δ, velocities u before gravity and work s A of the motions
/// the gain is s (uᵀMΔ − A) + ½ s² ΔᵀMΔ, less what the changes by gravity take.
double share_without_gain(const SqueezeInput& in, const ContactSet& found, const IslandSet& islands, int k) {
  const double h = in.setup.scene.dt;
  double linear = 0, square = 0;
  for (const int place : islands[k].contacts()) {
    const Contact& c = found.contacts[at(place)];
    if (in.bodies[at(c.body_a)].driven || in.bodies[at(c.body_b)].driven) linear -= driving_work(c, in.bodies, h);
  }
  const NodeVelocities& change = islands[k].change();
  for (std::size_t node = 0; node < islands.bodies(k).size(); ++node) {
    const int b = islands.bodies(k)[node];
    const StepBody& body = in.bodies[at(b)];
    const BodyModel& model = in.setup.models[at(b)];
    const Vec3 by = change.linear[node], turn = change.angular[node];
    const Vec3 before = body.velocity - h * model.gravity_scale * in.setup.scene.gravity;
    const double alone = kinetic_energy(model, body.rotation, by, turn);
    linear += kinetic_energy(model, body.rotation, before + by, body.spin + turn) -
              kinetic_energy(model, body.rotation, before, body.spin) - alone;
    square += alone;
  }
  if (linear + square <= 0) return 1;
  return linear < 0 ? -linear / square : 0;
}

/// One squeezed island.
class SqueezedIsland {
 public:
  SqueezedIsland(const SqueezeInput& in, const Island& island, ContactSet& found)
      : in_(in), island_(island), problem_(island.problem()), places_(island.contacts()), contacts_(found.contacts) {}

  /// Whether a prescribed motion closes in and a ray exists. Impulses that throw the bodies away are one themselves.
  bool detect(bool burst) {
    const Closing closing = closing_of(island_, contacts_, in_.bodies, in_.setup.scene.dt);
    if (closing.approach > 0) ray_ = find_ray(problem_, closing);
    if (closing.approach > 0 && ray_.empty() && burst)
      for (const int place : places_) ray_.push_back(contacts_[at(place)].lambda);
    ray_.resize(ray_.empty() ? 0 : at(problem_.size()));
    return !ray_.empty();
  }

  /// Lets the prescribed motions yield at the contacts of the ray, or at all of the island.
  void yield(bool everywhere) {
    double largest = 0;
    for (const ContactVec& x : ray_) largest = std::max(largest, x.n);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      Contact& c = contacts_[at(places_[i])];
      if (c.yielded > 0 || (!everywhere && ray_[i].n < kRayShare * largest)) continue;
      c.yielded = excess(c, in_.bodies, in_.setup.scene.dt);
      c.bias += c.yielded;
    }
  }

  /// Starts from the impulses of the last step and a self-stress: what would stop the approach if every contact
  /// answered alone. It holds the body as a grip does, and grows with the overlap.
  void start() {
    double closing = 0, answer = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      closing += ray_[i].n * contacts_[at(places_[i])].yielded;
      answer += problem_.rho(static_cast<int>(i)) * dot(ray_[i], ray_[i]);
    }
    std::vector<Contact> own;
    for (const int place : places_) own.push_back(contacts_[at(place)]);
    for (Contact& c : own) c.start = {};
    transfer_impulses(in_.last, own);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      Contact& c = contacts_[at(places_[i])];
      c.start = c.lambda = project(c.set(), own[i].start + (closing / answer) * ray_[i]);
    }
  }

  /// Who leaves too little room for whom.
  [[nodiscard]] Squeeze describe() const {
    const double h = in_.setup.scene.dt;
    std::map<int, double> inside, outside;  // normal impulse of the ray by body
    double pressed = 0, overlap = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Contact& c = contacts_[at(places_[i])];
      const bool a_moves = in_.bodies[at(c.body_a)].moves, b_moves = in_.bodies[at(c.body_b)].moves;
      if (a_moves && b_moves) continue;
      inside[a_moves ? c.body_a : c.body_b] += ray_[i].n;
      outside[a_moves ? c.body_b : c.body_a] += ray_[i].n;
      pressed += 0.5 * ray_[i].n;
      overlap += ray_[i].n * (std::max(0.0, -c.gap) + h * c.yielded);
    }
    const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
    Squeeze squeeze{1, -1, -1, -1, pressed > 0 ? overlap / pressed : 0.0};
    if (pressed <= 0) return squeeze;
    squeeze.body = std::max_element(inside.begin(), inside.end(), less)->first;
    squeeze.between = squeeze.and_between = std::max_element(outside.begin(), outside.end(), less)->first;
    outside.erase(squeeze.between);
    if (!outside.empty()) squeeze.and_between = std::max_element(outside.begin(), outside.end(), less)->first;
    return squeeze;
  }

 private:
  const SqueezeInput& in_;
  const Island& island_;
  const ContactProblem& problem_;
  std::span<const int> places_;
  std::vector<Contact>& contacts_;
  Impulses ray_;
};

}  // namespace

Squeeze relax_squeezes(const SqueezeInput& in, IslandSet& islands, ContactSet& found) {
  Squeeze worst;
  if (!any_driven(in.bodies)) return worst;
  const FrictionOptions& options = in.context.options;
  for (int k = 0; k < islands.count(); ++k) {
    if (islands[k].report().status == Status::kInterrupted) continue;
    const IslandEnergy energy = energy_of(in.setup, in.bodies, found, islands, k);
    if (!is_unsolved(islands[k], options) && !is_absurd(energy, kStressed)) continue;
    SqueezedIsland squeezed(in, islands[k], found);
    if (!squeezed.detect(energy.after > kBurst * energy.before)) continue;
    for (const bool everywhere : {false, true}) {
      squeezed.yield(everywhere);
      squeezed.start();
      islands.solve_one(k, in.bodies, found, in.context);
      if (!is_unsolved(islands[k], options)) break;
    }
    const bool absurd = is_absurd(energy_of(in.setup, in.bodies, found, islands, k), kGripped);
    if (absurd || is_unsolved(islands[k], options))
      islands.scale_impulses(k, absurd ? 0 : share_without_gain(in, found, islands, k), found);
    const Squeeze one = squeezed.describe();
    const int count = worst.islands + 1;
    if (one.lack >= worst.lack) worst = one;
    worst.islands = count;
  }
  return worst;
}

const char* find_burst(const WorldSetup& setup, const StepData& step, const IslandSet& islands) {
  const bool driven = any_driven(step.bodies);
  for (int k = 0; k < islands.count(); ++k) {
    if (!driven && !is_unsolved(islands[k], setup.options.solver)) continue;
    const IslandEnergy energy = energy_of(setup, step.bodies, step.found, islands, k);
    if (energy.before > 0 && energy.after > kBurst * energy.before) return "a body has exploded out of its contacts";
  }
  return nullptr;
}

}  // namespace repose
