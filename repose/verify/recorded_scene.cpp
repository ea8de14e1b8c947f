// SPDX-License-Identifier: Apache-2.0
#include "repose/verify/recorded_scene.h"

#include <algorithm>
#include <cmath>

#include "repose/base/error.h"
#include "repose/scene/native_json.h"
#include "repose/shape/polyhedron.h"
#include "repose/verify/motion.h"
#include "repose/verify/surface.h"

namespace repose::verify {
namespace {

constexpr double kOverlap = 1e-6;  // share of the smaller body from which an overlap needs a contact
constexpr double kSpeed = 1e-12;   // share by which a velocity that an event sets may differ

std::size_t at(int k) { return static_cast<std::size_t>(k); }
std::pair<int, int> ordered(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

}  // namespace

RecordedScene::RecordedScene(Scene scene, const Recording& recording)
    : scene_(std::move(scene)), recording_(recording) {
  for (int b = 0; b < static_cast<int>(scene_.bodies.size()); ++b) {
    double radius = 0;
    for (const SceneShape& shape : scene_.bodies[at(b)].shapes) {
      const double own = reach(shape.geometry);
      shapes_.push_back({b, &shape, ball_around(shape.geometry)});
      if (std::isfinite(own))
        radius = std::max(radius, norm(shape.pose.position - recording.models()[at(b)].centre) + own);
    }
    sizes_.push_back(2 * radius);
    scale_ = std::max(scale_, 2 * radius);
  }
  for (const auto& [a, b] : scene_.excluded) apart_.insert(ordered(a, b));
  for (const SceneJoint& joint : scene_.joints)
    if (!joint.collide && joint.body_a != kWorldBody && joint.kind != JointKind::kCoupling)
      apart_.insert(ordered(joint.body_a, joint.body_b));
}

bool RecordedScene::has_shapes_of(const Contact& c) const {
  const auto is_of = [&](int shape, int body) {
    return shape >= 0 && at(shape) < shapes_.size() && shapes_[at(shape)].body == body;
  };
  return is_of(c.collider_a, c.body_a) && is_of(c.collider_b, c.body_b);
}

double RecordedScene::pair_size(int a, int b) const {
  const double x = sizes_[at(shapes_[at(a)].body)], y = sizes_[at(shapes_[at(b)].body)];
  return x > 0 && y > 0 ? std::min(x, y) : std::max(x, y);
}

const PairOverride* RecordedScene::own_law(int a, int b) const {
  for (auto law = scene_.overrides.rbegin(); law != scene_.overrides.rend(); ++law)
    if (ordered(law->material_a, law->material_b) == ordered(a, b)) return &*law;
  return nullptr;
}

double RecordedScene::friction(int shape_a, int shape_b) const {
  const int a = shapes_[at(shape_a)].shape->material, b = shapes_[at(shape_b)].shape->material;
  if (const PairOverride* law = own_law(a, b)) return law->friction;
  const double x = scene_.materials[at(a)].friction, y = scene_.materials[at(b)].friction;
  switch (scene_.combine) {
    case Combine::kGeometricMean: return std::sqrt(x * y);
    case Combine::kMinimum: return std::min(x, y);
    case Combine::kMaximum: return std::max(x, y);
    case Combine::kAverage: return 0.5 * (x + y);
    case Combine::kMultiply: return x * y;
  }
  return 0;
}

double RecordedScene::restitution(int shape_a, int shape_b) const {
  const int a = shapes_[at(shape_a)].shape->material, b = shapes_[at(shape_b)].shape->material;
  if (const PairOverride* law = own_law(a, b)) return law->restitution;
  return std::max(scene_.materials[at(a)].restitution, scene_.materials[at(b)].restitution);
}

double RecordedScene::gap_bias(const Contact& c, double h) const {
  if (c.gap >= 0) return c.gap / h;
  const double sunk = std::max(-c.gap - scene_.slop, 0.0);
  return c.is_predicted() ? 0.0 : -scene_.baumgarte * sunk / h;
}

Pose RecordedScene::pose(int shape, const RecordedState& state) const {
  const Shape& own = shapes_[at(shape)];
  const BodyState& body = state.bodies[at(own.body)];
  const Pose frame{body.centre - rotate(body.rotation, recording_.models()[at(own.body)].centre), body.rotation};
  return frame * own.shape->pose;
}

double RecordedScene::distance_from_surfaces(const Contact& c, const RecordedState& state) const {
  const Vec3 half = (0.5 * c.gap) * c.normal;
  const auto off = [&](int shape, Vec3 point) {
    const Pose at_shape = pose(shape, state);
    return std::abs(height_over(shapes_[at(shape)].shape->geometry, inverse(at_shape) * point));
  };
  return std::max(off(c.collider_a, c.position - half), off(c.collider_b, c.position + half));
}

bool RecordedScene::has_exact_points(int shape_a, int shape_b) const {
  const Geometry &a = shapes_[at(shape_a)].shape->geometry, &b = shapes_[at(shape_b)].shape->geometry;
  const auto flat = [](const Geometry& g) { return std::holds_alternative<Box>(g) || std::holds_alternative<Hull>(g); };
  if (std::holds_alternative<Sphere>(a) || std::holds_alternative<Sphere>(b)) return true;
  return (std::holds_alternative<HalfSpace>(a) && flat(b)) || (std::holds_alternative<HalfSpace>(b) && flat(a));
}

double RecordedScene::roughness(int shape_a, int shape_b) const {
  const Geometry &a = shapes_[at(shape_a)].shape->geometry, &b = shapes_[at(shape_b)].shape->geometry;
  if (std::holds_alternative<HalfSpace>(a) || std::holds_alternative<HalfSpace>(b)) return 0;
  const auto of = [](const Geometry& g) {
    const auto* hull = std::get_if<Hull>(&g);
    return hull == nullptr ? 0.0 : hull->polyhedron->roughness;
  };
  return of(a) + of(b);
}

bool RecordedScene::may_touch(const Shape& a, const Shape& b) const {
  const auto moves = [&](const Shape& s) { return scene_.bodies[at(s.body)].kind == BodyKind::kDynamic; };
  return a.body != b.body && (moves(a) || moves(b)) && (a.shape->group & b.shape->mask) != 0 &&
         (b.shape->group & a.shape->mask) != 0 && !apart_.count(ordered(a.body, b.body));
}

int RecordedScene::overlaps_without(const std::set<std::pair<int, int>>& touched, const RecordedState& state,
                                    const std::vector<char>& present) const {
  std::vector<Pose> poses;
  for (int s = 0; s < static_cast<int>(shapes_.size()); ++s) poses.push_back(pose(s, state));
  // By the lower end along x: a pair beyond the reach of both is passed over.
  std::vector<int> order(shapes_.size());
  for (std::size_t s = 0; s < order.size(); ++s) order[s] = static_cast<int>(s);
  std::vector<double> middle;
  for (std::size_t s = 0; s < poses.size(); ++s) middle.push_back((poses[s] * shapes_[s].ball.middle).x);
  const auto low = [&](int s) { return middle[at(s)] - shapes_[at(s)].ball.radius; };
  // Sides between the prisms of a height field are no surface: a shape that touches one prism may reach into the next.
  const auto is_prism = [&](int s) {
    if (s < 0 || at(s) >= shapes_.size()) return false;  // a contact of a damaged recording
    const auto* hull = std::get_if<Hull>(&shapes_[at(s)].shape->geometry);
    return hull != nullptr && hull->polyhedron->cell != nullptr;
  };
  std::set<std::pair<int, int>> on_field;  // body of the field, shape
  for (const auto& [a, b] : touched) {
    if (is_prism(a)) on_field.insert({shapes_[at(a)].body, b});
    if (is_prism(b)) on_field.insert({shapes_[at(b)].body, a});
  }
  std::sort(order.begin(), order.end(), [&](int x, int y) { return low(x) < low(y); });
  int found = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const int a = order[i], b = order[j];
      const Shape &own = shapes_[at(a)], &other = shapes_[at(b)];
      if (low(b) > middle[at(a)] + own.ball.radius) break;
      if (own.body == other.body) continue;
      if (!present[at(own.body)] || !present[at(other.body)] || !may_touch(own, other)) continue;
      if (touched.count(ordered(a, b)) || touched.count({b, a}) || touched.count({a, b})) continue;
      if (is_prism(a) && on_field.count({own.body, b})) continue;
      if (is_prism(b) && on_field.count({other.body, a})) continue;
      found += overlap_deeper(own.shape->geometry, poses[at(a)], other.shape->geometry, poses[at(b)],
                              kOverlap * pair_size(a, b));
    }
  return found;
}

void RecordedScene::check_events(int step, const RecordedStep& recorded, const RecordedState& before,
                                 const RecordedState& after, StepCheck& result) const {
  const double h = recording_.dt(), now = step * h;
  std::vector<char> present;
  for (const SceneBody& body : scene_.bodies) present.push_back(body.present);
  std::vector<const SetVelocity*> set(scene_.bodies.size(), nullptr);
  std::vector<char> joins(scene_.bodies.size(), 0);
  for (const Event& event : scene_.events) {
    if (!(event.time <= now + 1e-9 * h)) continue;
    const bool due = step == 0 || event.time > now - h + 1e-9 * h;
    if (const auto* e = std::get_if<Appear>(&event.action)) present[at(e->body)] = 1, joins[at(e->body)] = due;
    if (const auto* e = std::get_if<Disappear>(&event.action)) present[at(e->body)] = 0;
    if (const auto* e = std::get_if<SetVelocity>(&event.action); e && due) set[at(e->body)] = e;
  }
  std::vector<char> changed(scene_.bodies.size(), 0);
  for (const BodyTerm& term : recorded.terms)
    if (term.kind == BodyTerm::Kind::kChange) changed[at(term.body)] = 1;
  for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
    result.events_missed += (present[b] != 0) != (after.present[b] != 0) && !changed[b];
    if (set[b] && after.present[b]) {
      const Vec3 off = before.bodies[b].velocity - set[b]->velocity;
      result.events_missed += norm(off) > kSpeed * norm(set[b]->velocity) + kSpeed * scale_ / h;
    }
    result.changes += changed[b] && !set[b] && !joins[b];
    const SceneBody& body = scene_.bodies[b];
    if (!body.motion) continue;
    const Pose given{after.positions[b], after.bodies[b].rotation};
    const Pose end = prescribed_pose(*body.motion, body.pose, (step + 1) * h, given);
    const double off = norm(end.position - given.position) +
                       0.5 * scale_ * norm(rotation_vector(end.rotation * conjugate(given.rotation)));
    result.prescribed = std::max(result.prescribed, scale_ > 0 ? off / scale_ : off);
  }
}

std::optional<RecordedScene> read_scene(const Recording& recording) {
  if (recording.scene_json().empty()) return std::nullopt;
  try {
    Scene scene = parse_native_scene(recording.scene_json(), "the recording's scene");
    if (scene.bodies.size() != recording.models().size()) return std::nullopt;
    return RecordedScene(std::move(scene), recording);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace repose::verify
