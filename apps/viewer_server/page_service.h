// SPDX-License-Identifier: Apache-2.0
// What the server answers for recordings: the page, who it is for, and the blocks of frames.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "apps/viewer_server/http_server.h"
#include "repose/export/page_data_internal.h"

namespace repose::view {

/// The page itself at "/"; nothing when the path is another.
[[nodiscard]] bool answer_page(const HttpRequest& request, const HttpServer::Answer& answer);
/// Server options that fit the page: its policy, and nobody may frame it.
[[nodiscard]] HttpOptions page_options(const std::string& address, int port);

/// One or two recordings side by side.
class RecordedService {
 public:
  /// `labels`: what the recordings are called on the page.
  RecordedService(const std::vector<std::string>& files, const std::vector<std::string>& labels,
                  Forces forces = Forces::kAuto);
  void handle(const HttpRequest& request, const HttpServer::Answer& answer);

  [[nodiscard]] exporter::Json session(const char* mode) const;
  [[nodiscard]] int steps() const { return recordings_.front().steps(); }
  [[nodiscard]] const Recording& recording() const { return recordings_.front(); }

 private:
  [[nodiscard]] HttpReply block(std::string_view path);

  std::list<Recording> recordings_;
  std::list<exporter::RecordedPages> pages_;
  std::vector<exporter::Json> headers_;
  // Blocks that were asked for lately, so that ten pages cost little more than one.
  std::map<std::string, std::shared_ptr<const std::string>, std::less<>> cache_;
  std::deque<std::string> cached_;
  std::size_t cache_bytes_ = 0;
};

}  // namespace repose::view
