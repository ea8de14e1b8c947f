// SPDX-License-Identifier: Apache-2.0
// repose render RECORDING --out FILE: a picture or a clip, drawn by the viewer's page in a browser without a window.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/commands.h"
#include "apps/terminal/console.h"
#include "apps/terminal/interrupt.h"
#include "apps/terminal/option_checks.h"
#include "apps/viewer_server/process.h"
#include "apps/viewer_server/render.h"
#include "repose/base/atomic_file.h"
#include "repose/base/error.h"
#include "repose/base/parameters.h"
#include "repose/record/recording.h"

namespace repose::cli {
namespace {

constexpr const char* kRenderExample =
    "Examples:\n"
    "  repose render arch.h5 --frame 310 --out arch.png --forces\n"
    "  repose render arch.h5 --out arch.mp4 --from 4 --until 8 --speed 0.5\n"
    "  repose render exact.h5 relaxed.h5 --time 2 --out compare.png\n\n"
    "Needs Chromium or Chrome (REPOSE_BROWSER names one that is not in PATH); clips need ffmpeg.";

constexpr long kMostFrames = 20000;

struct RenderSettings : view::PictureOptions {
  std::vector<std::string> recordings;
  std::string out, size = "1280x720", force_kind;
  std::optional<int> frame;
  std::optional<double> time, from, until;
  double fps = 30, speed = 1;
  bool quiet = false;
};

void read_size(RenderSettings& s) {
  const std::size_t cross = s.size.find('x');
  const auto width = parse_number(s.size.substr(0, cross));
  const auto height = cross == s.size.npos ? std::nullopt : parse_number(s.size.substr(cross + 1));
  const auto fine = [](const std::optional<double>& n) { return n && *n >= 16 && *n <= 8192 && *n == std::floor(*n); };
  require_usage(fine(width) && fine(height), "--size: expected WIDTHxHEIGHT, each 16 to 8192, got '", s.size, "'");
  s.width = static_cast<int>(*width);
  s.height = static_cast<int>(*height);
}

int nearest(const std::vector<double>& times, double time) {
  const auto after = std::lower_bound(times.begin(), times.end(), time);
  if (after == times.end()) return static_cast<int>(times.size()) - 1;
  if (after == times.begin()) return 0;
  return static_cast<int>(after - times.begin()) - (*after - time > time - *(after - 1) ? 1 : 0);
}

void choose_picture(RenderSettings& s, const Recording& recording) {
  require_usage(!s.from && !s.until, "--from, --until: expected with .mp4 and .gif, got with a picture");
  require_usage(!(s.frame && s.time), "--frame: expected one of them, got together with --time");
  const int frame = s.frame ? *s.frame : s.time ? nearest(recording.times(), *s.time) : 0;
  require(frame <= recording.steps(), "--frame: expected 0 to ", recording.steps(), ", got ", frame);
  s.frames = {frame};
}

void choose_clip(RenderSettings& s, const Recording& recording) {
  require_usage(!s.frame && !s.time,
                "--frame, --time: expected with .png; clips take --from, --until, got with a clip");
  const std::vector<double> times = recording.times();
  const double first = s.from.value_or(times.front()), last = std::min(s.until.value_or(times.back()), times.back());
  require(last > first, "--until: expected more than --from ", first, " s, got ", last, " s");
  const double count = std::floor((last - first) * s.fps / s.speed + 1e-9) + 1;
  require(count <= kMostFrames, "render: expected at most ", kMostFrames, ", got ", count, " pictures");
  for (int k = 0; k < static_cast<int>(count); ++k) s.frames.push_back(nearest(times, first + k * s.speed / s.fps));
}

void encode(const RenderSettings& s, const std::filesystem::path& folder) {
  const std::string pattern = (folder / "%06d.png").string(), rate = fmt::format("{:g}", s.fps);
  const std::filesystem::path made = folder / ("clip" + std::filesystem::path(s.out).extension().string());
  std::vector<std::string> command{
      view::find_program({"ffmpeg"}).value_or("ffmpeg"), "-y", "-loglevel", "error", "-framerate", rate, "-i", pattern};
  if (s.out.ends_with(".gif"))
    command.insert(
        command.end(),
        {"-filter_complex", "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4",
         "-loop", "0"});
  else
    command.insert(command.end(), {"-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20", "-movflags", "+faststart",
                                   "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"});
  command.push_back(made.string());
  const int status = view::Process(command).wait();
  require(status == 0, s.out, ": film: expected one from ffmpeg, got its exit status ", status);
  std::filesystem::copy_file(made, s.out, std::filesystem::copy_options::overwrite_existing);
}

Exit draw(RenderSettings& s) {
  const bool clip = s.out.ends_with(".mp4") || s.out.ends_with(".gif");
  require_usage(clip || s.out.ends_with(".png"), "--out: expected a file that ends in .png, .mp4 or .gif, got '", s.out,
                "'");
  require_usage(s.recordings.size() <= 2, "render: expected one or two, got ", s.recordings.size(), " recordings");
  read_size(s);
  s.forces = !s.force_kind.empty();
  if (s.forces) s.which = forces_from_name(s.force_kind, "--forces");
  {
    const Recording recording(s.recordings.front());
    clip ? choose_clip(s, recording) : choose_picture(s, recording);
  }
  require(!clip || view::find_program({"ffmpeg"}), "render: expected .png without it; clips need it, got no ffmpeg");
  const view::TemporaryFolder folder;
  int number = 0;
  view::render_pictures(
      s.recordings, s,
      [&](int, const std::string& png) {
        if (clip)
          files::write_atomically(folder.path() / fmt::format("{:06d}.png", number++), png);
        else
          files::write_atomically(s.out, png);
      },
      [] { return interrupted(); });
  if (interrupted()) return Exit::kInterrupted;
  if (clip) encode(s, folder.path());
  if (!s.quiet)
    Console(stdout).line(
        fmt::format("wrote {} · {} · {}x{}", s.out, counted(s.frames.size(), "picture"), s.width, s.height));
  return Exit::kDone;
}

void add_clip_options(CLI::App& app, RenderSettings& s) {
  app.add_option("--from", s.from, "clips: first second (the start)")->type_name("S");
  app.add_option("--until", s.until, "clips: last second (the end)")->type_name("S");
  app.add_option("--fps", s.fps, "clips: pictures per second (30)")->check(positive_number())->type_name("N");
  app.add_option("--speed", s.speed, "clips: simulated seconds per second (1)")
      ->check(positive_number())
      ->type_name("X");
}

void add_look_options(CLI::App& app, RenderSettings& s) {
  app.add_option("--size", s.size, "pixels (1280x720)")->type_name("WxH");
  app.add_option("--camera", s.camera, "corner, front, side or top (corner)")
      ->check(one_of({"corner", "front", "side", "top"}))
      ->type_name("NAME");
  app.add_option("--zoom", s.zoom, "closer than 1, or farther (1)")->check(positive_number())->type_name("X");
  app.add_option("--theme", s.theme, "light or dark (light)")->check(one_of({"light", "dark"}))->type_name("NAME");
  app.add_option("--colour", s.colour, "bodies by body, speed, force or id (body)")
      ->check(one_of({"body", "speed", "force", "id"}))
      ->type_name("NAME");
  app.add_flag("--contacts", s.contacts, "show contact points");
  app.add_flag(
      "--forces{auto}", s.force_kind,
      "show contact forces; --forces=solver: as recorded, --forces=canonical: of least norm\n(the latter where "
      "bodies rest, the former elsewhere)");
  app.add_flag("--thrust", s.thrust, "show the line of thrust through the bodies");
  app.add_flag("--cones", s.cones, "show friction cones");
  app.add_flag("--joints", s.joints, "show axes and anchors of joints");
  app.add_flag("--velocities", s.velocities, "show velocities");
}

}  // namespace

Command add_render(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("render", "Draw a picture or a clip of a recording");
  app.footer(kRenderExample);
  const auto settings = std::make_shared<RenderSettings>();
  app.add_option("RECORDING", settings->recordings, "one, or two side by side")->required()->type_name("");
  app.add_option("--out", settings->out, "what to write: .png, .mp4 or .gif")
      ->required()
      ->check(file_target())
      ->type_name("FILE");
  app.add_option("--frame", settings->frame, "pictures: state number (0)")->check(whole_number(0))->type_name("N");
  app.add_option("--time", settings->time, "pictures: the state nearest to a time")->type_name("S");
  add_clip_options(app, *settings);
  add_look_options(app, *settings);
  app.add_flag("--quiet", settings->quiet, "say nothing when it worked");
  return {&app, [settings] { return draw(*settings); }};
}

}  // namespace repose::cli
