// SPDX-License-Identifier: Apache-2.0
// Nonlinear Gauss–Seidel with momentum (gauss_seidel.h), eight pairs of bodies at a time: for large problems in body
// form.
//
// The contacts of two bodies are a *patch*. Eight patches without a common body are a *bundle*, solved in the lanes of
// a pack: the k-th contacts of all eight at once, while the velocities of their sixteen bodies stay in registers.
// Bundles come one after the other, so that a sweep is one of Gauss and Seidel in another order of the contacts.
#pragma once

#include <vector>

#include "repose/contact/problem.h"
#include "repose/set/contact_array.h"
#include "repose/set/packed_coulomb.h"

namespace repose {

class PackedSweeps {
 public:
  /// Whether the problem has what bundles need: contacts alone, each between two ends, in body form.
  [[nodiscard]] static bool suits(const ContactProblem& problem);

  /// Claims memory; forms new bundles unless the graph is that of the last bind().
  void bind(const BodyForm& form, const ContactProblem& problem);
  // As those of GaussSeidel.
  void start(const ContactArray& lambda);
  double sweep_momentum(double restart_factor);
  void store(ContactArray& lambda) const;
  void refresh();

 private:
  using Node = BodyForm::Node;
  using Count = PackMask;  // eight 64-bit integers
  static constexpr int kAxes = 6;
  struct Patch {
    int first, count;  // contacts
    BodyForm::Ends ends;
  };
  struct Bundle {
    int a[kLanes], b[kLanes];  // nodes by lane; the static one where a lane is empty
    int first = 0, count = 0;  // slots
    int lanes = 0;
  };
  /// Velocities of the bodies of a bundle, axis by axis.
  struct Bodies {
    Pack a[kAxes], b[kAxes];
  };
  /// One contact of each lane.
  struct Slot {
    Pack a[3][kAxes], b[3][kAxes];  // rows
    PackedCoulomb law;
    Pack rho;
    ContactPack v_free;
  };
  struct State {
    ContactPack x, y, z;
    Pack rate;
    Count momentum;
  };

  bool same_graph() const;
  void find_patches();
  void form_bundles();
  [[nodiscard]] bool fits(const Bundle& bundle, const Patch& patch) const;
  void load();
  [[nodiscard]] Bodies load_bodies(const Bundle& bundle) const;
  void save_bodies(const Bundle& bundle, const Bodies& bodies);
  [[nodiscard]] static ContactPack gather(const Slot& slot, const Bodies& bodies);
  static void scatter(const Slot& slot, ContactPack lambda, Bodies& bodies);
  double sweep();
  void extrapolate(bool restart);

  const BodyForm* form_ = nullptr;
  const ContactProblem* problem_ = nullptr;
  std::vector<BodyForm::Ends> ends_;  // of the bundles
  std::vector<Patch> patches_;
  std::vector<int> order_;  // patches by falling number of contacts
  std::vector<Bundle> bundles_;
  std::vector<int> contact_;  // by slot and lane; −1: none
  AlignedVector<Slot> slots_;
  AlignedVector<State> states_;
  AlignedVector<Node> response_;
  double best_change_ = 0;
  bool loaded_ = false;
};

}  // namespace repose
