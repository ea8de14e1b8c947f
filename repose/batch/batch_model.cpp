// SPDX-License-Identifier: Apache-2.0
#include "repose/batch/batch_model.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "repose/base/error.h"
#include "repose/batch/backend_internal.h"
#include "repose/batch/batch_model_internal.h"
#include "repose/batch/layout_internal.h"
#include "repose/batch/model_joints_internal.h"
#include "repose/world/correction_internal.h"
#include "repose/world/joint_poses_internal.h"
#include "repose/world/materials.h"
#include "repose/world/motion.h"

namespace repose {

using namespace batch;

namespace {

constexpr int kMostBodies = 64, kMostCandidates = 30000;
constexpr int kMostVertices = 4096, kMostEdges = 16384;  // of a hull: room on the host (host.cpp)
constexpr int kWidePoints = 1 << 16;                     // a pair of hulls may have hundreds
constexpr double kSunken = 0.4;                          // share of the thinner body: decision 004
constexpr double kExploded = 1e9;                        // as in repose/world/integrate.cpp

/// A size class: threads, most contacts, and how many worlds an H100's multiprocessor holds by its registers.
struct Class {
  int threads, contacts, worlds;
};
constexpr Class kClasses[] = {{8, 8, 64}, {32, 32, 16}, {64, 64, 8}, {128, 128, 3}, {256, 512, 1}};
/// Shared memory of a multiprocessor that worlds can have, and what the hardware takes for each block, bytes.
constexpr int kSharedMemory = 228 * 1024, kBlockMemory = 1024;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// Throws for everything that batches do not know yet.
void refuse(const Scene& scene) {
  require(scene.baumgarte == 0, "batch: baumgarte: expected 0, got ", scene.baumgarte);
  const auto no = [](const std::string& what, const auto&... got) { fail("batch: ", what, got...); };
  for (const SceneJoint& joint : scene.joints) {
    for (const JointCoordinate& c : joint.coordinates)
      if (c.slack != 0) no("joint '" + joint.name + "': slack: expected 0, got ", c.slack);
    if (joint.kind == JointKind::kCompound)
      no("joint '" + joint.name + "': expected a kind with rows of its own, got a compound of ", joint.axes.size(),
         " axes");
    if (!joint.path.empty()) no("joint '" + joint.name + "': expected a coupling of joints, got a path through points");
    if (joint.thrust) no("joint '" + joint.name + "': expected a coupling of joints, got a thrust along a site");
    if (!joint.others.empty())
      no("joint '" + joint.name + "': expected a coupling over two bodies at most, got one over ",
         2 + joint.others.size());
  }
  for (const SceneActuator& actuator : scene.actuators)
    if (actuator.has_state()) no("actuator '" + actuator.name + "': dynamics: expected none, got an activation");
  if (scene.medium.acts())
    no("medium: expected none, got a density of ", scene.medium.density, " and a viscosity of ",
       scene.medium.viscosity);
  int moving = 0;
  for (const SceneBody& body : scene.bodies) {
    moving += body.kind == BodyKind::kDynamic;
    if (body.kind == BodyKind::kKinematic && !body.motion)
      no("body '" + body.name + "': motion: expected one, got a body that is guided from outside");
    if (body.motion && std::holds_alternative<ScriptMotion>(*body.motion))
      no("body '" + body.name + "': motion: expected a constant velocity, a ramp or a table, got a script");
    for (const SceneShape& shape : body.shapes) {
      const auto* hull = std::get_if<Hull>(&shape.geometry);
      if (!hull) continue;
      if (hull->polyhedron->cell)
        no("body '" + body.name +
           "': shape: expected a half-space, sphere, capsule, cylinder, box or hull, got a height field");
      const std::size_t vertices = hull->polyhedron->vertices.size(), edges = hull->polyhedron->edges.size();
      if (vertices > kMostVertices || edges > kMostEdges)
        no("body '" + body.name + "': hull: expected at most 4096 vertices and 16384 edges, got ", vertices, " and ",
           edges);
    }
  }
  for (const Event& event : scene.events) {
    const int body = std::visit([](const auto& action) { return action.body; }, event.action);
    const bool comes_or_goes =
        std::holds_alternative<Appear>(event.action) || std::holds_alternative<Disappear>(event.action);
    if (comes_or_goes && scene.bodies[at(body)].motion)
      no("event: body '" + scene.bodies[at(body)].name +
         "': expected one without a prescribed motion, got one with it");
  }
  if (moving < 1 || moving > kMostBodies) no("bodies that move: expected 1 to 64, got ", moving);
}

/// What kernels for this model must know.
int features_of(const Scene& scene, const BatchOptions& options) {
  int features = options.events || !scene.events.empty() ? kScheduled : 0;
  if (!scene.joints.empty()) features |= kJoints;
  for (const SceneBody& body : scene.bodies) {
    if (body.motion || !body.present) features |= kScheduled;
    for (const SceneShape& shape : body.shapes)
      if (std::holds_alternative<Cylinder>(shape.geometry)) features |= kCylinders;
  }
  return features;
}

EventTable event_table(const Event& event, const std::vector<int>& nodes) {
  using Kind = EventTable::Kind;
  struct Fill {
    EventTable& to;
    void operator()(const Appear& e) const { to.kind = Kind::kAppear, to.body = e.body; }
    void operator()(const Disappear& e) const { to.kind = Kind::kDisappear, to.body = e.body; }
    void operator()(const SetVelocity& e) const {
      to.kind = Kind::kSetVelocity, to.body = e.body, to.linear = e.velocity, to.angular = e.angular_velocity;
    }
    void operator()(const Push& e) const {
      to.kind = Kind::kPush, to.body = e.body, to.linear = e.force, to.angular = e.torque, to.duration = e.duration;
    }
  };
  EventTable table;
  table.time = event.time;
  std::visit(Fill{table}, event.action);
  table.node = nodes[at(table.body)];
  return table;
}

BodyTable body_table(int index, const SceneBody& body, const BodyModel& model) {
  BodyTable t;
  t.body = index;
  t.mass = model.mass, t.inverse_mass = model.inverse_mass, t.rotor = model.rotor;
  t.gravity_scale = model.gravity_scale, t.force = body.force, t.torque = body.torque;
  for (std::size_t k = 0; k < model.held.size(); ++k) t.held |= static_cast<int>(model.held[k]) << k;
  t.size = model.size, t.spin_reach = model.spin_reach, t.thickness = model.thickness;
  return t;
}

/// Bounding box of a shape in its own frame.
void set_bounds(ColliderTable& c) {
  const collision::ShapeView& s = c.shape;
  switch (s.kind) {
    case collision::Kind::kHalfSpace: break;
    case collision::Kind::kSphere: c.half = {s.radius, s.radius, s.radius}; break;
    case collision::Kind::kCapsule: c.half = {s.radius, s.radius, s.radius + s.half_length}; break;
    case collision::Kind::kCylinder: c.half = {s.radius, s.radius, s.half_length}; break;
    case collision::Kind::kPolyhedron: c.centre = s.polyhedron->centre, c.half = s.polyhedron->half; break;
  }
}

ColliderTable collider_table(const SceneShape& shape, const BodyModel& model, const BodyState& state, int body,
                             int node, collision::PolyhedronStore& store) {
  ColliderTable c;
  c.node = node, c.body = body;
  c.shape = collision::view_of(shape.geometry, store);
  c.local = {shape.pose.position - model.centre, normalized(shape.pose.rotation)};
  const Vec3 p = c.local.position;
  const Quat q = c.local.rotation;
  c.turned = p.x != 0 || p.y != 0 || p.z != 0 || q.w != 1 || q.x != 0 || q.y != 0 || q.z != 0;
  Pose pose{state.centre, state.rotation};
  if (c.turned) pose = pose * c.local;
  c.fixed = {to_matrix(pose.rotation), pose.position};
  c.size = model.size;
  set_bounds(c);
  return c;
}

/// Writes lists into one block and returns their addresses in it.
class ByteBlock {
 public:
  explicit ByteBlock(std::uintptr_t address) : address_(address) {}
  template <class T>
  const T* put(const T* from, int count) {
    const std::size_t place = (bytes_.size() + 15) / 16 * 16, size = sizeof(T) * at(count);
    bytes_.resize(place + size);
    if (count > 0) std::memcpy(bytes_.data() + place, from, size);
    return reinterpret_cast<const T*>(address_ + place);
  }
  template <class T>
  View<const T> put(View<const T> list) {
    return {put(list.data, list.size()), list.size()};
  }
  [[nodiscard]] std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::uintptr_t address_;
  std::vector<std::byte> bytes_;
};

/// Makes the tables of a scene.
class Maker {
 public:
  explicit Maker(BatchModel::Impl& m) : m_(m) {}

  void make() {
    refuse(m_.setup.scene);
    require(m_.options.tolerance > 0, "batch: tolerance: expected a number > 0, got ", m_.options.tolerance);
    require(m_.options.threads >= 1, "batch: threads: expected 1 or more, got ", m_.options.threads);
    require(m_.options.newton_budget >= 0, "batch: newton_budget: expected 0 or more, got ", m_.options.newton_budget);
    require(m_.options.removal_period >= 1, "batch: removal_period: expected 1 or more, got ",
            m_.options.removal_period);
    add_bodies();
    add_candidates();
    add_events();
    add_joints(m_);
    set_constants();
    choose_capacity();
    m_.start = start_state(m_.narrow);
    place_tables();
  }

 private:
  void add_bodies() {
    for (const SceneBody& body : m_.setup.scene.bodies) {
      const int b = static_cast<int>(m_.node_of.size());
      const BodyModel& model = m_.setup.models[at(b)];
      const BodyState state = placed_.bodies[at(b)];
      m_.node_of.push_back(add_node(b, body, model));
      for (const SceneShape& shape : body.shapes) {
        m_.collider_tables.push_back(collider_table(shape, model, state, b, m_.node_of.back(), m_.polyhedra));
        if (m_.node_of.back() != kNoNode) m_.collider_tables.back().place = places_++;
        shapes_.push_back({b, &shape});
      }
    }
  }

  int add_node(int b, const SceneBody& body, const BodyModel& model) {
    if (body.kind == BodyKind::kDynamic) {
      m_.bodies.push_back(b);
      m_.body_tables.push_back(body_table(b, body, model));
      const BodyState start = repose::start_state(body, model);  // where it appears
      m_.start_tables.push_back({start.centre, start.rotation, start.velocity, start.angular_velocity});
      return static_cast<int>(m_.bodies.size()) - 1;
    }
    if (!m_.setup.has_prescribed_motion(b)) return kNoNode;
    m_.motion_tables.push_back({view_of(*body.motion),
                                {body.pose.position, normalized(body.pose.rotation)},
                                model.spin_reach,
                                model.thickness});
    return node_of_motion(static_cast<int>(m_.motion_tables.size()) - 1);
  }

  void add_events() {
    for (const Event& event : m_.setup.scene.events) m_.event_tables.push_back(event_table(event, m_.node_of));
    std::stable_sort(m_.event_tables.begin(), m_.event_tables.end(),
                     [](const EventTable& a, const EventTable& b) { return a.time < b.time; });
  }

  void add_candidates() {
    const PairLaws& laws = m_.setup.laws;
    std::set<std::pair<int, int>> excluded;
    for (const auto& [a, b] : m_.setup.scene.excluded) excluded.insert({std::min(a, b), std::max(a, b)});
    for (const SceneJoint& j : m_.setup.scene.joints)
      if (!j.collide && j.body_a != kWorldBody && j.kind != JointKind::kCoupling)
        excluded.insert({std::min(j.body_a, j.body_b), std::max(j.body_a, j.body_b)});
    for (std::size_t a = 0; a < shapes_.size(); ++a)
      for (std::size_t b = a + 1; b < shapes_.size(); ++b) {
        const auto [body_a, x] = shapes_[a];
        const auto [body_b, y] = shapes_[b];
        const bool moves = m_.node_of[at(body_a)] >= 0 || m_.node_of[at(body_b)] >= 0;
        if (body_a == body_b || !moves || !(x->group & y->mask) || !(y->group & x->mask)) continue;
        if (excluded.contains({std::min(body_a, body_b), std::max(body_a, body_b)})) continue;
        const PairLaw& law = laws(x->material, y->material);
        const double thinness = thinner(m_.setup.models[at(body_a)], m_.setup.models[at(body_b)]);
        const OverlapRule overlap = overlap_rule(m_.setup, body_a, body_b);
        m_.candidate_tables.push_back({static_cast<int>(a), static_cast<int>(b), law.mu, law.restitution, overlap.slop,
                                       overlap.limit, kSunken * thinness});
      }
    require(m_.candidate_tables.size() <= kMostCandidates, "batch: pairs of shapes: expected at most ", kMostCandidates,
            ", got ", m_.candidate_tables.size());
  }

  void set_constants() {
    const Scene& s = m_.setup.scene;
    Tables& t = m_.narrow;
    t.h = s.dt, t.margin = s.margin, t.edge_normal = s.edge_normal;
    t.bounce_speed = m_.setup.rule.bounce_speed;
    t.tolerance = m_.options.tolerance;
    t.newton_budget = m_.options.newton_budget;
    t.removal_period = m_.options.removal_period;
    t.quick_removal = m_.options.quick_removal && m_.setup.scene.joints.empty();
    t.far = kExploded * m_.setup.scale;
    t.capacity.bodies = static_cast<int>(m_.bodies.size());
    t.capacity.colliders = static_cast<int>(m_.collider_tables.size());
    t.capacity.candidates = static_cast<int>(m_.candidate_tables.size());
    t.capacity.places = places_;
    t.recovery = s.recovery;
    t.capacity.joints = static_cast<int>(m_.joint_tables.size());
    t.capacity.joint_blocks = static_cast<int>(m_.block_tables.size());
    t.capacity.joint_rows = m_.joint_rows;
    t.capacity.coordinates = static_cast<int>(m_.coordinate_tables.size());
    t.capacity.positions = m_.positions;
    t.capacity.actuators = static_cast<int>(m_.actuator_tables.size());
    t.features = features_of(s, m_.options);
    if (!(t.features & kScheduled)) return;
    t.capacity.motions = static_cast<int>(m_.motion_tables.size());
    t.capacity.events = static_cast<int>(m_.event_tables.size());
    t.capacity.presence = (m_.setup.bodies() + 31) / 32;
  }

  /// Lists of any length that 64 bodies may need.
  void set_wide(const StateLayout& state) {
    Tables& w = m_.wide;
    w = m_.narrow;
    const int n = w.capacity.bodies;
    w.threads = 32;
    w.capacity.pairs = std::max(w.capacity.candidates, 1);
    w.capacity.contacts = 4096;
    w.capacity.blocks = n * n;
    w.capacity.updates = n * n * n;
    w.state = state;
    w.work = make_work_layout(w.capacity, w.threads, kWidePoints);
  }

  void place_tables() {
    m_.host.resize(m_.tables(0).size());
    const std::vector<std::byte> bytes = m_.tables(reinterpret_cast<std::uintptr_t>(m_.host.data()));
    std::copy(bytes.begin(), bytes.end(), m_.host.begin());
  }

  host::Needs measure() {
    Capacity start = m_.narrow.capacity;
    start.pairs = std::max(start.candidates, 1);
    start.contacts = 4096;
    set_wide(make_state_layout(start));
    place_tables();
    std::vector<std::byte> world = start_state(m_.wide);
    const host::Needs needs = host::measure(m_.wide_tables(), world.data());
    require(needs.fits, "batch: contacts at the start: expected at most 4096, got more");
    return needs;
  }

  /// The smallest size class with room for the start of the scene and a quarter more. What then remains of the memory
  /// of as many worlds as fit goes to pairs and the factor.
  void choose_capacity() {
    const host::Needs needs = measure();
    const int n = m_.narrow.capacity.bodies;
    const int needed = std::max(needs.contacts + needs.contacts / 5, 4 * n);
    for (const Class& c : kClasses) {
      Capacity& room = m_.narrow.capacity;
      const int most = c.contacts - room.joint_blocks;  // both are items of the same threads
      const int contacts = &c == std::end(kClasses) - 1 ? std::max(needed, std::min(m_.options.contacts, most))
                                                        : std::max(needed, m_.options.contacts);
      if (contacts > most) continue;
      m_.narrow.threads = c.threads;
      room.contacts = c.threads == 8 ? most : std::min(most, contacts + 2);
      room.pairs = std::clamp(std::max({needs.pairs + needs.pairs / 8, 2 * n + 2, m_.options.contacts / 2}), 1,
                              std::max(room.candidates, 1));
      room.blocks = std::min(needs.blocks + 2, n * n);
      room.updates = needs.updates + needs.updates / 8 + 4;
      if (fit(c)) return;
    }
    fail("batch: contacts: expected at most ", kClasses[4].contacts, " per world within ", kSharedMemory / 1024,
         " KB of memory, got ", needs.contacts, " at the start");
  }

  bool fit(const Class& c) {
    Capacity& room = m_.narrow.capacity;
    const int n = room.bodies;
    m_.narrow.state = make_state_layout(room, m_.options.contacts);
    const auto bytes = [&] { return make_work_layout(room, c.threads).bytes; };
    const int least = bytes(), blocks_of = std::max(1, 32 / c.threads);  // worlds of one block
    if (least * blocks_of + kBlockMemory > kSharedMemory) return false;
    const int worlds = std::clamp(kSharedMemory / (least + kBlockMemory / blocks_of), 1, c.worlds);
    const int most = kSharedMemory / worlds - kBlockMemory / blocks_of;
    // In motion more bounds overlap than at the start, and the graph has other fill-in.
    const int most_pairs = std::max(room.candidates, 1);
    for (bool grown = true; grown && (room.blocks < n * n || room.pairs < most_pairs);) {
      const Capacity before = room;
      room.pairs = std::min(room.pairs + 1, most_pairs);
      room.blocks = std::min(room.blocks + 1, n * n);
      room.updates += 2;
      grown = bytes() <= most;
      if (!grown) room = before;
    }
    m_.narrow.work = make_work_layout(room, c.threads);
    set_wide(m_.narrow.state);
    return true;
  }

  [[nodiscard]] std::vector<std::byte> start_state(const Tables& t) const {
    std::vector<std::byte> bytes(at(t.state.bytes));
    const auto put = [&](int place, const auto& value, int k) {
      std::memcpy(bytes.data() + place + at(k) * sizeof(value), &value, sizeof(value));
    };
    WorldHeader header;
    header.gravity = m_.setup.scene.gravity;
    put(0, header, 0);
    auto* presence = reinterpret_cast<unsigned*>(bytes.data() + t.state.presence);
    for (int b = 0; t.capacity.presence > 0 && b < m_.setup.bodies(); ++b)
      if (m_.setup.scene.bodies[at(b)].present) presence[b / 32] |= 1u << (b % 32);
    for (std::size_t k = 0; k < m_.bodies.size(); ++k) {
      const BodyState& s = placed_.bodies[at(m_.bodies[k])];
      put(t.state.x, s.centre, static_cast<int>(k));
      put(t.state.q, s.rotation, static_cast<int>(k));
      put(t.state.velocity, s.velocity, static_cast<int>(2 * k));
      put(t.state.velocity, s.angular_velocity, static_cast<int>(2 * k + 1));
    }
    for (std::size_t k = 0; k < m_.actuator_tables.size(); ++k)
      put(t.state.control, m_.setup.scene.actuators[k].control, static_cast<int>(k));
    for (std::size_t j = 0; j < m_.joint_tables.size(); ++j)
      for (int k = 0; k < m_.joint_tables[j].coordinates; ++k)
        put(t.state.coordinate, m_.setup.joints[j].coordinates[at(k)].start, m_.joint_tables[j].first_coordinate + k);
    if (t.capacity.positions > 0)
      fill_coordinates(m_, placed_, reinterpret_cast<double*>(bytes.data() + t.state.joint_position),
                       reinterpret_cast<double*>(bytes.data() + t.state.joint_velocity));
    return bytes;
  }

  BatchModel::Impl& m_;
  const WorldState placed_ = placed_state(m_.setup);  ///< bodies moved to where joints hold
  int places_ = 0;
  std::vector<std::pair<int, const SceneShape*>> shapes_;
};

}  // namespace

std::vector<std::byte> BatchModel::Impl::tables(std::uintptr_t address) const {
  ByteBlock block(address);
  Tables both[2] = {narrow, wide};
  block.put(both, 2);  // its addresses follow below
  std::map<const PolyhedronView*, const PolyhedronView*> views;
  for (const auto& [polyhedron, view] : polyhedra.views) {
    PolyhedronView moved = view;
    moved.vertices = block.put(view.vertices), moved.faces = block.put(view.faces), moved.loop = block.put(view.loop);
    moved.edges = block.put(view.edges), moved.loop_edge = block.put(view.loop_edge);
    moved.ring_first = block.put(view.ring_first), moved.ring = block.put(view.ring);
    moved.face_ring = block.put(view.face_ring);
    views[&view] = block.put(&moved, 1);
  }
  std::vector<ColliderTable> colliders = collider_tables;
  for (ColliderTable& c : colliders)
    if (c.shape.polyhedron) c.shape.polyhedron = views.at(c.shape.polyhedron);
  std::vector<MotionTable> motions = motion_tables;
  for (MotionTable& m : motions) m.motion.times = block.put(m.motion.times), m.motion.poses = block.put(m.motion.poses);
  const auto* motions_at = block.put(motions.data(), static_cast<int>(motions.size()));
  const auto* events_at = block.put(event_tables.data(), static_cast<int>(event_tables.size()));
  const auto* starts_at = block.put(start_tables.data(), static_cast<int>(start_tables.size()));
  const auto list = [&block](const auto& from) { return block.put(from.data(), static_cast<int>(from.size())); };
  const auto* joints_at = list(joint_tables);
  const auto* blocks_at = list(block_tables);
  const auto* coordinates_at = list(coordinate_tables);
  const auto* terms_at = list(term_tables);
  const auto* actuators_at = list(actuator_tables);
  const auto* links_at = list(link_tables);
  const auto* bodies_at = block.put(body_tables.data(), static_cast<int>(body_tables.size()));
  const auto* colliders_at = block.put(colliders.data(), static_cast<int>(colliders.size()));
  const auto* candidates_at = block.put(candidate_tables.data(), static_cast<int>(candidate_tables.size()));
  for (Tables& t : both) {
    t.bodies = bodies_at, t.colliders = colliders_at, t.candidates = candidates_at;
    t.motions = motions_at, t.events = events_at, t.starts = starts_at;
    t.joints = joints_at, t.blocks = blocks_at, t.coordinates = coordinates_at, t.terms = terms_at;
    t.actuators = actuators_at, t.links = links_at;
  }
  std::memcpy(block.bytes().data(), both, sizeof both);
  return std::move(block.bytes());
}

BatchModel::BatchModel(Scene scene, const BatchOptions& options) : impl_(std::make_unique<Impl>()) {
  impl_->setup = make_setup(std::move(scene), {});
  impl_->options = options;
  Maker(*impl_).make();
}
BatchModel::~BatchModel() = default;
BatchModel::BatchModel(BatchModel&&) noexcept = default;
BatchModel& BatchModel::operator=(BatchModel&&) noexcept = default;

const Scene& BatchModel::scene() const { return impl_->setup.scene; }
const BatchOptions& BatchModel::options() const { return impl_->options; }
const std::vector<int>& BatchModel::bodies() const { return impl_->bodies; }
const BodyModel& BatchModel::body(int k) const { return impl_->setup.models[at(impl_->bodies[at(k)])]; }
int BatchModel::threads_per_world() const { return impl_->narrow.threads; }
int BatchModel::contact_capacity() const { return impl_->narrow.capacity.contacts; }
int BatchModel::state_bytes() const { return impl_->narrow.state.bytes; }
int BatchModel::work_bytes() const { return impl_->narrow.work.bytes; }

}  // namespace repose
