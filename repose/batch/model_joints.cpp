// SPDX-License-Identifier: Apache-2.0
#include "repose/batch/model_joints_internal.h"

#include <algorithm>

#include "repose/world/joint_step_internal.h"

namespace repose::batch {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }
template <class T>
int count_of(const std::vector<T>& list) {
  return static_cast<int>(list.size());
}

JointPart part_of(PositionPart part) {
  switch (part) {
    case PositionPart::kPoint: return JointPart::kPoint;
    case PositionPart::kOrientation: return JointPart::kOrientation;
    case PositionPart::kAlignment: return JointPart::kAlignment;
    case PositionPart::kLine: return JointPart::kLine;
    case PositionPart::kPlane: return JointPart::kPlane;
    case PositionPart::kPerpendicular: return JointPart::kPerpendicular;
    case PositionPart::kLength: return JointPart::kLength;
    case PositionPart::kThread: return JointPart::kThread;
    case PositionPart::kSum: return JointPart::kSum;
    default: return JointPart::kPoint;  // of compounds, which are refused
  }
}

/// Makes the tables of all joints.
class Maker {
 public:
  explicit Maker(BatchModel::Impl& m) : m_(m), setup_(m.setup) {}

  void make() {
    place_coordinates();
    for (int j = 0; j < count_of(setup_.joints); ++j) add_joint(j);
    for (const SceneActuator& a : setup_.scene.actuators) add_actuator(a);
    spread_sizes();
    add_links();
  }

 private:
  /// Coordinates of balls, which callers do not see, come last.
  void place_coordinates() {
    first_coordinate_.resize(setup_.joints.size());
    int next = 0;
    for (const bool balls : {false, true}) {
      for (int j = 0; j < count_of(setup_.joints); ++j) {
        if ((setup_.joints[at(j)].kind == JointKind::kBall) != balls) continue;
        first_coordinate_[at(j)] = next;
        next += coordinate_count(setup_.joints[at(j)]);
      }
      if (!balls) m_.positions = next;
    }
    m_.coordinate_tables.resize(at(next));
  }

  void add_joint(int j) {
    const JointModel& model = setup_.joints[at(j)];
    JointTable table;
    table.kind = model.kind;
    table.node_a = node(model.body_a), table.node_b = node(model.body_b);
    table.still_a = pose(model.body_a), table.still_b = pose(model.body_b);
    table.local_a = model.local_a, table.local_b = model.local_b;
    table.length = model.length, table.rest = model.rest, table.pitch = model.pitch, table.coupling = model.coupling;
    table.hold = model.hold.value_or(0), table.size = model.size;
    table.coordinates = coordinate_count(model), table.first_coordinate = first_coordinate_[at(j)];
    table.first_term = count_of(m_.term_tables), table.terms = count_of(model.terms);
    for (const CouplingTerm& term : model.terms) {
      TermTable& t = m_.term_tables.emplace_back();
      t.joint = term.joint, t.coordinate = term.coordinate;
      std::copy(term.factors.begin(), term.factors.end(), t.factors);
    }
    table.first_row = rows_, table.first_block = count_of(m_.block_tables);
    const bool acts = table.node_a >= 0 || table.node_b >= 0;
    add_coordinates(model, table);
    if (acts) add_blocks(j, model, table);
    table.rows = rows_ - table.first_row, table.blocks = count_of(m_.block_tables) - table.first_block;
    m_.joint_tables.push_back(table);
  }

  /// All coordinates have a row: a motor may act along any.
  void add_coordinates(const JointModel& model, const JointTable& table) {
    for (int k = 0; k < table.coordinates; ++k) {
      const JointCoordinate& from = model.coordinates[at(k)];
      CoordinateTable& to = m_.coordinate_tables[at(table.first_coordinate + k)];
      to = {from.lower, from.upper, from.friction, from.damping, from.stiffness, from.reference, from.armature};
      to.unit = model.kind == JointKind::kBall ? model.length : model.unit(k);
      to.is_angle = is_angle(model, k);
      to.row = rows_;
      rows_ += model.kind == JointKind::kBall ? 3 : 1;
    }
  }

  BlockTable& add_block(int j, BlockRole role, int coordinate) {
    BlockTable& block = m_.block_tables.emplace_back();
    block.joint = j, block.role = role, block.coordinate = coordinate;
    return block;
  }

  /// In the order of JointCollector (repose/world/joint_step.cpp).
  void add_blocks(int j, const JointModel& model, const JointTable& table) {
    int place = 0;
    for (const PositionPart part : position_parts(model)) {
      BlockTable& block = add_block(j, BlockRole::kPosition, 0);
      block.place = place++;
      block.part = part_of(part);
      if (part == PositionPart::kSum) {
        block.row[2] = row_of(table, 0);
        continue;
      }
      const int rows = row_count(part);
      for (int r = 0; r < 3; ++r)
        if (rows == 3 || (rows == 2 ? r < 2 : r == 2)) block.row[r] = rows_++;
    }
    const bool ball = model.kind == JointKind::kBall;
    const auto along = [&](int k, BlockRole role) {
      BlockTable& block = add_block(j, role, k);
      for (int r = 0; r < 3; ++r)
        if (ball || r == 2 || (role == BlockRole::kLimit && r == 0)) block.row[r] = row_of(table, k) + (ball ? r : 0);
    };
    for (int k = 0; k < table.coordinates; ++k)
      if (!ball && model.coordinates[at(k)].is_limited()) along(k, BlockRole::kLimit);
    for (int k = 0; k < table.coordinates; ++k)
      if (model.coordinates[at(k)].friction > 0) along(k, BlockRole::kFriction);
    for (int k = 0; k < table.coordinates; ++k) {
      const JointCoordinate& c = model.coordinates[at(k)];
      if (c.armature > 0 || c.damping > 0 || (c.stiffness > 0 && !ball)) along(k, BlockRole::kCompliance);
    }
    for (const int actuator : setup_.joint_actuators[at(j)]) {
      const SceneActuator& a = setup_.scene.actuators[at(actuator)];
      if (!may_be_servo(a)) continue;
      along(a.coordinate, BlockRole::kServo);
      m_.block_tables.back().actuator = actuator;
    }
  }
  [[nodiscard]] int row_of(const JointTable& table, int k) const {
    return m_.coordinate_tables[at(table.first_coordinate + k)].row;
  }
  /// Whether some control makes its terms with p and ṗ hold or brake.
  [[nodiscard]] static bool may_be_servo(const SceneActuator& a) {
    return a.bias[1] != 0 || a.bias[2] != 0 || a.gain[1] != 0 || a.gain[2] != 0;
  }

  void add_actuator(const SceneActuator& a) {
    ActuatorTable& to = m_.actuator_tables.emplace_back();
    to.joint = a.joint, to.coordinate = a.coordinate, to.gear = a.gear;
    std::copy(a.gain.begin(), a.gain.end(), to.gain);
    std::copy(a.bias.begin(), a.bias.end(), to.bias);
    to.force_lower = a.force_lower, to.force_upper = a.force_upper;
    to.control_lower = a.control_lower, to.control_upper = a.control_upper;
  }

  /// Joints that bodies connect have the size of the largest of them.
  void spread_sizes() {
    for (bool changed = true; changed;) {
      changed = false;
      for (JointTable& a : m_.joint_tables)
        for (const JointTable& b : m_.joint_tables) {
          const auto meets = [&](int node) { return node >= 0 && (node == b.node_a || node == b.node_b); };
          if (!(meets(a.node_a) || meets(a.node_b)) || b.size <= a.size) continue;
          a.size = b.size;
          changed = true;
        }
    }
  }

  void add_links() {
    for (int node = 0; node < count_of(m_.body_tables); ++node) {
      BodyTable& body = m_.body_tables[at(node)];
      body.first_link = count_of(m_.link_tables);
      for (int j = 0; j < count_of(m_.joint_tables); ++j) {
        const JointTable& joint = m_.joint_tables[at(j)];
        if (joint.blocks == 0) continue;
        const auto add = [&](int own, int other, int side) {
          if (own != node) return;
          m_.link_tables.push_back({j, side});
          if (other >= 0) body.linked |= 1ull << other;
        };
        add(joint.node_a, joint.node_b, 0);
        add(joint.node_b, joint.node_a, 1);
      }
      body.links = count_of(m_.link_tables) - body.first_link;
    }
    m_.joint_rows = rows_;
  }

  [[nodiscard]] int node(int body) const { return body == kWorldBody ? kNoNode : m_.node_of[at(body)]; }
  /// Of the mass centre.
  [[nodiscard]] Pose pose(int body) const {
    if (body == kWorldBody) return {};
    const BodyState s = repose::start_state(setup_.scene.bodies[at(body)], setup_.models[at(body)]);
    return {s.centre, s.rotation};
  }

  BatchModel::Impl& m_;
  const WorldSetup& setup_;
  std::vector<int> first_coordinate_;
  int rows_ = 0;
};

}  // namespace

void add_joints(BatchModel::Impl& model) { Maker(model).make(); }

void fill_coordinates(const BatchModel::Impl& model, const WorldState& state, double* position, double* velocity) {
  for (std::size_t j = 0; j < model.joint_tables.size(); ++j) {
    const JointTable& table = model.joint_tables[j];
    const JointModel& joint = model.setup.joints[j];
    const JointFrames frames = frames_of(model.setup, j, state);
    for (int k = 0; k < table.coordinates && joint.kind != JointKind::kBall; ++k) {
      const CoordinateRow row = coordinate_row(joint, k, frames);
      const int place = table.first_coordinate + k;
      position[place] = is_angle(joint, k) ? unwrapped(row.value, joint.coordinates[at(k)].start) : row.value;
      velocity[place] = row_velocity(joint, row, frames, state);
    }
  }
}

}  // namespace repose::batch
