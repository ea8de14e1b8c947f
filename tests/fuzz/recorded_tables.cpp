// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/recorded_tables.h"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "repose/contact/hdf5_handle_internal.h"

namespace repose::fuzz {
namespace {

using files::Handle;

constexpr std::size_t kChangeBytes = 12;

struct Change {
  enum Kind { kEntry, kNumber, kRows, kRemove, kText, kOtherShape, kKinds };
  std::uint8_t table = 0, kind = 0;
  std::uint16_t entry = 0;
  std::array<std::uint8_t, 8> value{};
};

/// Doubles whose bits a mutation hardly hits.
double special_number(unsigned which) {
  constexpr double kSpecial[] = {0, -1, 1e-300, 1e300, 0.5, 3, -0.0, 1e9, 1e19, HUGE_VAL, -HUGE_VAL, NAN};
  return kSpecial[which % std::size(kSpecial)];
}

herr_t add_name(hid_t, const char* name, const H5O_info_t* info, void* names) {
  if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(names)->push_back(name);
  return 0;
}

std::vector<std::string> tables_of(hid_t file) {
  std::vector<std::string> names;
  H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, add_name, &names, H5O_INFO_BASIC);
  return names;
}

/// Writes one entry: bits of `value` in the table's own type, or one of the special numbers.
void write_entry(hid_t table, const Change& change) {
  constexpr hssize_t kMost = 1 << 20;
  const Handle type(H5Dget_type(table), H5Tclose), space(H5Dget_space(table), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  const std::size_t width = H5Tget_size(type.get());
  if (count <= 0 || count > kMost || width > 64 || H5Tget_class(type.get()) == H5T_STRING) return;
  std::vector<std::uint8_t> all(static_cast<std::size_t>(count) * width);
  if (H5Dread(table, type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0) return;
  const std::size_t at = change.entry % static_cast<std::size_t>(count) * width;
  std::memcpy(&all[at], change.value.data(), std::min(width, change.value.size()));
  if (change.kind == Change::kNumber && width == sizeof(double)) {
    const double number = special_number(change.value[0]);
    std::memcpy(&all[at], &number, sizeof number);
  }
  H5Dwrite(table, type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data());
}

/// More rows or fewer, up to 2⁶⁰. The library takes very long to shorten what is that long.
void set_rows(hid_t table, const Change& change) {
  constexpr hsize_t kMost = 1 << 20;
  const Handle space(H5Dget_space(table), H5Sclose);
  hsize_t extent[H5S_MAX_RANK] = {};
  if (H5Sget_simple_extent_dims(space.get(), extent, nullptr) < 1 || extent[0] > kMost) return;
  extent[0] = change.value[0] < 61 ? (hsize_t{1} << change.value[0]) + change.entry : change.entry;
  H5Dset_extent(table, extent);
}

/// The same name with a text, or numbers of another type and shape.
void replace(hid_t file, const std::string& name, const Change& change) {
  if (H5Ldelete(file, name.c_str(), H5P_DEFAULT) < 0) return;
  const bool text = change.kind == Change::kText || change.value[0] % 3 == 0;
  const Handle type(H5Tcopy(text ? H5T_C_S1 : change.value[0] % 3 == 1 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT), H5Tclose);
  if (text) H5Tset_size(type.get(), std::max<std::size_t>(change.entry, 1));
  const hsize_t extent[3] = {change.value[2], change.value[3], change.value[4]};
  const int rank = change.kind == Change::kText ? 0 : change.value[1] % 4;
  const Handle space(rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extent, nullptr), H5Sclose);
  const Handle made(H5Dcreate2(file, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                    H5Dclose);
  std::vector<std::uint8_t> content(std::max<std::size_t>(change.entry, 8));
  std::copy(change.value.begin(), change.value.end(), content.begin());
  if (text && rank == 0) H5Dwrite(made.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, content.data());
}

void apply(hid_t file, const std::string& name, const Change& change) {
  if (change.kind == Change::kRemove) H5Ldelete(file, name.c_str(), H5P_DEFAULT);
  if (change.kind == Change::kText || change.kind == Change::kOtherShape) return replace(file, name, change);
  const Handle table(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!table) return;
  if (change.kind == Change::kRows)
    set_rows(table.get(), change);
  else
    write_entry(table.get(), change);
}

Change change_from(Bytes bytes) {
  Change change{.table = bytes[0], .kind = static_cast<std::uint8_t>(bytes[1] % Change::kKinds)};
  std::memcpy(&change.entry, &bytes[2], sizeof change.entry);
  std::copy(bytes.begin() + 4, bytes.end(), change.value.begin());
  return change;
}

}  // namespace

void change_tables(const std::string& path, Bytes changes) {
  constexpr std::size_t kMostChanges = 8;
  const files::Hdf5Session session;
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  for (const char* sums : {"/checksum", "/steps/checksum", "/states/checksum", "/steps/block_checksum",
                           "/states/joint_checksum", "/steps/term_checksum", "/steps/push_checksum"})
    if (H5Lexists(file.get(), sums, H5P_DEFAULT) > 0) H5Ldelete(file.get(), sums, H5P_DEFAULT);
  const std::vector<std::string> names = tables_of(file.get());
  for (std::size_t k = 0; k < kMostChanges && changes.size() >= kChangeBytes; ++k) {
    const Change change = change_from(changes.first(kChangeBytes));
    apply(file.get(), names[change.table % names.size()], change);
    changes = changes.subspan(kChangeBytes);
  }
}

}  // namespace repose::fuzz
