// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "repose/record/checksum_internal.h"
#include "repose/record/hdf5_file_internal.h"

namespace repose::record {
namespace {

constexpr std::size_t kChunkBytes = 64 * 1024;
constexpr std::size_t kPackedBytes = 16 * 1024;
constexpr unsigned kLevel = 1;  // higher levels take longer and save hardly anything on these numbers

Handle link_properties() {
  Handle properties(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(properties.get(), 1);
  return properties;
}

void check(bool good, const std::string& path, const char* what) {
  if (!good) throw std::runtime_error(path + ": " + what);
}

std::int64_t rows_of(hsize_t extent) { return static_cast<std::int64_t>(std::min<hsize_t>(extent, kMostRows)); }

std::size_t file_bytes(hid_t file) {
  hsize_t bytes = 0;
  return H5Fget_filesize(file, &bytes) >= 0 ? static_cast<std::size_t>(bytes) : 0;
}

/// Returns the numbers in rows of this shape, after checking that the bytes of the file can unpack to as many: a
/// damaged length claims no memory.
std::size_t claimed(hid_t file, const std::string& path, const std::vector<hsize_t>& extent, std::size_t width) {
  constexpr std::size_t kMostGrowth = 1032;                 // no stream of deflate unpacks to more
  constexpr std::size_t kUnwritten = std::size_t{1} << 20;  // rows that were announced and not written have no bytes
  const std::size_t most = (kMostGrowth * file_bytes(file) + kUnwritten) / width;
  std::size_t entries = 1;
  for (const hsize_t side : extent) {
    check(side == 0 || entries <= most / side, path, "expected at most the rows that the file has bytes for, got more");
    entries *= side;
  }
  return entries;
}

}  // namespace

template <>
hid_t hdf5_type<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
hid_t hdf5_type<int>() {
  return H5T_NATIVE_INT;
}
template <>
hid_t hdf5_type<std::int64_t>() {
  return H5T_NATIVE_INT64;
}
template <>
hid_t hdf5_type<std::uint32_t>() {
  return H5T_NATIVE_UINT32;
}
template <>
hid_t hdf5_type<std::uint8_t>() {
  return H5T_NATIVE_UINT8;
}

Table::Table(hid_t file, const std::string& path, hid_t type, std::size_t width, std::vector<std::size_t> shape,
             Packing packing, std::size_t block_rows)
    : type_(H5Tcopy(type), H5Tclose) {
  extent_.assign(1, 0);
  extent_.insert(extent_.end(), shape.begin(), shape.end());
  row_bytes_ = std::accumulate(shape.begin(), shape.end(), width, std::multiplies<>());
  std::vector<hsize_t> most = extent_, chunk = extent_;
  most[0] = H5S_UNLIMITED;
  const std::size_t block_bytes = packing == Packing::kDeflated ? kPackedBytes : kChunkBytes;
  block_rows_ = std::clamp<std::size_t>(block_bytes / std::max<std::size_t>(row_bytes_, 1), 1, block_rows);
  chunk[0] = block_rows_;
  const bool empty = row_bytes_ == 0;  // no bodies: rows without content
  if (empty) return;
  const Handle space(H5Screate_simple(static_cast<int>(extent_.size()), extent_.data(), most.data()), H5Sclose);
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data());
  packed_ = packing == Packing::kDeflated;
  if (packed_) {
    H5Pset_shuffle(properties.get());  // bytes of equal significance together: exponents repeat, mantissas do not
    H5Pset_deflate(properties.get(), kLevel);
  }
  const Handle links = link_properties();
  dataset_ =
      Handle(H5Dcreate2(file, path.c_str(), type, space.get(), links.get(), properties.get(), H5P_DEFAULT), H5Dclose);
  check(static_cast<bool>(dataset_), path, "expected a new table, got an error of HDF5");
}

std::uint32_t Table::checksum_new(std::uint32_t so_far) {
  const std::span<const char> fresh = std::span<const char>(waiting_).subspan(summed_);
  summed_ = waiting_.size();
  return checksum(so_far, std::as_bytes(fresh));
}

std::size_t Table::growth() const {
  constexpr std::size_t kIndexBytes = 64;  // of a block, and what a compressed block may be longer
  if (row_bytes_ == 0 || waiting_.empty()) return 0;
  // A compressed block that was not full is written again, elsewhere; any other has its place already.
  const std::size_t blocks = waiting_.size() / row_bytes_ / block_rows_ + (packed_ ? 2 : 1);
  const std::size_t bytes = block_rows_ * row_bytes_ + (packed_ ? kIndexBytes : 0);
  return blocks * ((bytes + kPageBytes - 1) / kPageBytes * kPageBytes + kIndexBytes);
}

void Table::withdraw() {
  waiting_.clear();
  summed_ = 0;
  if (row_bytes_ == 0 || extent_[0] == good_rows_) return;
  extent_[0] = good_rows_;
  H5Dset_extent(dataset_.get(), extent_.data());
  H5Dflush(dataset_.get());
}

bool Table::flush() {
  if (row_bytes_ == 0 || waiting_.empty()) return true;
  const hsize_t rows = waiting_.size() / row_bytes_;
  std::vector<hsize_t> start(extent_.size(), 0), count = extent_;
  start[0] = extent_[0];
  count[0] = rows;
  extent_[0] += rows;
  if (H5Dset_extent(dataset_.get(), extent_.data()) < 0) return false;
  const Handle file_space(H5Dget_space(dataset_.get()), H5Sclose);
  const Handle memory_space(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
  H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
  const bool good =
      H5Dwrite(dataset_.get(), type_.get(), memory_space.get(), file_space.get(), H5P_DEFAULT, waiting_.data()) >= 0 &&
      H5Dflush(dataset_.get()) >= 0;
  waiting_.clear();
  summed_ = 0;
  return good;
}

void write_text(hid_t file, const std::string& path, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), text.size() + 1);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose), links = link_properties();
  const Handle dataset(H5Dcreate2(file, path.c_str(), type.get(), space.get(), links.get(), H5P_DEFAULT, H5P_DEFAULT),
                       H5Dclose);
  check(dataset && H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()) >= 0, path,
        "expected to write a text, got an error of HDF5");
}

std::string read_text(hid_t file, const std::string& path) {
  const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  check(static_cast<bool>(dataset), path, "expected a text, got nothing");
  const Handle type(H5Dget_type(dataset.get()), H5Tclose), space(H5Dget_space(dataset.get()), H5Sclose);
  check(H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) == 0 &&
            H5Sget_simple_extent_npoints(space.get()) == 1,
        path, "expected a text of fixed length, got something else");
  check(H5Tget_size(type.get()) <= file_bytes(file), path, "expected a text, got one longer than the file");
  std::string text(H5Tget_size(type.get()), '\0');
  check(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) >= 0, path,
        "expected a text, got one that cannot be read");
  text.resize(std::strlen(text.c_str()));
  return text;
}

bool has_table(hid_t file, const std::string& path) {
  const htri_t found = H5Lexists(file, path.c_str(), H5P_DEFAULT);
  check(found >= 0, path, "expected a table or nothing, got a group that cannot be read");
  return found > 0;
}

std::int64_t row_count(hid_t file, const std::string& path) {
  const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  check(static_cast<bool>(dataset), path, "expected a table, got nothing that can be read");
  H5Drefresh(dataset.get());
  const Handle space(H5Dget_space(dataset.get()), H5Sclose);
  hsize_t extent[H5S_MAX_RANK] = {};
  return H5Sget_simple_extent_dims(space.get(), extent, nullptr) > 0 ? rows_of(extent[0]) : 0;
}

template <class Value>
std::vector<Value> read_rows(hid_t file, const std::string& path, std::int64_t first, std::int64_t count) {
  const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset && count == 0) return {};
  check(static_cast<bool>(dataset), path, "expected a table, got nothing that can be read");
  const Handle space(H5Dget_space(dataset.get()), H5Sclose);
  std::vector<hsize_t> extent(H5S_MAX_RANK, 0);
  const int rank = H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
  check(rank >= 1 && first >= 0 && count >= 0 && count <= rows_of(extent[0]) && first <= rows_of(extent[0]) - count,
        path, "expected a row per step, got fewer");
  extent.resize(static_cast<std::size_t>(rank));
  std::vector<hsize_t> start(extent.size(), 0);
  start[0] = static_cast<hsize_t>(first);
  extent[0] = static_cast<hsize_t>(count);
  const std::size_t entries = claimed(file, path, extent, sizeof(Value));
  std::vector<Value> values(entries);
  if (entries == 0) return values;
  const Handle memory(H5Screate_simple(rank, extent.data(), nullptr), H5Sclose);
  H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr);
  check(H5Dread(dataset.get(), hdf5_type<Value>(), memory.get(), space.get(), H5P_DEFAULT, values.data()) >= 0, path,
        "expected rows of numbers, got some that cannot be read");
  return values;
}

template std::vector<double> read_rows(hid_t, const std::string&, std::int64_t, std::int64_t);
template std::vector<int> read_rows(hid_t, const std::string&, std::int64_t, std::int64_t);
template std::vector<std::int64_t> read_rows(hid_t, const std::string&, std::int64_t, std::int64_t);
template std::vector<std::uint32_t> read_rows(hid_t, const std::string&, std::int64_t, std::int64_t);
template std::vector<std::uint8_t> read_rows(hid_t, const std::string&, std::int64_t, std::int64_t);

}  // namespace repose::record
