// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "repose/base/atomic_file.h"
#include "repose/base/error.h"
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

/// Which bodies a contact touches.
void put_graph(Hdf5Image& out, const BodyForm& form) {
  const int bodies = form.bodies();
  std::vector<int> ends, counts(slot(form.nodes()), 0);
  for (int i = 0; i < form.size(); ++i)
    for (int node : {form.ends(i).a, form.ends(i).b}) {
      ends.push_back(node == bodies ? kStaticBody : node);
      ++counts[slot(node)];
    }
  counts.pop_back();  // the static node
  const std::string group = kBodyGroup;
  put_scalar(out, group + "/version", form.further().empty() ? files::kBodyVersion : files::kFurtherVersion);
  out.integers(group + "/contacts_per_body", counts);
  out.integers(group + "/ends", ends, {slot(form.size()), 2});
}

void put_all_rows(Hdf5Image& out, const BodyForm& form) {
  std::vector<double> rows;
  for (int i = 0; i < form.size(); ++i) {
    put_rows(rows, form.rows(i).a);
    put_rows(rows, form.rows(i).b);
  }
  out.numbers(std::string(kBodyGroup) + "/rows", rows, {slot(form.size()), 2, 3, BodyForm::kDof});
}

/// The bodies of blocks with more than two: block and body, and six numbers per row as in `rows`.
void put_further(Hdf5Image& out, const BodyForm& form, bool with_rows) {
  if (form.further().empty()) return;
  std::vector<int> ends;
  std::vector<double> rows;
  for (const BodyForm::Further& end : form.further()) {
    ends.insert(ends.end(), {end.block, end.node});
    put_rows(rows, end.rows);
  }
  const std::string group = kBodyGroup;
  const std::size_t count = form.further().size();
  out.integers(group + "/further_ends", ends, {count, 2});
  if (with_rows) out.numbers(group + "/further_rows", rows, {count, 3, BodyForm::kDof});
}

void put_bodies(Hdf5Image& out, const BodyForm& form, bool with_rows) {
  put_graph(out, form);
  if (with_rows) put_all_rows(out, form);
  put_further(out, form, with_rows);
  if (!form.roots().empty()) put_roots(out, form.roots());
}

void check_impulse(const ContactProblem& problem, std::span<const ContactVec> lambda, const char* name) {
  require(lambda.empty() || lambda.size() == slot(problem.size()), "write_fclib: ", name, ": expected ", problem.size(),
          " contacts, got ", lambda.size());
  for (std::size_t i = 0; i < lambda.size(); ++i)
    require(std::isfinite(squared_norm(lambda[i])), "write_fclib: ", name, ": contact ", i,
            ": expected finite numbers, got (", lambda[i].t1, ", ", lambda[i].t2, ", ", lambda[i].n, ")");
}

/// A matrix with compressed columns.
struct Columns {
  int rows = 0;
  std::vector<int> p{0}, i{};
  std::vector<double> x{};

  void add(int row, double value) {
    i.push_back(row);
    x.push_back(value);
  }
  void end_column() { p.push_back(static_cast<int>(i.size())); }
};

void put_columns(Hdf5Image& out, const std::string& group, const Columns& A) {
  put_scalar(out, group + "/nzmax", static_cast<int>(A.x.size()));
  put_scalar(out, group + "/m", A.rows);
  put_scalar(out, group + "/n", static_cast<int>(A.p.size()) - 1);
  put_scalar(out, group + "/nz", -1);
  out.integers(group + "/p", A.p);
  out.integers(group + "/i", A.i);
  out.numbers(group + "/x", A.x);
}

/// (J L)ᵀ, all six entries for each body that a contact touches, the body of lower index first.
Columns scaled_jacobian(const BodyForm& form) {
  Columns H{.rows = BodyForm::kDof * form.bodies()};
  for (int i = 0; i < form.size(); ++i) {
    std::vector<std::pair<int, const Pack*>> sides;
    for (int e = 0; e < form.end_count(i); ++e) sides.emplace_back(form.end(i, e).node, form.end(i, e).rows);
    std::sort(sides.begin(), sides.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    for (int axis : kOurAxis) {
      for (const auto& [node, rows] : sides)
        for (int lane = 0; node < form.bodies() && lane < BodyForm::kDof; ++lane)
          H.add(BodyForm::kDof * node + lane, rows[axis][lane]);
      H.end_column();
    }
  }
  return H;
}

/// M v = H r + f, u = Hᵀ v + w with v the mass-scaled velocities of the bodies: M = I, H = (J L)ᵀ, f = 0, w = v_f.
void put_global(Hdf5Image& out, const ContactProblem& problem, const BodyForm& form) {
  constexpr int kMost = std::numeric_limits<int>::max() / (6 * BodyForm::kDof);
  require(form.size() <= kMost, "fclib: contacts: expected at most ", kMost, " (32-bit indices), got ", form.size());
  Columns M{.rows = BodyForm::kDof * form.bodies()};
  for (int k = 0; k < M.rows; ++k) {
    M.add(k, 1);
    M.end_column();
  }
  put_scalar(out, "/fclib_global/spacedim", 3);
  put_columns(out, "/fclib_global/M", M);
  put_columns(out, "/fclib_global/H", scaled_jacobian(form));
  out.numbers("/fclib_global/vectors/f", std::vector<double>(slot(M.rows), 0.0));
  out.numbers("/fclib_global/vectors/w", files::to_file_order(problem.v_free()));
  out.numbers("/fclib_global/vectors/mu", problem.sets().mu());
}

/// What FCLIB has no place for: boxes and compliance. Infinite bounds are marked, not stored.
void put_sets(Hdf5Image& out, const SetList& sets) {
  if (sets.plain()) return;
  std::vector<int> is_box, bounded;
  std::vector<ContactVec> lower, upper, compliance;
  const auto finite = [](double x) { return std::isfinite(x) ? x : 0.0; };
  for (int i = 0; i < sets.size(); ++i) {
    const BlockSet set = sets[i];
    const Bounds& b = set.bounds();
    is_box.push_back(!set.is_cone());
    for (const ContactVec& side : {b.lower, b.upper})
      for (const double x : {side.n, side.t1, side.t2}) bounded.push_back(std::isfinite(x));
    lower.push_back({finite(b.lower.t1), finite(b.lower.t2), finite(b.lower.n)});
    upper.push_back({finite(b.upper.t1), finite(b.upper.t2), finite(b.upper.n)});
    compliance.push_back(set.compliance());
  }
  const std::string group = files::kSetGroup;
  out.integers(group + "/is_box", is_box);
  out.integers(group + "/bounded", bounded, {slot(sets.size()), 2, 3});
  out.numbers(group + "/lower", files::to_file_order(lower));
  out.numbers(group + "/upper", files::to_file_order(upper));
  out.numbers(group + "/compliance", files::to_file_order(compliance));
}

/// Mass-scaled velocities H r of the bodies.
std::vector<double> body_velocities(const BodyForm& form, std::span<const ContactVec> lambda) {
  AlignedVector<BodyForm::Node> y(slot(form.nodes()));
  for (int i = 0; i < form.size(); ++i) form.scatter(i, lambda[slot(i)], y.data());
  std::vector<double> v;
  for (int k = 0; k < form.bodies(); ++k)
    for (int lane = 0; lane < BodyForm::kDof; ++lane) v.push_back(y[slot(k)][lane]);
  return v;
}

/// r, and u = W r + q beside it; v as well where the file has velocities of bodies.
void put_impulse(Hdf5Image& out, const std::string& group, const ContactProblem& problem, const BodyForm* global,
                 std::span<const ContactVec> lambda) {
  std::vector<ContactVec> v(lambda.size());
  DelassusOperator W;
  W.bind(problem);
  W.velocity(lambda, v);
  if (global) out.numbers(group + "/v", body_velocities(*global, lambda));
  out.numbers(group + "/u", files::to_file_order(v));
  out.numbers(group + "/r", files::to_file_order(lambda));
}

void put_info(Hdf5Image& out, const std::string& group, const FclibOptions& options) {
  out.text(group + "/info/title", options.title);
  out.text(group + "/info/description", options.description);
  out.text(group + "/info/math_info", options.math_info);
}

}  // namespace

void write_fclib(const std::filesystem::path& path, const ContactProblem& problem, const FclibOptions& options) {
  check_impulse(problem, options.guess, "guess");
  check_impulse(problem, options.solution, "solution");
  const auto* form = std::get_if<BodyForm>(&problem.form());
  const BodyForm* global = options.form == FclibForm::kGlobal ? form : nullptr;
  require(options.form == FclibForm::kLocal || form,
          "write_fclib: form: expected body form for kGlobal, got matrix form");
  Hdf5Image out(options.compress);
  if (global)
    put_global(out, problem, *form);
  else
    put_local(out, problem);
  put_info(out, global ? "/fclib_global" : "/fclib_local", options);
  if (form) put_bodies(out, *form, !global);
  put_sets(out, problem.sets());
  if (!options.guess.empty()) {
    put_scalar(out, "/guesses/number_of_guesses", 1);
    put_impulse(out, "/guesses/1", problem, global, options.guess);
  }
  if (!options.solution.empty()) put_impulse(out, "/solution", problem, global, options.solution);
  files::write_atomically(path, out.bytes());
}

}  // namespace repose
