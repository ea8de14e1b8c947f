// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "repose/base/error.h"
#include "repose/scene/file_text_internal.h"
#include "repose/scene/triangle_mesh_internal.h"
#include "repose/shape/polyhedron.h"

namespace repose {
namespace {

/// "7", "7/1", "7//3", "-1": the vertex, counted from 0.
int face_corner(const std::string& word, std::size_t vertices, const std::string& where) {
  char* end = nullptr;
  const long number = std::strtol(word.c_str(), &end, 10);
  const long count = static_cast<long>(vertices), index = number < 0 ? count + number : number - 1;
  require(end != word.c_str() && (*end == '\0' || *end == '/') && index >= 0 && index < count, where,
          ": corner: expected the number of a vertex, 1 to ", count, ", got '", excerpt(word), "'");
  return static_cast<int>(index);
}

void read_face(std::istringstream& words, TriangleMesh& mesh, const std::string& where) {
  std::vector<int> loop;
  std::string word;
  while (words >> word) loop.push_back(face_corner(word, mesh.vertices.size(), where));
  require(loop.size() >= 3, where, ": expected a face with 3 corners or more, got ", loop.size(), " corners");
  for (std::size_t i = 2; i < loop.size(); ++i) mesh.triangles.push_back({loop[0], loop[i - 1], loop[i]});
}

Mat3 outer(Vec3 a, Vec3 b) {
  return {{{a.x * b.x, a.x * b.y, a.x * b.z}, {a.y * b.x, a.y * b.y, a.y * b.z}, {a.z * b.x, a.z * b.y, a.z * b.z}}};
}

}  // namespace

TriangleMesh read_obj_triangles(const std::string& path) {
  std::istringstream file(read_scene_text(path));
  TriangleMesh mesh;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line);
    std::string tag;
    words >> tag;
    const std::string where = path + ":" + std::to_string(number);
    if (tag == "f") read_face(words, mesh, where);
    if (tag != "v") continue;
    Vec3 v;
    require(static_cast<bool>(words >> v.x >> v.y >> v.z), where, ": expected v and three numbers, got '",
            excerpt(line), "'");
    mesh.vertices.push_back(v);
  }
  require(!mesh.vertices.empty(), path, ": expected an OBJ mesh, got no vertices");
  return mesh;
}

TriangleMesh read_triangles(const std::string& path) {
  if (path.ends_with(".obj") || path.ends_with(".OBJ")) return read_obj_triangles(path);
  MeshSurface surface = read_mesh_surface(path);
  return {std::move(surface.vertices), std::move(surface.triangles)};
}

bool is_closed(const TriangleMesh& mesh) {
  std::set<std::pair<int, int>> sides;
  for (const auto& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k)
      if (!sides.insert({t[k], t[(k + 1) % 3]}).second) return false;
  return !sides.empty() && std::all_of(sides.begin(), sides.end(), [&](const std::pair<int, int>& side) {
    return sides.contains({side.second, side.first});
  });
}

MassProperties solid_mass(const TriangleMesh& mesh, double density) {
  // Tetrahedra from a point near the mesh: distant coordinates would lose digits.
  Vec3 origin;
  for (Vec3 v : mesh.vertices) origin = origin + (1.0 / static_cast<double>(mesh.vertices.size())) * v;
  double volume = 0;
  Vec3 moment;
  Mat3 second;  // ∫ x xᵀ
  for (const auto& t : mesh.triangles) {
    const Vec3 a = mesh.vertices[static_cast<std::size_t>(t[0])] - origin,
               b = mesh.vertices[static_cast<std::size_t>(t[1])] - origin,
               c = mesh.vertices[static_cast<std::size_t>(t[2])] - origin, sum = a + b + c;
    const double v = dot(a, cross(b, c)) / 6;
    volume += v;
    moment = moment + v / 4 * sum;
    second = second + v / 20 * (outer(a, a) + outer(b, b) + outer(c, c) + outer(sum, sum));
  }
  if (volume < 0) volume = -volume, moment = -1.0 * moment, second = -1.0 * second;
  const Vec3 centre = 1 / volume * moment;
  const Mat3 about = density * second + -density * volume * outer(centre, centre);
  return {density * volume, origin + centre, trace(about) * Mat3::identity() + -1.0 * about};
}

}  // namespace repose
