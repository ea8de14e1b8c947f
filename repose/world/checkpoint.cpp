// SPDX-License-Identifier: Apache-2.0
// Checkpoints: a header, then the bits of everything that the future depends on. The byte order is the machine's own.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <istream>
#include <ostream>
#include <type_traits>

#include "repose/base/error.h"
#include "repose/world/hash.h"
#include "repose/world/world_internal.h"

namespace repose {
namespace {

constexpr std::array<char, 8> kMagic{'R', 'E', 'P', 'O', 'S', 'E', 'C', 'P'};
constexpr std::uint32_t kVersion = 2;

template <class Value>
void put(std::ostream& out, const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  out.write(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class Value>
void get(std::istream& in, Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  in.read(reinterpret_cast<char*>(&value), sizeof value);
  require(static_cast<bool>(in), "checkpoint: found fewer bytes than it announces, allowed a complete one");
}

void put(std::ostream& out, const BodyState& s) {
  put(out, s.centre), put(out, s.rotation), put(out, s.velocity), put(out, s.angular_velocity);
}
void get(std::istream& in, BodyState& s) {
  get(in, s.centre), get(in, s.rotation), get(in, s.velocity), get(in, s.angular_velocity);
}

/// What a warm start takes from a contact.
void put(std::ostream& out, const Contact& c) {
  put(out, c.body_a), put(out, c.body_b), put(out, c.collider_a), put(out, c.collider_b), put(out, c.feature);
  put(out, c.mode), put(out, c.position), put(out, c.normal), put(out, c.gap), put(out, c.seen), put(out, c.mu),
      put(out, c.bias);
  put(out, c.closing), put(out, c.start), put(out, c.lambda), put(out, c.v);
}
void get(std::istream& in, Contact& c) {
  get(in, c.body_a), get(in, c.body_b), get(in, c.collider_a), get(in, c.collider_b), get(in, c.feature);
  get(in, c.mode), get(in, c.position), get(in, c.normal), get(in, c.gap), get(in, c.seen), get(in, c.mu),
      get(in, c.bias);
  get(in, c.closing), get(in, c.start), get(in, c.lambda), get(in, c.v);
}

template <class Item>
void put_list(std::ostream& out, const std::vector<Item>& list) {
  put(out, static_cast<std::uint64_t>(list.size()));
  for (const Item& item : list) put(out, item);
}

/// Grows with what was read, so that a damaged count cannot claim memory.
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

constexpr const char* kNotFinite = "checkpoint: found a number that is not finite, allowed finite numbers";

bool get_flag(std::istream& in) {
  char flag = 0;
  get(in, flag);
  require(flag == 0 || flag == 1, "checkpoint: found ", static_cast<int>(flag), " for a flag, allowed 0 and 1");
  return flag == 1;
}

/// What a checkpoint holds of the world itself.
struct Parts {
  int steps = 0;
  std::vector<BodyState> states;
  std::vector<char> present;
  std::vector<Vec3> force, torque;
  std::vector<ActivePush> pushes;
  std::vector<Contact> contacts;
};

bool finite(Vec3 v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
bool finite(const ContactVec& v) { return std::isfinite(v.t1) && std::isfinite(v.t2) && std::isfinite(v.n); }
bool finite(const BodyState& s) { return finite(s.centre) && finite(s.velocity) && finite(s.angular_velocity); }
bool finite(const ActivePush& p) { return finite(p.force) && finite(p.torque) && std::isfinite(p.left); }
bool finite(const Contact& c) {
  for (const double x : {c.gap, c.seen, c.mu, c.bias, c.closing})
    if (!std::isfinite(x)) return false;
  return finite(c.position) && finite(c.normal) && finite(c.start) && finite(c.lambda) && finite(c.v);
}
template <class Item>
bool all_finite(const std::vector<Item>& list) {
  return std::all_of(list.begin(), list.end(), [](const Item& item) { return finite(item); });
}

/// Numbers that a damaged file might hold and a step would trip over are refused here.
void check(const Parts& parts, std::size_t bodies, std::size_t shapes) {
  require(parts.states.size() == bodies && parts.present.size() == bodies && parts.force.size() == bodies &&
              parts.torque.size() == bodies,
          "checkpoint: found ", parts.states.size(), " bodies, allowed ", bodies);
  require(parts.steps >= 0, "checkpoint: found ", parts.steps, " steps, allowed 0 or more");
  require(all_finite(parts.states) && all_finite(parts.force) && all_finite(parts.torque) && all_finite(parts.pushes) &&
              all_finite(parts.contacts),
          kNotFinite);
  for (const BodyState& s : parts.states)
    require(std::abs(norm(s.rotation) - 1) < 1e-9, "checkpoint: found a quaternion of length ", norm(s.rotation),
            ", allowed 1");
  for (const char c : parts.present)
    require(c == 0 || c == 1, "checkpoint: found ", static_cast<int>(c), " for a flag, allowed 0 and 1");
  const auto among = [](int place, std::size_t count) { return place >= 0 && static_cast<std::size_t>(place) < count; };
  for (const ActivePush& p : parts.pushes)
    require(among(p.body, bodies), "checkpoint: found a push on body ", p.body, ", allowed those of the scene");
  for (const Contact& c : parts.contacts) {
    const auto mode = static_cast<int>(c.mode);
    require(among(c.body_a, bodies) && among(c.body_b, bodies) && among(c.collider_a, shapes) &&
                among(c.collider_b, shapes) && mode >= 0 && mode <= static_cast<int>(ContactMode::kSlip),
            "checkpoint: found a contact of bodies or shapes that do not exist, allowed those of the scene");
  }
}

}  // namespace

/// Of what must be the same when a run goes on: bodies, masses, shapes, step, the normal of parallel edges.
std::uint64_t World::Impl::fingerprint() const {
  Fnv1a hash;
  hash.add(scene.dt);
  hash.add(colliders.size());
  hash.add(scene.events.size());
  // The default adds nothing, so that checkpoints made before there was a choice can be read.
  if (scene.edge_normal != EdgeNormal::kBisecting) hash.add(static_cast<int>(scene.edge_normal));
  for (int b = 0; b < count(); ++b) {
    const auto k = static_cast<std::size_t>(b);
    hash.add(scene.bodies[k].name);
    hash.add(static_cast<int>(models[k].kind));
    hash.add(models[k].mass);
    for (const Vec3& v : {models[k].rotor.moments, models[k].centre}) hash.add(v.x), hash.add(v.y), hash.add(v.z);
    hash.add(models[k].size);
  }
  return hash.value();
}

void World::save(std::ostream& out) const {
  const Impl& w = *impl_;
  put(out, kMagic);
  put(out, kVersion);
  put(out, w.fingerprint());
  put(out, w.steps);
  put_list(out, w.states);
  put_list(out, w.present);
  put_list(out, w.applied_force);
  put_list(out, w.applied_torque);
  put(out, static_cast<std::uint64_t>(w.schedule.done()));
  put_list(out, w.schedule.pushes());
  put_list(out, w.contacts);
  for (const auto& slot : w.slots) {
    put(out, static_cast<char>(slot != nullptr));
    if (!slot) continue;
    put(out, slot->memory().iterated);
    put(out, slot->memory().solver);
  }
  w.collision.save(out);
  require(static_cast<bool>(out), "checkpoint: cannot be written");
}

void World::load(std::istream& in) {
  Impl& w = *impl_;
  std::array<char, 8> magic{};
  std::uint32_t version = 0;
  std::uint64_t fingerprint = 0, events = 0;
  get(in, magic);
  require(magic == kMagic, "checkpoint: found other content, allowed a file written by --checkpoint");
  get(in, version);
  require(version == kVersion, "checkpoint: found version ", version, ", allowed ", kVersion);
  get(in, fingerprint);
  require(fingerprint == w.fingerprint(), "checkpoint: found one of another scene or time step, allowed one of scene '",
          w.scene.name, "'");
  // Into parts of their own first: a damaged checkpoint changes nothing, and the states stay where they are in memory.
  Parts parts;
  get(in, parts.steps);
  get_list(in, parts.states);
  get_list(in, parts.present);
  get_list(in, parts.force);
  get_list(in, parts.torque);
  get(in, events);
  get_list(in, parts.pushes);
  get_list(in, parts.contacts);
  check(parts, w.states.size(), w.colliders.size());
  Schedule schedule = w.schedule;
  schedule.restore(events, std::move(parts.pushes));
  std::vector<std::unique_ptr<Island>> slots(w.slots.size());
  for (auto& slot : slots) {
    if (!get_flag(in)) continue;
    Island::Memory memory;
    memory.iterated = get_flag(in);
    get(in, memory.solver);
    require(std::isfinite(memory.solver), kNotFinite);
    slot = std::make_unique<Island>();
    slot->restore(memory, w.options.solver);
  }
  w.collision.load(in);  // all of it or nothing; the last that can fail
  w.steps = parts.steps;
  std::copy(parts.states.begin(), parts.states.end(), w.states.begin());
  w.present = std::move(parts.present);
  w.applied_force = std::move(parts.force);
  w.applied_torque = std::move(parts.torque);
  w.contacts = std::move(parts.contacts);
  w.schedule = std::move(schedule);
  w.slots = std::move(slots);
  for (int b = 0; b < w.count(); ++b) w.collision.set_present(b, w.present[static_cast<std::size_t>(b)]);
  w.islands_valid = false;
  w.active.clear();
}

}  // namespace repose
