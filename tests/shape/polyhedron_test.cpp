// SPDX-License-Identifier: Apache-2.0
#include "repose/shape/polyhedron.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numbers>

#include "repose/base/error.h"
#include "repose/base/random.h"
#include "repose/math/pose.h"
#include "tests/support/data.h"

namespace repose {
namespace {

int euler(const Polyhedron& p) {
  return static_cast<int>(p.vertices.size()) - static_cast<int>(p.edges.size()) + static_cast<int>(p.faces.size());
}

/// Every vertex behind every face, the vertices of a face on it; edges name their faces.
void expect_sound(const Polyhedron& p, double tolerance) {
  EXPECT_EQ(euler(p), 2);
  for (const auto& face : p.faces) {
    EXPECT_GE(face.count, 3);
    EXPECT_NEAR(norm(face.normal), 1.0, 1e-15);
    double worst = -1e300;
    for (const Vec3 v : p.vertices) worst = std::max(worst, dot(face.normal, v) - face.offset);
    ASSERT_LE(worst, tolerance * p.size);
    for (int i = 0; i < face.count; ++i)
      ASSERT_NEAR(dot(face.normal, p.vertices[p.loop[face.first + i]]), face.offset, tolerance * p.size);
  }
  for (std::size_t e = 0; e < p.edges.size(); ++e) {
    const auto& edge = p.edges[e];
    const auto has = [&](int f, int from, int to) {
      const auto& face = p.faces[f];
      for (int i = 0; i < face.count; ++i)
        if (p.loop[face.first + i] == from && p.loop[face.first + (i + 1) % face.count] == to)
          return p.loop_edge[face.first + i] == static_cast<int>(e);
      return false;
    };
    ASSERT_TRUE(has(edge.left, edge.tail, edge.head) && has(edge.right, edge.head, edge.tail));
  }
}

std::vector<Vec3> cube_with_extra_points() {
  std::vector<Vec3> points;
  for (int i = 0; i <= 4; ++i)
    for (int j = 0; j <= 4; ++j)
      for (int k = 0; k <= 4; ++k) points.push_back({i / 4.0, j / 4.0, k / 4.0});
  return points;
}

TEST(ConvexHull, PointsOnFacesAndEdgesDisappear) {
  const auto hull = convex_hull(cube_with_extra_points());
  EXPECT_EQ(hull->vertices.size(), 8u);
  EXPECT_EQ(hull->faces.size(), 6u);
  EXPECT_EQ(hull->edges.size(), 12u);
  expect_sound(*hull, 0.0);
}

TEST(ConvexHull, BoxIsTheHullOfItsCorners) {
  const auto box = box_polyhedron({0.3, 0.7, 1.1});
  const auto hull = convex_hull(box->vertices);
  expect_sound(*box, 0.0);
  ASSERT_EQ(box->loop, hull->loop);
  for (std::size_t f = 0; f < box->faces.size(); ++f) EXPECT_EQ(box->faces[f].offset, hull->faces[f].offset);
}

TEST(ConvexHull, OrderOfFeaturesDoesNotDependOnTheOrderOfPoints) {
  Random random(5);
  std::vector<Vec3> points = cube_with_extra_points();
  for (int i = 0; i < 200; ++i)
    points.push_back({random.uniform(-0.3, 1.3), random.uniform(-0.3, 1.3), random.uniform(-0.3, 1.3)});
  const auto first = convex_hull(points);
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = points.size() - 1; i > 0; --i) std::swap(points[i], points[random.bits() % (i + 1)]);
    const auto again = convex_hull(points);
    ASSERT_EQ(first->loop, again->loop);
    ASSERT_EQ(first->loop_edge, again->loop_edge);
    for (std::size_t v = 0; v < first->vertices.size(); ++v) ASSERT_EQ(first->vertices[v].x, again->vertices[v].x);
  }
}

TEST(ConvexHull, RotatedPrismsKeepTheirFaces) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    const int sides = 3 + static_cast<int>(random.bits() % 20);
    const Quat turn =
        normalized({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)});
    const double scale = std::pow(10.0, random.uniform(-4, 4));
    std::vector<Vec3> points;
    for (int i = 0; i < sides; ++i)
      for (const double z : {-0.5, 0.5}) {
        const double angle = 2 * std::numbers::pi * i / sides;
        points.push_back(scale * (Vec3{3, 4, 5} + rotate(turn, {std::cos(angle), std::sin(angle), z})));
      }
    const auto hull = convex_hull(points);
    ASSERT_EQ(hull->vertices.size(), 2u * sides);
    ASSERT_EQ(hull->faces.size(), 2u + sides);
    expect_sound(*hull, 1e-14);
  }
}

/// A pyramid on its tip: one corner of its square is 2e-7 lower than the others. The square is one face, and its two
/// triangles are the surface.
TEST(ConvexHull, FacesThatAreNotFlatToRoundingKeepTheirFacets) {
  EXPECT_TRUE(box_polyhedron({1, 2, 3})->facets.empty());
  EXPECT_TRUE(convex_hull(cube_with_extra_points())->facets.empty());
  const auto hull = convex_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, -2e-7}, {.5, .5, -1}});
  EXPECT_EQ(hull->faces.size(), 5u);
  ASSERT_EQ(hull->facets.size(), 6u);
  EXPECT_NEAR(hull->roughness, 5e-8, 1e-12);
  for (const Vec3& v : hull->vertices) {
    double height = -1;
    for (const PolyhedronFace& facet : hull->facets) height = std::max(height, dot(facet.normal, v) - facet.offset);
    EXPECT_NEAR(height, 0, 1e-15);
  }
}

TEST(ConvexHull, FlatCloudsAreRefused) {
  EXPECT_THROW((void)convex_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), InputError);
  EXPECT_THROW((void)convex_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 1, 0}}), InputError);
  EXPECT_THROW((void)convex_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {.5, .5, 1e-9}}),
               InputError);
  EXPECT_THROW((void)convex_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, NAN, 0}, {1, 1, 1}}), InputError);
}

TEST(MeshFile, StonesHaveSixFlatFaces) {
  REPOSE_NEEDS_DATA("rigid-ipc/meshes/arch/num_stones=25/stone-07.obj");
  const auto file = testing::data_dir() / "rigid-ipc/meshes/arch/num_stones=25/stone-07.obj";
  const auto hull = convex_hull(read_mesh_vertices(file.string()));
  EXPECT_EQ(hull->vertices.size(), 8u);
  EXPECT_EQ(hull->faces.size(), 6u);
  expect_sound(*hull, 1e-6);
}

TEST(MeshFile, LargeMeshes) {
  REPOSE_NEEDS_DATA("rigid-ipc/meshes/gomboc.obj");
  for (const char* name : {"gomboc.obj", "oloid.obj"}) {
    const auto vertices = read_mesh_vertices((testing::data_dir() / "rigid-ipc/meshes" / name).string());
    const auto hull = convex_hull(vertices);
    // Both surfaces are ruled in large parts: vertices inside the straight lines are not corners of the hull.
    EXPECT_GT(hull->vertices.size(), name[0] == 'g' ? 1500u : 200u) << name;
    expect_sound(*hull, 1e-6);
  }
}

TEST(MeshFile, TroubleNamesTheFile) {
  const auto message = [](const std::string& path) -> std::string {
    try {
      (void)read_mesh_vertices(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("/nowhere/stone.obj").find("/nowhere/stone.obj"), std::string::npos);
  EXPECT_NE(message("/nowhere/stone.stl").find("/nowhere/stone.stl"), std::string::npos);
  const std::string bad = ::testing::TempDir() + "bad.obj";
  std::ofstream(bad) << "v 1 2 3\nv 1 two 3\n";
  EXPECT_NE(message(bad).find("bad.obj:2: vertex: expected three numbers"), std::string::npos);
}

TEST(MeshFile, StlGoesThroughAssimp) {
  const std::string path = ::testing::TempDir() + "tetrahedron.stl";
  std::ofstream file(path);
  file << "solid t\n";
  const Vec3 v[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  for (const auto& f : faces) {
    file << "facet normal 0 0 0\nouter loop\n";
    for (const int i : f) file << "vertex " << v[i].x << ' ' << v[i].y << ' ' << v[i].z << '\n';
    file << "endloop\nendfacet\n";
  }
  file << "endsolid t\n";
  file.close();
  const auto hull = convex_hull(read_mesh_vertices(path));
  EXPECT_EQ(hull->vertices.size(), 4u);
  EXPECT_EQ(hull->faces.size(), 4u);
}

}  // namespace
}  // namespace repose
