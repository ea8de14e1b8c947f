// SPDX-License-Identifier: Apache-2.0
// Object headers of HDF5 files, read within bounds. Names follow the "HDF5 File Format Specification", version 3.
//
// The HDF5 library is not used because damaged files corrupt its memory: of 20 000 files with one to three bytes
// changed, version 1.10.8 crashed on 14. FCLIB files use a small part of the format, which is read here: arrays of
// numbers, contiguous or as one compressed chunk, in groups of a few members.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "repose/contact/file_support_internal.h"

namespace repose::files {

inline constexpr std::uint64_t kUndefinedAddress = ~std::uint64_t{0};  ///< of something never allocated
inline constexpr std::uint64_t kMostGrowth = 1032;                     ///< no stream of deflate unpacks to more

[[nodiscard]] std::uint64_t assemble(std::string_view bytes, bool big_endian);

/// Little-endian numbers anywhere in the file; an address outside the file is a fault.
class Hdf5Bytes {
 public:
  Hdf5Bytes(std::string bytes, const FileFault& fault) : bytes_(std::move(bytes)), fault_(fault) {}

  [[nodiscard]] std::uint64_t size() const { return bytes_.size() - base_; }
  [[nodiscard]] std::string_view part(std::uint64_t at, std::uint64_t count) const {
    if (at > size() || count > size() - at) damaged("an address beyond the end of the file");
    return std::string_view(bytes_).substr(base_ + at, count);
  }
  [[nodiscard]] std::uint64_t number(std::uint64_t at, std::uint64_t width) const {
    return assemble(part(at, width), false);
  }
  void expect_signature(std::uint64_t at, std::string_view signature) const {
    if (part(at, signature.size()) != signature) damaged("something else than " + std::string(signature));
  }
  /// Sets the base that addresses count from.
  void set_base(std::uint64_t base) {
    if (base > bytes_.size()) damaged("a base address beyond the end of the file");
    base_ = base;
  }
  [[noreturn]] void damaged(const std::string& found) const {
    fault_.fail("HDF5 structure", found, "a complete HDF5 file");
  }

 private:
  std::string bytes_;
  const FileFault& fault_;
  std::uint64_t base_ = 0;
};

/// The content of an object header. A dataset has entries, a kind and data; a group has members in one of two formats.
struct Hdf5Object {
  enum class Kind { kNone, kInteger, kFloat, kText, kVariableText };

  std::optional<std::pair<std::uint64_t, std::uint64_t>> symbols;  ///< addresses of a B-tree and its heap of names
  std::vector<std::pair<std::string_view, std::uint64_t>> links;   ///< names and addresses of the members
  bool dense = false;                                              ///< many members, in a format that is not read here
  std::optional<std::uint64_t> entries;                            ///< kUndefinedAddress: more than 64 bits can count
  std::vector<std::uint64_t> extents;                              ///< whose product the entries are
  Kind kind = Kind::kNone;
  bool big_endian = false, is_signed = true, chunked = false;
  std::uint64_t width = 0;                             ///< bytes of an entry
  std::uint64_t data = kUndefinedAddress, stored = 0;  ///< address and bytes; chunked: address of the chunks' index
  std::vector<std::uint64_t> chunk;                    ///< extents of a chunk, if the header has them
  std::vector<std::uint64_t> filters;  ///< numbers of the filters of the chunks, in the order of writing
};

[[nodiscard]] Hdf5Object read_object(const Hdf5Bytes& in, std::uint64_t address);

/// Returns the unpacked bytes (deflate, shuffle) of a dataset that is stored as one chunk; `path` is its name for
/// messages. Claims no more memory than the packed bytes can fill.
[[nodiscard]] std::string read_chunk(const Hdf5Bytes& in, const Hdf5Object& object, const std::string& path,
                                     const FileFault& fault);

}  // namespace repose::files
