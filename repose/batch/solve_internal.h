// SPDX-License-Identifier: Apache-2.0
// The contact problem of one world: certificate and proximal Newton, by one team.
//
//   F(y) = M y − Jᵀ AC(λ, J y + v_f),   K = M + Jᵀ D J,   y: velocity changes of the bodies
//
// A proximal step solves F = 0 for the steps g = α/ρ of the Alart–Curnier map and takes λ ← AC. Its first Newton step
// holds modes: each contact keeps the mode of the impulse it starts from (inside the cone: stick). The first proximal
// step has α = 1e8, and most steps of a structure that is disturbed need nothing else. Where it fails, α starts small
// and grows as on the host (repose/stage/prox_newton.cpp). While α and all modes stay, the factor of K is used again.
#pragma once

#include "repose/batch/contacts_internal.h"
#include "repose/batch/factor_internal.h"
#include "repose/contact/violation.h"
#include "repose/set/alart_curnier.h"

namespace repose::batch {

inline constexpr double kHuge = 1e300;
inline constexpr double kScale = 1e-12;  ///< kScaleFloor of the judge

struct SolveReport {
  double r_c = 0, nat = 0;
  int newton = 0, factors = 0;
  bool warm = false;  ///< the start was good enough
  REPOSE_TEAM_HD double worst() const { return r_c > nat ? r_c : nat; }
};

template <class Size>
struct Solve {
  static constexpr int W = Size::kThreads, S = Size::kSlots;
  static constexpr double kGuessAlpha = 1e8, kLargestAlpha = 1e11;
  static constexpr double kHoldAbove = 1e-7;  ///< residual above which a proximal step holds modes first

  Work<W> work;
  Team<W> team;
  const Contacts<Size>& contacts;
  ContactSlots<Size>& c;
  Factor<Size> factor;
  int count, islands, levels;

  SolveReport report{};
  int now = 0;  ///< y(now) are the current velocity changes
  double alpha = 1, fallback = 1, current = 0, best = kHuge, factored = -1;
  int attempt = 0, failures = 0, polished = 0, used = 0, budget = 0;
  bool guess = false;

  /// Solves from c.centre. Afterwards y_trial has the velocity changes of c.centre, whose certificate is in the report.
  REPOSE_TEAM_HD void run() {
    const Tables& t = work.tables();
    const double tolerance = t.tolerance, aim = t.aim_share * tolerance;
    bool restart = true, first = true, last = false;
    for (;;) {
      certify(first, restart);
      if (last) break;
      const bool better = current < best;
      if (better || first) keep_best();
      if (first && current <= t.start_share * tolerance) {
        report.warm = true;
        break;
      }
      if (first) begin();
      if (!restart) {  // after a proximal step
        const bool enough = best <= aim || (best <= tolerance && ++polished > 1);
        if (enough && better) break;
        if (enough) {
          take_best();
          last = true;
          continue;
        }
        grow();
      }
      first = false;
      if (restart) copy(work.y(now), work.y_trial());
      restart = !proximal_step();
      if (!restart) continue;
      if (++attempt > 2 || best <= tolerance || report.newton >= t.newton_budget) {
        take_best();
        last = true;
        continue;
      }
      next_attempt();
    }
  }

  /// y_trial ← M⁻¹ Jᵀ λ of c.centre.
  REPOSE_TEAM_HD void respond() const {
    team.template contacts<S>(count, [&](int i, int k) { put_wrench(i, k, c.centre[k]); });
    team.sync();
    team.each(6 * bodies(), [&](int it) { work.residual()[it] = gathered(it / 6, it % 6); });
    team.each(6 * bodies(), [&](int it) {
      const int b = it / 6;
      work.y_trial()[it] =
          times(work.tables().bodies[b].inverse_mass, work.inverse_inertia() + 6 * b, work.residual() + 6 * b, it % 6);
    });
  }

 private:
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
  REPOSE_TEAM_HD void begin() {
    alpha = fallback = min_of(max_of(2 / current, 30.0), 1e4);
    budget = min_of(60, work.tables().newton_budget);
    guess = true;
  }
  REPOSE_TEAM_HD void next_attempt() {
    alpha = attempt == 1 ? 3.0 : 10.0;
    failures = polished = 0;
    budget = work.tables().newton_budget;
    const bool from_best = attempt == 1;
    team.template contacts<S>(count, [&](int, int k) { c.centre[k] = from_best ? c.best[k] : ContactVec{}; });
  }
  REPOSE_TEAM_HD void grow() {
    if (used <= 1 && failures == 0 && current < 1e-6 && alpha >= kGuessAlpha) return;  // the factor stays valid
    double factor_on_alpha = used <= 1 ? 30.0 : used <= 3 ? 10.0 : used <= 6 ? 4.0 : 2.0;
    if (failures > 0) factor_on_alpha = min_of(factor_on_alpha, 2.5);
    alpha = min_of(alpha * factor_on_alpha, kLargestAlpha);
  }

  // ---- impulses on bodies
  // ---------------------------------------------------------------------------------------------

  /// Force and torques of an impulse, for gathered().
  REPOSE_TEAM_HD void put_wrench(int i, int k, ContactVec impulse) const {
    const Vec3 p = in_space(work.frame() + 9 * work.pair_of()[i], impulse);
    double* e = work.exchange() + 15 * i;
    store(e, p);
    store(e + 3, cross(c.arm_a[k], p));
    store(e + 6, cross(c.arm_b[k], p));
  }
  /// Component m of Jᵀ λ for body b.
  REPOSE_TEAM_HD double gathered(int b, int m) const {
    double sum = 0;
    for (int k = work.neighbours_first()[b]; k < work.neighbours_first()[b + 1]; ++k) {
      const int pair = work.neighbours()[k] >> 1, side = work.neighbours()[k] & 1;
      const int at = m < 3 ? m : (side ? 3 + m : m);
      for (int i = work.first()[pair]; i < work.first()[pair + 1]; ++i) {
        const double e = work.exchange()[15 * i + at];
        sum += side ? e : -e;
      }
    }
    return sum;
  }
  /// Component m of A v, A the inertia or its inverse with the mass.
  REPOSE_TEAM_HD static double times(double linear, const double* A, const double* v, int m) {
    if (m < 3) return linear * v[m];
    const double x = v[3], y = v[4], z = v[5];
    return m == 3   ? A[0] * x + A[1] * y + A[2] * z
           : m == 4 ? A[1] * x + A[3] * y + A[4] * z
                    : A[2] * x + A[4] * y + A[5] * z;
  }

  // ---- certificate
  // ----------------------------------------------------------------------------------------------------

  /// Scores c.centre; writes y_trial and, with `take`, c.v. `first` fixes the scales.
  REPOSE_TEAM_HD void certify(bool first, bool take) {
    respond();
    report.r_c = report.nat = 0;
    if (islands == 1)
      score(-1, first, take);
    else
      for (int b = 0; b < bodies(); ++b)
        if (work.island()[b] == b && work.neighbours_first()[b + 1] > work.neighbours_first()[b]) score(b, first, take);
    current = report.worst();
  }
  REPOSE_TEAM_HD int island_of(int i) const {
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
          const Violation<double> one = cone_violation(c.mu[k], c.centre[k], v, c.inverse_rho[k]);
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
    while (report.newton < budget && failures <= (attempt == 0 ? 4 : 20) && alpha >= 1e-6) {
      const bool bold = guess;
      if (bold) alpha = kGuessAlpha;
      guess = false;
      const bool accepted = newton(bold || current > kHoldAbove, bold ? 5 : attempt == 0 ? 12 : 40);
      report.newton += used;
      if (accepted) {
        if (used == 0) used = 1;
        team.template contacts<S>(count, [&](int, int k) {
          c.centre[k] = alart_curnier(c.centre[k], c.v[k], alpha * c.inverse_rho[k], c.mu[k]);
        });
        return true;
      }
      copy(work.y(now), work.y_trial());  // the response of c.centre
      team.template contacts<S>(count,
                                [&](int i, int k) { c.v[k] = contacts.relative(i, k, work.y(now)) + c.v_free[k]; });
      if (bold)
        alpha = fallback;
      else
        alpha /= failures++ >= 2 ? 10.0 : 4.0;
    }
    return false;
  }

  /// Newton's method on F from (y(now), c.v) in at most `most` steps. `hold`: the first one holds modes. Returns
  /// whether F is small enough.
  REPOSE_TEAM_HD bool newton(bool hold, int most) {
    const double inner = 1e-3 * min_of(current, 1.0);
    double F = kHuge, size = 0, last = kHuge, t = 0;
    int halvings = 0;
    bool guessing = hold;
    used = 0;
    for (;;) {
      if (!guessing) {
        double trial[2];
        evaluate(t, trial);
        if (t == 0 || trial[0] < F) {
          now = 1 - now;
          if (t > 0) team.template contacts<S>(count, [&](int, int k) { c.v[k] = c.v[k] + t * c.dv[k]; });
          F = trial[0];
          size = trial[1];
          if (!(F < kHuge)) return false;
        } else if (++halvings <= 7) {
          t *= 0.5;
          continue;
        } else {
          return F <= 1e3 * inner * size;
        }
        const double sharp = inner * size;
        if (F == 0 || (used > 0 && F <= sharp) || (F > 0.5 * last && F <= 1e3 * sharp)) return true;
        if (used >= most) return F <= 1e3 * sharp;
        last = F;
      }
      find_direction(guessing);
      guessing = false;
      ++used;
      t = 1;
      halvings = 0;
    }
  }

  /// out ← ‖F‖ in the norm of M⁻¹ and ‖y‖ in that of M, at y(now) + t step; this point goes to y(1 − now).
  REPOSE_TEAM_HD void evaluate(double t, double (&out)[2]) const {
    team.template contacts<S>(count, [&](int i, int k) {
      const ContactVec v = t == 0 ? c.v[k] : c.v[k] + t * c.dv[k];
      put_wrench(i, k, alart_curnier(c.centre[k], v, alpha * c.inverse_rho[k], c.mu[k]));
    });
    double *from = work.y(now), *to = work.y(1 - now);
    team.each(6 * bodies(), [&](int it) { to[it] = t == 0 ? from[it] : from[it] + t * work.step()[it]; });
    team.each(6 * bodies(), [&](int it) {
      const int b = it / 6, m = it % 6;
      const double My = times(work.tables().bodies[b].mass, work.inertia() + 6 * b, to + 6 * b, m);
      work.residual()[it] = My - gathered(b, m);
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

  /// step ← −K⁻¹ F, c.dv ← J step. With `guessing` the slopes of the guessed modes, and F of that linear piece.
  REPOSE_TEAM_HD void find_direction(bool guessing) {
    const bool refactor = put_slopes(guessing);
    if (refactor) {
      factor.assemble();
      factor.factorise(levels);
      factored = alpha;
      ++report.factors;
    }
    if (guessing) {
      team.template contacts<S>(count, [&](int i, int k) { put_wrench(i, k, guessed_change(k)); });
      team.sync();
    }
    team.each(6 * bodies(),
              [&](int it) { work.step()[it] = guessing ? gathered(it / 6, it % 6) : -work.residual()[it]; });
    factor.solve(levels, 1 - now);
    team.template contacts<S>(count, [&](int i, int k) { c.dv[k] = contacts.relative(i, k, work.step()); });
  }

  /// Whether the impulse that a contact starts from lies inside its cone: it is guessed to stick.
  REPOSE_TEAM_HD bool sticks(int k) const {
    return c.centre[k].n > 0 && tangential_norm(c.centre[k]) < (1 - 1e-10) * c.mu[k] * c.centre[k].n;
  }
  REPOSE_TEAM_HD ContactVec slope(int k, bool guessing, ContactSlope<double>& D) const {
    const bool held = guessing && sticks(k);
    const ContactVec v = held ? ContactVec{} : c.v[k];
    return alart_curnier(c.centre[k], v, alpha * c.inverse_rho[k], c.mu[k], D);
  }
  /// AC of the guessed piece at c.v less the impulse.
  REPOSE_TEAM_HD ContactVec guessed_change(int k) const {
    ContactSlope<double> D;
    const ContactVec P = slope(k, true, D), v = c.v[k];
    if (!sticks(k)) return P - c.centre[k];
    return {-(D.t1t1 * v.t1 + D.t1t2 * v.t2 + D.t1n * v.n), -(D.t2t1 * v.t1 + D.t2t2 * v.t2 + D.t2n * v.n),
            -(D.nt1 * v.t1 + D.nt2 * v.t2 + D.nn * v.n)};
  }

  /// exchange ← slope in space and arms of every contact. Returns whether the factor of K has to be made again.
  REPOSE_TEAM_HD bool put_slopes(bool guessing) {
    const bool other_alpha = factored != alpha;
    const bool changed = team.template any_contact<S>(count, [&](int i, int k) {
      ContactSlope<double> D;
      slope(k, guessing, D);
      const int mode = D.nn == 0 ? 0 : (D.t1n == 0 && D.t2n == 0 && c.mu[k] > 0 ? 1 : 2);
      const bool other = other_alpha || mode == 2 || mode != c.mode[k];
      c.mode[k] = static_cast<signed char>(mode);
      put_slope(i, k, D);
      return other;
    });
    team.sync();
    return changed;
  }
  REPOSE_TEAM_HD void put_slope(int i, int k, const ContactSlope<double>& D) const {
    const double* frame = work.frame() + 9 * work.pair_of()[i];
    const Vec3 t1 = load(frame), t2 = load(frame + 3), n = load(frame + 6);
    const Vec3 c1 = D.t1t1 * t1 + D.t2t1 * t2 + D.nt1 * n, c2 = D.t1t2 * t1 + D.t2t2 * t2 + D.nt2 * n,
               c3 = D.t1n * t1 + D.t2n * t2 + D.nn * n;
    double* e = work.exchange() + 15 * i;
    store(e, c1.x * t1 + c2.x * t2 + c3.x * n);
    store(e + 3, c1.y * t1 + c2.y * t2 + c3.y * n);
    store(e + 6, c1.z * t1 + c2.z * t2 + c3.z * n);
    store(e + 9, c.arm_a[k]);
    store(e + 12, c.arm_b[k]);
  }
};

}  // namespace repose::batch
