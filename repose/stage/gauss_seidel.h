// SPDX-License-Identifier: Apache-2.0
// Nonlinear Gauss–Seidel with the exact local law (local_coulomb.h), plain or with momentum per contact.
//
//   z = one sweep from y;   y⁺ = z + b_i (z − x)  with b_i = k_i/(k_i + 3);   x⁺ = z
//
// k_i counts the sweeps since contact i last reversed its direction: (y − z)·(z − x) > 0 halves k_i. Every k_i is reset
// when the sweep's change f = Σ ρ_i ‖y_i − z_i‖² exceeds a multiple of its best value. Momentum reduces the sweeps on
// piles by a factor of four to seven; without the restart it diverges.
#pragma once

#include <vector>

#include "repose/contact/residual.h"
#include "repose/set/local_law.h"

namespace repose {

template <class Form>
class GaussSeidel {
 public:
  using Node = typename Form::Node;

  void bind(const Form& form, const ContactProblem& problem);
  /// Sets x = y = λ without momentum and reads v_f again.
  void start(const ContactArray& lambda);
  /// z ← one forward sweep from y, then x ← y ← z. Returns f.
  double sweep_plain();
  /// Makes one sweep with momentum; `restart_factor` R: k_i ← 0 when f > R · (best f since the last restart).
  double sweep_momentum(double restart_factor);
  /// Makes one sweep with the same momentum for all contacts, restarted when f grows and ten sweeps have passed.
  double sweep_global_momentum();
  /// Writes the last sweep's result, which lies in its sets up to rounding.
  void store(ContactArray& lambda) const;
  /// Recomputes the response from the impulses, which removes the rounding errors of many thousand updates.
  void refresh();
  [[nodiscard]] long long sweeps() const { return sweeps_; }

 private:
  void load();
  double sweep();
  void extrapolate(int i, double b);
  [[nodiscard]] ContactVec solve_box(int i, ContactVec b) const;
  [[nodiscard]] bool has_momentum(int i) const;

  struct Contact {
    LocalCoulomb law;  ///< with compliance; unused for boxes
    Mat3 W;            ///< W_ii, without compliance
    ContactVec v_free;
    double rho = 0;
  };
  const Form* form_ = nullptr;
  const ContactProblem* problem_ = nullptr;
  std::vector<Contact> contacts_;
  std::vector<ContactVec> x_, y_, z_;
  std::vector<double> rate_;
  std::vector<int> momentum_;
  AlignedVector<Node> response_;  // R y
  double best_change_ = 0;
  int since_restart_ = 0;
  long long sweeps_ = 0;
  bool loaded_ = false;  // contacts_ hold the local laws of the bound problem
};

extern template class GaussSeidel<BodyForm>;
extern template class GaussSeidel<MatrixForm>;

}  // namespace repose
