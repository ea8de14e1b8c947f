// SPDX-License-Identifier: Apache-2.0
#include "repose/export/bundle.h"

#include <zlib.h>

#include <cstddef>
#include <string>

#include "repose/base/error.h"

namespace repose::exporter {
namespace {

/// Bytes of the unpacked content, which a gzip file states in its last four bytes, lowest first.
std::size_t unpacked_size(std::span<const unsigned char> file) {
  require(file.size() > 18, "viewer: expected a page as a gzip file, got ", file.size(), " bytes");
  std::size_t size = 0;
  for (const unsigned char byte : {file.end()[-1], file.end()[-2], file.end()[-3], file.end()[-4]})
    size = 256 * size + byte;
  return size;
}

std::string unpacked(std::span<const unsigned char> file) {
  std::string content(unpacked_size(file), '\0');
  z_stream stream{};
  stream.next_in = const_cast<Bytef*>(file.data());  // zlib reads it only
  stream.avail_in = static_cast<uInt>(file.size());
  stream.next_out = reinterpret_cast<Bytef*>(content.data());
  stream.avail_out = static_cast<uInt>(content.size());
  constexpr int kGzip = 16 + MAX_WBITS;
  const bool whole = inflateInit2(&stream, kGzip) == Z_OK && inflate(&stream, Z_FINISH) == Z_STREAM_END;
  inflateEnd(&stream);
  require(whole, "viewer: expected a page as a gzip file, got one that cannot be unpacked (make viewer)");
  return content;
}

}  // namespace

std::string_view page() {
  static const std::string content = unpacked(packed_page());
  return content;
}

std::string_view page_policy() {
  constexpr std::string_view kBefore = "http-equiv=\"Content-Security-Policy\" content=\"";
  const std::size_t first = page().find(kBefore);
  require(first != std::string_view::npos, "viewer: expected a content security policy in the page, got none");
  const std::string_view rest = page().substr(first + kBefore.size());
  return rest.substr(0, rest.find('"'));
}

}  // namespace repose::exporter
