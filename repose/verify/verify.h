// SPDX-License-Identifier: Apache-2.0
// Verifies a recording from what it holds and nothing else: its own law (law.h), its own surfaces (surface.h), its own
// motion. Only the reading of files and plain vectors are shared with the program that wrote it. docs/certificate.md
// says what each quantity proves, docs/recording.md where it comes from.
#pragma once

#include <memory>
#include <string>

#include "repose/record/recording.h"

namespace repose {

/// Errors are shares (of the scene's largest speed, of a body's size), so that a tolerance needs no unit.
struct StepCheck {
  int step = 0;  ///< counts from 0
  int contacts = 0, islands = 0;
  Certificate recomputed;  ///< worst of all islands
  Certificate whole;       ///< all islands as one problem
  Certificate stored;
  double rounding = 0;       ///< by which rounding alone may part the two, where impulses are large
  double velocity = 0;       ///< velocities after the step: free velocity + M⁻¹ Jᵀ λ, share of the largest speed
  double free_motion = 0;    ///< free velocities: v + h (g + F/m), the same share
  double motion = 0;         ///< poses after the step: x + h v, the free rotation, the displacement; share of the size
  double prescribed = 0;     ///< poses of bodies with a prescribed motion, share of the largest body
  double surface = 0;        ///< contact points: distance from both surfaces, share of the size
  double exact_surface = 0;  ///< the same, of pairs whose points are exact: balls; half-spaces with boxes and hulls
  double time = 0;           ///< time that the step takes beside dt, share of dt
  double energy = 0;         ///< energy after the step beside the stored one, share of what it is the sum of; no joints
  double lengths = 0;        ///< of normals and quaternions, beside 1
  double frames = 0;         ///< frames of bodies from their mass centres, states of what does not move; relative
  double gap_bias = 0;       ///< biases: gap/h, Baumgarte or restitution, as a gap; share of the size
  double joints = 0;         ///< position error of joints after the step, share of the largest joint's size
  double friction = 0;       ///< μ beside that of the two materials
  double displacement = 0;   ///< largest displacement that removed overlap or placed joints, m
  double recovery = 0;       ///< certificate of the contacts that removed overlap, max(r_c, nat), the worst
  double recovery_stored = 0;  ///< the same as stored
  double recovery_motion = 0;  ///< displacements: those that the multipliers of these contacts cause; share of the size
  double recovery_surface = 0;  ///< points of these contacts: distance from both surfaces, share of the size
  int unaccounted = 0;          ///< pairs that overlap and have no contact
  int events_missed = 0;        ///< bodies whose presence or velocity is not that of the scene's events
  int changes = 0;              ///< bodies whose state was set from outside, events not counted
  int off_surface = 0;          ///< contacts whose points are not exactly on both surfaces
  int predicted = 0;            ///< contacts that the look-ahead predicted: their points are not on the surfaces yet
  int pairs_missed = 0;         ///< overlapping pairs that the run itself left without a contact
  [[nodiscard]] bool solved(double tolerance) const { return recomputed.solved(tolerance); }
  /// Whether everything that the recording states follows from the rest of it.
  [[nodiscard]] bool agrees() const { return std::string(fault()).empty(); }
  /// Says what does not follow; empty: nothing.
  [[nodiscard]] const char* fault() const;
};

/// Throws InputError, which starts with the name, when the recording has only the poses of another program and nothing
/// to check.
void require_certificates(const Recording& recording, const std::string& name);

class Verifier {
 public:
  /// The recording must outlive the verifier. Shapes, materials and motions come from the scene that it holds; without
  /// one, surfaces, friction, biases, overlaps, motions and events are not checked.
  explicit Verifier(const Recording& recording);
  ~Verifier();
  [[nodiscard]] bool has_scene() const;
  [[nodiscard]] StepCheck check(int step) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One step with a verifier of its own.
[[nodiscard]] StepCheck check_step(const Recording& recording, int step);

}  // namespace repose
