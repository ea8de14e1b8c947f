// SPDX-License-Identifier: Apache-2.0
#include "repose/record/recording.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "repose/base/error.h"
#include "repose/base/input_file.h"
#include "repose/record/joint_tables_internal.h"
#include "repose/record/layout_internal.h"
#include "repose/record/push_tables_internal.h"
#include "repose/record/sensor_tables_internal.h"
#include "repose/record/term_tables_internal.h"
#include "repose/record/value_table_internal.h"

namespace repose {
namespace {

using namespace record;

/// Times a reader looks at a block of a growing file whose checksum is wrong, which its writer may be writing. The
/// library doubles the pause from 1 ns on: 17 ms in all. Its default of 100 never ends with a damaged file.
constexpr unsigned kReadAttempts = 24;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// Opens a file that its writer has open, or left open when it was killed: only SWMR readers can open it.
Handle open_file(const std::filesystem::path& path) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
  H5Pset_metadata_read_attempts(access.get(), kReadAttempts);
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (!file) file = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.get()), H5Fclose);
  return file;
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> list;
  for (std::string line; std::getline(in, line);) list.push_back(line);
  return list;
}

}  // namespace

struct Recording::Impl : Reader {
  std::string scene_name, scene_json, settings;
  double dt = 0, tolerance = 0, accept = 0;
  std::vector<std::string> names;
  std::vector<BodyModel> models;
  int steps = 0;
  Vec3 gravity;
  bool has_terms = false;      // recordings of earlier versions have none
  bool with_pushes = false;    // the same
  bool has_checksums = false;  // recordings of earlier versions have none

  JointHead joints;
  SensorHead sensors;

  void read_bodies();
  void count_steps();
  void drop_unwritten();
  void read_head();
};

/// Reads joints and sensors, and refuses a description that is not the one that was written.
void Recording::Impl::read_head() {
  std::uint32_t sum = 0;
  for (const char* part : {kFormat, kProgram, kSceneName, kSceneJson, kSettings, kNames})
    sum = checksum(sum, text(part));
  const auto n = static_cast<std::int64_t>(names.size());
  for (const char* part : {kStepLength, kTolerance, kAccept, kGravity})
    if (has(part)) sum = checksum(sum, rows<double>(part, 0, 1));
  if (n > 0) {
    for (const char* part : {kMass, kMoments, kAxes, kLocalCentre}) sum = checksum(sum, rows<double>(part, 0, n));
    sum = checksum(sum, rows<int>(kKind, 0, n));
    sum = checksum(sum, rows<std::uint8_t>(kHeld, 0, n));
  }
  if (has("/joints")) {
    joints = read_joints(*this, names.size(), sum);
    sum = joints.checksum;
  }
  if (has("/sensors")) {
    sensors = read_sensors(*this, sum);
    sum = sensors.checksum;
  }
  if (!has(kHeadChecksum)) return;
  const std::uint32_t written = rows<std::uint32_t>(kHeadChecksum, 0, 1, 1)[0];
  require(stored_checksum(sum) == written, path, ": description: expected the checksum ", written, ", got ",
          stored_checksum(sum), ": the file is damaged");
}

void Recording::Impl::read_bodies() {
  names = lines(text(kNames));
  const auto n = static_cast<std::int64_t>(names.size());
  if (n == 0) return;
  const auto kind = rows<int>(kKind, 0, n, 1);
  const auto mass = rows<double>(kMass, 0, n, 1), moments = rows<double>(kMoments, 0, n, 3),
             axes = rows<double>(kAxes, 0, n, 4), centre = rows<double>(kLocalCentre, 0, n, 3);
  const auto held = rows<std::uint8_t>(kHeld, 0, n, 6);
  for (std::size_t b = 0; b < names.size(); ++b) {
    BodyModel model;
    for (std::size_t k = 0; k < 6; ++k) model.held[k] = held[6 * b + k] != 0;
    require(kind[b] >= 0 && kind[b] <= 2, path, ": ", kKind, ": expected 0, 1 or 2, got ", kind[b]);
    model.kind = static_cast<BodyKind>(kind[b]);
    model.centre = vec(centre, b);
    if (model.kind == BodyKind::kDynamic) {
      require(mass[b] > 0, path, ": ", kMass, ": expected > 0, got ", mass[b], " kg for a dynamic body");
      model.mass = mass[b];
      model.inverse_mass = 1 / mass[b];
      model.rotor = make_rotor(quat(axes, b), vec(moments, b));
    }
    models.push_back(model);
  }
}

/// Returns the steps that are complete in every table: tables may differ while the file grows.
void Recording::Impl::count_steps() {
  std::int64_t complete = count(kTime) - 1;
  for (const char* table : {kCertificate, kIterations, kStatus, kMeasures, kPhases, kFirstContact, kContacts})
    complete = std::min(complete, count(table));
  if (!names.empty()) {
    for (const char* table : {kCentre, kPosition, kRotation, kVelocity, kSpin, kPresent})
      complete = std::min(complete, count(table) - 1);
    for (const char* table : {kFreeVelocity, kFreeSpin}) complete = std::min(complete, count(table));
  }
  if (has_checksums) complete = std::min({complete, count(kStepChecksum), count(kStateChecksum) - 1});
  complete = std::clamp<std::int64_t>(complete, 0, std::numeric_limits<int>::max() - 1);
  std::int64_t contacts = count(kContactImpulse);
  for (const char* table : {kContactBody, kContactShape, kContactFeature, kContactMode, kContactPosition,
                            kContactNormal, kContactGap, kContactMu, kContactBias, kContactStart})
    contacts = std::min(contacts, count(table));
  if (has_terms) contacts = std::min({contacts, count(kContactDetected), count(kContactYielded)});
  const auto first = rows<std::int64_t>(kFirstContact, 0, complete, 1);
  const auto counts = rows<int>(kContacts, 0, complete, 1);
  const auto has_contacts = [&](std::size_t k) { return end_within(first[k], counts[k], contacts); };
  while (complete > 0 && !has_contacts(static_cast<std::size_t>(complete) - 1)) --complete;
  if (has_terms) complete = complete_term_steps(*this, complete);
  if (with_pushes) complete = complete_push_steps(*this, complete);
  if (!joints.names.empty()) complete = complete_joint_steps(*this, joints.actuators.size(), complete);
  if (!sensors.names.empty()) complete = complete_sensor_steps(*this, complete);
  steps = static_cast<int>(complete);
  if (has_checksums) drop_unwritten();
}

/// Drops the last steps whose rows the writer announced and did not write: their checksums read as 0.
void Recording::Impl::drop_unwritten() {
  const auto step = rows<std::uint32_t>(kStepChecksum, 0, steps, kStepParts);
  const auto state = rows<std::uint32_t>(kStateChecksum, 0, steps + 1, 1);
  const auto written = [&](std::size_t k) {
    return state[k + 1] != 0 && std::all_of(&step[kStepParts * k], &step[kStepParts * k] + kStepParts,
                                            [](std::uint32_t sum) { return sum != 0; });
  };
  while (steps > 0 && !written(at(steps) - 1)) --steps;
}

Recording::Recording(const std::filesystem::path& file) : impl_(std::make_unique<Impl>()) {
  const Hdf5Session session;
  impl_->path = file.string();
  files::require_regular_file(file, "a recording (repose run --record)");
  impl_->file = open_file(file);
  require(static_cast<bool>(impl_->file), impl_->path,
          ": expected a recording (repose run --record), got no HDF5 file");
  require(impl_->text(kFormat) == kFormatName, impl_->path, ": ", kFormat, ": expected '", kFormatName, "', got '",
          impl_->text(kFormat), "'");
  impl_->scene_name = impl_->text(kSceneName);
  impl_->scene_json = impl_->text(kSceneJson);
  impl_->settings = impl_->text(kSettings);
  impl_->dt = impl_->rows<double>(kStepLength, 0, 1, 1)[0];
  impl_->tolerance = impl_->rows<double>(kTolerance, 0, 1, 1)[0];
  if (impl_->has(kAccept)) impl_->accept = impl_->rows<double>(kAccept, 0, 1, 1)[0];
  require(impl_->dt > 0, impl_->path, ": ", kStepLength, ": expected > 0, got ", impl_->dt, " s");
  impl_->read_bodies();
  impl_->read_head();
  impl_->has_checksums = impl_->has(kStepChecksum);
  impl_->has_terms = impl_->has("/terms") && impl_->has(kContactDetected);
  impl_->with_pushes = record::has_pushes(*impl_);
  impl_->gravity = vec(impl_->rows<double>(kGravity, 0, 1, 3), 0);
  impl_->count_steps();
}
Recording::~Recording() = default;
Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;

int Recording::steps() const { return impl_->steps; }
void Recording::refresh() {
  const Hdf5Session session;
  impl_->count_steps();
}
const std::string& Recording::scene_name() const { return impl_->scene_name; }
const std::string& Recording::scene_json() const { return impl_->scene_json; }
const std::string& Recording::settings_json() const { return impl_->settings; }
double Recording::dt() const { return impl_->dt; }
Vec3 Recording::gravity() const { return impl_->gravity; }
bool Recording::has_terms() const { return impl_->has_terms; }
bool Recording::has_pushes() const { return impl_->with_pushes; }
double Recording::tolerance() const { return impl_->tolerance; }
double Recording::accept() const { return impl_->accept; }
const std::vector<std::string>& Recording::names() const { return impl_->names; }
const std::vector<BodyModel>& Recording::models() const { return impl_->models; }
const std::vector<std::string>& Recording::joint_names() const { return impl_->joints.names; }
const std::vector<std::string>& Recording::actuator_names() const { return impl_->joints.actuators; }
const std::vector<JointModel>& Recording::joints() const { return impl_->joints.models; }
const std::vector<std::string>& Recording::sensor_names() const { return impl_->sensors.names; }
const std::vector<int>& Recording::sensor_sizes() const { return impl_->sensors.sizes; }

std::vector<double> Recording::times() const {
  const Hdf5Session session;
  return impl_->rows<double>(kTime, 0, steps() + 1, 1);
}

RecordedState Recording::state(int k) const { return std::move(states(k, 1).front()); }

std::vector<RecordedState> Recording::states(int first, int count) const {
  require(first >= 0 && count >= 1 && first <= steps() + 1 - count, "recording: states: expected a range in 0 .. ",
          steps(), ", got ", count, " from ", first);
  const Hdf5Session session;
  const Impl& in = *impl_;
  const auto time = in.rows<double>(kTime, first, count, 1);
  std::vector<RecordedState> list(at(count));
  for (std::size_t t = 0; t < list.size(); ++t) list[t].time = time[t];
  std::vector<std::uint32_t> sums(list.size());
  add_rows(sums, time, 1);
  const std::size_t n = in.names.size();
  if (n == 0) {
    in.check_rows(kStateChecksum, 0, 1, "state", first, sums);
    return list;
  }
  const auto centre = in.rows<double>(kCentre, first, count, 3 * n),
             position = in.rows<double>(kPosition, first, count, 3 * n),
             rotation = in.rows<double>(kRotation, first, count, 4 * n),
             velocity = in.rows<double>(kVelocity, first, count, 3 * n),
             spin = in.rows<double>(kSpin, first, count, 3 * n);
  const auto present = in.rows<std::uint8_t>(kPresent, first, count, n);
  for (const auto* part : {&centre, &position, &rotation, &velocity, &spin})
    add_rows(sums, *part, part == &rotation ? 4 * n : 3 * n);
  add_rows(sums, present, n);
  in.check_rows(kStateChecksum, 0, 1, "state", first, sums);
  for (std::size_t k = 0; k < n * list.size(); ++k) {
    RecordedState& state = list[k / n];
    state.bodies.push_back({vec(centre, k), quat(rotation, k), vec(velocity, k), vec(spin, k)});
    state.positions.push_back(vec(position, k));
    state.present.push_back(static_cast<char>(present[k]));
  }
  if (in.joints.names.empty()) return list;
  auto positions = read_joint_positions(in, in.joints, first, count);
  for (std::size_t t = 0; t < list.size(); ++t) list[t].joint_positions = std::move(positions[t]);
  return list;
}

std::vector<StepReport> Recording::reports(int first, int count) const {
  require(first >= 0 && count >= 0 && first <= steps() - count, "recording: steps: expected a range in 0 .. ",
          steps() - 1, ", got ", count, " from ", first);
  const Hdf5Session session;
  const Impl& in = *impl_;
  const auto certificate = in.rows<double>(kCertificate, first, count, kCertificateParts);
  const auto iterations = in.rows<int>(kIterations, first, count, kIterationParts);
  const auto measures = in.rows<double>(kMeasures, first, count, kMeasureParts),
             ms = in.rows<double>(kPhases, first, count, 4), time = in.rows<double>(kTime, first + 1, count, 1);
  const auto status = in.rows<int>(kStatus, first, count, 1), contacts = in.rows<int>(kContacts, first, count, 1);
  const auto first_contact = in.rows<std::int64_t>(kFirstContact, first, count, 1);
  const auto recovery = in.with_pushes ? in.rows<double>(kRecoveryResidual, first, count, 1) : std::vector<double>();
  std::vector<StepReport> list(at(count));
  std::vector<std::uint32_t> sums(list.size());
  add_rows(sums, certificate, kCertificateParts);
  add_rows(sums, iterations, kIterationParts);
  add_rows(sums, status, 1);
  add_rows(sums, measures, kMeasureParts);
  add_rows(sums, ms, 4);
  add_rows(sums, first_contact, 1);
  add_rows(sums, contacts, 1);
  in.check_rows(kStepChecksum, kReportPart, kStepParts, "report of step", first, sums);
  for (std::size_t t = 0; t < list.size(); ++t) {
    require(status[t] >= 0 && status[t] <= static_cast<int>(StepStatus::kAccepted) && contacts[t] >= 0, in.path,
            ": step ", at(first) + t, ": expected 0 to 4 and at least 0, got status ", status[t], " and ", contacts[t],
            " contacts");
    StepReport& r = list[t];
    const double* c = &certificate[kCertificateParts * t];
    const double* m = &measures[kMeasureParts * t];
    const int* i = &iterations[kIterationParts * t];
    r.status = static_cast<StepStatus>(status[t]);
    r.certificate.residual = {c[0], c[1], c[2]};
    r.certificate.nat = c[3];
    r.certificate.paper = {c[4], c[5], c[6]};
    r.outer_iterations = i[0], r.inner_iterations = i[1], r.fallbacks = i[2], r.islands = i[3];
    r.penetration = m[0], r.energy = m[1], r.energy_rise = m[2];
    r.ms = {ms[4 * t], ms[4 * t + 1], ms[4 * t + 2], ms[4 * t + 3]};
    if (in.with_pushes) r.recovery_residual = recovery[t];
    r.contacts = contacts[t];
    r.step = first + static_cast<int>(t) + 1;
    r.time = time[t];
  }
  return list;
}

std::vector<std::vector<Contact>> Recording::contacts(int first, int count) const {
  require(first >= 0 && count >= 0 && first <= steps() - count, "recording: steps: expected a range in 0 .. ",
          steps() - 1, ", got ", count, " from ", first);
  std::vector<std::vector<Contact>> list(at(count));
  if (count == 0) return list;
  const Hdf5Session session;
  const Impl& in = *impl_;
  const auto start_row = in.rows<std::int64_t>(kFirstContact, first, count, 1);
  const auto counts = in.rows<int>(kContacts, first, count, 1);
  std::int64_t rows = 0;
  for (std::size_t t = 0; t < list.size(); ++t) {
    require(counts[t] >= 0 && start_row[t] == start_row[0] + rows, in.path, ": ", kFirstContact,
            ": expected the row after those of the step before, got ", start_row[t], " for step ", at(first) + t);
    rows += counts[t];
  }
  const std::int64_t row = start_row[0];
  const auto body = in.rows<int>(kContactBody, row, rows, 2), shape = in.rows<int>(kContactShape, row, rows, 2);
  const auto feature = in.rows<std::uint32_t>(kContactFeature, row, rows, 1);
  const auto mode = in.rows<std::uint8_t>(kContactMode, row, rows, 1);
  const auto position = in.rows<double>(kContactPosition, row, rows, 3),
             normal = in.rows<double>(kContactNormal, row, rows, 3), gap = in.rows<double>(kContactGap, row, rows, 1),
             mu = in.rows<double>(kContactMu, row, rows, 1), bias = in.rows<double>(kContactBias, row, rows, 1),
             start = in.rows<double>(kContactStart, row, rows, 3),
             found = in.rows<double>(kContactImpulse, row, rows, 3);
  std::vector<std::uint32_t> sums(list.size());
  add_groups(sums, body, counts, 2);
  add_groups(sums, shape, counts, 2);
  add_groups(sums, feature, counts, 1);
  add_groups(sums, mode, counts, 1);
  add_groups(sums, position, counts, 3);
  add_groups(sums, normal, counts, 3);
  for (const auto* part : {&gap, &mu, &bias}) add_groups(sums, *part, counts, 1);
  for (const auto* part : {&start, &found}) add_groups(sums, *part, counts, 3);
  std::vector<double> detected(gap.size()), yielded(gap.size());
  if (in.has_terms) {
    detected = in.rows<double>(kContactDetected, row, rows, 1),
    yielded = in.rows<double>(kContactYielded, row, rows, 1);
    for (const auto* part : {&detected, &yielded}) add_groups(sums, *part, counts, 1);
  }
  in.check_rows(kStepChecksum, kContactPart, kStepParts, "contacts of step", first, sums);
  const std::size_t n = in.names.size();
  std::size_t i = 0;
  for (std::size_t t = 0; t < list.size(); ++t)
    for (int k = 0; k < counts[t]; ++k, ++i) {
      Contact c;
      c.body_a = body[2 * i], c.body_b = body[2 * i + 1];
      require(std::min(c.body_a, c.body_b) >= 0 && at(std::max(c.body_a, c.body_b)) < n && mode[i] <= 2, in.path,
              ": step ", at(first) + t, ", contact ", k, ": expected 0 to ", n - 1, ", got bodies ", c.body_a, " and ",
              c.body_b);
      c.collider_a = shape[2 * i], c.collider_b = shape[2 * i + 1];
      c.feature = feature[i];
      c.mode = static_cast<ContactMode>(mode[i]);
      c.position = vec(position, i), c.normal = vec(normal, i);
      c.gap = gap[i], c.mu = mu[i], c.bias = bias[i];
      c.start = impulse(start, i), c.lambda = impulse(found, i);
      c.detected_at = detected[i], c.yielded = yielded[i];
      list[t].push_back(c);
    }
  return list;
}

std::vector<std::vector<JointBlock>> Recording::joint_blocks(int first, int count) const {
  require(first >= 0 && count >= 0 && first <= steps() - count, "recording: steps: expected a range in 0 .. ",
          steps() - 1, ", got ", count, " from ", first);
  std::vector<std::vector<JointBlock>> list(at(count));
  if (impl_->joints.names.empty()) return list;
  const Hdf5Session session;
  auto read = read_joint_steps(*impl_, impl_->joints, first, count);
  for (std::size_t t = 0; t < list.size(); ++t) list[t] = std::move(read[t].blocks);
  return list;
}

std::vector<std::vector<double>> Recording::sensors(int first, int count) const {
  require(first >= 0 && count >= 0 && first <= steps() - count, "recording: steps: expected a range in 0 .. ",
          steps() - 1, ", got ", count, " from ", first);
  if (impl_->sensors.names.empty() || count == 0) return std::vector<std::vector<double>>(at(count));
  const Hdf5Session session;
  return read_sensor_steps(*impl_, impl_->sensors, first, count);
}

RecordedStep Recording::step(int k) const {
  RecordedStep step;
  step.report = reports(k, 1).front();
  step.contacts = std::move(contacts(k, 1).front());
  const Hdf5Session session;
  const std::size_t n = impl_->names.size();
  if (n == 0) return step;
  const auto velocity = impl_->rows<double>(kFreeVelocity, k, 1, 3 * n),
             spin = impl_->rows<double>(kFreeSpin, k, 1, 3 * n);
  impl_->check_rows(kStepChecksum, kFreePart, kStepParts, "free velocities of step", k,
                    {checksum(checksum(0, velocity), spin)});
  for (std::size_t b = 0; b < n; ++b) {
    step.free_velocity.push_back(vec(velocity, b));
    step.free_spin.push_back(vec(spin, b));
  }
  if (impl_->has_terms) {
    TermStep terms = read_terms(*impl_, n, k);
    step.terms = std::move(terms.terms);
    step.report.recoveries = terms.recoveries, step.report.recoveries_unsolved = terms.recoveries_unsolved;
    step.report.pairs_missed = terms.pairs_missed;
  }
  if (impl_->with_pushes) step.pushes = read_pushes(*impl_, n, k);
  step.sensors = std::move(sensors(k, 1).front());
  if (impl_->joints.names.empty()) return step;
  JointStep joints = std::move(read_joint_steps(*impl_, impl_->joints, k, 1).front());
  step.joint_blocks = std::move(joints.blocks), step.controls = std::move(joints.controls),
  step.inputs = std::move(joints.inputs);
  return step;
}

}  // namespace repose
