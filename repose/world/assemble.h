// SPDX-License-Identifier: Apache-2.0
// From bodies to contact problems: manifolds → contacts → one problem per island.
//
//   v_f = velocity of b relative to a with gravity and forces, without contacts, and on its normal part a bias:
//     gap > 0   + gap/h       the contact may close within the step, not more
//     gap ≤ 0   0             overlap is removed by a displacement without velocity (correction_internal.h)
//               −β d/h        or, where the scene asks for it, by Baumgarte's velocity; d: overlap beyond the slop
//     impact    + e v_n⁻      restitution e > 0, closes within this step, faster than 2 g h: Newton's v_n = −e v_n⁻
//
// Arms: where only one body moves freely, the contact point lies on its own surface, so that a ball's lever is its
// radius at any gap; between two moving bodies it lies half way, so that the pair's angular momentum is kept.
// A body with a prescribed motion has, in its contacts with another body, the velocity that takes that body's mass
// centre to where the rigid displacement over the step would take it: a body that sticks to a turntable stays on its
// circle.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "repose/collision/collision.h"
#include "repose/contact/problem.h"
#include "repose/world/contact.h"
#include "repose/world/contact_terms.h"
#include "repose/world/islands.h"
#include "repose/world/joint_block.h"
#include "repose/world/materials.h"
#include "repose/world/motion.h"

namespace repose {

/// Motion and mass of a body during one step, as its contacts need them.
struct StepBody {
  bool moves = false;          ///< dynamic and present
  bool driven = false;         ///< has a prescribed displacement in this step
  Vec3 centre;                 ///< at the start of the step, m
  Quat rotation;               ///< the same; that of `root`
  std::array<bool, 3> held{};  ///< world axes along which it does not move
  BodyForm::Roots root;        ///< zero unless it moves
  Vec3 velocity, spin;         ///< with gravity and forces, without contacts, m/s and rad/s
  Vec3 before, spin_before;    ///< the same without gravity and forces, for restitution
  Displacement prescribed;
};

/// Constants of the scene that the biases depend on.
struct BiasRule {
  double h = 0;             ///< s
  double bounce_speed = 0;  ///< impacts slower than this do not bounce, m/s
  double slop = 0;          ///< m
  double recovery = 0;      ///< β
  double baumgarte = 0;     ///< β of a velocity instead of a displacement
};

/// Properties of a collider beyond its geometry.
struct ColliderFacts {
  int body = 0, material = 0;
  double size = 0;  ///< m
};

/// Marks of the points that get no contacts; empty: none. Patches that lack points have stamps of their own.
struct IdlePoints {
  std::span<const char> marks{};
  std::uint64_t* parts = nullptr;  ///< stamps given so far
};

/// Contacts and patches of all manifolds, in their order; impulses are zero.
void collect_contacts(const Collision& collision, std::span<const ColliderFacts> colliders, const PairLaws& laws,
                      std::span<const StepBody> bodies, const BiasRule& rule, std::vector<Contact>& contacts,
                      std::vector<Patch>& patches, const IdlePoints& idle = {});

/// Warm start: takes the impulses of the last step by (pair, feature), as vectors in space, into `start` and `lambda`.
/// Both lists are sorted by (collider_a, collider_b, feature); predicted contacts follow at the end of `last` and are
/// left out.
void transfer_impulses(std::span<const Contact> last, std::span<Contact> contacts);

/// The bias of contacts whose geometry is that of the last step: only impacts change it.
void update_impacts(std::span<const ColliderFacts> colliders, const PairLaws& laws, std::span<const StepBody> bodies,
                    const BiasRule& rule, std::span<Contact> contacts);

/// transfer_impulses() between lists with the same geometry.
void take_impulses(std::span<const Contact> last, std::span<Contact> contacts);

/// Motion of a body during the step as far as it is known: with the impulses found so far.
struct PredictedMotion {
  Vec3 velocity, spin;  ///< after the impulses found so far, m/s and rad/s
  Vec3 shift;           ///< of the mass centre from the start to the predicted pose, m
};

/// Appends the contacts of a manifold of the poses that the predicted motion reaches after the share `detected_at` of
/// the step. Gaps are extrapolated back to the start along that motion: the problem then keeps the points from passing
/// each other, to first order in the change of the motion.
void append_predicted_contacts(const Manifold& manifold, std::span<const ContactPoint> points, double detected_at,
                               std::span<const ColliderFacts> colliders, const PairLaws& laws,
                               std::span<const StepBody> bodies, std::span<const PredictedMotion> motion,
                               const BiasRule& rule, std::vector<Contact>& contacts, std::vector<Patch>& patches);

/// What a new assembly of a problem changed: most first.
enum class ProblemChange {
  kGraph,       ///< bodies, or the ends of contacts
  kGeometry,    ///< Jacobians, masses or sets on the same graph
  kVelocities,  ///< v_f only
};

/// The contact problem of one island, in memory that is kept from step to step.
class IslandProblem {
 public:
  /// Fills the problem. While the stamps of all patches and links are those of the last call, only v_f
  /// is computed. The blocks of joints follow those of contacts. `link_stamps`: JointSet::stamps.
  ProblemChange assemble(std::span<const StepBody> bodies, std::span<const Contact> contacts,
                         std::span<const Patch> patches, std::span<const int> island_bodies,
                         std::span<const int> island_patches, std::span<const int> nodes, double h,
                         std::span<const JointBlock> joints = {}, std::span<const Patch> links = {},
                         std::span<const int> island_links = {}, std::span<const std::uint64_t> link_stamps = {});

  [[nodiscard]] const ContactProblem& problem() const { return problem_; }
  [[nodiscard]] ContactProblem& problem() { return problem_; }
  /// Number of the present rows: another one after every change.
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  /// Place of problem contact i in the step's contacts.
  [[nodiscard]] std::span<const int> contacts() const { return index_; }
  /// Place of problem block contacts().size() + k in the step's joint blocks.
  [[nodiscard]] std::span<const int> joints() const { return joint_index_; }

 private:
  ContactProblem problem_;
  /// Arms and axes of a contact.
  struct Frame {
    Arms arm;
    Vec3 t1, t2, normal;
  };
  [[nodiscard]] bool is_current(std::span<const Patch> patches, std::span<const int> island_bodies,
                                std::span<const int> island_patches) const;
  void take_all(std::span<const StepBody> bodies, std::span<const Contact> contacts, std::span<const Patch> patches,
                std::span<const int> island_bodies, std::span<const int> island_patches, std::span<const int> nodes,
                double h);
  void take_joints(std::span<const StepBody> bodies, std::span<const JointBlock> joints, std::span<const Patch> links,
                   std::span<const int> island_links, std::span<const int> nodes);
  [[nodiscard]] bool same_joints(std::span<const int> island_links, std::span<const std::uint64_t> link_stamps) const;
  void take_joint_velocities(std::span<const StepBody> bodies, std::span<const JointBlock> joints,
                             std::span<const Patch> links, std::span<const int> island_links);
  void take_frames(std::span<const StepBody> bodies, std::span<const Contact> contacts, std::span<const Patch> patches,
                   std::span<const int> island_patches);
  void take_velocities(std::span<const StepBody> bodies, std::span<const Contact> contacts,
                       std::span<const Patch> patches, std::span<const int> island_patches, double h);

  std::vector<int> bodies_;                 ///< that the geometry was taken from
  std::vector<std::uint64_t> stamps_;       ///< the same, by patch
  std::vector<int> links_;                  ///< the same
  std::vector<std::uint64_t> link_stamps_;  ///< the same, by link
  std::uint64_t rows_ = 0;
  std::vector<int> index_, joint_index_;
  std::vector<Frame> frames_;
  std::vector<BodyForm::Roots> roots_;
  std::vector<BodyContact> jacobians_;
  std::vector<FurtherEnd> further_;
  std::vector<ContactVec> v_free_;
  SetList sets_;
};

/// Velocity with which a body with a prescribed motion drives the other one at this contact, m/s: as if that were b.
/// Its part along the normal is the speed of its approach. Zero unless one is driven.
[[nodiscard]] Vec3 driving_velocity(const Contact& contact, std::span<const StepBody> bodies, double h);

/// Work that a body with a prescribed motion does on the other one through this contact during the step, J.
[[nodiscard]] double driving_work(const Contact& contact, std::span<const StepBody> bodies, double h);

}  // namespace repose
