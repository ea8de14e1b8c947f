// SPDX-License-Identifier: Apache-2.0
// Nonlinear Gauss–Seidel on split masses with the exact local law and momentum per contact, for a crew of any size.
//
//   z = one sweep from y;   y⁺ = z + b_i (z − x)  with b_i = k_i/(k_i + 3);   x⁺ = z
//
// A sweep solves all patches at the same time, the contacts within one after the other. A patch is solved as if it had
// a share 1/w of the masses of its bodies to itself, w = 1 + s (n − 1) with n patches at the body. With s = 1 the
// shares add up to the bodies, and the sum of all impulses decreases the energy of a convex problem (Tonge,
// Benevolenski, Voroshilov 2012, mass splitting); with momentum s = 0.6 does as well. A sweep is two phases: patches,
// then bodies, which add what their patches push.
//
// The momentum is that of repose/stage/gauss_seidel.h, but f is compared two sweeps later, so that its sum needs no
// further meeting of all threads. The law at a contact, the projections and the judge's violations are the library's.
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
  REPOSE_CREW_HD Sweeps(const Arrays& arrays, const Crew& crew) : a_(arrays), crew_(crew) {}

  /// Sweeps until the goal is met, no progress is made, or `until` sweeps have been made in all.
  REPOSE_CREW_HD void run(const Goal& goal, long long until) {
    Progress p = *a_.progress;
    if (p.sweeps == 0 && !p.ended) begin(goal, p);
    while (!p.ended && p.sweeps < until) {
      sweep(goal, p);
      if (++p.sweeps % goal.judged_every == 0 || p.sweeps >= goal.most_sweeps) judge(goal, p);
    }
    crew_.wait();  // all have read the progress
    if (crew_.leads()) *a_.progress = p;
  }

 private:
  /// Judges the start, from which the scale of velocities follows.
  REPOSE_CREW_HD void begin(const Goal& goal, Progress& p) {
    p.best_change = HUGE_VAL;
    p.best = p.level = HUGE_VAL;
    p.start_speed = -1;
    judge(goal, p);
  }

  /// x ← z, y ← z + b (z − x), and the response of y.
  REPOSE_CREW_HD void sweep(const Goal& goal, Progress& p) {
    const int odd = static_cast<int>(p.sweeps % 2);
    const double change = p.sweeps < 2 ? HUGE_VAL : fresh(a_.totals + kSums + odd);  // of the sweep before the last one
    const bool restart = p.sweeps >= 2 && change > (p.slow ? goal.slow_restart : goal.restart) * p.best_change;
    p.best_change = restart ? HUGE_VAL : smaller(p.best_change, change);
    if (p.sweeps > 0) crew_.template sum_of_groups<1>(a_.tiles, a_.groups, a_.totals + kSums + 1 - odd);
    crew_.each_apart(0, kTile * a_.tiles, [this, restart](int patch) { solve_patch(patch, restart); });
    crew_.wait();
    crew_.template sum_groups<1>(kTile * a_.tiles, a_.groups,
                                 [this](int patch, double(&sum)[1]) { sum[0] = fresh(a_.change + patch); });
    add_pushes();
    crew_.wait();
  }

  [[nodiscard]] REPOSE_CREW_HD ContactVec load(const double* of, int slot) const {
    return {fresh(of + slot), fresh(of + a_.slots + slot), fresh(of + 2 * a_.slots + slot)};
  }
  REPOSE_CREW_HD void save(ContactVec value, double* to, int slot) const {
    put(to + slot, value.t1), put(to + a_.slots + slot, value.t2), put(to + 2 * a_.slots + slot, value.n);
  }
  [[nodiscard]] REPOSE_CREW_HD ContactVec v_free(int slot) const {
    return {a_.v_free[slot], a_.v_free[a_.slots + slot], a_.v_free[2 * a_.slots + slot]};
  }
  [[nodiscard]] REPOSE_CREW_HD Six load_body(int body) const {
    Six six;
    for (int k = 0; k < 6; ++k) six[k] = fresh(a_.response + kBodyPlace * body + k);
    return six;
  }
  REPOSE_CREW_HD void save_push(const Six& six, int entry) const {
    for (int k = 0; k < 6; ++k) put(a_.push + kBodyPlace * entry + k, six[k]);
  }
  [[nodiscard]] REPOSE_CREW_HD BodyRows<Six> rows_of(int slot) const {
    BodyRows<Six> J;
    for (int r = 0; r < 3; ++r)
      for (int k = 0; k < 6; ++k) {
        J.a[r][k] = a_.rows[(6 * r + k) * a_.slots + slot];
        J.b[r][k] = a_.rows[(18 + 6 * r + k) * a_.slots + slot];
      }
    return J;
  }
  [[nodiscard]] REPOSE_CREW_HD Mat3 block_of(int slot) const {
    const double* W = a_.W + slot;
    const int n = a_.slots;
    return {{{W[0], W[n], W[2 * n]}, {W[n], W[3 * n], W[4 * n]}, {W[2 * n], W[4 * n], W[5 * n]}}};
  }

  /// What a sweep changes at a contact.
  struct ContactState {
    ContactVec x, y;
    double rate;
    int momentum;
  };
  [[nodiscard]] REPOSE_CREW_HD ContactState state_of(int slot) const {
    return {load(a_.x, slot), load(a_.y, slot), fresh(a_.rate + slot), fresh(a_.momentum + slot)};
  }
  REPOSE_CREW_HD void save_state(const ContactState& state, int slot) const {
    save(state.x, a_.x, slot);
    save(state.y, a_.y, slot);
    put(a_.rate + slot, state.rate);
    put(a_.momentum + slot, state.momentum);
  }

  /// Solves the contacts of one patch, one after the other.
  REPOSE_CREW_HD void solve_patch(int patch, bool restart) {
    const int contacts = a_.patch_contacts[patch];
    if (contacts == 0) return;
    Six at_a = load_body(a_.patch_a[patch]), at_b = load_body(a_.patch_b[patch]), push_a, push_b;
    const double light_a = a_.light_a[patch], light_b = a_.light_b[patch];
    double change = 0;
    int slot = a_.tile_first[patch / kTile] + patch % kTile;
    ContactState next = state_of(slot);
    for (int k = 0; k < contacts; ++k, slot += kTile) {
      ContactState state = next;
      if (k + 1 < contacts) next = state_of(slot + kTile);  // under way while this contact is solved
      const BodyRows<Six> J = rows_of(slot);
      const Mat3 W = block_of(slot);
      const ContactVec z = solve_contact(slot, J, W, at_a, at_b, state), d = z - state.y;
      at_a += sum_of_products(J.a, light_a * d.t1, light_a * d.t2, light_a * d.n);
      at_b += sum_of_products(J.b, light_b * d.t1, light_b * d.t2, light_b * d.n);
      change += trace(W) * squared_norm(d);
      extrapolate(z, restart, state);
      scatter(J, state.y, push_a, push_b);
      save_state(state, slot);
    }
    save_push(push_a, 2 * patch);
    save_push(push_b, 2 * patch + 1);
    put(a_.change + patch, change);
  }
  [[nodiscard]] REPOSE_CREW_HD ContactVec solve_contact(int slot, const BodyRows<Six>& J, const Mat3& W,
                                                        const Six& at_a, const Six& at_b, ContactState& state) const {
    const ContactVec y = state.y;
    const ContactVec own{W.m[0][0] * y.t1 + W.m[0][1] * y.t2 + W.m[0][2] * y.n,
                         W.m[1][0] * y.t1 + W.m[1][1] * y.t2 + W.m[1][2] * y.n,
                         W.m[2][0] * y.t1 + W.m[2][1] * y.t2 + W.m[2][2] * y.n};
    return LocalCoulomb(W, a_.mu[slot]).solve(gather(J, at_a, at_b) + v_free(slot) - own, state.rate);
  }
  REPOSE_CREW_HD static void extrapolate(ContactVec z, bool restart, ContactState& state) {
    const ContactVec step = z - state.x;
    const bool turned = dot(state.y - z, step) > 0;
    state.momentum = restart ? 0 : turned ? state.momentum / 2 : state.momentum + 1;
    const double b = z.n > 0 ? min_of(state.momentum / (state.momentum + 3.0), kMostMomentum) : 0.0;
    state.x = z;
    state.y = z + b * step;
  }

  /// The response of every body, one number at a time.
  REPOSE_CREW_HD void add_pushes() {
    crew_.each(0, kBodyPlace * a_.bodies, [this](int i) {
      const int body = i / kBodyPlace, axis = i % kBodyPlace;
      if (axis >= 6) return;
      double sum = 0;
      for (int e = a_.body_first[body]; e < a_.body_first[body + 1]; ++e)
        sum += fresh(a_.push + kBodyPlace * a_.body_entry[e] + axis);
      put(a_.response + i, sum);
    });
  }
  /// The response of these impulses, anew.
  REPOSE_CREW_HD void respond(const double* lambda) {
    crew_.each(0, kTile * a_.tiles, [this, lambda](int patch) {
      Six push_a, push_b;
      int slot = a_.tile_first[patch / kTile] + patch % kTile;
      for (int k = 0; k < a_.patch_contacts[patch]; ++k, slot += kTile)
        scatter(rows_of(slot), load(lambda, slot), push_a, push_b);
      save_push(push_a, 2 * patch);
      save_push(push_b, 2 * patch + 1);
    });
    crew_.wait();
    add_pushes();
    crew_.wait();
  }

  /// The judge's r_c and nat of x (repose/contact/residual.h), with scales that are never larger than the judge's.
  REPOSE_CREW_HD void judge(const Goal& goal, Progress& p) {
    respond(a_.x);
    crew_.template sum_groups<kSums>(kTile * a_.tiles, a_.groups + a_.tiles,
                                     [this](int patch, double(&sum)[kSums]) { violations(patch, sum); });
    crew_.wait();
    crew_.template sum_of_groups<kSums>(a_.tiles, a_.groups + a_.tiles, a_.totals);
    respond(a_.y);
    decide(goal, p);
  }
  REPOSE_CREW_HD void violations(int patch, double (&sum)[kSums]) const {
    const Six at_a = load_body(a_.patch_a[patch]), at_b = load_body(a_.patch_b[patch]);
    int slot = a_.tile_first[patch / kTile] + patch % kTile;
    Violation<double> total;
    for (int k = 0; k < a_.patch_contacts[patch]; ++k, slot += kTile) {
      const ContactVec v = gather(rows_of(slot), at_a, at_b) + v_free(slot);
      add(total, cone_violation(a_.mu[slot], load(a_.x, slot), v, a_.inverse_rho[slot]));
    }
    sum[0] = total.force, sum[1] = total.velocity, sum[2] = total.gap;
    sum[3] = total.natural, sum[4] = total.lambda, sum[5] = total.v_aug;
  }
  REPOSE_CREW_HD void decide(const Goal& goal, Progress& p) {
    if (p.start_speed < 0) p.start_speed = std::sqrt(fresh(a_.totals + 5));
    const double impulse = larger(std::sqrt(fresh(a_.totals + 4)), kNoScale);
    const double speed = larger(larger(p.start_speed, goal.free_speed), kNoScale);
    const double force = std::sqrt(fresh(a_.totals)) / impulse, velocity = std::sqrt(fresh(a_.totals + 1)) / speed;
    const double gap = std::fabs(fresh(a_.totals + 2)) / (impulse * speed);
    const double nat = std::sqrt(fresh(a_.totals + 3)) / impulse;
    const double worst = larger(larger(force, velocity), larger(gap, nat));
    p.worst = force + velocity + gap + nat < HUGE_VAL ? worst : HUGE_VAL;
    const bool better = p.worst < p.best;
    if (better) p.best = p.worst;
    if (p.worst <= 0.5 * p.level) p.level = p.worst, p.level_at = p.sweeps;
    if (p.sweeps - p.level_at >= goal.slow_after) p.slow = 1;
    const long long patience = max_of(goal.patience, 2 * p.level_at);
    p.ended = p.worst <= goal.tolerance || p.sweeps >= goal.most_sweeps || p.sweeps - p.level_at >= patience;
    if (better) crew_.each(0, 3 * a_.slots, [this](int i) { put(a_.best + i, fresh(a_.x + i)); });
  }

  const Arrays& a_;
  const Crew& crew_;
};

}  // namespace repose::large
