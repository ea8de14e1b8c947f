// SPDX-License-Identifier: Apache-2.0
// What Siconos is asked to run: a solver and its settings, and how a problem is presented to it.
#pragma once

#include <string>
#include <vector>

namespace repose::bench {

/// How W is stored for Siconos. Conversion is not timed.
enum class Storage { kBlocks, kSparse, kDense };
[[nodiscard]] const char* to_string(Storage storage);

/// Unit of impulse. Siconos' error, its step sizes and its penalties mix impulse with velocity, so that its constants
/// (ρ = 1, α = 5 × error) mean something else for every problem. kNatural measures impulse such that the mean diagonal
/// entry of W is 1, where those constants are of the right size; kFile keeps the file's units.
enum class Units { kFile, kNatural };
[[nodiscard]] const char* to_string(Units units);

/// How the same problem is handed over. A configuration gets every presentation that may suit it; the best counts.
struct Presentation {
  Storage storage = Storage::kBlocks;
  Units units = Units::kNatural;
};

/// One entry of an iparam or dparam array.
struct Setting {
  int index = 0;
  double value = 0;
};

struct Configuration {
  std::string family{};  ///< "NSGS": a curve of the plot
  std::string name{};    ///< "NSGS quartic": a row of the table
  int solver = 0;        ///< a SICONOS_FRICTION_3D_* number
  std::vector<Setting> iparam{}, dparam{};
  int internal = 0;  ///< solver inside, where it is not the default one
  std::vector<Setting> internal_iparam{}, internal_dparam{};
  std::vector<Storage> storages{};  ///< those worth trying; dense only up to kDenseContacts
  std::vector<Units> units{};       ///< likewise
  int most_contacts = 1 << 30;      ///< larger problems are not for it
};

/// Above this many contacts dense storage never won.
inline constexpr int kDenseContacts = 110;

/// Every configuration that takes part.
[[nodiscard]] std::vector<Configuration> configurations();

/// Empty where the configuration does not take problems of this size.
[[nodiscard]] std::vector<Presentation> presentations(const Configuration& configuration, int contacts);

}  // namespace repose::bench
