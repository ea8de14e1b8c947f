// SPDX-License-Identifier: Apache-2.0
#include "repose/export/recorded_scene.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "repose/base/error.h"
#include "repose/scene/native_json.h"

namespace repose::exporter {
namespace {

/// Boxes in place of the shapes that were not kept.
Scene stand_in(const Recording& recording) {
  Scene scene;
  scene.name = recording.scene_name();
  scene.dt = recording.dt();
  for (std::size_t b = 0; b < recording.names().size(); ++b) {
    const BodyModel& model = recording.models()[b];
    SceneBody body;
    body.name = recording.names()[b];
    body.kind = model.kind;
    if (model.kind == BodyKind::kDynamic) {
      SceneShape shape;
      shape.geometry = Box{equivalent_box(model.mass, model.rotor.moments)};
      shape.pose = {model.centre, model.rotor.axes};
      body.shapes.push_back(shape);
    }
    scene.bodies.push_back(body);
  }
  return scene;
}

struct EventWords {
  std::string operator()(const Appear&) const { return "appears"; }
  std::string operator()(const Disappear&) const { return "disappears"; }
  std::string operator()(const SetVelocity& e) const {
    return fmt::format("gets the velocity ({:g}, {:g}, {:g}) m/s", e.velocity.x, e.velocity.y, e.velocity.z);
  }
  std::string operator()(const Push& e) const {
    return fmt::format("is pushed with {:g} N for {:g} s", norm(e.force), e.duration);
  }
};

}  // namespace

Scene recorded_scene(const Recording& recording) {
  if (recording.scene_json().empty()) return stand_in(recording);
  Scene scene = parse_native_scene(recording.scene_json(), "the recording's scene");
  require(scene.bodies.size() == recording.names().size(), "recording: expected the same number, got ",
          recording.names().size(), " bodies and a scene with ", scene.bodies.size());
  return scene;
}

Vec3 equivalent_box(double mass, Vec3 moments) {
  // For half edges a, b, c: I_x = m (b² + c²)/3 and so on; solved for a², b², c².
  const auto half = [&](double along, double other, double third) {
    return std::sqrt(std::max(0.0, 1.5 * (other + third - along) / mass));
  };
  if (!(mass > 0)) return {};
  return {half(moments.x, moments.y, moments.z), half(moments.y, moments.z, moments.x),
          half(moments.z, moments.x, moments.y)};
}

std::string event_text(const Scene& scene, const Event& event) {
  const int body = std::visit([](const auto& action) { return action.body; }, event.action);
  const bool known = body >= 0 && static_cast<std::size_t>(body) < scene.bodies.size();
  return (known ? scene.bodies[static_cast<std::size_t>(body)].name : "a body") + " " +
         std::visit(EventWords{}, event.action);
}

}  // namespace repose::exporter
