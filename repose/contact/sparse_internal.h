// SPDX-License-Identifier: Apache-2.0
// Scalar sparse matrices as stored in files, and their conversion to 3×3 blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "repose/contact/hdf5_internal.h"
#include "repose/contact/matrix_form.h"

namespace repose::files {

/// Entries in any order; repeated ones add up.
struct Triplets {
  int rows = 0, columns = 0;
  std::vector<int> row, column;
  std::vector<double> value;
};

/// Reads FCLIB's {m, n, nz, nzmax, p, i, x} under `group`; the sizes are known from the vectors beside it.
[[nodiscard]] Triplets read_sparse(const Hdf5Reader& in, const std::string& group, int rows, int columns);

/// Returns the blocks that are not zero, by block rows, with the axes of each contact in our order.
[[nodiscard]] std::vector<DelassusBlock> delassus_blocks(const Triplets& W, const FileFault& fault);

}  // namespace repose::files
