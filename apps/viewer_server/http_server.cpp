// SPDX-License-Identifier: Apache-2.0
#include "apps/viewer_server/http_server.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <random>
#include <utility>
#include <vector>

// After the standard headers: Boost 1.74 forgets to include <utility>.
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "repose/base/error.h"

namespace repose::view {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;

constexpr std::size_t kLargestHeader = 8 << 10;
constexpr std::chrono::milliseconds kLook{100};  // how often `enough` is asked

std::string_view view_of(beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

class Session;

struct HttpServer::Impl {
  HttpOptions options;
  Handler handler;
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  asio::steady_timer look{io};
  std::map<long, std::weak_ptr<Session>> sessions;
  long next_session = 0;
  int port = 0;
  std::vector<std::string> hosts;  // what Host may say
  std::function<bool()> enough;

  void accept();
  void make_room();
  void ask_enough();
  [[nodiscard]] bool known_host(std::string_view host) const {
    return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
  }
};

/// One connection: read a request, answer it, and again.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, HttpServer::Impl& server, long number)
      : stream_(std::move(socket)), server_(server), number_(number), buffer_(kLargestHeader) {}
  ~Session() { server_.sessions.erase(number_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void read() {
    active_ = std::chrono::steady_clock::now();
    parser_.emplace();
    parser_->header_limit(kLargestHeader);
    parser_->body_limit(server_.options.largest_body);
    stream_.expires_after(server_.options.patience);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) { self->on_read(error); });
  }
  void drop() { stream_.close(); }
  [[nodiscard]] std::chrono::steady_clock::time_point active() const { return active_; }

 private:
  using Request = http::request<http::string_body>;

  void on_read(beast::error_code error) {
    if (error == http::error::body_limit) return refuse(413, "body: expected fewer bytes, got a larger message");
    if (error == http::error::header_limit || error == http::error::buffer_overflow)
      return refuse(431, "header: expected fewer bytes, got a larger one");
    if (error == http::error::end_of_stream || error == beast::error::timeout) return drop();
    if (error)
      return error.category() == http::make_error_code(http::error::bad_method).category()
                 ? refuse(400, "expected an HTTP request, got something else")
                 : drop();
    const Request request = parser_->release();
    keep_alive_ = request.keep_alive();
    version_ = request.version();
    head_only_ = request.method() == http::verb::head;
    if (const HttpReply wrong = objection(request); wrong.status != 200) {
      keep_alive_ = false;
      return write(wrong);
    }
    pass_on(request);
  }

  void refuse(int status, const char* why) {
    keep_alive_ = false;
    write(text_reply(status, why));
  }

  /// Status 200: none.
  [[nodiscard]] HttpReply objection(const Request& request) const {
    const std::string_view host = view_of(request[http::field::host]), origin = view_of(request[http::field::origin]),
                           site = view_of(request["Sec-Fetch-Site"]);
    // Of two fields the first would be looked at here, and perhaps the second elsewhere on the way.
    for (const beast::string_view once : {"Host", "Origin", "Sec-Fetch-Site", "X-Repose-Token"})
      if (request.count(once) > 1) return text_reply(400, "expected each field of the header once");
    if (!server_.known_host(host)) return text_reply(403, "this server has another name");
    if (!origin.empty() && origin != "http://" + std::string(host)) return text_reply(403, "asked by another site");
    if (site == "cross-site" || site == "same-site") return text_reply(403, "asked by another site");
    const bool reads = request.method() == http::verb::get || head_only_;
    if (!reads && request.method() != http::verb::post) return text_reply(405, "GET and POST only");
    const std::string_view target = view_of(request.target());
    if (target.empty() || target[0] != '/' || target.size() > 500) return text_reply(400, "this is no path of ours");
    if (!reads && !same_secret(view_of(request["X-Repose-Token"]), server_.options.token))
      return text_reply(401, "the token of this run is missing or wrong");
    return {};
  }

  void pass_on(const Request& request) {
    const std::string target(view_of(request.target()));
    const std::size_t mark = target.find('?');
    HttpRequest plain{request.method() == http::verb::post, target.substr(0, mark),
                      mark == target.npos ? "" : target.substr(mark + 1), request.body()};
    stream_.expires_never();  // an answer may take its time; writing it may not
    auto once = std::make_shared<bool>(false);
    try {
      server_.handler(plain, [self = shared_from_this(), once](const HttpReply& reply) {
        if (!std::exchange(*once, true)) self->write(reply);
      });
    } catch (const std::exception& error) {
      if (!std::exchange(*once, true)) write(text_reply(500, error.what()));
    }
  }

  void write(const HttpReply& reply) {
    reply_ = reply.body;  // shared, not copied: many clients may be sent the same
    response_.emplace(static_cast<http::status>(reply.status), version_);
    auto& out = *response_;
    out.set(http::field::content_type, reply.type);
    out.set(http::field::cache_control, "no-store");
    out.set("Content-Security-Policy", server_.options.policy);
    out.set("X-Content-Type-Options", "nosniff");
    out.set("X-Frame-Options", "DENY");
    out.set("Referrer-Policy", "no-referrer");
    out.set("Cross-Origin-Resource-Policy", "same-origin");
    out.set("Cross-Origin-Opener-Policy", "same-origin");
    out.keep_alive(keep_alive_);
    out.content_length(reply_->size());
    out.body() = http::span_body<const char>::value_type(reply_->data(), head_only_ ? 0 : reply_->size());
    serializer_.emplace(out);
    stream_.expires_after(server_.options.patience);
    const auto done = [self = shared_from_this()](beast::error_code error, std::size_t) { self->on_written(error); };
    if (head_only_)
      http::async_write_header(stream_, *serializer_, done);
    else
      http::async_write(stream_, *serializer_, done);
  }

  void on_written(beast::error_code error) {
    serializer_.reset();
    response_.reset();
    reply_.reset();
    if (error || !keep_alive_) {
      beast::error_code ignored;
      stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
      return drop();
    }
    read();
  }

  beast::tcp_stream stream_;
  HttpServer::Impl& server_;
  long number_;
  beast::flat_buffer buffer_;
  boost::optional<http::request_parser<http::string_body>> parser_;
  boost::optional<http::response<http::span_body<const char>>> response_;
  boost::optional<http::response_serializer<http::span_body<const char>>> serializer_;
  std::shared_ptr<const std::string> reply_;
  std::chrono::steady_clock::time_point active_;
  unsigned version_ = 11;
  bool keep_alive_ = true, head_only_ = false;
};

void HttpServer::Impl::accept() {
  acceptor.async_accept([this](beast::error_code error, tcp::socket socket) {
    if (!acceptor.is_open()) return;
    if (!error) {
      make_room();
      const auto session = std::make_shared<Session>(std::move(socket), *this, next_session);
      sessions[next_session++] = session;
      session->read();
    }
    accept();
  });
}

void HttpServer::Impl::make_room() {
  while (sessions.size() >= options.connections) {
    long oldest = sessions.begin()->first;
    for (const auto& [number, weak] : sessions) {
      const auto session = weak.lock(), found = sessions[oldest].lock();
      if (!session || (found && session->active() < found->active())) oldest = number;
      if (!session) break;
    }
    const auto session = sessions[oldest].lock();
    sessions.erase(oldest);  // its pending operations may hold it for a moment
    if (session) session->drop();
  }
}

void HttpServer::Impl::ask_enough() {
  look.expires_after(kLook);
  look.async_wait([this](beast::error_code error) {
    if (error) return;
    if (enough && enough())
      io.stop();
    else
      ask_enough();
  });
}

HttpServer::HttpServer(HttpOptions options, Handler handler) : impl_(std::make_unique<Impl>()) {
  impl_->options = std::move(options);
  impl_->handler = std::move(handler);
  const HttpOptions& o = impl_->options;
  beast::error_code error;
  const auto address = asio::ip::make_address(o.address, error);
  require(!error, "--host: expected an address of this machine, as 127.0.0.1, got '", o.address, "'");
  const tcp::endpoint place(address, static_cast<unsigned short>(o.port));
  tcp::acceptor& acceptor = impl_->acceptor;
  if (!acceptor.open(place.protocol(), error)) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(place, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  require(!error, "--port: expected one that is free, got ", o.port, " at ", o.address, ": ", error.message());
  impl_->port = acceptor.local_endpoint().port();
  const std::string at = ":" + std::to_string(impl_->port);
  impl_->hosts = {"127.0.0.1" + at, "localhost" + at, "[::1]" + at,
                  (address.is_v6() ? "[" + o.address + "]" : o.address) + at};
  impl_->accept();
}

HttpServer::~HttpServer() {
  // Sessions hold themselves through their pending operations; these are ended before the context goes.
  for (const auto& [number, weak] : std::map<long, std::weak_ptr<Session>>(impl_->sessions))
    if (const auto session = weak.lock()) session->drop();
  beast::error_code ignored;
  impl_->acceptor.close(ignored);
  impl_->look.cancel();
  impl_->handler = {};
  impl_->io.restart();
  impl_->io.poll();
}

int HttpServer::port() const { return impl_->port; }
std::size_t HttpServer::connections() const { return impl_->sessions.size(); }
std::string HttpServer::origin() const {
  const std::string& a = impl_->options.address;
  const std::string name = a == "0.0.0.0" || a == "::" ? "127.0.0.1" : a.find(':') != a.npos ? "[" + a + "]" : a;
  return "http://" + name + ":" + std::to_string(impl_->port);
}

void HttpServer::run(const std::function<bool()>& enough) {
  impl_->enough = enough;
  impl_->ask_enough();
  impl_->io.run();
}
void HttpServer::stop() { impl_->io.stop(); }
void HttpServer::post(std::function<void()> action) { asio::post(impl_->io, std::move(action)); }

HttpReply text_reply(int status, std::string text) {
  return {status, "text/plain; charset=utf-8", std::make_shared<const std::string>(std::move(text))};
}
HttpReply typed_reply(std::string type, std::string body) {
  return {200, std::move(type), std::make_shared<const std::string>(std::move(body))};
}

std::string random_token() {
  std::random_device random;
  std::string token;
  for (int k = 0; k < 4; ++k) {
    const unsigned word = random();
    for (int i = 0; i < 8; ++i) token += "0123456789abcdef"[(word >> (4 * i)) & 15];
  }
  return token;
}

bool same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() != b.size() || b.empty();
  for (std::size_t k = 0; k < a.size(); ++k)
    difference |= static_cast<unsigned char>(a[k]) ^ static_cast<unsigned char>(b.empty() ? 0 : b[k % b.size()]);
  return difference == 0;
}

std::string_view query_value(std::string_view query, std::string_view key) {
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    if (part.size() > key.size() && part.substr(0, key.size()) == key && part[key.size()] == '=')
      return part.substr(key.size() + 1);
    query.remove_prefix(std::min(query.size(), part.size() + 1));
  }
  return {};
}

long long whole_from(std::string_view text, long long largest) {
  long long value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= largest ? value : -1;
}

}  // namespace repose::view
