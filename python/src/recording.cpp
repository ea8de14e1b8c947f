// SPDX-License-Identifier: Apache-2.0
// Recording: a recorded run as NumPy arrays, and its check.
#include "repose/record/recording.h"
#include "apps/view/export.h"
#include "python/src/bindings.h"
#include "repose/record/check.h"

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
  std::vector<std::int64_t> contacts, open, stick, slip, outer;
  const std::size_t rows = at(recording.steps());
  for (std::size_t k = 0; k < rows; ++k) {
    const RecordedStep step = recording.step(static_cast<int>(k));
    r_c.push_back(step.report.certificate.r_c());
    nat.push_back(step.report.certificate.nat);
    energy.push_back(step.report.energy);
    rise.push_back(step.report.energy_rise);
    overlap.push_back(step.report.penetration);
    ms.push_back(step.report.ms.total());
    outer.push_back(step.report.outer_iterations);
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
                             {"outer_iterations", &outer}})
    d[name] = owned_array(std::move(*list), {rows});
  return d;
}

/// The largest recomputed residual and whether all that is stored follows from the rest.
nb::tuple check(const Recording& recording) {
  double worst = 0;
  bool agrees = true;
  for (int k = 0; k < recording.steps(); ++k) {
    const StepCheck found = check_step(recording, k);
    worst = std::max(worst, found.recomputed.worst());
    agrees = agrees && found.agrees();
  }
  return nb::make_tuple(worst, agrees);
}

void write(const Recording& recording, const std::filesystem::path& path, const Recording* compare) {
  std::vector<const Recording*> others;
  if (compare) others.push_back(compare);
  const nb::gil_scoped_release release;
  view::export_recording(recording, others, path);
}

nb::str page(const Recording& recording, const Recording* compare) {
  std::string text;
  {
    const nb::gil_scoped_release release;
    std::vector<const Recording*> both{&recording};
    if (compare) both.push_back(compare);
    text = view::html_of(both);
  }
  return nb::str(text.data(), text.size());
}

}  // namespace

void bind_recording(nb::module_& m) {
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
      .def_prop_ro("body_names", [](const Recording& r) { return r.names(); })
      .def("export", &write, nb::arg("path"), nb::kw_only(), nb::arg("compare") = nb::none(),
           "Writes it in another format, by ending: .html .glb .usda .npz .csv .vtkhdf, as ``repose export`` does. A "
           "page\n"
           "(.html) shows `compare` beside it.")
      .def("_page", &page, nb::arg("compare").none())
      .def("_states", &states_of)
      .def("_steps", &steps_of)
      .def("check", &check,
           "(worst residual, agrees): recomputes every step's certificate from the recording alone; agrees is False "
           "when\n"
           "a stored certificate or velocity does not follow from the rest.");
}

}  // namespace repose::python
