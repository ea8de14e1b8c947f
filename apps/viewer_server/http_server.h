// SPDX-License-Identifier: Apache-2.0
// A small HTTP server for one user on one machine. One thread, no blocking: a client that does not read holds one
// connection and one answer until it is dropped, and nothing else.
//
// It answers only requests that name this server in Host, refuses those that another site's page sent (Origin,
// Sec-Fetch-Site), and asks for the token wherever something is changed (everything but GET).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace repose::view {

struct HttpRequest {
  bool changes = false;  ///< POST, and the token was right
  std::string path;      ///< "/api/run/0/states/3", without the query
  std::string query;     ///< "after=12"
  std::string body;
};

struct HttpReply {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body = std::make_shared<const std::string>();
};
[[nodiscard]] HttpReply text_reply(int status, std::string text);
[[nodiscard]] HttpReply typed_reply(std::string type, std::string body);

struct HttpOptions {
  std::string address = "127.0.0.1";
  int port = 0;                               ///< 0: any that is free
  std::string token;                          ///< what a POST must bring in X-Repose-Token
  std::string policy;                         ///< Content-Security-Policy of every answer
  std::size_t largest_body = 64 << 10;        ///< bytes
  std::size_t connections = 96;               ///< beyond that the one that was silent longest is dropped
  std::chrono::milliseconds patience{10000};  ///< for a request to arrive and for an answer to be read
};

class HttpServer {
 public:
  /// May be called later than the handler returns, from the server's thread; only the first call counts.
  using Answer = std::function<void(HttpReply)>;
  using Handler = std::function<void(const HttpRequest&, Answer)>;

  /// Binds; throws InputError when the address is taken or cannot be used.
  HttpServer(HttpOptions options, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] int port() const;
  [[nodiscard]] std::size_t connections() const;  ///< from the server's thread
  /// "http://127.0.0.1:8080"
  [[nodiscard]] std::string origin() const;

  /// Serves until stop() or until `enough` says so (asked several times a second, on this thread).
  void run(const std::function<bool()>& enough = {});
  void stop();                              ///< from any thread
  void post(std::function<void()> action);  ///< from any thread; runs on the server's

  struct Impl;  ///< for the sources of the server

 private:
  std::unique_ptr<Impl> impl_;
};

/// 128 random bits from the system as 32 hexadecimal digits.
[[nodiscard]] std::string random_token();

/// The same text? Takes as long whatever the first difference is.
[[nodiscard]] bool same_secret(std::string_view a, std::string_view b);

/// Value of a key in "a=1&b=2"; empty when it is not there. No escapes: our own pages send none.
[[nodiscard]] std::string_view query_value(std::string_view query, std::string_view key);
/// The whole text as a number from 0 to `largest`; −1 when it is none.
[[nodiscard]] long long whole_from(std::string_view text, long long largest);

}  // namespace repose::view
