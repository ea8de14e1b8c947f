// SPDX-License-Identifier: Apache-2.0
// The part of HDF5 that the formats use: arrays of integers and doubles, and short texts, by absolute path.
// The library's types do not appear in this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "repose/contact/file_support_internal.h"

namespace repose::files {

/// Reads within bounds, without the library (hdf5_object_internal.h says why). `superblock` is its offset in the bytes.
class Hdf5Reader {
 public:
  Hdf5Reader(std::string bytes, std::size_t superblock, const FileFault& fault);
  ~Hdf5Reader();
  Hdf5Reader(const Hdf5Reader&) = delete;
  Hdf5Reader& operator=(const Hdf5Reader&) = delete;

  /// Whether the path is a group or dataset of this file (links to other files do not count).
  [[nodiscard]] bool has(const std::string& path) const;
  /// Whether a dataset's data were written: one that was only created reads as zeros.
  [[nodiscard]] bool written(const std::string& path) const;
  /// Returns the number of entries of a dataset of any shape, after checking that the file is long enough for them.
  [[nodiscard]] std::int64_t size(const std::string& path) const;
  /// Returns the only entry of an integer dataset.
  [[nodiscard]] std::int64_t integer(const std::string& path) const;
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& path) const;
  /// Returns finite numbers.
  [[nodiscard]] std::vector<double> numbers(const std::string& path) const;
  /// numbers() of a dataset that must have `count` entries.
  [[nodiscard]] std::vector<double> numbers(const std::string& path, std::int64_t count) const;
  /// Returns an empty text when there is none.
  [[nodiscard]] std::string text(const std::string& path) const;

  [[nodiscard]] const FileFault& fault() const { return fault_; }

 private:
  struct Open;
  const FileFault& fault_;
  std::unique_ptr<Open> open_;
};

/// A file made in memory, so that a full disk or a crash does not leave a partial file. The same calls make the same
/// bytes.
class Hdf5Image {
 public:
  /// `compress`: arrays become one chunk each, shuffled and deflated.
  explicit Hdf5Image(bool compress = false);
  ~Hdf5Image();
  Hdf5Image(const Hdf5Image&) = delete;
  Hdf5Image& operator=(const Hdf5Image&) = delete;

  // Groups on the way are made as needed. `shape` is one-dimensional where left out.
  void integers(const std::string& path, std::span<const int> values, std::vector<std::size_t> shape = {});
  void numbers(const std::string& path, std::span<const double> values, std::vector<std::size_t> shape = {});
  void text(const std::string& path, const std::string& value);

  [[nodiscard]] std::vector<char> bytes();

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

}  // namespace repose::files
