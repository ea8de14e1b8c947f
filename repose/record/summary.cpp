// SPDX-License-Identifier: Apache-2.0
#include "repose/record/summary.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <numbers>
#include <numeric>
#include <sstream>

#include "repose/math/scalar.h"

namespace repose {
namespace {

constexpr double kLastSecond = 1, kPieces = 240;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

double rank(const std::vector<double>& sorted, double q) {
  const auto n = static_cast<double>(sorted.size());
  const auto k = static_cast<std::size_t>(std::clamp(std::ceil(q * n) - 1, 0.0, n - 1));
  return sorted[k];
}

double tilt(Quat from, Quat to, Vec3 gravity) {
  const Quat turn = to * conjugate(from);
  if (norm(gravity) == 0) return 2 * arc_cosine(std::min(1.0, std::abs(turn.w)));
  const Vec3 up = (-1 / norm(gravity)) * gravity, now = rotate(turn, up);
  return arc_tangent(norm(cross(up, now)), dot(up, now));
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  Spread spread;
  spread.median = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  spread.p95 = rank(values, 0.95);
  spread.p99 = rank(values, 0.99);
  spread.max = values.back();
  spread.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  return spread;
}

std::string squeeze_text(const Squeeze& squeeze, const Scene& scene) {
  const auto name = [&](int body) { return body < 0 ? "a body" : scene.bodies[at(body)].name; };
  const bool same = squeeze.between == squeeze.and_between;
  std::ostringstream text;
  text << name(squeeze.between) << (same ? "" : " and " + name(squeeze.and_between)) << (same ? " leaves " : " leave ")
       << name(squeeze.body) << ' ' << std::setprecision(3) << 1e3 * squeeze.lack << " mm too little room";
  return text.str();
}

RunSummary::RunSummary(const World& world)
    : start_(world.states().begin(), world.states().end()),
      energy_start_(world.energy()),
      max_displacement_(start_.size(), 0.0) {}

void RunSummary::add(const World& world, const StepReport& report) {
  contacts_.push_back(report.contacts);
  if (report.contacts > 0) {  // without contacts there is nothing to miss
    r_c_.push_back(report.certificate.r_c());
    r_c_paper_.push_back(report.certificate.paper.worst());
    nat_.push_back(report.certificate.nat);
  }
  outer_.push_back(report.outer_iterations);
  inner_.push_back(report.inner_iterations);
  work_.push_back(report.work);
  ms_.push_back(report.ms.total());
  collide_.push_back(report.ms.collide);
  assemble_.push_back(report.ms.assemble);
  solve_.push_back(report.ms.solve);
  integrate_.push_back(report.ms.integrate);
  if (report.status == StepStatus::kAccepted) accepted_.push_back(report.step);
  if (report.status == StepStatus::kUnsolved) unsolved_.push_back(report.step);
  if (report.imprecise_islands > 0)
    imprecise_.push_back(report.step);
  else if (report.why[0] != '\0')
    rounding_.push_back(report.step);
  remainder_ = std::max(remainder_, report.remainder);
  for (std::size_t k = 0; k < kShareLevels.size(); ++k) within_[k] += report.certificate.solved(kShareLevels[k]);
  fallbacks_ += report.fallbacks;
  recoveries_unsolved_ += report.recoveries_unsolved;
  recovery_residual_ = std::max(recovery_residual_, report.recovery_residual);
  if (report.pairs_missed > 0) missed_.push_back(report.step);
  pairs_missed_ += report.pairs_missed;
  if (report.squeeze.islands > 0) squeezed_.push_back(report.step);
  if (report.squeeze.lack > squeeze_.lack) squeeze_ = report.squeeze;
  worst_ = std::max(worst_, report.certificate.worst());
  energy_rise_ = std::max(energy_rise_, report.energy_rise);
  penetration_ = std::max(penetration_, report.penetration);
  overlap_share_ = std::max(overlap_share_, report.overlap_share);
  for (std::size_t b = 0; b < start_.size(); ++b)
    max_displacement_[b] = std::max(max_displacement_[b], norm(world.states()[b].centre - start_[b].centre));
  add_piece(world);
}

void RunSummary::add_piece(const World& world) {
  const double h = world.scene().dt;
  if (last_second_.empty() || last_second_.back().seconds + h > kLastSecond / kPieces * (1 + 1e-9)) {
    // One part stays beyond the second; finish() excludes it.
    double seconds = 0;
    for (const Piece& piece : last_second_) seconds += piece.seconds;
    Piece next;
    if (!last_second_.empty() && seconds - last_second_.front().seconds >= kLastSecond) {
      next = std::move(last_second_.front());
      last_second_.pop_front();
    }
    next.seconds = 0;
    next.impulse = {};
    next.speed.assign(start_.size(), 0.0);
    last_second_.push_back(std::move(next));
  }
  Piece& piece = last_second_.back();
  piece.seconds += h;
  for (std::size_t b = 0; b < start_.size(); ++b)
    piece.speed[b] = std::max(piece.speed[b], norm(world.states()[b].velocity));
  const auto models = world.models();
  for (const Contact& c : world.contacts()) {
    if (models[at(c.body_a)].kind != BodyKind::kDynamic) piece.impulse = piece.impulse - c.impulse();
    if (models[at(c.body_b)].kind != BodyKind::kDynamic) piece.impulse = piece.impulse + c.impulse();
  }
}

Summary RunSummary::finish(const World& world) const {
  Summary s;
  s.steps = static_cast<int>(contacts_.size());
  s.time = world.time();
  s.contacts = spread_of(contacts_);
  s.r_c = spread_of(r_c_);
  s.r_c_paper = spread_of(r_c_paper_);
  s.nat = spread_of(nat_);
  s.outer = spread_of(outer_);
  s.inner = spread_of(inner_);
  s.work = spread_of(work_);
  s.ms = spread_of(ms_);
  s.collide = spread_of(collide_);
  s.assemble = spread_of(assemble_);
  s.solve = spread_of(solve_);
  s.integrate = spread_of(integrate_);
  if (s.steps > 0) {
    s.solved_share = (s.steps - static_cast<double>(accepted_.size() + unsolved_.size())) / s.steps;
    s.accepted_share = static_cast<double>(accepted_.size()) / s.steps;
    for (std::size_t k = 0; k < s.shares.size(); ++k) s.shares[k] = static_cast<double>(within_[k]) / s.steps;
  }
  s.accepted_steps = accepted_;
  s.unsolved_steps = unsolved_;
  s.rounding_steps = rounding_;
  s.imprecise_steps = imprecise_;
  s.remainder = remainder_;
  s.fallbacks = fallbacks_;
  s.energy_start = energy_start_;
  s.energy_end = world.energy();
  s.energy_rise = energy_rise_;
  s.penetration = penetration_;
  s.overlap_share = overlap_share_;
  s.recoveries_unsolved = recoveries_unsolved_;
  s.recovery_residual = recovery_residual_;
  s.missed_steps = missed_;
  s.pairs_missed = pairs_missed_;
  s.squeezed_steps = squeezed_;
  s.squeeze = squeeze_;
  s.state_hash = world.state_hash();

  double seconds = 0;
  Vec3 impulse;
  std::vector<double> speed(start_.size(), 0.0);
  for (auto piece = last_second_.rbegin(); piece != last_second_.rend() && seconds < kLastSecond * (1 - 1e-9);
       ++piece) {
    seconds += piece->seconds;
    impulse = impulse + piece->impulse;
    for (std::size_t b = 0; b < speed.size(); ++b) speed[b] = std::max(speed[b], piece->speed[b]);
  }
  if (seconds > 0) s.ground = (1 / seconds) * impulse;

  for (int b = 0; b < static_cast<int>(start_.size()); ++b) {
    const BodyModel& model = world.models()[at(b)];
    s.dynamic += model.kind == BodyKind::kDynamic;
    s.kinematic += model.kind == BodyKind::kKinematic;
    s.fixed += model.kind == BodyKind::kStatic;
    if (model.kind != BodyKind::kDynamic) continue;
    const BodyState& state = world.states()[at(b)];
    BodyOutcome out;
    out.name = world.scene().bodies[at(b)].name;
    out.position = world.pose(b).position;
    out.quaternion = state.rotation;
    out.velocity = state.velocity;
    out.angular_velocity = state.angular_velocity;
    out.displacement = norm(state.centre - start_[at(b)].centre);
    out.max_displacement = max_displacement_[at(b)];
    out.tilt_deg = 180 / std::numbers::pi * tilt(start_[at(b)].rotation, state.rotation, world.scene().gravity);
    out.last_second_speed = world.present(b) ? speed[at(b)] : 0.0;
    s.final.push_back(std::move(out));
  }
  return s;
}

}  // namespace repose
