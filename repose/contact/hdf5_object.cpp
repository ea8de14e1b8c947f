// SPDX-License-Identifier: Apache-2.0
#include "repose/contact/hdf5_object_internal.h"

namespace repose::files {
namespace {

using Kind = Hdf5Object::Kind;
using Blocks = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // addresses and lengths

void read_dataspace(const Hdf5Bytes& in, std::uint64_t at, Hdf5Object& object) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 48;
  const std::uint64_t version = in.number(at, 1), rank = in.number(at + 1, 1);
  if (version < 1 || version > 2 || rank > 32) in.damaged("a dataspace of version " + shown(version));
  const std::uint64_t dims = at + (version == 1 ? 8 : 4);
  std::uint64_t product = version == 2 && in.number(at + 3, 1) == 2 ? 0 : 1;  // 2: no entries at all
  for (std::uint64_t k = 0; k < rank; ++k) {
    const std::uint64_t extent = in.number(dims + 8 * k, 8);
    object.extents.push_back(extent);
    product = extent != 0 && product > kMost / extent ? kUndefinedAddress : product * extent;
    if (product == kUndefinedAddress) break;
  }
  object.entries = product;
}

/// Whole bytes, and for floating point the positions of exponent and mantissa of IEEE 754.
bool is_plain(const Hdf5Bytes& in, std::uint64_t at, bool floating, std::uint64_t width) {
  if (in.number(at + 8, 2) != 0 || in.number(at + 10, 2) != 8 * width) return false;  // bit offset, precision
  if (!floating) return width == 1 || width == 2 || width == 4 || width == 8;
  const std::uint64_t places = in.number(at + 12, 4), bias = in.number(at + 16, 4);
  return (width == 8 && places == 0x34000b34 && bias == 1023) || (width == 4 && places == 0x17000817 && bias == 127);
}

void read_datatype(const Hdf5Bytes& in, std::uint64_t at, Hdf5Object& object) {
  enum { kFixedPoint = 0, kFloatingPoint = 1, kString = 3, kVariableLength = 9 };
  const std::uint64_t type = in.number(at, 1) & 0x0f, bits = in.number(at + 1, 3);
  object.width = in.number(at + 4, 4);
  object.big_endian = (bits & 0x01) != 0;
  object.is_signed = (bits & 0x08) != 0;
  if (type == kFixedPoint && is_plain(in, at, false, object.width)) object.kind = Kind::kInteger;
  if (type == kFloatingPoint && is_plain(in, at, true, object.width) && (bits & 0x40) == 0) object.kind = Kind::kFloat;
  if (type == kString) object.kind = Kind::kText;
  if (type == kVariableLength) object.kind = Kind::kVariableText;
}

void read_layout(const Hdf5Bytes& in, std::uint64_t at, Hdf5Object& object) {
  enum { kCompact = 0, kContiguous = 1, kChunked = 2 };
  const std::uint64_t version = in.number(at, 1), layout = in.number(at + 1, 1);
  if (version != 3 && version != 4) in.damaged("a data layout of version " + shown(version));
  if (layout == kCompact) {
    object.stored = in.number(at + 2, 2);
    object.data = at + 4;
  } else if (layout == kContiguous) {
    object.data = in.number(at + 2, 8);
    object.stored = object.data == kUndefinedAddress ? 0 : in.number(at + 10, 8);
  } else if (layout == kChunked && version == 3) {
    const std::uint64_t extents = in.number(at + 2, 1);  // one more than the rank: the last is an entry's width
    object.data = in.number(at + 3, 8);
    for (std::uint64_t k = 0; k + 1 < extents; ++k) object.chunk.push_back(in.number(at + 11 + 4 * k, 4));
  }
  object.chunked = layout != kCompact && layout != kContiguous;
}

/// Only the filters' numbers: the two that are read need no parameters.
void read_filters(const Hdf5Bytes& in, std::uint64_t at, Hdf5Object& object) {
  const std::uint64_t version = in.number(at, 1), count = in.number(at + 1, 1);
  if (version < 1 || version > 2) in.damaged("a filter pipeline of version " + shown(version));
  std::uint64_t next = at + (version == 1 ? 8 : 2);
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t id = in.number(next, 2);
    const bool named = version == 1 || id >= 256;
    const std::uint64_t name = named ? in.number(next + 2, 2) : 0, values = in.number(next + (named ? 6 : 4), 2);
    next += (named ? 8 : 6) + (version == 1 ? (name + 7) / 8 * 8 : name);
    next += 4 * (version == 1 ? (values + 1) / 2 * 2 : values);
    object.filters.push_back(id);
  }
}

/// One member of a group of the newer kind. Only hard links count: nothing outside the file is opened.
void read_link(const Hdf5Bytes& in, std::uint64_t at, Hdf5Object& object) {
  const std::uint64_t flags = in.number(at + 1, 1);
  std::uint64_t next = at + 2;
  const std::uint64_t type = (flags & 0x08) != 0 ? in.number(next++, 1) : 0;
  next += ((flags & 0x04) != 0 ? 8 : 0) + ((flags & 0x10) != 0 ? 1 : 0);  // creation order, character set
  const std::uint64_t width = std::uint64_t{1} << (flags & 0x03), length = in.number(next, width);
  const std::string_view name = in.part(next + width, length);
  if (type == 0) object.links.emplace_back(name, in.number(next + width + length, 8));
}

void read_link_info(const Hdf5Bytes& in, std::uint64_t at, Hdf5Object& object) {
  const std::uint64_t heap = at + 2 + ((in.number(at + 1, 1) & 0x01) != 0 ? 8 : 0);
  object.dense = in.number(heap, 8) != kUndefinedAddress;
}

void read_message(const Hdf5Bytes& in, std::uint64_t type, std::uint64_t at, Hdf5Object& object, Blocks& blocks) {
  switch (type) {
    case 0x01: read_dataspace(in, at, object); break;
    case 0x02: read_link_info(in, at, object); break;
    case 0x03: read_datatype(in, at, object); break;
    case 0x06: read_link(in, at, object); break;
    case 0x07: in.damaged("data in another file");
    case 0x08: read_layout(in, at, object); break;
    case 0x0b: read_filters(in, at, object); break;
    case 0x10: blocks.emplace_back(in.number(at, 8), in.number(at + 8, 8)); break;
    case 0x11: object.symbols = {in.number(at, 8), in.number(at + 8, 8)}; break;
    default: break;
  }
}

/// The layout of messages: version 1 is plain, version 2 packs them and frames each block with a checksum.
struct Layout {
  std::uint64_t type_width = 2, flags_at = 4, head = 8, before = 0, after = 0;
};

/// Reads all messages of one block of a header.
void read_messages(const Hdf5Bytes& in, const Layout& layout, std::uint64_t at, std::uint64_t end, Hdf5Object& object,
                   Blocks& blocks) {
  constexpr std::uint64_t kShared = 2;  // the message itself is stored elsewhere: none of those is needed
  while (at + layout.head <= end) {
    const std::uint64_t type = in.number(at, layout.type_width), size = in.number(at + layout.type_width, 2);
    if (size > end - at - layout.head) in.damaged("a message longer than its header");
    if ((in.number(at + layout.flags_at, 1) & kShared) == 0) read_message(in, type, at + layout.head, object, blocks);
    at += layout.head + size;
  }
}

std::pair<Layout, Blocks> first_block(const Hdf5Bytes& in, std::uint64_t address) {
  if (in.part(address, 4) != "OHDR") {
    if (in.number(address, 1) != 1) in.damaged("an object header of version " + shown(in.number(address, 1)));
    return {{}, {{address + 16, in.number(address + 8, 4)}}};
  }
  const std::uint64_t flags = in.number(address + 5, 1), width = std::uint64_t{1} << (flags & 0x03);
  const std::uint64_t size_at =
      address + 6 + ((flags & 0x20) != 0 ? 16 : 0) + ((flags & 0x10) != 0 ? 4 : 0);  // times, attributes
  const Layout layout{1, 3, (flags & 0x04) != 0 ? std::uint64_t{6} : 4, 4, 4};
  return {layout, {{size_at + width - 4, in.number(size_at, width) + 8}}};  // as if it had a signature
}

}  // namespace

std::uint64_t assemble(std::string_view bytes, bool big_endian) {
  std::uint64_t value = 0;
  if (big_endian)
    for (std::size_t k = 0; k < bytes.size(); ++k) value = value << 8 | static_cast<unsigned char>(bytes[k]);
  else
    for (std::size_t k = bytes.size(); k-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[k]);
  return value;
}

Hdf5Object read_object(const Hdf5Bytes& in, std::uint64_t address) {
  Hdf5Object object;
  auto [layout, blocks] = first_block(in, address);
  std::uint64_t read = 0;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const auto [begin, length] = blocks[k];
    if ((read += in.part(begin, length).size()) > in.size()) in.damaged("an object header that does not end");
    if (length < layout.before + layout.after) in.damaged("an object header block without content");
    read_messages(in, layout, begin + layout.before, begin + length - layout.after, object, blocks);
  }
  return object;
}

}  // namespace repose::files
