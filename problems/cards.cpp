// SPDX-License-Identifier: Apache-2.0
#include "problems/cards.h"

#include <cmath>
#include <numbers>

#include "problems/shapes.h"
#include "repose/math/scalar.h"

namespace repose::problems {
namespace {

class Builder {
 public:
  explicit Builder(const CardsOptions& options)
      : o_(options),
        angle_(options.tilt * std::numbers::pi / 180),
        sin_(sine(angle_)),
        cos_(cosine(angle_)),
        spacing_(options.length - 2 * options.thickness) {}

  Structure build() {
    out_.name = "cards-" + std::to_string(o_.levels);
    out_.size = o_.length;
    for (int level = 0; level < o_.levels; ++level)
      for (int tent = 0; tent < o_.levels - level; ++tent) add_tent(level, tent);
    // A slanting shot at the top tent and the flat card under it.
    const int last = static_cast<int>(out_.bodies.size()) - 1;
    for (int body = std::max(0, last - 2); body <= last; ++body) out_.struck.push_back(body);
    out_.struck_along = {0.6, 0, -0.8};
    return std::move(out_);
  }

 private:
  struct Tent {
    int left, right;
    Vec3 apex;  // middle of the line between its outer top edges, m
  };

  void add_tent(int level, int tent) {
    const double x = (tent - (o_.levels - level - 1) / 2.0) * spacing_;
    const double rise = o_.length * cos_ + o_.thickness * sin_, base = level * (rise + o_.thickness);
    const int support = level == 0 ? kStaticBody : add_flat(x, base, level, tent);
    const int left = add_leaning(x, base, +1), right = add_leaning(x, base, -1);
    add_edge(support, left, {x - o_.length * sin_, 0, base}, {0, 0, 1});
    add_edge(support, right, {x + o_.length * sin_, 0, base}, {0, 0, 1});
    add_edge(left, right, {x, 0, base + o_.length * cos_}, {1, 0, 0});
    tents_.push_back({left, right, {x, 0, base + rise}});
  }

  /// `side` is +1 for the left card, which leans to the right.
  int add_leaning(double x, double base, double side) {
    const double a = (o_.length * sin_ + o_.thickness * cos_) / 2, b = (o_.length * cos_ + o_.thickness * sin_) / 2;
    return add_card({x - side * a, 0, base + b}, side * angle_ + std::numbers::pi / 2);
  }

  /// A flat card under tent `tent` of `level`, on the two tents of the level below that it bridges.
  int add_flat(double x, double base, int level, int tent) {
    const int flat = add_card({x, 0, base - o_.thickness / 2}, 0);
    const int first = static_cast<int>(tents_.size()) - tent - (o_.levels - level + 1);
    for (int below : {first + tent, first + tent + 1}) {
      const Tent t = tents_[static_cast<std::size_t>(below)];
      const Vec3 half{o_.thickness * cos_, 0, 0};
      add_edge(t.left, flat, t.apex - half, {0, 0, 1});
      add_edge(t.right, flat, t.apex + half, {0, 0, 1});
    }
    return flat;
  }

  /// `turn`: rotation about y, rad; 0 lies flat with its length along x.
  int add_card(Vec3 centre, double turn) {
    out_.bodies.push_back(box_body({o_.length, o_.width, o_.thickness}, o_.density, centre, rotation_y(turn)));
    return static_cast<int>(out_.bodies.size()) - 1;
  }

  void add_edge(int a, int b, Vec3 middle, Vec3 normal) {
    constexpr int kPoints = 4;
    for (int i = 0; i < kPoints; ++i) {
      const double y = o_.width * (static_cast<double>(i) / (kPoints - 1) - 0.5);
      out_.contacts.push_back({a, b, middle + Vec3{0, y, 0}, normal, 0, o_.mu});
    }
  }

  CardsOptions o_;
  double angle_, sin_, cos_, spacing_;
  Structure out_;
  std::vector<Tent> tents_;
};

}  // namespace

const Fields<CardsOptions>& fields(const CardsOptions&) {
  using O = CardsOptions;
  static const Fields<O> table = {
      {"levels", &O::levels, 1, 200, "", "storeys"},
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"tilt", &O::tilt, 1, 29, "degrees", "leaning cards off the vertical"},
      {"length", &O::length, 1e-3, 1e3, "m", "length of a card"},
      {"width", &O::width, 1e-3, 1e3, "m", "width of a card"},
      {"thickness", &O::thickness, 1e-6, 10, "m", "thickness of a card, at most length / 50"},
      {"density", &O::density, 1e-3, 1e6, "kg/m^3", "density"},
  };
  return table;
}

Structure cards(const CardsOptions& options) {
  checked("cards", options);
  check_range("cards", "thickness", options.thickness, 1e-6 * options.length, options.length / 50, "m");
  return Builder(options).build();
}

}  // namespace repose::problems
