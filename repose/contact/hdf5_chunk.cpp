// SPDX-License-Identifier: Apache-2.0
// Compressed datasets of HDF5 files that consist of one chunk.
#include <zlib.h>

#include <algorithm>

#include "repose/contact/hdf5_object_internal.h"

namespace repose::files {
namespace {

constexpr std::uint64_t kDeflate = 1, kShuffle = 2;  // the library's numbers of its filters

/// Returns the packed bytes: the only child of an index without inner nodes.
std::string_view packed_bytes(const Hdf5Bytes& in, const Hdf5Object& object, const std::string& path,
                              const FileFault& fault) {
  constexpr std::uint64_t kChunkIndex = 1;
  in.expect_signature(object.data, "TREE");
  if (in.number(object.data + 4, 1) != kChunkIndex) in.damaged("a broken index of chunks");
  const std::uint64_t level = in.number(object.data + 5, 1), children = in.number(object.data + 6, 2);
  fault.expect(level == 0 && children == 1, path, "several chunks",
               "one chunk, as h5repack -l CHUNK=<extents> makes it");
  const std::uint64_t key = object.data + 24, child = key + 8 + 8 * (object.chunk.size() + 1);
  if (in.number(key + 4, 4) != 0) in.damaged("a chunk that skipped a filter");
  for (std::uint64_t at = key + 8; at < child; at += 8)
    if (in.number(at, 8) != 0) in.damaged("a chunk that does not begin at the first entry");
  return in.part(in.number(child, 8), in.number(key, 4));
}

std::string inflated(std::string_view packed, std::uint64_t size, const Hdf5Bytes& in) {
  std::string bytes(size, '\0');
  uLongf length = size;
  const int result = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length,
                                reinterpret_cast<const Bytef*>(packed.data()), packed.size());
  if (result != Z_OK || length != size) in.damaged("compressed data that cannot be unpacked");
  return bytes;
}

/// Shuffled: first byte of every entry, second byte of every entry, …
std::string unshuffled(const std::string& bytes, std::uint64_t width) {
  const std::uint64_t entries = bytes.size() / width;
  std::string plain(bytes.size(), '\0');
  for (std::uint64_t k = 0; k < width; ++k)
    for (std::uint64_t e = 0; e < entries; ++e) plain[e * width + k] = bytes[k * entries + e];
  return plain;
}

}  // namespace

std::string read_chunk(const Hdf5Bytes& in, const Hdf5Object& object, const std::string& path, const FileFault& fault) {
  fault.expect(object.chunk == object.extents, path, "data in several chunks or of the newest layout",
               "contiguous data, as h5repack -l CONTI makes it, or one chunk");
  const std::string_view packed = packed_bytes(in, object, path, fault);
  const std::uint64_t most = kMostGrowth * packed.size() / object.width;
  fault.expect(*object.entries <= most, path, *object.entries, "at most ", most, " entries for the bytes stored");
  const std::uint64_t size = *object.entries * object.width;
  std::string bytes(packed);
  for (auto filter = object.filters.rbegin(); filter != object.filters.rend(); ++filter) {
    fault.expect(*filter == kDeflate || *filter == kShuffle, path, *filter, "filters 1 (deflate) and 2 (shuffle)");
    if (*filter == kDeflate)
      bytes = inflated(bytes, size, in);
    else if (bytes.size() == size)
      bytes = unshuffled(bytes, object.width);
  }
  if (bytes.size() != size) in.damaged("a chunk of another length than its entries");
  return bytes;
}

}  // namespace repose::files
