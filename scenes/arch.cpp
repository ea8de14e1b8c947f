// SPDX-License-Identifier: Apache-2.0
#include "scenes/arch.h"

#include <algorithm>

#include "repose/base/error.h"
#include "repose/math/scalar.h"
#include "scenes/arch_outline.h"
#include "scenes/common.h"

namespace repose::scenes {
namespace {

constexpr double kRadius = 10, kDepth = 1.5;  // semicircle, m
constexpr double kFootSide = 10;              // catenary, m
constexpr double kFeetAbove = 0.1;            // exploded: feet over the ground, m

class Arch {
 public:
  explicit Arch(const ArchOptions& options)
      : o_(options),
        parameters_(checked("arch", options)),
        outline_(semicircle() ? semicircle_outline(o_.stones, kRadius, o_.thickness * kRadius, kDepth)
                              : catenary_outline(o_.stones)),
        builder_(start("arch", parameters_, o_.mu, longest_edge(), 10)) {}

  Scene build() {
    check();
    Scene& s = builder_.settings();
    s.margin = exploded() ? 0.05 : 0.02;
    if (o_.projectiles) s.duration = 15;
    if (exploded()) s.duration = 20;
    ground_ = builder_.add_ground_plane();
    for (int k = 0; k < o_.stones; ++k) add_stone(k);
    if (o_.remove > 0) builder_.add_event(o_.remove_time, Disappear{stones_[static_cast<std::size_t>(o_.remove - 1)]});
    if (o_.projectiles) add_projectiles();
    if (o_.shaking > 0) add_shaking();
    return builder_.build();
  }

 private:
  [[nodiscard]] bool semicircle() const { return o_.variant == "semicircle"; }
  [[nodiscard]] bool exploded() const { return o_.variant == "exploded"; }
  [[nodiscard]] bool is_end(int stone) const { return stone == 0 || stone == o_.stones - 1; }
  [[nodiscard]] bool pinned(int stone) const { return is_end(stone) && o_.feet == "pinned"; }
  [[nodiscard]] double longest_edge() const { return semicircle() ? kDepth : kFootSide; }

  void check() const {
    require(o_.thickness == ArchOptions{}.thickness || semicircle(),
            "arch: thickness: expected with variant=semicircle only (the catenary has its own), got ", o_.thickness);
    require(o_.remove <= o_.stones, "arch: remove: expected 0 to stones, ", o_.stones, ", got ", o_.remove);
  }

  /// How far the outline is raised to stand on the ground: by the inner corner of its foot, which a level foot keeps.
  [[nodiscard]] double raise() const {
    if (semicircle()) return 0;
    return (exploded() ? kFeetAbove : 0) - stone_corners(outline_, 0)[0].z;
  }

  [[nodiscard]] StoneCorners corners(int stone) const {
    StoneCorners c = stone_corners(outline_, stone);
    if (is_end(stone) && !semicircle()) c = level_foot(c, stone == 0);
    const Vec3 offset = Vec3{0, 0, raise()} + (exploded() ? exploded_by(stone, o_.stones) : Vec3{});
    for (Vec3& corner : c) corner = corner + offset;
    return c;
  }

  /// The body's frame is at the mass centre.
  void add_stone(int k) {
    const StoneCorners outline = corners(k);
    const Vec3 centre = area_centre(outline), half{0, outline_.sections[static_cast<std::size_t>(k)].depth / 2, 0};
    std::vector<Vec3> points;
    for (Vec3 corner : outline)
      for (double side : {-1.0, 1.0}) points.push_back(corner - centre + side * half);
    const int body = builder_.add_body({.name = "stone-" + std::to_string(k + 1),
                                        .kind = pinned(k) ? BodyKind::kStatic : BodyKind::kDynamic,
                                        .pose = {centre, {}}});
    builder_.add_shape_convex_hull(body, points);
    stones_.push_back(body);
  }

  void add_projectiles() {
    const double size = o_.projectile_size > 0 ? o_.projectile_size : (semicircle() ? 0.3 : 1.0);
    const double speed = o_.projectile_speed > 0 ? o_.projectile_speed : (semicircle() ? 10.0 : 20.0);
    if (o_.shot == "side") return add_side_shot(size, speed);
    const StoneCorners crown = corners((o_.stones - 1) / 2);
    const double top = std::max(crown[2].z, crown[3].z);
    constexpr int kCount = 5;
    constexpr double kAbove = 2;  // m
    for (int i = 0; i < kCount; ++i)
      add_projectile(builder_, "projectile-" + std::to_string(i + 1), size,
                     {1.3 * size * (i - (kCount - 1) / 2.0), 0, top + kAbove + size / 2}, {0, 0, -speed},
                     o_.projectile_time);
  }

  /// At the middle of the crown stone, along y.
  void add_side_shot(double size, double speed) {
    const int crown = (o_.stones - 1) / 2;
    const double depth = outline_.sections[static_cast<std::size_t>(crown)].depth;
    const Vec3 centre = area_centre(corners(crown));
    add_projectile(builder_, "projectile-1", size, centre - Vec3{0, depth / 2 + 2 + size / 2, 0}, {0, speed, 0},
                   o_.projectile_time);
  }

  /// x = A (1 − cos ωt) from rest; a table with one pose every 1/240 s.
  void add_shaking() {
    const double omega = 2 * std::numbers::pi * o_.shaking_frequency, size = o_.shaking * kGravity / (omega * omega);
    const int count = static_cast<int>(std::ceil(builder_.settings().duration * 240));
    std::vector<int> moved{ground_};
    for (int k : {0, o_.stones - 1})
      if (pinned(k)) moved.push_back(stones_[static_cast<std::size_t>(k)]);
    for (int body : moved) {
      const Pose pose = builder_.settings().bodies[static_cast<std::size_t>(body)].pose;
      TableMotion motion;
      for (int i = 0; i <= count; ++i) {
        motion.times.push_back(i / 240.0);
        const Vec3 shift{size * (1 - cosine(omega * i / 240.0)), 0, 0};
        motion.poses.push_back({pose.position + shift, pose.rotation});
      }
      builder_.add_motion(body, std::move(motion));
    }
  }

  ArchOptions o_;
  ParameterValues parameters_;  // checked before anything is built
  ArchOutline outline_;
  SceneBuilder builder_;
  std::vector<int> stones_;
  int ground_ = 0;
};

}  // namespace

const Fields<ArchOptions>& fields(const ArchOptions&) {
  using O = ArchOptions;
  static const Fields<O> table = {
      {"stones", &O::stones, 3, 10000, "", "stones, both end stones included"},
      {"variant", &O::variant, 0, 0, "", "shape and start", {"closed", "exploded", "semicircle"}},
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"thickness", &O::thickness, 1e-3, 1, "", "semicircle: thickness as a share of the radius"},
      {"feet", &O::feet, 0, 0, "", "end stones static, or free on the ground", {"pinned", "free"}},
      {"projectiles", &O::projectiles, 0, 0, "", "shoot at the crown"},
      {"shot", &O::shot, 0, 0, "", "five cubes from above, or one from the side", {"crown", "side"}},
      {"projectile_size", &O::projectile_size, 0, 10, "m", "edge of a projectile; 0 is 1, semicircle 0.3"},
      {"projectile_speed", &O::projectile_speed, 0, 1e3, "m/s", "speed of a projectile; 0 is 20, semicircle 10"},
      {"projectile_time", &O::projectile_time, 0, 1e4, "s", "when the projectiles are launched"},
      {"remove", &O::remove, 0, 10000, "", "stone to take away, counted from 1; 0 is none"},
      {"remove_time", &O::remove_time, 0, 1e4, "s", "when it is taken away"},
      {"shaking", &O::shaking, 0, 10, "g", "peak acceleration of the ground along x"},
      {"shaking_frequency", &O::shaking_frequency, 0.01, 100, "Hz", "frequency of the shaking"},
  };
  return table;
}

Scene arch(const ArchOptions& options) { return Arch(options).build(); }

}  // namespace repose::scenes
