// SPDX-License-Identifier: Apache-2.0
// rollout(): many worlds, each alone on one thread at a time, so that the bits do not depend on the number of threads.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "python/src/bindings.h"

namespace repose::python {
namespace {

using States = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Residuals = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<4>, nb::c_contig, nb::device::cpu>;

/// Plain pointers into the caller's arrays: threads must not touch Python objects.
struct Batch {
  std::vector<Model> models;  ///< one, or one per world
  ParameterValues scheme;
  int worlds = 0, steps = 0;
  std::size_t numbers = 0;                      ///< of one state
  const double* initial = nullptr;              ///< worlds × numbers
  const double* forces = nullptr;               ///< null, or rows of 6 per body
  std::size_t force_world = 0, force_step = 0;  ///< strides; 0 where one row serves all
  const double* controls = nullptr;             ///< null, or rows of 6 per body: velocities of kinematic bodies
  std::size_t control_world = 0, control_step = 0;
  double* states = nullptr;    ///< worlds × steps × numbers
  double* residual = nullptr;  ///< worlds × steps
};

void set_forces(Data& data, const Batch& batch, int world, int step) {
  if (!batch.forces) return;
  const double* row = batch.forces + at(world) * batch.force_world + at(step) * batch.force_step;
  for (std::size_t b = 0; b < data.force.size(); ++b, row += 6) {
    data.force[b] = {row[0], row[1], row[2]};
    data.torque[b] = {row[3], row[4], row[5]};
  }
}

/// Kinematic bodies go where their velocities take them from the initial state on, instead of where the model says.
Model controlled(const Batch& batch, const Model& model, int world) {
  if (!batch.controls) return model;
  Scene scene = *model.scene;
  const auto* start = reinterpret_cast<const BodyState*>(batch.initial + at(world) * batch.numbers);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].kind != BodyKind::kKinematic) continue;
    auto track = std::make_shared<std::vector<Pose>>(1, Pose{start[b].centre, start[b].rotation});
    for (int k = 0; k < batch.steps; ++k) {
      const double* row = batch.controls + at(world) * batch.control_world + at(k) * batch.control_step + 6 * b;
      const Vec3 v{row[0], row[1], row[2]}, w{row[3], row[4], row[5]};
      const Pose& last = track->back();
      track->push_back(
          {last.position + scene.dt * v, normalized(exponential(scene.dt * w) * normalized(last.rotation))});
    }
    scene.bodies[b].motion = ScriptMotion{[track, dt = scene.dt](double time) {
      return (*track)[std::min(track->size() - 1, static_cast<std::size_t>(std::llround(time / dt)))];
    }};
  }
  return Model(std::move(scene), model.format, model.ignored);
}

/// Returns why the world broke down; empty: it did not.
std::string roll(const Batch& batch, int world, const std::atomic<bool>& stop) {
  Data data(controlled(batch, batch.models[batch.models.size() == 1 ? 0 : at(world)], world), batch.scheme, true, 1);
  std::memcpy(static_cast<void*>(data.world.writable_states().data()), batch.initial + at(world) * batch.numbers,
              batch.numbers * sizeof(double));
  double* states = batch.states + at(world) * at(batch.steps) * batch.numbers;
  double* residual = batch.residual + at(world) * at(batch.steps);
  for (int k = 0; k < batch.steps && !stop; ++k) {
    set_forces(data, batch, world, k);
    data.check();
    try {
      data.step_once();
    } catch (const BrokenRun& broken) {
      const double nan = std::numeric_limits<double>::quiet_NaN();
      std::fill(states + at(k) * batch.numbers, states + at(batch.steps) * batch.numbers, nan);
      std::fill(residual + k, residual + batch.steps, nan);
      return broken.what();
    }
    std::memcpy(states + at(k) * batch.numbers, data.world.states().data(), batch.numbers * sizeof(double));
    residual[k] = data.report.certificate.worst();
  }
  return {};
}

/// Worlds in turn, on as many threads as wanted; holds what they said.
class Pool {
 public:
  Pool(const Batch& batch, int threads) : batch_(batch), broken(at(batch.worlds)), errors_(at(batch.worlds)) {
    working_ = std::min(threads, batch.worlds);
    for (int k = working_; k > 0; --k) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    const nb::gil_scoped_release release;  // a motion that is a Python function may be waiting for the lock
    join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Waits a little; true when all threads are through.
  bool wait() {
    std::unique_lock lock(mutex_);
    return through_.wait_for(lock, std::chrono::milliseconds(50), [this] { return working_ == 0; });
  }
  void stop() { stop_ = true; }
  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  /// Throws the error of the first world that had one.
  void rethrow() const {
    for (const std::exception_ptr& error : errors_)
      if (error) std::rethrow_exception(error);
  }

 private:
  void work() {
    for (int world = next_++; world < batch_.worlds && !stop_; world = next_++) {
      try {
        broken[at(world)] = roll(batch_, world, stop_);
      } catch (const InputError& error) {
        errors_[at(world)] =
            std::make_exception_ptr(InputError("world " + std::to_string(world) + ": " + error.what()));
        stop_ = true;
      } catch (...) {
        errors_[at(world)] = std::current_exception();
        stop_ = true;
      }
    }
    const std::lock_guard lock(mutex_);
    if (--working_ == 0) through_.notify_all();
  }

  const Batch& batch_;

 public:
  std::vector<std::string> broken;  ///< why each world broke down; empty: it did not

 private:
  std::vector<std::exception_ptr> errors_;
  std::atomic<int> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable through_;
  int working_ = 0;
  std::vector<std::thread> threads_;
};

/// Rows of 6 per body, by world and step; where there is one of either, it serves all. Sets the strides.
void check_rows(const Batch& batch, const Rows& rows, const char* field, std::size_t bodies, std::size_t& world,
                std::size_t& step) {
  const auto fits = [](std::size_t found, int wanted) { return found == 1 || found == at(wanted); };
  require(fits(rows.shape(0), batch.worlds) && fits(rows.shape(1), batch.steps) && rows.shape(2) == bodies &&
              rows.shape(3) == 6,
          field, ": expected (", batch.worlds, " or 1, ", batch.steps, " or 1, ", bodies, ", 6), got shape (",
          rows.shape(0), ", ", rows.shape(1), ", ", rows.shape(2), ", ", rows.shape(3), ")");
  step = rows.shape(1) == 1 ? 0 : 6 * bodies;
  world = rows.shape(0) == 1 ? 0 : 6 * bodies * rows.shape(1);
}

/// Finite, and for kinematic bodies only.
void check_controls(const Rows& controls, const Model& model) {
  for (std::size_t k = 0; k < controls.size(); ++k) {
    const std::size_t b = k / 6 % at(model.count());
    const std::string& name = model.scene->bodies[b].name;
    require(std::isfinite(controls.data()[k]), "controls: body '", name,
            "': expected finite numbers, got a value that is not finite");
    require(controls.data()[k] == 0 || model.scene->bodies[b].kind == BodyKind::kKinematic, "controls: body '", name,
            "': expected 0, got a velocity for a body that is not kinematic");
  }
}

std::vector<std::string> rollout(std::vector<Model> models, const InputMatrix& initial,
                                 const std::optional<Rows>& forces, const std::optional<Rows>& controls,
                                 const States& states, const Residuals& residual, int threads,
                                 const nb::kwargs& scheme) {
  require(!models.empty(), "models: expected one, or one per world, got none");
  Batch batch;
  batch.worlds = static_cast<int>(initial.shape(0));
  batch.steps = static_cast<int>(states.shape(1));
  batch.numbers = initial.shape(1);
  batch.scheme = scheme_values(scheme);
  require(threads >= 1, "nthread: expected >= 1, got ", threads);
  require(models.size() == 1 || models.size() == at(batch.worlds), "models: expected 1 or ", batch.worlds, ", got ",
          models.size());
  for (const Model& model : models)
    require(kBodyNumbers * at(model.count()) == batch.numbers, "initial_states: expected ",
            kBodyNumbers * at(model.count()), ", got rows of ", batch.numbers, " numbers");
  require(states.shape(0) == at(batch.worlds) && states.shape(2) == batch.numbers &&
              residual.shape(0) == at(batch.worlds) && residual.shape(1) == at(batch.steps),
          "out: expected (worlds, steps, numbers), got other shapes");
  const std::size_t bodies = at(models.front().count());
  if (forces) {
    check_rows(batch, *forces, "forces", bodies, batch.force_world, batch.force_step);
    batch.forces = forces->data();
  }
  if (controls) {
    check_rows(batch, *controls, "controls", bodies, batch.control_world, batch.control_step);
    for (const Model& model : models) check_controls(*controls, model);
    batch.controls = controls->data();
  }
  batch.models = std::move(models);
  batch.initial = initial.data();
  batch.states = states.data();
  batch.residual = residual.data();

  Pool pool(batch, threads);
  for (bool through = false; !through;) {
    {
      nb::gil_scoped_release release;
      through = pool.wait();
    }
    if (PyErr_CheckSignals() == 0) continue;
    pool.stop();
    throw nb::python_error();
  }
  pool.join();
  pool.rethrow();
  return std::move(pool.broken);
}

}  // namespace

void bind_rollout(nb::module_& m) {
  m.def("rollout_into", &rollout, nb::arg("models"), nb::arg("initial_states"), nb::arg("forces").none(),
        nb::arg("controls").none(), nb::arg("states"), nb::arg("residual"), nb::arg("nthread"), nb::arg("scheme"));
}

}  // namespace repose::python
