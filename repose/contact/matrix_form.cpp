// SPDX-License-Identifier: Apache-2.0
#include "repose/contact/matrix_form.h"

#include <algorithm>
#include <cmath>

#include "repose/base/error.h"

namespace repose {
namespace {

Mat3 to_mat3(const ContactBlock& B) {
  Mat3 A;
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) A.m[r][c] = B.column[c][r];
  return A;
}

double largest_entry(const Mat3& A) {
  double top = 0;
  for (const auto& row : A.m)
    for (double x : row) top = std::max(top, std::abs(x));
  return top;
}

}  // namespace

MatrixForm::MatrixForm(int contacts, std::span<const DelassusBlock> blocks) : size_(contacts) {
  std::vector<std::vector<int>> pattern(static_cast<std::size_t>(contacts));
  for (int i = 0; i < contacts; ++i) pattern[static_cast<std::size_t>(i)].push_back(i);
  for (const DelassusBlock& b : blocks) {
    require(b.row >= 0 && b.row < contacts && b.column >= 0 && b.column < contacts,
            "block of W: expected row and column in 0 .. ", contacts - 1, ", got (", b.row, ", ", b.column, ")");
    pattern[static_cast<std::size_t>(b.row)].push_back(b.column);
    pattern[static_cast<std::size_t>(b.column)].push_back(b.row);
  }
  start_.assign(1, 0);
  for (auto& column : pattern) {
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    rows_.insert(rows_.end(), column.begin(), column.end());
    start_.push_back(static_cast<int>(rows_.size()));
  }
  blocks_.assign(rows_.size(), ContactBlock{});
  for (const DelassusBlock& b : blocks) {
    const auto begin = rows_.begin() + first(b.column), end = rows_.begin() + first(b.column + 1);
    ContactBlock& target = blocks_[static_cast<std::size_t>(std::lower_bound(begin, end, b.row) - rows_.begin())];
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) {
        require(std::isfinite(b.value.m[r][c]), "block (", b.row, ", ", b.column,
                ") of W: expected finite numbers, got ", b.value.m[r][c]);
        target.column[c][r] += b.value.m[r][c];
      }
  }
}

Mat3 MatrixForm::coupling(int i, int j) const {
  const auto begin = rows_.begin() + first(j), end = rows_.begin() + first(j + 1);
  const auto found = std::lower_bound(begin, end, i);
  return found != end && *found == i ? to_mat3(block(static_cast<int>(found - rows_.begin()))) : Mat3{};
}

double MatrixForm::asymmetry() const {
  double difference = 0, scale = 0;
  for (int i = 0; i < size_; ++i)
    for (int s = first(i); s < first(i + 1); ++s) {
      const Mat3 here = to_mat3(block(s));
      difference = std::max(difference, largest_entry(here + -1.0 * transpose(coupling(i, row(s)))));
      scale = std::max(scale, largest_entry(here));
    }
  return scale > 0 ? difference / scale : 0.0;
}

MatrixForm MatrixForm::symmetric_part() const {
  std::vector<DelassusBlock> blocks;
  blocks.reserve(rows_.size());
  for (int i = 0; i < size_; ++i)
    for (int s = first(i); s < first(i + 1); ++s)
      blocks.push_back({row(s), i, 0.5 * (to_mat3(block(s)) + transpose(coupling(i, row(s))))});
  return {size_, blocks};
}

}  // namespace repose
