// SPDX-License-Identifier: Apache-2.0
#include "repose/collision/collision.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <istream>
#include <limits>
#include <ostream>
#include <utility>

#include "repose/base/bits.h"
#include "repose/base/error.h"
#include "repose/collision/broad_phase_internal.h"
#include "repose/collision/height_cells_internal.h"
#include "repose/collision/pair_table_internal.h"
#include "repose/collision/reach_internal.h"
#include "repose/collision/shapes_internal.h"

namespace repose {

using namespace collision;  // the internals of this folder

namespace {

struct SavedMemory {  // without padding, so that equal states are equal bytes
  std::int32_t choice, first, second, hint_first, hint_second, face;
  double anchor[12], best, chosen;
};
static_assert(sizeof(SavedMemory) == 6 * 4 + 14 * 8);

SavedMemory packed(const PairMemory& m) {
  SavedMemory s{static_cast<std::int32_t>(m.choice),
                m.first,
                m.second,
                m.hint_first,
                m.hint_second,
                m.face,
                {},
                m.best,
                m.chosen};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) s.anchor[3 * r + c] = m.anchor.R.m[r][c];
  s.anchor[9] = m.anchor.p.x, s.anchor[10] = m.anchor.p.y, s.anchor[11] = m.anchor.p.z;
  return s;
}

PairMemory unpacked(const SavedMemory& s) {
  PairMemory m;
  m.choice = static_cast<PairMemory::Choice>(s.choice);
  m.first = s.first, m.second = s.second, m.hint_first = s.hint_first, m.hint_second = s.hint_second;
  m.face = s.face;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) m.anchor.R.m[r][c] = s.anchor[3 * r + c];
  m.anchor.p = {s.anchor[9], s.anchor[10], s.anchor[11]};
  m.best = s.best, m.chosen = s.chosen;
  return m;
}

static_assert(sizeof(Pose) == 7 * sizeof(double), "without padding");

/// Share that leaves room for rounding when a sum of lengths is compared instead of the length of a sum.
constexpr double kSurely = 0.999;

/// Share by which links may move further than they do now, for the forces of their joints: pairs within are known, and
/// the end of a step need not be looked at (finds_all()).
constexpr double kRoom = 1.1;

/// The last result of a pair, and whether repeating the call would repeat it.
struct LastResult {
  double reach = -1;     ///< margin that it was computed with, m; -1: none
  bool settled = false;  ///< the pair's memory was the same before and after the call
  int manifold = -1;     ///< place in the list of manifolds; -1: no contact
};

}  // namespace

struct Collision::Impl {
  std::vector<Collider> colliders;
  std::vector<char> movable, present;
  bool presence_changed = true;  // since the last update
  std::function<bool(int, int)> excluded;
  EdgeNormal edge_normal = EdgeNormal::kBisecting;
  PolyhedronStore polyhedra;

  std::span<const double> margin;  // during update()
  std::span<const Travel> travel;

  std::vector<ShapeView> views;
  std::vector<const HeightCell*> cells;  // collider: of a height field, or none
  std::vector<char> turned;              // collider: its local pose is not the identity
  std::vector<Vec3> middles;             // collider: of its box, in its frame
  std::vector<double> radii;             // collider: about that middle, m; of a ball 0: no rotation moves its surface
  std::vector<Pose> poses;               // body: those of the last update
  std::vector<char> moved;               // body: its pose is not that of the update before, to the bit
  std::vector<double> travels;           // body: length of its travel, m
  std::vector<double> reaches;           // body: what its bounds were grown by, m
  std::vector<char> reached;             // body: that is another length than in the update before
  std::vector<Relative> places;          // collider, world
  std::vector<Bounds> bounds;
  std::vector<char> in_broad;
  std::vector<PlaneBounds> planes;
  BroadPhase broad;

  std::vector<BroadPhase::Pair> pairs;  // the pairs that `memories` belong to
  std::vector<PairMemory> memories, spare;
  std::vector<LastResult> results, spare_results;
  std::vector<Manifold> manifolds, last_manifolds;
  std::vector<ContactPoint> points, last_points;
  std::uint64_t stamps = 0;
  PairRoom room;

  [[nodiscard]] bool allowed(int a, int b) const {
    const Collider &x = colliders[a], &y = colliders[b];
    if (x.body == y.body || !(movable[x.body] || movable[y.body])) return false;
    if (!(x.group & y.mask) || !(y.group & x.mask)) return false;
    return !excluded || !excluded(std::min(x.body, y.body), std::max(x.body, y.body));
  }

  [[nodiscard]] double pair_margin(int a, int b) const {
    const double least = margin[a] + margin[b];
    if (travel.empty() || travels[a] + travels[b] < kSurely * least) return least;
    return std::max(least, closed_between(travel[a], travel[b]));
  }

  /// The same of two shapes. The motion of links is known: what moves both alike brings them no nearer.
  [[nodiscard]] double margin_of(int i, int j) const {
    const int a = colliders[i].body, b = colliders[j].body;
    const double whole = pair_margin(a, b), least = margin[a] + margin[b];
    if (travel.empty() || whole == least || !(travel[a].linked || travel[b].linked)) return whole;
    return std::clamp(kRoom * std::min(closed_at(i, a, b, least), closed_at(j, a, b, least)), least, kRoom * whole);
  }
  [[nodiscard]] double closed_at(int i, int a, int b, double least) const {
    if (radii[i] == HUGE_VAL) return HUGE_VAL;
    const Vec3 p = places[i] * middles[i];
    return closed_near(p - poses[a].position, travel[a], p - poses[b].position, travel[b], radii[i], least);
  }

  /// Length by which this motion brings two shapes nearer at most, within `reach` of each other.
  [[nodiscard]] double closed_by(std::span<const Travel> motion, int i, int j, double reach) const {
    const int a = colliders[i].body, b = colliders[j].body;
    double closed = closed_between(motion[a], motion[b]);
    for (const int k : {i, j}) {
      if (closed <= reach || radii[k] == HUGE_VAL) continue;
      const Vec3 p = places[k] * middles[k];
      closed = std::min(
          closed, closed_near(p - poses[a].position, motion[a], p - poses[b].position, motion[b], radii[k], reach));
    }
    return closed;
  }

  /// Notes which bodies moved. Returns whether any did, or reaches farther or less far than in the last update.
  bool take_poses(std::span<const Pose> now) {
    bool changed = false;
    for (std::size_t b = 0; b < poses.size(); ++b) {
      moved[b] = !same_bits(poses[b], now[b]);
      poses[b] = now[b];
      const double share = !travel.empty() && travel[b].linked ? kRoom : 1.0;
      travels[b] =
          travel.empty() ? 0 : share * (std::max(norm(travel[b].free), norm(travel[b].before)) + travel[b].turn);
      const double reach = std::max(margin[b], travels[b]);
      const bool same_reach = std::exchange(reaches[b], reach) == reach;
      reached[b] = !same_reach;
      changed = changed || moved[b] || reached[b];
    }
    return changed;
  }

  void place() {
    planes.clear();
    for (std::size_t i = 0; i < colliders.size(); ++i) {
      const Collider& c = colliders[i];
      if (moved[c.body]) {
        const Pose pose = turned[i] ? poses[c.body] * c.local : poses[c.body];
        places[i] = {to_matrix(pose.rotation), pose.position};
      }
      in_broad[i] = present[c.body];
      if (views[i].kind == Kind::kHalfSpace) {
        in_broad[i] = 0;
        const Mat3& R = places[i].R;
        const Vec3 n{R.m[0][2], R.m[1][2], R.m[2][2]};
        if (present[c.body]) planes.push_back({static_cast<int>(i), n, dot(n, places[i].p) + reaches[c.body]});
      } else if (moved[c.body] || reached[c.body]) {
        bounds[i] = bounds_of(views[i], places[i], reaches[c.body]);
      }
    }
  }

  // Copies history and results of the pairs that are in both lists.
  void follow_pairs() {
    const auto& now = broad.pairs();
    spare.assign(now.size(), {});
    spare_results.assign(now.size(), {});
    std::size_t old = 0;
    for (std::size_t k = 0; k < now.size(); ++k) {
      while (old < pairs.size() && pairs[old] < now[k]) ++old;
      if (old < pairs.size() && pairs[old] == now[k]) spare[k] = memories[old], spare_results[k] = results[old];
    }
    std::swap(memories, spare);
    std::swap(results, spare_results);
    pairs.assign(now.begin(), now.end());
  }

  PairResult contacts(int a, int b, double reach, PairMemory& memory) {
    room.points.clear();
    return collide(views[a], places[a], views[b], places[b], reach, edge_normal, memory, room.scratch, room.points);
  }
  // Repeats a pair with more room until nothing is exceeded. Rare, therefore outside of the loop over pairs.
  [[gnu::noinline]] PairResult contacts_in_more_room(int a, int b, double reach, const PairMemory& before,
                                                     PairMemory& memory) {
    for (;;) {
      room.grow();
      memory = before;
      const PairResult found = contacts(a, b, reach, memory);
      if (!room.exceeded()) return found;
    }
  }

  /// Would the pair function be called with what it was called with last, to the bit?
  [[nodiscard]] bool repeats(std::size_t k) const {
    const int a = colliders[pairs[k].first].body, b = colliders[pairs[k].second].body;
    return results[k].settled && !moved[a] && !moved[b] &&
           results[k].reach == margin_of(pairs[k].first, pairs[k].second);
  }

  void keep_result(std::size_t k) {
    if (results[k].manifold < 0) return;
    Manifold kept = last_manifolds[results[k].manifold];
    const auto from = last_points.begin() + kept.first;
    kept.first = static_cast<int>(points.size());
    results[k].manifold = static_cast<int>(manifolds.size());
    manifolds.push_back(kept);
    points.insert(points.end(), from, from + kept.count);
  }

  /// Whether a contact is one of the surface where a body is a prism of a height field.
  [[nodiscard]] bool is_outside(int a, int b, Vec3 n) const {
    const int count = room.points.size();
    return (cells[a] == nullptr || belongs_to(*cells[a], turn_back(places[a].R, n), count)) &&
           (cells[b] == nullptr || belongs_to(*cells[b], turn_back(places[b].R, -n), count));
  }

  /// A polyhedron that is nearer to a side of a prism, or overlaps it less there, is held by the triangle alone.
  [[nodiscard]] bool hold_by_triangle(int a, int b, double reach, PairResult& found) {
    const bool second = cells[b] != nullptr;
    const int prism = second ? b : a, other = second ? a : b;
    if (views[other].kind != Kind::kPolyhedron) return false;
    const Relative place = seen_from(places[prism], places[other]);
    for (;;) {
      room.points.clear();
      found = triangle_patch(*cells[prism], *views[prism].polyhedron, *views[other].polyhedron, place, second, reach,
                             room.scratch, room.points);
      if (!room.exceeded()) return found.touching;
      room.grow();
    }
  }

  /// World, from a to b.
  [[nodiscard]] Vec3 normal_of(int a, int b, const PairResult& found) const {
    const Vec3 outward = places[found.host_is_second ? b : a].R * found.normal;
    return found.host_is_second ? -outward : outward;
  }

  void collide_pair(std::size_t k) {
    const auto [a, b] = pairs[k];
    const double reach = margin_of(a, b);
    const PairMemory before = memories[k];
    PairResult found = contacts(a, b, reach, memories[k]);
    if (room.exceeded()) found = contacts_in_more_room(a, b, reach, before, memories[k]);
    // Only two calls in a row at the same poses can be alike: a pair that moves is not compared.
    const bool settled =
        !moved[colliders[a].body] && !moved[colliders[b].body] && same_bits(packed(before), packed(memories[k]));
    results[k] = {reach, settled, -1};
    if (!found.touching) return;
    if (!is_outside(a, b, normal_of(a, b, found)) && !hold_by_triangle(a, b, reach, found)) return;
    const Relative& host = places[found.host_is_second ? b : a];
    results[k].manifold = static_cast<int>(manifolds.size());
    manifolds.push_back({a, b, normal_of(a, b, found), static_cast<int>(points.size()), room.points.size(), ++stamps});
    const std::size_t first = points.size();
    for (const ContactPoint& p : room.points) points.push_back(p);
    for (std::size_t i = first; i < points.size(); ++i) points[i].position = host * points[i].position;
  }

  void collide_all() {
    std::swap(manifolds, last_manifolds);
    std::swap(points, last_points);
    manifolds.clear();
    points.clear();
    for (std::size_t k = 0; k < pairs.size(); ++k) repeats(k) ? keep_result(k) : collide_pair(k);
  }

  [[nodiscard]] bool all_repeat() const {
    for (std::size_t k = 0; k < pairs.size(); ++k)
      if (!repeats(k)) return false;
    return true;
  }

  void forget_results() { std::fill(results.begin(), results.end(), LastResult{}); }
};

Collision::Collision() : impl_(std::make_unique<Impl>()) {}
Collision::~Collision() = default;
Collision::Collision(Collision&&) noexcept = default;
Collision& Collision::operator=(Collision&&) noexcept = default;

void Collision::bind(std::vector<Collider> colliders, std::vector<char> movable,
                     std::function<bool(int body_a, int body_b)> excluded, EdgeNormal edge_normal) {
  impl_ = std::make_unique<Impl>();
  Impl& m = *impl_;
  m.colliders = std::move(colliders);
  m.movable = std::move(movable);
  m.excluded = std::move(excluded);
  m.edge_normal = edge_normal;
  m.present.assign(m.movable.size(), 1);
  const std::size_t n = m.colliders.size();
  for (const Collider& c : m.colliders) {
    require(c.body >= 0 && c.body < static_cast<int>(m.movable.size()), "collider: body: expected 0 to ",
            m.movable.size() - 1, ", got ", c.body);
    m.views.push_back(view_of(c.geometry, m.polyhedra));
    m.cells.push_back(cell_of(c.geometry));
    const Bounds box = bounds_of(m.views.back(), {Mat3::identity(), {}}, 0);
    const bool ball = m.views.back().kind == Kind::kSphere, plane = m.views.back().kind == Kind::kHalfSpace;
    m.middles.push_back(plane ? Vec3{} : 0.5 * (box.low + box.high));
    m.radii.push_back(plane ? HUGE_VAL : ball ? 0.0 : 0.5 * norm(box.high - box.low));
    const Vec3 p = c.local.position;
    const Quat q = c.local.rotation;
    m.turned.push_back(p.x != 0 || p.y != 0 || p.z != 0 || q.w != 1 || q.x != 0 || q.y != 0 || q.z != 0);
  }
  m.room.fit(m.polyhedra);
  const double nowhere = std::numeric_limits<double>::quiet_NaN();
  m.poses.assign(m.movable.size(), {{nowhere, nowhere, nowhere}, {}});
  m.moved.assign(m.movable.size(), 1);
  m.travels.resize(m.movable.size());
  m.reaches.assign(m.movable.size(), -1);
  m.reached.assign(m.movable.size(), 1);
  m.places.resize(n);
  m.bounds.resize(n);
  m.in_broad.resize(n);
  m.broad.bind(static_cast<int>(n), [&m](int a, int b) { return m.allowed(a, b); });
}

void Collision::set_present(int body, bool present) {
  Impl& m = *impl_;
  m.presence_changed |= std::exchange(m.present.at(body), static_cast<char>(present)) != static_cast<char>(present);
}

void Collision::update(std::span<const Pose> body_poses, std::span<const double> margin,
                       std::span<const Travel> travel) {
  Impl& m = *impl_;
  m.margin = margin;
  m.travel = travel;
  bool new_pairs = false;
  const bool other_poses = m.take_poses(body_poses), other_bodies = std::exchange(m.presence_changed, false);
  if (other_poses || other_bodies) {
    m.place();
    new_pairs = m.broad.update(m.bounds, m.in_broad, m.planes);
  }
  if (new_pairs) m.follow_pairs();
  if (new_pairs || !m.all_repeat()) m.collide_all();
}

bool Collision::finds_all(std::span<const Travel> motion) const {
  const Impl& m = *impl_;
  for (std::size_t b = 0; b < m.poses.size(); ++b)
    if (m.present[b] && !(norm(motion[b].free) + motion[b].turn <= kSurely * m.reaches[b])) return false;
  for (std::size_t k = 0; k < m.pairs.size(); ++k) {
    const double reach = kSurely * m.results[k].reach;
    if (!(m.closed_by(motion, m.pairs[k].first, m.pairs[k].second, reach) <= reach)) return false;
  }
  return true;
}

void Collision::forget() {
  std::fill(impl_->memories.begin(), impl_->memories.end(), PairMemory{});
  impl_->forget_results();
}

std::span<const Manifold> Collision::manifolds() const { return impl_->manifolds; }
std::span<const ContactPoint> Collision::points() const { return impl_->points; }
std::span<const Collider> Collision::colliders() const { return impl_->colliders; }

namespace {

template <class T>
void put(std::ostream& out, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  out.write(reinterpret_cast<const char*>(&value), sizeof(T));
}
template <class T>
void put(std::ostream& out, const std::vector<T>& values) {
  put(out, static_cast<std::uint64_t>(values.size()));
  out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
}
template <class T>
void get(std::istream& in, T& value) {
  in.read(reinterpret_cast<char*>(&value), sizeof(T));
  require(in.good(), "collision state: expected a complete one, got its first part");
}
/// Reads element by element, so that a damaged count cannot claim memory.
template <class T>
void get(std::istream& in, std::vector<T>& values) {
  std::uint64_t count = 0;
  get(in, count);
  values.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    T value{};
    get(in, value);
    values.push_back(value);
  }
}

struct SavedPlane {
  double normal[3], offset;
  std::int64_t collider;
};

constexpr std::uint64_t kMagic = 0x31304c4f43505352;  // "RSPCOL01"

}  // namespace

void Collision::save(std::ostream& out) const {
  const Impl& m = *impl_;
  put(out, kMagic);
  put(out, static_cast<std::uint64_t>(m.colliders.size()));
  put(out, m.present);
  put(out, m.broad.fat());
  put(out, m.broad.in_tree());
  std::vector<SavedPlane> planes;
  for (const PlaneBounds& p : m.broad.planes())
    planes.push_back({{p.normal.x, p.normal.y, p.normal.z}, p.offset, p.collider});
  put(out, planes);
  std::vector<std::array<std::int32_t, 2>> pairs;
  for (const auto& [a, b] : m.pairs) pairs.push_back({a, b});
  put(out, pairs);
  std::vector<SavedMemory> memories;
  for (const PairMemory& memory : m.memories) memories.push_back(packed(memory));
  put(out, memories);
}

namespace {

// Refuses features that do not exist, as a damaged file may name them, so that the loop over pairs need not check.
bool fits(const PairMemory& m, const ShapeView& a, const ShapeView& b, EdgeNormal rule) {
  const auto choice = static_cast<int>(m.choice);
  if (choice < 0 || choice > static_cast<int>(PairMemory::Choice::kNearest)) return false;
  const bool parallel = m.choice == PairMemory::Choice::kParallelEdges;
  if ((m.face != 0) != (parallel && rule == EdgeNormal::kFace)) return false;
  const auto below = [](int i, int n) { return i >= 0 && i < std::max(n, 1); };
  const auto vertices = [](const ShapeView& s) { return s.polyhedron ? s.polyhedron->vertices.size() : 1; };
  const int most = std::max(vertices(a), vertices(b));
  if (!a.polyhedron || !b.polyhedron) return below(m.hint_first, most) && below(m.hint_second, most);
  const bool edges = m.choice == PairMemory::Choice::kEdges || parallel;
  if (m.face > 0 && !below(m.face - 1, a.polyhedron->faces.size())) return false;
  if (m.face < 0 && !below(-1 - m.face, b.polyhedron->faces.size())) return false;
  return below(m.hint_first, vertices(a)) && below(m.hint_second, vertices(b)) &&
         below(m.first, edges ? a.polyhedron->edges.size() : a.polyhedron->faces.size()) &&
         below(m.second, edges ? b.polyhedron->edges.size() : b.polyhedron->faces.size());
}

bool are_flags(const std::vector<char>& list) {
  return std::all_of(list.begin(), list.end(), [](char c) { return c == 0 || c == 1; });
}
bool finite(const double* x, std::size_t count) {
  return std::all_of(x, x + count, [](double value) { return std::isfinite(value); });
}
bool is_box(const Bounds& b) {
  const double all[] = {b.low.x, b.low.y, b.low.z, b.high.x, b.high.y, b.high.z};
  return finite(all, 6) && b.low.x <= b.high.x && b.low.y <= b.high.y && b.low.z <= b.high.z;
}

}  // namespace

void Collision::load(std::istream& in) {
  Impl& m = *impl_;
  std::uint64_t magic = 0, count = 0;
  get(in, magic);
  get(in, count);
  require(magic == kMagic, "collision state: expected one written by this version, got other content");
  require(count == m.colliders.size(), "collision state: colliders: expected ", m.colliders.size(), ", got ", count);
  std::vector<char> present, in_tree;
  std::vector<Bounds> fat;
  std::vector<SavedPlane> saved_planes;
  std::vector<std::array<std::int32_t, 2>> saved_pairs;
  std::vector<SavedMemory> saved;
  get(in, present);
  get(in, fat);
  get(in, in_tree);
  get(in, saved_planes);
  get(in, saved_pairs);
  get(in, saved);
  require(present.size() == m.present.size() && fat.size() == count && in_tree.size() == count &&
              saved.size() == saved_pairs.size() && are_flags(present) && are_flags(in_tree),
          "collision state: lists: expected flags and one entry per body, collider and pair, got others");
  const auto is_plane = [&](std::int64_t i) { return m.views[static_cast<std::size_t>(i)].kind == Kind::kHalfSpace; };
  for (std::size_t i = 0; i < count; ++i)
    require(!in_tree[i] || (is_box(fat[i]) && !is_plane(static_cast<std::int64_t>(i))), "collision state: box ", i,
            ": expected finite bounds of a bounded shape, got others");
  std::vector<PlaneBounds> planes;
  for (const SavedPlane& p : saved_planes) {
    require(p.collider >= 0 && p.collider < static_cast<std::int64_t>(count) && is_plane(p.collider) &&
                finite(p.normal, 3) && std::isfinite(p.offset),
            "collision state: plane: expected a half-space with finite numbers, got collider ", p.collider);
    planes.push_back({static_cast<int>(p.collider), {p.normal[0], p.normal[1], p.normal[2]}, p.offset});
  }
  std::vector<BroadPhase::Pair> pairs;
  std::vector<PairMemory> memories;
  for (std::size_t k = 0; k < saved.size(); ++k) {
    const auto [a, b] = saved_pairs[k];
    const bool exists = a >= 0 && a < b && b < static_cast<int>(count) && !(is_plane(a) && is_plane(b)) &&
                        m.allowed(a, b) && (pairs.empty() || pairs.back() < BroadPhase::Pair(a, b));
    const bool known = saved[k].choice >= 0 && saved[k].choice <= static_cast<int>(PairMemory::Choice::kNearest) &&
                       finite(saved[k].anchor, 12) && !std::isnan(saved[k].best) && !std::isnan(saved[k].chosen);
    require(exists && known && fits(unpacked(saved[k]), m.views[a], m.views[b], m.edge_normal),
            "collision state: pair ", k, ": expected two colliders of the scene with features of theirs, got ", a,
            " and ", b);
    pairs.emplace_back(a, b);
    memories.push_back(unpacked(saved[k]));
  }
  // Everything is read and checked: the state changes from here on.
  m.broad.restore(std::move(fat), std::move(in_tree), std::move(planes), pairs);
  m.present = std::move(present);
  m.presence_changed = true;
  m.pairs = std::move(pairs);
  m.memories = std::move(memories);
  m.results.assign(m.pairs.size(), {});
  m.manifolds.clear();
  m.points.clear();
}

}  // namespace repose
