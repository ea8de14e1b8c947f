// SPDX-License-Identifier: Apache-2.0
// repose view WHAT|RECORDING...: the browser viewer, live or recorded.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/commands.h"
#include "apps/cli/scene_source.h"
#include "apps/cli/scheme_options.h"
#include "apps/terminal/console.h"
#include "apps/terminal/interrupt.h"
#include "apps/terminal/option_checks.h"
#include "apps/viewer_server/live_service.h"
#include "apps/viewer_server/page_service.h"
#include "apps/viewer_server/process.h"
#include "repose/base/error.h"
#include "repose/base/parameters.h"
#include "scenes/registry.h"

namespace repose::cli {
namespace {

constexpr const char* kViewExample =
    "Examples:\n"
    "  repose view arch --set stones=25        live: run, pause, pull, throw, change parameters\n"
    "  repose view arch.h5                     recorded: play, scrub, look at forces and certificates\n"
    "  repose view exact.h5 relaxed.h5         two recordings side by side\n\n"
    "The page is served on this machine only, unless --host says otherwise; Ctrl-C ends it.";

struct ViewSettings {
  std::vector<std::string> what, values;
  std::optional<long long> seed;
  SchemeSettings scheme;
  int port = 0, threads = 1;
  std::string host = "127.0.0.1";
  bool paused = false, no_open = false, quiet = false;
};

bool is_recording(const std::string& what) { return what.ends_with(".h5") || what.ends_with(".hdf5"); }

void open_browser(const ViewSettings& s, const std::string& url) {
  const bool screen = std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
  if (s.no_open || !screen || !is_terminal(stdout)) return;
  if (const auto opener = view::find_program({"xdg-open", "open"})) view::Process({*opener, url}).leave();
}

void serve(const ViewSettings& s, view::HttpServer& server, const std::string& token,
           const std::function<void()>& tick) {
  const std::string url = server.origin() + "/#token=" + token;
  const Console console(stdout);
  console.line(url);
  if (!s.quiet) console.line(console.paint(Style::kDim, "open this address in a browser; Ctrl-C ends the program"));
  std::fflush(stdout);
  open_browser(s, url);
  server.run([&tick] {
    tick();
    return interrupted();
  });
}

Exit view_recordings(const ViewSettings& s) {
  require_usage(s.what.size() <= 2, "view: expected one or two, got ", s.what.size(), " recordings");
  require_usage(s.values.empty() && !s.seed, "--set: expected with built-in scenes only, got one with a recording");
  std::vector<std::string> labels;
  for (const std::string& file : s.what) labels.push_back(std::filesystem::path(file).stem().string());
  view::RecordedService service(s.what, labels);
  view::HttpOptions options = view::page_options(s.host, s.port);
  const std::string token = options.token;
  view::HttpServer server(std::move(options),
                          [&](const view::HttpRequest& request, const view::HttpServer::Answer& answer) {
                            service.handle(request, answer);
                          });
  serve(s, server, token, [] {});
  return Exit::kDone;
}

Exit view_live(const ViewSettings& s) {
  require_usage(s.what.size() == 1, "view: expected one, or two recordings, got ", s.what.size(), " scenes");
  view::LiveOptions live;
  live.name = s.what.front();
  live.solver = friction_options(s.scheme, step_solver());
  live.threads = s.threads;
  live.playing = !s.paused;
  FoundScene found = find_scene(live.name, s.values, s.seed);
  if (!found.ignored.empty() && !s.quiet)
    fmt::print(stderr, "repose: {}: ignored, without meaning here: {}\n", live.name, joined(found.ignored));
  if (!found.simplified.empty() && !s.quiet)
    fmt::print(stderr, "repose: {}: simplified: {}\n", live.name, joined(found.simplified));
  if (scenes::known(live.name))
    live.values = found.scene.parameters;
  else
    live.scene = std::move(found.scene);
  view::HttpOptions options = view::page_options(s.host, s.port);
  const std::string token = options.token;
  view::LiveService service(std::move(live));
  view::HttpServer server(std::move(options),
                          [&](const view::HttpRequest& request, const view::HttpServer::Answer& answer) {
                            service.handle(request, answer);
                          });
  service.attach(server);
  serve(s, server, token, [&service] { service.tick(); });
  service.stop();
  return Exit::kDone;
}

Exit run(const ViewSettings& s) {
  const auto recordings = std::count_if(s.what.begin(), s.what.end(), is_recording);
  require_usage(recordings == 0 || recordings == static_cast<long>(s.what.size()),
                "view: expected one scene or up to two recordings, got scenes and recordings together");
  return recordings > 0 ? view_recordings(s) : view_live(s);
}

}  // namespace

Command add_view(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("view", "Look at a scene or a recording in the browser");
  app.footer(kViewExample);
  const auto settings = std::make_shared<ViewSettings>();
  app.add_option("WHAT", settings->what, "a scene, as for repose run, or one or two recordings (.h5)")
      ->required()
      ->type_name("");
  app.add_option("--set", settings->values, "a parameter of the scene, key=value; repeatable")
      ->type_name("KEY=VALUE")
      ->take_all();
  app.add_option("--seed", settings->seed, "of everything random in the scene")->type_name("N");
  add_scheme_options(app, settings->scheme);
  app.add_option("--threads", settings->threads, "threads of the simulation (1)")
      ->check(whole_number(1, 1024))
      ->type_name("N");
  app.add_option("--port", settings->port, "where to listen (any that is free)")
      ->check(whole_number(0, 65535))
      ->type_name("N");
  app.add_option("--host", settings->host, "address to listen at (127.0.0.1: this machine only)")->type_name("ADDRESS");
  app.add_flag("--paused", settings->paused, "wait for the page to start the run");
  app.add_flag("--no-open", settings->no_open, "open no browser");
  app.add_flag("--quiet", settings->quiet, "print the address only");
  return {&app, [settings] { return run(*settings); }};
}

}  // namespace repose::cli
