// SPDX-License-Identifier: Apache-2.0
// Checkpoints: a header, then the bits of everything that the future depends on. The byte order is the machine's own.
#include <algorithm>
#include <array>
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

}  // namespace

/// Of what must be the same when a run goes on: bodies, masses, shapes, step.
std::uint64_t World::Impl::fingerprint() const {
  Fnv1a hash;
  hash.add(scene.dt);
  hash.add(colliders.size());
  hash.add(scene.events.size());
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
  // Into lists of their own first: a damaged checkpoint changes nothing, and the states stay where they are in memory.
  int steps = 0;
  std::vector<BodyState> states;
  std::vector<char> present;
  std::vector<Vec3> force, torque;
  std::vector<ActivePush> pushes;
  std::vector<Contact> contacts;
  get(in, steps);
  get_list(in, states);
  get_list(in, present);
  get_list(in, force);
  get_list(in, torque);
  const auto bodies = static_cast<std::size_t>(w.count());
  require(states.size() == bodies && present.size() == bodies && force.size() == bodies && torque.size() == bodies,
          "checkpoint: found ", states.size(), " bodies, allowed ", bodies);
  get(in, events);
  get_list(in, pushes);
  get_list(in, contacts);
  w.steps = steps;
  std::copy(states.begin(), states.end(), w.states.begin());
  w.present = std::move(present);
  w.applied_force = std::move(force);
  w.applied_torque = std::move(torque);
  w.contacts = std::move(contacts);
  w.schedule.restore(events, std::move(pushes));
  for (auto& slot : w.slots) {
    char made = 0;
    get(in, made);
    slot.reset();
    if (!made) continue;
    Island::Memory memory;
    get(in, memory.iterated);
    get(in, memory.solver);
    slot = std::make_unique<Island>();
    slot->restore(memory, w.options.solver);
  }
  for (int b = 0; b < w.count(); ++b) w.collision.set_present(b, w.present[static_cast<std::size_t>(b)]);
  w.collision.load(in);
  w.islands_valid = false;
  w.active.clear();
}

}  // namespace repose
