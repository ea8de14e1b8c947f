// SPDX-License-Identifier: Apache-2.0
#include "tests/batch/batch_scenes.h"

#include <functional>
#include <map>

#include "repose/scene/builder.h"
#include "repose/shape/polyhedron.h"
#include "repose/world/body.h"
#include "scenes/cards.h"
#include "scenes/piles.h"
#include "scenes/single.h"

namespace repose::test {
namespace {

/// A row of bodies over the ground, each made of `shapes`, resting or falling onto it.
Scene row(const std::string& name, const std::vector<Geometry>& shapes, double height) {
  SceneBuilder b(name);
  const int stone = b.add_material({.name = "stone", .friction = 0.6});
  b.add_ground_plane(stone);
  Scene scene = b.build();
  int k = 0;
  for (const Geometry& shape : shapes) {
    SceneBody body;
    body.name = "body " + std::to_string(k);
    body.pose = {{0.9 * k, 0, height}, normalized(Quat{1, 0.02 * k, 0.01, 0})};
    body.velocity = {0.3, 0.1, 0};
    SceneShape part;
    part.geometry = shape;
    part.material = stone;
    body.shapes.push_back(part);
    scene.bodies.push_back(body);
    ++k;
  }
  return scene;
}

Geometry octahedron() {
  const std::vector<Vec3> corners{{0.3, 0, 0}, {-0.3, 0, 0}, {0, 0.3, 0}, {0, -0.3, 0}, {0, 0, 0.25}, {0, 0, -0.25}};
  return Hull{convex_hull(corners)};
}

Scene compound(bool slides) {
  Scene scene = row("compound", {Box{{0.2, 0.2, 0.1}}}, 0.11);
  if (!slides) scene.bodies.back().velocity = {};
  SceneShape ball;
  ball.geometry = Sphere{0.15};
  ball.pose.position = {0.3, 0, 0.05};
  scene.bodies.back().shapes.push_back(ball);
  return scene;
}

Scene balls_on_a_box() {
  Scene scene = row("balls", {Box{{0.5, 0.5, 0.1}}, Sphere{0.2}, Capsule{0.15, 0.2}, Sphere{0.1}}, 0.1);
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) scene.bodies[k].velocity = {};
  const std::size_t first = scene.bodies.size() - 4;
  scene.bodies[first].pose = {{0, 0, 0.1}, {}};
  scene.bodies[first + 1].pose = {{0.2, 0, 0.401}, {}};
  scene.bodies[first + 2].pose = {{-0.2, 0.1, 0.3505}, normalized(Quat{1, 1, 0, 0})};
  scene.bodies[first + 3].pose = {{0.2, 0.05, 0.705}, {}};
  return scene;
}

Scene two_stacks() {
  scenes::StackOptions options;
  options.count = 2;
  options.stacks = 2;
  return scenes::stack(options);
}

Scene small_house() {
  scenes::CardsOptions options;
  options.levels = 2;
  return scenes::cards(options);
}

/// A driven box, which carries `shapes`.
Scene carried(const std::string& name, Motion motion, const std::vector<Geometry>& shapes, double height) {
  SceneBuilder b(name);
  const int stone = b.add_material({.name = "stone", .friction = 0.4});
  const int belt = b.add_body({.name = "belt", .pose = {{0, 0, 0.1}, {}}});
  b.add_shape_box(belt, {1, 1, 0.1}, {.material = stone});
  b.add_motion(belt, std::move(motion));
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const double angle = 2.1 * static_cast<double>(k);
    const int body = b.add_body({.pose = {{0.4 * cosine(angle), 0.4 * sine(angle), 0.2 + height}, {}}});
    b.add_shape(body, shapes[k], {.material = stone});
  }
  return b.build();
}

/// With balls: where a face slides and turns, the law has more than one solution.
TableMotion up_and_down() {
  return {{0, 0.1, 0.4}, {{{0, 0, 0.1}, {}}, {{0, 0.02, 0.13}, {}}, {{0, 0, 0.1}, normalized(Quat{1, 0, 0, 0.05})}}};
}

/// Two balls that are pushed and taken away, and one that waits.
Scene eventful() {
  Scene scene = row("events", {Sphere{0.1}, Sphere{0.1}, Sphere{0.15}}, 0.1);
  const int first = static_cast<int>(scene.bodies.size()) - 3;
  SceneBody& last = scene.bodies.back();
  last.pose.position = {-0.4, 0.1, 0.2};
  last.velocity = {6, 0, 1};
  last.present = false;
  const double weight = 9.81 * make_model(scene.bodies[static_cast<std::size_t>(first)]).mass;
  scene.events = {{0.05, Push{first, {1.5 * weight, 0, 0}, {0, 0, 0.1 * weight}, 0.045}},
                  {0.1, SetVelocity{first + 1, {0, 0.4, 0}, {1, 2, 3}}},
                  {0.2, Appear{first + 2}},
                  {0.35, Disappear{first + 1}},
                  {0.45, Disappear{first + 2}}};
  return scene;
}

Geometry can(double radius, double half) { return Cylinder{radius, half}; }

Scene cans() {
  Scene scene = row("cans", {can(0.2, 0.3), can(0.1, 0.1), Box{{0.2, 0.2, 0.2}}, can(0.2, 0.2)}, 0.31);
  const std::size_t first = scene.bodies.size() - 4;
  for (std::size_t k = first; k < scene.bodies.size(); ++k) scene.bodies[k].velocity = {};
  scene.bodies[first].pose = {{0, 0, 0.3}, {}};
  scene.bodies[first + 1].pose = {{0.02, 0.01, 0.7}, normalized(Quat{1, 0, 0, 0.3})};
  scene.bodies[first + 2].pose = {{2, 0, 0.2}, {}};
  scene.bodies[first + 3].pose = {{2.05, 0, 0.6001}, normalized(Quat{1, 1, 0, 0})};
  return scene;
}

const std::map<std::string, std::function<Scene()>>& table() {
  static const std::map<std::string, std::function<Scene()>> scenes{
      {"cube", [] { return scenes::launched_cube(); }},
      {"stack", [] { return scenes::stack(); }},
      {"two stacks", two_stacks},
      {"cards", small_house},
      {"ball", [] { return row("ball", {Sphere{0.25}}, 0.26); }},
      {"capsule",
       [] {
         return row("capsule", {Capsule{0.1, 0.3}}, 0.41);
       }},
      {"hull", [] { return row("hull", {octahedron()}, 0.26); }},
      {"compound", [] { return compound(false); }},
      {"balls on a box", balls_on_a_box},
      {"cylinder",
       [] {
         return row("cylinder", {Cylinder{0.2, 0.3}}, 0.31);
       }},
      {"cans", cans},
      {"conveyor",
       [] {
         return carried("conveyor", ConstantMotion{{0.5, 0, 0}, {}},
                        {Box{{0.1, 0.15, 0.1}}, can(0.1, 0.1), Sphere{0.1}}, 0.1);
       }},
  };
  return scenes;
}

}  // namespace

std::vector<std::string> batch_scene_names() {
  std::vector<std::string> names;
  for (const auto& [name, make] : table()) names.push_back(name);
  return names;
}

Scene batch_scene(const std::string& name) {
  if (name == "turntable")
    return carried(name, RampMotion{{}, {0, 0, 1.5}, 0.3}, {Box{{0.1, 0.15, 0.1}}, can(0.1, 0.1), Sphere{0.1}}, 0.1);
  if (name == "lift") return carried(name, up_and_down(), {Sphere{0.1}, Sphere{0.1}}, 0.1);
  if (name == "events") return eventful();
  if (name == "sliding compound") return compound(true);
  if (name == "boxes in the air")
    return row(name, {Box{{0.2, 0.2, 0.2}}, Box{{0.2, 0.1, 0.3}}, Box{{0.4, 0.2, 0.1}}}, 0.6);
  return table().at(name)();
}

}  // namespace repose::test
