// SPDX-License-Identifier: Apache-2.0
#include "repose/export/bundle.h"

#include "repose/base/error.h"

namespace repose::exporter {

std::string_view page() {
  require(
      !bundle().empty(),
      "viewer: expected a build with Node.js 20 or newer (install it, then 'make build'), got none in this program");
  return bundle();
}

std::string_view page_policy() {
  constexpr std::string_view kBefore = "http-equiv=\"Content-Security-Policy\" content=\"";
  const std::size_t first = page().find(kBefore);
  require(first != std::string_view::npos, "viewer: expected a content security policy in the page, got none");
  const std::string_view rest = page().substr(first + kBefore.size());
  return rest.substr(0, rest.find('"'));
}

}  // namespace repose::exporter
