// SPDX-License-Identifier: Apache-2.0
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <array>
#include <assimp/Importer.hpp>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "repose/base/error.h"
#include "repose/shape/polyhedron.h"

namespace repose {
namespace {

bool is_obj(const std::string& path) {
  if (path.size() < 4) return false;
  std::string end = path.substr(path.size() - 4);
  std::transform(end.begin(), end.end(), end.begin(), [](unsigned char c) { return std::tolower(c); });
  return end == ".obj";
}

// assimp stores coordinates in single precision. For the text format of most scenes that would cost eight digits: a
// stone 60 m away from its origin would be deformed by 4 µm. OBJ vertices are therefore read here.
std::vector<Vec3> read_obj(const std::string& path) {
  std::ifstream file(path);
  require(file.good(), path, ": mesh: expected a file that can be read, got one that cannot");
  std::vector<Vec3> vertices;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line);
    std::string tag;
    if (!(words >> tag) || tag != "v") continue;
    Vec3 v;
    require(static_cast<bool>(words >> v.x >> v.y >> v.z), path, ":", number,
            ": vertex: expected three numbers, got fewer");
    vertices.push_back(v);
  }
  return vertices;
}

using Visit = std::function<void(const aiMesh& mesh, const aiMatrix4x4& place)>;

void visit_meshes(const aiScene& scene, const aiNode& node, const aiMatrix4x4& parent, const Visit& visit) {
  const aiMatrix4x4 place = parent * node.mTransformation;
  for (unsigned m = 0; m < node.mNumMeshes; ++m) visit(*scene.mMeshes[node.mMeshes[m]], place);
  for (unsigned c = 0; c < node.mNumChildren; ++c) visit_meshes(scene, *node.mChildren[c], place, visit);
}

void read_with_assimp(const std::string& path, unsigned flags, const Visit& visit) {
  Assimp::Importer importer;
  const aiScene* scene = importer.ReadFile(path, flags);
  require(scene != nullptr && scene->mRootNode != nullptr, path, ": mesh: expected a mesh file, got ",
          importer.GetErrorString());
  visit_meshes(*scene, *scene->mRootNode, aiMatrix4x4(), visit);
}

Vec3 vertex(const aiMesh& mesh, unsigned i, const aiMatrix4x4& place) {
  const aiVector3D v = place * mesh.mVertices[i];
  return {v.x, v.y, v.z};
}

std::vector<Vec3> vertices_through_assimp(const std::string& path) {
  std::vector<Vec3> vertices;
  read_with_assimp(path, aiProcess_JoinIdenticalVertices, [&](const aiMesh& mesh, const aiMatrix4x4& place) {
    for (unsigned i = 0; i < mesh.mNumVertices; ++i) vertices.push_back(vertex(mesh, i, place));
  });
  return vertices;
}

}  // namespace

std::vector<Vec3> read_mesh_vertices(const std::string& path) {
  std::vector<Vec3> vertices = is_obj(path) ? read_obj(path) : vertices_through_assimp(path);
  require(!vertices.empty(), path, ": mesh: expected vertices, got none");
  return vertices;
}

MeshSurface read_mesh_surface(const std::string& path) {
  MeshSurface surface;
  std::map<std::array<double, 3>, int> numbers;  // assimp keeps a vertex for each of its normals
  const auto number = [&](Vec3 v) {
    const auto [found, fresh] = numbers.emplace(std::array{v.x, v.y, v.z}, static_cast<int>(numbers.size()));
    if (fresh) surface.vertices.push_back(v);
    return found->second;
  };
  read_with_assimp(path, aiProcess_Triangulate, [&](const aiMesh& mesh, const aiMatrix4x4& place) {
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
      const aiFace& face = mesh.mFaces[f];
      if (face.mNumIndices != 3) continue;
      std::array<int, 3> corners{};
      for (unsigned k = 0; k < 3; ++k) corners[k] = number(vertex(mesh, face.mIndices[k], place));
      surface.triangles.push_back(corners);
    }
  });
  return surface;
}

}  // namespace repose
