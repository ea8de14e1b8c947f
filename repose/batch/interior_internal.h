// SPDX-License-Identifier: Apache-2.0
// Interior point on the exact law for one world, by one team: the start of Newton's method where many contacts change
// mode. The equations are those of repose/stage/interior_point.h, in the velocity changes y of the bodies:
//
//   x = (μλ_N, λ_T),  z = (v_N/μ + |v_T|_e, v_T),  x ∘ z = σ m 1  in Lorentz cones,  K = M + Jᵀ D J,  D = S W² ∂z/∂v
//
// x, z and the scaling of a contact stay with its thread; the factor is that of Newton's method.
#pragma once

#include "repose/batch/contacts_internal.h"
#include "repose/batch/factor_internal.h"
#include "repose/set/coupled_slope.h"

namespace repose::batch {

template <class Size>
struct Interior {
  static constexpr int W = Size::kThreads, S = Size::kSlots;
  static constexpr double kSmallestMu = 1e-3, kDamping = 1e-9, kToBoundary = 0.995, kFloor = 1e-12;  // as on the host

  Work<W> work;
  Team<W> team;
  const Contacts<Size>& contacts;
  ContactSlots<Size>& c;
  Factor<Size> factor;
  int count, levels;

  double mean = 0;  ///< complementarity of a contact

  /// Puts x and z on the axes of their cones, x at the size of the impulses that contacts of this stiffness, in units
  /// of 1/ρ, would have. Uses y(1 − now).
  REPOSE_TEAM_HD void start_soft(double stiffness, int now) const {
    team.template contacts<S>(count, [&](int i, int k) {
      const double g = stiffness * c.inverse_rho[k];
      contacts.put_slope(i, k, ContactSlope<double>{.t1t1 = g, .t2t2 = g, .nn = g});
    });
    team.sync();
    factor.assemble();
    team.template contacts<S>(
        count, [&](int i, int k) { contacts.put_wrench(i, k, -stiffness * c.inverse_rho[k] * c.v_free[k]); });
    contacts.gather();
    factor.factorise(levels);
    team.each(6 * bodies(), [&](int it) { work.step()[it] = work.residual()[it]; });
    factor.solve(levels, 1 - now);
    double sums[2];
    team.template sum_contacts<S>(
        count,
        [&](int i, int k, double* s) {
          const ContactVec held = contacts.relative(i, k, work.step()) + c.v_free[k];
          c.x[k] = {0, 0, stiffness * c.inverse_rho[k] * std::sqrt(squared_norm(held))};
          s[0] += c.x[k].n, s[1] += squared_norm(c.v_free[k]);
        },
        sums);
    const double size = max_of(sums[0] / count, kFloor), speed = max_of(std::sqrt(sums[1] / count), kFloor);
    team.template contacts<S>(count, [&](int, int k) {
      c.x[k].n = 0.5 * (c.x[k].n + size);
      c.z[k] = {0, 0, speed};
    });
  }

  /// Puts (x, z) on the central path near the impulses c.centre with the velocities c.v: the eigenvalues of x − g z are
  /// smoothed, as in repose/stage/central_path.cpp.
  REPOSE_TEAM_HD void start_near() const {
    double sums[3];
    team.template sum_contacts<S>(
        count,
        [&](int, int k, double* s) {
          const ContactVec l = c.centre[k];
          s[0] += squared_norm(ContactVec{l.t1, l.t2, mu(k) * l.n}), s[1] += squared_norm(c.v_free[k]);
          s[2] += c.inverse_rho[k] * squared_norm(c.v_free[k]);
        },
        sums);
    // The second one is for impulses near zero: a share of the energy that the contacts would take up at once.
    const double m = max_of(max_of(std::sqrt(sums[0]) * std::sqrt(sums[1]), 0.01 * sums[2]) / count, kFloor * kFloor);
    team.template contacts<S>(count, [&](int, int k) {
      const ContactVec l = c.centre[k], v = c.v[k];
      const double g = c.inverse_rho[k];
      const ContactVec u =
          ContactVec{l.t1, l.t2, mu(k) * l.n} - g * ContactVec{v.t1, v.t2, v.n / mu(k) + tangential_norm(v)};
      const double t = tangential_norm(u), inverse = 1 / max_of(t, 1e-300);
      const auto smoothed = [&](double e) {
        const double r = std::sqrt(e * e + 4 * g * m);
        return e > 0 ? 0.5 * (e + r) : 2 * g * m / (r - e);
      };
      const auto vector = [&](double low, double high) {
        const double half = 0.5 * (high - low) * inverse;
        return ContactVec{half * u.t1, half * u.t2, 0.5 * (low + high)};
      };
      const double low = smoothed(u.n - t), high = smoothed(u.n + t);
      c.x[k] = vector(low, high);
      c.z[k] = vector(m / low, m / high);
    });
  }

  /// y(now) and c.v ← response of the impulses of x: at the start, and where other steps have moved them.
  REPOSE_TEAM_HD void resume(int now) const {
    team.template contacts<S>(count, [&](int i, int k) { contacts.put_wrench(i, k, impulse(k)); });
    contacts.respond_to_wrenches(work.y(now));
    team.template contacts<S>(count,
                              [&](int i, int k) { c.v[k] = contacts.relative(i, k, work.y(now)) + c.v_free[k]; });
  }

  /// One iteration, predictor and corrector. Returns the length of its step, 0 where a number is not finite.
  REPOSE_TEAM_HD double iterate(int now) {
    linearise();
    double length = 0, centring = 0;
    REPOSE_KEEP_LOOP
    for (int pass = 0; pass < 2; ++pass) {
      direction(now, centring * mean, pass == 1);
      length = step_length();
      centring = (1 - length) * (1 - length) * (1 - length);
    }
    return length;
  }
  /// Takes this share of the step.
  REPOSE_TEAM_HD void move(double length, int now) const {
    team.template contacts<S>(count, [&](int, int k) {
      c.x[k] = c.x[k] + length * c.dx[k];
      c.z[k] = c.z[k] + length * c.dz[k];
      c.v[k] = c.v[k] + length * c.dv[k];
    });
    team.each(6 * bodies(), [&](int it) { work.y(now)[it] += length * work.step()[it]; });
  }

  REPOSE_TEAM_HD ContactVec impulse(int k) const { return {c.x[k].t1, c.x[k].t2, c.x[k].n / mu(k)}; }

 private:
  REPOSE_TEAM_HD int bodies() const { return work.tables().capacity.bodies; }
  /// Bounded away from zero: the result is a start, not the answer.
  REPOSE_TEAM_HD double mu(int k) const { return max_of(c.mu[k], kSmallestMu); }

  /// Scalings and slopes at the current point; the factor of K.
  REPOSE_TEAM_HD void linearise() {
    double total[1];
    team.template sum_contacts<S>(
        count, [&](int, int k, double* s) { s[0] += dot(c.x[k], c.z[k]); }, total);
    mean = total[0] / count;
    team.template contacts<S>(count, [&](int i, int k) {
      const double inverse_mu = 1 / mu(k), rho = 1 / c.inverse_rho[k];
      const ContactVec v = c.v[k];
      const double e2 = mean * rho, t2 = v.t1 * v.t1 + v.t2 * v.t2, s = std::sqrt(t2 + e2);
      const double slope = (t2 + 2 * e2) / (s * s * s);
      c.slip[k] = {slope * v.t1, slope * v.t2, inverse_mu};
      c.rd[k] = c.z[k] - ContactVec{v.t1, v.t2, v.n * inverse_mu + t2 / s};
      c.scaling[k] = nesterov_todd(c.x[k], c.z[k], kDamping * rho);
      contacts.put_slope(i, k, coupled_slope(c.scaling[k].square, c.slip[k]));
    });
    team.sync();
    factor.assemble();
    factor.factorise(levels);
  }

  /// c.dx, c.dz, c.dv and step for x ∘ z = `centre` 1; the corrector adds the second-order term of the predictor.
  REPOSE_TEAM_HD void direction(int now, double centre, bool corrector) const {
    team.template contacts<S>(count, [&](int i, int k) {
      const ContactVec target = corrector ? c.scaling[k].root * corrected(k, centre) : -1.0 * c.x[k];
      const ContactVec d = target + c.scaling[k].square * c.rd[k], l = impulse(k);
      c.dx[k] = d;  // completed below
      contacts.put_wrench(i, k, ContactVec{d.t1, d.t2, d.n / mu(k)} + l);
    });
    contacts.gather();
    const double* y = work.y(now);
    team.each(6 * bodies(), [&](int it) {
      const int b = it / 6, m = it % 6;
      const double My = times(work.tables().bodies[b].mass, work.inertia() + 6 * b, y + 6 * b, m);
      work.step()[it] = work.residual()[it] - My;
    });
    factor.solve(levels, 1 - now);
    team.template contacts<S>(count, [&](int i, int k) {
      const ContactVec dv = contacts.relative(i, k, work.step()), slip = c.slip[k];
      const ContactVec change{dv.t1, dv.t2, slip.n * dv.n + slip.t1 * dv.t1 + slip.t2 * dv.t2};
      c.dv[k] = dv;
      c.dz[k] = change - c.rd[k];
      c.dx[k] = c.dx[k] - c.scaling[k].square * change;
    });
  }
  /// s with s ∘ (W z) = centre 1 − (W z) ∘ (W z) − (W⁻¹ dx) ∘ (W dz).
  REPOSE_TEAM_HD ContactVec corrected(int k, double centre) const {
    const NesterovTodd<double>& H = c.scaling[k];
    const ContactVec point = H.root * c.z[k];
    ContactVec r = -1.0 * (jordan(point, point) + jordan(H.inverse_root * c.dx[k], H.root * c.dz[k]));
    r.n += centre;
    return jordan_divide(point, r);
  }

  static constexpr double kMost = 1e300;
  /// The longest step that keeps x and z in their cones, at most 1; 0 when a number is not finite.
  REPOSE_TEAM_HD double step_length() const {
    const double inverse = team.template largest<S>(count, [&](int, int k) {
      const double most = max_of(inverse_step_to_boundary(c.x[k], c.dx[k]), inverse_step_to_boundary(c.z[k], c.dz[k]));
      return std::abs(most) < kMost ? most : kMost;
    });
    if (!(inverse < kMost)) return 0;
    return inverse > kToBoundary ? kToBoundary / inverse : 1.0;
  }
};

}  // namespace repose::batch
