// SPDX-License-Identifier: Apache-2.0
// What the parts of the Python module share: the objects behind Model, Data and Problem, and small conversions.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "repose/base/error.h"
#include "repose/contact/problem_file.h"
#include "repose/scene/load.h"
#include "repose/scene/scene.h"
#include "repose/scheme/scheme_options.h"
#include "repose/world/world.h"

namespace repose {
class SceneBuilder;
}

namespace repose::python {

namespace nb = nanobind;

/// Numbers of one body's state: mass centre (3), quaternion (4), velocity (3), angular velocity (3).
inline constexpr std::size_t kBodyNumbers = 13;
static_assert(sizeof(BodyState) == kBodyNumbers * sizeof(double), "views of the state rely on this layout");

/// The numbers of a step broke down: not the caller's fault, and not an ordinary result either.
class BrokenRun : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Options of the scheme (scheme_options()) from keyword arguments; None stands for an option that is not given. Throws
/// TypeError for a name that is not in the table or a value of another type, InputError for a value that is not
/// allowed.
[[nodiscard]] ParameterValues scheme_values(const nb::kwargs& options);
/// ", outer: str = 'auto', …": the same options in the signature of a function.
[[nodiscard]] std::string scheme_signature();

/// A scene that nothing changes any more; cheap to copy.
struct Model {
  explicit Model(Scene scene, std::string format = "native", std::vector<std::string> ignored = {},
                 std::vector<SceneKey> keys = {});

  std::shared_ptr<const Scene> scene;
  std::shared_ptr<const std::vector<BodyModel>> bodies;
  std::string format;
  std::vector<std::string> ignored;
  std::vector<SceneKey> keys;  ///< of a file
  [[nodiscard]] int count() const { return static_cast<int>(bodies->size()); }
};

/// A keyframe of a model's file, by name or index. Throws InputError where there is none.
[[nodiscard]] const SceneKey& find_key(const Model& model, const std::variant<int, std::string>& key);

/// A body by its index or its name.
using BodyName = std::variant<int, std::string>;
/// The index of a body. Throws InputError where there is none.
[[nodiscard]] int find_body(const Model& model, const BodyName& body);

class Script;

/// A world, the forces that act on it while it is stepped, and what its last step said.
struct Data {
  Data(Model model, ParameterValues scheme, bool warm_start, int threads);

  /// Before a call to step(): throws InputError, naming body and field, when a state or force makes no sense.
  void check();
  void step_once();   ///< without the interpreter's lock
  void steps(int n);  ///< with it: released in stretches, between which signals are looked at
  void reset();
  void start_from(const SceneKey& key);  ///< after reset()
  void take_controls();                  ///< those of the world and its activations, after it was loaded
  void take_drives();
  void note_first_trouble();  ///< keeps the words for warn()
  /// With the interpreter's lock, after steps: warns once of steps that are not solved and once of squeezes.
  void warn();

  Model model;
  ParameterValues scheme;  ///< options of the scheme that were given
  bool warm_start;
  int threads;
  World world;
  std::vector<Vec3> force, torque;  ///< act in every step until they are changed, N and N m
  std::vector<double> control;      ///< by actuator; those of the next step
  std::vector<int> stateful;        ///< actuators that have an activation
  std::vector<double> activation;   ///< theirs
  std::vector<int> guided;          ///< kinematic bodies without a motion
  std::vector<Vec3> guide_place;    ///< where they go
  std::vector<Quat> guide_turn;     ///< the same
  StepReport report;
  long accepted = 0, unsolved = 0;          ///< steps with this status since the start or the last reset
  std::string unsolved_text, squeeze_text;  ///< of the first such step since the start or the last reset
  bool unsolved_said = false, squeeze_said = false;
  std::shared_ptr<const Scene> twin;   ///< another model's scene that was found equal
  std::vector<const Script*> scripts;  ///< motions that are Python functions, of the world's scene
  std::atomic<bool> busy = false;
};

/// Marks a Data as in use for a scope; two threads on one Data are an error, not a race.
class InUse {
 public:
  explicit InUse(Data& data);
  ~InUse() { data_.busy = false; }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

 private:
  Data& data_;
};

[[nodiscard]] inline std::size_t at(int k) { return static_cast<std::size_t>(k); }
[[nodiscard]] inline Vec3 vec(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

template <class Scalar>
using Matrix = nb::ndarray<nb::numpy, Scalar, nb::ndim<2>>;
template <class Scalar>
using Column = nb::ndarray<nb::numpy, Scalar, nb::ndim<1>>;
using InputMatrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using InputColumn = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A new array of the given shape that owns `values`.
template <class Scalar>
[[nodiscard]] nb::ndarray<nb::numpy, Scalar> owned_array(std::vector<Scalar> values, std::vector<std::size_t> shape) {
  auto* kept = new std::vector<Scalar>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Scalar>*>(p); });
  return nb::ndarray<nb::numpy, Scalar>(kept->data(), shape.size(), shape.data(), owner);
}

/// For properties that return an array of their own.
inline constexpr nb::rv_policy kNewArray = nb::rv_policy::automatic;

[[nodiscard]] nb::ndarray<nb::numpy, double> contact_array(std::span<const ContactVec> values);
/// (n, 3), finite; `field` is what the message names.
[[nodiscard]] std::vector<ContactVec> contacts_from(const InputMatrix& values, const char* field);

/// The contact problems of the last step's islands as one, contacts in the order of data.contacts.
[[nodiscard]] StoredProblem contact_problem(const Data& data);
/// An array seen as rows of the structured type `name` of repose._dtypes.
[[nodiscard]] nb::object as_rows(nb::object array, const char* name);

/// Parts of the classes that joints.cpp adds.
void bind_joint_names(nb::class_<Model>& model);
void bind_joint_data(nb::class_<Data>& data);
void bind_joint_builder(nb::class_<SceneBuilder>& builder);
/// The same of sensors.cpp.
void bind_sensor_names(nb::class_<Model>& model);
void bind_sensor_data(nb::class_<Data>& data);
void bind_sensor_builder(nb::class_<SceneBuilder>& builder);

void bind_reports(nb::module_& m);
void bind_model(nb::module_& m);
void bind_builder(nb::module_& m);
void bind_data(nb::module_& m);
void bind_solve(nb::module_& m);
void bind_run(nb::module_& m);
void bind_rollout(nb::module_& m);
void bind_recording(nb::module_& m);
void bind_batch(nb::module_& m);

}  // namespace repose::python
