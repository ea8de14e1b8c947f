// SPDX-License-Identifier: Apache-2.0
#include "repose/world/joint_poses_internal.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "repose/base/error.h"
#include "repose/contact/body_rows.h"
#include "repose/world/contact_terms.h"
#include "repose/world/joint_step_internal.h"

namespace repose {
namespace {

constexpr double kStiffness = 1e8;      // of the rows, beside that of their bodies
constexpr double kRounding = 1e-15;     // of the mechanism's size
constexpr double kLargestStart = 1e-2;  // of the mechanism's size: error that is corrected at the start of a run
constexpr int kSteps = 50;
constexpr double kLeastShare = 1.0 / 64;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

int turns_of(const JointModel& joint, const JointFrames& frames, const JointValues& known) {
  if (joint.kind != JointKind::kScrew) return 0;
  return whole_turns(unwrapped(coordinate_row(joint, 0, frames).value, known[0]));
}

/// Gauss–Newton on the poses of some bodies.
class PoseProjection {
 public:
  PoseProjection(const WorldSetup& setup, std::span<const int> bodies, WorldState& state, bool ropes = true)
      : setup_(setup), bodies_(bodies), state_(state), ropes_(ropes), node_(state.bodies.size(), -1) {
    for (std::size_t n = 0; n < bodies.size(); ++n) node_[at(bodies[n])] = static_cast<int>(n);
    std::vector<std::pair<int, int>> edges;
    for (std::size_t j = 0; j < setup.joints.size(); ++j) {
      const JointModel& joint = setup.joints[j];
      std::vector<int> nodes{node(joint.body_a), node(joint.body_b)};
      for (const int body : joint.others) nodes.push_back(node(body));
      std::erase_if(nodes, [](int n) { return n < 0; });
      if (nodes.empty() || !is_present(state, joint)) continue;
      joints_.push_back(j);
      size_ = std::max(size_, joint.size);
      for (std::size_t e = 0; e < nodes.size(); ++e)
        for (std::size_t f = 0; f < e; ++f)
          edges.emplace_back(std::min(nodes[e], nodes[f]), std::max(nodes[e], nodes[f]));
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    edges_ = edges;
    lu_.analyse(static_cast<int>(bodies.size()), edges_);
    y_.resize(bodies.size());
  }

  void run() {
    assemble();
    for (int n = 0; n < kSteps && worst_ > kRounding * size_ && lu_.factor(); ++n) {
      lu_.solve(y_);
      if (!improve()) return;
    }
  }

 private:
  /// Moves by the step y, or by a part of it, so that the error becomes smaller. False when it does not.
  bool improve() {
    step_ = y_;
    const double error = squares_;
    before_.clear();
    for (const int b : bodies_) before_.push_back(state_.bodies[at(b)]);
    for (double share = 1; share >= kLeastShare; share *= 0.5) {
      for (std::size_t n = 0; n < bodies_.size(); ++n) state_.bodies[at(bodies_[n])] = before_[n];
      move(share);
      assemble();
      if (squares_ < error) return true;
    }
    for (std::size_t n = 0; n < bodies_.size(); ++n) state_.bodies[at(bodies_[n])] = before_[n];
    return false;
  }

  /// A row block against one body.
  struct End {
    int node = -1;
    Pack J[3], Y[3];  ///< J L, and with its stiffness
  };
  [[nodiscard]] int node(int body) const { return body == kWorldBody ? -1 : node_[at(body)]; }

  [[nodiscard]] Pack scaled(int body, Vec3 linear, Vec3 angular) const {
    if (node(body) < 0) return Pack{};
    const BodyModel& model = setup_.models[at(body)];
    const BodyForm::Roots root = inverse_mass_root(model, state_.bodies[at(body)].rotation);
    const Vec3 l = root.root_inverse_mass * allowed_velocity(model, linear);
    const Vec3 a = transpose(root.root_inverse_inertia) * angular;
    return Pack{l.x, l.y, l.z, a.x, a.y, a.z, 0, 0};
  }

  /// (I + s (J L)ᵀ J L) y = −s (J L)ᵀ g
  void assemble() {
    lu_.set_identity();
    std::fill(y_.begin(), y_.end(), Pack{});
    worst_ = squares_ = 0;
    for (const std::size_t j : joints_) {
      const JointModel& joint = setup_.joints[j];
      const JointFrames frames = frames_of(setup_, j, state_);
      const int turns = turns_of(joint, frames, state_.coordinates[j]);
      for (const PositionPart part : position_parts(joint)) {
        const JointRows rows = position_rows(joint, part, frames, turns);
        ends_.clear();
        add_end(joint.body_a, rows.a), add_end(joint.body_b, rows.b);
        for (const BodyRow& other : frames.others) add_end(other.body, times(sum_factors(joint), other));
        add(joint, rows.error);
      }
    }
  }
  void add_end(int body, const BodyJacobian& rows) {
    End& end = ends_.emplace_back();
    end.node = node(body);
    for (int r = 0; r < 3; ++r) end.J[r] = scaled(body, rows.linear[r], rows.angular[r]);
  }

  /// Of the ends_.
  void add(const JointModel& joint, const ContactVec& error) {
    if (joint.kind == JointKind::kRope && (!ropes_ || error.n >= 0)) return;
    double diagonal = 0;
    for (int r = 0; r < 3; ++r) {
      double row = 0;
      for (const End& end : ends_) row += sum(end.J[r] * end.J[r]);
      diagonal += row;
    }
    if (!(diagonal > 0)) return;
    squares_ += squared_norm(error);
    worst_ = std::max(worst_, std::sqrt(squared_norm(error)));
    const double s = kStiffness / diagonal, g[3] = {error.t1, error.t2, error.n};
    std::erase_if(ends_, [](const End& end) { return end.node < 0; });
    for (End& end : ends_) {
      for (int r = 0; r < 3; ++r) {
        end.Y[r] = s * end.J[r];
        y_[at(end.node)] -= g[r] * end.Y[r];
      }
      add_outer(lu_.diagonal(end.node), end.Y, end.J);
    }
    for (std::size_t e = 1; e < ends_.size(); ++e)
      for (std::size_t f = 0; f < e; ++f) add_pair(ends_[f], ends_[e]);
  }
  void add_pair(const End& a, const End& b) {
    const std::pair<int, int> edge(std::min(a.node, b.node), std::max(a.node, b.node));
    BodyBlock ab{}, ba{};
    add_outer(ab, a.Y, b.J);
    add_outer(ba, b.Y, a.J);
    lu_.add(static_cast<int>(std::lower_bound(edges_.begin(), edges_.end(), edge) - edges_.begin()),
            a.node < b.node ? ab : ba, a.node < b.node ? ba : ab);
  }

  void move(double share) {
    for (std::size_t n = 0; n < bodies_.size(); ++n) {
      const BodyModel& model = setup_.models[at(bodies_[n])];
      BodyState& s = state_.bodies[at(bodies_[n])];
      const BodyForm::Roots root = inverse_mass_root(model, s.rotation);
      const Vec3 angle = root.root_inverse_inertia * Vec3{step_[n][3], step_[n][4], step_[n][5]};
      const Vec3 momentum = angular_momentum(model.rotor, s.rotation, s.angular_velocity);
      s.centre = s.centre +
                 allowed_velocity(model, share * root.root_inverse_mass * Vec3{step_[n][0], step_[n][1], step_[n][2]});
      s.rotation = normalized(exponential(share * angle) * s.rotation);
      if (turns_freely(model)) s.angular_velocity = angular_velocity(model.rotor, s.rotation, momentum);
    }
  }

  const WorldSetup& setup_;
  std::span<const int> bodies_;
  WorldState& state_;
  bool ropes_;  ///< whether ropes that are too long count
  std::vector<int> node_;
  std::vector<std::size_t> joints_;
  std::vector<std::pair<int, int>> edges_;
  BodyForm::Lu lu_;
  AlignedVector<Pack> y_, step_;
  AlignedVector<End> ends_;  ///< of the block at hand
  std::vector<BodyState> before_;
  double size_ = 0;
  double worst_ = 0, squares_ = 0;  ///< errors at the present poses, m and m²
};

}  // namespace

void place_joints(const WorldSetup& setup, std::span<const int> bodies, WorldState& state) {
  PoseProjection(setup, bodies, state).run();
}

void place_all_joints(const WorldSetup& setup, std::span<const StepBody> bodies, WorldState& state) {
  std::vector<int> joined;
  for (const JointModel& joint : setup.joints) {
    for (const int b : {joint.body_a, joint.body_b})
      if (b != kWorldBody && bodies[at(b)].moves) joined.push_back(b);
    for (const int b : joint.others)
      if (bodies[at(b)].moves) joined.push_back(b);
  }
  std::sort(joined.begin(), joined.end());
  joined.erase(std::unique(joined.begin(), joined.end()), joined.end());
  place_joints(setup, joined, state);
}

WorldState placed_state(const WorldSetup& setup) {
  WorldState state = initial_state(setup);
  if (setup.joints.empty()) return state;
  double worst = 0;
  for (std::size_t j = 0; j < setup.joints.size(); ++j) {
    const JointModel& joint = setup.joints[j];
    if (joint.kind == JointKind::kRope) continue;
    const double error = position_error(joint, frames_of(setup, j, state));
    require(error <= kLargestStart * joint.size, "joint '", setup.scene.joints[j].name,
            "': expected bodies that start within ", kLargestStart * joint.size, " m of it, got an error of ", error,
            " m");
    if (is_present(state, joint)) worst = std::max(worst, error);
  }
  std::vector<int> bodies;
  for (int b = 0; b < setup.bodies(); ++b)
    if (setup.models[at(b)].kind == BodyKind::kDynamic) bodies.push_back(b);
  if (worst > kRounding * setup.scale) PoseProjection(setup, bodies, state, false).run();
  return state;
}

}  // namespace repose
