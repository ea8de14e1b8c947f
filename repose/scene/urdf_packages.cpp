// SPDX-License-Identifier: Apache-2.0
// Places of the files that a URDF names.
#include <cstdlib>
#include <filesystem>

#include "repose/scene/file_text_internal.h"
#include "repose/scene/urdf_model_internal.h"

namespace repose {
namespace {

namespace fs = std::filesystem;

/// Folders of a list with ':' between them.
std::vector<fs::path> folders_of(const std::string& list) {
  std::vector<fs::path> folders;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t to = std::min(list.find(':', from), list.size());
    if (to > from) folders.emplace_back(list.substr(from, to - from));
    from = to + 1;
  }
  return folders;
}

std::vector<fs::path> folders_in(const char* variable) {
  const char* list = std::getenv(variable);
  return list == nullptr ? std::vector<fs::path>{} : folders_of(list);
}

/// Where a package may be, the most explicit places first.
std::vector<fs::path> candidates(const UrdfModel& model, const std::string& package) {
  std::vector<fs::path> found;
  const auto add = [&](const fs::path& folder) {
    if (folder.filename() == package) found.push_back(folder);
    found.push_back(folder / package);
  };
  for (const fs::path& folder : folders_of(model.options.package_path)) add(folder);
  for (const char* variable : {"REPOSE_PACKAGE_PATH", "ROS_PACKAGE_PATH"})
    for (const fs::path& folder : folders_in(variable)) add(folder);
  for (const fs::path& prefix : folders_in("AMENT_PREFIX_PATH")) found.push_back(prefix / "share" / package);
  std::error_code ignored;
  const fs::path file = fs::absolute(model.file, ignored);
  for (fs::path folder = file.parent_path();; folder = folder.parent_path()) {
    add(folder);
    if (folder == folder.parent_path()) return found;
  }
}

std::string in_package(const UrdfModel& model, const XmlElement& e, const std::string& url, std::size_t scheme) {
  const std::size_t slash = url.find('/', scheme);
  if (slash == std::string::npos || slash == scheme)
    e.refuse("filename", in_quotes(url, kPathLength), "package://NAME/FILE");
  const std::string package = url.substr(scheme, slash - scheme), rest = url.substr(slash + 1);
  for (const fs::path& folder : candidates(model, package))
    if (is_file((folder / rest).string())) return (folder / rest).string();
  e.refuse("filename", in_quotes(url, kPathLength) + ", which is not there",
           "a file of package '" + package +
               "' in a folder above this one, in package_path, or in REPOSE_PACKAGE_PATH or ROS_PACKAGE_PATH");
}

}  // namespace

std::string urdf_mesh_path(const UrdfModel& model, const XmlElement& e) {
  const std::string& url = urdf_text(e, "filename", "a mesh file");
  for (const std::string scheme : {"package://", "model://"})
    if (url.starts_with(scheme)) return in_package(model, e, url, scheme.size());
  const std::string name = url.starts_with("file://") ? url.substr(7) : url;
  if (name.find("://") != std::string::npos)
    e.refuse("filename", in_quotes(url, kPathLength), "a path, file:// or package://");
  const std::string path = beside(model.file, name);
  if (!is_file(path)) e.refuse("filename", in_quotes(path, kPathLength) + ", which is not there", "a mesh file");
  return path;
}

}  // namespace repose
