// SPDX-License-Identifier: Apache-2.0
// BatchData: many worlds of one model on the processor or on a CUDA device. The arrays are the batch's own memory:
// NumPy arrays on the processor, objects with __dlpack__ on a device.
#include "repose/batch/batch.h"

#include <nanobind/stl/variant.h>

#include <cstring>
#include <sstream>

#include "python/src/bindings.h"
#include "repose/math/tangents.h"

namespace repose::python {
namespace {

using Triple = std::array<double, 3>;
Vec3 vec3(const Triple& v) { return {v[0], v[1], v[2]}; }

using Mask = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

BatchDevice device_from(const std::string& word) {
  require(word == "cpu" || word == "cuda", "device: expected cpu or cuda, got '", word, "'");
  return word == "cpu" ? BatchDevice::kCpu : BatchDevice::kCuda;
}

/// A batch and who uses it.
struct BatchData {
  BatchData(Model model_, int worlds, const std::string& device, const BatchOptions& options)
      : model(std::move(model_)),
        batch(std::make_shared<const BatchModel>(*model.scene, options), worlds, device_from(device)) {}
  Model model;
  Batch batch;
  std::atomic<bool> busy = false;
};

/// Marks a batch as in use for a scope.
class Using {
 public:
  explicit Using(BatchData& data) : data_(data) {
    if (data.busy.exchange(true))
      throw std::runtime_error("batch: expected one thread at a time (a BatchData per thread), got a second one");
  }
  ~Using() { data_.busy = false; }
  Using(const Using&) = delete;
  Using& operator=(const Using&) = delete;

 private:
  BatchData& data_;
};

std::vector<std::size_t> shape_of(const BatchData& data, const BatchArray& a) {
  std::vector<std::size_t> shape{at(data.batch.worlds())};
  if (a.rows > 0) shape.push_back(at(a.rows));
  if (a.width > 1) shape.push_back(at(a.width));
  return shape;
}

/// The numbers of a field where they are; keeps `owner` alive.
nb::object view(nb::handle owner, BatchField field) {
  auto& data = nb::cast<BatchData&>(owner);
  const BatchArray a = data.batch.array(field);
  const std::vector<std::size_t> shape = shape_of(data, a);
  std::vector<std::int64_t> strides{a.world_stride};
  if (a.rows > 0) strides.push_back(a.row_stride);
  if (a.width > 1) strides.push_back(1);
  if (data.batch.device() == BatchDevice::kCpu)
    return nb::cast(nb::ndarray<nb::numpy, double>(a.data, shape.size(), shape.data(), owner, strides.data()));
  return nb::cast(nb::ndarray<double, nb::device::cuda>(a.data, shape.size(), shape.data(), owner, strides.data()));
}

/// A copy for NumPy, from either device.
nb::ndarray<nb::numpy, double> copied(BatchData& data, BatchField field) {
  const std::vector<std::size_t> shape = shape_of(data, data.batch.array(field));
  std::size_t size = 1;
  for (const std::size_t n : shape) size *= n;
  std::vector<double> numbers(size);
  data.batch.read(field, numbers);
  return owned_array(std::move(numbers), shape);
}

/// batch.field = values, on either device; `values` are whatever NumPy can broadcast to the field's shape.
void write(nb::handle owner, BatchField field, const nb::object& values) {
  auto& data = nb::cast<BatchData&>(owner);
  if (data.batch.device() == BatchDevice::kCpu) {
    const nb::object to = view(owner, field);
    if (PyObject_SetItem(to.ptr(), Py_Ellipsis, values.ptr()) != 0) throw nb::python_error();
    return;
  }
  nb::object numbers = nb::cast(copied(data, field));
  if (PyObject_SetItem(numbers.ptr(), Py_Ellipsis, values.ptr()) != 0) throw nb::python_error();
  const auto flat = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(numbers);
  data.batch.write(field, {flat.data(), flat.size()});
}

constexpr std::pair<const char*, BatchField> kFields[] = {{"position", BatchField::kPosition},
                                                          {"quaternion", BatchField::kQuaternion},
                                                          {"velocity", BatchField::kVelocity},
                                                          {"angular_velocity", BatchField::kAngularVelocity},
                                                          {"force", BatchField::kForce},
                                                          {"torque", BatchField::kTorque},
                                                          {"gravity", BatchField::kGravity},
                                                          {"friction", BatchField::kFriction},
                                                          {"kick", BatchField::kKick},
                                                          {"residual", BatchField::kResidual},
                                                          {"ctrl", BatchField::kControl},
                                                          {"joint_position", BatchField::kJointPosition},
                                                          {"joint_velocity", BatchField::kJointVelocity}};

nb::ndarray<nb::numpy, double> copy(BatchData& data, const std::string& name) {
  std::string known;
  for (const auto& [word, field] : kFields) {
    if (name == word) return copied(data, field);
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  fail("copy: expected one of ", known, ", got '", name, "'");
}

/// The interpreter's lock is released; signals are looked at between stretches of steps.
BatchReport step(BatchData& data, int n) {
  constexpr int kStretch = 50;
  require(n >= 0, "n: expected >= 0, got ", n);
  const Using used(data);
  for (int done = 0; done < n;) {
    const int now = std::min(kStretch, n - done);
    {
      nb::gil_scoped_release release;
      data.batch.advance(now);
    }
    done += now;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  return data.batch.report();
}

std::vector<char> chosen_by(const BatchData& data, const std::optional<Mask>& mask) {
  std::vector<char> chosen(at(data.batch.worlds()), 1);
  if (!mask) return chosen;
  require(mask->shape(0) == chosen.size(), "mask: expected (", chosen.size(), ",), got shape (", mask->shape(0), ",)");
  for (std::size_t w = 0; w < chosen.size(); ++w) chosen[w] = mask->data()[w] ? 1 : 0;
  return chosen;
}

void reset(BatchData& data, const std::optional<Mask>& mask, const std::optional<std::variant<int, std::string>>& key) {
  const Using used(data);
  if (key)
    data.batch.reset(chosen_by(data, mask), find_key(data.model, *key));
  else
    data.batch.reset(chosen_by(data, mask));
}

/// An event of one body in the worlds of a mask.
void apply(BatchData& data, const EventAction& action, const std::optional<Mask>& mask) {
  const Using used(data);
  data.batch.apply(action, chosen_by(data, mask));
}

void bind_events(nb::class_<BatchData>& data) {
  data.def(
          "appear", [](BatchData& d, int body, const std::optional<Mask>& mask) { apply(d, Appear{body}, mask); },
          nb::arg("body"), nb::arg("mask") = nb::none(),
          "A body joins the worlds of the mask, or all, where the model has it. Needs events=True.")
      .def(
          "disappear", [](BatchData& d, int body, const std::optional<Mask>& mask) { apply(d, Disappear{body}, mask); },
          nb::arg("body"), nb::arg("mask") = nb::none(), "The body leaves these worlds.")
      .def(
          "launch",
          [](BatchData& d, int body, const Triple& velocity, const Triple& spin, const std::optional<Mask>& mask) {
            apply(d, SetVelocity{body, vec3(velocity), vec3(spin)}, mask);
          },
          nb::arg("body"), nb::arg("velocity"), nb::arg("angular_velocity") = Triple{}, nb::arg("mask") = nb::none(),
          "The body gets this velocity (m/s) and spin (rad/s) in these worlds.")
      .def(
          "push",
          [](BatchData& d, int body, const Triple& force, double duration, const Triple& torque,
             const std::optional<Mask>& mask) {
            require(duration > 0, "push: duration: expected a number > 0, s, got ", duration);
            apply(d, Push{body, vec3(force), vec3(torque), duration}, mask);
          },
          nb::arg("body"), nb::arg("force"), nb::arg("duration"), nb::arg("torque") = Triple{},
          nb::arg("mask") = nb::none(), "A force (N) and a torque (N m) act on the body for so many seconds.");
}

/// One contact as Python sees it; repose/_dtypes.py names the fields.
struct BatchContactRow {
  std::int32_t body[2], shape[2];
  std::uint32_t feature, unused;
  double normal[3], impulse[3], local_impulse[3];
};
static_assert(sizeof(BatchContactRow) == 96);

nb::object contacts(const BatchData& data, int world) {
  std::vector<int> body_of;
  for (std::size_t b = 0; b < data.model.scene->bodies.size(); ++b)
    body_of.insert(body_of.end(), data.model.scene->bodies[b].shapes.size(), static_cast<int>(b));
  std::vector<std::uint8_t> bytes;
  for (const BatchContact& c : data.batch.contacts(world)) {
    const auto [t1, t2] = tangents(c.normal);
    const Vec3 p = c.lambda.t1 * t1 + c.lambda.t2 * t2 + c.lambda.n * c.normal;
    const BatchContactRow row{{body_of[at(c.collider_a)], body_of[at(c.collider_b)]},
                              {c.collider_a, c.collider_b},
                              c.feature,
                              0,
                              {c.normal.x, c.normal.y, c.normal.z},
                              {p.x, p.y, p.z},
                              {c.lambda.t1, c.lambda.t2, c.lambda.n}};
    bytes.resize(bytes.size() + sizeof row);
    std::memcpy(bytes.data() + bytes.size() - sizeof row, &row, sizeof row);
  }
  const std::size_t size = bytes.size();
  return as_rows(nb::cast(owned_array(std::move(bytes), {size})), "BATCH_CONTACT");
}

nb::ndarray<nb::numpy, std::uint8_t> running(const BatchData& data) {
  std::vector<std::uint8_t> flags(at(data.batch.worlds()));
  for (int w = 0; w < data.batch.worlds(); ++w) flags[at(w)] = data.batch.status(w) == BatchStatus::kRunning;
  const std::size_t n = flags.size();
  return owned_array(std::move(flags), {n});
}

nb::ndarray<nb::numpy, std::int32_t> bodies(const BatchData& data) {
  std::vector<std::int32_t> list(data.batch.model().bodies().begin(), data.batch.model().bodies().end());
  const std::size_t n = list.size();
  return owned_array(std::move(list), {n});
}

void bind_report(nb::module_& m) {
  nb::class_<BatchReport>(m, "BatchReport", "Sums over worlds and steps since the start or reset_report().")
      .def_ro("steps", &BatchReport::steps, "Taken, over all worlds.")
      .def_ro("solved", &BatchReport::solved, "Of them with r_c and nat within tol.")
      .def_ro("finished", &BatchReport::finished, "Of them finished by the scheme 'auto' on the processor.")
      .def_ro("overlaps", &BatchReport::overlaps, "Of the finished ones: because of overlap beyond the slop.")
      .def_ro("exceeded", &BatchReport::exceeded, "Of the finished ones: because a list was too short.")
      .def_ro("ahead", &BatchReport::ahead, "Of the finished ones: because a struck body may reach another one.")
      .def_ro("newton", &BatchReport::newton, "Newton steps.")
      .def_ro("worst", &BatchReport::worst, "Largest max(r_c, nat).")
      .def_ro("joint_error", &BatchReport::joint_error,
              "Largest position error of a joint, as a share of its mechanism's size.")
      .def_ro("stopped", &BatchReport::stopped, "Worlds that are not running any more.")
      .def("__repr__", [](const BatchReport& r) {
        std::ostringstream text;
        text << "<repose.BatchReport " << r.solved << " of " << r.steps << " steps solved, worst " << r.worst << ">";
        return text.str();
      });
}

void bind_fields(nb::class_<BatchData>& data) {
  using Self = nb::handle_t<BatchData>;
  const auto field = [&](const char* name, BatchField which, const char* doc) {
    data.def_prop_rw(
        name, [which](Self self) { return view(self, which); },
        [which](Self self, const nb::object& values) { write(self, which, values); }, doc);
  };
  field("position", BatchField::kPosition, "View (worlds, bodies, 3): mass centres, m.");
  field("quaternion", BatchField::kQuaternion, "View (worlds, bodies, 4): (w, x, y, z); the next step normalises.");
  field("velocity", BatchField::kVelocity, "View (worlds, bodies, 3): m/s.");
  field("angular_velocity", BatchField::kAngularVelocity, "View (worlds, bodies, 3): rad/s, world axes.");
  field("force", BatchField::kForce, "View (worlds, bodies, 3), N: acts in every step until changed.");
  field("torque", BatchField::kTorque, "View (worlds, bodies, 3), N m: acts in every step until changed.");
  field("gravity", BatchField::kGravity, "View (worlds, 3), m/s².");
  field("friction", BatchField::kFriction, "View (worlds,): factor on every coefficient of friction.");
  field("kick", BatchField::kKick, "View (worlds,), m/s: random velocity up to this for every body, axis and step.");
  field("ctrl", BatchField::kControl, "View (worlds, actuators): controls, in every step until changed.");
  data.def_prop_ro(
          "joint_position", [](Self self) { return view(self, BatchField::kJointPosition); },
          "View (worlds, coordinates): rad or m, at the end of the last step, in the order of model.joint_names.")
      .def_prop_ro(
          "joint_velocity", [](Self self) { return view(self, BatchField::kJointVelocity); },
          "View (worlds, coordinates): rad/s or m/s, the same.");
  data.def_prop_ro(
      "residual", [](Self self) { return view(self, BatchField::kResidual); },
      "View (worlds, 2): r_c and nat of the last step.");
}

}  // namespace

void bind_batch(nb::module_& m) {
  bind_report(m);
  nb::class_<BatchData> data(m, "BatchData",
                             "Many worlds of one model, advanced together on 'cpu' or 'cuda' with the same bits. "
                             "Arrays have one row per body\n"
                             "that moves (`bodies`); they are the batch's own memory, NumPy arrays on cpu and objects "
                             "with __dlpack__ on cuda.");
  data.def(
          "__init__",
          [](BatchData* self, const Model& model, int worlds, const std::string& device, double tol, int threads,
             int contacts, bool events) {
            new (self) BatchData(model, worlds, device,
                                 {.tolerance = tol, .contacts = contacts, .events = events, .threads = threads});
          },
          nb::arg("model"), nb::arg("worlds"), nb::arg("device") = "cpu", nb::kw_only(), nb::arg("tol") = 1e-8,
          nb::arg("threads") = 1, nb::arg("contacts") = 0, nb::arg("events") = false,
          "contacts: room for so many per world, 0: as many as the start needs; events: whether appear(), "
          "disappear(),\n"
          "launch() and push() may be called although the model has no events of its own.\n"
          "Raises InputError for what batches do not know (docs/gpu.md) and where there is no such device.")
      .def_prop_ro("model", [](const BatchData& d) { return d.model; })
      .def_prop_ro("worlds", [](const BatchData& d) { return d.batch.worlds(); })
      .def_prop_ro("device", [](const BatchData& d) { return d.batch.device() == BatchDevice::kCpu ? "cpu" : "cuda"; })
      .def_prop_ro("bodies", &bodies, kNewArray, "New array: the model's bodies that move, the rows of the views.")
      .def_prop_ro("running", &running, kNewArray,
                   "New array (worlds,) uint8: 0 where a world has stopped: its numbers broke down, or it has more "
                   "contacts than room.")
      .def_prop_ro(
          "report", [](const BatchData& d) { return d.batch.report(); }, "Sums since the start or reset_report().")
      .def("reset_report", [](BatchData& d) { d.batch.reset_report(); })
      .def("step", &step, nb::arg("n") = 1, "Advances every running world by n steps; returns `report`.")
      .def(
          "reset", &reset, nb::arg("mask") = nb::none(), nb::arg("key") = nb::none(),
          "The worlds of the boolean mask, or all, go back to the model's start, or to a keyframe of its file (name or "
          "index), without applied forces; parameters stay.")
      .def("copy", &copy, nb::arg("name"), kNewArray, "New NumPy array with the numbers of a view, from either device.")
      .def("contacts", &contacts, nb::arg("world"),
           nb::sig("def contacts(self, world: int) -> numpy.typing.NDArray[typing.Any]"),
           "New structured array of the last step of one world, dtype repose.BATCH_CONTACT.")
      .def(
          "state_hash", [](const BatchData& d, int world) { return d.batch.state_hash(world); }, nb::arg("world"),
          "16 hexadecimal digits from the bits that the next step of a world depends on.")
      .def("__repr__", [](const BatchData& d) {
        std::ostringstream text;
        text << "<repose.BatchData of '" << d.model.scene->name << "', " << d.batch.worlds() << " worlds>";
        return text.str();
      });
  bind_fields(data);
  bind_events(data);
}

}  // namespace repose::python
