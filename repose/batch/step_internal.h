// SPDX-License-Identifier: Apache-2.0
// One step of one world: collide, solve, integrate. The same source for host and device; docs/decisions/011-batch.md.
#pragma once

#include <type_traits>

#include "repose/batch/events_internal.h"
#include "repose/batch/joints_internal.h"
#include "repose/batch/overlap_internal.h"
#include "repose/batch/solve_internal.h"
#include "repose/collision/kernels_internal.h"
#include "repose/world/gap_filter_kernel.h"
#include "repose/world/rotor_kernel.h"

namespace repose::batch {

/// Threads of a team, contacts of a thread, features of the model: what a kernel is compiled for.
template <int W, int S, int kFeatures, int kRoomPoints, int kRoomVertices, int kRoomEdges, int kWalk>
struct SizeClass {
  static constexpr int kThreads = W, kSlots = S, kPoints = kRoomPoints;
  static constexpr bool kHasCylinders = (kFeatures & kCylinders) != 0, kIsScheduled = (kFeatures & kScheduled) != 0;
  static constexpr bool kHasJoints = (kFeatures & batch::kJoints) != 0;
  using Room = collision::FixedRoom<kRoomPoints, kRoomVertices, kRoomEdges, kWalk>;
};
/// Memory of a pair function, for hulls of so many vertices and edges; robots have larger ones. Touching hulls that are
/// larger still are left to the host.
template <int W, int S, int kFeatures>
using TeamSize = std::conditional_t<(kFeatures & kJoints) != 0, SizeClass<W, S, kFeatures, 96, 128, 256, 2048>,
                                    SizeClass<W, S, kFeatures, 48, 32, 64, 32>>;

/// Share of the size of the smallest body of its island by which a body moves before its pose follows: decision 008.
inline constexpr double kRestShare = 1e-11;
/// Share of the residual at which impulses of the step before do, after a step that iterated: its impulses also stop
/// what was moving, and the next step starts from them although nothing moves any more. Without this the two kinds of
/// step alternate for ever (kAfterIterations of repose/world/island.cpp).
inline constexpr double kAfterIterations = 0.5;
/// WorldHeader::distrust after one step whose guessed modes did not lead to the answer, and how many steps begin with
/// the interior point after two in a row.
inline constexpr int kDoubt = 1, kUntrusted = 8;
/// Share of its thickness by which a body moves in a step before overlap is looked for: kNearTravel of a World.
inline constexpr double kNearTravel = 0.01;
/// Solves after the first one of a step with joints.
inline constexpr int kJointPasses = 12;

/// The joints of models that have some.
template <class Size, bool kHas = Size::kHasJoints>
struct MaybeJoints {
  using Type = Joints<Size>;
};
struct NoJoints {
  template <class... Any>
  REPOSE_TEAM_HD NoJoints(const Any&...) {}
};
template <class Size>
struct MaybeJoints<Size, false> {
  using Type = NoJoints;
};
template <class Size>
using JointsIf = typename MaybeJoints<Size>::Type;

template <class Size>
class Step {
 public:
  static constexpr int W = Size::kThreads, S = Size::kSlots;

  REPOSE_TEAM_HD Step(Work<W> work, StateView state, ContactSlots<Size>& slots)
      : work_(work),
        state_(state),
        c_(slots),
        collide_{work_, team_, state_, 0, 0},
        factor_{work_, team_},
        contacts_{work_, team_, collide_, c_},
        joints_{work_, team_, collide_, contacts_, c_, factor_} {}

  /// Whether the lists of the last step have room here. Otherwise the host takes the next step, too.
  REPOSE_TEAM_HD static bool has_room(const Tables& tables, const WorldHeader& world) {
    return world.pairs <= tables.capacity.pairs && world.contacts <= tables.capacity.contacts;
  }

  REPOSE_TEAM_HD void load() {
    const WorldHeader& world = state_.header();
    const int n = bodies();
    collide_.steps = world.steps;
    collide_.flip = world.flip;
    last_pairs_ = world.pairs;
    last_contacts_ = world.contacts;
    unchecked_ = world.unchecked != 0;
    iterated_ = world.iterated != 0;
    distrust_ = world.distrust;
    restless_ = world.restless != 0;
    team_.each(6 * n, [&](int k) {
      if (k < 3 * n) work_.x()[k] = state_.x()[k];
      if (k < 4 * n) work_.q()[k] = state_.q()[k];
      work_.velocity()[k] = state_.velocity()[k];
      work_.pending()[k] = state_.pending()[k];
    });
    team_.each(n, [&](int b) { take_state(b); });
    if constexpr (Size::kIsScheduled)
      team_.each(work_.tables().capacity.presence, [&](int k) { work_.presence()[k] = state_.presence()[k]; });
    if constexpr (Size::kHasJoints)
      team_.each(work_.tables().capacity.coordinates, [&](int k) { work_.coordinate()[k] = state_.coordinate()[k]; });
    team_.each(last_pairs_ + 1, [&](int k) {
      work_.last_first()[k] = state_.first()[k];
      if (k < last_pairs_) work_.last_candidate()[k] = state_.candidate()[k];
    });
    team_.each(3 * last_pairs_, [&](int k) { work_.last_normal()[k] = state_.normal()[k]; });
    team_.each(3 * last_contacts_, [&](int k) { work_.lambda()[k] = state_.lambda()[k]; });
    team_.each(last_contacts_, [&](int k) { work_.feature()[k] = state_.feature()[k]; });
    team_.each(n, [&](int b) { work_.adjacent()[b] = ~0ull; });  // no graph has this row
  }

  REPOSE_TEAM_HD void save(WorldStatus status) {
    WorldHeader& world = state_.header();
    const int n = bodies();
    team_.each(6 * n, [&](int k) {
      if (k < 3 * n) state_.x()[k] = work_.x()[k];
      if (k < 4 * n) state_.q()[k] = work_.q()[k];
      state_.velocity()[k] = work_.velocity()[k];
      state_.pending()[k] = work_.pending()[k];
    });
    team_.each(last_pairs_ + 1, [&](int k) {
      state_.first()[k] = work_.last_first()[k];
      if (k < last_pairs_) state_.candidate()[k] = work_.last_candidate()[k];
    });
    team_.each(3 * last_pairs_, [&](int k) { state_.normal()[k] = work_.last_normal()[k]; });
    if constexpr (Size::kIsScheduled)
      team_.each(work_.tables().capacity.presence, [&](int k) { state_.presence()[k] = work_.presence()[k]; });
    if constexpr (Size::kHasJoints) joints_.save();
    team_.each(3 * last_contacts_, [&](int k) { state_.lambda()[k] = work_.lambda()[k]; });
    team_.each(last_contacts_, [&](int k) { state_.feature()[k] = work_.feature()[k]; });
    team_.each(1, [&](int) {
      world.steps = collide_.steps;
      world.flip = collide_.flip;
      world.pairs = last_pairs_;
      world.contacts = last_contacts_;
      world.unchecked = unchecked_;
      world.iterated = iterated_;
      world.distrust = distrust_;
      world.restless = restless_;
      world.status = status;
      if (totals_.steps > 0) world.r_c = r_c_, world.nat = nat_, world.joint_error = joint_error_;
      add(world.totals);
    });
  }

  /// Takes a step. Anything but kReady: it was not taken, and nothing has changed.
  REPOSE_TEAM_HD WorldStatus advance() {
    start();
    if (const WorldStatus status = find_contacts(); status != WorldStatus::kReady) return status;
    pose_problem();
    SolveReport report;
    if (!solve(report)) return WorldStatus::kUnsolved;
    if (!fits()) return WorldStatus::kBroken;
    if (count_ > 0 && collide_.reaches_further(pairs_, work_.y_trial())) return WorldStatus::kAhead;
    note(report.r_c, report.nat, report.newton, report.factors, report.warm, true);
    iterated_ = contacts_.total() > 0 && !report.warm;
    unchecked_ = integrate();
    commit();
    return WorldStatus::kReady;
  }

  REPOSE_TEAM_HD long long steps() const { return collide_.steps; }

#if !defined(__CUDACC__)
  /// How long the lists of the present poses are.
  template <class Needs>
  Needs measure() {
    start();
    const WorldStatus status = find_contacts();
    if (status != WorldStatus::kReady && status != WorldStatus::kOverlap) return {};
    const int n = bodies();
    const int updates = max_of(work_.lower_first()[levels_], work_.update_first()[levels_]);
    return {pairs_, count_, work_.row_first()[n], updates, true};
  }
  /// The first half of a step that the host finishes: the problem. kOverlap counts as ready.
  WorldStatus pose(StepContact* list, StepProblem& problem) {
    start();
    const WorldStatus status = find_contacts();
    if (status != WorldStatus::kReady && status != WorldStatus::kOverlap) return status;
    pose_problem();
    for (int i = 0; i < count_; ++i) {
      const int p = work_.pair_of()[i];
      const ContactVec l = c_.centre[i];
      list[i] = {work_.candidate()[p],
                 c_.feature[i],
                 work_.points()[p * collide_.point_stride(pairs_) + i - work_.first()[p]].position,
                 batch::load(work_.frame() + 9 * p + 6),
                 c_.mu[i],
                 c_.gap[i],
                 c_.closing[i],
                 contacts_.bias(p, i, i),
                 {l.t1, l.t2, l.n}};
    }
    team_.each(bodies(), [&](int b) {  // y(0) is free until the solve
      store(work_.y(0) + 6 * b, collide_.velocity_before(b));
      store(work_.y(0) + 6 * b + 3, batch::load(work_.velocity() + 6 * b + 3));
    });
    problem = {.bodies = bodies(),
               .contacts = count_,
               .list = list,
               .x = work_.x(),
               .q = work_.q(),
               .velocity = work_.free(),
               .before = work_.y(0),
               .friction = state_.header().friction,
               .pending = work_.pending(),
               .presence = presence(),
               .coordinates = Size::kHasJoints ? work_.coordinate() : nullptr,
               .joint_lambda = state_.joint_lambda(),
               .controls = state_.control(),
               .steps = age()};
    return WorldStatus::kReady;
  }
  /// Removes overlap that the step before may have made.
  template <class Correct>
  void check_overlap(const Correct& correct) {
    if (unchecked_) correct(end_of(nullptr, true));
    unchecked_ = false;
  }
  /// The second half: with the host's impulses and its removal of overlap.
  template <class Correct>
  WorldStatus finish(const StepProblem& problem, const StepHelp& help, const Correct& correct) {
    for (int i = 0; i < count_; ++i)
      c_.centre[i] = {help.lambda[3 * i], help.lambda[3 * i + 1], help.lambda[3 * i + 2]};
    for (int i = count_; i < contacts_.total(); ++i) {
      const double* from = help.joint_lambda + 3 * (i - count_);
      c_.centre[i] = {from[0], from[1], from[2]};
    }
    team_.each(6 * bodies(), [&](int k) { work_.y_trial()[k] = help.change[k]; });
    if (!fits()) return WorldStatus::kBroken;
    if (pairs_ > state_.layout->pairs || count_ > state_.layout->contacts) return WorldStatus::kTooLarge;
    iterated_ = true;
    const bool far = integrate();
    correct(end_of(&problem, far));
    note(help.r_c, help.nat, 0, 0, false, help.solved);
    ++totals_.finished;
    commit();
    return WorldStatus::kReady;
  }
#endif

 private:
  /// A caller may write states. Quaternions of length zero or not finite make the world break down in all_near().
  REPOSE_TEAM_HD void take_state(int b) const {
    const BodyTable& body = work_.tables().bodies[b];
    double* v = work_.velocity() + 6 * b;
    if (body.held != 0) {
      store(v, allowed(body, 0, batch::load(v)));
      store(v + 3, allowed(body, 3, batch::load(v + 3)));
    }
    double* q = work_.q() + 4 * b;
    const Quat given = load_quat(q);
    const double length = norm(given);
    if (std::abs(length - 1) <= 1e-12) return;
    store_quat(q, normalized(given));
    if (!(length > 0 && length < kHuge)) work_.x()[3 * b] = kHuge;
  }
  REPOSE_TEAM_HD int bodies() const { return work_.tables().capacity.bodies; }
  /// Steps since the world's own t = 0.
  REPOSE_TEAM_HD long long age() const { return collide_.steps - state_.header().born; }
  REPOSE_TEAM_HD const unsigned* presence() const {
    return work_.tables().capacity.presence > 0 ? work_.presence() : nullptr;
  }
#if !defined(__CUDACC__)
  StepEnd end_of(const StepProblem* step, bool far) {
    return {step,         presence(), age() + (step ? 1 : 0), far,
            work_.x(),    work_.q(),  work_.velocity(),       Size::kHasJoints ? work_.coordinate() : nullptr,
            &joint_error_};
  }
#endif

  REPOSE_TEAM_HD Events<Size> events() const { return {work_, team_, state_}; }
  /// Events, poses of bodies with a prescribed motion, velocities with gravity and forces.
  REPOSE_TEAM_HD void start() {
    if constexpr (Size::kIsScheduled) {
      if (events().apply_due(age())) kept_ = false;
      driven_ = collide_.find_drives(age());
    }
    if constexpr (Size::kHasJoints) joints_.prepare();
    collide_.free_motion(kept_);
  }

  /// Free velocities, biases and starts of contacts and blocks of joints.
  REPOSE_TEAM_HD void pose_problem() {
    contacts_.count = factor_.contacts = count_;
    contacts_.levels = levels_;
    contacts_.start();
    if constexpr (Size::kHasJoints) joints_.fill();
  }

  /// Afterwards y_trial has the velocity changes. Returns whether they are solved within the tolerance, and the joints
  /// hold at the end of the step.
  REPOSE_TEAM_HD bool solve(SolveReport& report) {
    if (contacts_.total() == 0) {
      team_.each(6 * bodies(), [&](int k) { work_.y_trial()[k] = 0; });
      return true;
    }
    if constexpr (Size::kHasJoints)
      return solve_with_joints(report);
    else
      return solve_once(report);
  }
  REPOSE_TEAM_HD bool solve_once(SolveReport& report) {
    const Tables& t = work_.tables();
    const double enough = (iterated_ ? kAfterIterations : 1.0) * t.start_share * t.tolerance;
    const bool trusts = Size::kHasJoints || distrust_ <= kDoubt;
    Solve<Size> solve{work_,    team_,   contacts_, c_,     factor_,  contacts_.total(),
                      islands_, levels_, enough,    trusts, restless_};
    if constexpr (!Size::kHasJoints) solve.factored = fresh_ ? -1 : factored_;
    solve.run();
    restless_ = solve.starts_far;
    if constexpr (!Size::kHasJoints) {
      factored_ = solve.factored;
      if (!trusts)
        --distrust_;
      else
        distrust_ = solve.attempt == Solve<Size>::kFromStart ? 0 : distrust_ == kDoubt ? kDoubt + kUntrusted : kDoubt;
    }
    solve.report.newton += report.newton, solve.report.factors += report.factors;
    solve.report.warm = solve.report.warm && (report.newton == 0);
    report = solve.report;
    return report.worst() <= t.tolerance;
  }
  /// Solves alternate with Newton's method on the position constraint of the joints, as in
  /// repose/world/island_joints.cpp.
  REPOSE_TEAM_HD bool solve_with_joints(SolveReport& report) {
    contacts_.respond();
    bool changed = false;
    for (int pass = 0; pass <= kJointPasses; ++pass) {
      const double goal = pass == 0   ? JointsIf<Size>::kStartGoal
                          : pass <= 2 ? JointsIf<Size>::kGoal
                                      : JointsIf<Size>::kLateGoal;
      if (!joints_.hold(goal, changed, joint_error_)) return false;
      if (pass > 0 && !changed) return true;
      if (changed && pass > 0) contacts_.respond();
      if (!solve_once(report)) return false;
    }
    return joints_.find_error() <= JointsIf<Size>::kLateGoal;
  }

  /// Collides where something has moved; otherwise the contacts of the last step are those of this one, to the bit.
  REPOSE_TEAM_HD bool removes_itself() const { return !Size::kHasJoints && work_.tables().quick_removal != 0; }
  REPOSE_TEAM_HD WorldStatus find_contacts() {
    const bool slow = collide_.all_slow();
    fresh_ = !(kept_ && slow);
    if (!fresh_) return WorldStatus::kReady;
    settled_ = false;
    if (!slow && !collide_.all_near(work_.tables().far)) return WorldStatus::kBroken;
    bool deep = false, displaced = false;
    for (int round = 0;; ++round) {
      collide_.place_colliders();
      pairs_ = collide_.find_pairs(last_pairs_);
      if (pairs_ < 0) return WorldStatus::kCapacity;
      collide_.find_points(pairs_);
      if (collide_.flagged(pairs_, kExceeded)) return WorldStatus::kCapacity;
      count_ = collide_.number_contacts(pairs_);
      if (count_ > work_.tables().capacity.contacts) return WorldStatus::kCapacity;
      const bool sunk = collide_.flagged(pairs_, kSunk);
      settled_ = slow && !sunk && !collide_.flagged(pairs_, kChanged);
      deep = collide_.flagged(pairs_, kDeep) || (collide_.steps % work_.tables().removal_period == 0 && sunk);
      // What a world starts with is older than its first step, which leaves it.
      if (!deep || !removes_itself() || age() == 0 || round == Overlap<Size>::kRounds) break;
      if (!Overlap<Size>{work_, team_, collide_}.remove(pairs_, round)) break;
      displaced = true;
      collide_.free_motion(false);
    }
    if (displaced) settled_ = false;
    if (factor_.take_graph(pairs_)) levels_ = -1;
    islands_ = factor_.find_islands();
    contacts_.take(count_, pairs_, state_.header().friction);
    find_least_motions();
    if (levels_ < 0) levels_ = factor_.analyse();
    if (levels_ < 0) return WorldStatus::kCapacity;
    return deep && !removes_itself() ? WorldStatus::kOverlap : WorldStatus::kReady;
  }

  /// Motion that a pose shows, by island.
  REPOSE_TEAM_HD void find_least_motions() const {
    team_.each(bodies(), [&](int b) {
      double size = kHuge;
      for (int a = 0; a < bodies(); ++a)
        if (work_.island()[a] == work_.island()[b]) size = min_of(size, work_.tables().bodies[a].size);
      work_.least()[b] = kRestShare * size;
    });
  }

  /// Whether the new velocities are finite and keep every body within the scene.
  REPOSE_TEAM_HD bool fits() const {
    const Tables& t = work_.tables();
    return !team_.any(bodies(), [&](int b) {
      const double *free = work_.free() + 6 * b, *change = work_.y_trial() + 6 * b;
      const Vec3 v = batch::load(free) + batch::load(change), w = batch::load(free + 3) + batch::load(change + 3);
      return !(norm(batch::load(work_.x() + 3 * b)) + t.h * norm(v) < t.far && norm(w) < kHuge);
    });
  }

  REPOSE_TEAM_HD void note(double r_c, double nat, int newton, int factors, bool warm, bool solved) {
    r_c_ = r_c;
    nat_ = nat;
    totals_.steps += 1;
    totals_.solved += solved;
    totals_.warm += warm;
    totals_.newton += newton;
    totals_.factors += factors;
    totals_.contacts += count_;
    totals_.worst = max_of(totals_.worst, max_of(r_c, nat));
    totals_.joint_error = max_of(totals_.joint_error, joint_error_);
  }
  REPOSE_TEAM_HD void add(WorldTotals& to) const {
    to.steps += totals_.steps, to.solved += totals_.solved, to.finished += totals_.finished, to.warm += totals_.warm;
    to.newton += totals_.newton, to.factors += totals_.factors, to.contacts += totals_.contacts;
    to.worst = max_of(to.worst, totals_.worst);
    to.joint_error = max_of(to.joint_error, totals_.joint_error);
  }

  /// Velocities, poses. A body at rest collects motions too small to show (decision 008). Returns whether a body has
  /// moved far enough to overlap another one.
  REPOSE_TEAM_HD bool integrate() {
    const bool moved = team_.any(bodies(), [&](int b) { return collide_.moves(b) && integrate_body(work_, b); });
    kept_ = settled_ && !moved && !driven_;
    return (moved && team_.any(bodies(), [&](int b) { return moves_far(b); })) || (driven_ && drives_far());
  }
  REPOSE_TEAM_HD bool drives_far() const {
    const Tables& t = work_.tables();
    return team_.any(t.capacity.motions, [&](int k) {
      return work_.travel()[t.capacity.bodies + k] > kNearTravel * t.motions[k].thickness;
    });
  }
  REPOSE_TEAM_HD bool moves_far(int b) const {
    const Tables& t = work_.tables();
    const double *free = work_.free() + 6 * b, *change = work_.y_trial() + 6 * b;
    const Vec3 v = batch::load(free) + batch::load(change), w = batch::load(free + 3) + batch::load(change + 3);
    return t.h * norm(v) + t.bodies[b].spin_reach * min_of(t.h * norm(w), kLargestTurn) >
           kNearTravel * t.bodies[b].thickness;
  }
  REPOSE_TEAM_CALL static bool integrate_body(Work<W> work, int b) {
    const Tables& t = work.tables();
    const BodyTable& body = t.bodies[b];
    const double *free = work.free() + 6 * b, *change = work.y_trial() + 6 * b;
    const Vec3 v = batch::load(free) + batch::load(change);
    Vec3 w = batch::load(free + 3) + batch::load(change + 3);
    double* pending = work.pending() + 6 * b;
    const Vec3 shift = batch::load(pending), angle = batch::load(pending + 3);
    const bool touches = Factor<Size>{work, {}}.is_touched(b);
    store(work.velocity() + 6 * b, v);
    if (touches) {
      const Vec3 far = shift + t.h * v, turned = angle + t.h * w;
      if (norm(far) + 0.5 * body.size * norm(turned) <= work.least()[b]) {
        store(work.velocity() + 6 * b + 3, w);
        store(pending, far);
        store(pending + 3, turned);
        return false;
      }
    }
    Vec3 x = batch::load(work.x() + 3 * b);
    Quat q = load_quat(work.q() + 4 * b);
    displace(body, shift, angle, x, q, w);
    store(pending, Vec3{});
    store(pending + 3, Vec3{});
    x = x + t.h * v;
    if (body.turns_freely())
      rotate_freely(body.rotor, t.h, q, w);
    else
      q = normalized(exponential(t.h * w) * q);
    store(work.x() + 3 * b, x);
    store_quat(work.q() + 4 * b, q);
    store(work.velocity() + 6 * b + 3, w);
    return true;
  }
  /// The pairs, impulses and features of this step become those of the last one.
  REPOSE_TEAM_HD void commit() {
    team_.template contacts<S>(count_, [&](int i, int k) {
      double* l = work_.lambda() + 3 * i;
      l[0] = c_.centre[k].t1, l[1] = c_.centre[k].t2, l[2] = c_.centre[k].n;
      work_.feature()[i] = c_.feature[k];
    });
    if constexpr (Size::kIsScheduled) events().age_pushes();
    if constexpr (Size::kHasJoints) joints_.commit();
    ++collide_.steps;
    last_contacts_ = count_;
    if (fresh_) {
      collide_.flip = 1 - collide_.flip;
      last_pairs_ = pairs_;
      team_.each(pairs_ + 1, [&](int k) {
        work_.last_first()[k] = work_.first()[k];
        if (k == pairs_) return;
        work_.last_candidate()[k] = work_.candidate()[k];
        store(work_.last_normal() + 3 * k, batch::load(work_.frame() + 9 * k + 6));
      });
    }
    team_.sync();
  }

  Work<W> work_;
  Team<W> team_;
  StateView state_;
  ContactSlots<Size>& c_;
  Collide<Size> collide_;
  Factor<Size> factor_;
  Contacts<Size> contacts_;
  JointsIf<Size> joints_;
  int pairs_ = 0, count_ = 0, last_pairs_ = 0, last_contacts_ = 0, islands_ = 0, levels_ = -1;
  bool kept_ = false;     ///< the contacts of the last step are those of this one
  bool settled_ = false;  ///< another collision at the same poses would change nothing
  bool fresh_ = true;     ///< this step has collided
  bool unchecked_ = false;
  bool iterated_ = false;  ///< the last step was not solved by the impulses of the one before
  bool driven_ = false;    ///< a prescribed motion moves a body in this step
  int distrust_ = 0;       ///< WorldHeader::distrust
  bool restless_ = false;  ///< the last step started far from its answer
  double factored_ = -1;   ///< α of the factor that the last step left: that of this step while contacts are kept
  double r_c_ = 0, nat_ = 0;
  double joint_error_ = 0;  ///< position error at the end of the step, as a share of the mechanism's size
  WorldTotals totals_;
};

}  // namespace repose::batch
