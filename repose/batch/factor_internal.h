// SPDX-License-Identifier: Apache-2.0
// LU factors of the Newton matrix of one world, K = M + Jᵀ D J: 6 × 6 blocks on the graph of its bodies.
//
// The graph changes with the contacts. Its elimination is analysed on bit masks, one per body: bodies of least degree
// that are not neighbours form a level, all of a level are eliminated at the same time, and their later neighbours
// become neighbours of each other. Row i of the factor is stored as the blocks of the bits of pattern[i], ascending.
#pragma once

#include "repose/batch/work_internal.h"

namespace repose::batch {

template <class Size>
struct Factor {
  static constexpr int W = Size::kThreads;
  static constexpr int kUnrolled = W == 128 ? 3 : 1;  ///< pairs of terms of a product of blocks at a time: measured
  Work<W> work;
  Team<W> team;
  int contacts = 0;  ///< of this step: blocks of joints follow in the exchange

  /// Contacts act on the bodies of their pair: lists the pairs of each body (2 · pair + 1 where it is the second) and
  /// the graph. Returns whether the graph is another one than that of the schedule.
  REPOSE_TEAM_HD bool take_graph(int pairs) const {
    const int n = work.tables().capacity.bodies;
    team.each(n, [&](int b) {
      int count = 0;
      for_pairs(b, pairs, [&](int, int, int) { ++count; });
      work.degree()[b] = static_cast<short>(count);
    });
    return team.any(n, [&](int b) {
      int at = 0;
      for (int a = 0; a < b; ++a) at += work.degree()[a];
      work.neighbours_first()[b] = static_cast<short>(at);
      unsigned long long row = Size::kHasJoints ? work.tables().bodies[b].linked : 0;
      for_pairs(b, pairs, [&](int k, int side, int other) {
        work.neighbours()[at++] = static_cast<short>(2 * k + side);
        if (other >= 0) row |= bit(other);
      });
      if (b + 1 == n) work.neighbours_first()[n] = static_cast<short>(at);
      const bool changed = row != work.adjacent()[b];
      work.adjacent()[b] = row;
      return changed;
    });
  }

  /// Labels the islands: bodies that contacts connect have the lowest number of a body among them. Returns how many
  /// islands have contacts.
  REPOSE_TEAM_HD int find_islands() const {
    const int n = work.tables().capacity.bodies;
    team.each(n, [&](int b) {
      unsigned long long reached = bit(b), seen = 0;
      while (reached != seen) {
        const unsigned long long fresh = reached & ~seen;
        seen = reached;
        for (unsigned long long rest = fresh; rest; rest &= rest - 1) reached |= work.adjacent()[lowest_bit(rest)];
      }
      work.island()[b] = static_cast<short>(lowest_bit(reached));
    });
    int count = 0;
    for (int b = 0; b < n; ++b) count += work.island()[b] == b && is_touched(b);
    return count;
  }
  /// Whether a body has contacts or joints.
  REPOSE_TEAM_HD bool is_touched(int b) const {
    return work.neighbours_first()[b + 1] > work.neighbours_first()[b] ||
           (Size::kHasJoints && work.tables().bodies[b].links > 0);
  }

  /// Returns the number of levels, −1 when the schedule does not fit.
  REPOSE_TEAM_HD int analyse() const { return call_analyse(*this); }
  REPOSE_TEAM_HD int do_analyse() const {
    const int n = work.tables().capacity.bodies;
    team.each(n, [&](int b) { work.pattern()[b] = work.adjacent()[b]; });
    int levels = 0;
    unsigned long long remaining = n == 64 ? ~0ull : below(n);
    for (; remaining; ++levels) {
      team.each(n, [&](int b) {
        work.degree()[b] = static_cast<short>(count_bits(work.pattern()[b] & remaining & ~bit(b)));
      });
      team.each(1, [&](int) { choose_level(levels, remaining); });
      const unsigned long long chosen = work.remaining()[levels], rest = remaining & ~chosen;
      team.each(n, [&](int b) {
        if (!(rest & bit(b))) return;
        unsigned long long row = work.pattern()[b];
        for (unsigned long long p = row & chosen; p; p &= p - 1) row |= work.pattern()[lowest_bit(p)] & remaining;
        work.pattern()[b] = row;
      });
      remaining = rest;
    }
    team.each(n, [&](int b) { work.pattern()[b] |= bit(b); });
    return list_work(levels) ? levels : -1;
  }

  /// K from exchange = (3 × 3 slope in space, arms at both bodies) of every contact.
  REPOSE_TEAM_HD void assemble() const { call_assemble(*this); }
  REPOSE_TEAM_HD void do_assemble() const {
    const int n = work.tables().capacity.bodies;
    team.each(6 * work.row_first()[n], [&](int item) { assemble_column(item / 6, item % 6); });
  }

  REPOSE_TEAM_HD void factorise(int levels) const { call_factorise(*this, levels); }
  REPOSE_TEAM_HD void do_factorise(int levels) const {
    for (int l = 0; l < levels; ++l) {
      invert_pivots(work.level_first()[l], work.level_first()[l + 1]);
      const int lower = work.lower_first()[l], update = work.update_first()[l];
      team.each(6 * (work.lower_first()[l + 1] - lower), [&](int item) {
        const int entry = work.lowers()[lower + item / 6];
        scale_row(entry & 0xffff, entry >> 16, item % 6);
      });
      const unsigned long long pivots = level_mask(l);
      team.each(6 * (work.update_first()[l + 1] - update), [&](int item) {
        const int entry = work.updates()[update + item / 6];
        update_row(entry & 0xff, entry >> 8, pivots, item % 6);
      });
    }
  }

  /// step ← K⁻¹ step; uses y(spare).
  REPOSE_TEAM_HD void solve(int levels, int spare) const { call_solve(*this, levels, spare); }
  REPOSE_TEAM_HD void do_solve(int levels, int spare) const {
    team.in_one_warp([&] { substitute(levels, work.step(), work.y(spare)); });
  }

 private:
  // One copy of each of the large functions in device code.
  REPOSE_TEAM_CALL static int call_analyse(Factor f) { return f.do_analyse(); }
  REPOSE_TEAM_CALL static void call_assemble(Factor f) { f.do_assemble(); }
  REPOSE_TEAM_CALL static void call_factorise(Factor f, int levels) { f.do_factorise(levels); }
  REPOSE_TEAM_CALL static void call_solve(Factor f, int levels, int spare) { f.do_solve(levels, spare); }

  /// x ← K⁻¹ x, forwards and backwards by levels.
  REPOSE_TEAM_HD void substitute(int levels, double* x, double* sums) const {
    unsigned long long earlier = 0, later = 0;
    for (int l = 0; l < levels; ++l) {
      const int first = work.level_first()[l];
      team.each_in_warp(6 * (work.level_first()[l + 1] - first), [&](int item) {
        const int p = work.pivots()[first + item / 6], r = item % 6;
        x[6 * p + r] = minus_row(p, r, work.pattern()[p] & earlier, x, x[6 * p + r]);
      });
      earlier |= level_mask(l);
    }
    for (int l = levels - 1; l >= 0; --l) {
      const int first = work.level_first()[l], items = 6 * (work.level_first()[l + 1] - first);
      team.each_in_warp(items, [&](int item) {
        const int p = work.pivots()[first + item / 6], r = item % 6;
        sums[6 * p + r] = minus_row(p, r, work.pattern()[p] & later, x, x[6 * p + r]);
      });
      team.each_in_warp(items, [&](int item) {
        const int p = work.pivots()[first + item / 6], r = item % 6;
        const double *inverse = block(p, p) + 6 * r, *from = sums + 6 * p;
        double sum = 0;
        REPOSE_UNROLL
        for (int c = 0; c < 6; c += 2) {
          const Two at = load_two(inverse + c), by = load_two(from + c);
          sum += at.x * by.x;
          sum += at.y * by.y;
        }
        x[6 * p + r] = sum;
      });
      later |= level_mask(l);
    }
  }

  /// Calls f(pair, side, other body) for the pairs with contacts of body b.
  template <class F>
  REPOSE_TEAM_HD void for_pairs(int b, int pairs, F f) const {
    for (int k = 0; k < pairs; ++k) {
      if (work.first()[k] == work.first()[k + 1]) continue;
      if (work.node_a()[k] == b) f(k, 0, work.node_b()[k]);
      if (work.node_b()[k] == b) f(k, 1, work.node_a()[k]);
    }
  }

  /// Bodies of least degree (and of up to two) no two of which are neighbours. One thread.
  REPOSE_TEAM_HD void choose_level(int level, unsigned long long remaining) const {
    int least = 64;
    for (unsigned long long b = remaining; b; b &= b - 1) {
      const int degree = work.degree()[lowest_bit(b)];
      if (degree < least) least = degree;
    }
    unsigned long long chosen = 0, blocked = 0;
    for (int wanted = least; wanted <= (least > 2 ? least : 2); ++wanted)
      for (unsigned long long b = remaining & ~blocked; b; b &= b - 1) {
        const int k = lowest_bit(b);
        if (work.degree()[k] != wanted || (blocked & bit(k))) continue;
        chosen |= bit(k);
        blocked |= bit(k) | work.pattern()[k];
      }
    int place = level == 0 ? 0 : work.level_first()[level];
    work.level_first()[level] = static_cast<short>(place);
    for (unsigned long long b = chosen; b; b &= b - 1) work.pivots()[place++] = static_cast<short>(lowest_bit(b));
    work.level_first()[level + 1] = static_cast<short>(place);
    work.remaining()[level] = chosen;
  }

  REPOSE_TEAM_HD unsigned long long level_mask(int level) const { return work.remaining()[level]; }
  REPOSE_TEAM_HD unsigned long long earlier_mask(int level) const {
    unsigned long long mask = 0;
    for (int l = 0; l < level; ++l) mask |= work.remaining()[l];
    return mask;
  }

  /// Numbers the blocks and lists, level by level, the blocks L = A_jp A_pp⁻¹ and the targets A_jk −= L_jp A_pk.
  REPOSE_TEAM_HD bool list_work(int levels) const {
    const Tables& t = work.tables();
    const int n = t.capacity.bodies;
    team.each(n + 1, [&](int b) {
      int at = 0;
      for (int a = 0; a < b; ++a) at += count_bits(work.pattern()[a]);
      work.row_first()[b] = static_cast<short>(at);
    });
    if (work.row_first()[n] > t.capacity.blocks) return false;
    team.each(n, [&](int b) { list_blocks(b); });
    int lowers = 0, updates = 0;
    for (int l = 0; l < levels; ++l) {
      const unsigned long long pivots = level_mask(l), later = ~(earlier_mask(l) | pivots);
      const auto targets = [&](int j) {
        unsigned long long row = 0;
        if (later & bit(j))
          for (unsigned long long p = work.pattern()[j] & pivots; p; p &= p - 1)
            row |= work.pattern()[lowest_bit(p)] & later;
        return row;
      };
      // Up to this row: all rows below it are counted again by every thread, which needs no further memory.
      team.each(n, [&](int j) { work.degree()[j] = static_cast<short>(count_bits(targets(j))); });
      int level_lowers = 0, level_updates = 0;
      for (int j = 0; j < n; ++j) {
        level_updates += work.degree()[j];
        if (later & bit(j)) level_lowers += count_bits(work.pattern()[j] & pivots);
      }
      if (updates + level_updates > t.capacity.updates || lowers + level_lowers > t.capacity.updates) return false;
      team.each(n, [&](int j) {
        if (!(later & bit(j))) return;
        int update = updates, lower = lowers;
        for (int i = 0; i < j; ++i) {
          update += work.degree()[i];
          if (later & bit(i)) lower += count_bits(work.pattern()[i] & pivots);
        }
        for (unsigned long long p = work.pattern()[j] & pivots; p; p &= p - 1)
          work.lowers()[lower++] = block_index(j, lowest_bit(p)) | lowest_bit(p) << 16;
        for (unsigned long long k = targets(j); k; k &= k - 1) work.updates()[update++] = j | lowest_bit(k) << 8;
      });
      team.each(1, [&](int) {
        work.lower_first()[l] = lowers;
        work.update_first()[l] = updates;
        work.lower_first()[l + 1] = lowers + level_lowers;
        work.update_first()[l + 1] = updates + level_updates;
      });
      lowers += level_lowers;
      updates += level_updates;
    }
    return true;
  }

  /// Lists the blocks of a row for the assembly, the longest ones first, because threads of a warp take as long as the
  /// slowest of them: the diagonal, blocks with contacts or joints, and fill-in.
  REPOSE_TEAM_HD void list_blocks(int b) const {
    const auto coupled = [&](int a) { return work.adjacent()[a] & ~bit(a); };
    const auto filled = [&](int a) { return work.pattern()[a] & ~work.adjacent()[a] & ~bit(a); };
    const int n = work.tables().capacity.bodies;
    int couplings = n, fill = n;
    for (int a = 0; a < n; ++a) {
      fill += count_bits(coupled(a)) + (a < b ? count_bits(filled(a)) : 0);
      couplings += a < b ? count_bits(coupled(a)) : 0;
    }
    const auto put = [&](int place, int column) {
      work.block_row()[place] = static_cast<unsigned char>(b);
      work.block_column()[place] = static_cast<unsigned char>(column);
    };
    put(b, b);
    for (unsigned long long c = coupled(b); c; c &= c - 1) put(couplings++, lowest_bit(c));
    for (unsigned long long c = filled(b); c; c &= c - 1) put(fill++, lowest_bit(c));
  }

  REPOSE_TEAM_HD int block_index(int row, int column) const {
    return work.row_first()[row] + count_bits(work.pattern()[row] & below(column));
  }
  REPOSE_TEAM_HD double* block(int row, int column) const { return work.blocks() + 36 * block_index(row, column); }

  /// Column c of an entry of the list of blocks.
  REPOSE_TEAM_HD void assemble_column(int entry, int c) const {
    const Tables& t = work.tables();
    const int i = work.block_row()[entry], j = work.block_column()[entry];
    Vec3 top, low;
    if (i == j) {
      if (c < 3) {
        const double mass = t.bodies[i].mass;
        top = {c == 0 ? mass : 0.0, c == 1 ? mass : 0.0, c == 2 ? mass : 0.0};
      } else {
        const double* I = work.inertia() + 6 * i;
        low = c == 3 ? Vec3{I[0], I[1], I[2]} : c == 4 ? Vec3{I[1], I[3], I[4]} : Vec3{I[2], I[4], I[5]};
      }
    }
    if (!t.bodies[j].holds(c) && (i == j || (work.adjacent()[i] & bit(j)))) {
      const ArmColumn column = arm_column(c);
      const int last = work.neighbours_first()[i + 1];
      REPOSE_KEEP_LOOP
      for (int k = work.neighbours_first()[i]; k < last; ++k) {
        const int pair = work.neighbours()[k] >> 1, rows = work.neighbours()[k] & 1;
        if (i != j && (rows ? work.node_a()[pair] : work.node_b()[pair]) != j) continue;
        add_contacts(pair, rows, i == j ? rows : 1 - rows, i == j, column, top, low);
      }
    }
    if constexpr (Size::kHasJoints) {
      if (!t.bodies[j].holds(c)) add_joints(i, j, c, top, low);
    }
    if (t.bodies[i].held != 0) {
      const Vec3 diagonal{c == 0 ? t.bodies[i].mass : 0.0, c == 1 ? t.bodies[i].mass : 0.0,
                          c == 2 ? t.bodies[i].mass : 0.0};
      const double* I = work.inertia() + 6 * i;
      const Vec3 inertia{c == 3 ? I[0] : 0.0, c == 4 ? I[3] : 0.0, c == 5 ? I[5] : 0.0};
      hold_rows(t.bodies[i], 0, i == j ? diagonal : Vec3{}, top);
      hold_rows(t.bodies[i], 3, i == j ? inertia : Vec3{}, low);
    }
    double* B = block(i, j);
    B[c] = top.x, B[6 + c] = top.y, B[12 + c] = top.z, B[18 + c] = low.x, B[24 + c] = low.y, B[30 + c] = low.z;
  }

  /// Adds column c of Σ J_iᵀ D J_j for the blocks of the joints of body i.
  REPOSE_TEAM_HD void add_joints(int i, int j, int c, Vec3& top, Vec3& low) const {
    const Tables& t = work.tables();
    REPOSE_KEEP_LOOP
    for (int k = t.bodies[i].first_link; k < t.bodies[i].first_link + t.bodies[i].links; ++k) {
      const LinkTable& link = t.links[k];
      const JointTable& joint = t.joints[link.joint];
      if (i != j && (link.side ? joint.node_a : joint.node_b) != j) continue;
      const int side = i == j ? link.side : 1 - link.side;
      for (int n = joint.first_block; n < joint.first_block + joint.blocks; ++n)
        for (int r = 0; r < 3; ++r) {
          const double d = work.exchange()[15 * (contacts + n) + r];
          if (t.blocks[n].row[r] < 0 || d == 0) continue;
          const auto* row = reinterpret_cast<const double*>(work.joint_row() + t.blocks[n].row[r]);
          const double scaled = d * row[6 * side + c];
          top = top + scaled * load(row + 6 * link.side);
          low = low + scaled * load(row + 6 * link.side + 3);
        }
    }
  }

  /// Rows of held axes keep their diagonal only.
  REPOSE_TEAM_HD static void hold_rows(const BodyTable& body, int first, Vec3 diagonal, Vec3& rows) {
    if (body.holds(first)) rows.x = diagonal.x;
    if (body.holds(first + 1)) rows.y = diagonal.y;
    if (body.holds(first + 2)) rows.z = diagonal.z;
  }

  /// Where column c of [1, −r×] has numbers other than zero: rows p and q; for a rotation sign · r[from] in each.
  struct ArmColumn {
    int p, q, from_p, from_q;
    double sign;  ///< of the first, 0 for a motion, whose column has a one in row p
  };
  REPOSE_TEAM_HD static ArmColumn arm_column(int c) {
    if (c < 3) return {c, c, 0, 0, 0.0};
    return {c == 3 ? 1 : 0, c == 5 ? 1 : 2, c == 5 ? 1 : 2, c == 3 ? 1 : 0, c == 4 ? 1.0 : -1.0};
  }
  /// Adds column c of [1, r_rows×]ᵀ K [1, −r_columns×] for the contacts of a pair, or subtracts it.
  REPOSE_TEAM_HD void add_contacts(int pair, int rows, int columns, bool adds, const ArmColumn& at, Vec3& top,
                                   Vec3& low) const {
    const int last = work.first()[pair + 1];
    REPOSE_KEEP_LOOP
    for (int i = work.first()[pair]; i < last; ++i) {
      const double *e = work.exchange() + 15 * i, *arm = e + 9 + 3 * columns;
      const bool turns = at.sign != 0;
      const double u = turns ? at.sign * arm[at.from_p] : 1.0, w = turns ? -at.sign * arm[at.from_q] : 0.0;
      const double *p = e + at.p, *q = e + at.q;
      const Vec3 k{p[0] * u + q[0] * w, p[3] * u + q[3] * w, p[6] * u + q[6] * w};
      const Vec3 turned = cross(load(e + 9 + 3 * rows), k);
      top = adds ? top + k : top - k;
      low = adds ? low + turned : low - turned;
    }
  }

  /// One row of a step of Gauss–Jordan's method for the first column, which becomes the last one: after six steps all
  /// are in their places again, and one piece of code does for every step. `pivot`: the step's own row before it,
  /// `inverse` that of its first number.
  REPOSE_TEAM_HD static void eliminate(double (&a)[6], const double (&pivot)[6], double inverse, bool own) {
    const double factor = a[0] * inverse;
    REPOSE_UNROLL
    for (int c = 1; c < 6; ++c) {
      const double scaled = a[c] * inverse, reduced = a[c] - factor * pivot[c];
      a[c - 1] = own ? scaled : reduced;
    }
    a[5] = own ? inverse : -factor;
  }

  /// Inverts the diagonal blocks of the pivots [first, last).
  REPOSE_TEAM_HD void invert_pivots(int first, int last) const {
#if defined(__CUDA_ARCH__)
    // Six threads an inverse, one row each, in registers.
    constexpr int kWide = Team<W>::kWarp, kGroups = kWide / 6, kStride = W / kWide * kGroups;
    const int in = team.lane() % kWide, r = in % 6;
    REPOSE_KEEP_LOOP
    for (int at = first + team.lane() / kWide * kGroups; at < last; at += kStride) {  // warps without a pivot wait
      const bool mine = in / 6 < kGroups && at + in / 6 < last;
      const int p = work.pivots()[mine ? at + in / 6 : first];
      double* B = block(p, p) + 6 * r;
      double a[6], pivot[6] = {};
      REPOSE_UNROLL
      for (int c = 0; c < 6; ++c) a[c] = mine ? B[c] : (c == r ? 1.0 : 0.0);
      REPOSE_KEEP_LOOP
      for (int k = 0; k < 6; ++k) {
        const int from = min_of(in / 6 * 6 + k, kWide - 1);
        // Only its own thread divides: a division by zero takes the whole warp through its slow path.
        const double inverse = 1.0 / (mine && r == k ? a[0] : 1.0);
        REPOSE_UNROLL
        for (int c = 1; c < 6; ++c) pivot[c] = __shfl_sync(team.mask(), a[c], from, kWide);
        eliminate(a, pivot, __shfl_sync(team.mask(), inverse, from, kWide), r == k);
      }
      if (mine) REPOSE_UNROLL
      for (int c = 0; c < 6; ++c) B[c] = a[c];
    }
    team.sync();
#else
    for (int at = first; at < last; ++at) {
      const int p = work.pivots()[at];
      auto* rows = reinterpret_cast<double(*)[6]>(block(p, p));
      for (int k = 0; k < 6; ++k) {
        double pivot[6];
        for (int c = 0; c < 6; ++c) pivot[c] = rows[k][c];
        for (int r = 0; r < 6; ++r) eliminate(rows[r], pivot, 1.0 / pivot[0], r == k);
      }
    }
#endif
  }

  REPOSE_TEAM_HD void scale_row(int index, int pivot, int r) const {
    double* B = work.blocks() + 36 * index + 6 * r;
    const double* inverse = block(pivot, pivot);
    double out[6] = {};
    REPOSE_UNROLL_BY(kUnrolled)
    for (int k = 0; k < 6; k += 2) {
      const Two at = load_two(B + k);
      add_row(at.x, inverse + 6 * k, out);
      add_row(at.y, inverse + 6 * k + 6, out);
    }
    REPOSE_UNROLL
    for (int k = 0; k < 6; k += 2) store_two(B + k, {out[k], out[k + 1]});
  }
  /// out += factor · row, and out −= factor · row.
  REPOSE_TEAM_HD static void add_row(double factor, const double* row, double (&out)[6]) {
    REPOSE_UNROLL
    for (int c = 0; c < 6; c += 2) {
      const Two from = load_two(row + c);
      out[c] += factor * from.x, out[c + 1] += factor * from.y;
    }
  }
  REPOSE_TEAM_HD static void subtract_row(double factor, const double* row, double (&out)[6]) {
    REPOSE_UNROLL
    for (int c = 0; c < 6; c += 2) {
      const Two from = load_two(row + c);
      out[c] -= factor * from.x, out[c + 1] -= factor * from.y;
    }
  }

  REPOSE_TEAM_HD void update_row(int j, int k, unsigned long long pivots, int r) const {
    double* target = block(j, k) + 6 * r;
    double out[6];
    REPOSE_UNROLL
    for (int c = 0; c < 6; c += 2) {
      const Two at = load_two(target + c);
      out[c] = at.x, out[c + 1] = at.y;
    }
    REPOSE_KEEP_LOOP
    for (unsigned long long p = work.pattern()[j] & work.pattern()[k] & pivots; p; p &= p - 1) {
      const int pivot = lowest_bit(p);
      const double *L = block(j, pivot) + 6 * r, *U = block(pivot, k);
      REPOSE_UNROLL_BY(kUnrolled)
      for (int m = 0; m < 6; m += 2) {
        const Two at = load_two(L + m);
        subtract_row(at.x, U + 6 * m, out);
        subtract_row(at.y, U + 6 * m + 6, out);
      }
    }
    REPOSE_UNROLL
    for (int c = 0; c < 6; c += 2) store_two(target + c, {out[c], out[c + 1]});
  }

  /// sum − Σ over the columns of `mask` of row r of the blocks times x.
  REPOSE_TEAM_HD double minus_row(int p, int r, unsigned long long mask, const double* x, double sum) const {
    const unsigned long long pattern = work.pattern()[p];
    const double* row = work.blocks() + 36 * work.row_first()[p] + 6 * r;
    REPOSE_KEEP_LOOP
    for (; mask; mask &= mask - 1) {
      const double *B = row + 36 * count_bits(pattern & (~mask & (mask - 1))), *from = x + 6 * lowest_bit(mask);
      REPOSE_UNROLL
      for (int c = 0; c < 6; c += 2) {
        const Two at = load_two(B + c), by = load_two(from + c);
        sum -= at.x * by.x;
        sum -= at.y * by.y;
      }
    }
    return sum;
  }
};

}  // namespace repose::batch
