// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>

#include "repose/base/error.h"
#include "repose/contact/file_support_internal.h"

namespace repose::files {
namespace {

std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
  return line;
}

}  // namespace

std::string shown(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), x).ptr};
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  return one_line(text.substr(0, kMost)) + (text.size() > kMost ? "..." : "");
}

FileFault::FileFault(std::string_view name) : name_(one_line(name)) {}

void FileFault::fail(std::string_view field, std::string_view found, std::string_view allowed) const {
  repose::fail(name_, ": ", field, ": expected ", allowed, ", got ", found);
}

std::vector<ContactVec> from_file_order(std::span<const double> x) {
  std::vector<ContactVec> contacts(x.size() / 3);
  for (std::size_t i = 0; i < contacts.size(); ++i) contacts[i] = from_file_order(&x[3 * i]);
  return contacts;
}

std::vector<double> to_file_order(std::span<const ContactVec> x) {
  std::vector<double> numbers;
  numbers.reserve(3 * x.size());
  for (const ContactVec& c : x) numbers.insert(numbers.end(), {c.n, c.t1, c.t2});
  return numbers;
}

void keep_nonzero_blocks(std::vector<DelassusBlock>& blocks, const FileFault& fault) {
  std::erase_if(blocks, [&](const DelassusBlock& b) {
    double sum = 0;  // NaN or infinite as soon as one entry is
    for (const auto& row : b.value.m)
      for (double x : row) sum += 0x1p-4 * std::abs(x);
    if (!std::isfinite(sum))
      fault.fail("W", "an overflow between contacts " + shown(b.row) + " and " + shown(b.column), "finite numbers");
    return sum == 0;
  });
}

}  // namespace repose::files
