// SPDX-License-Identifier: Apache-2.0
// A world that steps on a thread of its own while pages watch. It takes messages, publishes its newest frame, and never
// waits for anybody.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "apps/viewer_server/message.h"
#include "repose/base/parameters.h"
#include "repose/world/world.h"

namespace repose::view {

struct LiveOptions {
  std::string name;              ///< of the scene at the start
  ParameterValues values{};      ///< its parameters, for a built-in one
  std::optional<Scene> scene{};  ///< read from a file; built-in scenes are made from name and values
  FrictionOptions solver = step_solver();
  int threads = 1;
  bool playing = true;
};

class LiveRun {
 public:
  struct Newest {
    std::uint32_t generation = 0;  ///< changes with the scene: bodies are others
    std::uint32_t revision = 0;    ///< changes with everything that info() says
    std::uint32_t sequence = 0;    ///< changes with every frame, ≥ 1
    std::shared_ptr<const std::string> block;
  };

  /// `published` is called from the run's thread after a new frame; it must not wait.
  LiveRun(LiveOptions options, std::function<void()> published);
  ~LiveRun();
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  /// From any thread. False: too many wait already.
  [[nodiscard]] bool send(Message message);
  [[nodiscard]] Newest newest() const;
  /// JSON: header, scenes, settings, what went wrong.
  [[nodiscard]] std::shared_ptr<const std::string> info() const;
  [[nodiscard]] long long steps() const;  ///< taken in all, over all scenes

 private:
  class Simulation;

  LiveOptions options_;
  std::function<void()> published_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Message> messages_;
  bool stop_ = false;
  Newest newest_;
  std::shared_ptr<const std::string> info_;
  long long steps_ = 0;
  std::thread thread_;
};

}  // namespace repose::view
