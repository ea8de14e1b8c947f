// SPDX-License-Identifier: Apache-2.0
// Contact problems in files: reads FCLIB HDF5 (local and global form) and Siconos text, writes FCLIB HDF5.
//
// Files list each contact as (N, T1, T2); everything in memory is (t1, t2, n). docs/formats.md describes the formats
// and the extension by Repose. Every fault of a file is an InputError of one line,
//   FILE:LINE: field: expected Y, got X
// and a size that a header states does not claim memory before it is checked against the length of the file.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "repose/contact/problem.h"

namespace repose {

/// What the file states about itself.
struct FileFacts {
  std::string kind;      ///< "dat-dense", "dat-sbm", "hdf5-local" or "hdf5-global"
  double asymmetry = 0;  ///< max |W − Wᵀ| / max |W|; 0 in body form
};

struct StoredProblem {
  ContactProblem problem;
  std::string title;                                ///< empty where the file has none
  std::optional<std::vector<ContactVec>> guess;     ///< λ to start from, N·s
  std::optional<std::vector<ContactVec>> solution;  ///< λ, N·s; all zeros count only if zero solves the problem
  FileFacts facts;
};

/// Reads a problem; the content determines the format, then the file name's ending. Throws InputError.
[[nodiscard]] StoredProblem read_stored_problem(const std::filesystem::path& path);
[[nodiscard]] ContactProblem read_problem(const std::filesystem::path& path);

enum class FclibForm {
  kLocal,   ///< W and q
  kGlobal,  ///< M, H, f, w in mass-scaled coordinates (M = I): a problem in body form without W, a tenth of the size
};

struct FclibOptions {
  std::string title, description, math_info;    ///< free text, without NUL
  std::span<const ContactVec> guess, solution;  ///< λ per contact, N·s; empty: none. u = W r + q is written beside it
  FclibForm form = FclibForm::kLocal;           ///< kGlobal needs a problem in body form
  bool compress = false;                        ///< arrays as one deflated chunk each
};

/// Writes the local form (W in compressed rows) and, for a problem in body form, the scaled Jacobian rows as well; or
/// the global form, whose H has those rows. Reading restores the same body form bit for bit. The file appears complete
/// or not at all. Throws InputError.
void write_fclib(const std::filesystem::path& path, const ContactProblem& problem, const FclibOptions& options = {});

}  // namespace repose
