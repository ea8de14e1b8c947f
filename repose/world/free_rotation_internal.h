// SPDX-License-Identifier: Apache-2.0
// The free motion of many bodies, eight at a time. Every body gets the bits of move_freely(): the operations are those
// of rotate_freely() (rotor_kernel.h), one by one. Bodies that need more than one cycle, and the few that do not fit,
// are moved by move_freely() itself.
#pragma once

#include <span>
#include <vector>

#include "repose/base/aligned.h"
#include "repose/world/body.h"

namespace repose {

class FreeRotation {
 public:
  struct Vec3Pack {
    Pack x, y, z;
  };
  struct QuatPack {
    Pack w, x, y, z;
  };

  /// Takes the bodies: number k is `bodies[k]` of the models. Does nothing where they are those of the last call.
  void bind(std::span<const BodyModel> models, std::span<const int> bodies);

  /// poses[k] ← pose of body k after h seconds from states[k].
  void find_poses(double h, std::span<const BodyState> states, std::span<Pose> poses) const;

  /// Moves the bodies from number `first` on, a multiple of eight and at most eight: move_freely() for each.
  void move(double h, std::size_t first, std::span<BodyState> states) const;

 private:
  struct Rotors {  ///< of eight bodies
    QuatPack axes;
    Vec3Pack moments, inverse;
    Vec3Pack on_i, on_j;            ///< 1 at the axis of the part, 0 elsewhere
    Pack middle, apart_i, apart_j;  ///< 1/I of the middle axis; how far the two others are from it
    Pack never;                     ///< 0; 1 for a body that is moved by itself
  };
  /// The rotations of eight bodies and their spins, before and after; sets `alone` where the body is moved by itself.
  struct Turning {
    QuatPack rotation;
    Vec3Pack spin;
  };
  [[nodiscard]] static Turning load(std::span<const BodyState> states);
  [[nodiscard]] static Turning turned(const Rotors& rotors, double h, const Turning& start, bool spins,
                                      PackMask& alone);
  [[nodiscard]] Pose moved(std::size_t k, double h, BodyState state) const;
  [[nodiscard]] Rotors rotors_of(std::span<const int> bodies) const;

  std::span<const BodyModel> models_;
  std::vector<int> bodies_;
  AlignedVector<Rotors> rotors_;
};

}  // namespace repose
