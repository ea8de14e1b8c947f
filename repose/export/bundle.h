// SPDX-License-Identifier: Apache-2.0
// The viewer's page as it was built into the program: apps/viewer_page, one file with its scripts and styles inside.
#pragma once

#include <span>
#include <string_view>

namespace repose::exporter {

/// The page as it is stored in the program: a gzip file.
[[nodiscard]] std::span<const unsigned char> packed_page();

/// The page; unpacked at the first call.
[[nodiscard]] std::string_view page();

/// The content security policy that the page carries.
[[nodiscard]] std::string_view page_policy();

/// Where data goes into the page: right before this text.
constexpr std::string_view kDataMark = "<!--repose-data-->";

}  // namespace repose::exporter
