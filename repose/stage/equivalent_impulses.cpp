// SPDX-License-Identifier: Apache-2.0
#include "repose/stage/equivalent_impulses.h"

#include <algorithm>
#include <cmath>

#include "repose/base/error.h"
#include "repose/contact/operators.h"
#include "repose/set/block_mode.h"

namespace repose {
namespace {

constexpr int kNewtonSteps = 200, kHalvings = 30;
constexpr double kDone = 1e-14;  // ‖F‖ as a share of ‖R λ*‖ at which Newton's method ends
constexpr double kMostDamping = 1e-2, kLeastDamping = 1e-12;
constexpr double kArmijo = 1e-4;
constexpr double kStill = 0.1;      // share of the tolerance below which a velocity counts as zero,
constexpr double kErrorFactor = 2;  // and multiple of the solution's own residual
constexpr double kRangeGrowth = 8;  // factor on the pull of each step towards an end of the range
constexpr int kRangeSteps = 12;
constexpr double kRangeDone = 1e-7;  // share of its size by which a step must change the force
constexpr double kUnlimited = 1e6;   // multiple of all impulses above which a force has no limit

void set_slope(SlopeArray& D, int i, const ContactSlope<double>& d) {
  ContactSlope<Pack>& pack = D[static_cast<std::size_t>(i / kLanes)];
  const int k = i % kLanes;
  pack.t1t1[k] = d.t1t1, pack.t1t2[k] = d.t1t2, pack.t2t2[k] = d.t2t2;
  pack.t1n[k] = d.t1n, pack.t2n[k] = d.t2n, pack.nn[k] = d.nn;
  pack.nt1[k] = d.nt1, pack.nt2[k] = d.nt2, pack.t2t1[k] = d.t2t1;
}

/// s D
template <class R>
ContactSlope<R> times(double s, const ContactSlope<R>& D) {
  return {.t1t1 = s * D.t1t1,
          .t1t2 = s * D.t1t2,
          .t2t2 = s * D.t2t2,
          .t1n = s * D.t1n,
          .t2n = s * D.t2n,
          .nn = s * D.nn,
          .nt1 = s * D.nt1,
          .nt2 = s * D.nt2,
          .t2t1 = s * D.t2t1};
}

/// d dᵀ / ‖d‖²
ContactSlope<double> onto_line(ContactVec d) {
  const double s = 1 / dot(d, d);
  return mirrored(ContactSlope<double>{.t1t1 = s * d.t1 * d.t1,
                                       .t1t2 = s * d.t1 * d.t2,
                                       .t2t2 = s * d.t2 * d.t2,
                                       .t1n = s * d.t1 * d.n,
                                       .t2n = s * d.t2 * d.n,
                                       .nn = s * d.n * d.n});
}

}  // namespace

EquivalentImpulses::EquivalentImpulses(const ContactProblem& problem, std::span<const ContactVec> solution,
                                       double tolerance)
    : problem_(&problem), form_(std::get_if<BodyForm>(&problem.form())), tolerance_(tolerance) {
  require(form_ != nullptr, "equivalent impulses: expected a problem in body form, got one in matrix form");
  require(static_cast<int>(solution.size()) == problem.size(), "equivalent impulses: expected ", problem.size(),
          " impulses, got ", solution.size());
  judge_.bind(problem);
  require(system_.bind(*form_), "equivalent impulses: expected a factor of at most 128 MiB, got a larger problem");
  const int n = problem.size();
  solution_.assign(solution.begin(), solution.end());
  for (ContactArray* array : {&lambda_, &velocity_}) array->resize(n);
  lambda_.load(solution);
  const Certificate given = judge_.start(lambda_);
  require(given.solved(tolerance), "equivalent impulses: expected a solution to ", tolerance, ", got a residual of ",
          given.worst());
  // Velocities within the error of the solution cannot be told from zero.
  const double error = std::max(kStill * tolerance, kErrorFactor * given.worst());
  const double still = error * std::max(judge_.v_free_norm(), norm(judge_.velocity()));
  for (int i = 0; i < n; ++i) {
    inverse_rho_.push_back(judge_.inverse_rho()[i]);
    pieces_.push_back(piece_of(i, lambda_[i], judge_.velocity()[i], still));
  }
  D_.resize(static_cast<std::size_t>(lambda_.packs()));
  scaled_.resize(D_.size());
  for (auto* nodes : {&response_, &y_, &F_, &dy_, &trial_}) nodes->resize(static_cast<std::size_t>(form_->nodes()));
  respond(*form_, lambda_, response_);
}

auto EquivalentImpulses::piece_of(int i, ContactVec lambda, ContactVec v, double still) const -> Piece {
  const SetRef<double> set = judge_.sets()[i];
  Piece piece;
  piece.fixed = lambda;
  if (set.extra && set.extra->box) {
    piece.kind = Piece::Kind::kSet;
    for (int r = 0; r < 3; ++r)
      piece.free_row[r] = set.extra->compliance.*kRows[r] == 0 && std::abs(v.*kRows[r]) <= still;
    return piece;
  }
  if (set.extra || v.n > still) return piece;  // soft, or open
  piece.kind = tangential_norm(v) <= still ? Piece::Kind::kSet : Piece::Kind::kRay;
  if (piece.kind == Piece::Kind::kRay) {
    const double t = tangential_norm(v);
    piece.direction = {-set.mu * v.t1 / t, -set.mu * v.t2 / t, 1};
  }
  return piece;
}

/// Returns the point of S_i nearest to x, and the slope of that map.
ContactVec EquivalentImpulses::project_piece(int i, ContactVec x, ContactSlope<double>& D) const {
  const Piece& piece = pieces_[static_cast<std::size_t>(i)];
  D = {};
  if (piece.kind == Piece::Kind::kFixed) return piece.fixed;
  if (piece.kind == Piece::Kind::kRay) {
    const double s = dot(piece.direction, x) / dot(piece.direction, piece.direction);
    if (!(s > 0)) return {};
    D = onto_line(piece.direction);
    return s * piece.direction;
  }
  const SetRef<double> set = judge_.sets()[i];
  if (!set.extra) {
    const ContactVec P = project_onto_cone(x, set.mu, D);
    D = mirrored(D);
    return P;
  }
  ContactVec P, slope;
  for (int r = 0; r < 3; ++r) {
    const auto row = kRows[r];
    const double lower = set.extra->bounds.lower.*row, upper = set.extra->bounds.upper.*row;
    P.*row = piece.free_row[r] ? std::clamp(x.*row, lower, upper) : piece.fixed.*row;
    slope.*row = piece.free_row[r] && x.*row > lower && x.*row < upper ? 1 : 0;
  }
  D = {.t1t1 = slope.t1, .t2t2 = slope.t2, .nn = slope.n};
  return P;
}

/// λ ← Π(λ̂ + ρ⁻¹ G y), D ← its slope, F ← R λ* − R λ. Returns the dual function, whose gradient is −F.
double EquivalentImpulses::evaluate(const AlignedVector<Node>& y) {
  gather_all(*form_, y, velocity_);
  double value = -dot_of(y, response_);
  for (int i = 0; i < form_->size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const ContactVec x = target_[k] + inverse_rho_[k] * velocity_[i];
    ContactSlope<double> D;
    const ContactVec P = project_piece(i, x, D);
    lambda_.set(i, P);
    set_slope(D_, i, times(inverse_rho_[k], D));
    value += (dot(x, P) - 0.5 * dot(P, P)) / inverse_rho_[k];
  }
  respond(*form_, lambda_, F_);
  for (std::size_t k = 0; k < F_.size(); ++k) F_[k] = response_[k] - F_[k];
  return value;
}

/// Takes one damped Newton step. False when no share of it lowers the dual function or ‖F‖; y is then unchanged.
bool EquivalentImpulses::descend(double delta, double& value, double& residual) {
  for (std::size_t p = 0; p < D_.size(); ++p) scaled_[p] = times(1 / delta, D_[p]);
  if (!system_.factor(scaled_)) return false;
  for (std::size_t k = 0; k < F_.size(); ++k) dy_[k] = (1 / delta) * F_[k];
  system_.solve(dy_);
  const double slope = -dot_of(F_, dy_);
  double t = 1;
  for (int halving = 0; halving <= kHalvings; ++halving, t *= 0.5) {
    for (std::size_t k = 0; k < y_.size(); ++k) trial_[k] = y_[k] + t * dy_[k];
    const double trial = evaluate(trial_), size = norm_of(F_);
    if (!(trial <= value + kArmijo * t * slope) && !(size < 0.5 * residual)) continue;
    std::swap(y_, trial_);
    value = trial;
    residual = size;
    return true;
  }
  return false;
}

EquivalentResult EquivalentImpulses::nearest(std::span<const ContactVec> target, std::span<ContactVec> lambda) {
  EquivalentResult result;
  target_.assign(target.begin(), target.end());
  std::fill(y_.begin(), y_.end(), Node{});
  double value = evaluate(y_), residual = norm_of(F_);
  const double scale = norm_of(response_);
  while (result.newton_iterations < kNewtonSteps && residual > kDone * scale) {
    const double delta = std::clamp(1e-2 * residual / scale, kLeastDamping, kMostDamping);
    ++result.newton_iterations;
    if (descend(delta, value, residual)) continue;
    evaluate(y_);
    break;
  }
  result.certificate = judge_.certify(lambda_);
  result.solved = result.certificate.solved(tolerance_);
  if (result.solved) {
    lambda_.store(lambda);
  } else {
    std::copy(solution_.begin(), solution_.end(), lambda.begin());
    lambda_.load(solution_);
    result.certificate = judge_.certify(lambda_);
  }
  return result;
}

EquivalentResult EquivalentImpulses::canonical(std::span<ContactVec> lambda) {
  return nearest(std::vector<ContactVec>(solution_.size()), lambda);
}

/// Pulls the impulses along `weight` and returns to the set, with a growing pull, until the force no longer grows.
double EquivalentImpulses::greatest(std::span<const ContactVec> weight) {
  std::vector<ContactVec> lambda = solution_, target(solution_.size());
  double size = 0, pull = 0;
  for (std::size_t k = 0; k < lambda.size(); ++k) {
    size += dot(lambda[k], lambda[k]);
    pull += dot(weight[k], weight[k]);
  }
  size = std::sqrt(size), pull = std::sqrt(pull);
  if (size == 0 || pull == 0) return 0;
  const auto force = [&] {
    double sum = 0;
    for (std::size_t k = 0; k < lambda.size(); ++k) sum += dot(weight[k], lambda[k]);
    return sum;
  };
  double now = force();
  double step = size / pull;
  for (int k = 0; k < kRangeSteps; ++k, step *= kRangeGrowth) {
    for (std::size_t i = 0; i < lambda.size(); ++i) target[i] = lambda[i] + step * weight[i];
    if (!nearest(target, lambda).solved) return now;
    const double next = std::max(now, force());
    if (next > kUnlimited * size * pull) return HUGE_VAL;
    const bool done = next - now <= kRangeDone * size * pull;
    now = next;
    if (done) break;
  }
  return now;
}

ForceRange EquivalentImpulses::range(std::span<const ContactVec> weight) {
  std::vector<ContactVec> opposite(weight.begin(), weight.end());
  for (ContactVec& w : opposite) w = -1.0 * w;
  const double least = -greatest(opposite);
  return {least, greatest(weight)};
}

}  // namespace repose
