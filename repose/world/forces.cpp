// SPDX-License-Identifier: Apache-2.0
#include "repose/world/forces.h"

#include "repose/base/error.h"

namespace repose {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool is_solved(const World& world, int island) {
  return world.problem_report(island).certificate.solved(world.options().solver.tolerance);
}

/// The impulses of an island's last solve.
std::vector<ContactVec> found_impulses(const World& world, int island) {
  std::vector<ContactVec> lambda;
  for (const int i : world.problem_contacts(island)) lambda.push_back(world.contacts()[at(i)].lambda);
  for (const int i : world.problem_joint_blocks(island)) lambda.push_back(world.joint_blocks()[at(i)].lambda);
  return lambda;
}

/// The range of the sum of the normal forces at the chosen contacts. Islands do not influence each other.
template <class Chosen>
ForceRange normal_force_range(const World& world, const Chosen& chosen) {
  ForceRange total;
  for (int k = 0; k < world.problems(); ++k) {
    std::vector<ContactVec> weight;
    bool any = false;
    for (const int i : world.problem_contacts(k)) {
      weight.push_back({0, 0, chosen(i) ? 1.0 : 0.0});
      any = any || chosen(i);
    }
    if (!any) continue;
    weight.resize(at(world.problem(k).size()));
    require(is_solved(world, k), "force range: expected a solved step, got a residual of ",
            world.problem_report(k).certificate.worst());
    const ForceRange range =
        EquivalentImpulses(world.problem(k), found_impulses(world, k), world.options().solver.tolerance).range(weight);
    total.least += range.least / world.scene().dt;
    total.greatest += range.greatest / world.scene().dt;
  }
  return total;
}

}  // namespace

std::vector<ContactVec> canonical_impulses(const World& world) {
  std::vector<ContactVec> all;
  for (const Contact& c : world.contacts()) all.push_back(c.lambda);
  for (int k = 0; k < world.problems(); ++k) {
    if (!is_solved(world, k)) continue;
    std::vector<ContactVec> lambda = found_impulses(world, k);
    EquivalentImpulses(world.problem(k), lambda, world.options().solver.tolerance).canonical(lambda);
    const auto contacts = world.problem_contacts(k);
    for (std::size_t j = 0; j < contacts.size(); ++j) all[at(contacts[j])] = lambda[j];
  }
  return all;
}

ForceRange contact_force_range(const World& world, int contact) {
  const int contacts = static_cast<int>(world.contacts().size());
  require(contact >= 0 && contact < contacts, "force range: contact: expected 0 .. ", contacts - 1, ", got ", contact);
  return normal_force_range(world, [&](int i) { return i == contact; });
}

ForceRange pair_force_range(const World& world, int body_a, int body_b) {
  const auto joins = [&](int i) {
    const Contact& c = world.contacts()[at(i)];
    return (c.body_a == body_a && c.body_b == body_b) || (c.body_a == body_b && c.body_b == body_a);
  };
  return normal_force_range(world, joins);
}

}  // namespace repose
