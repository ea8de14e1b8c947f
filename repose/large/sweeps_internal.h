// SPDX-License-Identifier: Apache-2.0
// Coloured nonlinear Gauss–Seidel with the exact local law and momentum per contact, for a crew of any size.
//
//   z = one sweep from y, colour after colour;   y⁺ = z + b_i (z − x)  with b_i = k_i/(k_i + 3);   x⁺ = z
//
// as repose/stage/gauss_seidel.h, from which it differs in the order of contacts and in when momentum restarts: f is
// compared one sweep later, so that its sum needs no further meeting of all threads. The law at a contact, the
// projections and the judge's violations are the library's.
#pragma once

#include "repose/contact/body_rows.h"
#include "repose/contact/violation.h"
#include "repose/large/crew_internal.h"
#include "repose/math/scalar.h"
#include "repose/set/local_coulomb.h"

namespace repose::large {

inline constexpr double kMostMomentum = 0.995;
/// ‖·‖ below which a scale counts as zero, as the judge's.
inline constexpr double kNoScale = 1e-150;

using Six = Lanes<6>;

template <class Crew>
class Sweeps {
 public:
  REPOSE_CREW_HD Sweeps(const Arrays& arrays, const Crew& crew) : v_(arrays), crew_(crew) {}

  /// Sweeps until the goal is met, no progress is made, or `until` sweeps have been made in all.
  REPOSE_CREW_HD void run(const Goal& goal, long long until) {
    Progress p = *v_.progress;
    if (p.sweeps == 0 && !p.ended) begin(goal, p);
    while (!p.ended && p.sweeps < until) {
      sweep();
      extrapolate(goal, p);
      if (++p.sweeps % goal.judged_every == 0 || p.sweeps >= goal.most_sweeps) judge(goal, p);
    }
    crew_.wait();  // all have read the progress
    if (crew_.leads()) *v_.progress = p;
  }

 private:
  /// Judges the start, from which the scale of velocities follows.
  REPOSE_CREW_HD void begin(const Goal& goal, Progress& p) {
    p.best_change = HUGE_VAL;
    p.best = p.level = HUGE_VAL;
    p.start_speed = -1;
    if (crew_.leads()) put(v_.totals + kSums, 0.0);
    judge(goal, p);
    respond(v_.y, v_.response);
    crew_.wait();
  }

  /// z ← sweep(y); the response becomes that of z. Beside the first colour the changes of the sweep before are added.
  REPOSE_CREW_HD void sweep() {
    for (int c = 0; c < v_.colours; ++c) {
      crew_.each_apart(kTile * v_.colour_first[c], kTile * v_.colour_first[c + 1],
                       [this](int patch) { solve_patch(patch); });
      crew_.wait();
    }
  }

  [[nodiscard]] REPOSE_CREW_HD ContactVec load(const double* of, int slot) const {
    return {fresh(of + slot), fresh(of + v_.slots + slot), fresh(of + 2 * v_.slots + slot)};
  }
  REPOSE_CREW_HD void save(ContactVec value, double* to, int slot) const {
    put(to + slot, value.t1), put(to + v_.slots + slot, value.t2), put(to + 2 * v_.slots + slot, value.n);
  }
  [[nodiscard]] REPOSE_CREW_HD Six load_body(const double* of, int body) const {
    Six six;
    for (int k = 0; k < 6; ++k) six[k] = fresh(of + kBodyPlace * body + k);
    return six;
  }
  REPOSE_CREW_HD void save_body(const Six& six, double* to, int body) const {
    if (body == v_.bodies) return;  // what is static does not move
    for (int k = 0; k < 6; ++k) put(to + kBodyPlace * body + k, six[k]);
  }
  [[nodiscard]] REPOSE_CREW_HD BodyRows<Six> rows_of(int slot) const {
    BodyRows<Six> J;
    for (int r = 0; r < 3; ++r)
      for (int k = 0; k < 6; ++k) {
        J.a[r][k] = v_.rows[(6 * r + k) * v_.slots + slot];
        J.b[r][k] = v_.rows[(18 + 6 * r + k) * v_.slots + slot];
      }
    return J;
  }
  [[nodiscard]] REPOSE_CREW_HD Mat3 block_of(int slot) const {
    const double* W = v_.W + slot;
    const int n = v_.slots;
    return {{{W[0], W[n], W[2 * n]}, {W[n], W[3 * n], W[4 * n]}, {W[2 * n], W[4 * n], W[5 * n]}}};
  }

  /// Solves the contacts of one patch, one after the other.
  REPOSE_CREW_HD void solve_patch(int patch) {
    const int contacts = v_.patch_contacts[patch];
    if (contacts == 0) return;
    const int a = v_.patch_a[patch], b = v_.patch_b[patch];
    Six at_a = load_body(v_.response, a), at_b = load_body(v_.response, b);
    double change = 0;
    int slot = v_.tile_first[patch / kTile] + patch % kTile;
    for (int k = 0; k < contacts; ++k, slot += kTile) change += solve_contact(slot, at_a, at_b);
    save_body(at_a, v_.response, a);
    save_body(at_b, v_.response, b);
    put(v_.change + patch, change);
  }
  REPOSE_CREW_HD double solve_contact(int slot, Six& at_a, Six& at_b) {
    const BodyRows<Six> J = rows_of(slot);
    const Mat3 W = block_of(slot);
    const ContactVec y = load(v_.y, slot);
    const ContactVec v_free{v_.v_free[slot], v_.v_free[v_.slots + slot], v_.v_free[2 * v_.slots + slot]};
    const ContactVec own{W.m[0][0] * y.t1 + W.m[0][1] * y.t2 + W.m[0][2] * y.n,
                         W.m[1][0] * y.t1 + W.m[1][1] * y.t2 + W.m[1][2] * y.n,
                         W.m[2][0] * y.t1 + W.m[2][1] * y.t2 + W.m[2][2] * y.n};
    double rate = fresh(v_.rate + slot);
    const ContactVec z = LocalCoulomb(W, v_.mu[slot]).solve(gather(J, at_a, at_b) + v_free - own, rate);
    const ContactVec d = z - y;
    scatter(J, d, at_a, at_b);
    save(z, v_.z, slot);
    put(v_.rate + slot, rate);
    return trace(W) * squared_norm(d);
  }

  /// y ← z + b (z − x), x ← z, and the response of y.
  REPOSE_CREW_HD void extrapolate(const Goal& goal, Progress& p) {
    crew_.template sum_groups<1>(kTile * v_.tiles, v_.groups,
                                 [this](int patch, double(&sum)[1]) { sum[0] = fresh(v_.change + patch); });
    p.change = fresh(v_.totals + kSums);
    const bool restart = p.change > goal.restart * p.best_change;
    p.best_change = restart || p.sweeps == 0 ? HUGE_VAL : smaller(p.best_change, p.change);
    crew_.each(0, v_.slots, [this, restart](int slot) { extrapolate_contact(slot, restart); });
    crew_.wait();
    crew_.template sum_of_groups<1>(v_.tiles, v_.groups, v_.totals + kSums);
    respond(v_.y, v_.response);
    crew_.wait();
  }
  REPOSE_CREW_HD void extrapolate_contact(int slot, bool restart) {
    const ContactVec x = load(v_.x, slot), y = load(v_.y, slot), z = load(v_.z, slot), step = z - x;
    const int k = fresh(v_.momentum + slot), next = restart ? 0 : dot(y - z, step) > 0 ? k / 2 : k + 1;
    put(v_.momentum + slot, next);
    const double b = z.n > 0 ? min_of(next / (next + 3.0), kMostMomentum) : 0.0;
    save(z, v_.x, slot);
    save(z + b * step, v_.y, slot);
  }

  /// out ← (J L)ᵀ λ, anew from the impulses: one number of one body at a time.
  REPOSE_CREW_HD void respond(const double* lambda, double* out) {
    crew_.each(0, kBodyPlace * v_.bodies, [=, this](int i) {
      const int body = i / kBodyPlace, axis = i % kBodyPlace;
      if (axis >= 6) return;
      double sum = 0;
      for (int e = v_.body_first[body]; e < v_.body_first[body + 1]; ++e) {
        const int slot = v_.body_entry[e] / 2, side = v_.body_entry[e] % 2;
        const double* row = v_.rows + (18 * side + axis) * v_.slots + slot;
        const ContactVec at = load(lambda, slot);
        sum = std::fma(row[0], at.t1, sum);
        sum = std::fma(row[6 * v_.slots], at.t2, sum);
        sum = std::fma(row[12 * v_.slots], at.n, sum);
      }
      put(out + i, sum);
    });
  }

  /// The judge's r_c and nat of x (repose/contact/residual.h), with scales that are never larger than the judge's.
  REPOSE_CREW_HD void judge(const Goal& goal, Progress& p) {
    respond(v_.x, v_.judged);
    crew_.wait();
    crew_.template sum_groups<kSums>(kTile * v_.tiles, v_.groups, [this](int patch, double(&sum)[kSums]) {
      const Six at_a = load_body(v_.judged, v_.patch_a[patch]), at_b = load_body(v_.judged, v_.patch_b[patch]);
      int slot = v_.tile_first[patch / kTile] + patch % kTile;
      Violation<double> total;
      for (int k = 0; k < v_.patch_contacts[patch]; ++k, slot += kTile) {
        const ContactVec v_free{v_.v_free[slot], v_.v_free[v_.slots + slot], v_.v_free[2 * v_.slots + slot]};
        const ContactVec v = gather(rows_of(slot), at_a, at_b) + v_free;
        add(total, cone_violation(v_.mu[slot], load(v_.x, slot), v, v_.inverse_rho[slot]));
      }
      sum[0] = total.force, sum[1] = total.velocity, sum[2] = total.gap;
      sum[3] = total.natural, sum[4] = total.lambda, sum[5] = total.v_aug;
    });
    crew_.wait();
    crew_.template sum_of_groups<kSums>(v_.tiles, v_.groups, v_.totals);
    crew_.wait();
    decide(goal, p);
  }
  REPOSE_CREW_HD void decide(const Goal& goal, Progress& p) {
    if (p.start_speed < 0) p.start_speed = std::sqrt(fresh(v_.totals + 5));
    const double impulse = larger(std::sqrt(fresh(v_.totals + 4)), kNoScale);
    const double speed = larger(larger(p.start_speed, goal.free_speed), kNoScale);
    const double force = std::sqrt(fresh(v_.totals)) / impulse, velocity = std::sqrt(fresh(v_.totals + 1)) / speed;
    const double gap = std::fabs(fresh(v_.totals + 2)) / (impulse * speed);
    const double nat = std::sqrt(fresh(v_.totals + 3)) / impulse;
    const double worst = larger(larger(force, velocity), larger(gap, nat));
    p.worst = force + velocity + gap + nat < HUGE_VAL ? worst : HUGE_VAL;
    const bool better = p.worst < p.best;
    if (better) p.best = p.worst;
    if (p.worst <= 0.5 * p.level) p.level = p.worst, p.level_at = p.sweeps;
    const long long patience = max_of(goal.patience, p.level_at);
    p.ended = p.worst <= goal.tolerance || p.sweeps >= goal.most_sweeps || p.sweeps - p.level_at >= patience;
    if (better) crew_.each(0, 3 * v_.slots, [this](int i) { put(v_.best + i, fresh(v_.x + i)); });
  }

  const Arrays& v_;
  const Crew& crew_;
};

}  // namespace repose::large
