// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "repose/contact/hdf5_internal.h"
#include "repose/contact/hdf5_session_internal.h"

namespace repose::files {
namespace {

/// Deflate cannot do better than this, so a chunked dataset cannot honestly be larger.
constexpr hsize_t kBestCompression = 1032;

/// Entries by its dimensions, or -1 where the product does not fit or there is no dataspace.
std::int64_t points(const Handle& dataset) {
  const Handle space(H5Dget_space(dataset.get()), H5Sclose);
  if (!space || H5Sget_simple_extent_type(space.get()) == H5S_NO_CLASS) return -1;
  if (H5Sget_simple_extent_type(space.get()) == H5S_NULL) return 0;
  hsize_t dims[H5S_MAX_RANK] = {};
  const int rank = H5Sget_simple_extent_dims(space.get(), dims, nullptr);
  if (rank < 0) return -1;
  hsize_t product = 1;
  for (int k = 0; k < rank; ++k) {
    if (dims[k] > (hsize_t{1} << 48)) return -1;
    if (dims[k] != 0 && product > (hsize_t{1} << 48) / dims[k]) return -1;
    product *= dims[k];
  }
  return static_cast<std::int64_t>(product);
}

/// The most entries that the bytes behind a dataset can stand for; nothing outside the file counts.
std::int64_t capacity(const Handle& dataset, hsize_t file_bytes) {
  const Handle list(H5Dget_create_plist(dataset.get()), H5Pclose), type(H5Dget_type(dataset.get()), H5Tclose);
  if (!list || !type || H5Pget_external_count(list.get()) != 0) return 0;
  const hsize_t bytes = std::min<hsize_t>(H5Dget_storage_size(dataset.get()), file_bytes);
  const hsize_t width = std::max<hsize_t>(H5Tget_size(type.get()), 1);
  switch (H5Pget_layout(list.get())) {
    case H5D_COMPACT:
    case H5D_CONTIGUOUS: return static_cast<std::int64_t>(bytes / width);
    case H5D_CHUNKED: return static_cast<std::int64_t>(kBestCompression * bytes / width);
    default: return 0;  // virtual: data of other files
  }
}

bool has_type(const Handle& dataset, std::initializer_list<H5T_class_t> classes) {
  const Handle type(H5Dget_type(dataset.get()), H5Tclose);
  return type && std::find(classes.begin(), classes.end(), H5Tget_class(type.get())) != classes.end();
}

}  // namespace

struct Hdf5Reader::Open {
  Session session;
  Handle file;
  hsize_t bytes = 0;

  /// Opened, and its claimed size checked.
  std::pair<Handle, std::int64_t> dataset(const Hdf5Reader& reader, const std::string& path) const {
    const FileFault& fault = reader.fault();
    fault.expect(reader.has(path), path, "nothing", "a dataset");
    Handle dataset(H5Dopen2(file.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
    fault.expect(static_cast<bool>(dataset), path, "no readable dataset", "a dataset");
    const std::int64_t count = points(dataset);
    fault.expect(count >= 0, path, "an unreadable or absurd shape", "a dataset that fits in memory");
    const std::int64_t most = capacity(dataset, bytes);
    fault.expect(count <= most, path, count, "at most ", most, " entries for the bytes stored");
    return {std::move(dataset), count};
  }
};

Hdf5Reader::Hdf5Reader(const std::filesystem::path& path, const FileFault& fault)
    : fault_(fault), open_(std::make_unique<Open>()) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
  open_->file = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  fault.expect(static_cast<bool>(open_->file), "HDF5 structure", "a truncated or damaged file", "a complete HDF5 file");
  open_->bytes = std::filesystem::file_size(path);
}

Hdf5Reader::~Hdf5Reader() = default;

bool Hdf5Reader::has(const std::string& path) const {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    H5L_info_t link;
    if (H5Lexists(open_->file.get(), part.c_str(), H5P_DEFAULT) <= 0) return false;
    if (H5Lget_info(open_->file.get(), part.c_str(), &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
      return false;
    if (end == path.npos) return true;
  }
}

bool Hdf5Reader::written(const std::string& path) const {
  if (!has(path)) return false;
  const Handle dataset(H5Dopen2(open_->file.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
  return dataset && H5Dget_storage_size(dataset.get()) > 0;
}

std::int64_t Hdf5Reader::size(const std::string& path) const { return open_->dataset(*this, path).second; }

std::int64_t Hdf5Reader::integer(const std::string& path) const {
  const std::int64_t count = size(path);
  fault_.expect(count == 1, path, count, "1 entry");
  return integers(path).front();
}

std::vector<std::int64_t> Hdf5Reader::integers(const std::string& path) const {
  const auto [dataset, count] = open_->dataset(*this, path);
  fault_.expect(has_type(dataset, {H5T_INTEGER}), path, "another type", "integers");
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  if (count == 0) return values;
  const herr_t status = H5Dread(dataset.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  fault_.expect(status >= 0, path, "unreadable data", "integers");
  return values;
}

std::vector<double> Hdf5Reader::numbers(const std::string& path) const {
  const auto [dataset, count] = open_->dataset(*this, path);
  fault_.expect(has_type(dataset, {H5T_FLOAT, H5T_INTEGER}), path, "another type", "numbers");
  std::vector<double> values(static_cast<std::size_t>(count));
  if (count == 0) return values;
  const herr_t status = H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  fault_.expect(status >= 0, path, "unreadable data", "numbers");
  const auto bad = std::find_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
  if (bad != values.end())
    fault_.fail(path, shown(*bad) + " at entry " + shown(bad - values.begin()), "finite numbers");
  return values;
}

std::vector<double> Hdf5Reader::numbers(const std::string& path, std::int64_t count) const {
  const std::int64_t found = size(path);
  fault_.expect(found == count, path, found, count, " entries");
  return numbers(path);
}

std::string Hdf5Reader::text(const std::string& path) const {
  if (!has(path)) return {};
  const auto [dataset, count] = open_->dataset(*this, path);
  const Handle type(H5Dget_type(dataset.get()), H5Tclose);
  if (count != 1 || !has_type(dataset, {H5T_STRING})) return {};
  if (H5Tis_variable_str(type.get()) > 0) {
    char* found = nullptr;
    if (H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &found) < 0 || found == nullptr) return {};
    std::string text(found);
    H5free_memory(found);
    return text;
  }
  std::string text(H5Tget_size(type.get()), '\0');  // size() above has held it against the file's length
  if (H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0) return {};
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

}  // namespace repose::files
