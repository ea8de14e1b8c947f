// SPDX-License-Identifier: Apache-2.0
// Sensors in Python: their names in Model, what they read in Data, and the calls of ModelBuilder that make them.
#include <algorithm>

#include "python/src/bindings.h"
#include "repose/scene/builder.h"
#include "repose/scene/native_names_internal.h"

namespace repose::python {
namespace {

using Triple = std::array<double, 3>;
using Four = std::array<double, 4>;

std::vector<std::string> sensor_names(const Model& model) {
  std::vector<std::string> names;
  for (const SceneSensor& sensor : model.scene->sensors) names.push_back(sensor.name);
  return names;
}

int index_of(const Model& model, const std::string& name) {
  const auto& all = model.scene->sensors;
  const auto found = std::find_if(all.begin(), all.end(), [&](const SceneSensor& s) { return s.name == name; });
  require(found != all.end(), "sensor: expected one of the ", all.size(), " in sensor_names, got '", name, "'");
  return static_cast<int>(found - all.begin());
}

nb::ndarray<nb::numpy, double> array_of(std::vector<double> numbers) {
  const std::size_t n = numbers.size();
  return owned_array(std::move(numbers), {n});
}

SensorKind kind_from(const std::string& word) {
  const auto names = sensor_types();
  const auto found = std::find(names.begin(), names.end(), word);
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  require(found != names.end(), "kind: expected one of ", all, ", got '", word, "'");
  return static_cast<SensorKind>(found - names.begin());
}

int add_sensor(SceneBuilder& b, const std::string& kind, int object, const std::string& name, int coordinate,
               const Triple& position, const Four& quaternion, double cutoff) {
  SceneSensor sensor{.name = name, .kind = kind_from(kind), .coordinate = coordinate, .cutoff = cutoff};
  if (is_of_joint(sensor.kind) || is_of_actuator(sensor.kind))
    sensor.object = object;
  else
    sensor.site = {object, {vec(position), {quaternion[0], quaternion[1], quaternion[2], quaternion[3]}}};
  return b.add_sensor(std::move(sensor));
}

}  // namespace

void bind_sensor_names(nb::class_<Model>& model) {
  model.def_prop_ro("sensor_names", &sensor_names, "In the order of data.sensor_data.")
      .def_prop_ro(
          "sensor_sizes",
          [](const Model& m) {
            std::vector<int> sizes;
            for (const SceneSensor& s : m.scene->sensors) sizes.push_back(static_cast<int>(sensor_size(s.kind)));
            return sizes;
          },
          "Numbers that each sensor reads.")
      .def("sensor", &index_of, nb::arg("name"), "Index into sensor_names.");
}

void bind_sensor_data(nb::class_<Data>& data) {
  data.def(
          "sensor",
          [](const Data& d, const std::string& name) { return array_of(d.world.sensor(index_of(d.model, name))); },
          nb::arg("name"), kNewArray,
          "New array: what one sensor reads. Forces and accelerations belong to the last step, and are 0 before it.")
      .def_prop_ro(
          "sensor_data", [](const Data& d) { return array_of(d.world.sensor_data()); }, kNewArray,
          "New array: what all sensors read, one after the other as in model.sensor_names; model.sensor_sizes says "
          "how\n"
          "many numbers each has.");
}

void bind_sensor_builder(nb::class_<SceneBuilder>& builder) {
  builder.def(
      "add_sensor", &add_sensor, nb::arg("kind"), nb::arg("object"), nb::kw_only(), nb::arg("name") = "",
      nb::arg("coordinate") = 0, nb::arg("position") = Triple{}, nb::arg("quaternion") = Four{1, 0, 0, 0},
      nb::arg("cutoff") = 0.0,
      "A sensor of a kind of scene files: 'joint_position', 'actuator_force', 'gyro', … `object` is the joint,\n"
      "the actuator or the body (-1: the world), position and quaternion place a site in the body. Returns its\n"
      "index.");
}

}  // namespace repose::python
