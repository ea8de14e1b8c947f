// SPDX-License-Identifier: Apache-2.0
// The part of HDF5 that recordings use: tables that grow by rows, small fixed arrays, texts. Callers hold a session.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "repose/contact/hdf5_handle_internal.h"

namespace repose::record {

using files::Handle;
using files::Hdf5Session;

template <class Value>
[[nodiscard]] hid_t hdf5_type();
template <>
[[nodiscard]] hid_t hdf5_type<double>();
template <>
[[nodiscard]] hid_t hdf5_type<int>();
template <>
[[nodiscard]] hid_t hdf5_type<std::int64_t>();
template <>
[[nodiscard]] hid_t hdf5_type<std::uint32_t>();
template <>
[[nodiscard]] hid_t hdf5_type<std::uint8_t>();

/// kDeflated: each block of rows is compressed on its own. A block that is half full at a flush is written again, and
/// the space of its first version is wasted: compression suits tables of which every flush writes more than a block.
enum class Packing { kNone, kDeflated };

/// A recording's space is handed out in pages of this size, the system's.
inline constexpr std::size_t kPageBytes = 4096;

/// Rows of a table with one row a step that are stored together: those of one flush.
inline constexpr std::size_t kStepRows = 64;

/// Rows of one dataset that are buffered until they are appended to the file.
class Table {
 public:
  /// `shape`: that of one row; empty for a single value. `block_rows`: largest number of rows stored together.
  Table(hid_t file, const std::string& path, hid_t type, std::size_t width, std::vector<std::size_t> shape,
        Packing packing = Packing::kNone, std::size_t block_rows = kStepRows);

  template <class Value>
  void put(Value value) {
    const auto* bytes = reinterpret_cast<const char*>(&value);
    waiting_.insert(waiting_.end(), bytes, bytes + sizeof value);
  }
  /// Continues a checksum over what was put since the last call.
  [[nodiscard]] std::uint32_t checksum_new(std::uint32_t so_far);
  /// Returns a bound on the bytes by which flush() lengthens the file.
  [[nodiscard]] std::size_t growth() const;
  /// Writes the buffered rows and publishes them to readers. False when the write fails.
  [[nodiscard]] bool flush();
  /// Declares all rows written so far as good.
  void keep() { good_rows_ = extent_[0]; }
  /// Removes the rows after the good ones, written or buffered; keeps the library from writing them later.
  void withdraw();

 private:
  Handle dataset_, type_;
  std::vector<hsize_t> extent_;  // rows, then the shape of one row
  std::size_t row_bytes_ = 0, block_rows_ = 1;
  bool packed_ = false;
  hsize_t good_rows_ = 0;
  std::vector<char> waiting_;
  std::size_t summed_ = 0;  // of waiting_, bytes
};

/// Makes the groups on the way to `path`.
void write_text(hid_t file, const std::string& path, const std::string& text);
[[nodiscard]] std::string read_text(hid_t file, const std::string& path);

/// Tables that claim more rows count as having this many: sums with numbers of a damaged file stay in range.
inline constexpr std::int64_t kMostRows = std::int64_t{1} << 62;
/// Whether rows first .. first + count end within `rows` rows, ≤ kMostRows.
[[nodiscard]] constexpr bool end_within(std::int64_t first, int count, std::int64_t rows) {
  return first <= rows - count;
}

/// Both throw std::runtime_error when the file cannot be read there.
[[nodiscard]] bool has_table(hid_t file, const std::string& path);
[[nodiscard]] std::int64_t row_count(hid_t file, const std::string& path);
/// Reads rows first .. first + count of a dataset; throws std::runtime_error when there are fewer.
template <class Value>
[[nodiscard]] std::vector<Value> read_rows(hid_t file, const std::string& path, std::int64_t first, std::int64_t count);

}  // namespace repose::record
