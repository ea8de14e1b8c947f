// SPDX-License-Identifier: Apache-2.0
// Reference numbers that stand beside our own. Measured prototype, other machine: one core of a 2.8 GHz Ice-Lake-class
// virtual machine, g++ 12 -O3 -march=native, CPU time of the solve alone, ± 2×. Ratios to them are indicative only.
#pragma once

#include <string_view>

namespace repose::bench {

/// Structures in a sequence of steps.
struct StructureReference {
  std::string_view scene, event, start;
  double tolerance;
  double ms_median, ms_max;  ///< 0: the prototype did not finish
  int solved, solves;
  double aim_ms;  ///< estimate for vectorised kernels, the real aim; 0: none was given
};
[[nodiscard]] const StructureReference* find_structure_reference(std::string_view scene, std::string_view event,
                                                                 std::string_view start, double tolerance);

/// Random families: percent solved at 1e-10 for μ = 0.3, 0.8, 1.5 by the prototype's combined scheme, in 100 ms or
/// (the last five) 60 ms.
struct FamilyReference {
  std::string_view family;
  int percent[3];
};
[[nodiscard]] const FamilyReference* find_family_reference(std::string_view family);

/// Piles after an impact: ms to 1e-4, 1e-6, 1e-8 (0: not reached) and the share solved at 1e-8.
struct PileReference {
  std::string_view pile;
  double mu;
  double ms[3];
  int solved, solves;
};
[[nodiscard]] const PileReference* find_pile_reference(std::string_view pile, double mu);

/// Warm sequences: ms at 1e-6 and at 1e-8, and the share solved at 1e-8.
struct SettlingReference {
  std::string_view sequence;
  double mu;
  std::string_view phase;
  double ms_1e6, ms_1e8;
  int solved, solves;
};
[[nodiscard]] const SettlingReference* find_settling_reference(std::string_view sequence, double mu,
                                                               std::string_view phase);

}  // namespace repose::bench
