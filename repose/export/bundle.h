// SPDX-License-Identifier: Apache-2.0
// The viewer's page as it was built into the program: apps/viewer_page, one file with its scripts and styles inside.
#pragma once

#include <string_view>

namespace repose::exporter {

/// Empty when the program was built without Node; see page().
[[nodiscard]] std::string_view bundle();

/// The page; InputError with what to do when the program has none.
[[nodiscard]] std::string_view page();

/// The content security policy that the page carries.
[[nodiscard]] std::string_view page_policy();

/// Where data goes into the page: right before this text.
constexpr std::string_view kDataMark = "<!--repose-data-->";

}  // namespace repose::exporter
