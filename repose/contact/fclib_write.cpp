// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "repose/base/error.h"
#include "repose/contact/atomic_file_internal.h"
#include "repose/contact/fclib_internal.h"
#include "repose/contact/hdf5_internal.h"

namespace repose {
namespace {

using files::Hdf5Image;
using files::kBodyGroup;
using files::kOurAxis;

std::size_t slot(int i) { return static_cast<std::size_t>(i); }

void put_scalar(Hdf5Image& out, const std::string& path, int value) { out.integers(path, {&value, 1}); }

/// Lists the columns of the blocks in every block row of W, ascending, the diagonal included.
std::vector<std::vector<int>> block_pattern(const ContactProblem& problem) {
  std::vector<std::vector<int>> pattern(slot(problem.size()));
  for (int i = 0; i < problem.size(); ++i) pattern[slot(i)].push_back(i);
  for (const auto& [i, j] : problem.coupled_pairs()) {
    pattern[slot(i)].push_back(j);
    pattern[slot(j)].push_back(i);
  }
  for (auto& row : pattern) std::sort(row.begin(), row.end());
  return pattern;
}

/// Returns W in compressed rows, whole 3×3 blocks, axes in the file's order.
struct CompressedRows {
  std::vector<int> p{0}, i;
  std::vector<double> x;
};

CompressedRows delassus_rows(const ContactProblem& problem) {
  CompressedRows W;
  const auto pattern = block_pattern(problem);
  std::size_t blocks = 0;
  for (const auto& row : pattern) blocks += row.size();
  require(blocks <= slot(std::numeric_limits<int>::max() / 9), "W: expected at most ",
          std::numeric_limits<int>::max() / 9, " blocks (32-bit indices of FCLIB), got ", blocks);
  W.i.reserve(9 * blocks);
  W.x.reserve(9 * blocks);
  std::vector<Mat3> row_blocks;
  for (int i = 0; i < problem.size(); ++i) {
    row_blocks.clear();
    for (int j : pattern[slot(i)]) row_blocks.push_back(problem.coupling(i, j));
    for (int r : kOurAxis) {
      for (std::size_t k = 0; k < row_blocks.size(); ++k)
        for (int axis = 0; axis < 3; ++axis) {
          W.i.push_back(3 * pattern[slot(i)][k] + axis);
          W.x.push_back(row_blocks[k].m[r][kOurAxis[axis]]);
        }
      W.p.push_back(static_cast<int>(W.i.size()));
    }
  }
  return W;
}

void put_local(Hdf5Image& out, const ContactProblem& problem) {
  const CompressedRows W = delassus_rows(problem);
  const int size = 3 * problem.size();
  put_scalar(out, "/fclib_local/spacedim", 3);
  put_scalar(out, "/fclib_local/W/nzmax", static_cast<int>(W.x.size()));
  put_scalar(out, "/fclib_local/W/m", size);
  put_scalar(out, "/fclib_local/W/n", size);
  put_scalar(out, "/fclib_local/W/nz", -2);
  out.integers("/fclib_local/W/p", W.p);
  out.integers("/fclib_local/W/i", W.i);
  out.numbers("/fclib_local/W/x", W.x);
  out.numbers("/fclib_local/vectors/q", files::to_file_order(problem.v_free()));
  out.numbers("/fclib_local/vectors/mu", problem.sets().mu());
}

void put_rows(std::vector<double>& x, const Pack* rows) {
  for (int axis : kOurAxis)
    for (int lane = 0; lane < BodyForm::kDof; ++lane) x.push_back(rows[axis][lane]);
}

void put_roots(Hdf5Image& out, std::span<const BodyForm::Roots> roots) {
  std::vector<double> mass, inertia;
  for (const auto& L : roots) {
    mass.push_back(L.root_inverse_mass);
    inertia.insert(inertia.end(), &L.root_inverse_inertia.m[0][0], &L.root_inverse_inertia.m[0][0] + 9);
  }
  const std::string group = kBodyGroup;
  out.numbers(group + "/root_inverse_mass", mass);
  out.numbers(group + "/root_inverse_inertia", inertia, {roots.size(), 3, 3});
}

void put_bodies(Hdf5Image& out, const BodyForm& form) {
  const int bodies = form.bodies();
  std::vector<int> ends, counts(slot(form.nodes()), 0);
  std::vector<double> rows;
  for (int i = 0; i < form.size(); ++i) {
    for (int node : {form.ends(i).a, form.ends(i).b}) {
      ends.push_back(node == bodies ? kStaticBody : node);
      ++counts[slot(node)];
    }
    put_rows(rows, form.rows(i).a);
    put_rows(rows, form.rows(i).b);
  }
  counts.pop_back();  // the static node
  const std::string group = kBodyGroup;
  put_scalar(out, group + "/version", files::kBodyVersion);
  out.integers(group + "/contacts_per_body", counts);
  out.integers(group + "/ends", ends, {slot(form.size()), 2});
  out.numbers(group + "/rows", rows, {slot(form.size()), 2, 3, BodyForm::kDof});
  if (!form.roots().empty()) put_roots(out, form.roots());
}

void check_impulse(const ContactProblem& problem, std::span<const ContactVec> lambda, const char* name) {
  require(lambda.empty() || lambda.size() == slot(problem.size()), "write_fclib: ", name, ": expected ", problem.size(),
          " contacts, got ", lambda.size());
  for (std::size_t i = 0; i < lambda.size(); ++i)
    require(std::isfinite(squared_norm(lambda[i])), "write_fclib: ", name, ": contact ", i,
            ": expected finite numbers, got (", lambda[i].t1, ", ", lambda[i].t2, ", ", lambda[i].n, ")");
}

/// r, and u = W r + q beside it.
void put_impulse(Hdf5Image& out, const std::string& group, const ContactProblem& problem,
                 std::span<const ContactVec> lambda) {
  std::vector<ContactVec> v(lambda.size());
  DelassusOperator W;
  W.bind(problem);
  W.velocity(lambda, v);
  out.numbers(group + "/u", files::to_file_order(v));
  out.numbers(group + "/r", files::to_file_order(lambda));
}

void put_info(Hdf5Image& out, const FclibOptions& options) {
  out.text("/fclib_local/info/title", options.title);
  out.text("/fclib_local/info/description", options.description);
  out.text("/fclib_local/info/math_info", options.math_info);
}

}  // namespace

void write_fclib(const std::filesystem::path& path, const ContactProblem& problem, const FclibOptions& options) {
  check_impulse(problem, options.guess, "guess");
  check_impulse(problem, options.solution, "solution");
  Hdf5Image out;
  put_local(out, problem);
  put_info(out, options);
  if (const auto* form = std::get_if<BodyForm>(&problem.form())) put_bodies(out, *form);
  if (!options.guess.empty()) {
    put_scalar(out, "/guesses/number_of_guesses", 1);
    put_impulse(out, "/guesses/1", problem, options.guess);
  }
  if (!options.solution.empty()) put_impulse(out, "/solution", problem, options.solution);
  files::write_atomically(path, out.bytes());
}

}  // namespace repose
