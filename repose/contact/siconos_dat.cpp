// SPDX-License-Identifier: Apache-2.0
#include "repose/contact/siconos_dat_internal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace repose::files {
namespace {

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// A sequence of numbers; line breaks are not significant, as for Siconos' own fscanf.
class TextReader {
 public:
  TextReader(std::string_view text, const FileFault& fault) : text_(text), fault_(fault) {}

  /// Returns an upper bound of the numbers left: each takes a digit and a space.
  [[nodiscard]] std::int64_t room() const { return static_cast<std::int64_t>((text_.size() - at_ + 1) / 2); }

  std::int64_t integer(const char* field, std::int64_t low, std::int64_t high) {
    const std::string_view token = next(field, "an integer");
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    expect(error == std::errc() && end == token.data() + token.size(), field, token, "an integer");
    if (low == high)
      expect(value == low, field, value, low);
    else
      expect(value >= low && value <= high, field, value, low, " .. ", high);
    return value;
  }

  double number(const char* field) {
    const std::string_view token = next(field, "a number");
    double value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error == std::errc::result_out_of_range)
      value = out_of_range(token, field);
    else
      expect(error == std::errc() && end == token.data() + token.size(), field, token, "a number");
    expect(std::isfinite(value), field, token, "finite numbers");
    return value;
  }

  /// Requires nothing or one integer, which some versions of the writer append.
  void finish() {
    const char* field = "end of file";
    skip_space();
    if (at_ < text_.size()) integer(field, std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
    skip_space();
    if (at_ < text_.size()) expect(false, field, next(field, ""), "nothing but one integer after mu");
  }

  [[nodiscard]] const FileFault& fault() const { return fault_; }
  /// FileFault::expect() with the line of the last number.
  template <class Found, class... Allowed>
  void expect(bool condition, const char* field, const Found& found, const Allowed&... allowed) const {
    if (!condition) [[unlikely]]
      fault_.at_line(line()).expect(false, field, found, allowed...);
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  std::string_view next(const char* field, const char* allowed) {
    skip_space();
    token_ = at_;
    expect(at_ < text_.size(), field, "the end of the file", allowed);
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    std::string_view token = text_.substr(token_, at_ - token_);
    // from_chars does not accept a plus sign, which printf can write
    if (token.size() > 1 && token[0] == '+' && token[1] != '-') token.remove_prefix(1);
    return token;
  }

  /// Underflow is zero, as for strtod; overflow is a fault.
  double out_of_range(std::string_view token, const char* field) const {
    const bool tiny = token.find("e-") != token.npos || token.find("E-") != token.npos;
    expect(tiny, field, token, "finite numbers");
    return token[0] == '-' ? -0.0 : 0.0;
  }

  [[nodiscard]] long line() const {
    return 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(token_), '\n');
  }

  std::string_view text_;
  const FileFault& fault_;
  std::size_t at_ = 0, token_ = 0;
};

enum Storage : int { kDense = 0, kSparseBlocks = 1, kCSparse = 2 };

struct Header {
  int contacts = 0;
  Storage storage = kDense;
};

Header read_header(TextReader& in) {
  const std::int64_t dimension = in.integer("dimension", 0, 5);
  in.expect(dimension == 3, "dimension", dimension, "3 (planar and rolling problems are not supported)");
  // q and mu alone are four numbers per contact, so a short file cannot have many
  const std::int64_t most = std::min<std::int64_t>(in.room() / 4, std::numeric_limits<int>::max() / 3);
  const std::int64_t contacts = in.integer("nc", 0, most);
  const std::int64_t storage = in.integer("storage", 0, 2);
  in.expect(storage != kCSparse, "storage", storage,
            "0 (dense) or 1 (sparse blocks); a CSparse listing has six digits only");
  in.integer("size0", 3 * contacts, 3 * contacts);
  in.integer("size1", 3 * contacts, 3 * contacts);
  return {static_cast<int>(contacts), static_cast<Storage>(storage)};
}

/// Reads a column-major matrix (the lines look like rows, but are columns) and keeps the blocks that are not zero.
std::vector<DelassusBlock> read_dense(TextReader& in, int contacts) {
  const std::int64_t size = 3 * static_cast<std::int64_t>(contacts);
  in.integer("rows of W", size, size);
  in.integer("columns of W", size, size);
  in.expect(size == 0 || size <= in.room() / size, "columns of W", size, "what a file of this length can hold");
  std::vector<DelassusBlock> blocks, column;
  for (int j = 0; j < contacts; ++j) {
    column.resize(static_cast<std::size_t>(contacts));
    for (int i = 0; i < contacts; ++i) column[static_cast<std::size_t>(i)] = {i, j, {}};
    for (int c : kOurAxis)
      for (auto& block : column)
        for (int r : kOurAxis) block.value.m[r][c] = in.number("W");
    keep_nonzero_blocks(column, in.fault());
    blocks.insert(blocks.end(), column.begin(), column.end());
  }
  return blocks;
}

void read_block_sizes(TextReader& in, const char* field, int contacts) {
  for (std::int64_t i = 1; i <= contacts; ++i) in.integer(field, 3 * i, 3 * i);
}

/// Returns the block row of every stored block, from the row pointers.
std::vector<int> read_block_rows(TextReader& in, std::int64_t pointers, std::int64_t blocks) {
  std::vector<int> rows;
  rows.reserve(static_cast<std::size_t>(blocks));
  std::int64_t last = in.integer("index1", 0, 0);
  for (std::int64_t i = 1; i < pointers; ++i) {
    last = in.integer("index1", last, blocks);
    rows.resize(static_cast<std::size_t>(last), static_cast<int>(i - 1));
  }
  in.expect(last == blocks, "index1", last, blocks, " as its last entry");
  return rows;
}

std::vector<DelassusBlock> read_sparse_blocks(TextReader& in, int contacts) {
  const std::int64_t count = in.integer("nbblocks", 0, in.room() / 10);
  in.integer("blocknumber0", contacts, contacts);
  in.integer("blocknumber1", contacts, contacts);
  read_block_sizes(in, "blocksize0", contacts);
  read_block_sizes(in, "blocksize1", contacts);
  const std::int64_t pointers =
      in.integer("filled1", 1, contacts + std::int64_t{1});  // empty last rows may be left out
  in.integer("filled2", count, count);
  const std::vector<int> rows = read_block_rows(in, pointers, count);
  std::vector<DelassusBlock> blocks(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    blocks[k].row = rows[k];
    blocks[k].column = static_cast<int>(in.integer("index2", 0, contacts - 1));
  }
  for (std::int64_t k = 0; k < count; ++k) {
    in.integer("block number", k, k);
    Mat3& value = blocks[static_cast<std::size_t>(k)].value;
    for (int c : kOurAxis)
      for (int r : kOurAxis) value.m[r][c] = in.number("W");
  }
  keep_nonzero_blocks(blocks, in.fault());
  return blocks;
}

std::vector<ContactVec> read_free_velocity(TextReader& in, int contacts) {
  std::vector<ContactVec> q(static_cast<std::size_t>(contacts));
  for (ContactVec& v : q) {
    v.n = in.number("q");
    v.t1 = in.number("q");
    v.t2 = in.number("q");
  }
  return q;
}

std::vector<double> read_friction(TextReader& in, int contacts) {
  std::vector<double> mu(static_cast<std::size_t>(contacts));
  for (double& m : mu) {
    m = in.number("mu");
    in.expect(m >= 0, "mu", m, "numbers >= 0");
  }
  return mu;
}

}  // namespace

StoredProblem parse_siconos_dat(std::string_view text, const FileFault& fault) {
  TextReader in(text, fault);
  const Header head = read_header(in);
  const bool dense = head.storage == kDense;
  const auto blocks = dense ? read_dense(in, head.contacts) : read_sparse_blocks(in, head.contacts);
  std::vector<ContactVec> q = read_free_velocity(in, head.contacts);
  std::vector<double> mu = read_friction(in, head.contacts);
  in.finish();
  StoredProblem stored;
  stored.problem = {MatrixForm(head.contacts, blocks), std::move(q), std::move(mu)};
  stored.facts.kind = dense ? "dat-dense" : "dat-sbm";
  return stored;
}

}  // namespace repose::files
