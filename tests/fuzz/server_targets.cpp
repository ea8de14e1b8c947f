// SPDX-License-Identifier: Apache-2.0
// What a page, or somebody who is no page, sends to the viewer's server.
#include <sys/socket.h>

#include <memory>
#include <thread>

#include "apps/viewer_server/http_server.h"
#include "apps/viewer_server/message.h"
#include "repose/base/error.h"
#include "tests/fuzz/input_file.h"
#include "tests/viewer/client.h"

namespace repose::fuzz {
namespace {

/// A server that reads what it is sent as messages and numbers, on a thread of its own.
class EndlessServer {
 public:
  EndlessServer() : server_(options(), answer), thread_([this] { server_.run(); }) {}
  ~EndlessServer() {
    server_.stop();
    thread_.join();
  }
  EndlessServer(const EndlessServer&) = delete;
  EndlessServer& operator=(const EndlessServer&) = delete;
  [[nodiscard]] int port() const { return server_.port(); }

 private:
  static view::HttpOptions options() {
    view::HttpOptions options;
    options.token = "secret";
    return options;
  }
  static void answer(const view::HttpRequest& request, const view::HttpServer::Answer& answer) {
    static_cast<void>(view::whole_from(view::query_value(request.query, "after"), 1000));
    if (request.changes) {
      try {
        static_cast<void>(view::parse_message(request.body));
      } catch (const InputError& error) {
        return answer(view::text_reply(400, error.what()));
      }
    }
    answer(view::text_reply(200, request.path));
  }
  view::HttpServer server_;
  std::thread thread_;
};

}  // namespace

void feed_message(Bytes bytes) {
  accept_or_refuse([&] { static_cast<void>(view::parse_message(text_of(bytes))); });
}

void feed_request(Bytes bytes) {
  static const EndlessServer server;
  std::string sent(text_of(bytes));
  constexpr std::string_view kHost = "@HOST";
  for (std::size_t at = 0; (at = sent.find(kHost, at)) != sent.npos;)
    sent.replace(at, kHost.size(), "127.0.0.1:" + std::to_string(server.port()));
  const view::Client client(server.port());
  client.send(sent);
  client.end_sending();
  if (view::status_of(client.receive_all()) == 200) ++accepted();
}

}  // namespace repose::fuzz
