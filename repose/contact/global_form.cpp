// SPDX-License-Identifier: Apache-2.0
#include "repose/contact/global_form_internal.h"

#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace repose::files {
namespace {

using Sparse = Eigen::SparseMatrix<double>;  // compressed columns
constexpr int kDof = BodyForm::kDof;

std::size_t slot(int i) { return static_cast<std::size_t>(i); }

Sparse to_sparse(const Triplets& A) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(A.value.size());
  for (std::size_t k = 0; k < A.value.size(); ++k) entries.emplace_back(A.row[k], A.column[k], A.value[k]);
  Sparse matrix(A.rows, A.columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// Requires a positive diagonal and both triangles: some files hold one triangle only, which would give a wrong W.
void check_mass(const Sparse& M, const FileFault& fault) {
  bool above = false, below = false;
  for (int k = 0; k < M.rows(); ++k) {
    const double mass = M.coeff(k, k);
    if (!(mass > 0)) fault.fail("/fclib_global/M", shown(mass) + " at row " + shown(k), "numbers > 0 on the diagonal");
    for (Sparse::InnerIterator entry(M, k); entry; ++entry) {
      above = above || (entry.row() < k && entry.value() != 0);
      below = below || (entry.row() > k && entry.value() != 0);
    }
  }
  fault.expect(above == below, "/fclib_global/M", "one triangle only", "all entries of a symmetric matrix");
}

// ---- bodies -----------------------------------------------------------------------------------------------------

/// The mass block of one body as C D Cᵀ, C unit lower triangular. A diagonal block divides exactly.
struct BodyMass {
  int dofs = 0;
  double C[kDof][kDof] = {};
  double D[kDof] = {};

  /// x ← C⁻¹ x
  void solve_lower(double* x) const {
    for (int r = 0; r < dofs; ++r)
      for (int c = 0; c < r; ++c) x[r] -= C[r][c] * x[c];
  }
  /// x ← (C D Cᵀ)⁻¹ x
  void solve(double* x) const {
    solve_lower(x);
    for (int r = dofs - 1; r >= 0; --r) {
      x[r] /= D[r];
      for (int k = r + 1; k < dofs; ++k) x[r] -= C[k][r] * x[k];
    }
  }
};

/// Returns nothing when the block is not symmetric positive definite.
std::optional<BodyMass> factor_body(const Sparse& M, int first, int dofs) {
  BodyMass body;
  body.dofs = dofs;
  for (int c = 0; c < dofs; ++c) {
    for (int r = c; r < dofs; ++r) {
      double x = M.coeff(first + r, first + c);
      if (x != M.coeff(first + c, first + r)) return std::nullopt;
      for (int k = 0; k < c; ++k) x -= body.C[r][k] * body.C[c][k] * body.D[k];
      if (r == c) {
        if (!(x > 0)) return std::nullopt;
        body.D[c] = x;
      }
      body.C[r][c] = x / body.D[c];
    }
  }
  return body;
}

/// Returns the factors of all bodies when M has no entry between different bodies.
std::optional<std::vector<BodyMass>> factor_bodies(const Sparse& M, int dofs) {
  if (M.rows() % dofs != 0) return std::nullopt;
  for (int c = 0; c < M.cols(); ++c)
    for (Sparse::InnerIterator entry(M, c); entry; ++entry)
      if (entry.row() / dofs != c / dofs && entry.value() != 0) return std::nullopt;
  std::vector<BodyMass> bodies;
  for (int first = 0; first < M.rows(); first += dofs) {
    const auto body = factor_body(M, first, dofs);
    if (!body) return std::nullopt;
    bodies.push_back(*body);
  }
  return bodies;
}

/// Returns the one or two bodies of contact i, or nothing when there are more.
std::optional<BodyForm::Ends> touched_bodies(const Sparse& H, int i, int dofs, int bodies) {
  BodyForm::Ends ends{bodies, bodies};
  for (int c = 3 * i; c < 3 * i + 3; ++c)
    for (Sparse::InnerIterator entry(H, c); entry; ++entry) {
      const int body = static_cast<int>(entry.row()) / dofs;
      if (entry.value() == 0 || body == ends.a || body == ends.b) continue;
      if (ends.a == bodies)
        ends.a = body;
      else if (ends.b == bodies)
        ends.b = body;
      else
        return std::nullopt;
    }
  return ends;
}

/// Returns D^-½ C⁻¹ h for the part h of H's column that belongs to `body`: a row of J L.
Pack scaled_row(const Sparse& H, int column, int body, const BodyMass& mass) {
  double h[kDof] = {};
  for (Sparse::InnerIterator entry(H, column); entry; ++entry)
    if (entry.row() / mass.dofs == body) h[entry.row() % mass.dofs] = entry.value();
  mass.solve_lower(h);
  Pack row{};
  for (int k = 0; k < mass.dofs; ++k) row[k] = h[k] / std::sqrt(mass.D[k]);
  return row;
}

std::optional<BodyForm> body_form(const Sparse& H, const std::vector<BodyMass>& masses) {
  const int contacts = static_cast<int>(H.cols()) / 3, bodies = static_cast<int>(masses.size());
  std::vector<BodyForm::Ends> ends;
  AlignedVector<BodyForm::Rows> rows(slot(contacts));
  for (int i = 0; i < contacts; ++i) {
    const auto touched = touched_bodies(H, i, masses.front().dofs, bodies);
    if (!touched) return std::nullopt;
    ends.push_back(*touched);
    for (int axis = 0; axis < 3; ++axis) {
      const int column = 3 * i + axis, r = kOurAxis[axis];
      if (touched->a < bodies) rows[slot(i)].a[r] = scaled_row(H, column, touched->a, masses[slot(touched->a)]);
      if (touched->b < bodies) rows[slot(i)].b[r] = scaled_row(H, column, touched->b, masses[slot(touched->b)]);
    }
  }
  return BodyForm::from_scaled_rows(bodies, ends, rows);
}

std::optional<ContactProblem> as_bodies(const GlobalForm& global, const Sparse& M, const Sparse& H, int dofs) {
  const auto masses = factor_bodies(M, dofs);
  if (!masses || masses->empty()) return std::nullopt;
  auto form = body_form(H, *masses);
  if (!form) return std::nullopt;
  Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXd>(global.f.data(), M.rows());
  for (std::size_t k = 0; k < masses->size(); ++k) (*masses)[k].solve(v.data() + k * static_cast<std::size_t>(dofs));
  const Eigen::VectorXd q = H.transpose() * v + Eigen::Map<const Eigen::VectorXd>(global.w.data(), H.cols());
  return ContactProblem(std::move(*form), from_file_order({q.data(), slot(static_cast<int>(q.size()))}), global.mu);
}

// ---- any mass matrix --------------------------------------------------------------------------------------------

/// Returns column block j of W = Hᵀ (M⁻¹ H_j), without its zero blocks.
void add_columns(const Sparse& H, const Eigen::MatrixXd& response, int j, const FileFault& fault,
                 std::vector<DelassusBlock>& blocks) {
  const Eigen::MatrixXd column = H.transpose() * response;
  std::vector<DelassusBlock> found(slot(static_cast<int>(H.cols()) / 3));
  for (int i = 0; i < static_cast<int>(found.size()); ++i) {
    found[slot(i)] = {i, j, {}};
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) found[slot(i)].value.m[kOurAxis[r]][kOurAxis[c]] = column(3 * i + r, c);
  }
  keep_nonzero_blocks(found, fault);
  blocks.insert(blocks.end(), found.begin(), found.end());
}

ContactProblem as_matrix(const GlobalForm& global, const Sparse& M, const Sparse& H, const FileFault& fault) {
  Eigen::SparseLU<Sparse> factor(M);
  fault.expect(factor.info() == Eigen::Success, "/fclib_global/M", "a singular matrix", "an invertible one");
  std::vector<DelassusBlock> blocks;
  const int contacts = static_cast<int>(H.cols()) / 3;
  for (int j = 0; j < contacts; ++j)
    add_columns(H, factor.solve(Eigen::MatrixXd(H.middleCols(3 * j, 3))), j, fault, blocks);
  const Eigen::VectorXd v = factor.solve(Eigen::Map<const Eigen::VectorXd>(global.f.data(), M.rows()));
  const Eigen::VectorXd q = H.transpose() * v + Eigen::Map<const Eigen::VectorXd>(global.w.data(), H.cols());
  fault.expect(q.allFinite(), "H' M^-1 f + w", "numbers that overflow", "finite numbers");
  return {MatrixForm(contacts, blocks), from_file_order({q.data(), slot(static_cast<int>(q.size()))}), global.mu};
}

}  // namespace

ContactProblem eliminate_velocities(const GlobalForm& global, const FileFault& fault) {
  const Sparse M = to_sparse(global.M), H = to_sparse(global.H);
  check_mass(M, fault);
  for (int dofs : {6, 3})
    if (auto problem = as_bodies(global, M, H, dofs)) return std::move(*problem);
  return as_matrix(global, M, H, fault);
}

}  // namespace repose::files
