// SPDX-License-Identifier: Apache-2.0
// Shared by the file formats: the message of one line about a bad file, and the order of axes in files.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "repose/contact/matrix_form.h"
#include "repose/set/contact_vec.h"

namespace repose::files {

/// Returns the shortest text that reads back as `x`, in the C locale.
[[nodiscard]] std::string shown(double x);
/// Cuts a text after 40 bytes and replaces control characters by '?', so that a message stays on one line.
[[nodiscard]] std::string shown(std::string_view text);
[[nodiscard]] inline std::string shown(const char* text) { return text; }
template <std::integral T>
[[nodiscard]] std::string shown(T x) {
  return std::to_string(x);
}

/// Name of the file at hand; throws "FILE: field: expected Y, got X".
class FileFault {
 public:
  explicit FileFault(std::string_view name);
  /// The same for one line of it: "FILE:LINE: field: …".
  [[nodiscard]] FileFault at_line(long line) const { return FileFault(name_ + ":" + std::to_string(line)); }
  [[noreturn]] void fail(std::string_view field, std::string_view found, std::string_view allowed) const;

  /// Throws unless `condition` holds. The text is made only then.
  template <class Found, class... Allowed>
  void expect(bool condition, std::string_view field, const Found& found, const Allowed&... allowed) const {
    if (!condition) [[unlikely]]
      fail(field, shown(found), (shown(allowed) + ...));
  }

 private:
  std::string name_;
};

/// File axis (N, T1, T2) → our axis (t1, t2, n).
inline constexpr int kOurAxis[3] = {2, 0, 1};

[[nodiscard]] inline ContactVec from_file_order(const double* x) { return {x[1], x[2], x[0]}; }
[[nodiscard]] std::vector<ContactVec> from_file_order(std::span<const double> x);  ///< three numbers per contact
[[nodiscard]] std::vector<double> to_file_order(std::span<const ContactVec> x);

/// Drops zero blocks, because a stored zero does not couple two contacts; reports an overflow as a fault.
void keep_nonzero_blocks(std::vector<DelassusBlock>& blocks, const FileFault& fault);

}  // namespace repose::files
