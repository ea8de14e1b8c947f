// SPDX-License-Identifier: Apache-2.0
#include "python/src/script.h"

#include <mutex>

namespace repose::python {
namespace {

/// All functions that scripts hold. What a function refers to may include the model that holds it, a circle that the
/// interpreter does not see: they are let go when it ends.
struct Held {
  std::mutex mutex;
  std::vector<std::weak_ptr<nb::callable>> functions;
};
Held& held() {
  static auto* one = new Held;  // outlives every model
  return *one;
}

void note(const std::shared_ptr<nb::callable>& function) {
  const std::lock_guard lock(held().mutex);
  std::erase_if(held().functions, [](const auto& f) { return f.expired(); });
  held().functions.push_back(function);
}

void let_go() {
  std::vector<nb::object> gone;  // dropped after the lock: what they hold may be models
  const std::lock_guard lock(held().mutex);
  for (const auto& weak : held().functions)
    if (const auto function = weak.lock()) gone.push_back(std::exchange(*function, nb::callable()));
  held().functions.clear();
}

/// Seven numbers, or a pair of three and four.
std::array<double, 7> numbers_from(const nb::object& found) {
  if (nb::len(found) != 2) return nb::cast<std::array<double, 7>>(found);
  const auto p = nb::cast<std::array<double, 3>>(found[0]);
  const auto q = nb::cast<std::array<double, 4>>(found[1]);
  return {p[0], p[1], p[2], q[0], q[1], q[2], q[3]};
}

}  // namespace

Script::Script(nb::callable function, std::string body)
    : function_(new nb::callable(std::move(function)),
                [](nb::callable* f) {
                  if (!nb::is_alive()) return;  // the interpreter has gone, and its objects with it
                  const nb::gil_scoped_acquire lock;
                  delete f;
                }),
      body_(std::move(body)) {
  note(function_);
}

void let_go_of_scripts_at_exit() { nb::module_::import_("atexit").attr("register")(nb::cpp_function(&let_go)); }

Pose Script::operator()(double time) const { return time_ == time ? pose_ : ask(time); }

void Script::prime(double time) const {
  if (time_ == time) return;
  pose_ = ask(time);
  time_ = time;
}

Pose Script::ask(double time) const {
  const nb::gil_scoped_acquire lock;
  require(function_->is_valid(), "body '", body_, "': motion: expected a function, got the end of the interpreter");
  const nb::object found = (*function_)(time);
  std::array<double, 7> x{};
  bool fine = false;
  try {
    x = numbers_from(found);
    fine = true;
  } catch (const nb::cast_error&) {
  } catch (const nb::python_error&) {  // it has no length
  }
  require(fine, "body '", body_, "': motion at ", time,
          " s: expected x, y, z and quaternion w, x, y, z, as seven numbers or as a pair, got ",
          nb::repr(found).c_str());
  double size = 0, all = 0;
  for (std::size_t k = 0; k < 7; ++k) all += x[k], size += k < 3 ? 0 : x[k] * x[k];
  require(std::isfinite(all) && std::isfinite(size) && size > 0, "body '", body_, "': motion at ", time,
          " s: expected finite numbers and a quaternion that is not zero, got ", nb::repr(found).c_str());
  return {{x[0], x[1], x[2]}, {x[3], x[4], x[5], x[6]}};
}

std::vector<const Script*> scripts_of(const Scene& scene) {
  std::vector<const Script*> list;
  for (const SceneBody& body : scene.bodies) {
    const auto* motion = body.motion ? std::get_if<ScriptMotion>(&*body.motion) : nullptr;
    const Script* script = motion ? motion->pose.target<Script>() : nullptr;
    if (script) list.push_back(script);
  }
  return list;
}

void refuse_scripts(const Scene& scene, const char* why) {
  for (const SceneBody& body : scene.bodies)
    require(!body.motion || !std::holds_alternative<ScriptMotion>(*body.motion), "body '", body.name,
            "': motion: expected constant, ramp or table, got a Python function, ", why);
}

}  // namespace repose::python
