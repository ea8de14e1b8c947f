// SPDX-License-Identifier: Apache-2.0
#include "repose/verify/law.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace repose::verify {
namespace {

constexpr int kPowerSteps = 2000;
constexpr double kPowerAccuracy = 1e-7;  // relative growth of the eigenvalue at which the iteration stops
constexpr double kDigits = 16;           // steps of the last digit of an impulse by which sums of impulses may be off

std::size_t at(int k) { return static_cast<std::size_t>(k); }

double square(const Rows& x) { return x[0] * x[0] + x[1] * x[1] + x[2] * x[2]; }
Rows minus(const Rows& x, const Rows& y) { return {x[0] - y[0], x[1] - y[1], x[2] - y[2]}; }

/// The nearest point of the cone ‖x_T‖ ≤ μ x_N.
Rows onto_cone(const Rows& x, double mu) {
  const double tangential = std::hypot(x[0], x[1]);
  if (tangential <= mu * x[2]) return x;
  if (mu * tangential <= -x[2]) return {0, 0, 0};
  const double normal = (x[2] + mu * tangential) / (1 + mu * mu), share = mu * normal / tangential;
  return {share * x[0], share * x[1], normal};
}

Rows onto_set(const LawBlock& block, const Rows& x) {
  if (!block.box) return onto_cone(x, block.mu);
  Rows y = x;
  for (std::size_t r = 0; r < 3; ++r) y[r] = std::min(std::max(x[r], block.lower[r]), block.upper[r]);
  return y;
}

/// ṽ minus its nearest point in the dual of the set's recession cone. By Moreau that is minus the projection of −ṽ onto
/// the recession cone: the cone itself, or the rows of a box that have no bound.
Rows dual_violation(const LawBlock& block, const Rows& v) {
  Rows bad = onto_cone({-v[0], -v[1], -v[2]}, block.mu);
  if (block.box)
    for (std::size_t r = 0; r < 3; ++r) {
      const bool up = std::isinf(block.upper[r]), down = std::isinf(block.lower[r]);
      bad[r] = (up && v[r] < 0) || (down && v[r] > 0) ? -v[r] : 0.0;
    }
  return bad;
}

/// Σ ṽ λ for the cone. For a row of a box the impulse counts from the bound that the sign of the velocity asks for.
double complementarity(const LawBlock& block, const Rows& v) {
  double sum = 0;
  for (std::size_t r = 0; r < 3; ++r) {
    double from = 0;
    if (block.box) {
      const bool has_lower = !std::isinf(block.lower[r]), has_upper = !std::isinf(block.upper[r]);
      const double low = has_lower ? block.lower[r] : 0, high = has_upper ? block.upper[r] : 0;
      from = v[r] > 0 ? (has_lower ? low : high) : (has_upper ? high : low);
    }
    sum += v[r] * (block.lambda[r] - from);
  }
  return sum;
}

Rows augmented(const LawBlock& block, Rows v) {
  if (!block.box) v[2] += block.mu * std::hypot(v[0], v[1]);
  return v;
}

/// J u of one block, with the velocities of both bodies.
Rows rows_of(const LawBlock& block, const std::vector<Vec3>& velocity, const std::vector<Vec3>& spin) {
  Rows v{};
  for (std::size_t r = 0; r < 3; ++r) {
    if (block.a >= 0)
      v[r] += dot(block.linear_a[r], velocity[at(block.a)]) + dot(block.angular_a[r], spin[at(block.a)]);
    if (block.b >= 0)
      v[r] += dot(block.linear_b[r], velocity[at(block.b)]) + dot(block.angular_b[r], spin[at(block.b)]);
    for (const LawEnd& end : block.others)
      v[r] += dot(end.linear[r], velocity[at(end.body)]) + dot(end.angular[r], spin[at(end.body)]);
  }
  return v;
}

Vec3 by_axis(Vec3 s, Vec3 x) { return {s.x * x.x, s.y * x.y, s.z * x.z}; }

/// tr(W_ii) + tr(C): J M⁻¹ Jᵀ of the block alone.
double diagonal(const LawBlock& block, std::span<const LawBody> bodies) {
  double sum = block.compliance[0] + block.compliance[1] + block.compliance[2];
  const auto add = [&](int b, const std::array<Vec3, 3>& linear, const std::array<Vec3, 3>& angular) {
    if (b < 0 || !bodies[at(b)].moves) return;
    for (std::size_t r = 0; r < 3; ++r)
      sum += dot(linear[r], by_axis(bodies[at(b)].inverse_mass, linear[r])) +
             dot(angular[r], bodies[at(b)].inverse_inertia * angular[r]);
  };
  add(block.a, block.linear_a, block.angular_a);
  add(block.b, block.linear_b, block.angular_b);
  for (const LawEnd& end : block.others) add(end.body, end.linear, end.angular);
  return sum;
}

/// ρ: the mean of the diagonal over the rows whose impulse can change.
double mean_diagonal(const LawBlock& block, std::span<const LawBody> bodies) {
  int rows = 0;
  for (std::size_t r = 0; r < 3; ++r) rows += !block.box || block.lower[r] < block.upper[r];
  return diagonal(block, bodies) / (rows > 0 ? rows : 3);
}

/// Largest eigenvalue of W + C by power iteration.
double largest_eigenvalue(std::span<const LawBody> bodies, std::vector<LawBlock> blocks) {
  double norm = 0, value = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (std::size_t r = 0; r < 3; ++r) blocks[i].lambda[r] = 1 + 0.1 * std::sin(3.0 * static_cast<double>(3 * i + r));
  for (int step = 0; step < kPowerSteps; ++step) {
    norm = 0;
    for (const LawBlock& block : blocks) norm += square(block.lambda);
    norm = std::sqrt(norm);
    for (LawBlock& block : blocks)
      for (double& x : block.lambda) x /= norm;
    const Change u = response(bodies, blocks, &LawBlock::lambda);
    double next = 0;
    for (LawBlock& block : blocks) {
      Rows w = rows_of(block, u.velocity, u.spin);
      for (std::size_t r = 0; r < 3; ++r) w[r] += block.compliance[r] * block.lambda[r];
      next += w[0] * block.lambda[0] + w[1] * block.lambda[1] + w[2] * block.lambda[2];
      block.lambda = w;
    }
    const bool settled = std::abs(next - value) <= kPowerAccuracy * next;
    value = next;
    if (settled) break;
  }
  return value;
}

/// Velocities of all blocks with the impulses of one member.
std::vector<Rows> velocities(std::span<const LawBody> bodies, std::span<const LawBlock> blocks,
                             Rows LawBlock::*impulse) {
  Change u = response(bodies, blocks, impulse);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    u.velocity[b] = u.velocity[b] + bodies[b].velocity;
    u.spin[b] = u.spin[b] + bodies[b].spin;
  }
  std::vector<Rows> v;
  for (const LawBlock& block : blocks) {
    Rows own = rows_of(block, u.velocity, u.spin);
    for (std::size_t r = 0; r < 3; ++r) own[r] += block.bias[r] + block.compliance[r] * (block.*impulse)[r];
    v.push_back(own);
  }
  return v;
}

/// A certificate, and what rounding may make of it: a few steps of the last digit of the largest impulse.
struct Score {
  Certificate certificate;
  double rounding = 0;
};

Score certificate(std::span<const LawBody> bodies, std::span<const LawBlock> blocks) {
  Certificate result;
  if (blocks.empty()) return {};
  std::vector<LawBlock> still(blocks.begin(), blocks.end());
  for (LawBlock& block : still) block.lambda = {};
  const auto v_free = velocities(bodies, still, &LawBlock::lambda),
             v_start = velocities(bodies, blocks, &LawBlock::start), v = velocities(bodies, blocks, &LawBlock::lambda);
  double force = 0, velocity = 0, gap = 0, natural = 0, impulse = 0, start = 0, free_speed = 0, start_speed = 0,
         stress = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const LawBlock& block = blocks[i];
    const Rows u = augmented(block, v[i]);
    const double rho = mean_diagonal(block, bodies);
    Rows trial = block.lambda;
    for (std::size_t r = 0; r < 3; ++r) trial[r] -= rho > 0 ? u[r] / rho : 0.0;
    force += square(minus(block.lambda, onto_set(block, block.lambda)));
    velocity += square(dual_violation(block, u));
    gap += complementarity(block, u);
    natural += square(minus(block.lambda, onto_set(block, trial)));
    stress = std::max(stress, rho * std::sqrt(square(block.lambda)));
    impulse += square(block.lambda);
    start += square(block.start);
    free_speed += square(v_free[i]);
    start_speed += square(augmented(block, v_start[i]));
  }
  const double largest = largest_eigenvalue(bodies, still), free = largest > 0 ? std::sqrt(free_speed) / largest : 0.0;
  const double speed = std::max({std::sqrt(start_speed), std::sqrt(free_speed), kScaleFloor});
  const double scale = std::max({std::sqrt(impulse), free, kScaleFloor});
  const auto parts = [&](double s, double u) {
    return Residual{std::sqrt(force) / s, std::sqrt(velocity) / u, std::abs(gap) / (s * u)};
  };
  result.residual = parts(std::max(scale, std::sqrt(start)), speed);
  result.paper = parts(std::max({std::sqrt(start), free, kPaperScaleFloor}), std::max(speed, kPaperScaleFloor));
  result.nat = std::sqrt(natural) / scale;
  return {result, kDigits * std::numeric_limits<double>::epsilon() * stress / speed};
}

void take_worst(Certificate& worst, const Certificate& one) {
  for (const auto part : {&Certificate::residual, &Certificate::paper}) {
    (worst.*part).force = std::max((worst.*part).force, (one.*part).force);
    (worst.*part).velocity = std::max((worst.*part).velocity, (one.*part).velocity);
    (worst.*part).gap = std::max((worst.*part).gap, (one.*part).gap);
  }
  worst.nat = std::max(worst.nat, one.nat);
}

}  // namespace

Change response(std::span<const LawBody> bodies, std::span<const LawBlock> blocks, Rows LawBlock::*impulse) {
  Change push{std::vector<Vec3>(bodies.size()), std::vector<Vec3>(bodies.size())};
  const auto add = [&](int b, const std::array<Vec3, 3>& linear, const std::array<Vec3, 3>& angular, const Rows& x) {
    if (b < 0 || !bodies[at(b)].moves) return;
    for (std::size_t r = 0; r < 3; ++r) {
      if (x[r] == 0) continue;
      push.velocity[at(b)] = push.velocity[at(b)] + x[r] * linear[r];
      push.spin[at(b)] = push.spin[at(b)] + x[r] * angular[r];
    }
  };
  for (const LawBlock& block : blocks) {
    add(block.a, block.linear_a, block.angular_a, block.*impulse);
    add(block.b, block.linear_b, block.angular_b, block.*impulse);
    for (const LawEnd& end : block.others) add(end.body, end.linear, end.angular, block.*impulse);
  }
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    push.velocity[b] = by_axis(bodies[b].inverse_mass, push.velocity[b]);
    push.spin[b] = bodies[b].inverse_inertia * push.spin[b];
  }
  return push;
}

double largest_push(std::span<const LawBody> bodies, std::span<const LawBlock> blocks) {
  double most = 0;
  const auto take = [&](int b, const std::array<Vec3, 3>& linear, const Rows& x) {
    if (b < 0 || !bodies[at(b)].moves) return;
    for (std::size_t r = 0; r < 3; ++r)
      most = std::max(most, std::abs(x[r]) * norm(by_axis(bodies[at(b)].inverse_mass, linear[r])));
  };
  for (const LawBlock& block : blocks) {
    take(block.a, block.linear_a, block.lambda), take(block.b, block.linear_b, block.lambda);
    for (const LawEnd& end : block.others) take(end.body, end.linear, block.lambda);
  }
  return most;
}

Scores score(std::span<const LawBody> bodies, std::span<const LawBlock> blocks) {
  std::vector<int> root(bodies.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int b) {
    while (root[at(b)] != b) b = root[at(b)] = root[at(root[at(b)])];
    return b;
  };
  const auto moves = [&](int b) { return b >= 0 && bodies[at(b)].moves; };
  const auto first_of = [&](const LawBlock& block) {
    if (moves(block.a)) return block.a;
    if (moves(block.b)) return block.b;
    for (const LawEnd& end : block.others)
      if (moves(end.body)) return end.body;
    return -1;
  };
  for (const LawBlock& block : blocks) {
    if (moves(block.a) && moves(block.b)) root[at(find(block.a))] = find(block.b);
    for (const LawEnd& end : block.others)
      if (moves(end.body)) root[at(find(first_of(block)))] = find(end.body);
  }
  std::vector<std::vector<LawBlock>> islands(bodies.size());
  for (const LawBlock& block : blocks)
    if (const int body = first_of(block); body >= 0) islands[at(find(body))].push_back(block);
  Scores scores;
  for (const std::vector<LawBlock>& island : islands) {
    if (island.empty()) continue;
    ++scores.islands;
    const Score one = certificate(bodies, island);
    take_worst(scores.worst_island, one.certificate);
    scores.rounding = std::max(scores.rounding, one.rounding);
  }
  scores.whole = scores.islands == 1 ? scores.worst_island : certificate(bodies, blocks).certificate;
  return scores;
}

}  // namespace repose::verify
