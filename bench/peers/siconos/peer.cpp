// SPDX-License-Identifier: Apache-2.0
#include "bench/peers/siconos/peer.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

// Siconos' headers are C.
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

#include "repose/base/error.h"

namespace repose::bench {
namespace {

/// Siconos frees what it is given with free().
template <class T>
T* c_array(std::size_t size) {
  return static_cast<T*>(std::calloc(std::max<std::size_t>(size, 1), sizeof(T)));
}

template <class T>
T* c_copy(const std::vector<T>& values) {
  T* copy = c_array<T>(values.size());
  std::copy(values.begin(), values.end(), copy);
  return copy;
}

bool is_zero(const Mat3& block) {
  for (const auto& row : block.m)
    for (const double entry : row)
      if (entry != 0) return false;
  return true;
}

SolverOptions* make_options(const Configuration& configuration, double tolerance) {
  SolverOptions* options = solver_options_create(configuration.solver);
  require(options != nullptr, "Siconos knows no solver ", configuration.solver);
  if (configuration.internal != 0) solver_options_update_internal(options, 0, configuration.internal);
  for (const Setting& s : configuration.iparam) options->iparam[s.index] = static_cast<int>(s.value);
  for (const Setting& s : configuration.dparam) options->dparam[s.index] = s.value;
  if (options->numberOfInternalSolvers > 0) {
    SolverOptions* internal = options->internalSolvers[0];
    for (const Setting& s : configuration.internal_iparam) internal->iparam[s.index] = static_cast<int>(s.value);
    for (const Setting& s : configuration.internal_dparam) internal->dparam[s.index] = s.value;
  }
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  return options;
}

}  // namespace

PeerProblem::PeerProblem(const ContactProblem& problem) : rows_(static_cast<std::size_t>(problem.size())) {
  constexpr int kOrder[3] = {2, 0, 1};  // Siconos' (n, t1, t2) in our (t1, t2, n)
  const auto add = [&](int row, int column) {
    const Mat3 ours = problem.coupling(row, column);
    if (row != column && is_zero(ours)) return;
    Block block{static_cast<unsigned>(column), {}};
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) block.entry[3 * c + r] = ours.m[kOrder[r]][kOrder[c]];
    rows_[static_cast<std::size_t>(row)].push_back(block);
  };
  double diagonal = 0;
  for (int i = 0; i < problem.size(); ++i) {
    add(i, i);
    diagonal += trace(problem.diagonal_block(i)) / (3.0 * problem.size());
  }
  for (const auto& [i, j] : problem.coupled_pairs()) {
    add(i, j);
    add(j, i);
  }
  for (auto& row : rows_)
    std::sort(row.begin(), row.end(), [](const Block& a, const Block& b) { return a.column < b.column; });
  for (const ContactVec& v : problem.v_free()) q_.insert(q_.end(), {v.n, v.t1, v.t2});
  mu_.assign(problem.sets().mu().begin(), problem.sets().mu().end());
  if (diagonal > 0) unit_ = 1.0 / diagonal;
}

FrictionContactProblem* PeerProblem::make(const Presentation& presentation) const {
  const auto [storage, units] = presentation;
  const double scale = impulse_unit(units);
  const auto contacts = rows_.size();
  const int size = static_cast<int>(3 * contacts);
  NumericsMatrix* W = nullptr;
  if (storage == Storage::kDense) {
    W = NM_create(NM_DENSE, size, size);
    std::fill(W->matrix0, W->matrix0 + static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 0.0);
    for (std::size_t row = 0; row < contacts; ++row)
      for (const Block& block : rows_[row])
        for (std::size_t c = 0; c < 3; ++c)
          for (std::size_t r = 0; r < 3; ++r)
            W->matrix0[(3 * block.column + c) * static_cast<std::size_t>(size) + 3 * row + r] =
                scale * block.entry[3 * c + r];
  } else {
    SparseBlockStructuredMatrix* blocks = SBM_new();
    std::size_t count = 0;
    for (const auto& row : rows_) count += row.size();
    blocks->nbblocks = static_cast<unsigned>(count);
    blocks->blocknumber0 = blocks->blocknumber1 = static_cast<unsigned>(contacts);
    blocks->blocksize0 = c_array<unsigned>(contacts);
    blocks->blocksize1 = c_array<unsigned>(contacts);
    blocks->filled1 = contacts + 1;
    blocks->filled2 = count;
    blocks->index1_data = c_array<std::size_t>(contacts + 1);
    blocks->index2_data = c_array<std::size_t>(count);
    blocks->block = c_array<double*>(count);
    std::size_t k = 0;
    for (std::size_t row = 0; row < contacts; ++row) {
      blocks->blocksize0[row] = blocks->blocksize1[row] = static_cast<unsigned>(3 * (row + 1));
      blocks->index1_data[row] = k;
      for (const Block& block : rows_[row]) {
        blocks->index2_data[k] = block.column;
        blocks->block[k] = c_array<double>(9);
        for (std::size_t e = 0; e < 9; ++e) blocks->block[k][e] = scale * block.entry[e];
        ++k;
      }
    }
    blocks->index1_data[contacts] = k;
    W = NM_new_SBM(size, size, blocks);
    if (storage == Storage::kSparse) {
      NumericsMatrix* sparse = NM_create(NM_SPARSE, size, size);
      NM_copy_to_sparse(W, sparse, 0.0);
      NM_clear(W);
      std::free(W);
      W = sparse;
    }
  }
  return frictionContactProblem_new_with_data(3, static_cast<int>(contacts), W, c_copy(q_), c_copy(mu_));
}

Attempt solve_with_siconos(const PeerProblem& problem, const Configuration& configuration,
                           const Presentation& presentation, double tolerance, std::span<ContactVec> lambda) {
  FrictionContactProblem* contact_problem = problem.make(presentation);
  SolverOptions* options = make_options(configuration, tolerance);
  std::vector<double> reaction(3 * lambda.size(), 0.0), velocity(3 * lambda.size(), 0.0);

  const Stopwatch watch;
  const int info = fc3d_driver(contact_problem, reaction.data(), velocity.data(), options);
  const double seconds = watch.seconds();

  const double unit = problem.impulse_unit(presentation.units);
  for (std::size_t i = 0; i < lambda.size(); ++i)
    lambda[i] = {unit * reaction[3 * i + 1], unit * reaction[3 * i + 2], unit * reaction[3 * i]};
  const Attempt attempt{.seconds = seconds, .info = info, .iterations = options->iparam[SICONOS_IPARAM_ITER_DONE]};
  solver_options_delete(options);
  std::free(options);
  frictionContactProblem_free(contact_problem);
  return attempt;
}

void initialise_siconos() {
  numerics_set_verbose(0);
  // OpenBLAS would start threads of its own, whose time the solving thread's clock does not see.
  if (void* symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads")) reinterpret_cast<void (*)(int)>(symbol)(1);
}

}  // namespace repose::bench
