// SPDX-License-Identifier: Apache-2.0
// What the worlds of a batch have in common: bodies, shapes, materials, time step, capacities. See docs/gpu.md.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "repose/scene/scene.h"
#include "repose/world/body.h"

namespace repose {

struct BatchOptions {
  double tolerance = 1e-8;  ///< a step is solved when r_c and nat are at most this, > 0
  int newton_budget = 300;  ///< Newton steps of the batch solver before the host solves the step, ≥ 0
  int contacts = 0;  ///< room for at least this many contacts per world, and half as many pairs; 0: from the scene
  /// Overlap of less than a hundredth of the thinner body is removed in one of so many steps, ≥ 1. 1: as in a World.
  /// The host takes the steps that remove overlap; with 8 it takes fewer.
  int removal_period = 1;
  bool events = false;  ///< Batch::apply() may be called although the scene has no events
  int threads = 1;      ///< of the host, ≥ 1; results do not depend on it
};

class BatchModel {
 public:
  /// Throws InputError when the scene is not valid or has something that batches do not know yet; the message names it.
  explicit BatchModel(Scene scene, const BatchOptions& options = {});
  ~BatchModel();
  BatchModel(BatchModel&&) noexcept;
  BatchModel& operator=(BatchModel&&) noexcept;

  [[nodiscard]] const Scene& scene() const;
  [[nodiscard]] const BatchOptions& options() const;
  /// Bodies that move, as indices into Scene::bodies. Their places here are the bodies of a batch.
  [[nodiscard]] const std::vector<int>& bodies() const;
  [[nodiscard]] const BodyModel& body(int k) const;  ///< by place in bodies()

  [[nodiscard]] int threads_per_world() const;  ///< size class: 8, 32, 64, 128 or 256
  [[nodiscard]] int contact_capacity() const;   ///< contacts per world; steps with more are taken on the host
  [[nodiscard]] int state_bytes() const;        ///< memory per world
  [[nodiscard]] int work_bytes() const;         ///< shared memory per world at work

  struct Impl;
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace repose
