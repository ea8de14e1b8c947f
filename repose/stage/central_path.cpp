// SPDX-License-Identifier: Apache-2.0
#include "repose/stage/central_path.h"

#include <algorithm>
#include <cmath>

namespace repose {
namespace {

constexpr double kSmallestMu = 1e-3;  // below this the interior of the cone is too thin
constexpr double kDamping = 1e-11;    // δ, in units of ρ_i
// Within wide ranges none of these matters: neighbourhood 30 to 100, dual weight 20 to 50 [decision 009].
constexpr double kNeighbourhood = 33;  // largest distance from the path; 1 is on it
constexpr double kDualWeight = 20;     // distance of a dual residual of √det z
constexpr double kMeritWeight = 2;     // the same in the merit of a step back to the path
constexpr double kToBoundary = 0.9;    // limit on a step, as a share of the distance to the boundary
constexpr double kLeastShare = 0.7;    // a step along the path of which less can be taken is tried again, shorter
constexpr double kMostDecrease = 0.97, kMostIncrease = 3;       // limits on the relative change of m in a step
constexpr double kShortest = 1e-5, kLost = 1e-4;                // arclengths
constexpr double kFirst = 20, kLongest = 50, kGrowFrom = 0.05;  // arclengths
constexpr double kGrowth = 2.5, kGrowthAfterTrials = 1.3;       // factors on the next arclength
constexpr int kMostStepsBack = 3;                               // in a row; then the last step along the path is undone
constexpr double kUndone = 0.25;                                // factor on its length
constexpr double kShortBack = 0.1;  // share of a step back to the path below which it counts as failed
constexpr double kFar = 10 * kNeighbourhood;
constexpr int kFirstSteps = 2;                                          // predictor–corrector steps of a cold start
constexpr double kFirstToBoundary = 0.995, kMostFirstDecrease = 0.999;  // of these steps

PackMask inside(ContactPack x) { return x.n > tangential_norm(x); }

/// Returns the largest entry of r in units of √det z.
Pack relative_size(ContactPack r, ContactPack z) {
  const auto size = [](Pack a) { return larger(a, -a); };
  return larger(larger(size(r.t1), size(r.t2)), size(r.n)) / root(larger(lorentz_det(z), Pack{}));
}

ContactPack masked(PackMask live, ContactPack x) {
  return {select(live, x.t1, Pack{}), select(live, x.t2, Pack{}), select(live, x.n, Pack{})};
}

double step_length(double inverse, double to_boundary) { return inverse > to_boundary ? to_boundary / inverse : 1.0; }

}  // namespace

template <class Form>
void CentralPath<Form>::bind(const Form& form, NewtonSystem<Form>& system, Judge& judge) {
  form_ = &form;
  system_ = &system;
  judge_ = &judge;
  const int n = form.size();
  for (ScalarArray* array : {&mu_, &rho_, &growth_}) array->claim(n);
  for (int p = 0; p < mu_.packs(); ++p) {
    mu_.pack(p) = larger(judge.sets().pack(p).mu, broadcast(kSmallestMu));
    const Pack inverse_rho = judge.inverse_rho().pack(p);
    rho_.pack(p) = 1.0 / select(inverse_rho > Pack{}, inverse_rho, inverse_rho + 1.0);
  }
  boxes_.bind(judge.sets().list(), judge.inverse_rho(), kDamping);
  soft_.bind(judge.sets().list());
  terms_ = boxes_.bounds();
  for (int i = 0; i < n; ++i) terms_ += !judge.sets().list().is_box(i);
  const auto claim = [&](auto& at) {
    for (ContactArray* array : {&at.x, &at.z, &at.v}) array->claim(n);
    at.y.resize(static_cast<std::size_t>(form.nodes()));
    at.box.resize(boxes_.rows());
  };
  for (Point* point : {&now_, &trial_, &saved_}) claim(*point);
  for (Direction* d : {&a_, &b_, &d_, &correction_}) claim(*d);
  for (ContactArray* array : {&best_, &packed_, &q_, &rd_, &point_, &inverse_}) array->claim(n);
  const auto packs = static_cast<std::size_t>(mu_.packs());
  scaling_.resize(packs);
  damped_root_.resize(packs);
  slip_.resize(packs);
  D_.resize(packs);
  rp_.resize(static_cast<std::size_t>(form.nodes()));
}

/// λ ← S x for the cones, zero elsewhere
template <class Form>
void CentralPath<Form>::impulses(const ContactArray& x, ContactArray& lambda) const {
  for (int p = 0; p < x.packs(); ++p) {
    const ContactPack& at = x.pack(p);
    lambda.pack(p) = masked(judge_->sets().cones(p), {at.t1, at.t2, at.n / mu_.pack(p)});
  }
}

/// Scores the projected impulses of the current point, which packed_ holds afterwards.
template <class Form>
Certificate CentralPath<Form>::certify_now() {
  impulses(now_.x, packed_);
  boxes_.put_impulse(now_.box, packed_);
  for (int p = 0; p < packed_.packs(); ++p) packed_.pack(p) = project(judge_->sets().pack(p), packed_.pack(p));
  return judge_->certify(packed_);
}

template <class Form>
double CentralPath<Form>::mean_complementarity() const {
  if (terms_ == 0) return 1.0;  // only bilateral and prescribed rows: nothing depends on m
  Pack total{};
  for (int p = 0; p < mu_.packs(); ++p)
    total += select(judge_->sets().cones(p), dot(now_.x.pack(p), now_.z.pack(p)), Pack{});
  return (sum(total) + boxes_.complementarity(now_.box)) / terms_;
}

/// y ← R λ, v ← G y + C λ + v_f
template <class Form>
void CentralPath<Form>::settle() {
  impulses(now_.x, packed_);
  boxes_.put_impulse(now_.box, packed_);
  respond(*form_, packed_, now_.y);
  gather_all(*form_, now_.y, now_.v);
  add(now_.v, judge_->v_free());
  add_compliance(judge_->sets(), packed_, now_.v);
}

/// Puts x and z on the axes of the cones, x at the size of the impulses of soft bilateral contacts, and takes the first
/// steps. False when a pivot vanishes.
template <class Form>
bool CentralPath<Form>::start_cold(double stiffness) {
  if (!hold_bilaterally(*form_, *system_, *judge_, stiffness, D_, packed_, now_.y, now_.v)) return false;
  Pack total{};
  for (int p = 0; p < packed_.packs(); ++p) {
    const Pack g = D_[static_cast<std::size_t>(p)].nn, size = g * root(squared_norm(now_.v.pack(p)));
    now_.x.pack(p) = {Pack{}, Pack{}, size};
    packed_.pack(p) = (-g) * now_.v.pack(p);
    total += select(judge_->sets().blocks(p), size, Pack{});
  }
  const double contacts = packed_.size(), mean = std::max(sum(total) / contacts, kScaleFloor);
  const double speed = std::max(judge_->v_free_norm() / std::sqrt(contacts), kScaleFloor);
  boxes_.start(packed_, mean, speed, now_.box);
  for (int p = 0; p < packed_.packs(); ++p) {
    now_.x.pack(p).n = 0.5 * (now_.x.pack(p).n + mean);
    now_.z.pack(p) = {Pack{}, Pack{}, broadcast(speed)};
  }
  settle();
  for (int k = 0; k < kFirstSteps; ++k)
    if (!predictor_corrector()) return false;
  return true;
}

/// x, z ← the smoothed projection of u = x_w − z_w/ρ around the given impulses: x ∘ z = m 1 on the frame of u, with m
/// of the size of the problem.
template <class Form>
void CentralPath<Form>::start_warm(const ContactArray& lambda) {
  Pack square{};
  for (int p = 0; p < lambda.packs(); ++p) {
    const ContactPack l = lambda.pack(p);
    now_.x.pack(p) = {l.t1, l.t2, mu_.pack(p) * l.n};
    square += select(judge_->sets().blocks(p), squared_norm(now_.x.pack(p)), Pack{});
  }
  respond(*form_, lambda, now_.y);
  gather_all(*form_, now_.y, now_.v);
  add(now_.v, judge_->v_free());
  add_compliance(judge_->sets(), lambda, now_.v);
  now_.m = std::max(std::sqrt(sum(square)) * judge_->v_free_norm() / lambda.size(), kScaleFloor * kScaleFloor);
  boxes_.start_central(lambda, now_.v, now_.m, now_.box);
  for (int p = 0; p < lambda.packs(); ++p) {
    const Pack g = 1.0 / rho_.pack(p), m = broadcast(now_.m);
    const ContactPack v = now_.v.pack(p);
    const ContactPack u = now_.x.pack(p) - g * ContactPack{v.t1, v.t2, v.n / mu_.pack(p) + tangential_norm(v)};
    const Pack t = tangential_norm(u), inverse = 1.0 / larger(t, broadcast(1e-300));
    const auto smoothed = [&](Pack l) {
      const Pack r = root(l * l + 4.0 * g * m);
      return select(l > Pack{}, 0.5 * (l + r), 2.0 * g * m / (r - l));
    };
    const auto vector = [&](Pack low, Pack high) {
      const Pack half = 0.5 * (high - low) * inverse;
      return ContactPack{half * u.t1, half * u.t2, 0.5 * (low + high)};
    };
    const Pack low = smoothed(u.n - t), high = smoothed(u.n + t);
    now_.x.pack(p) = vector(low, high);
    now_.z.pack(p) = vector(m / low, m / high);
  }
  settle();
}

/// Returns z − (v_N/μ + s, v_T).
template <class Form>
ContactPack CentralPath<Form>::dual_residual(int p, const Point& at) const {
  const ContactPack& v = at.v.pack(p);
  const Pack t2 = v.t1 * v.t1 + v.t2 * v.t2, s = t2 / root(t2 + kappa_ * at.m * rho_.pack(p));
  return at.z.pack(p) - ContactPack{v.t1, v.t2, v.n / mu_.pack(p) + s};
}

/// Computes scalings and D = S W² ∂z/∂v at the current point and factors the system. False when a pivot vanishes.
template <class Form>
bool CentralPath<Form>::linearise(double m) {
  now_.m = m;
  for (int p = 0; p < mu_.packs(); ++p) {
    const auto k = static_cast<std::size_t>(p);
    const Pack inverse_mu = 1.0 / mu_.pack(p), rho = rho_.pack(p), delta = kDamping * rho;
    const ContactPack v = now_.v.pack(p);
    const Pack e2 = kappa_ * m * rho, t2 = v.t1 * v.t1 + v.t2 * v.t2, inverse_s = 1.0 / root(t2 + e2);
    const Pack cube = inverse_s * inverse_s * inverse_s, slope = (t2 + 2.0 * e2) * cube;
    const ContactPack c{slope * v.t1, slope * v.t2, inverse_mu};
    slip_[k] = c;
    growth_.pack(p) = -0.5 * t2 * e2 * cube;
    scaling_[k] = nesterov_todd(now_.x.pack(p), now_.z.pack(p), delta);
    damped_root_[k] = damped_root(scaling_[k].root, delta);
    const ContactPack w = point_.pack(p) = scaling_[k].root * now_.z.pack(p);
    const Pack inverse_det = m / lorentz_det(w);
    inverse_.pack(p) = {-inverse_det * w.t1, -inverse_det * w.t2, inverse_det * w.n};
    const ContactSlope<Pack> D = coupled_slope(scaling_[k].square, c);
    D_[k] = judge_->sets().plain() ? D : choose_slope(judge_->sets().cones(p), D, ContactSlope<Pack>{});
  }
  boxes_.put_slopes(now_.box, D_);
  soft_.soften(D_);
  return system_->factor(D_);
}

/// d ← the direction with W⁻¹ dx + W dz = q (scaled) and dz = C dv − r_d + δ dx, from q_ and rd_; dy = R S dx, minus
/// rp_ if asked. packed_ holds the right-hand sides of the boxes.
template <class Form>
void CentralPath<Form>::solve(bool with_primal_residual, Direction& d) {
  const bool plain = boxes_.empty();
  for (int p = 0; p < mu_.packs(); ++p) {
    const auto k = static_cast<std::size_t>(p);
    const ContactPack dx = d.x.pack(p) = damped_root_[k] * q_.pack(p) + scaling_[k].square * rd_.pack(p);
    const ContactPack pull{dx.t1, dx.t2, dx.n / mu_.pack(p)};
    packed_.pack(p) = plain ? masked(judge_->sets().blocks(p), pull)
                            : masked(judge_->sets().cones(p), pull) + masked(~judge_->sets().cones(p), packed_.pack(p));
  }
  soft_.soften(packed_);
  respond(*form_, packed_, d.y);
  if (with_primal_residual)
    for (std::size_t k = 0; k < d.y.size(); ++k) d.y[k] -= rp_[k];
  system_->solve(d.y);
  gather_all(*form_, d.y, d.v);
  soft_.add_compliance(packed_, d.v);
  boxes_.take_step(now_.box, d.v, d.box);
  for (int p = 0; p < mu_.packs(); ++p) {
    const auto k = static_cast<std::size_t>(p);
    const ContactPack dv = d.v.pack(p) = masked(judge_->sets().blocks(p), d.v.pack(p)), c = slip_[k];
    const ContactPack change{dv.t1, dv.t2, c.n * dv.n + c.t1 * dv.t1 + c.t2 * dv.t2};
    const PackMask live = judge_->sets().cones(p);
    d.x.pack(p) = masked(live, d.x.pack(p) - scaling_[k].square * change);
    d.z.pack(p) = masked(live, change - rd_.pack(p) + (kDamping * rho_.pack(p)) * d.x.pack(p));
  }
}

template <class Form>
double CentralPath<Form>::inverse_step(const Direction& d) const {
  Pack inverse{};
  for (int p = 0; p < mu_.packs(); ++p) {
    const Pack both = larger(inverse_step_to_boundary(now_.x.pack(p), d.x.pack(p)),
                             inverse_step_to_boundary(now_.z.pack(p), d.z.pack(p)));
    inverse = larger(inverse, select(judge_->sets().cones(p), both, Pack{}));
  }
  return std::max(largest(inverse), boxes_.inverse_step(now_.box, d.box));
}

/// sum ← a + t b
template <class Form>
void CentralPath<Form>::put_sum(const Direction& a, double t, const Direction& b, Direction& sum) const {
  const Pack s = broadcast(t);
  for (int p = 0; p < mu_.packs(); ++p) {
    sum.x.pack(p) = a.x.pack(p) + s * b.x.pack(p);
    sum.z.pack(p) = a.z.pack(p) + s * b.z.pack(p);
    sum.v.pack(p) = a.v.pack(p) + s * b.v.pack(p);
  }
  for (std::size_t k = 0; k < sum.y.size(); ++k) sum.y[k] = a.y[k] + t * b.y[k];
  for (std::size_t k = 0; k < sum.box.size(); ++k)
    sum.box[k] = {a.box[k].lambda + t * b.box[k].lambda, a.box[k].z_lower + t * b.box[k].z_lower,
                  a.box[k].z_upper + t * b.box[k].z_upper};
}

/// trial ← now + t d, with m (1 + t β)
template <class Form>
void CentralPath<Form>::step_to(double t, double beta) {
  const Pack step = broadcast(t);
  for (int p = 0; p < mu_.packs(); ++p) {
    trial_.x.pack(p) = now_.x.pack(p) + step * d_.x.pack(p);
    trial_.z.pack(p) = now_.z.pack(p) + step * d_.z.pack(p);
    trial_.v.pack(p) = now_.v.pack(p) + step * d_.v.pack(p);
  }
  for (std::size_t k = 0; k < now_.y.size(); ++k) trial_.y[k] = now_.y[k] + t * d_.y[k];
  BoxBarrier::move(now_.box, d_.box, t, trial_.box);
  trial_.m = now_.m * (1 + t * beta);
}

/// d += what the factor gives for the residuals at now + d: x ∘ z = m (1 + β) 1, dual and primal.
template <class Form>
void CentralPath<Form>::correct(double beta) {
  step_to(1, beta);
  impulses(trial_.x, packed_);
  boxes_.put_trial_impulse(trial_.box, packed_);
  respond(*form_, packed_, rp_);
  for (std::size_t k = 0; k < rp_.size(); ++k) rp_[k] = trial_.y[k] - rp_[k];
  for (int p = 0; p < mu_.packs(); ++p) {
    const auto& W = scaling_[static_cast<std::size_t>(p)];
    const ContactPack dx = W.inverse_root * d_.x.pack(p), dz = W.root * d_.z.pack(p);
    q_.pack(p) = broadcast(1 + beta) * inverse_.pack(p) - point_.pack(p) - (dx + dz) -
                 jordan_divide(point_.pack(p), jordan(dx, dz));
    rd_.pack(p) = dual_residual(p, trial_);
  }
  boxes_.put_residual(now_.box, d_.box, trial_.v, trial_.m, packed_);
  solve(true, correction_);
  put_sum(d_, 1, correction_, d_);
}

/// b ← the tangent of the path, per unit of log m
template <class Form>
void CentralPath<Form>::tangent() {
  for (int p = 0; p < mu_.packs(); ++p) {
    q_.pack(p) = inverse_.pack(p);
    rd_.pack(p) = {Pack{}, Pack{}, -growth_.pack(p)};
  }
  boxes_.put_tangent(now_.box, now_.m, packed_);
  solve(false, b_);
}

/// d ← 0
template <class Direction>
void clear(Direction& d) {
  for (ContactArray* array : {&d.x, &d.z, &d.v})
    for (int p = 0; p < array->packs(); ++p) array->pack(p) = {};
  std::fill(d.y.begin(), d.y.end(), typename decltype(d.y)::value_type{});
  std::fill(d.box.begin(), d.box.end(), BoxBarrier::RowStep{});
}

/// Takes one predictor–corrector step towards smaller m, without regard to the path.
template <class Form>
bool CentralPath<Form>::predictor_corrector() {
  if (!linearise(mean_complementarity())) return false;
  clear(d_);
  correct(-kMostFirstDecrease);
  const double rest = 1.0 - step_length(inverse_step(d_), kFirstToBoundary);
  correct(std::max(rest * rest * rest - 1, -kMostFirstDecrease));
  step_to(step_length(inverse_step(d_), kFirstToBoundary), 0);
  std::swap(now_, trial_);
  now_.m = mean_complementarity();
  return std::isfinite(now_.m) && now_.m > 0;
}

/// Returns how far a point is from the path: 1 on it, infinite outside the cones.
template <class Form>
double CentralPath<Form>::distance(const Point& at) const {
  Pack worst{};
  const Pack m = broadcast(at.m), infinite = broadcast(HUGE_VAL);
  for (int p = 0; p < mu_.packs(); ++p) {
    const ContactPack x = at.x.pack(p), z = at.z.pack(p);
    const auto [low, high] = jordan_eigenvalues(x, z);
    const Pack dual = kDualWeight * relative_size(dual_residual(p, at), z),
               all = larger(larger(m / low, high / m), dual);
    const Pack checked = select(inside(x) & inside(z) & (all < infinite), all, infinite);
    worst = larger(worst, select(judge_->sets().cones(p), checked, Pack{}));
  }
  return std::max(largest(worst), boxes_.distance(at.box, at.v, at.m, kDualWeight));
}

/// Returns the root of the sum of squares of the deviations from the path.
template <class Form>
double CentralPath<Form>::merit(const Point& at) const {
  Pack total{};
  const Pack inverse_m = broadcast(1.0 / at.m), infinite = broadcast(HUGE_VAL);
  for (int p = 0; p < mu_.packs(); ++p) {
    const ContactPack x = at.x.pack(p), z = at.z.pack(p);
    const auto [low, high] = jordan_eigenvalues(x, z);
    const Pack dual = kMeritWeight * relative_size(dual_residual(p, at), z);
    const Pack l = low * inverse_m - 1.0, h = high * inverse_m - 1.0, all = l * l + h * h + dual * dual;
    total += select(judge_->sets().cones(p), select(inside(x) & inside(z) & (all < infinite), all, infinite), Pack{});
  }
  return std::sqrt(sum(total) + boxes_.merit(at.box, at.v, at.m, kMeritWeight));
}

/// d ← a + β b, with two corrections if asked
template <class Form>
void CentralPath<Form>::take_direction(double beta, bool corrected) {
  put_sum(a_, beta, b_, d_);
  if (!corrected) return;
  correct(beta);
  correct(beta);
}

/// Takes one step: along the path, of at most `length`, or back to it when no step along it ends near enough.
template <class Form>
auto CentralPath<Form>::iterate(double length) -> Step {
  if (!linearise(now_.m)) return {};
  const int sign = system_->determinant_sign();
  clear(d_);
  correct(0);
  std::swap(a_, d_);
  tangent();
  Pack bb{}, ab{};
  for (int p = 0; p < mu_.packs(); ++p) {
    const auto& W = scaling_[static_cast<std::size_t>(p)];
    const ContactPack bx = W.inverse_root * b_.x.pack(p), bz = W.root * b_.z.pack(p);
    const ContactPack ax = W.inverse_root * a_.x.pack(p), az = W.root * a_.z.pack(p);
    bb += select(judge_->sets().cones(p), dot(bx, bx) + dot(bz, bz), Pack{});
    ab += select(judge_->sets().cones(p), dot(ax, bx) + dot(az, bz), Pack{});
  }
  const double unit = 1 / (now_.m * std::max(1, terms_));
  const double norm = std::sqrt(unit * (sum(bb) + boxes_.product(now_.box, b_.box, b_.box)) + 1);
  const double along = unit * (sum(ab) + boxes_.product(now_.box, a_.box, b_.box)) / norm;
  if (!std::isfinite(norm) || !std::isfinite(along)) return {};
  bool first = true;
  if (distance(now_) < kNeighbourhood)
    for (double h = length; h > kShortest; h *= 0.5, first = false) {
      const double beta = std::clamp((-sign * h - along) / norm, -kMostDecrease, kMostIncrease);
      for (const bool corrected : {true, false}) {
        take_direction(beta, corrected);
        const double t = step_length(inverse_step(d_), kToBoundary);
        if (!(t >= kLeastShare)) continue;
        step_to(t, beta);
        const double q = distance(trial_);
        if (q > kNeighbourhood) continue;
        std::swap(now_, trial_);
        return {Kind::kAlong, h * t, q, first};
      }
    }
  return back_to_path(std::clamp(-along / norm, -0.5, 1.0));
}

/// Takes the share of a step orthogonal to the path that lowers the merit most, by halving.
template <class Form>
auto CentralPath<Form>::back_to_path(double beta) -> Step {
  constexpr double kGoodShare = 0.3;
  constexpr int kHalvings = 8;
  double limit = 0;
  for (const bool corrected : {true, false}) {
    take_direction(beta, corrected);
    limit = step_length(inverse_step(d_), kToBoundary);
    if (limit > kGoodShare) break;
  }
  if (!(limit > 0)) return {};
  const double before = merit(now_);
  double best = limit, best_merit = HUGE_VAL, t = limit;
  for (int k = 0; k < kHalvings; ++k, t *= 0.5) {
    step_to(t, beta);
    const double value = merit(trial_);
    if (value < best_merit)
      best = t, best_merit = value;
    else if (best_merit < before)
      break;
  }
  if (!(best_merit < before)) best = std::min(limit, kShortBack);
  step_to(best, beta);
  const double q = distance(trial_);
  std::swap(now_, trial_);
  return {Kind::kBack, best, q, false};
}

/// Decides after a step: how long the next one may be, or back to the point before the last step along the path. False
/// when the path is lost.
template <class Form>
bool CentralPath<Form>::go_on(const Step& step) {
  if (step.kind == Kind::kAlong) {
    std::swap(saved_, trial_);  // iterate() has left the point before the step in trial_
    has_saved_ = true;
    saved_length_ = step.length;
    steps_back_ = 0;
    length_ = step.first_trial ? std::clamp(kGrowth * step.length, kGrowFrom, kLongest)
                               : kGrowthAfterTrials * std::max(step.length, kGrowFrom);
    return true;
  }
  if (!has_saved_) return step.kind != Kind::kBroken;
  const bool failed = step.kind == Kind::kBroken || step.length < kShortBack || step.distance > kFar;
  if (++steps_back_ <= kMostStepsBack && !failed) return true;
  now_ = saved_;
  length_ = saved_length_ = kUndone * saved_length_;
  steps_back_ = 0;
  return length_ >= kLost;
}

/// Finds the first point of the path. False when a pivot vanishes.
template <class Form>
bool CentralPath<Form>::begin(ContactArray& lambda, const CentralPathSchedule& schedule, int& iterations) {
  if (schedule.resume) return true;
  kappa_ = schedule.smoothing;
  length_ = kFirst;
  has_saved_ = false;
  steps_back_ = 0;
  if (schedule.warm) {
    start_warm(lambda);
    return true;
  }
  iterations += 1 + kFirstSteps;
  return start_cold(schedule.soft_start);
}

template <class Form>
CentralPathResult CentralPath<Form>::run(ContactArray& lambda, const Certificate& before,
                                         const CentralPathSchedule& schedule, const StageContext& context) {
  CentralPathResult result;
  result.certificate = before;
  if (context.stopped() || (!schedule.warm && !schedule.resume && schedule.iterations <= kFirstSteps)) return result;
  best_ = lambda;
  bool sound = begin(lambda, schedule, result.iterations);
  const double step_work = newton_step_work(*form_, *system_);
  while (sound && result.iterations < schedule.iterations && !context.stopped() &&
         !context.limit.reached(result.certificate, result.iterations * step_work)) {
    sound = go_on(iterate(length_));
    ++result.iterations;
    if (!sound) break;
    const Certificate now = certify_now();
    if (now.worst() < result.certificate.worst()) {
      result.certificate = now;
      best_ = packed_;
    }
    context.observe(result.iterations, now);
    sound = std::isfinite(now.worst());
    result.reached = now.solved(schedule.tolerance);
    if (result.reached) break;
  }
  lambda = best_;
  return result;
}

template class CentralPath<BodyForm>;
template class CentralPath<MatrixForm>;

}  // namespace repose
