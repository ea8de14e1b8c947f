// SPDX-License-Identifier: Apache-2.0
// The rows of an island's problem where each is there once. Limit, friction, spring and servo of a coordinate are
// blocks of their own, whose rows are multiples of one row: their velocities are multiples of one velocity, their
// impulses add up to one, and so do their slopes. With the shared rows Q, J = E Q, and one factor in each row of E:
//
//   v = E (Q y),   y = Qᵀ (Eᵀ λ),   Jᵀ D J = Qᵀ (Eᵀ D E) Q
//
// A hinge with all of them has two blocks of three rows, and not six. The certificate knows nothing of it.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "repose/contact/body_form.h"
#include "repose/contact/newton_system.h"
#include "repose/set/contact_array.h"
#include "repose/world/joint_block.h"
#include "repose/world/joint_projection_internal.h"

namespace repose {

class SharedRows {
 public:
  /// Takes the rows of the problem's form: block `first` + k is joint block `blocks[index[k]]`. `same_ends`: the ends
  /// of all blocks are those of the last call. Returns whether those of the shared rows are.
  bool assign(const BodyForm& form, int first, std::span<const JointBlock> blocks, std::span<const int> index,
              bool same_ends);
  /// Takes the rows of positions that are held at the end of the step, as error() found them last, for changes of
  /// velocities: they are the derivatives of the errors.
  void take_ends(const JointProjection& rows);

  [[nodiscard]] const BodyForm& form() const { return form_; }
  [[nodiscard]] const BodyForm& form_at_end() const { return at_end_; }  ///< that of take_ends()

  /// y ← R λ
  void respond(const ContactArray& lambda, AlignedVector<Pack>& y);
  /// v ← G y, for rows that a block uses; the others keep what they have.
  void gather(const AlignedVector<Pack>& y, ContactArray& v) { gather_by(form_, y, v); }
  /// dv ← G dy, with the rows of take_ends().
  void gather_change(const AlignedVector<Pack>& dy, ContactArray& dv) { gather_by(at_end_, dy, dv); }
  /// The slopes of the shared rows; the reference holds until the next call.
  const SlopeArray& sum_slopes(const SlopeArray& D);

 private:
  /// A row of the problem.
  struct Row {
    int block, row;
  };
  /// A row of a joint's block as a multiple of a shared row: places in arrays of contacts and of slopes, read as
  /// numbers.
  struct Share {
    std::size_t row, shared, slope, shared_slope;
    double factor;
  };
  /// The factor of a share is that of its row's scale to that of the shared row.
  struct Ratio {
    std::size_t share;
    Row row, shared;
  };
  /// A shared row of the joint at hand: that of an axis of a coordinate.
  struct Slot {
    int coordinate, axis, place;
    Row row;
  };
  /// What decides which rows of a joint's block there are, and which they share.
  struct Makeup {
    int joint, coordinate, kind;
    std::array<bool, 3> used;
    bool operator==(const Makeup&) const = default;
  };
  [[nodiscard]] static Makeup makeup_of(const JointBlock& block);
  void gather_by(const BodyForm& form, const AlignedVector<Pack>& y, ContactArray& v);
  void lay_out(const BodyForm& form, std::span<const JointBlock> blocks, std::span<const int> index);
  void take_row(const BodyForm& form, Row row, const Makeup& makeup);
  [[nodiscard]] int add_row(const BodyForm& form, Row row);
  void take_numbers(const BodyForm& form, std::span<const JointBlock> blocks, std::span<const int> index);

  int contacts_ = 0;
  std::vector<Makeup> makeup_;  ///< by joint block
  BodyForm form_, at_end_;
  std::vector<Row> sources_;  ///< by place: 3 · block + row; block −1: not used
  std::vector<Share> shares_;
  std::vector<Ratio> ratios_;
  std::vector<int> positions_;               ///< places of rows of positions
  std::vector<Slot> slots_;                  ///< of the joint at hand
  std::vector<BodyForm::Ends> ends_;         ///< of the shared rows
  AlignedVector<BodyForm::Rows> rows_;       ///< the same, before they have numbers
  AlignedVector<BodyForm::Further> others_;  ///< the same
  int used_ = 3;                             ///< rows of the last block
  ContactArray sums_;                        ///< of velocities and impulses
  SlopeArray slopes_;
};

}  // namespace repose
