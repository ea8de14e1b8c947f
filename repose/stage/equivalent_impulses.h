// SPDX-License-Identifier: Apache-2.0
// The impulses that cause the same motion as a given solution, and the one among them that can be quoted.
//
// Where a structure is statically indeterminate, W is singular along its self-stresses and the law has a set of
// solutions with one motion. With R = Gᵀ (operators.h) and the velocities v of the given solution λ*, the set is
//
//   { λ : R λ = R λ*,  λ_i ∈ S_i },   S_i = K_μ where v_i = 0,  the ray of λ*_i where it slides,  {0} where it opens
//
// and for a box row [lower, upper] where v = 0, its bound otherwise; rows with compliance keep their impulse. The set
// is convex. Its element nearest to a target λ̂ in the norm Σ ρ_i ‖λ_i − λ̂_i‖² is unique, so that it depends neither on
// the scheme nor on the order of contacts. Its dual is smooth and convex in the response space:
//
//   λ_i = Π_{S_i}(λ̂_i + ρ_i⁻¹ G_i y),   R λ = R λ*
//
// solved by Newton's method with the matrix δ I + R D G of newton_system.h and a line search on the dual function.
#pragma once

#include <span>
#include <vector>

#include "repose/contact/newton_system.h"
#include "repose/contact/residual.h"

namespace repose {

struct EquivalentResult {
  Certificate certificate;  ///< of the impulses returned
  bool solved = false;      ///< they are certified to the tolerance; otherwise they are the given solution
  int newton_iterations = 0;
};

/// The least and the greatest value of a force; infinite where self-stress has no limit.
struct ForceRange {
  double least = 0, greatest = 0;
};

class EquivalentImpulses {
 public:
  /// Keeps references to the problem, which must be in body form, and a copy of its solution. Velocities below a tenth
  /// of the tolerance, or twice the solution's residual, count as zero.
  EquivalentImpulses(const ContactProblem& problem, std::span<const ContactVec> solution, double tolerance);

  /// `lambda` ← the equivalent impulses nearest to `target`.
  EquivalentResult nearest(std::span<const ContactVec> target, std::span<ContactVec> lambda);
  /// `lambda` ← those of least norm.
  EquivalentResult canonical(std::span<ContactVec> lambda);
  /// Returns the range of Σ weight_i · λ_i over the equivalent impulses, N·s.
  ForceRange range(std::span<const ContactVec> weight);

 private:
  using Node = BodyForm::Node;
  struct Piece {  // S_i
    enum class Kind { kFixed, kRay, kSet } kind = Kind::kFixed;
    ContactVec direction;  // of the ray, not zero
    ContactVec fixed;      // impulse of a fixed block, or of the fixed rows of a box
    bool free_row[3] = {true, true, true};
  };
  [[nodiscard]] Piece piece_of(int i, ContactVec lambda, ContactVec v, double still) const;
  [[nodiscard]] ContactVec project_piece(int i, ContactVec x, ContactSlope<double>& D) const;
  double evaluate(const AlignedVector<Node>& y);
  bool descend(double delta, double& value, double& residual);
  double greatest(std::span<const ContactVec> weight);

  const ContactProblem* problem_;
  const BodyForm* form_;
  double tolerance_;
  Judge judge_;
  NewtonSystem<BodyForm> system_;
  std::vector<ContactVec> solution_, target_;
  std::vector<double> inverse_rho_;
  std::vector<Piece> pieces_;
  ContactArray lambda_, velocity_;
  SlopeArray D_, scaled_;
  AlignedVector<Node> response_, y_, F_, dy_, trial_;
};

}  // namespace repose
