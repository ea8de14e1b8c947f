// SPDX-License-Identifier: Apache-2.0
// The rows of an island's problem where each is there once. Limit, friction, spring and servo of a coordinate are blocks
// of their own, whose rows are multiples of one row: their velocities are multiples of one velocity, their impulses
// add up to one, and so do their slopes. With the shared rows Q, J = E Q:
//
//   v = E (Q y),   y = Qᵀ (Eᵀ λ),   Jᵀ D J = Qᵀ (Eᵀ D E) Q,      E: one factor in each row, none between shared rows
//                                                                    of a joint
//
// so that a hinge with all of them has two blocks of three rows and not six. The certificate knows nothing of it.
#pragma once

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
  /// Takes the rows of the problem's form: block `first` + k is joint block `blocks[index[k]]`. Returns whether the graph
  /// of the shared rows is that of the last call.
  bool assign(const BodyForm& form, int first, std::span<const JointBlock> blocks, std::span<const int> index);

  [[nodiscard]] const BodyForm& form() const { return form_; }

  /// y ← R λ
  void respond(const ContactArray& lambda, AlignedVector<Pack>& y);
  /// v ← G y, for rows that a block uses; the others keep what they have.
  void gather(const AlignedVector<Pack>& y, ContactArray& v) { gather_by(form_, y, v); }
  /// Takes the rows of positions that are held at the end of the step, as error() found them last, for changes of
  /// velocities: they are the derivatives of the errors.
  void take_ends(const JointProjection& rows);
  /// dv ← G dy, with the rows of take_ends().
  void gather_change(const AlignedVector<Pack>& dy, ContactArray& dv) { gather_by(at_end_, dy, dv); }
  [[nodiscard]] const BodyForm& form_at_end() const { return at_end_; }
  /// The slopes of the shared rows; the reference holds until the next call.
  const SlopeArray& sum_slopes(const SlopeArray& D);

 private:
  /// A row of a joint's block as a multiple of a shared row: places in arrays of contacts and of slopes, read as numbers.
  struct Share {
    std::size_t row, shared, slope, shared_slope;
    double factor;
  };
  /// A shared row of the joint at hand.
  struct Slot {
    int coordinate;  ///< −1: of a position, which shares it with nothing
    int axis;        ///< of a ball
    double scale;    ///< its row is that of the coordinate times this
    int place;
  };
  /// A row of a position: row `row` of joint block `block`, not shared.
  struct Position {
    int block, row, place;
  };
  void gather_by(const BodyForm& form, const AlignedVector<Pack>& y, ContactArray& v);
  void take_contacts(const BodyForm& form);
  void take_block(const BodyForm& form, int block, const JointBlock& joint);
  void take_row(const BodyForm& form, int block, int row, Slot slot);
  [[nodiscard]] int add_row(const BodyForm& form, int block, int row);

  int contacts_ = 0;
  BodyForm form_, at_end_;
  std::vector<Position> positions_;
  std::vector<Share> shares_;
  std::vector<Slot> slots_;                 ///< of the joint at hand
  std::vector<BodyForm::Ends> ends_;        ///< of the shared rows
  AlignedVector<BodyForm::Rows> rows_;      ///< the same
  AlignedVector<BodyForm::Further> other_;  ///< the same
  int used_ = 3;                            ///< rows of the last block
  ContactArray sums_;                       ///< of velocities and impulses
  SlopeArray slopes_;
};

}  // namespace repose
