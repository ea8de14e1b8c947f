// SPDX-License-Identifier: Apache-2.0
#include "scenes/cards.h"

#include "repose/base/error.h"
#include "repose/base/random.h"
#include "repose/math/scalar.h"
#include "scenes/common.h"

namespace repose::scenes {
namespace {

constexpr double kLength = 2.5, kWidth = 1.25;  // m

// The data set's layout, m and degrees.
constexpr double kLevel = 2.41660616977186, kSpacing = 2.2, kLeanX = 0.55, kLeanTilt = 25, kShingle = 1;
constexpr double kThickest = 0.0384;

class House {
 public:
  explicit House(const CardsOptions& options)
      : o_(options), builder_(start("cards", checked("cards", o_), o_.mu, kLength, 10)), random_(seed(o_)) {}

  Scene build() {
    check();
    Scene& s = builder_.settings();
    s.edge_normal = o_.edge_normal == "face" ? EdgeNormal::kFace : EdgeNormal::kBisecting;
    s.margin = closed() ? 0.008 : 0.02;  // narrower than the gap t/4 between flat neighbours
    if (o_.projectiles) s.duration = 13;
    builder_.add_ground_plane();
    for (int level = 0; level < o_.levels; ++level)
      for (int tent = 0; tent < o_.levels - level; ++tent)
        closed() ? add_closed(level, tent) : add_dataset(level, tent);
    if (o_.load > 0) add_load();
    if (o_.gust != 0) add_gust();
    if (o_.projectiles) add_projectiles();
    return builder_.build();
  }

 private:
  static std::uint64_t seed(const CardsOptions& o) { return static_cast<std::uint64_t>(o.seed); }
  [[nodiscard]] bool closed() const { return o_.variant == "closed"; }
  [[nodiscard]] double rise() const { return kLength * cos_ + o_.thickness * sin_; }  // of a tent
  [[nodiscard]] double spacing() const { return closed() ? kLength + o_.thickness / 4 : kSpacing; }
  [[nodiscard]] double level_height() const { return closed() ? rise() + o_.thickness : kLevel; }
  [[nodiscard]] double tent_x(int level, int tent) const { return (tent - (o_.levels - level - 1) / 2.0) * spacing(); }

  void check() const {
    require(
        closed() || o_.thickness < kThickest,
        "cards: thickness: expected less than 0.0384 m with variant=dataset (thicker cards overlap at the start), got ",
        o_.thickness, " m");
    require(closed() || o_.tilt == kLeanTilt, "cards: tilt: expected 25 with variant=dataset, got ", o_.tilt);
    // Lower outer corners of neighbours meet when L sin + t cos, the half width of a tent, is half the spacing.
    const double widest =
        arc_sine(spacing() / 2 / hypotenuse(kLength, o_.thickness)) - arc_tangent(o_.thickness, kLength);
    require(!closed() || radians(o_.tilt) < widest, "cards: tilt: expected less than ", widest * 180 / std::numbers::pi,
            " degrees (wider tents reach their neighbours), got ", o_.tilt, " degrees");
    require(o_.load == 0 || closed(), "cards: load: expected with variant=closed only, got ", o_.load);
  }

  /// `turn`: long axis above the x axis, degrees.
  void add_card(const std::string& name, Vec3 centre, double turn) {
    const Direction half = direction_degrees(turn / 2);
    if (o_.shake > 0)
      for (double* x : {&centre.x, &centre.y, &centre.z}) *x += random_.uniform(-o_.shake, o_.shake);
    const Quat rotation{half.cos, 0, -half.sin, 0};  // about −y: x turns towards z
    cards_.push_back(add_box(builder_, name, {kLength, kWidth, o_.thickness}, {centre, rotation}));
  }

  [[nodiscard]] static std::string tag(const char* what, int level, int tent) {
    return std::string(what) + "-" + std::to_string(level) + "-" + std::to_string(tent);
  }

  void add_closed(int level, int tent) {
    const double x = tent_x(level, tent), base = level * level_height();
    const double a = (kLength * sin_ + o_.thickness * cos_) / 2, b = rise() / 2;
    if (level > 0) add_card(tag("flat", level, tent), {x, 0, base - o_.thickness / 2}, 0);
    add_card(tag("left", level, tent), {x - a, 0, base + b}, 90 - o_.tilt);
    add_card(tag("right", level, tent), {x + a, 0, base + b}, o_.tilt - 90);
  }

  void add_dataset(int level, int tent) {
    const double x = tent_x(level, tent), middle = (level + 0.5) * kLevel;
    if (level > 0) add_card(tag("flat", level, tent), {x, 0, level * kLevel}, -kShingle);
    add_card(tag("left", level, tent), {x - kLeanX, 0, middle}, 90 - kLeanTilt);
    add_card(tag("right", level, tent), {x + kLeanX, 0, middle}, kLeanTilt - 90);
  }

  [[nodiscard]] double card_mass() const { return kDensity * kLength * kWidth * o_.thickness; }

  void add_load() {
    const double top = (o_.levels - 1) * level_height() + rise();
    add_box(builder_, "load", {1, 1, 1}, {{0, 0, top + 0.5}, {}}, BodyKind::kDynamic, o_.load * card_mass());
  }

  void add_gust() {
    for (int card : cards_)
      builder_.add_event(o_.gust_time, Push{.body = card,
                                            .force = {0, o_.gust * card_mass() * kGravity, 0},
                                            .torque = {},
                                            .duration = o_.gust_duration});
  }

  /// One per level, 1 m outside the outline of the whole house at the left.
  void add_projectiles() {
    const double half_foot =
        closed() ? kLength * sin_ + o_.thickness * cos_ : kLeanX + (kLength * sin_ + o_.thickness * cos_) / 2;
    const double left = tent_x(0, 0) - half_foot - 1 - o_.projectile_size / 2;
    for (int level = 0; level < o_.levels; ++level)
      add_projectile(builder_, "projectile-" + std::to_string(level), o_.projectile_size,
                     {left, 0, (level + 0.5) * level_height()}, {o_.projectile_speed, 0, 0}, o_.projectile_time);
  }

  CardsOptions o_;
  SceneBuilder builder_;
  Random random_;
  double sin_ = sine(radians(o_.tilt)), cos_ = cosine(radians(o_.tilt));
  std::vector<int> cards_;
};

}  // namespace

const Fields<CardsOptions>& fields(const CardsOptions&) {
  using O = CardsOptions;
  static const Fields<O> table = {
      {"levels", &O::levels, 1, 100, "", "storeys; n(3n+1)/2 cards"},
      {"variant", &O::variant, 0, 0, "", "exact touch at the start, or the Rigid-IPC layout", {"closed", "dataset"}},
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"thickness", &O::thickness, 1e-4, 0.05, "m", "thickness of a card; dataset: below 0.0384"},
      {"tilt", &O::tilt, 1, 30, "degrees", "leaning cards off the vertical; dataset: 25"},
      {"projectiles", &O::projectiles, 0, 0, "", "a cube at mid height of each level, from the left"},
      {"projectile_size", &O::projectile_size, 0.01, 2, "m", "edge of a projectile"},
      {"projectile_speed", &O::projectile_speed, 0, 1e3, "m/s", "speed of a projectile"},
      {"projectile_time", &O::projectile_time, 0, 1e4, "s", "when the projectiles are launched"},
      {"gust", &O::gust, -10, 10, "", "push along the cards' width, as a share of their weight"},
      {"gust_time", &O::gust_time, 0, 1e4, "s", "when the gust begins"},
      {"gust_duration", &O::gust_duration, 1e-3, 1e4, "s", "how long it lasts"},
      {"load", &O::load, 0, 1e6, "", "block of 1 m on the top tent, in card masses"},
      {"shake", &O::shake, 0, 0.01, "m", "random offset of every card, either way along each axis"},
      {"seed", &O::seed, 0, 2e9, "", "of the random offsets"},
      {"edge_normal",
       &O::edge_normal,
       0,
       0,
       "",
       "normal where the tops of a tent meet: horizontal, or that of a card's face",
       {"bisecting", "face"}},
  };
  return table;
}

Scene cards(const CardsOptions& options) { return House(options).build(); }

}  // namespace repose::scenes
