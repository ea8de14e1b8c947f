// SPDX-License-Identifier: Apache-2.0
#include <hdf5.h>

#include <numeric>

#include "repose/base/error.h"
#include "repose/contact/hdf5_handle_internal.h"
#include "repose/contact/hdf5_internal.h"

namespace repose::files {
namespace {

constexpr std::size_t kGrowth = 1 << 16;  // bytes the image grows by

void must(bool done, const std::string& what) { require(done, "hdf5: expected to write ", what, ", got an error"); }

}  // namespace

std::recursive_mutex& hdf5_mutex() {
  // Our handles close what they open. What cannot be closed, in a damaged file or on a full disk, would make the
  // library print its error stack when the program ends.
  static const herr_t without_exit_handler = H5dont_atexit();
  static_cast<void>(without_exit_handler);
  static std::recursive_mutex one;
  return one;
}

struct Hdf5Image::Open {
  Hdf5Session session;
  Handle file, links, properties, packed;

  /// How an array is kept: one compressed chunk, or plain where compression was not asked for or does not pay.
  [[nodiscard]] hid_t layout(const std::vector<hsize_t>& dims, std::size_t count) const {
    constexpr std::size_t kFewest = 32, kMost = std::size_t{1} << 28;  // entries; a chunk has less than 4 GiB
    if (!packed || count < kFewest || count > kMost) return properties.get();
    must(H5Pset_chunk(packed.get(), static_cast<int>(dims.size()), dims.data()) >= 0, "a chunk");
    return packed.get();
  }

  void put(const std::string& path, hid_t stored, hid_t memory, const Handle& space, const void* values,
           hid_t kept) const {
    const Handle dataset(H5Dcreate2(file.get(), path.c_str(), stored, space.get(), links.get(), kept, H5P_DEFAULT),
                         H5Dclose);
    must(dataset && H5Dwrite(dataset.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, path);
  }
  void put_array(const std::string& path, hid_t stored, hid_t memory, std::size_t count,
                 const std::vector<std::size_t>& shape, const void* values) const {
    const std::vector<hsize_t> dims =
        shape.empty() ? std::vector<hsize_t>{count} : std::vector<hsize_t>(shape.begin(), shape.end());
    must(std::accumulate(dims.begin(), dims.end(), hsize_t{1}, std::multiplies<>()) == count, path);
    const Handle space(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr), H5Sclose);
    put(path, stored, memory, space, values, layout(dims, count));
  }
};

Hdf5Image::Hdf5Image(bool compress) : open_(std::make_unique<Open>()) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  must(H5Pset_fapl_core(access.get(), kGrowth, false) >= 0, "a file in memory");
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
  open_->links = Handle(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(open_->links.get(), 1);
  open_->properties = Handle(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(open_->properties.get(), false);  // equal problems make equal files
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  if (compress) {
    // Indices with room for what they hold: one chunk instead of 64, one node of a group's members instead of 32.
    must(H5Pset_istore_k(creation.get(), 1) >= 0 && H5Pset_sym_k(creation.get(), 1, 4) >= 0, "small indices");
    open_->packed = Handle(H5Pcopy(open_->properties.get()), H5Pclose);
    must(H5Pset_shuffle(open_->packed.get()) >= 0 && H5Pset_deflate(open_->packed.get(), 9) >= 0, "compression");
  }
  open_->file = Handle(H5Fcreate("image", H5F_ACC_TRUNC, creation.get(), access.get()), H5Fclose);
  must(static_cast<bool>(open_->file), "a file in memory");
}

Hdf5Image::~Hdf5Image() = default;

void Hdf5Image::integers(const std::string& path, std::span<const int> values, std::vector<std::size_t> shape) {
  open_->put_array(path, H5T_STD_I32LE, H5T_NATIVE_INT, values.size(), shape, values.data());
}

void Hdf5Image::numbers(const std::string& path, std::span<const double> values, std::vector<std::size_t> shape) {
  open_->put_array(path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.size(), shape, values.data());
}

void Hdf5Image::text(const std::string& path, const std::string& value) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  must(H5Tset_size(type.get(), value.size() + 1) >= 0, path);
  open_->put(path, type.get(), type.get(), space, value.c_str(), open_->properties.get());
}

std::vector<char> Hdf5Image::bytes() {
  must(H5Fflush(open_->file.get(), H5F_SCOPE_GLOBAL) >= 0, "the file's image");
  const ssize_t size = H5Fget_file_image(open_->file.get(), nullptr, 0);
  must(size > 0, "the file's image");
  std::vector<char> image(static_cast<std::size_t>(size));
  must(H5Fget_file_image(open_->file.get(), image.data(), image.size()) == size, "the file's image");
  return image;
}

}  // namespace repose::files
