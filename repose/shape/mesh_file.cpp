// SPDX-License-Identifier: Apache-2.0
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <fstream>
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

void collect(const aiScene& scene, const aiNode& node, const aiMatrix4x4& parent, std::vector<Vec3>& vertices) {
  const aiMatrix4x4 place = parent * node.mTransformation;
  for (unsigned m = 0; m < node.mNumMeshes; ++m) {
    const aiMesh& mesh = *scene.mMeshes[node.mMeshes[m]];
    for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
      const aiVector3D v = place * mesh.mVertices[i];
      vertices.push_back({v.x, v.y, v.z});
    }
  }
  for (unsigned c = 0; c < node.mNumChildren; ++c) collect(scene, *node.mChildren[c], place, vertices);
}

std::vector<Vec3> read_with_assimp(const std::string& path) {
  Assimp::Importer importer;
  const aiScene* scene = importer.ReadFile(path, aiProcess_JoinIdenticalVertices);
  require(scene != nullptr && scene->mRootNode != nullptr, path, ": mesh: expected a mesh file, got ",
          importer.GetErrorString());
  std::vector<Vec3> vertices;
  collect(*scene, *scene->mRootNode, aiMatrix4x4(), vertices);
  return vertices;
}

}  // namespace

std::vector<Vec3> read_mesh_vertices(const std::string& path) {
  std::vector<Vec3> vertices = is_obj(path) ? read_obj(path) : read_with_assimp(path);
  require(!vertices.empty(), path, ": mesh: expected vertices, got none");
  return vertices;
}

}  // namespace repose
