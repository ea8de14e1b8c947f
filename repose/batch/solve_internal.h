// SPDX-License-Identifier: Apache-2.0
// The contact problem of one world: certificate and proximal Newton, by one team.
//
//   F(y) = M y − Jᵀ AC(λ, J y + v_f),   K = M + Jᵀ D J,   y: velocity changes of the bodies
//
// A proximal step solves F = 0 for the steps g = α/ρ of the Alart–Curnier map and takes λ ← AC. Its first Newton step
// holds modes: each contact keeps the mode of the impulse it starts from (inside the cone: stick). The first proximal
// step has α = 1e9, and most steps of a structure that is disturbed need nothing else. Where many modes change, an
// interior point follows (interior_internal.h), and a proximal step with α = 1e8 in the modes that it has found; then
// small α that grow as on the host (repose/stage/prox_newton.cpp). While α and all modes stay, the factor of K is used
// again, in the next step too if its contacts are those of this one (docs/decisions/040-kept-factors.md).
#pragma once

#include "repose/batch/contacts_internal.h"
#include "repose/batch/interior_internal.h"
#include "repose/contact/violation.h"
#include "repose/set/alart_curnier.h"
#include "repose/set/fixed_mode.h"

namespace repose::batch {

inline constexpr double kScale = 1e-12;  ///< kScaleFloor of the judge

/// The interior point of models without joints.
template <class Size, bool kHas = !Size::kHasJoints>
struct MaybeInterior {
  using Type = Interior<Size>;
};
struct NoInterior {
  template <class... Any>
  REPOSE_TEAM_HD NoInterior(const Any&...) {}
};
template <class Size>
struct MaybeInterior<Size, false> {
  using Type = NoInterior;
};
template <class Size>
using InteriorIf = typename MaybeInterior<Size>::Type;

struct SolveReport {
  double r_c = 0, nat = 0;
  int newton = 0, factors = 0;
  bool warm = false;  ///< the start was good enough
  REPOSE_TEAM_HD double worst() const { return r_c > nat ? r_c : nat; }
};

template <class Size>
struct Solve {
  static constexpr int W = Size::kThreads, S = Size::kSlots;
  static constexpr double kGuessAlpha = W <= 8 ? 1e9 : 1e8, kHeldAlpha = 1e8, kLargestAlpha = 1e11;
  static constexpr double kFarAbove = 1e-3;   ///< residual of a start that is far from the answer
  static constexpr double kHoldAbove = 1e-7;  ///< residual above which a proximal step holds modes first
  /// Newton steps: of the run before the interior point, of its proximal steps; of a step in held modes; of a step that
  /// only improves an answer within the tolerance.
  static constexpr int kFirstBudget = 8, kFirstNewton = 12, kHeldNewton = 5, kPolishNewton = 1;
  static constexpr int kInteriorIterations = 40;  ///< factorisations of the interior point
  static constexpr double kEnoughInside = 1e-4;   ///< residual at which the interior point ends first
  static constexpr double kColdAbove = 10;        ///< residual above which it starts from soft contacts
  static constexpr double kSoft = 10;             ///< their stiffness, in units of 1/ρ
  static constexpr double kShortStep = 0.1;       ///< a shorter step shows that the path does not lead on

  /// What is being tried: proximal Newton from the start, the interior point and Newton after it, and proximal Newton
  /// from the best impulses with a small α, then from zero.
  enum Attempt { kFromStart, kInterior, kFromBest, kFromZero };

  Work<W> work;
  Team<W> team;
  const Contacts<Size>& contacts;
  ContactSlots<Size>& c;
  Factor<Size> factor;
  int count;  ///< contacts and blocks of joints
  int islands, levels;
  double enough_at_start;  ///< residual at which the impulses of the step before do
  bool trusts;             ///< tries guessed modes before the interior point
  bool restless;           ///< the step before started far from its answer
  InteriorIf<Size> interior{work, team, contacts, c, factor, count, levels};

  SolveReport report{};
  int now = 0;  ///< y(now) are the current velocity changes
  double alpha = 1, fallback = 1, current = 0, best = kHuge, factored = -1;
  int attempt = kFromStart, failures = 0, polished = 0, used = 0, budget = 0;
  bool starts_far = false;  ///< from the answer: nothing is at rest
  bool guess = false;       ///< the next proximal step is one in held modes with the largest α
  bool inside = false;      ///< iterations of the interior point
  bool natural = false;     ///< modes are those of impulse and velocity at the scale 1/ρ, not of the impulse alone
  bool resumed = false, stalled = false;  ///< the interior point
  double enough_inside = kEnoughInside;
  int iterations = 0;                    ///< of the interior point
  bool at_start = true, at_end = false;  ///< certificate: of the start; of the answer
  bool restart = true;                   ///< the next step starts from c.centre: nothing is left of the one before
  bool enters = false;                   ///< the interior point has been started, and has made no step

  /// Solves from c.centre. Afterwards y_trial has the velocity changes of c.centre, whose certificate is in the report.
  REPOSE_TEAM_HD void run() {
    const unsigned company = team.company();
    bool goes_on = true;
    while (team.together(company, goes_on))
      if (goes_on) goes_on = improve();
  }

 private:
  /// Scores c.centre and moves it. False: it is the answer.
  REPOSE_TEAM_HD bool improve() {
    const Tables& t = work.tables();
    const double tolerance = t.tolerance, aim = t.aim_share * tolerance;
    bool better = false;
    if (!enters) {
      certify(at_start, restart);
      if (at_end) return false;
      better = current < best;
      if (better || at_start) keep_best();
      if (at_start && current <= enough_at_start) {
        report.warm = true;
        return false;
      }
      if (at_start && begin()) return true;
    }
    if constexpr (!Size::kHasJoints) {
      if (inside) return improve_inside();
    }
    if (!restart) {  // after a proximal step
      const bool enough = best <= aim || (best <= tolerance && ++polished > 1);
      if (enough && better) return false;
      if (enough) return end_with_best();
      grow();
    }
    at_start = false;
    if (restart) copy(work.y(now), work.y_trial());
    restart = !proximal_step();
    if (!restart) return true;
    if (best <= tolerance && current == best) return false;  // y_trial is still its response
    if (attempt == kFromZero || best <= tolerance || report.newton >= t.newton_budget) return end_with_best();
    next_attempt();
    enters = inside;
    return true;
  }
  REPOSE_TEAM_HD bool end_with_best() {
    take_best();
    return at_end = true;
  }
  /// A step of the interior point, or what follows it.
  REPOSE_TEAM_HD bool improve_inside() {
    const double tolerance = work.tables().tolerance;
    if (enters) interior.resume(now);
    const bool moved = (enters || (best > enough_inside && best > tolerance)) && interior_step();
    if (enters) restart = !moved;
    if (!enters && !moved) {
      leave_interior();
      at_end = best <= tolerance;
      restart = true;
    }
    enters = false;
    return true;
  }

  REPOSE_TEAM_HD int bodies() const { return work.tables().capacity.bodies; }
  REPOSE_TEAM_HD void copy(double* to, const double* from) const {
    team.each(6 * bodies(), [&](int k) { to[k] = from[k]; });
  }
  REPOSE_TEAM_HD void keep_best() {
    best = current;
    team.template contacts<S>(count, [&](int, int k) { c.best[k] = c.centre[k]; });
  }
  REPOSE_TEAM_HD void take_best() {
    team.template contacts<S>(count, [&](int, int k) { c.centre[k] = c.best[k]; });
  }
  /// Returns whether the interior point has been started.
  REPOSE_TEAM_HD bool begin() {
    alpha = fallback = min_of(max_of(2 / current, 30.0), 1e4);
    budget = min_of(kFirstBudget, work.tables().newton_budget);
    guess = trusts;
    starts_far = current > kFarAbove;
    if (trusts) return false;
    at_start = false;
    next_attempt();
    return enters = true;
  }
  /// What comes after a run of proximal steps that has failed.
  REPOSE_TEAM_HD void next_attempt() {
    failures = polished = 0;
    budget = work.tables().newton_budget;
    if constexpr (Size::kHasJoints) {
      if (attempt == kFromStart) attempt = kInterior;  // joints do without
    } else {
      if (attempt == kFromStart) return start_interior();
      if (attempt == kInterior && !resumed && !stalled) return resume_interior();
    }
    ++attempt;
    alpha = attempt == kFromBest ? 3.0 : 10.0;
    const bool from_best = attempt == kFromBest;
    team.template contacts<S>(count, [&](int, int k) { c.centre[k] = from_best ? c.best[k] : ContactVec{}; });
  }
  REPOSE_TEAM_HD void grow() {
    if (used <= 1 && failures == 0 && current < 1e-6 && alpha >= kHeldAlpha) return;  // the factor stays valid
    double factor_on_alpha = used <= 1 ? 30.0 : used <= 3 ? 10.0 : used <= 6 ? 4.0 : 2.0;
    if (failures > 0) factor_on_alpha = min_of(factor_on_alpha, 2.5);
    alpha = min_of(alpha * factor_on_alpha, kLargestAlpha);
  }

  // ---- interior point
  // --------------------------------------------------------------------------------------------------

  REPOSE_TEAM_HD void start_interior() {
    attempt = kInterior;
    inside = true;
    factored = -1;
    take_best();
    contacts.respond();
    copy(work.y(now), work.y_trial());
    take_velocities();
    if (best <= kColdAbove) return interior.start_near();
    interior.start_soft(kSoft, now);
    ++report.factors;
  }
  REPOSE_TEAM_HD void resume_interior() {
    inside = resumed = true;
    factored = -1;
    enough_inside = min_of(0.1 * enough_inside, 0.3 * best);
  }
  REPOSE_TEAM_HD void leave_interior() {
    inside = false;
    take_best();
    guess = natural = true;
  }
  /// Moves c.centre by an iteration of the interior point. False: there is none to make, or its step is short.
  REPOSE_TEAM_HD bool interior_step() {
    if (iterations >= kInteriorIterations || report.newton >= budget) return false;
    const double length = interior.iterate(now);
    ++iterations, ++report.newton, ++report.factors;
    stalled = length < kShortStep;
    if (stalled) return false;
    interior.move(length, now);
    team.template contacts<S>(count,
                              [&](int, int k) { c.centre[k] = project_onto_cone(interior.impulse(k), c.mu[k]); });
    return true;
  }

  // ---- certificate
  // ----------------------------------------------------------------------------------------------------

  /// Scores c.centre; writes y_trial and, with `take`, c.v. `first` fixes the scales.
  REPOSE_TEAM_HD void certify(bool first, bool take) {
    contacts.respond();
    report.r_c = report.nat = 0;
    const bool one = islands == 1;
    REPOSE_KEEP_LOOP
    for (int b = 0; b < (one ? 1 : bodies()); ++b)
      if (one || (work.island()[b] == b && factor.is_touched(b))) score(one ? -1 : b, first, take);
    current = report.worst();
  }
  REPOSE_TEAM_HD int island_of(int i) const {
    if constexpr (Size::kHasJoints) {
      if (contacts.is_joint(i)) {
        const JointTable& joint = work.tables().joints[work.tables().blocks[i - contacts.count].joint];
        return work.island()[joint.node_b >= 0 ? joint.node_b : joint.node_a];
      }
    }
    const int p = work.pair_of()[i], b = work.node_b()[p];
    return work.island()[b >= 0 ? b : work.node_a()[p]];
  }
  /// Adds the certificate of one island, or of all contacts with −1.
  REPOSE_TEAM_HD void score(int island, bool first, bool take) {
    double r[7];
    team.template sum_contacts<S>(
        count,
        [&](int i, int k, double* sums) {
          if (island >= 0 && island_of(i) != island) return;
          const ContactVec v = contacts.relative(i, k, work.y_trial()) + c.v_free[k];
          if (take) c.v[k] = v;
          const Violation<double> one = violation_of(k, v);
          sums[0] += one.force, sums[1] += one.velocity, sums[2] += one.gap, sums[3] += one.natural;
          sums[4] += one.lambda, sums[5] += one.v_aug, sums[6] += squared_norm(c.v_free[k]);
        },
        r);
    double* scales = work.scales() + 2 * max_of(island, 0);
    if (first) {
      if (team.leads()) {
        scales[0] = std::sqrt(r[4]);
        scales[1] = max_of(std::sqrt(max_of(r[5], r[6])), kScale);
      }
      team.sync();
    }
    const double lambda = max_of(std::sqrt(r[4]), kScale), impulse = max_of(lambda, scales[0]), speed = scales[1];
    // The judge's scale ‖v_f‖/λ_max(W) is left out: this can only make the certificate stricter.
    const double force = std::sqrt(r[0]) / impulse, velocity = std::sqrt(r[1]) / speed;
    const double gap = std::abs(r[2]) / (impulse * speed), nat = std::sqrt(r[3]) / lambda;
    const double r_c = max_of(force, velocity, gap);
    const bool finite = force + velocity + gap + nat < kHuge;  // not for NaN
    report.r_c = finite ? max_of(report.r_c, r_c) : kHuge;
    report.nat = finite ? max_of(report.nat, nat) : kHuge;
  }

  // ---- proximal Newton
  // ------------------------------------------------------------------------------------------------

  /// Tries steps of decreasing α. Returns false when none is left to try; true: c.centre has moved.
  REPOSE_TEAM_HD bool proximal_step() {
    const int most_failures = attempt == kFromStart ? 4 : attempt == kInterior ? 5 : 20;
    while (report.newton < budget && failures <= most_failures && alpha >= 1e-6) {
      const bool bold = guess, polish = best <= work.tables().tolerance;
      if (bold) alpha = natural ? kHeldAlpha : kGuessAlpha;
      guess = false;
      const bool accepted = newton(bold || current > kHoldAbove, polish && !bold ? kPolishNewton : most_newton(bold),
                                   polish && starts_far && restless);
      natural = false;
      report.newton += used;
      if (accepted) {
        if (used == 0) used = 1;
        team.template contacts<S>(count, [&](int, int k) { c.centre[k] = mapped(k, c.v[k]); });
        return true;
      }
      // Where a guess fails the interior point is cheaper than steps with small α, once more after its own.
      if (polish || (bold && (attempt == kFromStart || (attempt == kInterior && !resumed && !stalled)))) return false;
      copy(work.y(now), work.y_trial());  // the response of c.centre
      take_velocities();
      if (bold)
        alpha = fallback;
      else
        alpha /= failures++ >= 2 ? 10.0 : 4.0;
    }
    return false;
  }
  REPOSE_TEAM_HD int most_newton(bool bold) const {
    if (bold) return kHeldNewton;
    return attempt == kFromStart ? kFirstNewton : attempt == kInterior ? 15 : 40;
  }
  /// c.v ← velocities of the contacts for y(now).
  REPOSE_TEAM_HD void take_velocities() const {
    team.template contacts<S>(count,
                              [&](int i, int k) { c.v[k] = contacts.relative(i, k, work.y(now)) + c.v_free[k]; });
  }

  /// Newton's method for one proximal step.
  struct NewtonRun {
    double inner;  ///< share of ‖y‖ that ‖F‖ shall reach
    int most;      ///< steps
    bool holds;    ///< the next step holds modes
    bool cheap;    ///< no step that needs another factor
    double F = kHuge, size = 0, last = kHuge, t = 0;
    int halvings = 0;
    bool is_solved = false;
  };
  enum class Next { kDirection, kShorterStep, kEnd };
  /// Newton's method on F from (y(now), c.v) in at most `most` steps. `hold`: the first one holds modes; `cheap`: ends
  /// where another factor would be needed. Returns whether F is small enough.
  REPOSE_TEAM_HD bool newton(bool hold, int most, bool cheap) {
    NewtonRun run{.inner = 1e-3 * min_of(current, 1.0), .most = most, .holds = hold, .cheap = cheap};
    Next next = Next::kDirection;
    used = 0;
    const unsigned company = team.company();
    while (team.together(company, next != Next::kEnd)) {
      if (next == Next::kEnd) continue;
      next = run.holds ? Next::kDirection : take_step(run);
      if (next != Next::kDirection) continue;
      if (!find_direction(run.holds, run.cheap)) {
        next = Next::kEnd;
        continue;
      }
      run.holds = false;
      run.t = 1;
      run.halvings = 0;
      ++used;
    }
    return run.is_solved;
  }
  /// Moves by t along the step where F gets smaller there, and says what comes next.
  REPOSE_TEAM_HD Next take_step(NewtonRun& run) {
    double trial[2];
    evaluate(run.t, trial);
    if (run.t != 0 && !(trial[0] < run.F)) {
      run.t *= 0.5;
      if (++run.halvings <= 7) return Next::kShorterStep;
      run.is_solved = run.F <= 1e3 * run.inner * run.size;
      return Next::kEnd;
    }
    now = 1 - now;
    if (run.t > 0) team.template contacts<S>(count, [&](int, int k) { c.v[k] = c.v[k] + run.t * c.dv[k]; });
    run.F = trial[0];
    run.size = trial[1];
    if (!(run.F < kHuge)) return Next::kEnd;
    const double sharp = run.inner * run.size;
    const bool stands = run.F > 0.5 * run.last && run.F <= 1e3 * sharp;
    run.is_solved = run.F == 0 || (used > 0 && run.F <= sharp) || stands;
    if (run.is_solved) return Next::kEnd;
    run.is_solved = used >= run.most && run.F <= 1e3 * sharp;
    run.last = run.F;
    return used >= run.most ? Next::kEnd : Next::kDirection;
  }

  /// out ← ‖F‖ in the norm of M⁻¹ and ‖y‖ in that of M, at y(now) + t step; this point goes to y(1 − now).
  REPOSE_TEAM_HD void evaluate(double t, double (&out)[2]) const {
    team.template contacts<S>(count, [&](int i, int k) {
      const ContactVec v = t == 0 ? c.v[k] : c.v[k] + t * c.dv[k];
      contacts.put_wrench(i, k, mapped(k, v));
    });
    double *from = work.y(now), *to = work.y(1 - now);
    team.each(6 * bodies(), [&](int it) { to[it] = t == 0 ? from[it] : from[it] + t * work.step()[it]; });
    contacts.gather();
    team.each(6 * bodies(), [&](int it) {
      const int b = it / 6, m = it % 6;
      const double My = times(work.tables().bodies[b].mass, work.inertia() + 6 * b, to + 6 * b, m);
      work.residual()[it] = My - work.residual()[it];
    });
    team.sum(
        6 * bodies(),
        [&](int it, double* sums) {
          const int b = it / 6, m = it % 6;
          const BodyTable& body = work.tables().bodies[b];
          const double *F = work.residual() + 6 * b, *y = to + 6 * b;
          sums[0] += F[m] * times(body.inverse_mass, work.inverse_inertia() + 6 * b, F, m);
          sums[1] += y[m] * times(body.mass, work.inertia() + 6 * b, y, m);
        },
        out);
    out[0] = std::sqrt(out[0]);
    out[1] = std::sqrt(out[1]);
    if (!(out[0] < kHuge)) out[0] = kHuge;
  }

  /// step ← −K⁻¹ F, c.dv ← J step. With `guessing` the slopes of the guessed modes, and F of that linear piece. Returns
  /// false where that is `cheap` no more: the factor is of other modes.
  REPOSE_TEAM_HD bool find_direction(bool guessing, bool cheap) {
    const bool refactor = put_slopes(guessing);
    if (refactor && cheap) {
      factored = -1;
      return false;
    }
    if (refactor) {
      factor.assemble();
      factor.factorise(levels);
      factored = alpha;
      ++report.factors;
    }
    if (guessing) {
      team.template contacts<S>(count, [&](int i, int k) { contacts.put_wrench(i, k, c.dv[k]); });
      contacts.gather();
    }
    team.each(6 * bodies(), [&](int it) { work.step()[it] = guessing ? work.residual()[it] : -work.residual()[it]; });
    factor.solve(levels, 1 - now);
    team.template contacts<S>(count, [&](int i, int k) { c.dv[k] = contacts.relative(i, k, work.step()); });
    return true;
  }

  /// The map of the set for a velocity without compliance.
  REPOSE_TEAM_HD ContactVec mapped(int k, ContactVec v) const {
    if constexpr (Size::kHasJoints) return newton_map(contacts.set(k), c.centre[k], v, alpha * c.inverse_rho[k]);
    return alart_curnier(c.centre[k], v, alpha * c.inverse_rho[k], c.mu[k]);
  }
  REPOSE_TEAM_HD Violation<double> violation_of(int k, ContactVec v) const {
    if constexpr (Size::kHasJoints) {
      const SetRef<double> set = contacts.set(k);
      if (set.extra) return violation(set, c.centre[k], with_compliance(set, v, c.centre[k]), c.inverse_rho[k]);
    }
    return cone_violation(c.mu[k], c.centre[k], v, c.inverse_rho[k]);
  }

  /// Whether the impulse that a contact starts from lies inside its cone: it is guessed to stick.
  REPOSE_TEAM_HD bool sticks(int k) const {
    return c.centre[k].n > 0 && tangential_norm(c.centre[k]) < (1 - 1e-10) * c.mu[k] * c.centre[k].n;
  }
  REPOSE_TEAM_HD ContactVec slope(int k, bool guessing, ContactSlope<double>& D) const {
    if constexpr (Size::kHasJoints) {
      const SetRef<double> set = contacts.set(k);
      if (set.extra) return newton_map(set, c.centre[k], held_velocity(k, guessing), alpha * c.inverse_rho[k], D);
    }
    if (guessing && natural) return fixed_mode(c.centre[k], c.v[k], c.inverse_rho[k], alpha, c.mu[k], D);
    const bool held = guessing && sticks(k);
    const ContactVec v = held ? ContactVec{} : c.v[k];
    return alart_curnier(c.centre[k], v, alpha * c.inverse_rho[k], c.mu[k], D);
  }
  /// Velocity of a block of a joint, or the one at which its rows have the modes of the impulse.
  REPOSE_TEAM_HD ContactVec held_velocity(int k, bool guessing) const {
    if (!guessing) return c.v[k];
    return velocity_that_holds_mode(contacts.set(k), c.centre[k], c.v[k], alpha * c.inverse_rho[k]);
  }
  /// AC of the guessed piece at c.v less the impulse; `P`: its value, `D`: its slope.
  REPOSE_TEAM_HD ContactVec guessed_change(int k, ContactVec P, const ContactSlope<double>& D) const {
    const ContactVec v = c.v[k];
    if constexpr (Size::kHasJoints) {
      if (c.is_box[k]) {
        const ContactVec d = v - held_velocity(k, true);
        return P - c.centre[k] - ContactVec{D.t1t1 * d.t1, D.t2t2 * d.t2, D.nn * d.n};
      }
    }
    if (natural || !sticks(k)) return P - c.centre[k];
    return {-(D.t1t1 * v.t1 + D.t1t2 * v.t2 + D.t1n * v.n), -(D.t2t1 * v.t1 + D.t2t2 * v.t2 + D.t2n * v.n),
            -(D.nt1 * v.t1 + D.nt2 * v.t2 + D.nn * v.n)};
  }

  /// exchange ← slope in space of every contact; with `guessing` c.dv ← change of the impulse. Returns whether the
  /// factor of K has to be made again.
  REPOSE_TEAM_HD bool put_slopes(bool guessing) {
    const bool other_alpha = factored != alpha;
    const bool changed = team.template any_contact<S>(count, [&](int i, int k) {
      ContactSlope<double> D;
      const ContactVec P = slope(k, guessing, D);
      if (guessing) c.dv[k] = guessed_change(k, P, D);
      int mode = D.nn == 0 ? 0 : (D.t1n == 0 && D.t2n == 0 && c.mu[k] > 0 ? 1 : 2);
      if (contacts.is_joint(i)) mode = 8 + (D.t1t1 > 0 ? 1 : 0) + (D.t2t2 > 0 ? 2 : 0) + (D.nn > 0 ? 4 : 0);
      const bool other = other_alpha || mode == 2 || mode != c.mode[k];
      c.mode[k] = static_cast<signed char>(mode);
      contacts.put_slope(i, k, D);
      return other;
    });
    team.sync();
    return changed;
  }
};

}  // namespace repose::batch
