// SPDX-License-Identifier: Apache-2.0
#include "repose/batch/batch.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <utility>

#include "repose/base/error.h"
#include "repose/base/task_order_internal.h"
#include "repose/batch/backend_internal.h"
#include "repose/batch/batch_model_internal.h"
#include "repose/batch/device_internal.h"
#include "repose/batch/finish_internal.h"
#include "repose/batch/model_joints_internal.h"
#include "repose/world/hash.h"

namespace repose {

using namespace batch;

namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

bool awaits_host(WorldStatus status) {
  return status == WorldStatus::kUnsolved || status == WorldStatus::kCapacity || status == WorldStatus::kOverlap ||
         status == WorldStatus::kAhead;
}

}  // namespace

struct Batch::Impl {
  std::shared_ptr<const BatchModel> model;
  int worlds = 0;
  std::int64_t taken = 0;                 ///< steps of the worlds that run
  mutable std::vector<std::byte> states;  ///< of all worlds, one after the other
  std::unique_ptr<DeviceWorlds> device;   ///< none: on the host
  mutable bool host_is_current = true;    ///< `states` are those of the device
  bool device_is_current = false;
  bool shared = false;  ///< the caller has addresses in the memory of the device
  mutable tbb::task_arena arena;
  mutable tbb::enumerable_thread_specific<Finisher> finishers;

  Impl(std::shared_ptr<const BatchModel> m, int n)
      : model(std::move(m)), worlds(n), arena(model->options().threads), finishers(std::cref(model->impl())) {}

  [[nodiscard]] const BatchModel::Impl& tables() const { return model->impl(); }
  [[nodiscard]] const StateLayout& layout() const { return tables().narrow.state; }
  [[nodiscard]] std::byte* world(int w) const { return states.data() + at(w) * at(layout().bytes); }
  [[nodiscard]] WorldHeader& header(int w) const { return *reinterpret_cast<WorldHeader*>(world(w)); }
  template <class T>
  [[nodiscard]] T* list(int w, int place) const {
    return reinterpret_cast<T*>(world(w) + place);
  }

  void check(int w) const { require(w >= 0 && w < worlds, "world: expected 0 to ", worlds - 1, ", got ", w); }
  void check(int w, int body) const {
    check(w);
    const int n = static_cast<int>(tables().bodies.size());
    require(body >= 0 && body < n, "body: expected 0 to ", n - 1, ", got ", body);
  }
  /// `states` for reading. Device memory that the caller has an address of may have changed at any time.
  void fetch() const {
    if (!host_is_current || (shared && device_is_current)) device->download(states.data(), 0, worlds);
    host_is_current = true;
  }
  /// `states` for writing.
  void change() {
    fetch();
    device_is_current = false;
  }
  /// After writing.
  void changed() {
    if (shared) upload();
  }
  void upload() {
    if (device && !device_is_current) device->upload(states.data(), 0, worlds);
    device_is_current = true;
  }

  /// Where a field is, with the states at `first`.
  [[nodiscard]] BatchArray array(BatchField field, std::byte* first) const {
    const StateLayout& s = layout();
    const int n = static_cast<int>(tables().bodies.size());
    constexpr int kAngular = 3 * sizeof(double);
    const auto make = [&](std::size_t place, int rows, int row_stride, int width) {
      return BatchArray{reinterpret_cast<double*>(first + place), s.bytes / static_cast<int>(sizeof(double)),
                        row_stride, rows, width};
    };
    switch (field) {
      case BatchField::kPosition: return make(at(s.x), n, 3, 3);
      case BatchField::kQuaternion: return make(at(s.q), n, 4, 4);
      case BatchField::kVelocity: return make(at(s.velocity), n, 6, 3);
      case BatchField::kAngularVelocity: return make(at(s.velocity + kAngular), n, 6, 3);
      case BatchField::kForce: return make(at(s.wrench), n, 6, 3);
      case BatchField::kTorque: return make(at(s.wrench + kAngular), n, 6, 3);
      case BatchField::kGravity: return make(offsetof(WorldHeader, gravity), 0, 0, 3);
      case BatchField::kFriction: return make(offsetof(WorldHeader, friction), 0, 0, 1);
      case BatchField::kKick: return make(offsetof(WorldHeader, kick), 0, 0, 1);
      case BatchField::kResidual: return make(offsetof(WorldHeader, r_c), 0, 0, 2);
      case BatchField::kControl: return make(at(s.control), tables().narrow.capacity.actuators, 1, 1);
      case BatchField::kJointPosition: return make(at(s.joint_position), tables().narrow.capacity.positions, 1, 1);
      case BatchField::kJointVelocity: return make(at(s.joint_velocity), tables().narrow.capacity.positions, 1, 1);
    }
    return {};
  }
  /// Calls f(place, number) for all numbers of a field in `states`.
  template <class F>
  void each_number(BatchField field, std::size_t count, const F& f) const {
    const BatchArray a = array(field, states.data());
    const bool by_item =
        field == BatchField::kControl || field == BatchField::kJointPosition || field == BatchField::kJointVelocity;
    const int rows = by_item ? a.rows : std::max(a.rows, 1);
    const std::size_t wanted = at(worlds) * at(rows) * at(a.width);
    require(count == wanted, "batch: expected ", wanted, " numbers, got ", count);
    std::size_t k = 0;
    for (int w = 0; w < worlds; ++w)
      for (int r = 0; r < rows; ++r)
        for (int i = 0; i < a.width; ++i) f(k++, a.data[w * a.world_stride + r * a.row_stride + i]);
  }

  template <class F>
  void in_parallel(int count, const F& f) const {
    TaskOrder order;
    const auto task = order.task(f);
    const auto loop = [&] { tbb::parallel_for(0, count, task); };
    order.start();
    arena.execute(loop);
  }

  /// Takes one step of a world on the host.
  void finish(int w) const {
    WorldHeader& h = header(w);
    h.totals.overlaps += h.status == WorldStatus::kOverlap;
    h.totals.exceeded += h.status == WorldStatus::kCapacity;
    h.totals.ahead += h.status == WorldStatus::kAhead;
    h.status = WorldStatus::kReady;
    host::finish_step(tables().wide_tables(), world(w), finishers.local().call());
  }
  void finish(const std::vector<int>& list) {
    in_parallel(static_cast<int>(list.size()), [&](int k) { finish(list[at(k)]); });
  }

  void advance_host(std::int64_t target) {
    in_parallel(worlds, [&](int w) {
      for (;;) {
        host::advance(tables().narrow_tables(), world(w), target);
        if (!awaits_host(header(w).status)) return;
        finish(w);
      }
    });
  }

  void advance_device(std::int64_t target) {
    upload();
    std::vector<WorldHeader> heads(at(worlds));
    for (;;) {
      device->advance(target);
      host_is_current = false;
      device->download_heads(reinterpret_cast<std::byte*>(heads.data()), sizeof(WorldHeader));
      std::vector<int> waiting;
      for (int w = 0; w < worlds; ++w)
        if (awaits_host(heads[at(w)].status)) waiting.push_back(w);
      if (waiting.empty()) return;
      for (const int w : waiting) device->download(world(w), w, 1);
      finish(waiting);
      for (const int w : waiting) device->upload(world(w), w, 1);
    }
  }
};

Batch::Batch(std::shared_ptr<const BatchModel> model, int worlds, BatchDevice device) {
  require(model != nullptr, "batch: model: expected one, got none");
  require(worlds >= 1, "batch: worlds: expected 1 or more, got ", worlds);
  impl_ = std::make_unique<Impl>(std::move(model), worlds);
  const BatchModel::Impl& m = impl_->tables();
  impl_->states.resize(at(worlds) * m.start.size());
  for (int w = 0; w < worlds; ++w) {
    std::copy(m.start.begin(), m.start.end(), impl_->world(w));
    impl_->header(w).seed = static_cast<std::uint64_t>(w);
  }
  if (device == BatchDevice::kCuda)
    impl_->device =
        make_device_worlds([&m](std::size_t address) { return m.tables(address); },
                           {m.narrow.threads, m.narrow.features, m.narrow.state.bytes, m.narrow.work.bytes}, worlds);
}
Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;

void Batch::advance(int steps) {
  require(steps >= 0, "advance: steps: expected 0 or more, got ", steps);
  impl_->taken += steps;
  if (impl_->device)
    impl_->advance_device(impl_->taken);
  else
    impl_->advance_host(impl_->taken);
}

int Batch::worlds() const { return impl_->worlds; }
BatchDevice Batch::device() const { return impl_->device ? BatchDevice::kCuda : BatchDevice::kCpu; }

BatchArray Batch::array(BatchField field) {
  std::byte* first = impl_->states.data();
  if (impl_->device) {
    impl_->upload();
    impl_->shared = true;
    first = impl_->device->memory();
  }
  return impl_->array(field, first);
}

void Batch::read(BatchField field, std::span<double> out) const {
  impl_->fetch();
  impl_->each_number(field, out.size(), [&](std::size_t k, const double& number) { out[k] = number; });
}

void Batch::write(BatchField field, std::span<const double> values) {
  impl_->change();
  impl_->each_number(field, values.size(), [&](std::size_t k, double& number) { number = values[k]; });
  impl_->changed();
}

void Batch::reset(const std::vector<char>& chosen) {
  require(chosen.size() == at(impl_->worlds), "reset: mask: expected ", impl_->worlds, " values, got ", chosen.size());
  impl_->change();
  const std::vector<std::byte>& start = impl_->tables().start;
  for (int w = 0; w < impl_->worlds; ++w) {
    if (!chosen[at(w)]) continue;
    const WorldHeader kept = impl_->header(w);
    std::copy(start.begin(), start.end(), impl_->world(w));
    WorldHeader& h = impl_->header(w);
    h.steps = h.born = impl_->taken, h.seed = kept.seed, h.gravity = kept.gravity, h.friction = kept.friction,
    h.kick = kept.kick;
    h.totals = kept.totals;
  }
  impl_->upload();
}

void Batch::reset(const std::vector<char>& chosen, const SceneKey& key) {
  const BatchModel::Impl& m = impl_->tables();
  require(key.poses.size() == m.setup.models.size(), "reset: key: expected one of this scene, got one with ",
          key.poses.size(), " bodies");
  reset(chosen);
  WorldState state = initial_state(m.setup);
  for (const int b : m.bodies) {
    const BodyModel& model = m.setup.models[at(b)];
    state.bodies[at(b)] = {centre_of(model, key.poses[at(b)]), normalized(key.poses[at(b)].rotation),
                           allowed_velocity(model, key.velocity[at(b)]),
                           allowed_spin(model, key.angular_velocity[at(b)])};
  }
  impl_->change();
  const StateLayout& s = impl_->layout();
  for (int w = 0; w < impl_->worlds; ++w) {
    if (!chosen[at(w)]) continue;
    for (std::size_t k = 0; k < m.bodies.size(); ++k) {
      const BodyState& from = state.bodies[at(m.bodies[k])];
      impl_->list<Vec3>(w, s.x)[k] = from.centre;
      impl_->list<Quat>(w, s.q)[k] = from.rotation;
      impl_->list<Vec3>(w, s.velocity)[2 * k] = from.velocity;
      impl_->list<Vec3>(w, s.velocity)[2 * k + 1] = from.angular_velocity;
    }
    std::copy(key.controls.begin(), key.controls.end(), impl_->list<double>(w, s.control));
    fill_coordinates(m, state, impl_->list<double>(w, s.joint_position), impl_->list<double>(w, s.joint_velocity));
  }
  impl_->upload();
}
const BatchModel& Batch::model() const { return *impl_->model; }

namespace {

/// Applies an event to the state of one world.
struct ApplyNow {
  const BatchModel::Impl& model;
  std::byte* world;
  int body;  ///< of the scene

  template <class T>
  [[nodiscard]] T* list(int place) const {
    return reinterpret_cast<T*>(world + place);
  }
  [[nodiscard]] const StateLayout& layout() const { return model.narrow.state; }
  [[nodiscard]] int node() const { return model.node_of[at(body)]; }
  [[nodiscard]] bool moves() const { return node() >= 0; }

  void operator()(const Appear&) const { set_present(true); }
  void operator()(const Disappear&) const { set_present(false); }
  void operator()(const SetVelocity& event) const {
    const BodyModel& of = model.setup.models[at(body)];
    list<Vec3>(layout().velocity)[2 * node()] = allowed_velocity(of, event.velocity);
    list<Vec3>(layout().velocity)[2 * node() + 1] = allowed_spin(of, event.angular_velocity);
  }
  void operator()(const Push& event) const {
    auto& header = *reinterpret_cast<WorldHeader*>(world);
    const int room = layout().push_room - static_cast<int>(model.event_tables.size());
    require(header.pushes < room, "event: expected at most ", room, " pushes at a time in a world, got one more");
    list<PushState>(layout().pushes)[header.pushes++] = {node(), event.force, event.torque, event.duration};
  }

 private:
  void set_present(bool there) const {
    unsigned& word = list<unsigned>(layout().presence)[body / 32];
    word = there ? word | 1u << (body % 32) : word & ~(1u << (body % 32));
    if (!moves()) return;
    const StartTable& from = model.start_tables[at(node())];
    list<Vec3>(layout().x)[node()] = from.centre;
    list<Quat>(layout().q)[node()] = from.rotation;
    list<Vec3>(layout().velocity)[2 * node()] = from.velocity;
    list<Vec3>(layout().velocity)[2 * node() + 1] = from.angular_velocity;
    list<Vec3>(layout().pending)[2 * node()] = list<Vec3>(layout().pending)[2 * node() + 1] = {};
  }
};

}  // namespace

void Batch::apply(const EventAction& action, const std::vector<char>& chosen) {
  const BatchModel::Impl& m = impl_->tables();
  require(chosen.size() == at(impl_->worlds), "event: mask: expected ", impl_->worlds, " values, got ", chosen.size());
  require(m.narrow.capacity.presence > 0, "event: expected a batch made with events = true, got one without");
  const int body = std::visit([](const auto& event) { return event.body; }, action);
  const int bodies = m.setup.bodies();
  require(body >= 0 && body < bodies, "event: body: expected 0 to ", bodies - 1, ", got ", body);
  const bool comes_or_goes = std::holds_alternative<Appear>(action) || std::holds_alternative<Disappear>(action);
  require(comes_or_goes ? !m.setup.has_prescribed_motion(body) : m.node_of[at(body)] >= 0, "event: body '",
          m.setup.scene.bodies[at(body)].name,
          comes_or_goes ? "': expected one without a prescribed motion" : "': expected one that moves freely");
  impl_->change();
  for (int w = 0; w < impl_->worlds; ++w)
    if (chosen[at(w)]) std::visit(ApplyNow{m, impl_->world(w), body}, action);
  impl_->changed();
}

bool Batch::present(int world, int body) const {
  impl_->check(world);
  const int bodies = impl_->tables().setup.bodies();
  require(body >= 0 && body < bodies, "body: expected 0 to ", bodies - 1, ", got ", body);
  if (impl_->tables().narrow.capacity.presence == 0) return true;
  impl_->fetch();
  return (impl_->list<unsigned>(world, impl_->layout().presence)[body / 32] >> (body % 32) & 1u) != 0;
}

BatchReport Batch::report() const {
  impl_->fetch();
  BatchReport sum;
  for (int w = 0; w < impl_->worlds; ++w) {
    const WorldHeader& h = impl_->header(w);
    sum.steps += h.totals.steps, sum.solved += h.totals.solved, sum.finished += h.totals.finished;
    sum.warm += h.totals.warm, sum.newton += h.totals.newton, sum.factors += h.totals.factors;
    sum.contacts += h.totals.contacts, sum.overlaps += h.totals.overlaps, sum.exceeded += h.totals.exceeded;
    sum.ahead += h.totals.ahead;
    sum.worst = std::max(sum.worst, h.totals.worst);
    sum.joint_error = std::max(sum.joint_error, h.totals.joint_error);
    sum.stopped += h.status != WorldStatus::kReady;
  }
  return sum;
}

void Batch::reset_report() {
  impl_->change();
  for (int w = 0; w < impl_->worlds; ++w) impl_->header(w).totals = {};
  impl_->changed();
  if (impl_->device) impl_->device->reset_seconds();
}

BatchStatus Batch::status(int world) const {
  impl_->check(world);
  impl_->fetch();
  const WorldStatus status = impl_->header(world).status;
  if (status == WorldStatus::kTooLarge) return BatchStatus::kTooLarge;
  return status == WorldStatus::kBroken ? BatchStatus::kBroken : BatchStatus::kRunning;
}

std::int64_t Batch::steps(int world) const {
  impl_->check(world);
  impl_->fetch();
  return impl_->header(world).steps;
}
double Batch::r_c(int world) const {
  impl_->check(world);
  impl_->fetch();
  return impl_->header(world).r_c;
}
double Batch::nat(int world) const {
  impl_->check(world);
  impl_->fetch();
  return impl_->header(world).nat;
}

BatchParameters Batch::parameters(int world) const {
  impl_->check(world);
  impl_->fetch();
  const WorldHeader& h = impl_->header(world);
  return {h.gravity, h.friction, h.kick, h.seed};
}

void Batch::set_parameters(int world, const BatchParameters& p) {
  impl_->check(world);
  require(std::isfinite(p.gravity.x + p.gravity.y + p.gravity.z), "gravity: expected finite numbers, m/s^2, got ",
          p.gravity.x, " ", p.gravity.y, " ", p.gravity.z);
  require(p.friction >= 0 && std::isfinite(p.friction), "friction: expected a number >= 0, got ", p.friction);
  require(p.kick >= 0 && std::isfinite(p.kick), "kick: expected a number >= 0, m/s, got ", p.kick);
  impl_->change();
  WorldHeader& h = impl_->header(world);
  h.gravity = p.gravity, h.friction = p.friction, h.kick = p.kick, h.seed = p.seed;
  impl_->changed();
}

BodyState Batch::state(int world, int body) const {
  impl_->check(world, body);
  impl_->fetch();
  const StateLayout& s = impl_->layout();
  BodyState out;
  out.centre = impl_->list<Vec3>(world, s.x)[body];
  out.rotation = impl_->list<Quat>(world, s.q)[body];
  out.velocity = impl_->list<Vec3>(world, s.velocity)[2 * body];
  out.angular_velocity = impl_->list<Vec3>(world, s.velocity)[2 * body + 1];
  return out;
}

void Batch::set_state(int world, int body, const BodyState& state) {
  impl_->check(world, body);
  const double length = norm(state.rotation);
  const Vec3 x = state.centre, v = state.velocity, w = state.angular_velocity;
  require(std::isfinite(x.x + x.y + x.z + v.x + v.y + v.z + w.x + w.y + w.z), "state: expected finite numbers");
  require(length > 0 && std::isfinite(length), "state: rotation: expected a quaternion other than zero");
  impl_->change();
  const StateLayout& s = impl_->layout();
  impl_->list<Vec3>(world, s.x)[body] = x;
  impl_->list<Quat>(world, s.q)[body] = std::abs(length - 1) > 1e-15 ? normalized(state.rotation) : state.rotation;
  impl_->list<Vec3>(world, s.velocity)[2 * body] = v;
  impl_->list<Vec3>(world, s.velocity)[2 * body + 1] = w;
  impl_->list<Vec3>(world, s.pending)[2 * body] = {};
  impl_->list<Vec3>(world, s.pending)[2 * body + 1] = {};
  impl_->header(world).unchecked = 0;
  impl_->changed();
}

std::vector<BatchContact> Batch::contacts(int world) const {
  impl_->check(world);
  impl_->fetch();
  const StateLayout& s = impl_->layout();
  const WorldHeader& h = impl_->header(world);
  const short *candidate = impl_->list<short>(world, s.candidate), *first = impl_->list<short>(world, s.first);
  const Vec3 *normal = impl_->list<Vec3>(world, s.normal), *lambda = impl_->list<Vec3>(world, s.lambda);
  const std::uint32_t* feature = impl_->list<std::uint32_t>(world, s.feature);
  std::vector<BatchContact> all;
  for (int p = 0; p < h.pairs; ++p)
    for (int i = first[p]; i < first[p + 1]; ++i) {
      const CandidateTable& pair = impl_->tables().candidate_tables[at(candidate[p])];
      all.push_back({pair.a, pair.b, feature[i], normal[p], {lambda[i].x, lambda[i].y, lambda[i].z}});
    }
  return all;
}

std::string Batch::state_hash(int world) const {
  impl_->check(world);
  impl_->fetch();
  const StateLayout& s = impl_->layout();
  const WorldHeader& h = impl_->header(world);
  const int n = static_cast<int>(impl_->tables().bodies.size());
  Fnv1a hash;
  const auto add = [&](const auto* values, int count) {
    for (int k = 0; k < count; ++k) hash.add(values[k]);
  };
  hash.add(h.unchecked);
  hash.add(h.iterated);
  hash.add(h.distrust);
  hash.add(h.restless);
  const Capacity& size = impl_->tables().narrow.capacity;
  add(impl_->list<double>(world, s.control), size.actuators);
  add(impl_->list<double>(world, s.coordinate), size.coordinates);
  add(impl_->list<double>(world, s.joint_lambda), 3 * size.joint_blocks);
  if (size.presence > 0) {
    hash.add(h.steps - h.born);
    hash.add(h.events);
    add(impl_->list<unsigned>(world, s.presence), size.presence);
    static_assert(sizeof(PushState) == 8 * sizeof(double));
    add(impl_->list<double>(world, s.pushes), 8 * h.pushes);
  }
  add(impl_->list<double>(world, s.x), 3 * n);
  add(impl_->list<double>(world, s.q), 4 * n);
  add(impl_->list<double>(world, s.velocity), 6 * n);
  add(impl_->list<double>(world, s.pending), 6 * n);
  add(impl_->list<double>(world, s.wrench), 6 * n);
  add(impl_->list<short>(world, s.candidate), h.pairs);
  add(impl_->list<double>(world, s.normal), 3 * h.pairs);
  add(impl_->list<double>(world, s.lambda), 3 * h.contacts);
  add(impl_->list<std::uint32_t>(world, s.feature), h.contacts);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash.value()));
  return text;
}

ContactProblem Batch::next_problem(int world, std::vector<ContactVec>& start) const {
  impl_->check(world);
  impl_->fetch();
  struct Capture {
    std::vector<ContactVec>* start;
    Finisher finisher;
    ContactProblem problem;
    std::vector<double> zero;
  } capture{&start, Finisher(impl_->tables()), {}, {}};
  const HelpCall call{&capture,
                      [](void* context, const void* problem, void* help) {
                        auto& c = *static_cast<Capture*>(context);
                        const auto& step = *static_cast<const StepProblem*>(problem);
                        c.problem = c.finisher.whole_problem(step, *c.start);
                        c.zero.assign(3 * at(step.contacts) + 6 * at(step.bodies), 0.0);
                        auto& none = *static_cast<StepHelp*>(help);
                        none.lambda = none.change = c.zero.data();
                      },
                      [](void* context, const void* end) {
                        const auto& e = *static_cast<const StepEnd*>(end);
                        if (!e.step) static_cast<Capture*>(context)->finisher.correct(e);
                      }};
  std::vector<std::byte> copy(impl_->world(world), impl_->world(world) + impl_->layout().bytes);
  host::finish_step(impl_->tables().wide_tables(), copy.data(), call);
  return std::move(capture.problem);
}

double Batch::device_seconds() const { return impl_->device ? impl_->device->seconds() : 0.0; }

}  // namespace repose
