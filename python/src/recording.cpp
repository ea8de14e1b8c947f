// SPDX-License-Identifier: Apache-2.0
// Recording: a recorded run as NumPy arrays, and its check.
#include "repose/record/recording.h"

#include <algorithm>
#include <numeric>

#include "python/src/bindings.h"
#include "python/src/script.h"
#include "repose/export/export.h"
#include "repose/record/recorder.h"
#include "repose/report/check_report_internal.h"
#include "repose/scene/native_json.h"
#include "repose/verify/verify.h"

namespace repose::python {
namespace {

using Numbers = std::vector<double>;

void put(Numbers& to, Vec3 v) { to.insert(to.end(), {v.x, v.y, v.z}); }
void put(Numbers& to, Quat q) { to.insert(to.end(), {q.w, q.x, q.y, q.z}); }

nb::dict states_of(const Recording& recording) {
  Numbers time, frame, centre, rotation, velocity, spin;
  std::vector<std::uint8_t> present;
  const std::size_t rows = at(recording.steps()) + 1, bodies = recording.names().size();
  for (std::size_t k = 0; k < rows; ++k) {
    const RecordedState state = recording.state(static_cast<int>(k));
    time.push_back(state.time);
    for (std::size_t b = 0; b < bodies; ++b) {
      put(frame, state.positions[b]), put(centre, state.bodies[b].centre), put(rotation, state.bodies[b].rotation);
      put(velocity, state.bodies[b].velocity), put(spin, state.bodies[b].angular_velocity);
      present.push_back(state.present[b] != 0);
    }
  }
  nb::dict d;
  d["time"] = owned_array(std::move(time), {rows});
  d["frame_position"] = owned_array(std::move(frame), {rows, bodies, 3});
  d["position"] = owned_array(std::move(centre), {rows, bodies, 3});
  d["quaternion"] = owned_array(std::move(rotation), {rows, bodies, 4});
  d["velocity"] = owned_array(std::move(velocity), {rows, bodies, 3});
  d["angular_velocity"] = owned_array(std::move(spin), {rows, bodies, 3});
  d["present"] = owned_array(std::move(present), {rows, bodies});
  return d;
}

nb::dict steps_of(const Recording& recording) {
  Numbers r_c, nat, energy, rise, overlap, ms;
  std::vector<std::int64_t> contacts, open, stick, slip, outer, status;
  const std::size_t rows = at(recording.steps());
  for (std::size_t k = 0; k < rows; ++k) {
    const RecordedStep step = recording.step(static_cast<int>(k));
    const double worst = step.report.certificate.r_c(), map = step.report.certificate.nat;
    r_c.push_back(std::isnan(map) ? map : worst);  // poses of another program have neither
    nat.push_back(step.report.certificate.nat);
    energy.push_back(step.report.energy);
    rise.push_back(step.report.energy_rise);
    overlap.push_back(step.report.penetration);
    ms.push_back(step.report.ms.total());
    outer.push_back(step.report.outer_iterations);
    status.push_back(static_cast<std::int64_t>(step.report.status));
    std::int64_t modes[3] = {};
    for (const Contact& c : step.contacts) ++modes[static_cast<std::size_t>(c.mode)];
    contacts.push_back(static_cast<std::int64_t>(step.contacts.size()));
    open.push_back(modes[0]), stick.push_back(modes[1]), slip.push_back(modes[2]);
  }
  nb::dict d;
  for (auto& [name, list] : {std::pair<const char*, Numbers*>{"r_c", &r_c},
                             {"nat", &nat},
                             {"energy", &energy},
                             {"energy_rise", &rise},
                             {"penetration", &overlap},
                             {"ms", &ms}})
    d[name] = owned_array(std::move(*list), {rows});
  for (auto& [name, list] : {std::pair<const char*, std::vector<std::int64_t>*>{"contacts", &contacts},
                             {"open", &open},
                             {"stick", &stick},
                             {"slip", &slip},
                             {"outer_iterations", &outer},
                             {"status", &status}})
    d[name] = owned_array(std::move(*list), {rows});
  return d;
}

/// What one sensor read at the end of every step.
nb::ndarray<nb::numpy, double> sensor_of(const Recording& recording, const std::string& name) {
  const std::vector<std::string>& names = recording.sensor_names();
  const auto found = std::find(names.begin(), names.end(), name);
  require(found != names.end(), "sensor: expected one of the ", names.size(), " in sensor_names, got '", name, "'");
  const std::vector<int>& sizes = recording.sensor_sizes();
  const auto place = found - names.begin();
  const auto first = std::accumulate(sizes.begin(), sizes.begin() + place, std::ptrdiff_t{0});
  const int size = sizes[static_cast<std::size_t>(place)];
  Numbers flat;
  for (const std::vector<double>& step : recording.sensors(0, recording.steps()))
    flat.insert(flat.end(), step.begin() + first, step.begin() + first + size);
  return owned_array(std::move(flat), {at(recording.steps()), at(size)});
}

/// The largest recomputed residual and whether all that is stored follows from the rest.
nb::tuple check(const Recording& recording) {
  require_certificates(recording, "recording");
  report::CheckTally tally;
  const Verifier verifier(recording);
  for (int k = 0; k < recording.steps(); ++k) tally.add(verifier.check(k), recording.tolerance(), recording.accept());
  return nb::make_tuple(tally.worst, tally.disagreeing.empty());
}

void write(const Recording& recording, const std::filesystem::path& path, const Recording* compare,
           const std::string& forces) {
  const Forces which = forces_from_name(forces, "forces");
  std::vector<const Recording*> others;
  if (compare) others.push_back(compare);
  const nb::gil_scoped_release release;
  exporter::export_recording(recording, others, path, which);
}

nb::str page(const Recording& recording, const Recording* compare) {
  std::string text;
  {
    const nb::gil_scoped_release release;
    std::vector<const Recording*> both{&recording};
    if (compare) both.push_back(compare);
    text = exporter::html_of(both);
  }
  return nb::str(text.data(), text.size());
}

/// Rows of numbers that come from Python, read one after the other.
class Reader {
 public:
  Reader(const nb::dict& values, const char* key, std::size_t wanted) {
    if (!values.contains(key)) fail("write_recording: expected all tables, got no '", key, "'");
    from_ = nb::cast<InputColumn>(values[key]);
    require(from_.size() == wanted, "write_recording: ", key, ": expected ", wanted, ", got ", from_.size(),
            " numbers");
  }
  double number() { return from_.data()[next_++]; }
  int whole() { return static_cast<int>(number()); }
  Vec3 vec3() {
    const double x = number(), y = number();
    return {x, y, number()};
  }
  Quat quat() {
    const double w = number(), x = number(), y = number();
    return {w, x, y, number()};
  }

 private:
  InputColumn from_;
  std::size_t next_ = 0;
};

std::vector<RecordedState> states_from(const nb::dict& values, const Model& model, std::size_t rows) {
  const std::size_t bodies = at(model.count());
  Reader time(values, "time", rows), position(values, "position", 3 * rows * bodies),
      rotation(values, "quaternion", 4 * rows * bodies), velocity(values, "velocity", 3 * rows * bodies),
      spin(values, "angular_velocity", 3 * rows * bodies);
  std::vector<RecordedState> states(rows);
  for (RecordedState& state : states) {
    state.time = time.number();
    state.present.assign(bodies, 1);
    for (std::size_t b = 0; b < bodies; ++b) {
      const Pose frame{position.vec3(), rotation.quat()};
      state.positions.push_back(frame.position);
      state.bodies.push_back({centre_of((*model.bodies)[b], frame), frame.rotation, velocity.vec3(), spin.vec3()});
    }
  }
  return states;
}

std::vector<RecordedStep> steps_from(const nb::dict& values, const Model& model, std::size_t rows) {
  const std::size_t bodies = at(model.count());
  Reader free_velocity(values, "free_velocity", 3 * rows * bodies), free_spin(values, "free_spin", 3 * rows * bodies),
      ms(values, "ms", rows), counts(values, "contacts", rows);
  std::vector<RecordedStep> steps(rows);
  std::size_t all = 0;
  for (RecordedStep& step : steps) {
    for (std::size_t b = 0; b < bodies; ++b) {
      step.free_velocity.push_back(free_velocity.vec3());
      step.free_spin.push_back(free_spin.vec3());
    }
    step.report.ms.solve = ms.number();
    step.contacts.resize(at(counts.whole()));
    all += step.contacts.size();
  }
  Reader body(values, "body", 2 * all), position(values, "contact_position", 3 * all),
      normal(values, "normal", 3 * all), mu(values, "mu", all), bias(values, "bias", all),
      impulse(values, "impulse", 3 * all);
  for (RecordedStep& step : steps)
    for (Contact& c : step.contacts) {
      c.body_a = body.whole(), c.body_b = body.whole();
      for (const int b : {c.body_a, c.body_b})
        require(b >= 0 && b < model.count(), "write_recording: body: expected 0 to ", model.count() - 1, ", got ", b);
      c.collider_a = c.body_a, c.collider_b = c.body_b;
      c.position = position.vec3(), c.normal = normal.vec3();
      c.mu = mu.number(), c.bias = bias.number();
      const auto [t1, t2] = tangents(c.normal);
      const Vec3 lambda = impulse.vec3();
      c.lambda = {dot(lambda, t1), dot(lambda, t2), dot(lambda, c.normal)};
      c.mode = mode_of(c.lambda, 0.999 * c.mu);  // as far as impulses tell, and other engines' reach the cone
    }
  return steps;
}

/// A run without contacts says nothing about the law: its certificates are not numbers.
void leave_open(StepReport& report) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  report.certificate.residual = report.certificate.paper = {nothing, nothing, nothing};
  report.certificate.nat = report.penetration = report.energy_rise = nothing;
  report.status = StepStatus::kUnsolved;
}

double energy_of(const Model& model, const RecordedState& state) {
  double sum = 0;
  for (std::size_t b = 0; b < state.bodies.size(); ++b) {
    const BodyModel& body = (*model.bodies)[b];
    if (body.kind != BodyKind::kDynamic || state.present[b] == 0) continue;
    const BodyState& s = state.bodies[b];
    sum += 0.5 * body.mass * dot(s.velocity, s.velocity) + spin_energy(body.rotor, s.rotation, s.angular_velocity) -
           body.mass * body.gravity_scale * dot(model.scene->gravity, s.centre);
  }
  return sum;
}

using Flags = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Poses alone. The caller has checked the shapes.
void write_poses(const Model& model, const std::filesystem::path& path, const nb::dict& values,
                 const std::optional<Flags>& present, const std::string& settings) {
  const std::size_t rows = nb::cast<InputColumn>(values["time"]).size(), bodies = at(model.count());
  std::vector<RecordedState> states = states_from(values, model, rows);
  for (std::size_t k = 0; k < rows; ++k)
    for (std::size_t b = 0; b < bodies; ++b) {
      const BodyState& s = states[k].bodies[b];
      const std::string& name = model.scene->bodies[b].name;
      require(norm(s.rotation) > 0.5, "quaternion: state ", k, ", body '", name,
              "': expected unit quaternions, got one that is not finite or has no direction");
      require(std::isfinite(norm(s.centre) + norm(s.velocity) + norm(s.angular_velocity)), "state ", k, ", body '",
              name, "': expected finite numbers, got a value that is not finite");
      states[k].present[b] = present ? (*present)(k, b) != 0 : model.scene->bodies[b].present;
    }
  std::vector<RecordedStep> steps(rows - 1);
  for (std::size_t k = 0; k + 1 < rows; ++k) {
    leave_open(steps[k].report);
    steps[k].report.energy = energy_of(model, states[k + 1]);
    steps[k].free_velocity.resize(bodies);
    steps[k].free_spin.resize(bodies);
  }
  RecordOptions options;
  options.settings_json = settings;
  if (scripts_of(*model.scene).empty()) options.scene_json = native_scene_text(*model.scene);
  Recorder::write(path, *model.scene, states, steps, 1e-8, options);
}

/// Twice: the check reads certificates from a recording, and they belong into it.
void write_recording(const Model& model, const std::filesystem::path& path, const nb::dict& values, double tolerance,
                     const std::string& settings) {
  for (const SceneBody& body : model.scene->bodies)
    require(body.shapes.size() == 1, "write_recording: body '", body.name, "': expected 1, got ", body.shapes.size(),
            " shapes");
  const std::size_t rows = nb::cast<InputColumn>(values["time"]).size();
  require(rows >= 1, "write_recording: time: expected one per state, got no number");
  const std::vector<RecordedState> states = states_from(values, model, rows);
  std::vector<RecordedStep> steps = steps_from(values, model, rows - 1);
  const RecordOptions options{.scene_json = native_scene_text(*model.scene), .settings_json = settings};
  Recorder::write(path, *model.scene, states, steps, tolerance, options);
  {
    const Recording first(path);
    const Verifier verifier(first);
    const bool shown =
        std::any_of(steps.begin(), steps.end(), [](const RecordedStep& s) { return !s.contacts.empty(); });
    for (int k = 0; k < static_cast<int>(steps.size()); ++k) {
      StepReport& report = steps[at(k)].report;
      if (!shown) {
        leave_open(report);
        continue;
      }
      report.certificate = verifier.check(k).recomputed;
      report.status = report.certificate.solved(tolerance) ? StepStatus::kSolved : StepStatus::kUnsolved;
    }
  }
  Recorder::write(path, *model.scene, states, steps, tolerance, options);
}

}  // namespace

void bind_recording(nb::module_& m) {
  m.def("write_poses", &write_poses, nb::arg("model"), nb::arg("path"), nb::arg("tables"), nb::arg("present").none(),
        nb::arg("settings"));
  m.def(
      "write_recording", &write_recording, nb::arg("model"), nb::arg("path"), nb::arg("tables"), nb::kw_only(),
      nb::arg("tolerance") = 1e-8, nb::arg("settings") = "{}",
      "A run that another program made, as a recording with certificates by the judge. `tables` are flat arrays of\n"
      "numbers, T steps and B bodies of one shape each: time (T+1), position (T+1, B, 3) of the bodies' frames,\n"
      "quaternion (T+1, B, 4), velocity (T+1, B, 3) of the mass centres, angular_velocity (T+1, B, 3); free_velocity\n"
      "and free_spin (T, B, 3) without contacts, ms (T), contacts (T) how many; then for all N contacts: body (N, 2),\n"
      "contact_position (N, 3), normal (N, 3), mu (N), bias (N) added to the normal free velocity, impulse (N, 3) on\n"
      "the second body, world axes.");
  nb::class_<Recording>(m, "Recording", "A recorded run, finished or still growing.")
      .def(nb::init<const std::filesystem::path&>(), nb::arg("path"))
      .def("__len__", &Recording::steps, "Complete steps.")
      .def("refresh", &Recording::refresh, "Sees what was written since.")
      .def_prop_ro("scene", [](const Recording& r) { return r.scene_name(); })
      .def_prop_ro(
          "scene_json", [](const Recording& r) { return r.scene_json(); }, "Empty where it was not kept.")
      .def_prop_ro("settings_json", [](const Recording& r) { return r.settings_json(); })
      .def_prop_ro("dt", &Recording::dt, "s")
      .def_prop_ro("tolerance", &Recording::tolerance)
      .def_prop_ro("accept", &Recording::accept, "Residual up to which steps count as accepted; 0: none does.")
      .def_prop_ro("body_names", [](const Recording& r) { return r.names(); })
      .def_prop_ro(
          "sensor_names", [](const Recording& r) { return r.sensor_names(); }, "Empty where none were recorded.")
      .def("sensor", &sensor_of, nb::arg("name"), kNewArray,
           "New array (steps, numbers): what a sensor read at the end of every step.")
      .def("export", &write, nb::arg("path"), nb::kw_only(), nb::arg("compare") = nb::none(),
           nb::arg("forces") = "auto",
           "Writes it in another format, by ending: .html .glb .usda .npz .csv .vtkhdf, as ``repose export`` does. A "
           "page\n"
           "(.html) shows `compare` beside it. `forces` in .html and .npz: solver, as recorded; canonical, of least "
           "norm;\n"
           "auto, the latter where bodies rest.")
      .def("_page", &page, nb::arg("compare").none())
      .def("_states", &states_of)
      .def("_steps", &steps_of)
      .def("check", &check,
           "(worst residual, agrees): recomputes every step's certificate from the recording alone; agrees is False "
           "when\n"
           "a stored certificate or velocity does not follow from the rest.");
}

}  // namespace repose::python
