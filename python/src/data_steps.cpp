// SPDX-License-Identifier: Apache-2.0
// Data: what it is made of, what it checks, its steps and where it starts.
#include <chrono>
#include <cmath>
#include <sstream>
#include <utility>
#include <variant>

#include "python/src/bindings.h"
#include "python/src/script.h"
#include "repose/record/summary.h"

namespace repose::python {
namespace {

using Clock = std::chrono::steady_clock;
/// Between two looks at the interpreter's signals.
constexpr std::chrono::milliseconds kPatience{50};

bool is_zero(Vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }
bool finite(Vec3 v) { return std::isfinite(v.x + v.y + v.z); }

World make_world(const Model& model, const ParameterValues& scheme, bool warm_start, int threads) {
  WorldOptions options;
  options.solver = options_from_values(scheme, {}, step_solver());
  options.warm_start = warm_start;
  options.threads = threads;
  return World(*model.scene, options);
}

}  // namespace

const SceneKey& find_key(const Model& model, const std::variant<int, std::string>& key) {
  const int* index = std::get_if<int>(&key);
  for (std::size_t k = 0; k < model.keys.size(); ++k)
    if (index != nullptr ? at(*index) == k : model.keys[k].name == std::get<std::string>(key)) return model.keys[k];
  fail("key: expected one of the ", model.keys.size(), " in key_names, got ",
       index != nullptr ? std::to_string(*index) : "'" + std::get<std::string>(key) + "'");
}

Data::Data(Model model_, ParameterValues scheme_, bool warm_start_, int threads_)
    : model(std::move(model_)),
      scheme(std::move(scheme_)),
      warm_start(warm_start_),
      threads(threads_),
      world(make_world(model, scheme, warm_start, threads)),
      force(at(model.count())),
      torque(at(model.count())),
      control(world.controls().begin(), world.controls().end()),
      scripts(scripts_of(world.scene())) {
  for (std::size_t k = 0; k < control.size(); ++k)
    if (model.scene->actuators[k].has_state()) stateful.push_back(static_cast<int>(k));
  for (int b = 0; b < model.count(); ++b) {
    const SceneBody& body = model.scene->bodies[at(b)];
    if (body.kind == BodyKind::kKinematic && !body.motion) guided.push_back(b);
  }
  take_drives();
}

void Data::check() {
  world.accept_states();
  for (int b = 0; b < model.count(); ++b) {
    if (is_zero(force[at(b)]) && is_zero(torque[at(b)])) continue;
    const std::string& name = model.scene->bodies[at(b)].name;
    require((*model.bodies)[at(b)].kind == BodyKind::kDynamic, "body '", name,
            "': force: expected on dynamic ones, got one on a body that does not move freely");
    require(finite(force[at(b)]) && finite(torque[at(b)]), "body '", name,
            "': force: expected finite numbers, got a value that is not finite");
  }
  for (std::size_t k = 0; k < control.size(); ++k)
    require(std::isfinite(control[k]), "actuator '", model.scene->actuators[k].name,
            "': ctrl: expected a finite number, got one that is not");
  for (std::size_t k = 0; k < stateful.size(); ++k)
    require(std::isfinite(activation[k]), "actuator '", model.scene->actuators[at(stateful[k])].name,
            "': act: expected a finite number, got one that is not");
  for (std::size_t k = 0; k < guided.size(); ++k) {
    const double length = norm(guide_turn[k]);
    require(finite(guide_place[k]) && std::isfinite(length) && length > 0, "body '",
            model.scene->bodies[at(guided[k])].name,
            "': mocap_pos, mocap_quat: expected finite numbers and a quaternion other than zero, got others");
  }
}

void Data::take_controls() {
  std::copy(world.controls().begin(), world.controls().end(), control.begin());
  take_drives();
}

void Data::take_drives() {
  activation.resize(stateful.size());
  for (std::size_t k = 0; k < stateful.size(); ++k) activation[k] = world.activations()[at(stateful[k])];
  guide_place.resize(guided.size()), guide_turn.resize(guided.size());
  for (std::size_t k = 0; k < guided.size(); ++k) {
    const Pose pose = world.guide(guided[k]);
    guide_place[k] = pose.position, guide_turn[k] = pose.rotation;
  }
}

void Data::step_once() {
  for (const Script* script : scripts) script->prime((world.steps() + 1) * model.scene->dt);
  for (int b = 0; b < model.count(); ++b)
    if (!is_zero(force[at(b)]) || !is_zero(torque[at(b)])) world.apply_force(b, force[at(b)], torque[at(b)]);
  for (std::size_t k = 0; k < control.size(); ++k) world.set_control(static_cast<int>(k), control[k]);
  for (std::size_t k = 0; k < stateful.size(); ++k) world.set_activation(stateful[k], activation[k]);
  for (std::size_t k = 0; k < guided.size(); ++k) world.guide(guided[k], {guide_place[k], guide_turn[k]});
  report = world.step();
  take_drives();
  accepted += report.status == StepStatus::kAccepted;
  unsolved += report.status == StepStatus::kUnsolved;
  note_first_trouble();
  if (report.status != StepStatus::kBroken) return;
  std::ostringstream text;
  text << "the numbers broke down in the step after " << world.time() << " s: " << report.why
       << "; the state is the last good one";
  throw BrokenRun(text.str());
}

void Data::note_first_trouble() {
  std::ostringstream text;
  text << "step " << report.step << " at " << report.time << " s: ";
  if (report.status == StepStatus::kUnsolved && unsolved_text.empty()) {
    text << "not solved, r_c " << report.certificate.r_c() << ", nat " << report.certificate.nat
         << (report.why[0] != '\0' ? ", " : "") << report.why << "; data.unsolved_steps counts further ones";
    unsolved_text = text.str();
  } else if (report.squeeze.islands > 0 && squeeze_text.empty()) {
    text << repose::squeeze_text(report.squeeze, world.scene()) << "; the overlap is kept";
    squeeze_text = text.str();
  }
}

void Data::warn() {
  const auto say = [](const std::string& text, bool& said) {
    if (text.empty() || std::exchange(said, true)) return;
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0) throw nb::python_error();
  };
  say(unsolved_text, unsolved_said);
  say(squeeze_text, squeeze_said);
}

void Data::steps(int n) {
  for (int done = 0; done < n;) {
    {
      nb::gil_scoped_release release;
      const Clock::time_point end = Clock::now() + kPatience;
      do {
        step_once();
      } while (++done < n && Clock::now() < end);
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

void Data::start_from(const SceneKey& key) {
  for (int b = 0; b < model.count(); ++b) {
    const SceneBody& body = model.scene->bodies[at(b)];
    if (body.kind != BodyKind::kDynamic && (body.kind != BodyKind::kKinematic || body.motion)) continue;
    world.place(b, key.poses[at(b)], key.velocity[at(b)], key.angular_velocity[at(b)]);
  }
  std::copy(key.controls.begin(), key.controls.end(), control.begin());
  for (std::size_t k = 0; k < stateful.size() && !key.activations.empty(); ++k)
    activation[k] = key.activations[at(stateful[k])];
  for (std::size_t k = 0; k < guided.size(); ++k) {
    const Pose& pose = key.poses[at(guided[k])];
    guide_place[k] = pose.position, guide_turn[k] = pose.rotation;
  }
}

void Data::reset() {
  World fresh = make_world(model, scheme, warm_start, threads);
  std::stringstream start;
  fresh.save(start);
  world.load(start);
  take_controls();
  std::fill(force.begin(), force.end(), Vec3{});
  std::fill(torque.begin(), torque.end(), Vec3{});
  report = {};
  accepted = unsolved = 0;
  unsolved_text.clear(), squeeze_text.clear();
  unsolved_said = squeeze_said = false;
}

InUse::InUse(Data& data) : data_(data) {
  if (data.busy.exchange(true))
    throw std::runtime_error("data: expected one thread at a time (a Data per thread), got a second one");
}

}  // namespace repose::python
