// SPDX-License-Identifier: Apache-2.0
// Removal of overlap at the end of a step: a displacement d of the bodies that leaves their velocities alone.
//
//   minimise ½ dᵀ M d   such that   gap_i + J_i d ≥ −allowed_i   at every contact of the poses at the end of the step
//
// J_i is the normal row of contact i. With its multipliers λ ≥ 0 and d = M⁻¹Jᵀλ this is a contact problem without
// friction, a displacement in place of the velocity and gap_i + allowed_i in that of v_f: it starts from some sweeps of
// projected Gauss–Seidel, island by island, and is solved and certified like every other one. The bodies are collided
// again where a pair was deeper than the limit. Where friction between a body and two others that do not yield would
// take up more work than their pushes give, it is jammed: the overlap is kept, because to remove it would lift the body
// out of the wedge against all friction. Lengths in m.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "repose/scheme/solve.h"
#include "repose/world/islands.h"
#include "repose/world/look_ahead_internal.h"
#include "repose/world/setup_internal.h"
#include "repose/world/step_data_internal.h"
#include "repose/world/world.h"

namespace repose {

/// What happens to the overlap of a pair of bodies.
struct OverlapRule {
  double slop = 0;      ///< overlap that is left alone, m: the scene's slop, or a thousandth of the thinner body
  double limit = 0;     ///< overlap that a step may make, m
  double recovery = 0;  ///< share of older overlap that a step removes
};
[[nodiscard]] OverlapRule overlap_rule(const WorldSetup& setup, int body_a, int body_b);

/// Overlap of a pair that a step leaves: overlap beyond the slop shrinks by its share β, in the last step to half of
/// the slop, and what the step itself made is cut to the limit at once. `now`: depth at the end of the step, `before`:
/// at its start, m.
[[nodiscard]] double overlap_to_keep(double now, double before, const OverlapRule& rule);

/// One contact of the problem: the normal row of two bodies, nodes of an island; −1: does not move.
struct NormalRow {
  int a = -1, b = -1;
  Vec3 normal, arm_a, arm_b;
  Vec3 shift_a, turn_a, shift_b, turn_b;  ///< M⁻¹ Jᵀ
  double inverse_w = 0;                   ///< 1/(J M⁻¹ Jᵀ), kg
  double room = 0;                        ///< gap + allowed, m
  double lambda = 0;                      ///< kg m
  int patch = 0;                          ///< that it comes from
  Vec3 position;
  double gap = 0;  ///< m
};

/// Displacement of one body.
struct Displaced {
  Vec3 shift, turn;  ///< m, rad
};

/// Solves the problem by sweeps from λ = 0 until the largest change of a gap is a hundredth of `deepest`, the largest
/// violation at the start, or after `sweeps`. `bodies` are by node; they start and end as displacements.
void displace_apart(std::span<NormalRow> rows, double deepest, int sweeps, std::span<Displaced> bodies);

class Correction {
 public:
  struct Step {
    const WorldSetup& setup;
    std::span<const StepBody> bodies;
    const ContactSet& found;    ///< the contacts of its start
    const Collision* at_start;  ///< with the manifolds that they are from, where it is at hand
  };
  /// Displaces the bodies of `state`, which has the poses at the end of the step; at its start the deepest overlap was
  /// `deepest`, m. `collision` is used without history; `known` says whether it has the manifolds of these poses
  /// already.
  void run(const Step& step, double deepest, EndPoses known, Collision& collision, WorldState& state);

  [[nodiscard]] int islands() const { return islands_; }    ///< displaced in the last step
  [[nodiscard]] int unsolved() const { return unsolved_; }  ///< those of them that are deeper than a step may leave
  /// Worst certificate of the problems of the last step, max(r_c, nat); 0: there were none.
  [[nodiscard]] double residual() const { return residual_; }
  [[nodiscard]] std::span<const OverlapPush> pushes() const { return pushes_; }  ///< of the last step, by round

 private:
  std::vector<Travel> motion_;

  /// The bodies of a manifold at the end of the step, or of a contact that an earlier round closed.
  struct Pair {
    Vec3 normal;
    int shape_a = 0, shape_b = 0;
    double depth = 0;      ///< m
    double cap = 0;        ///< depth that the step may leave, m
    double allowed = 0;    ///< depth that this round may leave, m
    bool earlier = false;  ///< its points are in earlier_
  };
  /// A contact that an earlier round closed, displaced along with its bodies. Two bodies that touch at one point turn
  /// about it; without the point they would sink into each other there while the next round lifts them elsewhere.
  struct Earlier {
    Patch patch;
    Pair pair;
  };

  [[nodiscard]] bool knows_all(const Step& step, const WorldState& state);
  void collide(const WorldSetup& setup, Collision& collision, const WorldState& state);
  void find_pairs(const WorldSetup& setup, std::span<const StepBody> bodies, const ContactSet& found,
                  const Collision& collision, bool first);
  void take_start(const WorldSetup& setup, std::span<const StepBody> bodies, const ContactSet& found,
                  const WorldState& state);
  void add_earlier(bool first);
  [[nodiscard]] bool any_beyond_cap() const;
  void displace_island(const WorldSetup& setup, const Collision& collision, int island, WorldState& state);
  [[nodiscard]] bool is_driven(const WorldSetup& setup) const;
  [[nodiscard]] bool is_jammed(const WorldSetup& setup, int node) const;
  bool keep_jams(const WorldSetup& setup);
  void solve_rows(const WorldSetup& setup, double deepest);
  void assemble_rows(const WorldSetup& setup, double reach);
  void take_solution();
  void note_pushes(const WorldSetup& setup, int island);
  void fill_rows(const WorldSetup& setup, const Collision& collision, int island, const WorldState& state);
  void keep_closed();
  [[nodiscard]] std::span<const ContactPoint> points(const Collision& collision, int patch) const;

  int islands_ = 0, unsolved_ = 0;
  std::vector<Pose> poses_;
  std::vector<char> moves_;
  std::vector<Patch> patches_;  ///< first and count are those of the collision's points, or of earlier_points_
  std::vector<Pair> pairs_;     ///< by patch
  std::vector<Earlier> earlier_;
  std::vector<ContactPoint> earlier_points_;
  Islands partition_;
  std::vector<BodyForm::Roots> roots_;  ///< by node
  std::vector<NormalRow> rows_;
  std::vector<Displaced> displaced_;  ///< by node
  std::vector<char> jammed_;          ///< by node
  int round_ = 0;
  double residual_ = 0;
  std::vector<OverlapPush> pushes_;
  std::unique_ptr<OuterSolver> solver_;
  ContactProblem problem_;
  SetList sets_;
  std::vector<std::size_t> chosen_;  ///< rows of the problem
  std::vector<BodyContact> jacobians_;
  std::vector<ContactVec> room_, lambda_;
  AlignedVector<Pack> response_;
  std::vector<Vec3> shift_, turn_;  ///< by node
};

}  // namespace repose
