// SPDX-License-Identifier: Apache-2.0
// Cylinders against polyhedra and against each other.
//
// First the axes in closed form: faces, caps, side against edge, side against side. The best of them is right when the
// nearest points lie inside the features it belongs to. Else a rim is involved: the distance of the bodies, found along
// edges and rims, gives the normal. Overlapping bodies are pushed apart along the last normal for that purpose; where
// that reproduces the normal, it is a stationary direction of the separation s(n).
#include <limits>

#include "repose/collision/cylinder_internal.h"

namespace repose::collision {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

// Nearest points of two bodies that are apart; normal from the first to the second.
struct Nearest {
  double distance = kFar;
  Vec3 normal, on_first, on_second;
};

// ---- rim search ---------------------------------------------------------------------------------------------------

Vec3 rim_point(const PlacedCylinder& c, int cap, double angle) {
  return c.cap_centre(cap) + c.radius * (std::cos(angle) * c.e1 + std::sin(angle) * c.e2);
}

// Nearest point of a rim to a solid whose nearest points are known in closed form: samples find the valley, the root of
// the distance's derivative in it is the answer.
template <class NearestTo>
double nearest_angle(const PlacedCylinder& c, int cap, const NearestTo& nearest_to) {
  constexpr int kSamples = 24;
  constexpr double kStep = 2 * 3.14159265358979323846 / kSamples;
  const auto slope = [&](double angle) {
    const Vec3 tangent = -std::sin(angle) * c.e1 + std::cos(angle) * c.e2;
    return dot(nearest_to(rim_point(c, cap, angle)).normal, tangent);
  };
  int best = 0;
  double least = kFar;
  for (int i = 0; i < kSamples; ++i) {
    const double distance = nearest_to(rim_point(c, cap, i * kStep)).distance;
    if (distance < least) least = distance, best = i;
  }
  double low = (best - 1) * kStep, high = (best + 1) * kStep;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (slope(middle) < 0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// ---- overlap: push apart, look, repeat ------------------------------------------------------------------------------

/// How far overlapping bodies are pushed beyond touch, as a share of their size: small against radii, for the
/// repetition to converge, and large against rounding.
constexpr double kPush = 2e-3;

/// Deeper overlap than this share of the size may be better explained by a rim than by an axis in closed form.
constexpr double kDeep = 1e-4;

/// `distance(shift)`: nearest points with the second body moved by `shift`; `separation(n)`: s(n).
template <class Distance, class Separation>
Nearest signed_distance(Vec3 normal, double size, const Distance& distance, const Separation& separation) {
  const Nearest apart = distance(Vec3{});
  // Overlapping bodies have no nearest points: what was found then is not what their extreme points say.
  if (apart.distance > 1e-6 * size && separation(apart.normal) > apart.distance - 1e-9 * size) return apart;
  Nearest best;
  best.distance = -kFar;
  double depth = separation(normal), last_change = 1;
  for (int i = 0; i < 80; ++i) {
    const Vec3 shift = (kPush * size - depth) * normal;
    Nearest near = distance(shift);
    near.distance -= dot(near.normal, shift);  // separation along the new normal without the shift
    near.on_second = near.on_second - shift;
    const double change = norm(near.normal - normal);
    normal = near.normal;
    depth = near.distance;
    // Converged: down to rounding, where the change stops to shrink.
    if (change < 1e-15 || (change < 1e-11 && change > 0.95 * last_change)) return near;
    last_change = change;
    if (near.distance > best.distance) best = near;
  }
  return best;
}

PairResult single(const Nearest& near, Points& out) {
  const Vec3 middle = 0.5 * (near.on_first + near.on_second);
  out.push_back({middle, near.distance, kNearestPoint});
  return {true, false, near.normal};
}

double smallest_gap(const Points& out, std::size_t first) {
  double gap = kFar;
  for (std::size_t i = first; i < out.size(); ++i) gap = std::min(gap, out[i].gap);
  return gap;
}

// A cap that leans by less than kFlatLean is represented by fixed rim points, which may miss that much of the height.
double slack(const PlacedCylinder& c, Vec3 n, double size) {
  return (lean_of(c, n).sine <= kFlatLean ? 2 * kFlatLean * c.radius : 0.0) + kRounding * size;
}

// ---- cylinder and polyhedron ----------------------------------------------------------------------------------------

struct FaceSides {
  const Polyhedron& poly;
  const Polyhedron::Face& face;
  double tolerance;

  [[nodiscard]] Vec3 corner(int i) const { return poly.vertices[poly.loop[face.first + i % face.count]]; }
  [[nodiscard]] Vec3 outward(int i) const { return normalized(cross(corner(i + 1) - corner(i), face.normal)); }
  bool operator()(Vec3 x) const {
    for (int i = 0; i < face.count; ++i)
      if (dot(outward(i), x - corner(i)) > tolerance) return false;
    return true;
  }
  [[nodiscard]] Overlap clip(const Segment& s) const {
    Overlap part{0, 1};
    for (int i = 0; i < face.count; ++i) {
      const double from = dot(outward(i), s.tail - corner(i)) - tolerance;
      const double to = dot(outward(i), s.head - corner(i)) - tolerance;
      if (from > 0 && to > 0) return {};
      if (from > 0) part.low = std::max(part.low, from / (from - to));
      if (to > 0) part.high = std::min(part.high, from / (from - to));
    }
    return part;
  }
};

// Corners of a face under a flat cap, and where its edges leave the cap's disc: heights from the face to the cap.
void add_face_under_cap(const Polyhedron& poly, int f, const PlacedCylinder& c, int cap, Vec3 n, double margin,
                        double tolerance, Points& out) {
  const auto& face = poly.faces[f];
  const Vec3 centre = c.cap_centre(cap), up = c.cap_normal(cap);
  const auto add = [&](Vec3 x, std::uint32_t feature) {
    const double gap = dot(up, centre - x) / dot(up, n);  // along n from x to the cap's plane
    if (gap <= margin) out.push_back({x + 0.5 * gap * n, gap, feature});
  };
  const auto beyond = [&](Vec3 x) { return norm(cross(x - centre, c.axis)) - c.radius; };
  for (int i = 0; i < face.count; ++i) {
    const int v = poly.loop[face.first + i], w = poly.loop[face.first + (i + 1) % face.count];
    const Segment side{poly.vertices[v], poly.vertices[w]};
    if (beyond(side.tail) <= -tolerance) add(side.tail, feature_name(Name::kVertexOfFirst, kNearestPoint + 1 + v));
    // |w + t u|² = r² in the cap's plane
    const Vec3 u = cross(side.head - side.tail, c.axis), d = cross(side.tail - centre, c.axis);
    const double a = dot(u, u), b = dot(u, d), q = b * b - a * (dot(d, d) - c.radius * c.radius);
    if (q <= 0 || a == 0) continue;
    for (const int root : {0, 1}) {
      const double t = (-b + (root ? 1 : -1) * std::sqrt(q)) / a;
      if (t <= 0 || t >= 1) continue;
      const auto edge = static_cast<std::uint64_t>(poly.loop_edge[face.first + i]);
      add(point_at(side, t), feature_name(Name::kEdgePair, 4 * edge + 2 * cap + root));
    }
  }
}

struct CylinderAndPoly {
  const Polyhedron& poly;
  const PlacedCylinder c;
  double margin, size;

  [[nodiscard]] double separation(Vec3 n) const {
    double top = -kFar;
    for (const Vec3 v : poly.vertices) top = std::max(top, dot(n, v));
    return c.lowest_height(n) - top;
  }

  // Patch of a face, or of a cap that lies along it.
  bool add_face_patch(int f, Points& out) const {
    const std::size_t before = out.size();
    const auto& face = poly.faces[f];
    const FaceSides sides{poly, face, kFlush * size};
    add_rim_points(
        c, face.normal, face.offset, margin, sides, [&](const Segment& s) { return sides.clip(s); }, out);
    for (const int cap : {0, 1})
      if (dot(c.cap_normal(cap), face.normal) < -(1 - 0.5 * square(kPatchAngle)))
        add_face_under_cap(poly, f, c, cap, face.normal, margin, kFlush * size, out);
    sort_features(out, before);
    return out.size() > before;
  }

  // Vertices under a cap, heights along the cap's normal (host frame: normal from the polyhedron to the cylinder).
  bool add_cap_patch(int cap, Points& out) const {
    const std::size_t before = out.size();
    const Vec3 centre = c.cap_centre(cap), up = c.cap_normal(cap);
    for (int v = 0; v < static_cast<int>(poly.vertices.size()); ++v) {
      const Vec3 x = poly.vertices[v];
      const double gap = dot(up, x - centre);
      if (gap > margin || norm(cross(x - centre, c.axis)) > c.radius + kFlush * size) continue;
      out.push_back({x - 0.5 * gap * up, gap, feature_name(Name::kVertexOfFirst, kNearestPoint + 1 + v)});
    }
    sort_features(out, before);
    return out.size() > before;
  }

  struct Axes {
    int face = -1, cap = 0, edge = -1, vertex = -1, line = -1;
    double face_s = -kFar, cap_s = -kFar, edge_s = -kFar, vertex_s = -kFar, line_s = -kFar;
    double line_slack = 0;  ///< what the line may lack because it is not quite parallel, m
    Vec3 edge_n, vertex_n, line_n;
    [[nodiscard]] double best() const { return std::max({face_s, cap_s, edge_s, vertex_s, line_s}); }
  };

  [[nodiscard]] Axes axes() const {
    Axes found;
    for (int f = 0; f < static_cast<int>(poly.faces.size()); ++f) {
      const double s = c.lowest_height(poly.faces[f].normal) - poly.faces[f].offset;
      if (s > found.face_s) found.face_s = s, found.face = f;
    }
    for (const int cap : {0, 1}) {
      double lowest = kFar;
      for (const Vec3 v : poly.vertices) lowest = std::min(lowest, dot(c.cap_normal(cap), v - c.cap_centre(cap)));
      if (lowest > found.cap_s) found.cap_s = lowest, found.cap = cap;
    }
    for (int e = 0; e < static_cast<int>(poly.edges.size()); ++e) {
      const auto& edge = poly.edges[e];
      const Vec3 l = poly.faces[edge.left].normal, r = poly.faces[edge.right].normal;
      if (dot(l, c.axis) * dot(r, c.axis) >= 0) continue;
      const Vec3 tail = poly.vertices[edge.tail];
      Vec3 n = cross(poly.vertices[edge.head] - tail, c.axis);
      const double length = norm(n);
      if (length <= 1e-7 * norm(poly.vertices[edge.head] - tail)) continue;  // parallel: search_lines()
      n = (dot(n, l + r) < 0 ? -1.0 : 1.0) / length * n;
      const double s = dot(n, c.centre - tail) - c.radius;
      if (s > found.edge_s) found.edge_s = s, found.edge = e, found.edge_n = n;
    }
    search_vertices(found);
    search_lines(found);
    return found;
  }

  // An edge along the side: the direction across the axis in the middle of the overlap.
  void search_lines(Axes& found) const {
    for (int e = 0; e < static_cast<int>(poly.edges.size()); ++e) {
      const Segment side{poly.vertices[poly.edges[e].tail], poly.vertices[poly.edges[e].head]};
      const Vec3 along = side.head - side.tail;
      if (norm(cross(along, c.axis)) > kPatchAngle * norm(along)) continue;
      const Overlap part = overlap_along({c.cap_centre(0), c.cap_centre(1)}, side);
      if ((part.high - part.low) * norm(along) <= kFlush * size) continue;
      const Vec3 arm = point_at(side, 0.5 * (part.low + part.high)) - c.centre;
      const Vec3 across = arm - dot(arm, c.axis) * c.axis;
      if (norm(across) == 0) continue;
      const Vec3 n = (-1.0 / norm(across)) * across;
      const double s = separation(n), slack = 0.5 * (part.high - part.low) * norm(cross(along, c.axis));
      const bool extreme = norm(across) - c.radius <= s + slack + kRounding * size;  // no edge of the far side
      if (s <= found.line_s || !extreme) continue;
      found.line_s = s, found.line = e, found.line_n = n, found.line_slack = slack;
    }
  }

  bool add_line_points(const Axes& found, Points& out) const {
    const std::size_t before = out.size();
    const auto& edge = poly.edges[found.line];
    const Segment side{poly.vertices[edge.tail], poly.vertices[edge.head]}, axis{c.cap_centre(0), c.cap_centre(1)};
    const Overlap part = overlap_along(axis, side);
    for (const int end : {0, 1}) {
      const Vec3 x = point_at(side, end ? part.high : part.low);
      const Vec3 y = point_at(axis, repose::collision::nearest_parameter(axis, x));
      const double gap = dot(found.line_n, y - x) - c.radius;
      if (gap <= margin)
        out.push_back({x + 0.5 * gap * found.line_n, gap,
                       feature_name(Name::kCorner, 2 * static_cast<std::uint64_t>(found.line) + end)});
    }
    return out.size() > before;
  }

  // Overlap through a rim, which no axis in closed form knows: from the direction between the middles.
  [[nodiscard]] Nearest from_centres() const {
    const Vec3 way = c.centre - poly.centre;
    if (norm(way) == 0) return {};
    return signed_distance(
        normalized(way), size, [&](Vec3 shift) { return distance(shift); }, [&](Vec3 n) { return separation(n); });
  }

  // A corner against the side: the direction across the axis, where the polyhedron has no further points that way.
  void search_vertices(Axes& found) const {
    for (int v = 0; v < static_cast<int>(poly.vertices.size()); ++v) {
      const Vec3 arm = poly.vertices[v] - c.centre;
      const double z = dot(arm, c.axis);
      const Vec3 across = arm - z * c.axis;
      const double rho = norm(across), s = rho - c.radius;
      if (std::abs(z) > c.half || s > margin || s <= found.vertex_s || rho == 0) continue;
      const Vec3 n = (-1.0 / rho) * across;
      const double limit = dot(n, poly.vertices[v]) + kRounding * size;
      if (std::none_of(poly.vertices.begin(), poly.vertices.end(), [&](Vec3 w) { return dot(n, w) > limit; }))
        found.vertex_s = s, found.vertex = v, found.vertex_n = n;
    }
  }

  // Side of the cylinder on an edge: right when the nearest points of axis and edge lie inside both.
  bool add_edge_point(const Axes& found, Points& out) const {
    const auto& edge = poly.edges[found.edge];
    const Segment side{poly.vertices[edge.tail], poly.vertices[edge.head]};
    const Segment axis{c.cap_centre(0), c.cap_centre(1)};
    const SegmentPair near = nearest_parameters(side, axis);
    const Vec3 way = point_at(axis, near.t) - point_at(side, near.s);
    if (norm(way - dot(way, found.edge_n) * found.edge_n) > kRounding * size) return false;
    const double gap = found.edge_s;
    out.push_back({point_at(side, near.s) + 0.5 * gap * found.edge_n, gap,
                   feature_name(Name::kEdgePair, 0x20000000u + static_cast<unsigned>(found.edge))});
    return true;
  }

  // Apart: along every edge (corners included), unless a face is nearer than all of them.
  [[nodiscard]] Nearest distance(Vec3 shift) const {
    PlacedCylinder moved = c;
    moved.centre = c.centre + shift;
    Nearest best;
    for (const auto& edge : poly.edges) {
      const Segment side{poly.vertices[edge.tail], poly.vertices[edge.head]};
      const double reach = 0.5 * norm(side.head - side.tail);
      if (nearest_on_cylinder(moved, point_at(side, 0.5)).distance - reach > best.distance) continue;
      const Vec3 x = point_at(side, nearest_parameter(moved, side));
      const SolidPoint near = nearest_on_cylinder(moved, x);
      if (near.distance < best.distance) best = {near.distance, -near.normal, x, near.foot};
    }
    for (const auto& face : poly.faces) {
      const double s = moved.lowest_height(face.normal) - face.offset;
      if (s <= 0 || s >= best.distance) continue;
      const Vec3 x = moved.lowest(face.normal);
      if (FaceSides{poly, face, 0}(x)) best = {s, face.normal, x - s * face.normal, x};
    }
    return best;
  }
};

// The nearest direction is close to a face's normal and the cylinder lies along that face: its patch is the contact.
int face_along(const CylinderAndPoly& pair, Vec3 n) {
  for (int f = 0; f < static_cast<int>(pair.poly.faces.size()); ++f) {
    const Vec3 m = pair.poly.faces[f].normal;
    const double along = std::abs(dot(m, pair.c.axis));
    const bool lies = along <= kPatchAngle || along >= 1 - 0.5 * square(kPatchAngle);
    if (lies && dot(m, n) > 1 - 0.5 * square(2 * kPatchAngle)) return f;
  }
  return -1;
}

}  // namespace

PairResult polyhedron_cylinder(const ShapeView& a, const ShapeView& cylinder, const Relative& b, double margin,
                               Points& out) {
  const CylinderAndPoly pair{*a.polyhedron, placed_cylinder(cylinder, b), margin, std::min(a.size, cylinder.size)};
  const auto axes = pair.axes();
  const double best = axes.best(), rounding = kRounding * pair.size;
  if (best > margin) return {};
  const std::size_t before = out.size();
  const auto supported = [&](double s, Vec3 n) {
    if (smallest_gap(out, before) <= s + slack(pair.c, n, pair.size)) return true;
    out.resize(before);
    return false;
  };
  const auto face_normal = [&](int f) { return pair.poly.faces[f].normal; };

  if (best < -kDeep * pair.size)
    if (const Nearest rim = pair.from_centres(); rim.distance < kFar && rim.distance > best + rounding)
      return single(rim, out);

  const Vec3 cap_n = -pair.c.cap_normal(axes.cap);
  Vec3 lead = axes.edge_n;  // the normal of the best axis
  if (axes.vertex_s >= best - rounding) lead = axes.vertex_n;
  if (axes.line_s >= best - rounding) lead = axes.line_n;
  if (axes.cap_s >= best - rounding) lead = cap_n;
  if (axes.face_s >= best - rounding) lead = face_normal(axes.face);

  if (axes.face_s >= best - rounding && pair.add_face_patch(axes.face, out) && supported(axes.face_s, lead))
    return {true, false, lead};
  if (const int f = face_along(pair, lead); f >= 0 && pair.add_face_patch(f, out)) return {true, false, face_normal(f)};
  if (axes.cap_s >= best - rounding && pair.add_cap_patch(axes.cap, out) && supported(axes.cap_s, cap_n))
    return {true, false, cap_n};
  if (axes.line_s >= best - rounding - axes.line_slack && pair.add_line_points(axes, out))
    return {true, false, axes.line_n};
  if (axes.vertex_s >= best - rounding) {
    const Vec3 x = pair.poly.vertices[axes.vertex];
    out.push_back({x + 0.5 * axes.vertex_s * axes.vertex_n, axes.vertex_s,
                   feature_name(Name::kVertexOfFirst, kNearestPoint + 1 + axes.vertex)});
    return {true, false, axes.vertex_n};
  }
  if (axes.edge_s >= best - rounding && pair.add_edge_point(axes, out)) return {true, false, axes.edge_n};

  const Nearest near = signed_distance(
      lead, pair.size, [&](Vec3 shift) { return pair.distance(shift); }, [&](Vec3 n) { return pair.separation(n); });
  if (near.distance > margin) return {};
  if (const int f = face_along(pair, near.normal); f >= 0 && pair.add_face_patch(f, out))
    return {true, false, face_normal(f)};
  return single(near, out);
}

// ---- two cylinders --------------------------------------------------------------------------------------------------

namespace {

struct TwoCylinders {
  const PlacedCylinder a, b;
  double margin, size;

  [[nodiscard]] double separation(Vec3 n) const { return b.lowest_height(n) + a.lowest_height(-n); }

  struct Disc {
    const PlacedCylinder& c;
    double tolerance;
    bool operator()(Vec3 x) const { return norm(cross(x - c.centre, c.axis)) <= c.radius + tolerance; }
    [[nodiscard]] Overlap clip(const Segment& s) const {
      const Vec3 u = cross(s.head - s.tail, c.axis), d = cross(s.tail - c.centre, c.axis);
      const double qa = dot(u, u), qb = dot(u, d), root = qb * qb - qa * (dot(d, d) - square(c.radius + tolerance));
      if (root < 0 || qa == 0) return {};
      return {std::max(0.0, (-qb - std::sqrt(root)) / qa), std::min(1.0, (-qb + std::sqrt(root)) / qa)};
    }
  };

  // `guest` over a cap of `host`; both names of rims differ by an offset, so that discs may exchange roles.
  bool add_cap_patch(const PlacedCylinder& host, int cap, const PlacedCylinder& guest, bool swapped,
                     Points& out) const {
    const std::size_t before = out.size();
    const Vec3 n = host.cap_normal(cap), centre = host.cap_centre(cap);
    const double offset = dot(n, centre), tolerance = kFlush * size;
    const Disc disc{host, tolerance};
    add_rim_points(
        guest, n, offset, margin, disc, [&](const Segment& s) { return disc.clip(s); }, out);
    const std::uint32_t guest_name = swapped ? 64 : 0, host_name = swapped ? 0 : 64;
    for (std::size_t i = before; i < out.size(); ++i) out[i].feature += guest_name;
    for (const int other : {0, 1})
      if (dot(guest.cap_normal(other), n) < -(1 - 0.5 * square(kPatchAngle)))
        add_host_rim(host, cap, guest, other, n, host_name, tolerance, out);
    sort_features(out, before);
    return out.size() > before;
  }

  // Rim of the host's cap strictly inside the guest's disc, and the crossings of the two circles.
  void add_host_rim(const PlacedCylinder& host, int cap, const PlacedCylinder& guest, int other, Vec3 n,
                    std::uint32_t name, double tolerance, Points& out) const {
    const Vec3 centre = host.cap_centre(cap), plane = guest.cap_centre(other), up = guest.cap_normal(other);
    const auto add = [&](Vec3 x, std::uint32_t feature) {
      const double gap = dot(up, plane - x) / dot(up, n);
      if (gap <= margin) out.push_back({x + 0.5 * gap * n, gap, feature});
    };
    for (std::uint32_t k = 0; k < kRimPoints; ++k) {
      const Vec3 x = rim_point(host, cap, k * 2 * 3.14159265358979323846 / kRimPoints);
      if (norm(cross(x - plane, guest.axis)) <= guest.radius - tolerance) add(x, name + cap * kRimPoints + k);
    }
    const Vec3 way = plane - centre - dot(plane - centre, n) * n;
    const double d = norm(way), along = (d * d + square(host.radius) - square(guest.radius)) / (2 * d);
    const double across2 = square(host.radius) - along * along;
    if (d <= tolerance || !(across2 > square(tolerance))) return;
    const Vec3 u = (1.0 / d) * way, v = cross(n, u);
    for (const int side : {0, 1})
      add(centre + along * u + (side ? 1 : -1) * std::sqrt(across2) * v, 128 + 4 * cap + 2 * other + side);
  }

  // Side against side. Parallel axes: two points at the ends of the overlap.
  bool add_side_points(Vec3 n, double s, Points& out) const {
    const std::size_t before = out.size();
    const Segment first{a.cap_centre(0), a.cap_centre(1)}, second{b.cap_centre(0), b.cap_centre(1)};
    const double sine = norm(cross(a.axis, b.axis));
    if (sine <= kPatchAngle) {
      const Overlap part = overlap_along(first, second);
      if ((part.high - part.low) * 2 * b.half <= kFlush * size) return false;
      for (const double t : {part.low, part.high}) {
        const Vec3 y = point_at(second, t), x = point_at(first, nearest_parameter(first, y));
        const double gap = dot(n, y - x) - a.radius - b.radius;
        if (gap <= margin) out.push_back({x + (a.radius + 0.5 * gap) * n, gap, 32u + (t == part.low ? 1 : 2)});
      }
      return out.size() > before;
    }
    const SegmentPair near = nearest_parameters(first, second);
    const Vec3 x = point_at(first, near.s), way = point_at(second, near.t) - x;
    if (norm(way - dot(way, n) * n) > kRounding * size) return false;
    out.push_back({x + (a.radius + 0.5 * s) * n, s, kNearestPoint});
    return true;
  }

  // The direction between the axes, from a to b.
  [[nodiscard]] Vec3 side_direction() const {
    const Vec3 way = b.centre - a.centre, n = cross(a.axis, b.axis);
    if (norm(n) > kPatchAngle) return normalized(dot(n, way) < 0 ? -n : n);
    const Segment first{a.cap_centre(0), a.cap_centre(1)}, second{b.cap_centre(0), b.cap_centre(1)};
    const Overlap part = overlap_along(first, second);
    const Vec3 y = point_at(second, std::clamp(0.5 * (part.low + part.high), 0.0, 1.0));
    const Vec3 arm = y - a.centre, across = arm - dot(arm, a.axis) * a.axis;
    return norm(across) > 0 ? normalized(across) : a.e1;
  }

  [[nodiscard]] Nearest distance(Vec3 shift) const {
    PlacedCylinder moved = b;
    moved.centre = b.centre + shift;
    Nearest best;
    for (const int cap : {0, 1}) {
      const auto to_a = [&](Vec3 x) { return nearest_on_cylinder(a, x); };
      const Vec3 x = rim_point(moved, cap, nearest_angle(moved, cap, to_a));
      const SolidPoint on_a = to_a(x);
      if (on_a.distance < best.distance) best = {on_a.distance, on_a.normal, on_a.foot, x};
      const auto to_b = [&](Vec3 y) { return nearest_on_cylinder(moved, y); };
      const Vec3 y = rim_point(a, cap, nearest_angle(a, cap, to_b));
      const SolidPoint on_b = to_b(y);
      if (on_b.distance < best.distance) best = {on_b.distance, -on_b.normal, y, on_b.foot};
    }
    const Segment first{a.cap_centre(0), a.cap_centre(1)}, second{moved.cap_centre(0), moved.cap_centre(1)};
    const SegmentPair near = nearest_parameters(first, second);
    const Vec3 x = point_at(first, near.s), way = point_at(second, near.t) - x;
    const double length = norm(way), gap = length - a.radius - moved.radius;
    const bool across = std::abs(dot(way, a.axis)) + std::abs(dot(way, b.axis)) <= 1e-12 * length;
    if (length > 0 && across && gap > 0 && gap < best.distance) {
      const Vec3 n = (1.0 / length) * way;
      best = {gap, n, x + a.radius * n, x + (a.radius + gap) * n};
    }
    return best;
  }
};

}  // namespace

PairResult cylinder_cylinder(const ShapeView& a, const ShapeView& cylinder, const Relative& b, double margin,
                             Points& out) {
  const TwoCylinders pair{placed_cylinder(a, {Mat3::identity(), {}}), placed_cylinder(cylinder, b), margin,
                          std::min(a.size, cylinder.size)};
  const Vec3 way = pair.b.centre - pair.a.centre;
  const int cap_a = dot(way, pair.a.axis) > 0, cap_b = dot(way, pair.b.axis) < 0;
  const Vec3 na = pair.a.cap_normal(cap_a), nb = -pair.b.cap_normal(cap_b), ns = pair.side_direction();
  const double sa = pair.separation(na), sb = pair.separation(nb), ss = pair.separation(ns);
  const double best = std::max({sa, sb, ss}), rounding = kRounding * pair.size;
  if (best > margin) return {};

  const std::size_t before = out.size();
  const auto supported = [&](double s, Vec3 n) {
    return smallest_gap(out, before) <= s + slack(pair.a, n, pair.size) + slack(pair.b, n, pair.size);
  };
  const Vec3 start = sa >= best ? na : (sb >= best ? nb : ns);
  if (best < -kDeep * pair.size && norm(way) > 0) {
    const Nearest rim = signed_distance(
        normalized(way), pair.size, [&](Vec3 shift) { return pair.distance(shift); },
        [&](Vec3 n) { return pair.separation(n); });
    if (rim.distance > best + rounding) return single(rim, out);
  }
  if (sa >= best - rounding) {
    if (pair.add_cap_patch(pair.a, cap_a, pair.b, false, out) && supported(sa, na)) return {true, false, na};
    out.resize(before);
  }
  if (sb >= best - rounding) {
    if (pair.add_cap_patch(pair.b, cap_b, pair.a, true, out) && supported(sb, nb)) return {true, false, nb};
    out.resize(before);
  }
  const bool parallel = norm(cross(pair.a.axis, pair.b.axis)) <= kPatchAngle;
  if (ss >= best - rounding || parallel) {
    const double across = dot(ns, pair.b.centre - pair.a.centre) - pair.a.radius - pair.b.radius;
    const double s = parallel ? ss : across;
    if ((parallel ? ss >= best - kPatchAngle * pair.size : s >= best - rounding) && pair.add_side_points(ns, s, out))
      return {true, false, ns};
    out.resize(before);
  }
  const Nearest near = signed_distance(
      start, pair.size, [&](Vec3 shift) { return pair.distance(shift); }, [&](Vec3 n) { return pair.separation(n); });
  if (near.distance > margin) return {};
  return single(near, out);
}

}  // namespace repose::collision
