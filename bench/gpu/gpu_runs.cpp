// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/gpu_runs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "repose/math/scalar.h"
#include "repose/scene/builder.h"
#include "repose/scene/load.h"
#include "repose/shape/polyhedron.h"
#include "scenes/arch.h"
#include "scenes/cards.h"
#include "scenes/piles.h"

namespace repose::bench {
namespace {

using Clock = std::chrono::steady_clock;

Scene cubes(int count) {
  scenes::StackOptions options;
  options.count = count;
  options.mu = 0.8;
  return scenes::stack(options);
}

/// One body of each shape, on the ground and on each other.
Scene tray() {
  SceneBuilder b("tray");
  const int stone = b.add_material({.name = "stone", .friction = 0.6});
  b.add_ground_plane(stone);
  Scene scene = b.build();
  const std::vector<Vec3> corners{{0.2, 0, 0}, {-0.2, 0, 0}, {0, 0.2, 0}, {0, -0.2, 0}, {0, 0, 0.2}, {0, 0, -0.2}};
  const std::vector<Geometry> shapes{Box{{0.2, 0.15, 0.1}}, Sphere{0.15}, Capsule{0.1, 0.15},
                                     Hull{convex_hull(corners)}};
  for (int k = 0; k < 12; ++k) {
    SceneBody body;
    body.name = "body " + std::to_string(k);
    body.pose = {{0.35 * (k % 3), 0.35 * (k / 3 % 2), 0.25 + 0.35 * (k / 6)}, normalized(Quat{1, 0.1 * k, 0.2, 0})};
    SceneShape shape;
    shape.geometry = shapes[static_cast<std::size_t>(k) % shapes.size()];
    shape.material = stone;
    body.shapes.push_back(shape);
    scene.bodies.push_back(body);
  }
  return scene;
}

/// A box that a force pushes over the ground against another one.
Scene pushed() {
  Scene scene = cubes(1);
  SceneBody box = scene.bodies.back();
  const double weight = 9.81 * make_model(box).mass;
  scene.bodies.back().force = {2.5 * weight, 0, 0};
  box.name = "pushed";
  box.pose.position.x += 1.1 * make_model(box).thickness;
  scene.bodies.push_back(box);
  return scene;
}

/// A house of cards that is too smooth to stand.
Scene falling_house() {
  scenes::CardsOptions options;
  options.mu = 0.2;
  return scenes::cards(options);
}

BatchOptions options_of(const GpuScene& scene, int threads) {
  return {.contacts = scene.contacts,
          .removal_period = scene.removal_period,
          .quick_removal = scene.quick_removal,
          .threads = threads};
}

/// The sine of a twentieth of each control's range, about where it starts, with a period of a second.
std::vector<double> controls_at(const Scene& scene, int worlds, int step) {
  std::vector<double> all;
  for (int w = 0; w < worlds; ++w)
    for (const SceneActuator& a : scene.actuators) {
      const double width = a.control_upper - a.control_lower;
      all.push_back(a.control + 0.05 * (std::isfinite(width) ? width : 0) * sine(6.283185307179586 * scene.dt * step));
    }
  return all;
}

/// Advances a batch; the controls of a robot that moves are written before every step.
void run(Batch& batch, const GpuScene& scene, double kick, int steps, int first = 0) {
  if (!scene.robot || kick == 0) return batch.advance(steps);
  for (int k = first; k < first + steps; ++k) {
    batch.write(BatchField::kControl, controls_at(scene.scene, batch.worlds(), k));
    batch.advance(1);
  }
}

Batch kicked(const std::shared_ptr<const BatchModel>& model, int worlds, BatchDevice device, double kick,
             bool robot = false) {
  Batch batch(model, worlds, device);
  for (int w = 0; w < worlds; ++w)
    batch.set_parameters(w, {model->scene().gravity, 1, robot ? 0.0 : kick, static_cast<std::uint64_t>(w / 2)});
  return batch;
}

double largest(Vec3 a, Vec3 b) { return norm(a - b); }

/// What two batches have different in one world: contacts, normals, impulses, states.
std::string describe(const Batch& host, const Batch& device, int world) {
  std::ostringstream out;
  const auto a = host.contacts(world), b = device.contacts(world);
  out << "contacts " << a.size() << ' ' << b.size() << ", r_c " << host.r_c(world) << ' ' << device.r_c(world)
      << ", Newton steps " << host.report().newton << ' ' << device.report().newton << ", finished "
      << host.report().finished << ' ' << device.report().finished;
  double normals = 0, impulses = 0;
  int features = 0, first = -1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    features +=
        a[i].feature != b[i].feature || a[i].collider_a != b[i].collider_a || a[i].collider_b != b[i].collider_b;
    const double n = largest(a[i].normal, b[i].normal), l = std::abs(a[i].lambda.n - b[i].lambda.n) +
                                                            std::abs(a[i].lambda.t1 - b[i].lambda.t1) +
                                                            std::abs(a[i].lambda.t2 - b[i].lambda.t2);
    if (first < 0 && n + l > 0) first = static_cast<int>(i);
    normals = std::max(normals, n), impulses = std::max(impulses, l);
  }
  out << ", other features " << features << ", normals " << normals << ", impulses " << impulses << " from contact "
      << first;
  if (first >= 0)
    out << " of " << a[static_cast<std::size_t>(first)].collider_a << " and "
        << a[static_cast<std::size_t>(first)].collider_b;
  double x = 0, q = 0, v = 0, w = 0;
  for (int k = 0; k < static_cast<int>(host.model().bodies().size()); ++k) {
    const BodyState s = host.state(world, k), t = device.state(world, k);
    x = std::max(x, largest(s.centre, t.centre)), v = std::max(v, largest(s.velocity, t.velocity));
    w = std::max(w, largest(s.angular_velocity, t.angular_velocity));
    q = std::max(q, std::abs(s.rotation.w - t.rotation.w) + std::abs(s.rotation.x - t.rotation.x) +
                        std::abs(s.rotation.y - t.rotation.y) + std::abs(s.rotation.z - t.rotation.z));
  }
  out << ", x " << x << ", q " << q << ", v " << v << ", w " << w;
  return out.str();
}

}  // namespace

std::vector<GpuScene> gpu_scenes() {
  return {{"cube", cubes(1), true},
          {"stack", cubes(10), true},
          {"cards", scenes::cards(), true},
          {"arch", scenes::arch(), false},
          {"tray", tray(), false, 0, 20, 1024},
          {"tray, 1 of 8", tray(), false, 64, 20, 1024, 8},
          {"settled tray", tray(), false, 0, 120, 1024},
          {"pushed box", pushed(), false, 16},
          {"falling cards", falling_house(), false, 256, 20, 1024},
          {"tray, quick", tray(), false, 64, 20, 1024, 1, true},
          {"falling cards, quick", falling_house(), false, 256, 20, 1024, 1, true}};
}

std::vector<GpuScene> gpu_robots(const std::string& folder) {
  std::vector<GpuScene> robots;
  const auto add = [&](const char* name, const char* file, int contacts) {
    const std::filesystem::path path = std::filesystem::path(folder) / file;
    if (!std::filesystem::exists(path)) return;
    GpuScene robot{name, load_scene(path.string()).scene, false, contacts, 20, 4096};
    robot.robot = true;
    robots.push_back(std::move(robot));
  };
  add("gripper", "robotiq_2f85/2f85.xml", 0);
  add("quadruped", "google_barkour_vb/scene.xml", 300);
  return robots;
}

std::vector<PaperScene> paper_scenes() {
  std::vector<PaperScene> all;
  for (const int levels : {5, 10}) {
    const std::string count = std::to_string(levels);
    all.push_back({"card, " + count + " levels", "paper_cards_" + count,
                   scenes::cards({.levels = levels, .variant = "dataset"})});
  }
  for (const int stones : {25, 101}) {
    const std::string count = std::to_string(stones);
    all.push_back(
        {"arch, " + count + " stones", "paper_arch_" + count, scenes::arch({.stones = stones, .variant = "exploded"})});
  }
  return all;
}

PaperRun run_paper_scene(const Scene& scene, int steps) {
  const auto model = std::make_shared<const BatchModel>(scene, BatchOptions{});
  Batch batch(model, 1, BatchDevice::kCuda);
  const int bodies = static_cast<int>(model->bodies().size());
  std::vector<Vec3> starts;
  for (int b = 0; b < bodies; ++b) starts.push_back(batch.state(0, b).centre);
  batch.advance(0);  // uploads
  const Clock::time_point start = Clock::now();
  batch.advance(steps);
  PaperRun run{1e3 * std::chrono::duration<double>(Clock::now() - start).count() / steps, 0, batch.report()};
  for (int b = 0; b < bodies; ++b)
    run.moved = std::max(run.moved, norm(batch.state(0, b).centre - starts[static_cast<std::size_t>(b)]));
  return run;
}

BitCheck check_bits(const GpuScene& scene, double kick, int worlds, int steps) {
  const auto model = std::make_shared<const BatchModel>(scene.scene, options_of(scene, 8));
  Batch host = kicked(model, worlds, BatchDevice::kCpu, kick, scene.robot),
        device = kicked(model, worlds, BatchDevice::kCuda, kick, scene.robot);
  run(host, scene, kick, steps);
  run(device, scene, kick, steps);
  BitCheck check{scene.name, kick, worlds, steps, 0, 0, device.report().finished};
  for (int w = 0; w < worlds; ++w) check.unequal += host.state_hash(w) != device.state_hash(w);
  for (int w = 0; w + 1 < worlds; w += 2) check.unequal_twins += device.state_hash(w) != device.state_hash(w + 1);
  return check;
}

BitCheck check_arrays(const GpuScene& scene, int worlds) {
  const auto model = std::make_shared<const BatchModel>(scene.scene, options_of(scene, 8));
  Batch host = kicked(model, worlds, BatchDevice::kCpu, 0.01), device = kicked(model, worlds, BatchDevice::kCuda, 0.01);
  constexpr int kSteps = 10;
  const std::size_t bodies = model->bodies().size();
  std::vector<double> numbers(3 * bodies * static_cast<std::size_t>(worlds));
  for (Batch* batch : {&host, &device}) {
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = 0.01 * static_cast<double>(k % 7);
    batch->write(BatchField::kForce, numbers);
    batch->advance(kSteps);
    const BatchArray shared = batch->array(BatchField::kVelocity);
    std::vector<char> mask(static_cast<std::size_t>(worlds));
    for (std::size_t w = 0; w < mask.size(); w += 2) mask[w] = shared.data != nullptr;
    batch->reset(mask);
    batch->advance(kSteps);
    batch->read(BatchField::kVelocity, numbers);
    for (double& x : numbers) x *= 0.5;
    batch->write(BatchField::kVelocity, numbers);
    batch->set_parameters(1, {{0, 0, -5}, 0.5, 0.02, 9});
    batch->advance(kSteps);
  }
  BitCheck check{scene.name, 0.01, worlds, 3 * kSteps, 0, 0, device.report().finished};
  for (int w = 0; w < worlds; ++w) check.unequal += host.state_hash(w) != device.state_hash(w);
  return check;
}

Difference first_difference(const GpuScene& scene, double kick, int worlds, int steps) {
  const auto model = std::make_shared<const BatchModel>(scene.scene, options_of(scene, 8));
  Batch host = kicked(model, worlds, BatchDevice::kCpu, kick, scene.robot),
        device = kicked(model, worlds, BatchDevice::kCuda, kick, scene.robot);
  for (int k = 0; k < steps; ++k) {
    run(host, scene, kick, 1, k);
    run(device, scene, kick, 1, k);
    for (int w = 0; w < worlds; ++w)
      if (host.state_hash(w) != device.state_hash(w)) return {k, w, describe(host, device, w)};
  }
  return {};
}

GpuRate measure_rate(const GpuScene& scene, double kick, int worlds, int steps, int host_threads, BatchDevice device) {
  const auto model = std::make_shared<const BatchModel>(scene.scene, options_of(scene, host_threads));
  Batch batch = kicked(model, worlds, device, kick, scene.robot);
  run(batch, scene, kick, scene.settle);
  batch.reset_report();
  batch.advance(0);  // uploads
  const Clock::time_point start = Clock::now();
  run(batch, scene, kick, steps, scene.settle);
  GpuRate rate{scene.name,          kick, worlds, steps, model->threads_per_world(), model->state_bytes(),
               model->work_bytes(), 0,    0,      {}};
  rate.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  rate.device_seconds = batch.device_seconds();
  rate.report = batch.report();
  return rate;
}

}  // namespace repose::bench
