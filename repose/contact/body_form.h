// SPDX-License-Identifier: Apache-2.0
// W = J M⁻¹ Jᵀ kept as Jacobian blocks, never formed: scatters impulses to bodies, gathers velocities at contacts.
//
// Bodies are mass-scaled: with M⁻¹ = L Lᵀ per body, each contact stores J L (3×6 per body), so that W = (J L)(J L)ᵀ
// and no mass appears in a loop. The response space is the scaled body velocity y = (J L)ᵀ λ.
//
// Two ends per block are stored with it. The few blocks with more, couplings of joints, have the others in a list of
// their own: problems without such blocks cost what they would without the list, and have the same bits.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "repose/base/aligned.h"
#include "repose/contact/body_rows.h"
#include "repose/contact/point_contact.h"
#include "repose/math/block_lu.h"
#include "repose/math/vec3.h"
#include "repose/set/contact_vec.h"

namespace repose {

/// Inverse mass of a rigid body in world axes. Both zero: an immovable body.
struct BodyInverseMass {
  double inverse_mass = 0;  ///< 1/kg, ≥ 0
  Mat3 inverse_inertia;     ///< about the mass centre, 1/(kg m²), symmetric positive semidefinite
};

/// Jacobians for a point contact. `normal` points from body a towards body b, unit length; `arm_*` are the vectors
/// from the mass centres to the contact point, m; the velocity measured is that of b relative to a.
[[nodiscard]] BodyContact point_contact(int body_a, Vec3 arm_a, int body_b, Vec3 arm_b, Vec3 normal);

/// Two unit tangents (t1, t2) with t1 × t2 = normal, a continuous function of the normal except at one point.
[[nodiscard]] std::pair<Vec3, Vec3> tangents(Vec3 normal);

class BodyForm {
 public:
  using Node = Pack;  ///< one body's scaled velocity: linear xyz, angular xyz, two zeros
  static constexpr int kDof = 6;
  using Lu = BlockLu<Node, kDof>;

  BodyForm() = default;
  BodyForm(std::span<const BodyInverseMass> bodies, std::span<const BodyContact> contacts);

  using Ends = BodyEnds;
  using Rows = BodyRows<Node>;
  /// L of one body, M⁻¹ = L Lᵀ with L = blockdiag(root_inverse_mass I, root_inverse_inertia).
  struct Roots {
    double root_inverse_mass = 0;  ///< kg^-1/2
    Mat3 root_inverse_inertia;     ///< kg^-1/2 m^-1
  };

  /// Rows of a block against a body beside its two ends.
  struct Further {
    int block = 0, node = 0;
    Node rows[3]{};
  };

  /// Takes rows that are mass-scaled already, as files have them; rows of the static node must be zero. Without `roots`
  /// the masses are unknown and body_velocity() is not available.
  /// `further`: ascending by block.
  [[nodiscard]] static BodyForm from_scaled_rows(int bodies, std::span<const Ends> ends, std::span<const Rows> rows,
                                                 std::span<const Roots> roots = {},
                                                 std::span<const Further> further = {});

  /// Assigns new content and reuses the memory, for a time step with about as many contacts as the last one. Any root
  /// of the inverse mass will do. Returns whether the graph (bodies and the ends of all contacts) is the same as
  /// before. Throws InputError when a number is not finite.
  bool assign(std::span<const Roots> bodies, std::span<const BodyContact> contacts,
              std::span<const FurtherEnd> further = {});

  /// The same with rows that are mass-scaled already and known to be sound; masses are unknown then.
  bool assign_scaled(int bodies, std::span<const Ends> ends, std::span<const Rows> rows,
                     std::span<const Further> further);
  /// The rows of block i, to be filled with such numbers.
  [[nodiscard]] Rows& scaled_rows(int i) { return rows_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] Further& scaled_further(int i, std::size_t e) {
    return further_[static_cast<std::size_t>(first_further_[static_cast<std::size_t>(i)]) + e];
  }

  [[nodiscard]] int size() const { return static_cast<int>(ends_.size()); }
  [[nodiscard]] int bodies() const { return bodies_; }
  /// Returns the length of a response vector: the bodies, and one node for everything static (it stays zero).
  [[nodiscard]] int nodes() const { return bodies_ + 1; }

  /// y += (J L)ᵢᵀ λ
  void scatter(int i, ContactVec lambda, Node* y) const {
    scatter_two(i, lambda, y);
    if (!further_.empty()) [[unlikely]]
      scatter_further(i, lambda, y);
  }
  /// Returns (J L)ᵢ y.
  [[nodiscard]] ContactVec gather(int i, const Node* y) const {
    const ContactVec v = gather_two(i, y);
    if (further_.empty()) [[likely]]
      return v;
    return v + gather_further(i, y);
  }
  /// The same for the two ends alone: for loops over forms without further ones.
  void scatter_two(int i, ContactVec lambda, Node* y) const {
    const Ends e = ends_[static_cast<std::size_t>(i)];
    repose::scatter(rows_[static_cast<std::size_t>(i)], lambda, y[e.a], y[e.b]);
  }
  [[nodiscard]] ContactVec gather_two(int i, const Node* y) const {
    const Ends e = ends_[static_cast<std::size_t>(i)];
    return repose::gather(rows_[static_cast<std::size_t>(i)], y[e.a], y[e.b]);
  }
  /// The arrays behind it, for kernels of blocks with two ends.
  [[nodiscard]] BodyFormView<Node> view() const { return {view_of_all(ends_), view_of_all(rows_), bodies_}; }

  [[nodiscard]] Mat3 diagonal_block(int i) const { return coupling(i, i); }
  /// Returns tr W_ii without forming the block.
  [[nodiscard]] double diagonal_trace(int i) const {
    const Rows& J = rows_[static_cast<std::size_t>(i)];
    const Quad v =
        sums(J.a[0] * J.a[0] + J.b[0] * J.b[0], J.a[1] * J.a[1] + J.b[1] * J.b[1], J.a[2] * J.a[2] + J.b[2] * J.b[2]);
    const double trace = v[0] + v[1] + v[2];
    return further_.empty() ? trace : trace + further_trace(i);
  }
  /// Returns W_ij = (J L)ᵢ (J L)ⱼᵀ; zero when the contacts share no moving body.
  [[nodiscard]] Mat3 coupling(int i, int j) const;

  /// Computes the physical velocity change (linear, angular) of each body for a response y: M⁻¹ Jᵀ λ = L y.
  void body_velocity(std::span<const Node> y, std::span<Vec3> linear, std::span<Vec3> angular) const;

  [[nodiscard]] const Ends& ends(int i) const { return ends_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const Rows& rows(int i) const { return rows_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] std::span<const Roots> roots() const { return roots_; }  ///< one per body; empty when unknown
  /// All ends beyond the second, ascending by block, and those of block i.
  [[nodiscard]] std::span<const Further> further() const { return further_; }
  [[nodiscard]] std::span<const Further> further(int i) const {
    if (further_.empty()) return {};
    const auto first = static_cast<std::size_t>(first_further_[static_cast<std::size_t>(i)]);
    const auto last = static_cast<std::size_t>(first_further_[static_cast<std::size_t>(i) + 1]);
    return std::span<const Further>(further_).subspan(first, last - first);
  }
  /// One of the ends of a block: a, b, then the further ones.
  struct End {
    int node;
    const Node (&rows)[3];
  };
  [[nodiscard]] int end_count(int i) const { return 2 + static_cast<int>(further(i).size()); }
  [[nodiscard]] End end(int i, int e) const {
    if (e == 0) return {ends(i).a, rows(i).a};
    if (e == 1) return {ends(i).b, rows(i).b};
    const Further& other = further(i)[static_cast<std::size_t>(e) - 2];
    return {other.node, other.rows};
  }

 private:
  void scatter_further(int i, ContactVec lambda, Node* y) const;
  [[nodiscard]] ContactVec gather_further(int i, const Node* y) const;
  [[nodiscard]] double further_trace(int i) const;
  void index_further();

  int bodies_ = 0;
  std::vector<Ends> ends_;
  AlignedVector<Rows> rows_;
  std::vector<Roots> roots_;
  AlignedVector<Further> further_;
  std::vector<int> first_further_;  ///< by block, and the end; empty without further ends
};

}  // namespace repose
