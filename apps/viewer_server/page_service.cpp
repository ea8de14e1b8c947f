// SPDX-License-Identifier: Apache-2.0
#include "apps/viewer_server/page_service.h"

#include "repose/base/error.h"
#include "repose/export/bundle.h"

namespace repose::view {
namespace {

constexpr std::size_t kCacheBytes = 64 << 20;

/// "/api/run/1/states/17" → {"1", "states", "17"}; empty when it has another form.
std::vector<std::string_view> parts_of(std::string_view path) {
  constexpr std::string_view kBefore = "/api/run/";
  if (path.substr(0, kBefore.size()) != kBefore) return {};
  path.remove_prefix(kBefore.size());
  std::vector<std::string_view> parts;
  for (std::size_t slash = 0; slash != path.npos && parts.size() < 4;) {
    slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash != path.npos) path.remove_prefix(slash + 1);
  }
  return parts;
}

}  // namespace

bool answer_page(const HttpRequest& request, const HttpServer::Answer& answer) {
  if (request.path != "/" || request.changes) return false;
  static const auto whole = std::make_shared<const std::string>(exporter::page());
  answer({200, "text/html; charset=utf-8", whole});
  return true;
}

HttpOptions page_options(const std::string& address, int port) {
  HttpOptions options;
  options.address = address;
  options.port = port;
  options.token = random_token();
  options.policy = std::string(exporter::page_policy()) + "; frame-ancestors 'none'";
  return options;
}

RecordedService::RecordedService(const std::vector<std::string>& files, const std::vector<std::string>& labels,
                                 Forces forces) {
  for (std::size_t k = 0; k < files.size(); ++k) {
    pages_.emplace_back(recordings_.emplace_back(files[k]), forces);
    headers_.push_back(pages_.back().header());
    headers_.back()["label"] = labels[k];
  }
}

exporter::Json RecordedService::session(const char* mode) const { return {{"mode", mode}, {"runs", headers_}}; }

void RecordedService::handle(const HttpRequest& request, const HttpServer::Answer& answer) {
  if (answer_page(request, answer)) return;
  if (!request.changes && request.path == "/api/session")
    return answer(typed_reply("application/json", session("recorded").dump()));
  answer(request.changes ? text_reply(404, "nothing to change here") : block(request.path));
}

HttpReply RecordedService::block(std::string_view path) {
  const std::vector<std::string_view> parts = parts_of(path);
  if (parts.size() != 3) return text_reply(404, "there is nothing of that name");
  const long long run = whole_from(parts[0], static_cast<long long>(pages_.size()) - 1);
  if (run < 0) return text_reply(404, "there is no such run");
  const exporter::RecordedPages& page = *std::next(pages_.begin(), static_cast<std::ptrdiff_t>(run));
  if (parts[1] == "pose") {
    const long long frame = whole_from(parts[2], page.frames() - 1);
    if (frame < 0) return text_reply(404, "there is no such frame");
    return typed_reply("application/octet-stream", page.pose(static_cast<int>(frame), exporter::kPlain));
  }
  const long long chunk = whole_from(parts[2], (parts[1] == "contacts" ? page.contact_chunks() : page.chunks()) - 1);
  if (chunk < 0) return text_reply(404, "there is no such block");
  if (const auto found = cache_.find(path); found != cache_.end())
    return {200, "application/octet-stream", found->second};
  std::string bytes;
  if (parts[1] == "series" && chunk == 0)
    bytes = page.series(exporter::kPlain);
  else if (parts[1] == "states")
    bytes = page.states(static_cast<int>(chunk), exporter::kPlain);
  else if (parts[1] == "contacts")
    bytes = page.contacts(static_cast<int>(chunk), exporter::kPlain);
  else
    return text_reply(404, "there is nothing of that name");
  const auto shared = std::make_shared<const std::string>(std::move(bytes));
  cache_.emplace(path, shared);
  cached_.emplace_back(path);
  cache_bytes_ += shared->size();
  while (cache_bytes_ > kCacheBytes && cached_.size() > 1) {
    const auto oldest = cache_.find(cached_.front());
    cache_bytes_ -= oldest->second->size();
    cache_.erase(oldest);
    cached_.pop_front();
  }
  return {200, "application/octet-stream", shared};
}

}  // namespace repose::view
