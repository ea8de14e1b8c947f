// SPDX-License-Identifier: Apache-2.0
#include "apps/viewer_server/render.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "apps/viewer_server/page_service.h"
#include "apps/viewer_server/process.h"
#include "repose/base/error.h"

namespace repose::view {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{120};  // without a picture
constexpr std::size_t kLargestPicture = 256 << 20;
constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n";

exporter::Json job_record(const PictureOptions& o) {
  return {{"frames", o.frames}, {"width", o.width}, {"height", o.height},     {"theme", o.theme},
          {"camera", o.camera}, {"zoom", o.zoom},   {"contacts", o.contacts}, {"forces", o.forces},
          {"thrust", o.thrust}, {"cones", o.cones}, {"joints", o.joints},     {"velocities", o.velocities},
          {"colour", o.colour}};
}

std::vector<std::string> browser_command(const std::string& browser, const std::string& profile,
                                         const std::string& url) {
  std::vector<std::string> command{browser,
                                   "--headless",
                                   "--use-angle=swiftshader",
                                   "--enable-unsafe-swiftshader",
                                   "--hide-scrollbars",
                                   "--no-first-run",
                                   "--no-default-browser-check",
                                   "--disable-background-networking",
                                   "--disable-component-update",
                                   "--disable-sync",
                                   "--disable-extensions",
                                   "--disable-dev-shm-usage",
                                   "--mute-audio",
                                   "--user-data-dir=" + profile};
  if (geteuid() == 0) command.push_back("--no-sandbox");  // Chromium refuses to sandbox for root
  command.push_back(url);
  return command;
}

/// The server's side of the work: hands out the job, takes the pictures.
class Studio {
 public:
  Studio(RecordedService& recordings, const PictureOptions& options,
         const std::function<void(int, const std::string&)>& take)
      : recordings_(recordings), options_(options), take_(take) {}

  void handle(const HttpRequest& request, const HttpServer::Answer& answer) {
    if (!request.changes && request.path == "/api/session") {
      exporter::Json session = recordings_.session("picture");
      session["job"] = job_record(options_);
      return answer(typed_reply("application/json", session.dump()));
    }
    if (!request.changes) return recordings_.handle(request, answer);
    answer(take(request));
  }

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] bool late() const { return Clock::now() - last_ > kPatience; }
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  HttpReply take(const HttpRequest& request) {
    last_ = Clock::now();
    if (request.path == "/api/done")
      done_ = taken_ == options_.frames.size();
    else if (request.path == "/api/trouble")
      trouble_ = request.body.empty() ? "unknown" : request.body;
    else if (taken_ < options_.frames.size() &&
             request.path == "/api/picture/" + std::to_string(options_.frames[taken_]) &&
             request.body.starts_with(kPng))
      take_(options_.frames[taken_++], request.body);
    else
      return text_reply(400, "not the picture that was asked for");
    return {};
  }

  RecordedService& recordings_;
  const PictureOptions& options_;
  const std::function<void(int, const std::string&)>& take_;
  std::size_t taken_ = 0;
  bool done_ = false;
  std::string trouble_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace

std::string find_browser() {
  const char* chosen = std::getenv("REPOSE_BROWSER");
  if (chosen != nullptr && *chosen != '\0') return find_program({chosen}).value_or("");
  return find_program({"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}).value_or("");
}

void render_pictures(const std::vector<std::string>& recordings, const PictureOptions& options,
                     const std::function<void(int, const std::string&)>& take, const std::function<bool()>& stop) {
  const std::string browser = find_browser();
  require(!browser.empty(), "render: expected Chromium or Chrome in PATH, or named by REPOSE_BROWSER, got no browser");
  RecordedService service(recordings, recordings, options.which);
  Studio studio(service, options, take);
  HttpOptions http = page_options("127.0.0.1", 0);
  http.largest_body = kLargestPicture;
  http.patience = std::chrono::seconds(60);
  const std::string token = http.token;
  HttpServer server(std::move(http), [&](const HttpRequest& request, const HttpServer::Answer& answer) {
    studio.handle(request, answer);
  });
  const TemporaryFolder profile;
  Process process(browser_command(browser, profile.path().string(), server.origin() + "/#token=" + token));
  bool gone = false;
  server.run([&] {
    gone = !process.running();
    return studio.done() || !studio.trouble().empty() || studio.late() || gone || stop();
  });
  if (stop()) return;
  require(studio.trouble().empty(), "render: page: expected pictures, got ", studio.trouble());
  require(studio.done(), browser, ": expected pictures, got ", gone ? "a program that has ended" : "none for too long");
}

}  // namespace repose::view
