// SPDX-License-Identifier: Apache-2.0
// Collision of whole scenes: structures at rest that tremble, dense packs, large hulls.
#include <benchmark/benchmark.h>

#include <cmath>
#include <numbers>
#include <string>

#include "repose/base/random.h"
#include "repose/collision/broad_phase_internal.h"
#include "repose/collision/collision.h"
#include "repose/shape/polyhedron.h"

namespace repose::bench {
namespace {

struct CollisionScene {
  std::string name;
  std::vector<Geometry> shapes;  // one per body; body 0 does not move
  std::vector<Pose> poses;
  double margin = 0.02;  // m, of a pair
};

Quat about_y(double angle) { return {std::cos(angle / 2), 0, std::sin(angle / 2), 0}; }

// Semicircle of equal stones, centre-line radius 10 m, 1.5 m thick and deep (scene 6c); body 0 is the ground.
CollisionScene arch(int stones) {
  CollisionScene scene{"arch-" + std::to_string(stones), {HalfSpace{}}, {{{0, 0, -1}, {}}}, 0.05};
  const double half = .5 * std::numbers::pi / stones;
  std::vector<Vec3> corners;
  for (const double r : {9.25, 10.75})
    for (const double a : {-half, half})
      for (const double y : {-.75, .75}) corners.push_back({r * std::sin(a), y, r * std::cos(a) - 10});
  const Hull stone{convex_hull(corners)};
  for (int i = 0; i < stones; ++i) {
    const double angle = (2 * i + 1) * half - .5 * std::numbers::pi;
    scene.shapes.emplace_back(stone);
    scene.poses.push_back({{10 * std::sin(angle), 0, 10 * std::cos(angle)}, about_y(angle)});
  }
  return scene;
}

// The closed house of scene 5a.
CollisionScene cards(int levels) {
  CollisionScene scene{"cards-" + std::to_string(levels), {HalfSpace{}}, {{}}, 0.02};
  const double L = 2.5, W = 1.25, t = .035, lean = 25 * std::numbers::pi / 180, s = L + t / 4;
  const double a = .5 * L * std::sin(lean) + .5 * t * std::cos(lean);
  const double b = .5 * L * std::cos(lean) + .5 * t * std::sin(lean);
  const auto add = [&](double x, double z, double angle) {
    scene.shapes.emplace_back(Box{{.5 * t, .5 * W, .5 * L}});
    scene.poses.push_back({{x, 0, z}, about_y(angle)});
  };
  for (int k = 0; k < levels; ++k)
    for (int j = 0; j < levels - k; ++j) {
      const double x = (j - .5 * (levels - k - 1)) * s, z = k * (2 * b + t);
      add(x - a, z + b, lean);
      add(x + a, z + b, -lean);
      if (k > 0) add(x, z - .5 * t, .5 * std::numbers::pi);
    }
  return scene;
}

// Boxes on a lattice with small random turns, neighbours just in touch.
CollisionScene pack(int n, bool round) {
  CollisionScene scene{
      (round ? "balls-" : "boxes-") + std::to_string(n * n * n), {HalfSpace{}}, {{{0, 0, -2}, {}}}, .02};
  Random random(3);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        if (round)
          scene.shapes.emplace_back(Sphere{.5});
        else
          scene.shapes.emplace_back(Box{{.5, .5, .5}});
        const Vec3 turn{random.uniform(-.1, .1), random.uniform(-.1, .1), random.uniform(-.1, .1)};
        const double room = round ? .99 : 1.05;
        scene.poses.push_back({{room * i, room * j, room * k}, exponential(turn)});
      }
  return scene;
}

// Two rounded hulls of some 2000 vertices in touch over a plane.
CollisionScene large_hulls() {
  CollisionScene scene{"hulls-2000", {HalfSpace{}}, {{{0, 0, -1}, {}}}, .02};
  Random random(5);
  std::vector<Vec3> cloud;
  while (cloud.size() < 2000) {
    const Vec3 v{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    if (norm(v) > .1 && norm(v) < 1) cloud.push_back(normalized(v));
  }
  const Hull ball{convex_hull(cloud)};
  scene.shapes.insert(scene.shapes.end(), 2, ball);
  scene.poses.push_back({});
  scene.poses.push_back({{1.999, 0, 0}, {}});
  return scene;
}

void update(benchmark::State& state, const CollisionScene& scene, double tremble) {
  Collision collision;
  std::vector<Collider> colliders;
  for (std::size_t i = 0; i < scene.shapes.size(); ++i) colliders.push_back({static_cast<int>(i), {}, scene.shapes[i]});
  std::vector<char> movable(scene.shapes.size(), 1);
  movable[0] = 0;
  collision.bind(std::move(colliders), std::move(movable));
  std::vector<Pose> frames[2] = {scene.poses, scene.poses};
  Random random(7);
  for (std::size_t i = 1; i < scene.poses.size(); ++i) {
    const auto shake = [&] { return random.uniform(-tremble, tremble); };
    Pose& pose = frames[1][i];
    pose.position = pose.position + Vec3{shake(), shake(), shake()};
    pose.rotation = normalized(exponential({shake(), shake(), shake()}) * pose.rotation);
  }
  const std::vector<double> margin(scene.shapes.size(), .5 * scene.margin);
  for (int i = 0; i < 4; ++i) collision.update(frames[i % 2], margin);
  int step = 0;
  for (auto _ : state) collision.update(frames[++step % 2], margin);
  const auto points = static_cast<double>(collision.points().size());
  state.counters["points"] = points;
  state.counters["per_point"] =
      benchmark::Counter(points, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// Broad phase alone: unit boxes on a lattice just in touch, each moving steadily by up to `speed` a step, so that in
// every step some leave their fat boxes.
void broad_phase(benchmark::State& state, int n, double speed) {
  Random random(9);
  std::vector<collision::Bounds> bounds;
  std::vector<Vec3> velocity;
  for (int i = 0; i < n * n * n; ++i) {
    const Vec3 centre{1.0 * (i % n), 1.0 * (i / n % n), 1.0 * (i / n / n)}, half{.52, .52, .52};
    bounds.push_back({centre - half, centre + half});
    velocity.push_back({random.uniform(-speed, speed), random.uniform(-speed, speed), random.uniform(-speed, speed)});
  }
  const std::vector<char> present(bounds.size(), 1);
  collision::BroadPhase broad;
  broad.bind(static_cast<int>(bounds.size()), [](int, int) { return true; });
  broad.update(bounds, present, {});
  int step = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const double sign = ++step / 50 % 2 ? -1 : 1;  // there and back again
    for (std::size_t i = 0; i < bounds.size(); ++i)
      bounds[i] = {bounds[i].low + sign * velocity[i], bounds[i].high + sign * velocity[i]};
    state.ResumeTiming();
    broad.update(bounds, present, {});
  }
  state.counters["pairs"] = static_cast<double>(broad.pairs().size());
}

}  // namespace

void register_collision() {
  for (const double speed : {1e-4, 1e-3, 1e-2, 1e-1})
    benchmark::RegisterBenchmark(("broad_phase/boxes-10648/speed-" + std::to_string(speed)).c_str(),
                                 [speed](benchmark::State& state) { broad_phase(state, 22, speed); })
        ->Unit(benchmark::kMillisecond);
  const auto add = [](CollisionScene scene, const char* kind, double tremble) {
    const std::string name = "collision/" + scene.name + "/" + kind;
    benchmark::RegisterBenchmark(name.c_str(), [scene = std::move(scene), tremble](benchmark::State& state) {
      update(state, scene, tremble);
    })->Unit(benchmark::kMicrosecond);
  };
  for (const auto& [kind, tremble] : {std::pair{"rest", 1e-7}, std::pair{"moving", 3e-3}}) {
    add(arch(25), kind, tremble);
    add(arch(101), kind, tremble);
    add(cards(4), kind, tremble);
    add(cards(10), kind, tremble);
    add(pack(10, false), kind, tremble);
    add(pack(22, false), kind, tremble);
    add(pack(22, true), kind, tremble);
    add(large_hulls(), kind, tremble);
  }
}

}  // namespace repose::bench
