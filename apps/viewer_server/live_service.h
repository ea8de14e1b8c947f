// SPDX-License-Identifier: Apache-2.0
// What the server answers for a live run. A page asks for a frame newer than the one it has; the answer waits until
// there is one, at most a few seconds.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>

#include "apps/viewer_server/http_server.h"
#include "apps/viewer_server/live_run.h"

namespace repose::view {

class LiveService {
 public:
  explicit LiveService(LiveOptions options);
  ~LiveService();
  LiveService(const LiveService&) = delete;
  LiveService& operator=(const LiveService&) = delete;

  /// Before the server runs: new frames wake it through this.
  void attach(HttpServer& server);
  void stop();  ///< ends the run and forgets who waits; after the server has run, before it is destroyed
  void handle(const HttpRequest& request, const HttpServer::Answer& answer);
  void tick();  ///< now and then, from the server's thread: ends waits that took too long
  [[nodiscard]] LiveRun& run() { return *run_; }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Wait {
    std::uint32_t after;
    std::chrono::steady_clock::time_point until;
    HttpServer::Answer answer;
  };
  void answer_waiting();
  [[nodiscard]] HttpReply command(const std::string& body);

  std::atomic<HttpServer*> server_{nullptr};
  std::atomic<bool> called_{false};  ///< the server has been told of a new frame and has not looked yet
  std::deque<Wait> waiting_;
  std::unique_ptr<LiveRun> run_;  // last: its thread uses the others
};

}  // namespace repose::view
