// SPDX-License-Identifier: Apache-2.0
#include "repose/record/shown_forces.h"

#include <algorithm>
#include <cmath>

#include "repose/base/bits.h"
#include "repose/base/error.h"
#include "repose/stage/equivalent_impulses.h"
#include "repose/world/assemble.h"

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// Impulses differ by more than this share of the largest when they are to be computed anew on the same geometry.
constexpr double kSame = 1e-9;

/// The bodies of a step, and the blocks between them, as the solver had them.
struct StepParts {
  std::vector<StepBody> bodies;
  std::vector<char> moves, rests;  ///< by body
  std::vector<Patch> patches, links;
  Islands islands;
};

StepBody body_of(const BodyModel& model, const RecordedStep& step, std::size_t b, const BodyState& from,
                 const BodyState& to, bool present) {
  StepBody body;
  body.centre = from.centre, body.rotation = from.rotation;
  body.velocity = step.free_velocity[b], body.spin = step.free_spin[b];
  if (model.kind == BodyKind::kDynamic && present) {
    body.moves = true;
    body.root = inverse_mass_root(model, from.rotation);
    body.held = {model.held[0], model.held[1], model.held[2]};
  } else if (model.kind == BodyKind::kKinematic) {
    body.prescribed = displacement({from.centre, from.rotation}, {to.centre, to.rotation});
    body.driven = norm(body.prescribed.shift) > 0 || norm(body.prescribed.angle) > 0;
  }
  return body;
}

StepParts parts_of(const Recording& recording, const RecordedStep& step, RecordedState from, const RecordedState& to) {
  StepParts parts;
  for (const BodyTerm& term : step.terms)
    if (term.kind == BodyTerm::Kind::kChange) from.bodies[at(term.body)] = term.start;
  for (std::size_t b = 0; b < recording.models().size(); ++b) {
    const BodyState &x = from.bodies[b], &y = to.bodies[b];
    parts.bodies.push_back(body_of(recording.models()[b], step, b, x, y, to.present[b] != 0));
    parts.moves.push_back(parts.bodies.back().moves);
    parts.rests.push_back(same_bits(x.centre, y.centre) && same_bits(x.rotation, y.rotation));
  }
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    const Contact& c = step.contacts[i];
    const bool same = i > 0 && step.contacts[i - 1].collider_a == c.collider_a &&
                      step.contacts[i - 1].collider_b == c.collider_b &&
                      step.contacts[i - 1].detected_at == c.detected_at;
    if (!same) parts.patches.push_back({c.body_a, c.body_b, static_cast<int>(i), 0});
    ++parts.patches.back().count;
  }
  for (std::size_t i = 0; i < step.joint_blocks.size(); ++i) {
    const JointBlock& j = step.joint_blocks[i];
    if (i > 0 && step.joint_blocks[i - 1].joint == j.joint) continue;
    int count = 0;
    while (i + at(count) < step.joint_blocks.size() && step.joint_blocks[i + at(count)].joint == j.joint) ++count;
    add_links(
        j.body_a, j.body_b, recording.joints()[at(j.joint)].others, static_cast<int>(i), count,
        [&](int body) { return parts.moves[at(body)] != 0; }, parts.links);
  }
  parts.islands.build(parts.moves, parts.patches, parts.links);
  return parts;
}

/// Computes canonical impulses step after step; where nothing moved since the last step, its answer is taken again.
class Shown {
 public:
  Shown(const Recording& recording, Forces forces) : recording_(recording), forces_(forces) {}

  std::vector<Contact> contacts(int k, RecordedStep step, const RecordedState& from, const RecordedState& to) {
    const bool solved = step.report.certificate.solved(recording_.tolerance());
    if (!solved || step.contacts.empty()) return std::move(step.contacts);
    if (k == last_step_ + 1 && repeats(step.contacts)) {
      for (std::size_t i = 0; i < step.contacts.size(); ++i) step.contacts[i].lambda = shown_[i].lambda;
    } else {
      found_ = step.contacts;
      const StepParts parts = parts_of(recording_, step, from, to);
      for (int i = 0; i < parts.islands.count(); ++i)
        if (is_wanted(parts, i)) replace(parts, i, step);
      shown_ = step.contacts;
    }
    last_step_ = k;
    return std::move(step.contacts);
  }

 private:
  [[nodiscard]] bool repeats(const std::vector<Contact>& now) const {
    if (now.size() != found_.size()) return false;
    double largest = 0;
    for (const Contact& c : found_) largest = std::max(largest, norm(c.impulse()));
    return std::equal(now.begin(), now.end(), found_.begin(), [&](const Contact& a, const Contact& b) {
      return a.collider_a == b.collider_a && a.collider_b == b.collider_b && a.feature == b.feature &&
             same_bits(a.position, b.position) && same_bits(a.normal, b.normal) && a.mu == b.mu &&
             norm(a.impulse() - b.impulse()) <= kSame * largest;
    });
  }

  [[nodiscard]] bool is_wanted(const StepParts& parts, int island) const {
    if (forces_ == Forces::kCanonical) return true;
    int contacts = 0;
    for (const int p : parts.islands.patches(island)) contacts += parts.patches[at(p)].count;
    const auto bodies = parts.islands.bodies(island);
    const auto rests = [&](int b) { return parts.rests[at(b)] != 0; };
    return contacts <= kMostAtRest && parts.islands.links(island).empty() &&
           std::all_of(bodies.begin(), bodies.end(), rests);
  }

  void replace(const StepParts& parts, int island, RecordedStep& step) {
    IslandProblem part;
    part.assemble(parts.bodies, step.contacts, parts.patches, parts.islands.bodies(island),
                  parts.islands.patches(island), parts.islands.nodes(), recording_.dt(), step.joint_blocks, parts.links,
                  parts.islands.links(island));
    std::vector<ContactVec> lambda;
    for (const int i : part.contacts()) lambda.push_back(step.contacts[at(i)].lambda);
    for (const int i : part.joints()) lambda.push_back(step.joint_blocks[at(i)].lambda);
    const double tolerance = recording_.tolerance();
    if (part.contacts().empty() || !certify(part.problem(), lambda).solved(tolerance)) return;
    EquivalentImpulses(part.problem(), lambda, tolerance).canonical(lambda);
    for (std::size_t j = 0; j < part.contacts().size(); ++j) step.contacts[at(part.contacts()[j])].lambda = lambda[j];
  }

  const Recording& recording_;
  Forces forces_;
  int last_step_ = -2;
  std::vector<Contact> found_, shown_;  ///< of the last step computed
};

}  // namespace

Forces forces_from_name(std::string_view name, std::string_view who) {
  if (name == "auto") return Forces::kAuto;
  if (name == "solver") return Forces::kSolver;
  if (name == "canonical") return Forces::kCanonical;
  fail(who, ": expected auto, solver or canonical, got '", name, "'");
}

std::vector<std::vector<Contact>> shown_contacts(const Recording& recording, int first, int count, Forces forces) {
  if (forces == Forces::kSolver || !recording.has_terms()) return recording.contacts(first, count);
  std::vector<std::vector<Contact>> list;
  if (count == 0) return list;
  const std::vector<RecordedState> states = recording.states(first, count + 1);
  Shown shown(recording, forces);
  for (int k = 0; k < count; ++k)
    list.push_back(shown.contacts(first + k, recording.step(first + k), states[at(k)], states[at(k) + 1]));
  return list;
}

}  // namespace repose
