// SPDX-License-Identifier: Apache-2.0
// The one place that knows both bodies and contact problems: manifolds → contacts → one problem per island.
//
//   v_f = velocity of b relative to a with gravity and forces, without contacts, and on its normal part a bias:
//     gap > 0   + gap/h       the contact may close within the step, not more
//     gap ≤ 0   0             overlap is removed by a displacement that leaves no velocity behind (recovery_velocity)
//     impact    + e v_n⁻      restitution e > 0, closing within this step faster than 2 g h: Newton's law, v_n = −e
//     v_n⁻
//
// Arms: where only one body moves freely, the contact point lies on its own surface, so that a ball's lever is its
// radius at any gap; between two moving bodies it lies half way, so that the pair's angular momentum is kept.
// A body with a prescribed motion has, for each body that touches it, the velocity that carries that body's mass centre
// to where the displacement over the step takes it: what sticks to a turntable stays on its circle.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "repose/collision/collision.h"
#include "repose/contact/problem.h"
#include "repose/world/contact.h"
#include "repose/world/islands.h"
#include "repose/world/materials.h"
#include "repose/world/motion.h"

namespace repose {

/// A body as the contacts of one step see it.
struct StepBody {
  bool moves = false;          ///< dynamic and present
  bool carries = false;        ///< has a displacement of its own in this step
  Vec3 centre;                 ///< at the start of the step, m
  std::array<bool, 3> held{};  ///< world axes along which it does not move
  BodyForm::Roots root;        ///< zero unless it moves
  Vec3 velocity, spin;         ///< with gravity and forces, without contacts, m/s and rad/s
  Vec3 before, spin_before;    ///< the same without gravity and forces: what an impact starts from
  Displacement carried;
};

/// What a step's bias needs to know of the scene.
struct BiasRule {
  double h = 0;             ///< s
  double bounce_speed = 0;  ///< impacts slower than this do not bounce, m/s
  double slop = 0;          ///< m
  double recovery = 0;      ///< β
};

/// What manifolds know of a collider, beyond its geometry.
struct ColliderFacts {
  int body = 0, material = 0;
  double size = 0;  ///< m
};

/// Contacts and patches of all manifolds, in their order; impulses are zero.
void collect_contacts(const Collision& collision, std::span<const ColliderFacts> colliders, const PairLaws& laws,
                      std::span<const StepBody> bodies, const BiasRule& rule, std::vector<Contact>& contacts,
                      std::vector<Patch>& patches);

/// Impulses of the last step carried over by (pair, feature), as vectors in space. Both lists by ascending
/// (collider_a, collider_b, feature); what was seen ahead comes after that and is left out. Sets `start` and `lambda`.
void carry_impulses(std::span<const Contact> last, std::span<Contact> contacts);

/// How a body went on from the start of the step, as far as its end is known by now.
struct Course {
  Vec3 velocity, spin;           ///< after the impulses found so far, m/s and rad/s
  Vec3 recovery, recovery_spin;  ///< of the displacement that removes overlap
  Vec3 shift;                    ///< of the mass centre from the start to the moment that is looked at, m
};

/// Appends the contacts of a manifold that was found at a later moment of the step, `seen` (share of the step), along
/// the courses of the bodies. Their gaps are led back to the start along those courses: the problem then asks that the
/// points which meet there do not pass each other, to first order in what the courses change by.
void add_contacts_ahead(const Manifold& manifold, std::span<const ContactPoint> points, double seen,
                        std::span<const ColliderFacts> colliders, const PairLaws& laws,
                        std::span<const StepBody> bodies, std::span<const Course> courses, const BiasRule& rule,
                        std::vector<Contact>& contacts, std::vector<Patch>& patches);

/// The contact problem of one island, in memory that is kept from step to step.
class IslandProblem {
 public:
  /// Returns whether the contact graph is that of the last call.
  bool assemble(std::span<const StepBody> bodies, std::span<const Contact> contacts, std::span<const Patch> patches,
                std::span<const int> island_bodies, std::span<const int> island_patches, std::span<const int> nodes,
                double h);

  [[nodiscard]] const ContactProblem& problem() const { return problem_; }
  [[nodiscard]] ContactProblem& problem() { return problem_; }
  /// Place of problem contact i in the step's contacts.
  [[nodiscard]] std::span<const int> contacts() const { return index_; }

 private:
  ContactProblem problem_;
  std::vector<int> index_;
  std::vector<BodyForm::Roots> roots_;
  std::vector<BodyContact> jacobians_;
  std::vector<ContactVec> v_free_;
  std::vector<double> mu_;
};

/// Work that a body with a prescribed motion does on the other one through this contact during the step, J.
[[nodiscard]] double carried_work(const Contact& contact, std::span<const StepBody> bodies, double h);

/// Normal velocity that the displacement of a step must have at least, as a bias: overlap beyond the slop shrinks by
/// its share β, open gaps may close.
[[nodiscard]] double recovery_bias(const Contact& contact, const BiasRule& rule);
[[nodiscard]] inline bool overlaps(const Contact& contact, const BiasRule& rule) {
  return contact.seen == 0 && -contact.gap > rule.slop;
}

}  // namespace repose
