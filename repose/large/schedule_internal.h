// SPDX-License-Identifier: Apache-2.0
// The order in which a problem is swept: patches and tiles, and the block of memory with its numbers.
#pragma once

#include <span>
#include <vector>

#include "repose/contact/problem.h"
#include "repose/large/tables_internal.h"

namespace repose::large {

class Schedule {
 public:
  /// `problem` is in body form and has Coulomb cones only.
  void bind(const ContactProblem& problem);
  [[nodiscard]] const Layout& layout() const { return layout_; }
  /// Writes v_f, λ and a beginning.
  void start(const ContactProblem& problem, std::span<const ContactVec> lambda);
  [[nodiscard]] std::span<std::byte> memory() { return memory_; }
  [[nodiscard]] Arrays arrays() { return {layout_, memory_.data()}; }
  /// Reads the best impulses.
  void store(std::span<ContactVec> lambda);

 private:
  struct Patch {
    int a = 0, b = 0;         ///< nodes, a ≤ b
    int first = 0, size = 0;  ///< in order_
  };
  void find_patches(const BodyForm& form);
  void place_patches();
  void fill_patches(const ContactProblem& problem, const BodyForm& form);
  void fill_contact(const ContactProblem& problem, const BodyForm& form, int contact, int slot, double light_a,
                    double light_b);
  void fill_bodies();
  /// By body, how much lighter a patch's share is.
  [[nodiscard]] std::vector<double> light_of_bodies() const;
  template <class T>
  [[nodiscard]] T* at(std::size_t place) {
    return reinterpret_cast<T*>(memory_.data() + place);
  }

  Layout layout_;
  std::vector<std::byte> memory_;
  std::vector<int> order_;       ///< contacts, patch by patch
  std::vector<Patch> patches_;   ///< in the order of the tiles after place_patches()
  std::vector<int> slot_;        ///< by contact
  std::vector<int> tile_first_;  ///< slots
};

}  // namespace repose::large
