// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "repose/contact/hdf5_internal.h"
#include "repose/contact/hdf5_object_internal.h"

namespace repose::files {
namespace {

using Kind = Hdf5Object::Kind;
using Address = std::optional<std::uint64_t>;

/// Searches one member of a group of the older format: a B-tree of symbol nodes with a heap of names.
class SymbolSearch {
 public:
  SymbolSearch(const Hdf5Bytes& in, std::uint64_t heap, std::string_view name)
      : in_(in), name_(name), budget_(in.size() / 24) {
    in.expect_signature(heap, "HEAP");
    names_ = in.part(in.number(heap + 24, 8), in.number(heap + 8, 8));
  }

  /// Returns the address of the object header of that name; soft links do not count.
  Address in_tree(std::uint64_t node) {
    in_.expect_signature(node, "TREE");
    return below(node, in_.number(node + 5, 1));
  }

 private:
  Address below(std::uint64_t node, std::uint64_t level) {
    if (budget_-- == 0) in_.damaged("a group that does not end");
    in_.expect_signature(node, "TREE");
    if (in_.number(node + 4, 1) != 0 || in_.number(node + 5, 1) != level) in_.damaged("a broken group index");
    const std::uint64_t children = in_.number(node + 6, 2);
    for (std::uint64_t k = 0; k < children; ++k) {
      const std::uint64_t child = in_.number(node + 32 + 16 * k, 8);
      if (const Address found = level == 0 ? in_symbols(child) : below(child, level - 1)) return found;
    }
    return std::nullopt;
  }
  Address in_symbols(std::uint64_t node) {
    constexpr std::uint64_t kSoftLink = 2, kEntryBytes = 40;
    if (budget_-- == 0) in_.damaged("a group that does not end");
    in_.expect_signature(node, "SNOD");
    const std::uint64_t count = in_.number(node + 6, 2);
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::uint64_t entry = node + 8 + kEntryBytes * k, name = in_.number(entry, 8);
      if (name >= names_.size()) in_.damaged("a name outside its heap");
      const std::string_view text = names_.substr(name);
      if (in_.number(entry + 16, 4) != kSoftLink && text.substr(0, text.find('\0')) == name_)
        return in_.number(entry + 8, 8);
    }
    return std::nullopt;
  }

  const Hdf5Bytes& in_;
  std::string_view name_, names_;
  std::uint64_t budget_;  // nodes; damaged files may have cycles
};

Address member(const Hdf5Bytes& in, const Hdf5Object& group, std::string_view name) {
  if (group.symbols) return SymbolSearch(in, group.symbols->second, name).in_tree(group.symbols->first);
  for (const auto& [link, address] : group.links)
    if (link == name) return address;
  if (group.dense) in.damaged("a group of more than eight members in the newer format");
  return std::nullopt;
}

/// Reads a text of variable length: a reference into a collection, which is searched for its number.
std::string variable_text(const Hdf5Bytes& in, std::uint64_t reference) {
  const std::uint64_t collection = in.number(reference + 4, 8), wanted = in.number(reference + 12, 4);
  in.expect_signature(collection, "GCOL");
  const std::uint64_t end = collection + in.part(collection, in.number(collection + 8, 8)).size();
  for (std::uint64_t at = collection + 16; at + 16 <= end;) {
    const std::uint64_t index = in.number(at, 2), length = in.number(at + 8, 8);
    const std::string_view text = in.part(at + 16, length);
    if (index == wanted) return std::string(text.substr(0, text.find('\0')));
    if (index == 0) break;  // the rest is free space
    at += 16 + (length + 7) / 8 * 8;
  }
  return {};
}

template <class T>
T value(std::string_view bytes, const Hdf5Object& object) {
  std::uint64_t raw = assemble(bytes, object.big_endian);
  if (object.kind == Kind::kFloat)
    return static_cast<T>(object.width == 8 ? std::bit_cast<double>(raw)
                                            : std::bit_cast<float>(static_cast<std::uint32_t>(raw)));
  const std::uint64_t sign = std::uint64_t{1} << (8 * object.width - 1);
  if (object.is_signed && (raw & sign) != 0) raw |= ~(sign | (sign - 1));
  return static_cast<T>(static_cast<std::int64_t>(raw));
}

template <class T>
std::vector<T> values(std::string_view bytes, const Hdf5Object& object) {
  std::vector<T> out(*object.entries);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = value<T>(bytes.substr(k * object.width, object.width), object);
  return out;
}

}  // namespace

struct Hdf5Reader::Open {
  Hdf5Bytes in;
  std::uint64_t root = 0;

  Open(std::string bytes, std::size_t at, const FileFault& fault) : in(std::move(bytes), fault) {
    const std::uint64_t version = in.number(at + 8, 1);
    if (version > 3) in.damaged("a superblock of version " + shown(version));
    const std::uint64_t sizes = at + (version < 2 ? 13 : 9);
    if (in.number(sizes, 1) != 8 || in.number(sizes + 1, 1) != 8) in.damaged("addresses that are not 8 bytes wide");
    const std::uint64_t addresses = at + (version == 0 ? 24 : version == 1 ? 28 : 12);
    root = in.number(addresses + (version < 2 ? 40 : 24), 8);
    const std::uint64_t base = in.number(addresses, 8), end = in.number(addresses + 16, 8);
    if (end > in.size()) in.damaged(shown(in.size()) + " of " + shown(end) + " bytes");
    in.set_base(base);
  }

  [[nodiscard]] Address find(std::string_view path) const {
    std::uint64_t object = root;
    for (std::size_t begin = 1; begin < path.size();) {
      const std::size_t end = std::min(path.find('/', begin), path.size());
      const Address next = member(in, read_object(in, object), path.substr(begin, end - begin));
      if (!next) return std::nullopt;
      object = *next;
      begin = end + 1;
    }
    return object;
  }

  /// Returns a readable dataset after checking its claimed size.
  [[nodiscard]] Hdf5Object dataset(const std::string& path, const FileFault& fault) const {
    const Address address = find(path);
    fault.expect(address.has_value(), path, "nothing", "a dataset");
    const Hdf5Object object = read_object(in, *address);
    fault.expect(object.entries && object.width > 0, path, "no readable dataset", "a dataset");
    const std::uint64_t stored = object.data == kUndefinedAddress ? 0
                                 : object.chunked                 ? kMostGrowth * in.size()
                                                                  : std::min(object.stored, in.size());
    const std::uint64_t most = stored / object.width;
    fault.expect(*object.entries <= most, path, *object.entries, "at most ", most, " entries for the bytes stored");
    return object;
  }

  template <class T>
  [[nodiscard]] std::vector<T> read(const std::string& path, const Hdf5Object& object, const FileFault& fault) const {
    if (object.chunked) return values<T>(read_chunk(in, object, path, fault), object);
    return values<T>(*object.entries == 0 ? "" : in.part(object.data, object.width * *object.entries), object);
  }
};

Hdf5Reader::Hdf5Reader(std::string bytes, std::size_t superblock, const FileFault& fault)
    : fault_(fault), open_(std::make_unique<Open>(std::move(bytes), superblock, fault)) {}

Hdf5Reader::~Hdf5Reader() = default;

bool Hdf5Reader::has(const std::string& path) const { return open_->find(path).has_value(); }

bool Hdf5Reader::written(const std::string& path) const {
  const Address address = open_->find(path);
  return address && read_object(open_->in, *address).data != kUndefinedAddress;
}

std::int64_t Hdf5Reader::size(const std::string& path) const {
  return static_cast<std::int64_t>(*open_->dataset(path, fault_).entries);
}

std::int64_t Hdf5Reader::integer(const std::string& path) const {
  const std::int64_t count = size(path);
  fault_.expect(count == 1, path, count, "1 entry");
  return integers(path).front();
}

std::vector<std::int64_t> Hdf5Reader::integers(const std::string& path) const {
  const Hdf5Object object = open_->dataset(path, fault_);
  fault_.expect(object.kind == Kind::kInteger, path, "another type", "integers");
  return open_->read<std::int64_t>(path, object, fault_);
}

std::vector<double> Hdf5Reader::numbers(const std::string& path) const {
  const Hdf5Object object = open_->dataset(path, fault_);
  fault_.expect(object.kind == Kind::kFloat || object.kind == Kind::kInteger, path, "another type", "numbers");
  std::vector<double> found = open_->read<double>(path, object, fault_);
  const auto bad = std::find_if(found.begin(), found.end(), [](double x) { return !std::isfinite(x); });
  if (bad != found.end()) fault_.fail(path, shown(*bad) + " at entry " + shown(bad - found.begin()), "finite numbers");
  return found;
}

std::vector<double> Hdf5Reader::numbers(const std::string& path, std::int64_t count) const {
  const std::int64_t found = size(path);
  fault_.expect(found == count, path, found, count, " entries");
  return numbers(path);
}

std::string Hdf5Reader::text(const std::string& path) const {
  const Address address = open_->find(path);
  if (!address) return {};
  const Hdf5Object object = read_object(open_->in, *address);
  if (object.entries != 1u || object.data == kUndefinedAddress) return {};
  if (object.kind == Kind::kVariableText) return variable_text(open_->in, object.data);
  if (object.kind != Kind::kText) return {};
  const std::string_view text = open_->in.part(object.data, std::min(object.width, object.stored));
  return std::string(text.substr(0, text.find('\0')));
}

}  // namespace repose::files
