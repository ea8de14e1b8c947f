// SPDX-License-Identifier: Apache-2.0
// The parts of a world and the phases of its step.
#pragma once

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <memory>
#include <optional>
#include <vector>

#include "repose/world/assemble.h"
#include "repose/world/island_internal.h"
#include "repose/world/schedule.h"
#include "repose/world/world.h"

namespace repose {

struct World::Impl {
  Impl(Scene scene_, WorldOptions options_);

  // A step, in this order.
  StepReport step();
  void remember();    ///< what give_back() restores
  void start_step();  ///< events, forces, prescribed displacements, free velocities
  void collide();
  void assemble();
  void solve();
  void look_ahead();  ///< contacts that only the end of the step shows, and the solve with them
  void integrate();
  void give_back();  ///< the state before the step, when it cannot be taken

  void take(const Event& event);
  [[nodiscard]] Pose kinematic_pose(int body, double time) const;
  void place_kinematic(int body, double time);
  void set_free(int body);
  void find_travels();
  void rebuild_islands();
  void find_courses_before();
  void find_courses();
  bool find_fast();
  bool see_overlaps();
  void collide_ahead(double share);
  bool add_ahead(const Manifold& manifold, double share);
  [[nodiscard]] double shallow_depth(int body_a, int body_b) const;
  void solve_again(int first_patch);
  void assemble_island(int k);
  void solve_island(int k, bool draft);
  void go_on_from_here(int k);  ///< the next solve of this island starts from the impulses found
  [[nodiscard]] bool is_drafted(int k) const;
  template <class Work>
  void for_islands(const Work& work) {
    if (arena && islands.count() > 1)
      arena->execute([&] { tbb::parallel_for(0, islands.count(), work); });
    else
      for (int k = 0; k < islands.count(); ++k) work(k);
  }
  [[nodiscard]] double depth_at_start(int collider_a, int collider_b) const;
  void move(int body, const Vec3* recovery, const Vec3* recovery_spin);
  void summarise(StepReport& report) const;
  [[nodiscard]] const char* fault() const;  ///< what is wrong with the state; null: nothing
  [[nodiscard]] double energy() const;
  [[nodiscard]] double outside_work() const;
  [[nodiscard]] std::uint64_t fingerprint() const;
  [[nodiscard]] int count() const { return static_cast<int>(models.size()); }
  [[nodiscard]] bool moves_freely(int b) const;
  [[nodiscard]] double now() const { return steps * scene.dt; }

  Scene scene;
  WorldOptions options;
  PairLaws laws;
  BiasRule rule;
  double scale = 0;     ///< size of the scene, m
  double thinnest = 0;  ///< thickness of the thinnest body that moves freely, m

  std::vector<BodyModel> models;
  std::vector<BodyState> states, free;
  std::vector<char> present, moves;
  std::vector<Vec3> applied_force, applied_torque;  ///< by apply_force(), for the next step
  std::vector<Vec3> force, torque;                  ///< all that act during this step
  Schedule schedule;
  int steps = 0;

  Collision collision;
  std::vector<ColliderFacts> colliders;
  std::vector<Pose> poses;
  std::vector<double> margins;
  std::vector<Travel> travels;

  Collision ahead;  ///< for look_ahead(), without history
  std::vector<Course> courses;
  std::vector<char> fast;
  std::vector<std::pair<int, int>> missed;  ///< pairs of colliders that went through each other

  std::vector<StepBody> step_bodies;
  std::vector<Contact> contacts, last_contacts;
  std::vector<Patch> patches, last_patches;
  Islands islands;
  bool islands_valid = false;
  std::vector<std::unique_ptr<Island>> slots;  ///< an island is kept under its first body
  std::vector<Island*> active;                 ///< by island
  std::vector<char> same_graph;                ///< by island
  std::optional<tbb::global_control> allowed;  ///< as many threads as asked for, whatever the machine has
  std::optional<tbb::task_arena> arena;        ///< for more than one thread

  // Before the step.
  std::vector<BodyState> old_states;
  std::vector<char> old_present;
  std::size_t old_events = 0;
  std::vector<ActivePush> old_pushes;
};

}  // namespace repose
