// SPDX-License-Identifier: Apache-2.0
// Checkpoints: a header with the length and the hash of the content, then the content, the bits of everything that
// later steps depend on. The byte order is the machine's own.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <istream>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>

#include "repose/base/error.h"
#include "repose/world/hash.h"
#include "repose/world/world_internal.h"

namespace repose {
namespace {

constexpr std::array<char, 8> kMagic{'R', 'E', 'P', 'O', 'S', 'E', 'C', 'P'};
constexpr std::uint32_t kVersion = 5;

template <class Value>
void put(std::ostream& out, const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  out.write(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class Value>
void get(std::istream& in, Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  in.read(reinterpret_cast<char*>(&value), sizeof value);
  require(static_cast<bool>(in), "checkpoint: expected a complete file, got its first part");
}

void put(std::ostream& out, const BodyState& s) {
  put(out, s.centre), put(out, s.rotation), put(out, s.velocity), put(out, s.angular_velocity);
}
void get(std::istream& in, BodyState& s) {
  get(in, s.centre), get(in, s.rotation), get(in, s.velocity), get(in, s.angular_velocity);
}

/// The fields of a contact that a warm start reads.
void put(std::ostream& out, const Contact& c) {
  put(out, c.body_a), put(out, c.body_b), put(out, c.collider_a), put(out, c.collider_b), put(out, c.feature);
  put(out, c.mode), put(out, c.position), put(out, c.normal), put(out, c.gap), put(out, c.detected_at), put(out, c.mu),
      put(out, c.bias);
  put(out, c.closing), put(out, c.start), put(out, c.lambda), put(out, c.v);
}
void get(std::istream& in, Contact& c) {
  get(in, c.body_a), get(in, c.body_b), get(in, c.collider_a), get(in, c.collider_b), get(in, c.feature);
  get(in, c.mode), get(in, c.position), get(in, c.normal), get(in, c.gap), get(in, c.detected_at), get(in, c.mu),
      get(in, c.bias);
  get(in, c.closing), get(in, c.start), get(in, c.lambda), get(in, c.v);
}

template <class Item>
void put_list(std::ostream& out, const std::vector<Item>& list) {
  put(out, static_cast<std::uint64_t>(list.size()));
  for (const Item& item : list) put(out, item);
}

/// Reads item by item, so that a damaged count cannot claim memory.
template <class Item>
void get_list(std::istream& in, std::vector<Item>& list) {
  std::uint64_t count = 0;
  get(in, count);
  list.clear();
  for (std::uint64_t k = 0; k < count; ++k) {
    Item item{};
    get(in, item);
    list.push_back(item);
  }
}

constexpr const char* kNotFinite = "checkpoint: expected finite numbers, got one that is not";

bool get_flag(std::istream& in) {
  char flag = 0;
  get(in, flag);
  require(flag == 0 || flag == 1, "checkpoint: flag: expected 0 or 1, got ", static_cast<int>(flag));
  return flag == 1;
}

bool finite(Vec3 v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
bool finite(const ContactVec& v) { return std::isfinite(v.t1) && std::isfinite(v.t2) && std::isfinite(v.n); }
bool finite(const BodyState& s) { return finite(s.centre) && finite(s.velocity) && finite(s.angular_velocity); }
bool finite(const PendingMotion& m) { return finite(m.shift) && finite(m.angle); }
bool finite(const ActivePush& p) { return finite(p.force) && finite(p.torque) && std::isfinite(p.left); }
bool finite(const Contact& c) {
  for (const double x : {c.gap, c.detected_at, c.mu, c.bias, c.closing})
    if (!std::isfinite(x)) return false;
  return finite(c.position) && finite(c.normal) && finite(c.start) && finite(c.lambda) && finite(c.v);
}
template <class Item>
bool all_finite(const std::vector<Item>& list) {
  return std::all_of(list.begin(), list.end(), [](const Item& item) { return finite(item); });
}

void check_bodies(const WorldState& state, std::size_t bodies) {
  require(state.bodies.size() == bodies && state.present.size() == bodies && state.pending.size() == bodies &&
              state.applied_force.size() == bodies && state.applied_torque.size() == bodies,
          "checkpoint: bodies: expected ", bodies, ", got ", state.bodies.size());
  require(all_finite(state.bodies) && all_finite(state.pending) && all_finite(state.applied_force) &&
              all_finite(state.applied_torque),
          kNotFinite);
  for (const BodyState& s : state.bodies)
    require(std::abs(norm(s.rotation) - 1) < 1e-9, "checkpoint: quaternion: expected length 1, got ", norm(s.rotation));
  for (const char c : state.present)
    require(c == 0 || c == 1, "checkpoint: flag: expected 0 or 1, got ", static_cast<int>(c));
}

bool is_index(int place, std::size_t count) { return place >= 0 && static_cast<std::size_t>(place) < count; }

void check_events(const ScheduleProgress& events, std::size_t bodies, std::size_t scheduled) {
  require(events.done <= scheduled, "checkpoint: past events: expected at most ", scheduled, ", got ", events.done);
  require(all_finite(events.pushes), kNotFinite);
  for (const ActivePush& p : events.pushes)
    require(is_index(p.body, bodies), "checkpoint: push: expected a body of the scene, got ", p.body);
}

void check_contacts(const std::vector<Contact>& contacts, std::size_t bodies, std::size_t shapes) {
  require(all_finite(contacts), kNotFinite);
  for (const Contact& c : contacts) {
    const auto mode = static_cast<int>(c.mode);
    require(is_index(c.body_a, bodies) && is_index(c.body_b, bodies) && is_index(c.collider_a, shapes) &&
                is_index(c.collider_b, shapes) && mode >= 0 && mode <= static_cast<int>(ContactMode::kSlip),
            "checkpoint: contact: expected bodies 0 to ", bodies - 1, ", shapes 0 to ", shapes - 1,
            " and a known mode, got bodies ", c.body_a, " and ", c.body_b, ", shapes ", c.collider_a, " and ",
            c.collider_b, ", mode ", mode);
  }
}

/// What a warm start reads of a joint block.
struct JointStart {
  int joint = 0, role = 0, part = 0, unused = 0;
  ContactVec lambda, scale;
};

/// Coordinates per joint in the first of two lists; the second one, of those beyond, is only there where a joint has
/// more.
constexpr std::size_t kFirstCoordinates = 3;

bool has_further(const WorldSetup& setup) {
  return std::any_of(setup.joints.begin(), setup.joints.end(), [](const JointModel& joint) {
    return coordinate_count(joint) > static_cast<int>(kFirstCoordinates);
  });
}

void put_coordinates(std::ostream& out, const WorldSetup& setup, const WorldState& state) {
  std::vector<std::array<double, kFirstCoordinates>> first, further;
  for (const JointValues& q : state.coordinates) {
    std::copy_n(q.begin(), kFirstCoordinates, first.emplace_back().begin());
    std::copy(q.begin() + kFirstCoordinates, q.end(), further.emplace_back().begin());
  }
  put_list(out, first);
  if (has_further(setup)) put_list(out, further);
}

void get_coordinates(std::istream& in, const WorldSetup& setup, WorldState& state) {
  std::vector<std::array<double, kFirstCoordinates>> first, further;
  get_list(in, first);
  if (has_further(setup)) get_list(in, further);
  require(first.size() == setup.joints.size() && further.size() <= first.size(), "checkpoint: joints: expected ",
          setup.joints.size(), ", got ", first.size());
  state.coordinates.assign(first.size(), {});
  for (std::size_t j = 0; j < first.size(); ++j)
    std::copy(first[j].begin(), first[j].end(), state.coordinates[j].begin());
  for (std::size_t j = 0; j < further.size(); ++j)
    std::copy(further[j].begin(), further[j].end(), state.coordinates[j].begin() + kFirstCoordinates);
}

bool has_activations(const WorldSetup& setup) {
  const auto& all = setup.scene.actuators;
  return std::any_of(all.begin(), all.end(), [](const SceneActuator& actuator) { return actuator.has_state(); });
}

void put_joints(std::ostream& out, const WorldSetup& setup, const WorldState& state, const JointSet& joints) {
  put_coordinates(out, setup, state);
  put_list(out, state.controls);
  if (has_activations(setup)) put_list(out, state.activations);
  std::vector<JointStart> starts;
  for (const JointBlock& b : joints.blocks)
    starts.push_back({b.joint, static_cast<int>(b.role), b.part, 0, b.lambda, b.scale});
  put_list(out, starts);
}

void get_joints(std::istream& in, const WorldSetup& setup, WorldState& state, JointSet& joints) {
  std::vector<JointStart> starts;
  get_coordinates(in, setup, state);
  get_list(in, state.controls);
  state.activations.assign(setup.scene.actuators.size(), 0.0);
  if (has_activations(setup)) get_list(in, state.activations);
  get_list(in, starts);
  for (const auto* list : {&state.controls, &state.activations}) {
    require(list->size() == setup.scene.actuators.size(), "checkpoint: actuators: expected ",
            setup.scene.actuators.size(), ", got ", list->size());
    for (const double x : *list) require(std::isfinite(x), kNotFinite);
  }
  for (const JointValues& q : state.coordinates)
    for (const double x : q) require(std::isfinite(x), kNotFinite);
  for (const JointStart& s : starts) {
    require(is_index(s.joint, setup.joints.size()) && s.role >= 0 && s.role <= static_cast<int>(JointRole::kServo),
            "checkpoint: joint block: expected a joint of the scene and a known role, got joint ", s.joint,
            " and role ", s.role);
    require(finite(s.lambda) && finite(s.scale), kNotFinite);
    JointBlock& block = joints.blocks.emplace_back();
    block.joint = s.joint, block.role = static_cast<JointRole>(s.role), block.part = s.part;
    block.lambda = s.lambda, block.scale = s.scale;
  }
}

/// Refuses numbers that a damaged file might hold and on which a step would fail.
void check(const WorldSetup& setup, const WorldState& state, const std::vector<Contact>& contacts) {
  require(state.steps >= 0, "checkpoint: steps: expected 0 or more, got ", state.steps);
  check_bodies(state, setup.models.size());
  check_events(state.events, setup.models.size(), setup.schedule.size());
  check_contacts(contacts, setup.models.size(), setup.colliders.size());
}

void put_header(std::ostream& out, const WorldSetup& setup) {
  put(out, kMagic);
  put(out, kVersion);
  put(out, fingerprint(setup));
}

void get_header(std::istream& in, const WorldSetup& setup) {
  std::array<char, 8> magic{};
  std::uint32_t version = 0;
  std::uint64_t found = 0;
  get(in, magic);
  require(magic == kMagic, "checkpoint: expected a file written by --checkpoint, got other content");
  get(in, version);
  require(version == kVersion, "checkpoint: version: expected ", kVersion, ", got ", version);
  get(in, found);
  require(found == fingerprint(setup), "checkpoint: scene: expected one of '", setup.scene.name,
          "' with its time step, got one of another scene or time step");
}

std::uint64_t hash_of(const std::string& content) {
  Fnv1a hash;
  for (const char c : content) hash.add(c);
  return hash.value();
}

void put_content(std::ostream& out, const std::string& content) {
  put(out, static_cast<std::uint64_t>(content.size()));
  put(out, hash_of(content));
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
}

/// Reads block by block, so that a damaged length cannot claim memory.
std::string get_content(std::istream& in) {
  constexpr std::uint64_t kBlock = 1 << 20;
  std::uint64_t length = 0, expected = 0;
  get(in, length);
  get(in, expected);
  std::string content;
  while (content.size() < length) {
    const std::size_t before = content.size();
    content.resize(before + std::min<std::uint64_t>(kBlock, length - before));
    in.read(&content[before], static_cast<std::streamsize>(content.size() - before));
    require(static_cast<bool>(in), "checkpoint: expected a complete file, got its first part");
  }
  require(hash_of(content) == expected,
          "checkpoint: expected the content that was written, got other bytes: the file is damaged");
  return content;
}

void put(std::ostream& out, const WorldState& state) {
  put(out, state.steps);
  put_list(out, state.bodies);
  put_list(out, state.pending);
  put_list(out, state.present);
  put_list(out, state.applied_force);
  put_list(out, state.applied_torque);
  put(out, static_cast<std::uint64_t>(state.events.done));
  put_list(out, state.events.pushes);
}

void get(std::istream& in, WorldState& state) {
  std::uint64_t done = 0;
  get(in, state.steps);
  get_list(in, state.bodies);
  get_list(in, state.pending);
  get_list(in, state.present);
  get_list(in, state.applied_force);
  get_list(in, state.applied_torque);
  get(in, done);
  state.events.done = done;
  get_list(in, state.events.pushes);
}

bool has_guides(const WorldSetup& setup) {
  for (int b = 0; b < setup.bodies(); ++b)
    if (setup.is_guided(b)) return true;
  return false;
}

void get_guides(std::istream& in, const WorldSetup& setup, WorldState& state) {
  state.guides.assign(setup.models.size(), {});
  if (!has_guides(setup)) return;
  get_list(in, state.guides);
  require(state.guides.size() == setup.models.size(), "checkpoint: guides: expected ", setup.models.size(), ", got ",
          state.guides.size());
  for (const Pose& pose : state.guides)
    require(finite(pose.position) && std::abs(norm(pose.rotation) - 1) < 1e-9, kNotFinite);
}

void put(std::ostream& out, const IslandSet::Slots& slots) {
  for (const auto& slot : slots) {
    put(out, static_cast<char>(slot != nullptr));
    if (!slot) continue;
    put(out, static_cast<char>(slot->memory().iterated));
    put(out, slot->memory().solver);
  }
}

void get(std::istream& in, IslandSet::Slots& slots, const FrictionOptions& options) {
  for (auto& slot : slots) {
    if (!get_flag(in)) continue;
    Island::Memory memory;
    signed char iterated = 0;  // plain char has no sign on aarch64
    get(in, iterated);
    require(iterated >= 0 && iterated <= Island::kMostIterated, "checkpoint: solves that iterated: expected 0 .. ",
            Island::kMostIterated, ", got ", static_cast<int>(iterated));
    memory.iterated = iterated;
    get(in, memory.solver);
    require(std::isfinite(memory.solver), kNotFinite);
    slot = std::make_unique<Island>();
    slot->restore(memory, options);
  }
}

}  // namespace

std::uint64_t fingerprint(const WorldSetup& setup) {
  const Scene& scene = setup.scene;
  Fnv1a hash;
  hash.add(scene.dt);
  hash.add(setup.colliders.size());
  hash.add(scene.events.size());
  // The default adds nothing: checkpoints without this choice stay readable.
  if (scene.edge_normal != EdgeNormal::kBisecting) hash.add(static_cast<int>(scene.edge_normal));
  for (const JointModel& joint : setup.joints) {
    hash.add(static_cast<int>(joint.kind)), hash.add(joint.body_a), hash.add(joint.body_b), hash.add(joint.rest);
    for (const int body : joint.others) hash.add(body);
    for (const JointAxis& own : joint.axes) {
      hash.add(own.slides);
      for (const Vec3& v : {own.axis, own.point}) hash.add(v.x), hash.add(v.y), hash.add(v.z);
    }
    for (const PathPoint& point : joint.path)
      for (const double x : {point.point.x, point.point.y, point.point.z, point.factor}) hash.add(x);
  }
  if (!setup.joints.empty()) hash.add(scene.actuators.size());
  for (std::size_t b = 0; b < setup.models.size(); ++b) {
    const BodyModel& model = setup.models[b];
    hash.add(scene.bodies[b].name);
    hash.add(static_cast<int>(model.kind));
    hash.add(model.mass);
    for (const Vec3& v : {model.rotor.moments, model.centre}) hash.add(v.x), hash.add(v.y), hash.add(v.z);
    hash.add(model.size);
  }
  return hash.value();
}

void World::save(std::ostream& out) const {
  const Impl& w = *impl_;
  require(!w.collisions_are_broken, "checkpoint: expected a world after a step, got one whose last step lacked memory");
  std::ostringstream content;
  put(content, w.state);
  if (has_guides(w.setup)) put_list(content, w.state.guides);
  put_list(content, w.data.found.contacts);
  if (!w.setup.joints.empty()) put_joints(content, w.setup, w.state, w.data.found.joints);
  put(content, w.islands.slots());
  w.collision.save(content);
  put_header(out, w.setup);
  put_content(out, content.str());
  require(static_cast<bool>(out), "checkpoint: expected a place that can be written, got a write error");
}

void World::load(std::istream& from) {
  Impl& w = *impl_;
  get_header(from, w.setup);
  std::istringstream in(get_content(from));
  // Read into copies first: a damaged checkpoint changes nothing.
  WorldState state;
  std::vector<Contact> contacts;
  IslandSet::Slots slots(w.islands.slots().size());
  get(in, state);
  get_guides(in, w.setup, state);
  get_list(in, contacts);
  JointSet joints;
  if (!w.setup.joints.empty()) get_joints(in, w.setup, state, joints);
  check(w.setup, state, contacts);
  get(in, slots, w.setup.options.solver);
  w.renew_collisions();
  w.collision.load(in);  // all of it or nothing; the last that can fail
  state.events.pushes.reserve(w.setup.schedule.size());
  std::copy(state.bodies.begin(), state.bodies.end(), w.state.bodies.begin());
  state.bodies = std::move(w.state.bodies);  // the bodies stay where they are in memory
  w.state = std::move(state);
  w.data.found.contacts = std::move(contacts);
  w.data.found.patches.clear();
  w.data.found.joints = std::move(joints);
  w.data.bodies.clear();  // nothing is known of a last step
  w.data.kinematics.motor.clear();
  w.islands.restore(std::move(slots));
  for (int b = 0; b < w.setup.bodies(); ++b) w.collision.set_present(b, w.state.present[static_cast<std::size_t>(b)]);
}

}  // namespace repose
