// SPDX-License-Identifier: Apache-2.0
// VTKHDF 2.0 poly data: the bodies' surfaces with new points for every state, the same polygons throughout.
// Cells carry their body's number and speed; bodies that are not there are hidden cells (vtkGhostType 32).
#include <algorithm>
#include <array>
#include <cmath>

#include "repose/base/atomic_file.h"
#include "repose/base/error.h"
#include "repose/export/export.h"
#include "repose/export/page_data_internal.h"
#include "repose/export/recorded_scene.h"
#include "repose/export/triangles.h"
#include "repose/record/hdf5_file_internal.h"

namespace repose::exporter {
namespace {

using record::Handle;

template <class Value>
hid_t type_of() {
  if constexpr (std::is_same_v<Value, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<Value, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<Value, std::int64_t>) return H5T_NATIVE_INT64;
  if constexpr (std::is_same_v<Value, std::int32_t>) return H5T_NATIVE_INT32;
  return H5T_NATIVE_UINT8;
}

constexpr std::uint8_t kHidden = 32;

class Writer {
 public:
  Writer(const Recording& recording, const std::filesystem::path& file)
      : recording_(recording), path_(file.string()), scene_(recorded_scene(recording)) {
    const double ground = ground_size(scene_);
    for (const SceneBody& body : scene_.bodies) surfaces_.push_back(polygons_of(body, ground));
    file_ = Handle(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    check(static_cast<bool>(file_));
    root_ = group(file_.get(), "VTKHDF");
  }

  void write() {
    version();
    polygons();
    steps();
    frames();
  }

 private:
  void check(bool fine) const { require(fine, path_, ": expected a place with room, got an error while writing"); }

  Handle group(hid_t at, const char* name) const {
    Handle made(H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    check(static_cast<bool>(made));
    return made;
  }

  template <class Value>
  Handle dataset(hid_t at, const char* name, std::vector<hsize_t> shape) const {
    const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
    const Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    if (shape[0] > 4096) {
      shape[0] = 4096;
      H5Pset_chunk(how.get(), static_cast<int>(shape.size()), shape.data());
      H5Pset_shuffle(how.get());
      H5Pset_deflate(how.get(), 4);
    }
    Handle made(H5Dcreate2(at, name, type_of<Value>(), space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT), H5Dclose);
    check(static_cast<bool>(made));
    return made;
  }

  template <class Value>
  void put(hid_t at, const char* name, const std::vector<Value>& values, hsize_t width = 0) const {
    std::vector<hsize_t> shape{values.size()};
    if (width > 0) shape = {values.size() / width, width};
    const Handle data = dataset<Value>(at, name, shape);
    if (!values.empty())
      check(H5Dwrite(data.get(), type_of<Value>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  }

  /// Rows from `first` on.
  template <class Value>
  void put_rows(const Handle& data, hsize_t first, hsize_t width, const std::vector<Value>& values) const {
    if (values.empty()) return;
    const Handle space(H5Dget_space(data.get()), H5Sclose);
    const int rank = width > 1 ? 2 : 1;
    const std::array<hsize_t, 2> start{first, 0}, count{values.size() / width, width};
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    const Handle memory(H5Screate_simple(rank, count.data(), nullptr), H5Sclose);
    check(H5Dwrite(data.get(), type_of<Value>(), memory.get(), space.get(), H5P_DEFAULT, values.data()) >= 0);
  }

  void attribute(hid_t at, const char* name, const std::vector<std::int64_t>& values) const {
    const std::array<hsize_t, 1> size{values.size()};
    const Handle space(values.size() == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, size.data(), nullptr),
                       H5Sclose);
    const Handle made(H5Acreate2(at, name, H5T_NATIVE_INT64, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(static_cast<bool>(made) && H5Awrite(made.get(), H5T_NATIVE_INT64, values.data()) >= 0);
  }

  void version() const {
    attribute(root_.get(), "Version", {2, 0});
    const std::string kind = "PolyData";
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
    H5Tset_size(type.get(), kind.size());
    H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
    const Handle made(H5Acreate2(root_.get(), "Type", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(static_cast<bool>(made) && H5Awrite(made.get(), type.get(), kind.data()) >= 0);
  }

  /// What does not change: which points make which polygons, and whose they are.
  void polygons() {
    std::vector<std::int64_t> corners, offsets{0};
    std::vector<std::int32_t> body;
    for (std::size_t b = 0; b < surfaces_.size(); ++b) {
      for (const std::vector<int>& face : surfaces_[b].faces) {
        for (const int corner : face) corners.push_back(points_ + corner);
        offsets.push_back(static_cast<std::int64_t>(corners.size()));
        body.push_back(static_cast<std::int32_t>(b));
      }
      points_ += static_cast<std::int64_t>(surfaces_[b].points.size());
    }
    cells_ = static_cast<std::int64_t>(body.size());
    put(root_.get(), "NumberOfPoints", std::vector<std::int64_t>{points_});
    for (const char* kind : {"Vertices", "Lines", "Polygons", "Strips"}) {
      const Handle at = group(root_.get(), kind);
      const bool ours = kind == std::string("Polygons");
      put(at.get(), "NumberOfCells", std::vector<std::int64_t>{ours ? cells_ : 0});
      put(at.get(), "NumberOfConnectivityIds",
          std::vector<std::int64_t>{ours ? static_cast<std::int64_t>(corners.size()) : 0});
      put(at.get(), "Connectivity", ours ? corners : std::vector<std::int64_t>{});
      put(at.get(), "Offsets", ours ? offsets : std::vector<std::int64_t>{0});
    }
    cell_data_ = group(root_.get(), "CellData");
    put(cell_data_.get(), "body", body);
  }

  void steps() {
    const Handle at = group(root_.get(), "Steps");
    const std::vector<double> times = recording_.times();
    const auto count = static_cast<std::int64_t>(times.size());
    attribute(at.get(), "NSteps", {count});
    put(at.get(), "Values", times);
    std::vector<std::int64_t> points, cells;
    for (std::int64_t k = 0; k < count; ++k) {
      points.push_back(k * points_);
      cells.push_back(k * cells_);
    }
    const std::vector<std::int64_t> zeros(times.size(), 0), ones(times.size(), 1), fours(4 * times.size(), 0);
    put(at.get(), "PartOffsets", zeros);
    put(at.get(), "NumberOfParts", ones);
    put(at.get(), "PointOffsets", points);
    put(at.get(), "CellOffsets", fours, 4);
    put(at.get(), "ConnectivityIdOffsets", fours, 4);
    const Handle data = group(at.get(), "CellDataOffsets");
    put(data.get(), "body", zeros);
    put(data.get(), "speed", cells);
    put(data.get(), "vtkGhostType", cells);
  }

  void frames() {
    const auto count = static_cast<hsize_t>(recording_.steps()) + 1;
    const auto points = static_cast<hsize_t>(points_), cells = static_cast<hsize_t>(cells_);
    const Handle place = dataset<float>(root_.get(), "Points", {count * points, 3}),
                 speed = dataset<float>(cell_data_.get(), "speed", {count * cells}),
                 ghost = dataset<std::uint8_t>(cell_data_.get(), "vtkGhostType", {count * cells});
    for (int first = 0; first <= recording_.steps(); first += kFramesPerChunk) {
      std::vector<float> xyz, fast;
      std::vector<std::uint8_t> hidden;
      for (const RecordedState& state :
           recording_.states(first, std::min(kFramesPerChunk, recording_.steps() + 1 - first)))
        for (std::size_t b = 0; b < surfaces_.size(); ++b) {
          const Pose pose{state.positions[b], state.bodies[b].rotation};
          for (const Vec3& p : surfaces_[b].points) {
            const Vec3 x = pose * p;
            for (const double value : {x.x, x.y, x.z}) xyz.push_back(static_cast<float>(value));
          }
          fast.insert(fast.end(), surfaces_[b].faces.size(), static_cast<float>(norm(state.bodies[b].velocity)));
          hidden.insert(hidden.end(), surfaces_[b].faces.size(), state.present[b] != 0 ? std::uint8_t{0} : kHidden);
        }
      put_rows(place, static_cast<hsize_t>(first) * points, 3, xyz);
      put_rows(speed, static_cast<hsize_t>(first) * cells, 1, fast);
      put_rows(ghost, static_cast<hsize_t>(first) * cells, 1, hidden);
    }
  }

  const Recording& recording_;
  std::string path_;
  Scene scene_;
  std::vector<Polygons> surfaces_;
  std::int64_t points_ = 0, cells_ = 0;
  Handle file_, root_, cell_data_;
};

}  // namespace

void export_vtkhdf(const Recording& recording, const std::filesystem::path& file) {
  const record::Hdf5Session session;
  files::Draft draft(file);
  Writer(recording, draft.path()).write();
  draft.commit();
}

}  // namespace repose::exporter
