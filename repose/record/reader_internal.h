// SPDX-License-Identifier: Apache-2.0
// An open recording as tables and texts. Every fault becomes an InputError that names the file.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "repose/base/error.h"
#include "repose/record/checksum_internal.h"
#include "repose/record/hdf5_file_internal.h"

namespace repose::record {

struct Reader {
  std::string path;
  Handle file;

  /// Returns what `read` returns; its errors get the name of the file.
  template <class Read>
  [[nodiscard]] auto named(const Read& read) const {
    try {
      return read();
    } catch (const std::runtime_error& error) {
      fail(path, ": ", error.what());
    }
  }

  /// Rows first .. first + count; `width` > 0: the numbers that a row must have.
  template <class Value>
  [[nodiscard]] std::vector<Value> rows(const char* what, std::int64_t first, std::int64_t count,
                                        std::size_t width = 0) const {
    return named([&] {
      std::vector<Value> values = read_rows<Value>(file.get(), what, first, count);
      if (width > 0 && values.size() != width * static_cast<std::size_t>(count))
        throw std::runtime_error(std::string(what) + ": expected " + std::to_string(width) + " numbers a row, got " +
                                 std::to_string(values.size()) + " in " + std::to_string(count) + " rows");
      return values;
    });
  }
  [[nodiscard]] std::int64_t count(const char* what) const {
    return named([&] { return row_count(file.get(), what); });
  }
  /// Whether a recording has this table: those of earlier versions lack some.
  [[nodiscard]] bool has(const char* what) const {
    return named([&] { return has_table(file.get(), what); });
  }
  [[nodiscard]] std::string text(const char* what) const {
    return named([&] { return read_text(file.get(), what); });
  }

  /// Refuses rows whose checksums are not those that were written with them, in column `part` of `table`. Recordings of
  /// earlier versions have no such table.
  void check_rows(const char* table, std::size_t part, std::size_t parts, const char* what, int first,
                  const std::vector<std::uint32_t>& sums) const {
    if (!has(table)) return;
    const auto written = rows<std::uint32_t>(table, first, static_cast<std::int64_t>(sums.size()), parts);
    for (std::size_t k = 0; k < sums.size(); ++k)
      require(stored_checksum(sums[k]) == written[parts * k + part], path, ": ", what, " ",
              static_cast<std::size_t>(first) + k, ": expected the checksum ", written[parts * k + part], ", got ",
              stored_checksum(sums[k]), ": the file is damaged");
  }
};

}  // namespace repose::record
