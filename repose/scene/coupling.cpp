// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "repose/scene/scene.h"

namespace repose {
namespace {

constexpr double kParallel = 1e-9;  // of the largest factor

std::size_t at(int k) { return static_cast<std::size_t>(k); }

bool is_linear(const CouplingTerm& term) {
  return term.factors[1] == 0 && term.factors[2] == 0 && term.factors[3] == 0;
}

/// Whether the sum does not depend on the motion of a body: only hinges touch it, and their axes times their factors
/// add up to zero in the body's frame.
bool cancels(const Scene& scene, const SceneJoint& coupling, int body) {
  const auto is_at = [&](const PathPoint& point) { return point.body == body; };
  if (std::any_of(coupling.path.begin(), coupling.path.end(), is_at)) return false;
  if (coupling.thrust && coupling.thrust->body == body) return false;
  Vec3 sum;
  double largest = 0;
  for (const CouplingTerm& term : coupling.terms) {
    const SceneJoint& joint = scene.joints[at(term.joint)];
    if (joint.body_a != body && joint.body_b != body) continue;
    if (joint.kind != JointKind::kHinge || !is_linear(term)) return false;
    const Vec3 axis = rotate((joint.body_b == body ? joint.frame_b : joint.frame_a).rotation, {0, 0, 1});
    sum = sum + (joint.body_b == body ? 1 : -1) * term.factors[0] * axis;
    largest = std::max(largest, std::abs(term.factors[0]));
  }
  return norm(sum) <= kParallel * largest;
}

/// Calls take(body) for the bodies of all parts of the sum, some of them again.
template <class Take>
void for_bodies(const Scene& scene, const SceneJoint& coupling, const Take& take) {
  for (const CouplingTerm& term : coupling.terms) {
    const SceneJoint& joint = scene.joints[at(term.joint)];
    take(joint.body_a), take(joint.body_b);
  }
  for (std::size_t k = 0; k + 1 < coupling.path.size(); ++k) {
    const PathPoint &from = coupling.path[k], &to = coupling.path[k + 1];
    if (from.factor != 0 && from.body != to.body) take(from.body), take(to.body);
  }
  if (coupling.thrust) take(coupling.thrust->body);
}

}  // namespace

bool couple(const Scene& scene, SceneJoint& coupling) {
  std::vector<int> bodies;
  for_bodies(scene, coupling, [&](int body) {
    if (body == kWorldBody || scene.bodies[at(body)].kind == BodyKind::kStatic) return;
    if (std::find(bodies.begin(), bodies.end(), body) == bodies.end()) bodies.push_back(body);
  });
  std::erase_if(bodies, [&](int body) { return cancels(scene, coupling, body); });
  if (bodies.empty()) return false;
  coupling.others.clear();
  if (bodies.size() > 2) {  // bodies that a row moves come first
    const auto is_dynamic = [&](int body) { return scene.bodies[at(body)].kind == BodyKind::kDynamic; };
    std::stable_partition(bodies.begin(), bodies.end(), is_dynamic);
    coupling.others.assign(bodies.begin() + 2, bodies.end());
  }
  coupling.body_a = bodies.size() > 1 ? bodies[0] : kWorldBody;
  coupling.body_b = bodies[std::min<std::size_t>(bodies.size() - 1, 1)];
  return true;
}

}  // namespace repose
