// SPDX-License-Identifier: Apache-2.0
// Data for Python: views of its state for NumPy, contacts, steps and checkpoints.
#include <nanobind/stl/variant.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <variant>

#include "python/src/bindings.h"
#include "python/src/script.h"
#include "repose/base/atomic_file.h"
#include "repose/scene/native_json.h"
#include "repose/world/forces.h"

namespace repose::python {
namespace {

/// Rows of `width` doubles inside the states, from the given member on; keeps `owner` alive.
nb::ndarray<nb::numpy, double> state_view(nb::handle owner, std::size_t offset, std::size_t width) {
  Data& data = nb::cast<Data&>(owner);
  auto* first = reinterpret_cast<double*>(data.world.writable_states().data());
  const std::size_t shape[] = {at(data.model.count()), width};
  const std::int64_t strides[] = {static_cast<std::int64_t>(kBodyNumbers), 1};
  return nb::ndarray<nb::numpy, double>(first + offset, 2, shape, owner, strides);
}

nb::ndarray<nb::numpy, double> flat_state(nb::handle owner) {
  Data& data = nb::cast<Data&>(owner);
  const std::size_t shape[] = {kBodyNumbers * at(data.model.count())};
  return nb::ndarray<nb::numpy, double>(data.world.writable_states().data(), 1, shape, owner);
}

nb::ndarray<nb::numpy, double> vec_view(nb::handle owner, std::vector<Vec3>& list) {
  const std::size_t shape[] = {list.size(), 3};
  return nb::ndarray<nb::numpy, double>(list.data(), 2, shape, owner);
}

nb::ndarray<nb::numpy, double> frame_position(const Data& data) {
  std::vector<double> flat;
  for (int b = 0; b < data.model.count(); ++b) {
    const Vec3 p = data.world.pose(b).position;
    flat.insert(flat.end(), {p.x, p.y, p.z});
  }
  return owned_array(std::move(flat), {at(data.model.count()), 3});
}

/// Contacts of the last step with the impulses of this name.
std::vector<Contact> contacts_with(const Data& data, const std::string& forces) {
  require(forces == "solver" || forces == "canonical", "forces: expected solver or canonical, got '", forces, "'");
  std::vector<Contact> contacts(data.world.contacts().begin(), data.world.contacts().end());
  if (forces == "canonical") {
    const std::vector<ContactVec> canonical = canonical_impulses(data.world);
    for (std::size_t k = 0; k < contacts.size(); ++k) contacts[k].lambda = canonical[k];
  }
  return contacts;
}

/// Forces of the last step's contacts, N, on the second body.
nb::ndarray<nb::numpy, double> contact_forces(const Data& data, const std::string& forces) {
  std::vector<double> flat;
  const std::vector<Contact> contacts = contacts_with(data, forces);
  for (const Contact& c : contacts) {
    const Vec3 force = (1 / data.model.scene->dt) * c.impulse();
    flat.insert(flat.end(), {force.x, force.y, force.z});
  }
  return owned_array(std::move(flat), {contacts.size(), 3});
}

/// The sum of contact_forces() on one body, or on each.
nb::ndarray<nb::numpy, double> contact_force(const Data& data, const std::optional<BodyName>& body,
                                             const std::string& forces) {
  const std::size_t bodies = at(data.model.count());
  const std::size_t chosen = body ? at(find_body(data.model, *body)) : 0;
  std::vector<double> flat(3 * bodies);
  const auto add = [&](int b, double sign, Vec3 impulse) {
    double* f = &flat[3 * at(b)];
    f[0] += sign * impulse.x, f[1] += sign * impulse.y, f[2] += sign * impulse.z;
  };
  for (const Contact& c : contacts_with(data, forces)) {
    add(c.body_b, 1 / data.model.scene->dt, c.impulse());
    add(c.body_a, -1 / data.model.scene->dt, c.impulse());
  }
  if (!body) return owned_array(std::move(flat), {bodies, 3});
  const auto first = flat.begin() + static_cast<std::ptrdiff_t>(3 * chosen);
  return owned_array(std::vector<double>(first, first + 3), {3});
}

std::tuple<double, double> force_range(const Data& data, std::optional<int> contact,
                                       const std::optional<std::tuple<BodyName, BodyName>>& bodies) {
  require(contact.has_value() != bodies.has_value(), "force_range: expected contact or bodies, got ",
          contact ? "both" : "neither");
  const ForceRange range = contact ? contact_force_range(data.world, *contact)
                                   : pair_force_range(data.world, find_body(data.model, std::get<0>(*bodies)),
                                                      find_body(data.model, std::get<1>(*bodies)));
  return {range.least, range.greatest};
}

/// One contact as Python sees it; repose/_dtypes.py names the fields.
struct ContactRow {
  std::int32_t body[2], shape[2];
  std::uint32_t feature, mode;
  double position[3], normal[3], gap, friction;
  double impulse[3], local_impulse[3], velocity[3];
};
static_assert(sizeof(ContactRow) == 160);

nb::ndarray<nb::numpy, std::uint8_t> contact_rows(const Data& data) {
  std::vector<std::uint8_t> bytes(sizeof(ContactRow) * data.world.contacts().size());
  std::size_t k = 0;
  for (const Contact& c : data.world.contacts()) {
    const Vec3 p = c.impulse();
    const ContactRow row{{c.body_a, c.body_b},
                         {c.collider_a, c.collider_b},
                         c.feature,
                         static_cast<std::uint32_t>(c.mode),
                         {c.position.x, c.position.y, c.position.z},
                         {c.normal.x, c.normal.y, c.normal.z},
                         c.gap,
                         c.mu,
                         {p.x, p.y, p.z},
                         {c.lambda.t1, c.lambda.t2, c.lambda.n},
                         {c.v.t1, c.v.t2, c.v.n}};
    std::memcpy(&bytes[sizeof row * k++], &row, sizeof row);
  }
  const std::size_t size = bytes.size();
  return owned_array(std::move(bytes), {size});
}

nb::bytes checkpoint(const Data& data) {
  std::ostringstream out;
  data.world.save(out);
  const std::string text = out.str();
  return nb::bytes(text.data(), text.size());
}

void load_bytes(Data& data, const std::string& text) {
  const InUse used(data);
  std::istringstream in(text);
  data.world.load(in);
  data.take_controls();
}

void load_file(Data& data, const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  require(in.good(), path.string(), ": expected one written by save(), got no such file");
  std::ostringstream all;
  all << in.rdbuf();
  try {
    load_bytes(data, all.str());
  } catch (const InputError& error) {
    fail(path.string(), ": ", error.what());
  }
}

void save_file(const Data& data, const std::filesystem::path& path) {
  std::ostringstream out;
  data.world.save(out);
  files::write_atomically(path, out.str());
}

using Pickled = std::tuple<Model, ParameterValues, bool, int, nb::bytes, std::vector<double>>;

Pickled get_state(const Data& data) {
  refuse_scripts(*data.model.scene, kNoPickle);
  std::vector<double> forces;
  for (const auto* list : {&data.force, &data.torque})
    for (const Vec3& v : *list) forces.insert(forces.end(), {v.x, v.y, v.z});
  return {data.model, data.scheme, data.warm_start, data.threads, checkpoint(data), forces};
}

void set_state(Data& data, const Pickled& state) {
  const auto& [model, scheme, warm, threads, bytes, forces] = state;
  new (&data) Data(model, scheme, warm, threads);
  load_bytes(data, std::string(bytes.c_str(), bytes.size()));
  require(forces.size() == 6 * data.force.size(), "pickle: expected ", 6 * data.force.size(), ", got ", forces.size(),
          " force components");
  const double* from = forces.data();
  for (auto* list : {&data.force, &data.torque})
    for (Vec3& v : *list) v = {from[0], from[1], from[2]}, from += 3;
}

/// The model that the data were made from, or one that says the same (after pickling).
void check_model(const Model& model, Data& data) {
  if (model.scene == data.model.scene || model.scene == data.twin) return;
  const bool functions = !scripts_of(*model.scene).empty() || !data.scripts.empty();  // nobody can compare those
  require(!functions && native_scene_text(*model.scene) == native_scene_text(*data.model.scene),
          "step: expected data made from this one, got data of another model ('", data.model.scene->name, "' and '",
          model.scene->name, "')");
  data.twin = model.scene;
}

StepReport step(const Model& model, Data& data, int n) {
  check_model(model, data);
  require(n >= 0, "n: expected >= 0, got ", n);
  const InUse used(data);
  data.check();
  if (n == 1) {  // the interpreter looks at its signals by itself
    nb::gil_scoped_release release;
    data.step_once();
  } else {
    data.steps(n);
  }
  data.warn();
  return data.report;
}

/// Writes into a view: data.position = x is data.position[...] = x.
void write_view(nb::object view, const nb::object& values) {
  if (PyObject_SetItem(view.ptr(), Py_Ellipsis, values.ptr()) != 0) throw nb::python_error();
}

/// A view that can be read and assigned to.
template <class View>
void def_view(nb::class_<Data>& data, const char* name, View view, const char* doc) {
  using Self = nb::handle_t<Data>;
  data.def_prop_rw(
      name, [view](Self self) { return view(self); },
      [view](Self self, const nb::object& values) { write_view(nb::cast(view(self)), values); }, doc);
}

void bind_views(nb::class_<Data>& data) {
  using Self = nb::handle_t<Data>;
  def_view(
      data, "state", [](Self self) { return flat_state(self); },
      "View (13 nbody,): per body position 3, quaternion 4, velocity 3, angular velocity 3.");
  def_view(
      data, "qpos", [](Self self) { return state_view(self, 0, 7); }, "View (nbody, 7): position and quaternion.");
  def_view(
      data, "qvel", [](Self self) { return state_view(self, 7, 6); },
      "View (nbody, 6): velocity and angular velocity.");
  def_view(
      data, "position", [](Self self) { return state_view(self, 0, 3); }, "View (nbody, 3): mass centres, m.");
  def_view(
      data, "quaternion", [](Self self) { return state_view(self, 3, 4); }, "View (nbody, 4): (w, x, y, z).");
  def_view(
      data, "velocity", [](Self self) { return state_view(self, 7, 3); }, "View (nbody, 3): of the mass centres, m/s.");
  def_view(
      data, "angular_velocity", [](Self self) { return state_view(self, 10, 3); },
      "View (nbody, 3): rad/s, world axes.");
  def_view(
      data, "force", [](Self self) { return vec_view(self, nb::cast<Data&>(self).force); },
      "View (nbody, 3), N: acts on the mass centres in every step until changed.");
  def_view(
      data, "torque", [](Self self) { return vec_view(self, nb::cast<Data&>(self).torque); },
      "View (nbody, 3), N m: acts in every step until changed.");
  def_view(
      data, "ctrl",
      [](Self self) {
        std::vector<double>& control = nb::cast<Data&>(self).control;
        const std::size_t shape[] = {control.size()};
        return nb::ndarray<nb::numpy, double>(control.data(), 1, shape, self);
      },
      "View (nu,): controls of the actuators in the order of model.actuator_names, until changed.");
  def_view(
      data, "act",
      [](Self self) {
        std::vector<double>& activation = nb::cast<Data&>(self).activation;
        const std::size_t shape[] = {activation.size()};
        return nb::ndarray<nb::numpy, double>(activation.data(), 1, shape, self);
      },
      "View (na,): activations of the actuators that have one, in the order of model.actuator_names.");
  def_view(
      data, "mocap_pos", [](Self self) { return vec_view(self, nb::cast<Data&>(self).guide_place); },
      "View (nmocap, 3), m: where kinematic bodies without a motion go in the next step (their frames), and stay.");
  def_view(
      data, "mocap_quat",
      [](Self self) {
        std::vector<Quat>& turns = nb::cast<Data&>(self).guide_turn;
        const std::size_t shape[] = {turns.size(), 4};
        return nb::ndarray<nb::numpy, double>(&turns.data()->w, 2, shape, self);
      },
      "View (nmocap, 4): the same as quaternions w, x, y, z.");
  data.def_prop_ro("frame_position", &frame_position, kNewArray,
                   "New array (nbody, 3): origins of the bodies' frames, m.")
      .def_prop_ro(
          "present",
          [](const Data& d) {
            std::vector<std::uint8_t> flags(at(d.model.count()));
            for (int b = 0; b < d.model.count(); ++b) flags[at(b)] = d.world.present(b);
            const std::size_t n = flags.size();
            return owned_array(std::move(flags), {n});
          },
          kNewArray, "New array (nbody,) uint8: 0 where a body has not appeared yet or was removed.")
      .def_prop_ro(
          "contacts", [](const Data& d) { return as_rows(nb::cast(contact_rows(d)), "CONTACT"); },
          nb::for_getter(nb::sig("def contacts(self) -> numpy.typing.NDArray[typing.Any]")),
          "New structured array (contacts,) of the last step, dtype repose.CONTACT: body, shape, feature, mode (see\n"
          "repose.MODES), position and gap m, normal, friction, impulse and local_impulse N s, velocity m/s.");
}

}  // namespace

void bind_data(nb::module_& m) {
  nb::class_<Data> data(
      m, "Data",
      "A state in motion. The views are windows into it: they stay valid, see every step, keep it alive, and\n"
      "writing to them writes the state.");
  static const std::string signature = "def __init__(self, model: Model, *" + scheme_signature() +
                                       ", warm_start: bool = True, threads: int = 1) -> None";
  data.def(
          "__init__",
          [](Data* self, const Model& model, bool warm_start, int threads, const nb::kwargs& scheme) {
            new (self) Data(model, scheme_values(scheme), warm_start, threads);
          },
          nb::arg("model"), nb::kw_only(), nb::arg("warm_start") = true, nb::arg("threads") = 1, nb::arg("scheme"),
          nb::sig(signature.c_str()), "Takes the options of the scheme besides: repose.scheme_options() lists them.")
      .def_prop_ro("model", [](const Data& d) { return d.model; })
      .def_prop_ro(
          "time", [](const Data& d) { return d.world.time(); }, "s")
      .def_prop_ro(
          "steps", [](const Data& d) { return d.world.steps(); }, "Steps taken since t = 0.")
      .def_prop_ro(
          "energy", [](const Data& d) { return d.world.energy(); }, "Kinetic and potential of dynamic bodies, J.")
      .def_prop_ro(
          "report", [](const Data& d) { return d.report; }, "What the last step said.")
      .def_prop_ro(
          "certificate", [](const Data& d) { return d.report.certificate; }, "Of the last step.")
      .def_ro("accepted_steps", &Data::accepted,
              "Steps above tol and within accept since the start or the last reset().")
      .def_ro("unsolved_steps", &Data::unsolved, "Steps above tol and accept since the start or the last reset().")
      .def_prop_ro(
          "state_hash", [](const Data& d) { return d.world.state_hash(); },
          "16 hexadecimal digits from the bits of the state.")
      .def("contact_forces", &contact_forces, nb::arg("forces") = "canonical", kNewArray,
           "New array (contacts, 3), N, world axes, on the second body, in the order of `contacts`: 'solver' gives "
           "what the\n"
           "solver found, 'canonical' the forces of least mass-weighted norm with the same motion, which are unique.")
      .def("contact_force", &contact_force, nb::arg("body") = nb::none(), nb::arg("forces") = "canonical", kNewArray,
           "New array (3,), N, world axes: the sum of contact_forces() on a body (index or name), mean over the last "
           "step.\n"
           "Without a body (nbody, 3): of each.")
      .def("force_range", &force_range, nb::kw_only(), nb::arg("contact") = nb::none(), nb::arg("bodies") = nb::none(),
           "Least and greatest normal force, N, at a contact (an index into `contacts`) or between two bodies (a pair "
           "of\n"
           "indices or names) over all forces with the motion of the last step; infinite where self-stress has no "
           "limit.")
      .def("contact_problem", &contact_problem,
           "The last step's contact problem, contacts in the order of `contacts`, then the blocks of joints.")
      .def(
          "reset",
          [](Data& d, const std::optional<std::variant<int, std::string>>& key) {
            const InUse used(d);
            const SceneKey* chosen = key ? &find_key(d.model, *key) : nullptr;
            d.reset();
            if (chosen != nullptr) d.start_from(*chosen);
          },
          nb::arg("key") = nb::none(),
          "Back to the model's start, or to a keyframe of its file (name or index); views stay valid.")
      .def("save", &save_file, nb::arg("path"), "Writes a checkpoint: a run that loads it continues bit for bit.")
      .def("load", &load_file, nb::arg("path"), "Reads a checkpoint of the same model and options.")
      .def("checkpoint", &checkpoint, "The content of save() as bytes.")
      .def(
          "restore", [](Data& d, const nb::bytes& bytes) { load_bytes(d, std::string(bytes.c_str(), bytes.size())); },
          nb::arg("checkpoint"))
      .def("__getstate__", &get_state)
      .def("__setstate__", &set_state)
      .def("__repr__", [](const Data& d) {
        std::ostringstream text;
        text << "<repose.Data of '" << d.model.scene->name << "' at " << d.world.time() << " s>";
        return text.str();
      });
  bind_views(data);
  bind_joint_data(data);
  bind_sensor_data(data);
  m.def(
      "step", &step, nb::arg("model"), nb::arg("data"), nb::arg("n") = 1,
      "Advances `data` by n steps of model.dt and returns the last step's report. A step above tolerance is taken and\n"
      "said in the report; numbers that break down raise BrokenRunError and leave the last good state.");
}

}  // namespace repose::python
