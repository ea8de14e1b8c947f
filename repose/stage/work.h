// SPDX-License-Identifier: Apache-2.0
// Counted work: block products of a factorisation, and everything else in the same unit. Counts are the same on every
// machine and for any number of threads, so that a limit on them does not change results from run to run.
//
//   one sweep          n / kVisitsPerProduct                                   n contacts
//   one Newton step    factor_products() + kVisitsPerNewtonStep n / kVisitsPerProduct
#pragma once

#include <cmath>

#include "repose/contact/newton_system.h"
#include "repose/contact/residual.h"

namespace repose {

/// Contact visits that cost as much as one block product (measured; for 3×3 blocks including the assembly of W D).
template <class Form>
inline constexpr double kVisitsPerProduct = Form::kDof == 6 ? 0.6 : 0.3;

/// Cost of a Newton step besides its factorisation (solve, line search, residual), in visits of every contact.
inline constexpr int kVisitsPerNewtonStep = 4;

/// Returns the work of visiting every contact once, in block products.
template <class Form>
[[nodiscard]] double sweep_work(const Form& form) {
  return form.size() / kVisitsPerProduct<Form>;
}

/// Returns the work of one Newton step, interior-point iteration or pivot, in block products.
template <class Form>
[[nodiscard]] double newton_step_work(const Form& form, const NewtonSystem<Form>& system) {
  return static_cast<double>(system.factor_products()) + kVisitsPerNewtonStep * sweep_work(form);
}

/// The limit on further work once an acceptable answer is known. A stage compares it between its iterates.
struct WorkLimit {
  double accept = 0;       ///< r_c and nat of an acceptable answer
  double left = HUGE_VAL;  ///< work left, in block products
  bool at_hand = false;    ///< an acceptable answer is kept elsewhere: the best iterate of a stage need not be one

  /// Whether a stage whose best iterate has this certificate must end after doing this much work.
  [[nodiscard]] bool reached(const Certificate& best, double done) const {
    return done >= left && (at_hand || best.solved(accept));
  }
};

}  // namespace repose
