// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "repose/contact/sparse_internal.h"

namespace repose::files {
namespace {

// The meaning of FCLIB's `nz` for the other fields.
constexpr std::int64_t kCompressedColumns = -1, kCompressedRows = -2;

std::size_t slot(int i) { return static_cast<std::size_t>(i); }

/// Returns all of `values` as int, each in 0 .. limit - 1.
std::vector<int> checked_indices(const FileFault& fault, const std::string& path,
                                 const std::vector<std::int64_t>& values, std::size_t count, int limit) {
  std::vector<int> indices(count);
  for (std::size_t k = 0; k < count; ++k) {
    if (values[k] < 0 || values[k] >= limit)
      fault.fail(path, shown(values[k]) + " at entry " + shown(k), "0 .. " + shown(limit - 1));
    indices[k] = static_cast<int>(values[k]);
  }
  return indices;
}

/// Returns the line (row or column) of each entry of a compressed matrix.
std::vector<int> expand_pointers(const Hdf5Reader& in, const std::string& path, int lines, std::int64_t entries) {
  const std::int64_t found = in.size(path);
  in.fault().expect(found == lines + std::int64_t{1}, path, found, lines + std::int64_t{1}, " entries");
  const std::vector<std::int64_t> p = in.integers(path);
  in.fault().expect(p[0] == 0, path, p[0], "0 as first entry");
  in.fault().expect(p.back() >= 0 && p.back() <= entries, path, p.back(), "0 .. ", entries, " as last entry");
  std::vector<int> line(static_cast<std::size_t>(p.back()));
  for (int k = 0; k < lines; ++k) {
    const std::int64_t begin = p[slot(k)], end = p[slot(k) + 1];
    if (begin > end || end > p.back())
      in.fault().fail(path, shown(end) + " at entry " + shown(k + 1), shown(begin) + " .. " + shown(p.back()));
    std::fill(line.begin() + begin, line.begin() + end, k);
  }
  return line;
}

Triplets read_compressed(const Hdf5Reader& in, const std::string& group, Triplets shape, bool by_rows) {
  const std::int64_t nzmax = in.integer(group + "/nzmax"), entries = in.size(group + "/i");
  in.fault().expect(nzmax == entries, group + "/nzmax", nzmax, entries, ", the length of i");
  std::vector<int> line = expand_pointers(in, group + "/p", by_rows ? shape.rows : shape.columns, entries);
  std::vector<int> across = checked_indices(in.fault(), group + "/i", in.integers(group + "/i"), line.size(),
                                            by_rows ? shape.columns : shape.rows);
  shape.value = in.numbers(group + "/x", entries);
  shape.value.resize(line.size());
  shape.row = by_rows ? std::move(line) : std::move(across);
  shape.column = by_rows ? std::move(across) : std::move(line);
  return shape;
}

bool within(const std::vector<std::int64_t>& values, int limit) {
  return std::all_of(values.begin(), values.end(), [limit](std::int64_t x) { return x >= 0 && x < limit; });
}

/// Reads triplets. Files are written from CSparse, with p = columns and i = rows. FCLIB's header says the opposite,
/// which is assumed only where the sizes allow nothing else.
Triplets read_triplets(const Hdf5Reader& in, const std::string& group, Triplets shape, std::int64_t nz) {
  const std::int64_t nzmax = in.integer(group + "/nzmax"), found = in.size(group + "/p");
  in.fault().expect(nz == found, group + "/nz", nz, found, ", the length of p");
  const std::int64_t full = static_cast<std::int64_t>(shape.rows) * shape.columns;
  in.fault().expect(nzmax >= nz && nzmax <= std::max(nz, full), group + "/nzmax", nzmax, nz, " .. ",
                    std::max(nz, full));
  const std::int64_t entries = in.size(group + "/i");
  in.fault().expect(entries == nz, group + "/i", entries, nz, " entries");
  std::vector<std::int64_t> columns = in.integers(group + "/p"), rows = in.integers(group + "/i");
  const bool as_written = within(columns, shape.columns) && within(rows, shape.rows);
  if (!as_written && within(columns, shape.rows) && within(rows, shape.columns)) std::swap(rows, columns);
  shape.row = checked_indices(in.fault(), group + "/i", rows, rows.size(), shape.rows);
  shape.column = checked_indices(in.fault(), group + "/p", columns, columns.size(), shape.columns);
  shape.value = in.numbers(group + "/x", nz);
  return shape;
}

/// Returns the entry numbers by block row, in the order of the file: a counting sort.
std::pair<std::vector<std::size_t>, std::vector<std::size_t>> by_block_row(const Triplets& W) {
  std::vector<std::size_t> start(slot(W.rows / 3) + 1, 0), order(W.row.size());
  for (int r : W.row) ++start[slot(r / 3) + 1];
  for (std::size_t k = 1; k < start.size(); ++k) start[k] += start[k - 1];
  std::vector<std::size_t> next = start;
  for (std::size_t k = 0; k < W.row.size(); ++k) order[next[slot(W.row[k] / 3)]++] = k;
  return {std::move(start), std::move(order)};
}

}  // namespace

Triplets read_sparse(const Hdf5Reader& in, const std::string& group, int rows, int columns) {
  in.fault().expect(in.has(group), group, "nothing", "a sparse matrix");
  const std::int64_t m = in.integer(group + "/m"), n = in.integer(group + "/n"), nz = in.integer(group + "/nz");
  in.fault().expect(m == rows, group + "/m", m, rows);
  in.fault().expect(n == columns, group + "/n", n, columns);
  in.fault().expect(nz >= kCompressedRows, group + "/nz", nz, "-2 (rows), -1 (columns) or a number of triplets");
  const Triplets shape{rows, columns, {}, {}, {}};
  if (nz == kCompressedRows || nz == kCompressedColumns)
    return read_compressed(in, group, shape, nz == kCompressedRows);
  return read_triplets(in, group, shape, nz);
}

std::vector<DelassusBlock> delassus_blocks(const Triplets& W, const FileFault& fault) {
  const auto [start, order] = by_block_row(W);
  std::vector<DelassusBlock> blocks;
  std::vector<std::size_t> place(slot(W.columns / 3), 0);  // 1 + index into blocks, valid when past the row's first
  for (int i = 0; i < W.rows / 3; ++i) {
    const std::size_t first = blocks.size();
    for (std::size_t k = start[slot(i)]; k < start[slot(i) + 1]; ++k) {
      const std::size_t e = order[k];
      const int j = W.column[e] / 3;
      if (place[slot(j)] <= first) {
        blocks.push_back({i, j, {}});
        place[slot(j)] = blocks.size();
      }
      Mat3& block = blocks[place[slot(j)] - 1].value;
      block.m[kOurAxis[W.row[e] % 3]][kOurAxis[W.column[e] % 3]] += W.value[e];
    }
  }
  keep_nonzero_blocks(blocks, fault);
  return blocks;
}

}  // namespace repose::files
