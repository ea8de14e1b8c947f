// SPDX-License-Identifier: Apache-2.0
#include "apps/viewer_server/live_service.h"

#include "apps/viewer_server/page_service.h"
#include "repose/base/error.h"

namespace repose::view {
namespace {

constexpr std::chrono::seconds kLongestWait{5};
constexpr std::size_t kMostWaiting = 64;

}  // namespace

LiveService::LiveService(LiveOptions options)
    : run_(std::make_unique<LiveRun>(std::move(options), [this] {
        HttpServer* server = server_.load();
        if (server != nullptr && !called_.exchange(true)) server->post([this] { answer_waiting(); });
      })) {}
LiveService::~LiveService() = default;

void LiveService::attach(HttpServer& server) { server_.store(&server); }
void LiveService::stop() {
  run_.reset();
  waiting_.clear();
}

void LiveService::handle(const HttpRequest& request, const HttpServer::Answer& answer) {
  if (answer_page(request, answer)) return;
  if (request.changes) {
    answer(request.path == "/api/command" ? command(request.body) : text_reply(404, "nothing to change here"));
  } else if (request.path == "/api/session") {
    answer(typed_reply("application/json", exporter::Json{{"mode", "live"}, {"runs", exporter::Json::array()}}.dump()));
  } else if (request.path == "/api/live/info") {
    answer({200, "application/json", run_->info()});
  } else if (request.path == "/api/live/frame") {
    const long long after = whole_from(query_value(request.query, "after"), 0xffffffffll);
    if (after < 0) return answer(text_reply(400, "after: expected a whole number"));
    if (waiting_.size() >= kMostWaiting) {  // the one that has waited longest asks again
      waiting_.front().answer({});
      waiting_.pop_front();
    }
    waiting_.push_back({static_cast<std::uint32_t>(after), std::chrono::steady_clock::now() + kLongestWait, answer});
    answer_waiting();
  } else {
    answer(text_reply(404, "there is nothing of that name"));
  }
}

void LiveService::answer_waiting() {
  called_.store(false);
  if (!run_) return;  // told of a frame before stop(), looking after it
  const LiveRun::Newest newest = run_->newest();
  std::deque<Wait> still;
  std::deque<Wait> all = std::move(waiting_);
  waiting_.clear();
  for (Wait& wait : all) {
    if (newest.sequence != wait.after)
      wait.answer({200, "application/octet-stream", newest.block});
    else if (std::chrono::steady_clock::now() > wait.until)
      wait.answer({});
    else
      still.push_back(std::move(wait));
  }
  for (Wait& wait : still) waiting_.push_back(std::move(wait));
}

void LiveService::tick() { answer_waiting(); }

HttpReply LiveService::command(const std::string& body) {
  try {
    if (!run_->send(parse_message(body))) return text_reply(429, "too many messages wait already");
  } catch (const InputError& error) {
    return text_reply(400, error.what());
  }
  return {};
}

}  // namespace repose::view
