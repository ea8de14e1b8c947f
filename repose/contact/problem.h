// SPDX-License-Identifier: Apache-2.0
// The problem of one time step: blocks of up to three rows, each with a set.  [paper eq:reduced, eq:soccp]
//
//   v(λ) = W λ + C λ + v_f,   λ ∈ S,  −ṽ ∈ N_S(λ)   for every block (block_set.h)
//
// A contact is a block whose set is the Coulomb cone: K*_μ ∋ v + μ‖v_T‖ e_N ⊥ λ ∈ K_μ, any μ ≥ 0. Joints, limits and
// motors are blocks with other sets.
//
// Units: λ in N·s, v in m/s, W in 1/kg (any consistent set of units works).
#pragma once

#include <concepts>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "repose/contact/body_form.h"
#include "repose/contact/matrix_form.h"
#include "repose/set/set_list.h"

namespace repose {

/// Constant during a solve; only assign() and set_v_free() change it. Solvers keep a pointer to it between bind() and
/// solve().
class ContactProblem {
 public:
  using Form = std::variant<BodyForm, MatrixForm>;

  ContactProblem() = default;
  /// Makes every block a Coulomb cone with its own μ.
  ContactProblem(Form form, std::vector<ContactVec> v_free, std::vector<double> mu);
  /// Takes a SetList by its exact type only, so that braces mean friction coefficients.
  template <std::same_as<SetList> Sets>
  ContactProblem(Form form, std::vector<ContactVec> v_free, Sets sets)
      : form_(std::move(form)), v_free_(std::move(v_free)), sets_(std::move(sets)) {
    check();
  }

  [[nodiscard]] int size() const { return sets_.size(); }
  [[nodiscard]] std::span<const ContactVec> v_free() const { return v_free_; }
  [[nodiscard]] const SetList& sets() const { return sets_; }
  [[nodiscard]] const Form& form() const { return form_; }

  /// Assigns new content in body form and reuses the memory. Solvers need OuterSolver::refresh() or bind() afterwards.
  /// Returns whether the contact graph is the same as before, so that refresh() suffices.
  bool assign(std::span<const BodyForm::Roots> bodies, std::span<const BodyContact> contacts,
              std::span<const ContactVec> v_free, const SetList& sets, std::span<const FurtherEnd> further = {});
  /// Replaces the right-hand side and keeps the operator, for a step with unchanged geometry.
  void set_v_free(std::span<const ContactVec> v_free);

  [[nodiscard]] Mat3 diagonal_block(int i) const;  ///< W_ii + C_i
  /// Returns ρ_i: the mean of the diagonal of W_ii + C_i over the rows whose impulse depends on v, 1/kg.
  [[nodiscard]] double rho(int i) const;
  [[nodiscard]] Mat3 coupling(int i, int j) const;  ///< W_ij
  /// Returns the pairs i < j with W_ij ≠ 0, ascending.
  [[nodiscard]] std::vector<std::pair<int, int>> coupled_pairs() const;

  /// Whether W is block diagonal: no contact's impulse moves another contact.
  [[nodiscard]] bool separable() const { return separable_; }

  /// Whether W = Wᵀ up to rounding (always so in body form).
  [[nodiscard]] bool symmetric() const { return symmetric_; }
  /// Returns the problem with (W + Wᵀ)/2, the part that splitting schemes pass to the inner solver; the rest is
  /// explicit.
  [[nodiscard]] ContactProblem symmetric_part() const;

 private:
  void check();

  Form form_;
  std::vector<ContactVec> v_free_;
  SetList sets_;
  bool symmetric_ = true, separable_ = true;
};

/// Applies W + C without forming it; owns the response vector, so that apply() does not allocate.
class DelassusOperator {
 public:
  void bind(const ContactProblem& problem);
  /// y ← (W + C) x
  void apply(std::span<const ContactVec> x, std::span<ContactVec> y);
  /// y ← (W + C) x + v_f
  void velocity(std::span<const ContactVec> lambda, std::span<ContactVec> v);

 private:
  const ContactProblem* problem_ = nullptr;
  AlignedVector<Pack> body_response_;
  AlignedVector<Quad> contact_response_;
};

}  // namespace repose
