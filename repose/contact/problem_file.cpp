// SPDX-License-Identifier: Apache-2.0
#include "repose/contact/problem_file.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "repose/contact/fclib_internal.h"
#include "repose/contact/file_support_internal.h"
#include "repose/contact/siconos_dat_internal.h"

namespace repose {
namespace {

namespace fs = std::filesystem;
using files::FileFault;

constexpr std::string_view kHdf5Signature = "\x89HDF\r\n\x1a\n";

/// Returns the length of a regular, non-empty file; refuses pipes and devices before any read blocks.
std::uintmax_t checked_length(const fs::path& path, const FileFault& fault) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  fault.expect(status.type() != fs::file_type::not_found, "file", "nothing of that name", "an existing file");
  fault.expect(status.type() != fs::file_type::none, "file", error.message(), "a readable file");
  fault.expect(!fs::is_directory(status), "file", "a directory", "an FCLIB .hdf5 or Siconos .dat file");
  fault.expect(fs::is_regular_file(status), "file", "a pipe, device or socket", "a regular file");
  const std::uintmax_t length = fs::file_size(path, error);
  fault.expect(!error, "file", error.message(), "a readable file");
  fault.expect(length > 0, "file", "0 bytes", "an FCLIB .hdf5 or Siconos .dat file");
  return length;
}

std::string read_bytes(std::ifstream& file, std::uintmax_t at, std::uintmax_t count) {
  std::string bytes(count, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(at));
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return bytes;
}

/// HDF5 looks for its signature at 0, 512, 1024, 2048, ...
std::optional<std::uintmax_t> find_superblock(std::ifstream& file, std::uintmax_t length) {
  for (std::uintmax_t at = 0; at + kHdf5Signature.size() <= length; at = at == 0 ? 512 : 2 * at)
    if (read_bytes(file, at, kHdf5Signature.size()) == kHdf5Signature) return at;
  return std::nullopt;
}

bool ends_like_hdf5(const fs::path& path) {
  const fs::path ending = path.extension();
  return ending == ".hdf5" || ending == ".h5";
}

/// Checks the start of a text file, so that a large binary file is refused without being read.
void check_text(std::string_view start, const FileFault& fault) {
  constexpr std::string_view kNoText("\0\1\2\3\4\5\6\7\x08\x0e\x0f\x1b\x7f", 13);
  fault.expect(start.find_first_of(kNoText) == start.npos, "file", "binary data that is not HDF5",
               "an FCLIB .hdf5 or Siconos .dat file");
}

/// Finite entries may still have sums or products that are not finite: repeated blocks, Jacobians of light bodies.
void check_operator(const ContactProblem& problem, const FileFault& fault) {
  std::vector<DelassusBlock> blocks;
  for (int i = 0; i < problem.size(); ++i) blocks.push_back({i, i, problem.diagonal_block(i)});
  if (const auto* matrix = std::get_if<MatrixForm>(&problem.form()))
    for (int i = 0; i < problem.size(); ++i)
      for (int s = matrix->first(i); s < matrix->first(i + 1); ++s)
        blocks.push_back({matrix->row(s), i, matrix->coupling(matrix->row(s), i)});
  files::keep_nonzero_blocks(blocks, fault);
}

StoredProblem read_any(const fs::path& path, const FileFault& fault) {
  const std::uintmax_t length = checked_length(path, fault);
  std::ifstream file(path, std::ios::binary);
  fault.expect(file.is_open(), "file", std::generic_category().message(errno), "a readable file");
  const auto superblock = find_superblock(file, length);
  fault.expect(superblock || !ends_like_hdf5(path), "file", "no HDF5 signature", "an FCLIB .hdf5 file");
  if (!superblock) check_text(read_bytes(file, 0, std::min<std::uintmax_t>(length, 4096)), fault);
  std::string bytes = read_bytes(file, 0, length);
  fault.expect(bytes.size() == length, "file", bytes.size(), length, " readable bytes");
  return superblock ? files::read_fclib(std::move(bytes), *superblock, fault) : files::parse_siconos_dat(bytes, fault);
}

}  // namespace

StoredProblem read_stored_problem(const fs::path& path) {
  const FileFault fault(path.string());
  try {
    StoredProblem stored = read_any(path, fault);
    check_operator(stored.problem, fault);
    if (const auto* matrix = std::get_if<MatrixForm>(&stored.problem.form()))
      stored.facts.asymmetry = matrix->asymmetry();
    return stored;
  } catch (const std::bad_alloc&) {
    fault.fail("file", "more data than this machine has memory for", "a smaller problem");
  }
}

ContactProblem read_problem(const fs::path& path) { return read_stored_problem(path).problem; }

}  // namespace repose
