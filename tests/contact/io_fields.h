// SPDX-License-Identifier: Apache-2.0
// FCLIB files made field by field, so that a test can spoil one of them.
#pragma once

#include <hdf5.h>

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "repose/contact/hdf5_internal.h"
#include "tests/contact/io_support.h"

namespace repose::testing {

using Field = std::variant<std::vector<int>, std::vector<double>, std::string>;
using Fields = std::map<std::string, Field>;

/// HDF5 1.0, which carries no checksums and is what public files have; or 1.8, with checksums.
enum class Format { kClassic, kChecksummed };

inline std::string classic_bytes(const Fields& fields) {
  files::Hdf5Image image;
  for (const auto& [path, field] : fields) {
    if (const auto* integers = std::get_if<std::vector<int>>(&field)) image.integers(path, *integers);
    if (const auto* numbers = std::get_if<std::vector<double>>(&field)) image.numbers(path, *numbers);
    if (const auto* text = std::get_if<std::string>(&field)) image.text(path, *text);
  }
  const std::vector<char> bytes = image.bytes();
  return {bytes.begin(), bytes.end()};
}

inline void put_dataset(hid_t file, const std::string& path, hid_t type, hsize_t count, const void* data) {
  const hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(1, &count, nullptr);
  H5Pset_create_intermediate_group(links, 1);
  const hid_t dataset = H5Dcreate2(file, path.c_str(), type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  H5Dclose(dataset);
  H5Sclose(space);
  H5Pclose(links);
}

inline std::string checksummed_bytes(const Fields& fields) {
  const TempFolder folder;
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS), text = H5Tcopy(H5T_C_S1);
  H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
  const hid_t file = H5Fcreate((folder / "a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  for (const auto& [path, field] : fields) {
    if (const auto* x = std::get_if<std::vector<int>>(&field))
      put_dataset(file, path, H5T_NATIVE_INT, x->size(), x->data());
    if (const auto* x = std::get_if<std::vector<double>>(&field))
      put_dataset(file, path, H5T_NATIVE_DOUBLE, x->size(), x->data());
    if (const auto* x = std::get_if<std::string>(&field)) {
      H5Tset_size(text, x->size() + 1);
      put_dataset(file, path, text, 1, x->c_str());
    }
  }
  H5Fclose(file);
  H5Tclose(text);
  H5Pclose(access);
  return file_bytes(folder / "a.h5");
}

inline std::string hdf5_bytes(const Fields& fields, Format format = Format::kClassic) {
  return format == Format::kClassic ? classic_bytes(fields) : checksummed_bytes(fields);
}

inline std::vector<int>& integers(Fields& fields, const std::string& path) {
  return std::get<std::vector<int>>(fields.at(path));
}
inline std::vector<double>& numbers(Fields& fields, const std::string& path) {
  return std::get<std::vector<double>>(fields.at(path));
}

/// Two contacts with W = [2I, B; Bᵀ, 3I] in compressed rows, B = 0.5 at (N, T1). Axes are the file's: (N, T1, T2).
inline Fields local_fields() {
  const std::string W = "/fclib_local/W";
  return {{"/fclib_local/spacedim", std::vector{3}},
          {W + "/m", std::vector{6}},
          {W + "/n", std::vector{6}},
          {W + "/nz", std::vector{-2}},
          {W + "/nzmax", std::vector{8}},
          {W + "/p", std::vector{0, 2, 3, 4, 5, 7, 8}},
          {W + "/i", std::vector{0, 4, 1, 2, 3, 0, 4, 5}},
          {W + "/x", std::vector<double>{2, 0.5, 2, 2, 3, 0.5, 3, 3}},
          {"/fclib_local/vectors/q", std::vector<double>{-1, 0.25, 0.125, -2, 0, 1}},
          {"/fclib_local/vectors/mu", std::vector<double>{0.5, 0.75}},
          {"/fclib_local/info/title", std::string("two contacts")}};
}

struct Entry {
  int row, column;
  double value;
};

/// Triplets as CSparse writes them: p = columns, i = rows.
inline void put_triplets(Fields& fields, const std::string& group, int rows, int columns,
                         const std::vector<Entry>& entries) {
  std::vector<int> p, i;
  std::vector<double> x;
  for (const Entry& e : entries) {
    p.push_back(e.column);
    i.push_back(e.row);
    x.push_back(e.value);
  }
  const int count = static_cast<int>(entries.size());
  fields[group + "/m"] = std::vector{rows};
  fields[group + "/n"] = std::vector{columns};
  fields[group + "/nz"] = std::vector{count};
  fields[group + "/nzmax"] = std::vector{count};
  fields[group + "/p"] = p;
  fields[group + "/i"] = i;
  fields[group + "/x"] = x;
}

/// Two contacts on two bodies of six dofs, one of them with a full inertia. `extra` adds a dof of its own, which does
/// not fit bodies of six or three.
inline Fields global_fields(bool extra = false) {
  const int dofs = extra ? 13 : 12;
  Random random(5);
  std::vector<Entry> M, H;
  for (int k = 0; k < dofs; ++k) M.push_back({k, k, 1.5 + 0.25 * (k % 4)});
  for (int k : {3, 9}) M.insert(M.end(), {{k, k + 1, 0.25}, {k + 1, k, 0.25}, {k, k + 2, -0.5}, {k + 2, k, -0.5}});
  for (int k = 0; k < 12; ++k)
    for (int c = 0; c < 6; ++c)
      if (c >= 3 || k < 6) H.push_back({k, c, random.uniform(-1, 1)});
  Fields fields{{"/fclib_global/spacedim", std::vector{3}},
                {"/fclib_global/vectors/f", std::vector<double>(static_cast<std::size_t>(dofs), 0.5)},
                {"/fclib_global/vectors/w", std::vector<double>{-1, 0.25, 0.125, -2, 0, 1}},
                {"/fclib_global/vectors/mu", std::vector<double>{0.5, 0.75}}};
  put_triplets(fields, "/fclib_global/M", dofs, dofs, M);
  put_triplets(fields, "/fclib_global/H", dofs, 6, H);
  return fields;
}

/// What FCLIB's own reader would see: through the library.
inline std::vector<double> library_numbers(hid_t file, const char* path) {
  const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(dataset);
  std::vector<double> values(static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0)));
  EXPECT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << path;
  H5Sclose(space);
  H5Dclose(dataset);
  return values;
}

}  // namespace repose::testing
