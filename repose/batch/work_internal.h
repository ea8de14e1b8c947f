// SPDX-License-Identifier: Apache-2.0
// The memory of a world at work: shared memory of its block on a device, a buffer on the host. Each accessor returns
// one array of WorkLayout. On a device it starts from the symbol of the shared memory, so that the compiler knows the
// address space.
#pragma once

#include <cstdint>

#include "repose/batch/tables_internal.h"
#include "repose/batch/team_internal.h"

namespace repose::batch {

#if defined(__CUDACC__)
static __constant__ Tables device_tables;
#endif

/// A contact point of a pair, with what the step needs of it.
struct FoundPoint {
  Vec3 position;
  double gap, closing;  ///< signed distance; bias that lets the filtered gap close, m/s
  std::uint32_t feature;
};

/// A body with a prescribed motion: its pose at the start of the step, and its displacement in it.
struct Drive {
  Pose start;
  Displacement move;
};

template <int W>
struct Work {
#if defined(__CUDA_ARCH__)
  REPOSE_TEAM_HD const Tables& tables() const { return device_tables; }
  template <class T>
  REPOSE_TEAM_HD T* at(int offset) const {
    const int start = W < 32 ? static_cast<int>(threadIdx.x) / W * device_tables.work.bytes : 0;
    return reinterpret_cast<T*>(shared_memory + start + offset);
  }
#else
  const Tables* shared = nullptr;
  char* memory = nullptr;
  [[nodiscard]] const Tables& tables() const { return *shared; }
  template <class T>
  [[nodiscard]] T* at(int offset) const {
    return reinterpret_cast<T*>(memory + offset);
  }
#endif

#define REPOSE_WORK_ARRAY(type, name) \
  REPOSE_TEAM_HD type* name() const { return at<type>(tables().work.name); }
  REPOSE_WORK_ARRAY(double, x)
  REPOSE_WORK_ARRAY(double, q)
  REPOSE_WORK_ARRAY(double, velocity)
  REPOSE_WORK_ARRAY(double, pending)
  REPOSE_WORK_ARRAY(double, free)
  REPOSE_WORK_ARRAY(double, inertia)
  REPOSE_WORK_ARRAY(double, inverse_inertia)
  REPOSE_WORK_ARRAY(double, y_trial)
  REPOSE_WORK_ARRAY(double, residual)
  REPOSE_WORK_ARRAY(double, step)
  REPOSE_WORK_ARRAY(double, travel)
  REPOSE_WORK_ARRAY(Drive, drive)
  REPOSE_WORK_ARRAY(unsigned, presence)
  REPOSE_WORK_ARRAY(JointRow, joint_row)
  REPOSE_WORK_ARRAY(double, coordinate)
  REPOSE_WORK_ARRAY(double, motor)
  REPOSE_WORK_ARRAY(double, end)
  REPOSE_WORK_ARRAY(double, least)
  REPOSE_WORK_ARRAY(double, scales)
  REPOSE_WORK_ARRAY(unsigned long long, adjacent)
  REPOSE_WORK_ARRAY(unsigned long long, pattern)
  REPOSE_WORK_ARRAY(unsigned long long, remaining)
  REPOSE_WORK_ARRAY(short, island)
  REPOSE_WORK_ARRAY(short, neighbours_first)
  REPOSE_WORK_ARRAY(short, neighbours)
  REPOSE_WORK_ARRAY(short, row_first)
  REPOSE_WORK_ARRAY(short, degree)
  REPOSE_WORK_ARRAY(short, pivots)
  REPOSE_WORK_ARRAY(short, level_first)
  REPOSE_WORK_ARRAY(int, lower_first)
  REPOSE_WORK_ARRAY(int, update_first)
  REPOSE_WORK_ARRAY(unsigned char, block_row)
  REPOSE_WORK_ARRAY(unsigned char, block_column)
  REPOSE_WORK_ARRAY(int, lowers)
  REPOSE_WORK_ARRAY(int, updates)
  REPOSE_WORK_ARRAY(double, place)
  REPOSE_WORK_ARRAY(unsigned, found)
  REPOSE_WORK_ARRAY(short, candidate)
  REPOSE_WORK_ARRAY(short, first)
  REPOSE_WORK_ARRAY(short, node_a)
  REPOSE_WORK_ARRAY(short, node_b)
  REPOSE_WORK_ARRAY(short, last_slot)
  REPOSE_WORK_ARRAY(short, pair_flags)
  REPOSE_WORK_ARRAY(short, last_candidate)
  REPOSE_WORK_ARRAY(short, last_first)
  REPOSE_WORK_ARRAY(double, reach)
  REPOSE_WORK_ARRAY(double, frame)
  REPOSE_WORK_ARRAY(double, last_normal)
  REPOSE_WORK_ARRAY(double, lambda)
  REPOSE_WORK_ARRAY(std::uint32_t, feature)
  REPOSE_WORK_ARRAY(short, pair_of)
  REPOSE_WORK_ARRAY(double, exchange)
  REPOSE_WORK_ARRAY(double, blocks)
#undef REPOSE_WORK_ARRAY
  /// Scaled velocity changes of the bodies: the current ones and the next.
  REPOSE_TEAM_HD double* y(int which) const { return at<double>(which ? tables().work.y1 : tables().work.y0); }
  REPOSE_TEAM_HD FoundPoint* points() const { return at<FoundPoint>(tables().work.blocks); }
};

/// The state of one world in global memory.
struct StateView {
  const StateLayout* layout;
  char* memory;
  template <class T>
  REPOSE_TEAM_HD T* at(int offset) const {
    return reinterpret_cast<T*>(memory + offset);
  }
  REPOSE_TEAM_HD WorldHeader& header() const { return *at<WorldHeader>(0); }
  REPOSE_TEAM_HD double* x() const { return at<double>(layout->x); }
  REPOSE_TEAM_HD double* q() const { return at<double>(layout->q); }
  REPOSE_TEAM_HD double* velocity() const { return at<double>(layout->velocity); }
  REPOSE_TEAM_HD double* pending() const { return at<double>(layout->pending); }
  REPOSE_TEAM_HD const double* wrench() const { return at<double>(layout->wrench); }
  REPOSE_TEAM_HD unsigned* presence() const { return at<unsigned>(layout->presence); }
  REPOSE_TEAM_HD const double* control() const { return at<double>(layout->control); }
  REPOSE_TEAM_HD double* coordinate() const { return at<double>(layout->coordinate); }
  REPOSE_TEAM_HD double* joint_lambda() const { return at<double>(layout->joint_lambda); }
  REPOSE_TEAM_HD double* joint_position() const { return at<double>(layout->joint_position); }
  REPOSE_TEAM_HD double* joint_velocity() const { return at<double>(layout->joint_velocity); }
  REPOSE_TEAM_HD PushState* pushes() const { return at<PushState>(layout->pushes); }
  REPOSE_TEAM_HD short* candidate() const { return at<short>(layout->candidate); }
  REPOSE_TEAM_HD short* first() const { return at<short>(layout->first); }
  REPOSE_TEAM_HD double* normal() const { return at<double>(layout->normal); }
  REPOSE_TEAM_HD double* lambda() const { return at<double>(layout->lambda); }
  REPOSE_TEAM_HD std::uint32_t* feature() const { return at<std::uint32_t>(layout->feature); }
  REPOSE_TEAM_HD collision::PairMemory* pair_memory(int flip) const {
    return at<collision::PairMemory>(layout->memory) + flip * layout->pairs;
  }
  REPOSE_TEAM_HD double* depth(int flip) const { return at<double>(layout->depth) + flip * layout->pairs; }
};

/// Two numbers at a multiple of 16 bytes: rows of blocks, and six numbers of a body. A device loads them at once.
struct Two {
  double x, y;
};
REPOSE_TEAM_HD Two load_two(const double* p) {
#if defined(__CUDA_ARCH__)
  const double2 v = *reinterpret_cast<const double2*>(p);
  return {v.x, v.y};
#else
  return {p[0], p[1]};
#endif
}
REPOSE_TEAM_HD void store_two(double* p, Two v) {
#if defined(__CUDA_ARCH__)
  *reinterpret_cast<double2*>(p) = make_double2(v.x, v.y);
#else
  p[0] = v.x, p[1] = v.y;
#endif
}
REPOSE_TEAM_HD Vec3 load(const double* p) { return {p[0], p[1], p[2]}; }
REPOSE_TEAM_HD void store(double* p, Vec3 v) { p[0] = v.x, p[1] = v.y, p[2] = v.z; }
/// S v with S = xx xy xz yy yz zz.
REPOSE_TEAM_HD Vec3 symmetric_times(const double* S, Vec3 v) {
  return {S[0] * v.x + S[1] * v.y + S[2] * v.z, S[1] * v.x + S[3] * v.y + S[4] * v.z,
          S[2] * v.x + S[4] * v.y + S[5] * v.z};
}
/// A velocity without its components along held axes; `first`: 0 for a motion, 3 for a rotation.
REPOSE_TEAM_HD Vec3 allowed(const BodyTable& body, int first, Vec3 v) {
  if (body.held == 0) return v;
  return {body.holds(first) ? 0.0 : v.x, body.holds(first + 1) ? 0.0 : v.y, body.holds(first + 2) ? 0.0 : v.z};
}
/// Of the bodies of a scene: whether this one is there.
REPOSE_TEAM_HD bool has_bit(const unsigned* words, int k) { return (words[k / 32] >> (k % 32) & 1u) != 0; }
REPOSE_TEAM_HD Quat load_quat(const double* p) { return {p[0], p[1], p[2], p[3]}; }
REPOSE_TEAM_HD void store_quat(double* p, Quat q) { p[0] = q.w, p[1] = q.x, p[2] = q.y, p[3] = q.z; }

}  // namespace repose::batch
