// SPDX-License-Identifier: Apache-2.0
// Balls dropped into a walled box that is open at the top. Geometry moves: contacts are found anew at every step, and
// impulses are carried over by pair.
//
//   û = u + h g + kick,   v_f = J û + bias(gap),   u⁺ = û + M⁻¹ Jᵀ λ,   x⁺ = x + h u⁺    (semi-implicit Euler)
#pragma once

#include <cstdint>

#include "problems/ball_contacts.h"
#include "problems/source.h"
#include "problems/structure.h"
#include "repose/base/parameters.h"
#include "repose/base/random.h"

namespace repose::problems {

struct SpherePackOptions {
  int n = 7;               ///< n³ balls; 7 and 10 settle to about 1000 and 3000 contacts
  double mu = 0.5;         ///< friction coefficient
  double radius = 0.1;     ///< mean, m
  double spread = 0.1;     ///< radii are uniform in radius (1 ± spread)
  double spacing = 2.4;    ///< of the lattice they start from, in mean radii, ≥ 2 (1 + spread); also sets the box
  double density = 2000;   ///< kg/m³
  double margin = 0.02;    ///< pairs closer than this are contacts, m
  double slop = 1e-3;      ///< gap without bias, as a share of the mean radius
  double recovery = 0.2;   ///< share of a penetration removed per step
  double kick = 0;         ///< m/s; every ball at kick_step, in a random direction
  int kick_step = 0;       ///< ≥ 0
  double h = 1.0 / 60.0;   ///< time step, s
  double gravity = 9.81;   ///< m/s², downwards
  std::uint64_t seed = 1;  ///< of radii, start positions and kicks
};
[[nodiscard]] const Fields<SpherePackOptions>& fields(const SpherePackOptions& options);

class SpherePack final : public Source {
 public:
  explicit SpherePack(const SpherePackOptions& options = {});

  [[nodiscard]] const ContactProblem& problem() const override { return problem_; }
  void advance(std::span<const ContactVec> lambda) override;
  [[nodiscard]] std::vector<ContactVec> warm_start() const override;
  [[nodiscard]] int step() const override { return step_; }
  [[nodiscard]] bool fixed_operator() const override { return false; }

  /// Adds a velocity of this size, m/s, in a random direction to every ball and sets up the current problem again.
  void kick(double speed);

  [[nodiscard]] std::span<const Vec3> positions() const { return positions_; }
  [[nodiscard]] std::span<const double> radii() const { return radii_; }
  [[nodiscard]] std::span<const Vec3> linear() const { return linear_; }
  [[nodiscard]] std::span<const Vec3> angular() const { return angular_; }
  [[nodiscard]] std::span<const BallContact> contacts() const { return contacts_; }
  [[nodiscard]] double width() const { return width_; }  ///< of the box along x and y, m

 private:
  struct Carried {
    std::uint64_t id;
    Vec3 tangential;  // in the world: the tangents of a pair turn with its normal, N·s
    double normal;    // N·s
  };

  void place_balls();
  void predict();
  void find_contacts();
  void set_free_velocity();
  void apply_impulses(std::span<const ContactVec> lambda);
  void carry(std::span<const ContactVec> lambda);
  [[nodiscard]] BodyContact jacobian(const BallContact& contact) const;
  [[nodiscard]] Vec3 relative_velocity(const BallContact& contact) const;

  SpherePackOptions options_;
  Random random_;
  double width_;
  std::vector<Plane> planes_;
  std::vector<double> radii_;
  std::vector<BodyInverseMass> masses_;
  std::vector<Vec3> positions_, linear_, angular_, free_linear_, free_angular_;
  std::vector<BallContact> contacts_;
  std::vector<Carried> carried_;  // sorted by id
  ContactProblem problem_;
  int step_ = 0;
};

}  // namespace repose::problems
