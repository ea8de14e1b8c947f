// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "repose/batch/batch_model.h"
#include "repose/batch/tables_internal.h"
#include "repose/collision/shapes_internal.h"
#include "repose/world/setup_internal.h"

namespace repose {

struct BatchModel::Impl {
  WorldSetup setup;  ///< the scene as a World prepares it
  BatchOptions options;
  std::vector<int> bodies;       ///< that move
  std::vector<int> node_of;      ///< by body of the scene; below 0: does not move freely
  std::vector<std::byte> start;  ///< state of a world at t = 0
  std::vector<std::byte> host;   ///< tables() for the addresses of this vector

  batch::Tables narrow, wide;  ///< of the size class, and for steps that the host finishes; without addresses
  std::vector<batch::BodyTable> body_tables;
  std::vector<batch::ColliderTable> collider_tables;
  std::vector<batch::CandidateTable> candidate_tables;
  std::vector<batch::MotionTable> motion_tables;
  std::vector<batch::EventTable> event_tables;
  std::vector<batch::StartTable> start_tables;
  std::vector<batch::JointTable> joint_tables;
  std::vector<batch::BlockTable> block_tables;
  std::vector<batch::CoordinateTable> coordinate_tables;
  std::vector<batch::TermTable> term_tables;
  std::vector<batch::ActuatorTable> actuator_tables;
  std::vector<batch::LinkTable> link_tables;
  int joint_rows = 0, positions = 0;  ///< as in Capacity
  collision::PolyhedronStore polyhedra;

  /// All tables as one block that is going to lie at `address`: the narrow Tables first, then the wide ones.
  [[nodiscard]] std::vector<std::byte> tables(std::uintptr_t address) const;
  [[nodiscard]] const std::byte* narrow_tables() const { return host.data(); }
  [[nodiscard]] const std::byte* wide_tables() const { return host.data() + sizeof(batch::Tables); }
};

}  // namespace repose
