// SPDX-License-Identifier: Apache-2.0
// Files of recordings in tests, scenes with something in every table, and changes of single numbers.
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/small_scenes.h"
#include "tests/support/world_scenes.h"

namespace repose::testing {

class RecordFile : public ::testing::Test {
 protected:
  RecordFile() {
    const std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    path =
        std::filesystem::temp_directory_path() / ("repose_record_" + test + "_" + std::to_string(::getpid()) + ".h5");
  }
  ~RecordFile() override { std::filesystem::remove(path); }
  std::filesystem::path path;
};

/// Contacts of every kind: a stack, a ball that rolls against it, a turning kinematic plate, a late projectile, a body
/// that moves along one axis only.
inline Scene mixed_scene() {
  Scene scene = stack(2);
  add_shape_body(scene, Sphere{0.4}, {2, 0, 0.4}, {-3, 0.2, 0}, {0, 5, 1});
  SceneBody plate;
  plate.name = "plate";
  plate.kind = BodyKind::kKinematic;
  plate.pose.position = {0, 10, 0.1};
  plate.shapes.push_back({});
  plate.shapes[0].geometry = Box{{2, 2, 0.1}};
  plate.motion = ConstantMotion{{}, {0, 0, 1}};
  scene.bodies.push_back(plate);
  add_shape_body(scene, Box{{0.2, 0.1, 0.3}}, {0.5, 10, 0.5}, {}, {0.3, 0.2, 0});
  const int late = add_cube(scene, 0.5, {-2, 0.1, 1}, {5, 0, 0});
  scene.bodies[static_cast<std::size_t>(late)].present = false;
  scene.events = {{0.3, Appear{late}}};
  const int rail = add_cube(scene, 0.5, {20, 0, 1}, {0, 0, -1});
  scene.bodies[static_cast<std::size_t>(rail)].fixed_dof = {true, true, false, true, true, true};
  return scene;
}

/// Changes numbers of a table of a closed file, whose checksums are removed.
template <class Change>
void tamper(const std::filesystem::path& path, const char* table, const Change& change) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  for (const char* sums : {"/checksum", "/steps/checksum", "/states/checksum", "/steps/block_checksum",
                           "/states/joint_checksum", "/steps/term_checksum", "/steps/push_checksum"})
    if (H5Lexists(file, sums, H5P_DEFAULT) > 0) H5Ldelete(file, sums, H5P_DEFAULT);
  const hid_t data = H5Dopen2(file, table, H5P_DEFAULT), space = H5Dget_space(data);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  change(values);
  H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Sclose(space), H5Dclose(data), H5Fclose(file);
}
inline void tamper(const std::filesystem::path& path, const char* table, hsize_t entry, double factor) {
  tamper(path, table, [&](std::vector<double>& values) { values[entry] *= factor; });
}
inline void tamper_all(const std::filesystem::path& path, const char* table) {
  tamper(path, table, [&](std::vector<double>& values) {
    for (double& x : values) x = 1.001 * x + 1e-6;
  });
}

}  // namespace repose::testing
