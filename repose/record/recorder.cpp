// SPDX-License-Identifier: Apache-2.0
#include "repose/record/recorder.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>
#include <optional>
#include <stdexcept>

#include "repose/base/bits.h"
#include "repose/base/error.h"
#include "repose/base/version.h"
#include "repose/record/joint_tables_internal.h"
#include "repose/record/layout_internal.h"
#include "repose/record/push_tables_internal.h"
#include "repose/record/room_internal.h"
#include "repose/record/sensor_tables_internal.h"
#include "repose/record/term_tables_internal.h"
#include "repose/record/value_table_internal.h"

namespace repose {
namespace {

using namespace record;
using enum record::Packing;
using Clock = std::chrono::steady_clock;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

constexpr std::size_t kContactsPerBody = 16;

/// Returns so many rows or some more, so that a block of plain doubles fills its pages.
std::size_t whole_pages(std::size_t rows) {
  constexpr std::size_t kPage = kPageBytes / sizeof(double);
  return (rows + kPage - 1) / kPage * kPage;
}

/// Selects the newest format, which SWMR needs, and keeps descriptions from crossing the pages in which the system
/// writes files: of one that did, a kill could leave the first half new and the second one old.
Handle make_file(const std::filesystem::path& path) {
  constexpr hsize_t kFirstKept = 1;  // bytes of free space that are worth remembering
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_file_space_strategy(creation.get(), H5F_FSPACE_STRATEGY_PAGE, false, kFirstKept);
  H5Pset_file_space_page_size(creation.get(), kPageBytes);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), H5Fclose);
  require(static_cast<bool>(file), "recording: expected a file that can be written, got an error of HDF5");
  return file;
}

}  // namespace

namespace {

/// Returns the loads and displacements of a step, and the states that are not those that were written last: velocities
/// set by events, bodies placed or pushed from outside.
std::vector<BodyTerm> terms_of(const World& world, const std::vector<BodyState>& last) {
  std::vector<BodyTerm> terms = world.body_terms();
  for (int b = 0; b < static_cast<int>(last.size()); ++b) {
    const BodyState start = world.start_state(b), &known = last[at(b)];
    const bool same_pose = same_bits(start.centre, known.centre) && same_bits(start.rotation, known.rotation);
    const bool moves = world.models()[at(b)].kind == BodyKind::kDynamic && world.present(b);
    const bool same_motion = !moves || (same_bits(start.velocity, known.velocity) &&
                                        same_bits(start.angular_velocity, known.angular_velocity));
    if (!same_pose || !same_motion) terms.push_back({BodyTerm::Kind::kChange, b, {}, {}, start});
  }
  return terms;
}

}  // namespace

struct Recorder::Impl {
  Impl(const std::filesystem::path& path_, const Scene& scene, std::span<const BodyModel> models,
       const RecordOptions& options_)
      : path(path_.string()),
        options(options_),
        file(make_file(path_)),
        bodies(models.size()),
        rest(options.compact ? kDeflated : kNone),
        contact_rows(whole_pages(std::clamp<std::size_t>(kContactsPerBody * bodies, 256, 4096))),
        time(file.get(), kTime),
        centre(file.get(), kCentre, {bodies, 3}, rest),
        position(file.get(), kPosition, {bodies, 3}, rest),
        rotation(file.get(), kRotation, {bodies, 4}, rest),
        velocity(file.get(), kVelocity, {bodies, 3}, rest),
        spin(file.get(), kSpin, {bodies, 3}, rest),
        present(file.get(), kPresent, {bodies}),
        free_velocity(file.get(), kFreeVelocity, {bodies, 3}, rest),
        free_spin(file.get(), kFreeSpin, {bodies, 3}, rest),
        contact_body(file.get(), kContactBody, {2}, kDeflated, contact_rows),
        contact_shape(file.get(), kContactShape, {2}, kDeflated, contact_rows),
        contact_feature(file.get(), kContactFeature, {}, kDeflated, contact_rows),
        contact_mode(file.get(), kContactMode, {}, kDeflated, contact_rows),
        contact_position(file.get(), kContactPosition, {3}, rest, contact_rows),
        contact_normal(file.get(), kContactNormal, {3}, kDeflated, contact_rows),
        contact_gap(file.get(), kContactGap, {}, rest, contact_rows),
        contact_mu(file.get(), kContactMu, {}, kDeflated, contact_rows),
        contact_bias(file.get(), kContactBias, {}, rest, contact_rows),
        contact_start(file.get(), kContactStart, {3}, rest, contact_rows),
        contact_impulse(file.get(), kContactImpulse, {3}, rest, contact_rows),
        contact_detected(file.get(), kContactDetected, {}, kDeflated, contact_rows),
        contact_yielded(file.get(), kContactYielded, {}, kDeflated, contact_rows),
        certificate(file.get(), kCertificate, {kCertificateParts}),
        iterations(file.get(), kIterations, {kIterationParts}),
        status(file.get(), kStatus),
        measures(file.get(), kMeasures, {kMeasureParts}),
        phases(file.get(), kPhases, {4}),
        first_contact(file.get(), kFirstContact),
        contacts(file.get(), kContacts),
        step_checksum(file.get(), kStepChecksum, {kStepParts}),
        state_checksum(file.get(), kStateChecksum),
        terms(file.get(), rest),
        pushes(file.get(), rest) {
    if (!scene.joints.empty()) joints.emplace(file.get(), scene, models, rest);
    if (!scene.sensors.empty()) sensors.emplace(file.get(), scene, rest);
  }

  void describe(const Scene& scene, std::span<const BodyModel> models, const Limits& limits);
  void add_state(const World& world);
  void add_state(const RecordedState& state);
  void add_body(const BodyState& state, Vec3 frame, bool is_present);
  void add_contacts(std::span<const Contact> found);
  void add_report(const StepReport& report);
  void add_step_checksums();
  void add_step(const World& world, const StepReport& report);
  /// Calls `work`, which adds or writes rows; the recording ends with the rows before when it throws.
  template <class Work>
  void complete(const Work& work) {
    incomplete = true;
    work();
    incomplete = false;
  }
  void flush();
  [[nodiscard]] std::string write_all();
  [[noreturn]] void give_up(const std::string& why);
  [[nodiscard]] std::vector<Table*> tables();

  std::string path;
  RecordOptions options;
  Handle file;
  std::size_t bodies;
  Packing rest;  // of tables whose numbers rarely repeat; the others are always deflated, which costs hardly anything
  std::size_t contact_rows;  // in one block of the contacts' tables
  DoubleTable time, centre, position, rotation, velocity, spin;
  ValueTable<std::uint8_t> present;
  DoubleTable free_velocity, free_spin;
  ValueTable<int> contact_body, contact_shape;
  ValueTable<std::uint32_t> contact_feature;
  ValueTable<std::uint8_t> contact_mode;
  DoubleTable contact_position, contact_normal, contact_gap, contact_mu, contact_bias, contact_start, contact_impulse;
  DoubleTable contact_detected, contact_yielded;
  DoubleTable certificate;
  ValueTable<int> iterations, status;
  DoubleTable measures, phases;
  ValueTable<std::int64_t> first_contact;
  ValueTable<int> contacts;
  ValueTable<std::uint32_t> step_checksum, state_checksum;
  TermWriter terms;
  PushWriter pushes;
  std::optional<JointWriter> joints;
  std::optional<SensorWriter> sensors;
  std::vector<BodyState> last;  // states written last, which the next step should start from

  std::int64_t contacts_written = 0;
  std::int64_t steps_written = 0;
  int waiting = 0;
  std::string failure;      // what ended the recording early; empty: nothing
  bool begun = false;       // the first state is written
  bool incomplete = false;  // an exception, for want of memory, left rows of a part of a step
  Clock::time_point last_flush = Clock::now();
};

void Recorder::Impl::describe(const Scene& scene, std::span<const BodyModel> models, const Limits& limits) {
  std::uint32_t sum = 0;
  const auto put_text = [&](const char* name, const std::string& text) {
    write_text(file.get(), name, text);
    sum = checksum(sum, text);
  };
  put_text(kFormat, kFormatName);
  put_text(kProgram, std::string(repose::kVersion));
  put_text(kSceneName, scene.name);
  put_text(kSceneJson, options.scene_json);
  put_text(kSettings, options.settings_json);
  DoubleTable step(file.get(), kStepLength), tolerance(file.get(), kTolerance), accept(file.get(), kAccept),
      gravity(file.get(), kGravity, {3}), mass(file.get(), kMass), moments(file.get(), kMoments, {3}),
      axes(file.get(), kAxes, {4}), local(file.get(), kLocalCentre, {3});
  ValueTable<int> kind(file.get(), kKind);
  ValueTable<std::uint8_t> held(file.get(), kHeld, {6});
  step.put(scene.dt);
  tolerance.put(limits.tolerance);
  accept.put(limits.accept);
  put(gravity, scene.gravity);
  std::string names;
  for (std::size_t b = 0; b < bodies; ++b) {
    const BodyModel& model = models[b];
    kind.put(static_cast<int>(model.kind));
    mass.put(model.mass);
    put(moments, model.rotor.moments);
    put(axes, model.rotor.axes);
    put(local, model.centre);
    for (const bool axis : model.held) held.put(static_cast<std::uint8_t>(axis));
    names += scene.bodies[b].name + '\n';
  }
  put_text(kNames, names);
  ValueTable<std::uint32_t> head(file.get(), kHeadChecksum);
  const std::initializer_list<Table*> parts{&step,    &tolerance, &accept, &gravity, &mass,
                                            &moments, &axes,      &local,  &kind,    &held};
  for (Table* table : parts) sum = table->checksum_new(sum);
  bool good = !joints || joints->describe(file.get(), scene, sum);
  if (sensors) good = sensors->describe(file.get(), scene, sum) && good;
  head.put(stored_checksum(sum));
  good = head.flush() && good;
  for (Table* table : parts) good = good && table->flush();
  require(good, "recording: expected a place with room, got an error while writing");
}

void Recorder::Impl::add_body(const BodyState& state, Vec3 frame, bool is_present) {
  put(centre, state.centre);
  put(position, frame);
  put(rotation, state.rotation);
  put(velocity, state.velocity);
  put(spin, state.angular_velocity);
  present.put(static_cast<std::uint8_t>(is_present));
}

void Recorder::Impl::add_state(const World& world) {
  time.put(world.time());
  for (int b = 0; b < static_cast<int>(bodies); ++b)
    add_body(world.states()[at(b)], world.pose(b).position, world.present(b));
  if (joints) joints->add_state(world.states());
  last.assign(world.states().begin(), world.states().end());
  state_checksum.put(checksum_of({&time, &centre, &position, &rotation, &velocity, &spin, &present}));
}

void Recorder::Impl::add_state(const RecordedState& state) {
  time.put(state.time);
  for (std::size_t b = 0; b < bodies; ++b) add_body(state.bodies[b], state.positions[b], state.present[b] != 0);
  if (joints) joints->add_state(state.bodies);
  state_checksum.put(checksum_of({&time, &centre, &position, &rotation, &velocity, &spin, &present}));
}

void Recorder::Impl::add_contacts(std::span<const Contact> found) {
  for (const Contact& c : found) {
    contact_body.put(c.body_a), contact_body.put(c.body_b);
    contact_shape.put(c.collider_a), contact_shape.put(c.collider_b);
    contact_feature.put(c.feature);
    contact_mode.put(static_cast<std::uint8_t>(c.mode));
    put(contact_position, c.position);
    put(contact_normal, c.normal);
    contact_gap.put(c.gap);
    contact_mu.put(c.mu);
    contact_bias.put(c.bias);
    put(contact_start, c.start);
    put(contact_impulse, c.lambda);
    contact_detected.put(c.detected_at);
    contact_yielded.put(c.yielded);
  }
  first_contact.put(contacts_written);
  contacts.put(static_cast<int>(found.size()));
  contacts_written += static_cast<std::int64_t>(found.size());
}

void Recorder::Impl::add_report(const StepReport& r) {
  const Residual &now = r.certificate.residual, &paper = r.certificate.paper;
  for (const double x : {now.force, now.velocity, now.gap, r.certificate.nat, paper.force, paper.velocity, paper.gap})
    certificate.put(x);
  for (const int x : {r.outer_iterations, r.inner_iterations, r.fallbacks, r.islands}) iterations.put(x);
  status.put(static_cast<int>(r.status));
  for (const double x : {r.penetration, r.energy, r.energy_rise}) measures.put(x);
  for (const double x : {r.ms.collide, r.ms.assemble, r.ms.solve, r.ms.integrate}) phases.put(x);
}

void Recorder::Impl::add_step_checksums() {
  std::array<std::uint32_t, kStepParts> sums{};
  sums[kReportPart] = checksum_of({&certificate, &iterations, &status, &measures, &phases, &first_contact, &contacts});
  sums[kFreePart] = checksum_of({&free_velocity, &free_spin});
  sums[kContactPart] = checksum_of({&contact_body, &contact_shape, &contact_feature, &contact_mode, &contact_position,
                                    &contact_normal, &contact_gap, &contact_mu, &contact_bias, &contact_start,
                                    &contact_impulse, &contact_detected, &contact_yielded});
  for (const std::uint32_t sum : sums) step_checksum.put(sum);
}

/// Returns tables before those that refer to them: a reader that finds a step finds its contacts.
std::vector<Table*> Recorder::Impl::tables() {
  std::vector<Table*> list{
      &contact_body,  &contact_shape, &contact_feature, &contact_mode,  &contact_position, &contact_normal,
      &contact_gap,   &contact_mu,    &contact_bias,    &contact_start, &contact_impulse,  &centre,
      &position,      &rotation,      &velocity,        &spin,          &present,          &time,
      &free_velocity, &free_spin,     &certificate,     &iterations,    &status,           &measures,
      &phases,        &first_contact, &contacts,        &step_checksum, &state_checksum};
  std::vector<Table*> first{&contact_detected, &contact_yielded};
  for (Table* table : terms.tables()) first.push_back(table);
  for (Table* table : pushes.tables()) first.push_back(table);
  if (joints)
    for (Table* table : joints->tables()) first.push_back(table);
  if (sensors)
    for (Table* table : sensors->tables()) first.push_back(table);
  first.insert(first.end(), list.begin(), list.end());
  return first;
}

/// Writes the rows that wait; what keeps it from doing so ends the recording with the rows before them.
void Recorder::Impl::flush() {
  const Hdf5Session session;
  std::string why = incomplete ? "less memory than needed" : failure;
  if (why.empty()) complete([&] { why = write_all(); });
  if (!why.empty()) give_up(why);
  begun = true;
  steps_written += waiting;
  waiting = 0;
  last_flush = Clock::now();
}

/// Returns what went wrong, empty where nothing did. Room is reserved first: a write that fails half way leaves the
/// library with blocks that it can neither write nor drop.
std::string Recorder::Impl::write_all() {
  std::size_t bytes = 0;
  for (const Table* table : tables()) bytes += table->growth();
  if (std::string why = reserve_room(file.get(), bytes); !why.empty()) return why;
  for (Table* table : tables())
    if (!table->flush()) return "an error while writing";
  for (Table* table : tables()) table->keep();
  return {};
}

void Recorder::Impl::give_up(const std::string& why) {
  failure = why, incomplete = false;
  waiting = 0;
  for (Table* table : tables()) table->withdraw();
  require(begun, path, ": recording: expected a place with room, got ", why);
  fail(path, ": recording: expected a place with room, got ", why, " after step ", steps_written, ", its last");
}

Recorder::Recorder(const std::filesystem::path& file, const Scene& scene, std::span<const BodyModel> models,
                   const Limits& limits, const RecordOptions& options) {
  require(options.flush_steps >= 1, "recorder: flush_steps: expected >= 1, got ", options.flush_steps);
  const Hdf5Session session;
  try {
    impl_ = std::make_unique<Impl>(file, scene, models, options);
    const std::string why = reserve_room(impl_->file.get(), options.scene_json.size() + options.settings_json.size());
    require(why.empty(), "recording: expected a place with room, got ", why);
    impl_->describe(scene, models, limits);
    require(H5Fstart_swmr_write(impl_->file.get()) >= 0,
            "recording: expected a file that others can read while it grows, got an error of HDF5");
  } catch (const std::runtime_error& error) {
    if (impl_) std::filesystem::remove(file);
    fail(file.string(), ": ", error.what());
  } catch (...) {
    std::error_code ignored;
    if (impl_) std::filesystem::remove(file, ignored);
    throw;
  }
}

Recorder::Recorder(const std::filesystem::path& file, const World& world, const RecordOptions& options)
    : Recorder(file, world.scene(), world.models(), {world.options().solver.tolerance, world.options().solver.accept},
               options) {
  const Hdf5Session session;
  try {
    impl_->complete([&] { impl_->add_state(world); });
    impl_->flush();
  } catch (...) {  // a recording without its first state is none
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    throw;
  }
}

Recorder::~Recorder() {
  try {
    close();
  } catch (const std::exception&) {  // a destructor cannot report it; close() does
  }
}
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;

void Recorder::Impl::add_step(const World& world, const StepReport& report) {
  for (const BodyState& s : world.free_states()) {
    put(free_velocity, s.velocity);
    put(free_spin, s.angular_velocity);
  }
  add_contacts(world.contacts());
  terms.add_step(report, terms_of(world, last));
  pushes.add_step(report.recovery_residual, world.overlap_pushes());
  if (joints) joints->add_step(world.joint_blocks(), world.controls(), world.inputs());
  if (sensors) sensors->add_step(world.sensor_data());
  add_report(report);
  add_step_checksums();
  add_state(world);
  ++waiting;
}

void Recorder::add(const World& world, const StepReport& report) {
  if (impl_->incomplete || !impl_->failure.empty()) return impl_->flush();  // which says so
  impl_->complete([&] { impl_->add_step(world, report); });
  const double waited = std::chrono::duration<double>(Clock::now() - impl_->last_flush).count();
  if (impl_->waiting >= impl_->options.flush_steps || waited > impl_->options.flush_seconds) impl_->flush();
}

void Recorder::flush() { impl_->flush(); }

void Recorder::close() {
  if (!impl_) return;
  const ReleasedRoom at_the_end(impl_->path);
  const std::unique_ptr<Impl> closing = std::move(impl_);
  if (closing->failure.empty()) closing->flush();
}

namespace {

/// Requires one row per body everywhere, and one state more than steps.
void check_rows(const std::string& file, std::size_t bodies, const std::vector<RecordedState>& states,
                const std::vector<RecordedStep>& steps) {
  require(states.size() == steps.size() + 1, file, ": expected one state more than steps, got ", states.size(),
          " states and ", steps.size(), " steps");
  for (const RecordedState& s : states)
    require(s.bodies.size() == bodies && s.positions.size() == bodies && s.present.size() == bodies, file,
            ": expected ", bodies, ", got a state of ", s.bodies.size(), " bodies");
  for (const RecordedStep& s : steps)
    require(s.free_velocity.size() == bodies && s.free_spin.size() == bodies, file, ": expected ", bodies,
            ", got a step of ", s.free_velocity.size(), " bodies");
}

}  // namespace

void Recorder::write(const std::filesystem::path& file, const Scene& scene, const std::vector<RecordedState>& states,
                     const std::vector<RecordedStep>& steps, double tolerance, const RecordOptions& options) {
  check_rows(file.string(), scene.bodies.size(), states, steps);
  std::vector<BodyModel> models;
  for (const SceneBody& body : scene.bodies) models.push_back(make_model(body));
  Recorder recorder(file, scene, models, {tolerance, 0}, options);
  Impl& to = *recorder.impl_;
  to.add_state(states[0]);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    for (const Vec3 v : steps[k].free_velocity) put(to.free_velocity, v);
    for (const Vec3 w : steps[k].free_spin) put(to.free_spin, w);
    to.add_contacts(steps[k].contacts);
    to.terms.add_step(steps[k].report, steps[k].terms);
    to.pushes.add_step(steps[k].report.recovery_residual, steps[k].pushes);
    if (to.joints) to.joints->add_step(steps[k].joint_blocks, steps[k].controls, steps[k].inputs);
    if (to.sensors) to.sensors->add_step(steps[k].sensors);
    to.add_report(steps[k].report);
    to.add_step_checksums();
    to.add_state(states[k + 1]);
  }
  recorder.close();
}

}  // namespace repose
