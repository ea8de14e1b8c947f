// SPDX-License-Identifier: Apache-2.0
// The server refuses what it should, and clients that misbehave cost nobody else anything.
#include <gtest/gtest.h>
#include <ifaddrs.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "apps/viewer_server/http_server.h"
#include "apps/viewer_server/live_service.h"
#include "tests/viewer/client.h"

namespace repose::view {
namespace {

using Clock = std::chrono::steady_clock;

/// A server on a thread of its own, with an answer of `size` bytes for everything.
class Running {
 public:
  explicit Running(std::size_t size = 5, HttpOptions options = {}) {
    options.token = "secret";
    options.policy = "default-src 'none'";
    const auto body = std::make_shared<const std::string>(size, 'x');
    start(std::move(options), [body](const HttpRequest&, const HttpServer::Answer& answer) {
      answer({200, "text/plain", body});
    });
  }
  explicit Running(LiveService& service) {
    HttpOptions options;
    options.token = "secret";
    start(
        std::move(options),
        [&service](const HttpRequest& request, const HttpServer::Answer& answer) { service.handle(request, answer); },
        [&service] { service.tick(); });
    service.attach(*server_);
  }
  ~Running() { stop(); }
  void stop() {
    if (thread_.joinable()) {
      server_->stop();
      thread_.join();
    }
  }
  [[nodiscard]] int port() const { return server_->port(); }
  [[nodiscard]] std::string host() const { return "127.0.0.1:" + std::to_string(port()); }
  [[nodiscard]] std::string get(const std::string& path, const std::string& more = "") const {
    return Client(port()).ask("GET " + path + " HTTP/1.1\r\nHost: " + host() + "\r\n" + more + "\r\n");
  }
  [[nodiscard]] std::string post(const std::string& path, const std::string& body, const std::string& more) const {
    return Client(port()).ask("POST " + path + " HTTP/1.1\r\nHost: " + host() + "\r\n" + more +
                              "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }

 private:
  void start(
      HttpOptions options, HttpServer::Handler handler, std::function<void()> tick = [] {}) {
    server_ = std::make_unique<HttpServer>(std::move(options), std::move(handler));
    thread_ = std::thread([this, tick] {
      server_->run([tick] {
        tick();
        return false;
      });
    });
  }
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

long resident_kib() {
  std::ifstream in("/proc/self/statm");
  long whole = 0, resident = 0;
  in >> whole >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

TEST(Server, AnswersItsOwnPage) {
  const Running server;
  const std::string answer = server.get("/", "Origin: http://" + server.host() + "\r\nSec-Fetch-Site: same-origin\r\n");
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_EQ(body_of(answer), "xxxxx");
  for (const char* header : {"Content-Security-Policy: default-src 'none'", "X-Content-Type-Options: nosniff",
                             "X-Frame-Options: DENY", "Cache-Control: no-store", "Referrer-Policy: no-referrer"})
    EXPECT_NE(answer.find(header), answer.npos) << header;
}

TEST(Server, RefusesOtherNamesAndOtherSites) {
  const Running server;
  EXPECT_EQ(status_of(Client(server.port()).ask("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")), 403);
  for (const std::string& second : {std::string("evil.example"), server.host()})
    EXPECT_EQ(
        status_of(
            Client(server.port()).ask("GET / HTTP/1.1\r\nHost: " + server.host() + "\r\nHost: " + second + "\r\n\r\n")),
        400);
  EXPECT_EQ(status_of(Client(server.port()).ask("GET / HTTP/1.0\r\n\r\n")), 403);
  EXPECT_EQ(status_of(server.get("/", "Origin: http://evil.example\r\n")), 403);
  EXPECT_EQ(status_of(server.get("/", "Origin: null\r\n")), 403);
  EXPECT_EQ(status_of(server.get("/", "Sec-Fetch-Site: cross-site\r\n")), 403);
}

TEST(Server, ChangesNeedTheToken) {
  const Running server;
  EXPECT_EQ(status_of(server.post("/api/command", "{}", "")), 401);
  EXPECT_EQ(status_of(server.post("/api/command", "{}", "X-Repose-Token: secreT\r\n")), 401);
  EXPECT_EQ(status_of(server.post("/api/command", "{}", "X-Repose-Token: secret\r\n")), 200);
  EXPECT_EQ(status_of(Client(server.port()).ask("PUT / HTTP/1.1\r\nHost: " + server.host() + "\r\n\r\n")), 405);
  EXPECT_TRUE(same_secret("a", "a"));
  EXPECT_FALSE(same_secret("", ""));  // a server without a token takes none
  EXPECT_FALSE(same_secret("aa", "a"));
}

TEST(Server, RefusesWhatIsTooLargeOrNoRequest) {
  const Running server;
  EXPECT_EQ(status_of(server.post("/", std::string(100000, 'x'), "X-Repose-Token: secret\r\n")), 413);
  EXPECT_EQ(status_of(server.get("/", "X-Long: " + std::string(20000, 'y') + "\r\n")), 431);
  EXPECT_EQ(status_of(Client(server.port()).ask("hello\r\n\r\n")), 400);
  EXPECT_EQ(status_of(server.get("/" + std::string(600, 'a'))), 400);
  EXPECT_EQ(status_of(server.get("/")), 200);  // and goes on
}

TEST(Server, TokensDiffer) {
  const std::string a = random_token(), b = random_token();
  EXPECT_EQ(a.size(), 32u);
  EXPECT_NE(a, b);
}

TEST(Server, ReadsQueriesAndNumbersStrictly) {
  EXPECT_EQ(query_value("a=1&after=22", "after"), "22");
  EXPECT_EQ(query_value("xafter=1", "after"), "");
  EXPECT_EQ(whole_from("17", 20), 17);
  for (const char* text : {"", "-1", "21", "1x", " 1", "99999999999999999999"})
    EXPECT_EQ(whole_from(text, 20), -1) << text;
}

/// 50 clients ask for 4 MB a thousand times over and never read. Others are served at once, and memory stays.
TEST(Server, ClientsThatNeverReadCostNobodyElse) {
  const Running server(4 << 20);
  std::vector<std::unique_ptr<Client>> silent;
  std::string many;
  for (int k = 0; k < 100; ++k) many += "GET / HTTP/1.1\r\nHost: " + server.host() + "\r\n\r\n";
  (void)server.get("/");
  const long before = resident_kib();
  for (int k = 0; k < 50; ++k) {
    silent.push_back(std::make_unique<Client>(server.port()));
    ASSERT_TRUE(silent.back()->connected());
    silent.back()->send(many);
  }
  for (int k = 0; k < 10; ++k) EXPECT_EQ(body_of(server.get("/")).size(), std::size_t{4} << 20);
  EXPECT_LT(resident_kib() - before, 60 * 1024);  // 200 MB if each had an answer of its own
}

/// Addresses of this machine besides 127.0.0.1: 127.0.0.2, and those of its networks.
std::vector<in_addr_t> other_addresses() {
  std::vector<in_addr_t> found{INADDR_LOOPBACK + 1};
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return found;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    const in_addr_t address = ntohl(reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr.s_addr);
    if (address != INADDR_LOOPBACK) found.push_back(address);
  }
  freeifaddrs(list);
  return found;
}

TEST(Server, ListensOnLoopbackAlone) {
  const Running server;
  EXPECT_TRUE(Client(server.port()).connected());
  for (const in_addr_t address : other_addresses())
    EXPECT_FALSE(Client(server.port(), address).connected()) << std::hex << address;
}

/// A site that lets its name point to 127.0.0.1 (DNS rebinding) is asked by its own name, with the right port.
TEST(Server, NamesThatPointHereAreNotItsOwn) {
  const Running server;
  const std::string port = ":" + std::to_string(server.port());
  for (const std::string& host :
       {"evil.example" + port, "localhost.evil.example" + port, "127.0.0.1" + port + ".evil.example",
        "127.0.0.1.nip.io" + port, "127.0.0.2" + port, "0.0.0.0" + port, std::string("127.0.0.1"),
        std::string("localhost"), "evil@127.0.0.1" + port, std::string(" "), "127.0.0.1" + port + "0"}) {
    const Client client(server.port());
    EXPECT_EQ(status_of(client.ask("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n")), 403) << host;
  }
  // The right name with the origin of a page that only looks like ours.
  for (const std::string& origin : {"https://" + server.host(), "http://" + server.host() + ".evil.example",
                                    "http://localhost" + port, std::string("http://127.0.0.1")})
    EXPECT_EQ(status_of(server.get("/", "Origin: " + origin + "\r\n")), 403) << origin;
}

/// Whoever may connect may watch; reading changes nothing, whatever it brings along.
TEST(Server, ReadingNeedsNoTokenAndChangesNothing) {
  LiveService service({.name = "incline", .values = {{"mu", "0.2"}}, .playing = false});
  Running server(service);
  EXPECT_EQ(status_of(server.get("/api/live/info")), 200);
  const std::string with_token = "X-Repose-Token: secret\r\nContent-Length: 13\r\n\r\n{\"do\":\"step\"}";
  EXPECT_EQ(
      status_of(Client(server.port()).ask("GET /api/command HTTP/1.1\r\nHost: " + server.host() + "\r\n" + with_token)),
      404);
  EXPECT_EQ(service.run().steps(), 0);
  server.stop();
  service.stop();
}

/// One byte at a time, for ever: the time for a whole request counts, not that since the last byte.
TEST(Server, ClientsThatSendByteByByteAreDropped) {
  HttpOptions options;
  options.patience = std::chrono::milliseconds(300);
  const Running server(5, options);
  const Client slow(server.port());
  int sent = 0;
  for (const auto until = Clock::now() + std::chrono::seconds(20); Clock::now() < until && slow.send("G"); ++sent)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_LT(sent, 900);  // the server hangs up, and sending fails
  EXPECT_EQ(status_of(server.get("/")), 200);
}

TEST(Server, SilentClientsAreDropped) {
  HttpOptions options;
  options.patience = std::chrono::milliseconds(300);
  options.connections = 20;
  const Running server(1000, options);
  std::vector<std::unique_ptr<Client>> silent;
  for (int k = 0; k < 60; ++k) silent.push_back(std::make_unique<Client>(server.port()));
  EXPECT_EQ(status_of(server.get("/")), 200);
  EXPECT_EQ(silent.front()->receive(), "");  // closed by the server, long before our own patience ends
}

TEST(LiveServer, TwoWatchAndStrangersStallNothing) {
  LiveService service({.name = "incline", .values = {{"mu", "0.2"}}});
  Running server(service);
  std::vector<std::unique_ptr<Client>> silent;
  for (int k = 0; k < 50; ++k) {
    silent.push_back(std::make_unique<Client>(server.port()));
    for (int i = 0; i < 50; ++i)
      silent.back()->send("GET /api/live/info HTTP/1.1\r\nHost: " + server.host() + "\r\n\r\n");
  }
  const long long steps = service.run().steps();
  const auto frame = [&] { return body_of(server.get("/api/live/frame?after=0")); };
  const std::string one = frame(), two = frame();
  EXPECT_GT(one.size(), 100u);
  EXPECT_GT(two.size(), 100u);
  const auto patience = Clock::now() + std::chrono::minutes(1);
  while (service.run().steps() <= steps + 20 && Clock::now() < patience)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_GT(service.run().steps(), steps + 20);
  EXPECT_EQ(status_of(server.get("/api/live/frame?after=x")), 400);
  EXPECT_EQ(status_of(server.get("/../../etc/passwd")), 404);
  EXPECT_EQ(status_of(server.get("/api/../bundle")), 404);
  EXPECT_EQ(status_of(server.post("/api/command", "{\"do\":\"pause\"}", "X-Repose-Token: secret\r\n")), 200);
  EXPECT_EQ(status_of(server.post("/api/command", "{\"do\":\"explode\"}", "X-Repose-Token: secret\r\n")), 400);
  EXPECT_EQ(status_of(server.post("/api/command", "{\"do\":\"run\"}", "")), 401);
  server.stop();
  service.stop();
}

}  // namespace
}  // namespace repose::view
