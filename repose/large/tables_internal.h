// SPDX-License-Identifier: Apache-2.0
// One large problem as arrays that a processor or a device sweeps over (sweeps_internal.h).
//
// Up to four contacts of a pair of bodies are a *patch*, which one thread solves. Thirty-two patches are a *tile*: the
// k-th contacts of its patches lie side by side, as the threads of a warp read them. The place of a contact is its
// *slot*; slots of patches with fewer contacts than their tile are empty.
#pragma once

#include <cstddef>
#include <type_traits>

namespace repose::large {

inline constexpr int kTile = 32;      ///< patches of a tile, threads of a warp
inline constexpr int kRows = 36;      ///< scaled Jacobian rows of a contact: two bodies, three rows, six numbers
inline constexpr int kBodyPlace = 8;  ///< doubles from one body or entry to the next, six of them used
inline constexpr int kSums = 6;       ///< of the judge

/// How far the sweeps are: what a further call continues with.
struct Progress {
  long long sweeps = 0;
  double best_change = 0;  ///< least f since the last restart
  double worst = 0;        ///< max(r_c, nat) when last judged
  double best = 0;         ///< least of these
  double level = 0;        ///< the residual that counts as the last progress
  long long level_at = 0;  ///< and its sweep
  double start_speed = 0;  ///< ‖ṽ‖ at the start
  int slow = 0;            ///< momentum restarts early from here on
  int ended = 0;           ///< solved, given up or broken down
};

/// When sweeping ends.
struct Goal {
  double tolerance = 0;
  double free_speed = 0;      ///< ‖v_f‖
  long long most_sweeps = 0;  ///< in all
  int judged_every = 0;       ///< sweeps
  long long patience = 0;     ///< sweeps without halving the residual, at least
  double restart = 0;         ///< R of the momentum (repose/stage/gauss_seidel.h)
  double slow_restart = 0;    ///< R from when on the residual has not halved within
  long long slow_after = 0;   ///< so many sweeps
};

/// Sizes and places of the arrays, in bytes from the beginning of one block of memory.
struct Layout {
  int contacts = 0, bodies = 0, tiles = 0, slots = 0;
  // Constant during a solve.
  std::size_t tile_first = 0, patch_a = 0, patch_b = 0, patch_contacts = 0, light_a = 0, light_b = 0, body_first = 0,
              body_entry = 0, rows = 0, W = 0, mu = 0, inverse_rho = 0, v_free = 0;
  std::size_t constant_bytes = 0;
  // Changing: from here on.
  std::size_t progress = 0, x = 0, y = 0, best = 0, rate = 0, momentum = 0, push = 0, response = 0, change = 0,
              groups = 0, totals = 0;
  std::size_t bytes = 0;
};

/// The same as pointers. Numbers of several components are stored component by component: x[c · slots + slot].
struct Arrays {
  int bodies, tiles, slots;
  const int* tile_first;  ///< by tile: its first slot; one more at the end
  const int* patch_a;     ///< by patch: a body, or `bodies` for what is static
  const int* patch_b;
  const int* patch_contacts;  ///< by patch; 0: none
  const double* light_a;      ///< by patch: how much lighter than the body its share of it is, ≥ 1
  const double* light_b;
  const int* body_first;  ///< by body: its first entry; one more at the end
  const int* body_entry;  ///< 2 · patch for a patch's first body, 2 · patch + 1 for its second one
  const double* rows;     ///< J L: [18 · side + 6 · row + axis]
  const double* W;        ///< W_ii on these shares: t1t1, t1t2, t1n, t2t2, t2n, nn, 1/kg
  const double* mu;
  const double* inverse_rho;  ///< of W_ii itself, kg
  const double* v_free;       ///< m/s
  Progress* progress;
  double *x, *y;     ///< impulses of the last sweep, and extrapolated, N·s
  double* best;      ///< of the least residual so far
  double* rate;      ///< k of the local law
  int* momentum;     ///< sweeps since a contact turned
  double* push;      ///< by entry: (J L)ᵀ λ of a patch on one of its bodies
  double* response;  ///< (J L)ᵀ λ by body
  double* change;    ///< Σ ρ ‖z − y‖² by patch
  double* groups;    ///< partial sums
  double* totals;    ///< sums: of the judge, then of the changes of even and of odd sweeps

  Arrays(const Layout& l, std::byte* memory) : bodies(l.bodies), tiles(l.tiles), slots(l.slots) {
    const auto at = [memory](auto& pointer, std::size_t place) {
      pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(memory + place);
    };
    at(tile_first, l.tile_first), at(patch_a, l.patch_a), at(patch_b, l.patch_b);
    at(patch_contacts, l.patch_contacts), at(light_a, l.light_a), at(light_b, l.light_b);
    at(body_first, l.body_first), at(body_entry, l.body_entry);
    at(rows, l.rows), at(W, l.W), at(mu, l.mu), at(inverse_rho, l.inverse_rho), at(v_free, l.v_free);
    at(progress, l.progress), at(x, l.x), at(y, l.y), at(best, l.best), at(rate, l.rate), at(momentum, l.momentum);
    at(push, l.push), at(response, l.response), at(change, l.change), at(groups, l.groups), at(totals, l.totals);
  }
};

}  // namespace repose::large
