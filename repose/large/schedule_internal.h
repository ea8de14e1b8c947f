// SPDX-License-Identifier: Apache-2.0
// The order in which a problem is swept: patches, colours, tiles, and the block of memory with its numbers.
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
    int colour = 0;
  };
  void find_patches(const BodyForm& form);
  void colour_patches(int bodies);
  void place_patches();
  void fill(const ContactProblem& problem, const BodyForm& form);

  Layout layout_;
  std::vector<std::byte> memory_;
  std::vector<int> order_;                              ///< contacts, patch by patch
  std::vector<Patch> patches_;                          ///< after place_patches() colour by colour
  std::vector<int> slot_;                               ///< by contact
  std::vector<int> colour_first_, tile_first_, place_;  ///< tiles, slots, and the patch at every place (−1: none)
};

}  // namespace repose::large
