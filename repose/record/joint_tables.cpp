// SPDX-License-Identifier: Apache-2.0
#include "repose/record/joint_tables_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "repose/record/layout_internal.h"

namespace repose::record {
namespace {

constexpr std::size_t kBlocksPerJoint = 64;  // rows stored together: those of a flush

std::size_t at(int k) { return static_cast<std::size_t>(k); }

std::string as_lines(const auto& named) {
  std::string text;
  for (const auto& one : named) text += one.name + '\n';
  return text;
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> list;
  for (std::string line; std::getline(in, line);) list.push_back(line);
  return list;
}

void put(Table& table, const BodyJacobian& J) {
  for (const Vec3& v : J.linear) put(table, v);
  for (const Vec3& v : J.angular) put(table, v);
}

BodyJacobian jacobian(const double* x) {
  BodyJacobian J;
  for (int r = 0; r < 3; ++r) {
    J.linear[r] = {x[3 * r], x[3 * r + 1], x[3 * r + 2]};
    J.angular[r] = {x[9 + 3 * r], x[9 + 3 * r + 1], x[9 + 3 * r + 2]};
  }
  return J;
}

/// Returns the pose of a body's mass centre.
Pose pose_of(std::span<const BodyState> bodies, int b) {
  return b == kWorldBody ? Pose{} : Pose{bodies[at(b)].centre, bodies[at(b)].rotation};
}

std::vector<JointModel> models_of(const Scene& scene, std::span<const BodyModel> models) {
  std::vector<JointModel> joints;
  for (const SceneJoint& joint : scene.joints) joints.push_back(make_joint(joint, scene.bodies, models, joints));
  return joints;
}

/// Coordinates per joint in every state: more only where a joint has more.
std::size_t stored_coordinates(std::span<const JointModel> joints) {
  int most = 3;
  for (const JointModel& joint : joints) most = std::max(most, coordinate_count(joint));
  return static_cast<std::size_t>(most);
}

/// Writes axes of compounds, paths and thrusts of couplings, where there are some.
bool describe_places(hid_t file, std::span<const JointModel> joints, std::uint32_t& sum) {
  bool good = true;
  const auto finish = [&](Table& key, Table& values) {
    sum = values.checksum_new(key.checksum_new(sum));
    good = key.flush() && values.flush() && good;
  };
  if (std::any_of(joints.begin(), joints.end(), [](const JointModel& joint) { return !joint.axes.empty(); })) {
    ValueTable<int> key(file, kAxis, {2});
    DoubleTable values(file, kAxisLine, {6});
    for (std::size_t j = 0; j < joints.size(); ++j)
      for (const JointAxis& own : joints[j].axes) {
        key.put(static_cast<int>(j)), key.put(own.slides ? 1 : 0);
        put(values, own.axis), put(values, own.point);
      }
    finish(key, values);
  }
  if (std::any_of(joints.begin(), joints.end(), [](const JointModel& joint) { return !joint.path.empty(); })) {
    ValueTable<int> key(file, kPath, {2});
    DoubleTable values(file, kPathPoint, {4});
    for (std::size_t j = 0; j < joints.size(); ++j)
      for (const PathPoint& point : joints[j].path) {
        key.put(static_cast<int>(j)), key.put(point.body);
        put(values, point.point), values.put(point.factor);
      }
    finish(key, values);
  }
  if (std::any_of(joints.begin(), joints.end(), [](const JointModel& joint) { return joint.thrust.has_value(); })) {
    ValueTable<int> key(file, kThrust, {2});
    DoubleTable values(file, kThrustSite, {kThrustParts});
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (!joints[j].thrust) continue;
      const SiteThrust& thrust = *joints[j].thrust;
      key.put(static_cast<int>(j)), key.put(thrust.body);
      put(values, thrust.site.position), put(values, thrust.site.rotation);
      put(values, thrust.along), put(values, thrust.about);
    }
    finish(key, values);
  }
  return good;
}

void check_place(const Reader& in, const JointHead& head, const char* table, std::size_t bodies, int joint, int body) {
  require(joint >= 0 && at(joint) < head.models.size() && head.models[at(joint)].kind == JointKind::kCoupling &&
              body >= kWorldBody && body < static_cast<int>(bodies),
          in.path, ": ", table, ": expected bodies of couplings, got body ", body, " of joint ", joint);
}

/// Reads the axes of compounds into the models: couplings ask how many there are.
void read_axes(const Reader& in, JointHead& head) {
  if (in.has(kAxis)) {
    const std::int64_t count = in.count(kAxis);
    const auto key = in.rows<int>(kAxis, 0, count, 2);
    const auto values = in.rows<double>(kAxisLine, 0, count, 6);
    head.checksum = checksum(checksum(head.checksum, key), values);
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      const int joint = key[2 * k];
      require(joint >= 0 && at(joint) < head.models.size() && head.models[at(joint)].kind == JointKind::kCompound &&
                  head.models[at(joint)].axes.size() < kMostCoordinates,
              in.path, ": ", kAxis, ": expected axes of compounds, ", kMostCoordinates, " at most, got joint ", joint);
      const double* x = &values[6 * k];
      head.models[at(joint)].axes.push_back({key[2 * k + 1] != 0, {x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
    }
  }
  for (std::size_t j = 0; j < head.models.size(); ++j)
    require(head.models[j].kind != JointKind::kCompound || !head.models[j].axes.empty(), in.path, ": ", kAxis,
            ": expected axes of joint ", j, ", got none");
}

/// Reads paths and thrusts into the models.
void read_places(const Reader& in, std::size_t bodies, JointHead& head) {
  if (in.has(kPath)) {
    const std::int64_t points = in.count(kPath);
    const auto key = in.rows<int>(kPath, 0, points, 2);
    const auto values = in.rows<double>(kPathPoint, 0, points, 4);
    head.checksum = checksum(checksum(head.checksum, key), values);
    for (std::size_t k = 0; k < static_cast<std::size_t>(points); ++k) {
      check_place(in, head, kPath, bodies, key[2 * k], key[2 * k + 1]);
      const double* x = &values[4 * k];
      head.models[at(key[2 * k])].path.push_back({key[2 * k + 1], {x[0], x[1], x[2]}, x[3]});
    }
  }
  if (!in.has(kThrust)) return;
  const std::int64_t count = in.count(kThrust);
  const auto key = in.rows<int>(kThrust, 0, count, 2);
  const auto values = in.rows<double>(kThrustSite, 0, count, kThrustParts);
  head.checksum = checksum(checksum(head.checksum, key), values);
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
    check_place(in, head, kThrust, bodies, key[2 * k], key[2 * k + 1]);
    require(key[2 * k + 1] >= 0, in.path, ": ", kThrust, ": expected a body, got ", key[2 * k + 1]);
    const double* x = &values[kThrustParts * k];
    head.models[at(key[2 * k])].thrust = SiteThrust{
        key[2 * k + 1], {{x[0], x[1], x[2]}, {x[3], x[4], x[5], x[6]}}, {x[7], x[8], x[9]}, {x[10], x[11], x[12]}};
  }
}

/// Adds the rows against further bodies to the blocks of steps first .. first + list.size().
void read_others(const Reader& in, const JointHead& head, int first, std::vector<JointStep>& list) {
  const int count = static_cast<int>(list.size());
  const auto start = in.rows<std::int64_t>(kFirstOther, first, count, 1);
  const auto counts = in.rows<int>(kOthers, first, count, 1);
  std::int64_t rows = 0;
  for (std::size_t t = 0; t < list.size(); ++t) {
    require(counts[t] >= 0 && start[t] == start[0] + rows, in.path, ": ", kFirstOther,
            ": expected the row after those of the step before, got ", start[t], " for step ", at(first) + t);
    rows += counts[t];
  }
  const auto J = in.rows<double>(kOtherRows, start[0], rows, kBlockRowParts / 2);
  std::vector<std::uint32_t> sums(list.size());
  add_groups(sums, J, counts, kBlockRowParts / 2);
  add_rows(sums, start, 1);
  add_rows(sums, counts, 1);
  in.check_rows(kOtherChecksum, 0, 1, "further bodies of step", first, sums);
  std::size_t i = 0;
  for (std::size_t t = 0; t < list.size(); ++t) {
    const std::size_t begin = i;
    for (JointBlock& block : list[t].blocks)
      for (const int body : head.models[at(block.joint)].others) {
        require(i < static_cast<std::size_t>(rows), in.path, ": ", kOthers, ": expected rows for every block, got ",
                counts[t], " for step ", at(first) + t);
        block.others.push_back({body, jacobian(&J[kBlockRowParts / 2 * i++])});
      }
    require(i - begin == at(counts[t]), in.path, ": ", kOthers, ": expected ", i - begin, ", got ", counts[t],
            " for step ", at(first) + t);
  }
}

}  // namespace

OtherTables::OtherTables(hid_t file, Packing rest, std::size_t rows_per_flush)
    : rows(file, kOtherRows, {kBlockRowParts / 2}, rest, rows_per_flush),
      first(file, kFirstOther),
      count(file, kOthers),
      checksum(file, kOtherChecksum) {}

void OtherTables::add_step(std::span<const JointBlock> blocks) {
  int added = 0;
  for (const JointBlock& block : blocks)
    for (const JointEnd& end : block.others) put(rows, end.rows), ++added;
  first.put(written);
  count.put(added);
  written += added;
  checksum.put(checksum_of({&rows, &first, &count}));
}

InputTables::InputTables(hid_t file, std::size_t actuators, Packing rest)
    : value(file, kInput, {actuators}, rest), checksum(file, kInputChecksum) {}

JointWriter::JointWriter(hid_t file, const Scene& scene, std::span<const BodyModel> models, Packing rest)
    : joints_(models_of(scene, models)),
      positions_(joints_.size()),
      controls_(scene.actuators.size()),
      position_(file, kJointPosition, {joints_.size(), stored_coordinates(joints_)}, rest),
      position_checksum_(file, kJointPositionChecksum),
      key_(file, kBlockKey, {kBlockKeyParts}, Packing::kDeflated, kBlocksPerJoint * joints_.size()),
      body_(file, kBlockBody, {2}, Packing::kDeflated, kBlocksPerJoint * joints_.size()),
      rows_(file, kBlockRows, {kBlockRowParts}, rest, kBlocksPerJoint * joints_.size()),
      bounds_(file, kBlockBounds, {6}, Packing::kDeflated, kBlocksPerJoint * joints_.size()),
      compliance_(file, kBlockCompliance, {3}, Packing::kDeflated, kBlocksPerJoint * joints_.size()),
      bias_(file, kBlockBias, {3}, rest, kBlocksPerJoint * joints_.size()),
      start_(file, kBlockStart, {3}, rest, kBlocksPerJoint * joints_.size()),
      impulse_(file, kBlockImpulse, {3}, rest, kBlocksPerJoint * joints_.size()),
      control_(file, kControl, {controls_}, rest),
      first_block_(file, kFirstBlock),
      blocks_(file, kBlocks),
      checksum_(file, kBlockChecksum) {
  for (std::size_t j = 0; j < joints_.size(); ++j)
    for (std::size_t k = 0; k < kMostCoordinates; ++k) positions_[j][k] = joints_[j].coordinates[k].start;
  if (std::any_of(joints_.begin(), joints_.end(), [](const JointModel& joint) { return !joint.others.empty(); }))
    others_.emplace(file, rest, kBlocksPerJoint * joints_.size());
  if (std::any_of(scene.actuators.begin(), scene.actuators.end(), [](const SceneActuator& a) { return a.has_state(); }))
    inputs_.emplace(file, controls_, rest);
}

bool JointWriter::describe(hid_t file, const Scene& scene, std::uint32_t& sum) {
  for (const auto& [name, text] :
       {std::pair(kJointNames, as_lines(scene.joints)), std::pair(kActuatorNames, as_lines(scene.actuators))}) {
    write_text(file, name, text);
    sum = checksum(sum, text);
  }
  ValueTable<int> kind(file, kJointKind), body(file, kJointBody, {2});
  DoubleTable frame(file, kJointFrame, {2, 7}), measures(file, kJointMeasures, {kJointMeasureParts});
  for (const JointModel& joint : joints_) {
    kind.put(static_cast<int>(joint.kind));
    body.put(joint.body_a), body.put(joint.body_b);
    for (const Pose& pose : {joint.local_a, joint.local_b}) put(frame, pose.position), put(frame, pose.rotation);
    for (const double x : {joint.length, joint.rest, joint.pitch, joint.size, joint.coupling,
                           joint.hold.value_or(std::numeric_limits<double>::quiet_NaN())})
      measures.put(x);
  }
  ValueTable<int> term(file, kCouplingTerm, {3});
  DoubleTable factors(file, kCouplingFactors, {4});
  for (std::size_t j = 0; j < joints_.size(); ++j)
    for (const CouplingTerm& one : joints_[j].terms) {
      for (const int x : {static_cast<int>(j), one.joint, one.coordinate}) term.put(x);
      for (const double x : one.factors) factors.put(x);
    }
  bool good = true;
  for (Table* table : std::initializer_list<Table*>{&kind, &body, &frame, &measures, &term, &factors}) {
    sum = table->checksum_new(sum);
    good = good && table->flush();
  }
  good = describe_places(file, joints_, sum) && good;
  if (!others_) return good;
  ValueTable<int> other(file, kJointOther, {2});
  for (std::size_t j = 0; j < joints_.size(); ++j)
    for (const int further : joints_[j].others) other.put(static_cast<int>(j)), other.put(further);
  sum = other.checksum_new(sum);
  return other.flush() && good;
}

void JointWriter::add_state(std::span<const BodyState> bodies) {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const JointModel& joint = joints_[j];
    const int count = value_count(joint);
    if (count == 0) continue;
    const JointFrames frames = joint_frames(joints_, j, positions_, [&](int body) { return pose_of(bodies, body); });
    for (int k = 0; k < count; ++k) {
      const double q = coordinate_row(joint, k, frames).value;
      double& known = positions_[j][at(k)];
      known = is_angle(joint, k) ? unwrapped(q, known) : q;
    }
  }
  const std::size_t stored = stored_coordinates(joints_);
  for (const JointValues& own : positions_)
    for (std::size_t k = 0; k < stored; ++k) position_.put(own[k]);
  position_checksum_.put(checksum_of({&position_}));
}

void JointWriter::add_step(std::span<const JointBlock> blocks, std::span<const double> controls,
                           std::span<const double> inputs) {
  for (const JointBlock& block : blocks) {
    for (const int x : {block.joint, static_cast<int>(block.role), block.part, block.coordinate}) key_.put(x);
    body_.put(block.body_a), body_.put(block.body_b);
    put(rows_, block.a), put(rows_, block.b);
    put(bounds_, block.set.bounds().lower), put(bounds_, block.set.bounds().upper);
    put(compliance_, block.set.compliance());
    put(bias_, block.bias);
    put(start_, block.start);
    put(impulse_, block.lambda);
  }
  for (std::size_t k = 0; k < controls_; ++k) control_.put(k < controls.size() ? controls[k] : 0.0);
  first_block_.put(written_);
  blocks_.put(static_cast<int>(blocks.size()));
  written_ += static_cast<std::int64_t>(blocks.size());
  checksum_.put(checksum_of(
      {&key_, &body_, &rows_, &bounds_, &compliance_, &bias_, &start_, &impulse_, &control_, &first_block_, &blocks_}));
  if (others_) others_->add_step(blocks);
  if (!inputs_) return;
  for (std::size_t k = 0; k < controls_; ++k) inputs_->value.put(k < inputs.size() ? inputs[k] : 0.0);
  inputs_->checksum.put(checksum_of({&inputs_->value}));
}

std::vector<Table*> JointWriter::tables() {
  std::vector<Table*> list{&key_,         &body_,   &rows_,     &bounds_,           &compliance_,
                           &bias_,        &start_,  &impulse_,  &control_,          &position_,
                           &first_block_, &blocks_, &checksum_, &position_checksum_};
  if (inputs_) list.insert(list.begin(), {&inputs_->value, &inputs_->checksum});
  if (others_) list.insert(list.begin(), {&others_->rows, &others_->first, &others_->count, &others_->checksum});
  return list;
}

JointHead read_joints(const Reader& in, std::size_t bodies, std::uint32_t sum) {
  JointHead head;
  for (const char* part : {kJointNames, kActuatorNames}) sum = checksum(sum, in.text(part));
  head.names = lines(in.text(kJointNames));
  head.actuators = lines(in.text(kActuatorNames));
  const auto n = static_cast<std::int64_t>(head.names.size());
  const auto kind = in.rows<int>(kJointKind, 0, n, 1), body = in.rows<int>(kJointBody, 0, n, 2);
  const auto frame = in.rows<double>(kJointFrame, 0, n, 14),
             measures = in.rows<double>(kJointMeasures, 0, n, kJointMeasureParts);
  const std::int64_t terms = in.count(kCouplingTerm);
  const auto term = in.rows<int>(kCouplingTerm, 0, terms, 3);
  const auto factors = in.rows<double>(kCouplingFactors, 0, terms, 4);
  sum = checksum(checksum(sum, kind), body);
  sum = checksum(checksum(sum, frame), measures);
  head.checksum = checksum(checksum(sum, term), factors);
  for (std::size_t j = 0; j < head.names.size(); ++j) {
    require(kind[j] >= 0 && kind[j] <= static_cast<int>(JointKind::kCompound), in.path, ": ", kJointKind,
            ": expected 0 to ", static_cast<int>(JointKind::kCompound), ", got ", kind[j]);
    JointModel joint;
    joint.kind = static_cast<JointKind>(kind[j]);
    joint.body_a = body[2 * j], joint.body_b = body[2 * j + 1];
    require(joint.body_a >= kWorldBody && joint.body_a < static_cast<int>(bodies) && joint.body_b >= 0 &&
                joint.body_b < static_cast<int>(bodies),
            in.path, ": ", kJointBody, ": expected bodies of the scene, got ", joint.body_a, " and ", joint.body_b);
    const double* f = &frame[14 * j];
    joint.local_a = {{f[0], f[1], f[2]}, {f[3], f[4], f[5], f[6]}};
    joint.local_b = {{f[7], f[8], f[9]}, {f[10], f[11], f[12], f[13]}};
    const double* m = &measures[kJointMeasureParts * j];
    joint.length = m[0], joint.rest = m[1], joint.pitch = m[2], joint.size = m[3], joint.coupling = m[4];
    if (!std::isnan(m[5])) joint.hold = m[5];
    head.models.push_back(joint);
  }
  read_axes(in, head);
  for (std::size_t k = 0; k < static_cast<std::size_t>(terms); ++k) {
    const int coupling = term[3 * k], member = term[3 * k + 1], coordinate = term[3 * k + 2];
    require(coupling >= 0 && coupling < n && member >= 0 && member < coupling &&
                head.models[at(member)].kind != JointKind::kCoupling && coordinate >= 0 &&
                coordinate < coordinate_count(head.models[at(member)]),
            in.path, ": ", kCouplingTerm, ": expected a coordinate of a joint before the coupling, got joint ", member,
            ", coordinate ", coordinate, " in joint ", coupling);
    const double* f = &factors[4 * k];
    head.models[at(coupling)].terms.push_back({member, coordinate, {f[0], f[1], f[2], f[3]}});
  }
  read_places(in, bodies, head);
  if (!in.has(kJointOther)) return head;
  const std::int64_t others = in.count(kJointOther);
  const auto other = in.rows<int>(kJointOther, 0, others, 2);
  head.checksum = checksum(head.checksum, other);
  for (std::size_t k = 0; k < static_cast<std::size_t>(others); ++k) {
    const int joint = other[2 * k], one = other[2 * k + 1];
    require(joint >= 0 && joint < n && head.models[at(joint)].kind == JointKind::kCoupling && one >= 0 &&
                one < static_cast<int>(bodies),
            in.path, ": ", kJointOther, ": expected bodies of couplings, got body ", one, " of joint ", joint);
    head.models[at(joint)].others.push_back(one);
  }
  return head;
}

std::int64_t complete_joint_steps(const Reader& in, std::size_t controls, std::int64_t steps) {
  const bool has_sums = in.has(kBlockChecksum) && in.has(kJointPositionChecksum);
  for (const char* table : {kFirstBlock, kBlocks}) steps = std::min(steps, in.count(table));
  if (has_sums) steps = std::min({steps, in.count(kBlockChecksum), in.count(kJointPositionChecksum) - 1});
  steps = std::min(steps, in.count(kJointPosition) - 1);
  if (controls > 0) steps = std::min(steps, in.count(kControl));
  steps = std::max<std::int64_t>(steps, 0);
  std::int64_t rows = in.count(kBlockImpulse);
  for (const char* table : {kBlockKey, kBlockBody, kBlockRows, kBlockBounds, kBlockCompliance, kBlockBias, kBlockStart})
    rows = std::min(rows, in.count(table));
  const auto first = in.rows<std::int64_t>(kFirstBlock, 0, steps, 1);
  const auto counts = in.rows<int>(kBlocks, 0, steps, 1);
  std::vector<std::uint32_t> sums, states;
  if (has_sums) sums = in.rows<std::uint32_t>(kBlockChecksum, 0, steps, 1);
  if (has_sums) states = in.rows<std::uint32_t>(kJointPositionChecksum, 0, steps > 0 ? steps + 1 : 0, 1);
  std::vector<std::int64_t> first_other;
  std::vector<int> others;
  const std::int64_t other_rows = in.has(kJointOther) ? in.count(kOtherRows) : 0;
  if (in.has(kInput))
    for (const char* table : {kInput, kInputChecksum}) steps = std::min(steps, in.count(table));
  if (in.has(kJointOther)) {
    for (const char* table : {kFirstOther, kOthers, kOtherChecksum}) steps = std::min(steps, in.count(table));
    first_other = in.rows<std::int64_t>(kFirstOther, 0, steps, 1);
    others = in.rows<int>(kOthers, 0, steps, 1);
  }
  const auto is_written = [&](std::size_t k) {
    if (!others.empty() && !end_within(first_other[k], others[k], other_rows)) return false;
    return end_within(first[k], counts[k], rows) && (!has_sums || (sums[k] != 0 && states[k + 1] != 0));
  };
  while (steps > 0 && !is_written(static_cast<std::size_t>(steps) - 1)) --steps;
  return steps;
}

std::vector<JointStep> read_joint_steps(const Reader& in, const JointHead& head, int first, int count) {
  std::vector<JointStep> list(at(count));
  if (count == 0) return list;
  const auto start_row = in.rows<std::int64_t>(kFirstBlock, first, count, 1);
  const auto counts = in.rows<int>(kBlocks, first, count, 1);
  std::int64_t rows = 0;
  for (std::size_t t = 0; t < list.size(); ++t) {
    require(counts[t] >= 0 && start_row[t] == start_row[0] + rows, in.path, ": ", kFirstBlock,
            ": expected the row after those of the step before, got ", start_row[t], " for step ", at(first) + t);
    rows += counts[t];
  }
  const std::int64_t row = start_row[0];
  const auto key = in.rows<int>(kBlockKey, row, rows, kBlockKeyParts), body = in.rows<int>(kBlockBody, row, rows, 2);
  const auto J = in.rows<double>(kBlockRows, row, rows, kBlockRowParts),
             bounds = in.rows<double>(kBlockBounds, row, rows, 6),
             compliance = in.rows<double>(kBlockCompliance, row, rows, 3),
             bias = in.rows<double>(kBlockBias, row, rows, 3), start = in.rows<double>(kBlockStart, row, rows, 3),
             found = in.rows<double>(kBlockImpulse, row, rows, 3);
  const std::size_t n_controls = head.actuators.size();
  std::vector<double> control;
  if (n_controls > 0) control = in.rows<double>(kControl, first, count, n_controls);
  std::vector<std::uint32_t> sums(list.size());
  add_groups(sums, key, counts, kBlockKeyParts);
  add_groups(sums, body, counts, 2);
  add_groups(sums, J, counts, kBlockRowParts);
  add_groups(sums, bounds, counts, 6);
  for (const auto* part : {&compliance, &bias, &start, &found}) add_groups(sums, *part, counts, 3);
  add_rows(sums, control, n_controls);
  add_rows(sums, start_row, 1);
  add_rows(sums, counts, 1);
  in.check_rows(kBlockChecksum, 0, 1, "joints of step", first, sums);
  std::size_t i = 0;
  for (std::size_t t = 0; t < list.size(); ++t) {
    list[t].controls.assign(control.begin() + static_cast<std::ptrdiff_t>(n_controls * t),
                            control.begin() + static_cast<std::ptrdiff_t>(n_controls * (t + 1)));
    for (int k = 0; k < counts[t]; ++k, ++i) {
      JointBlock& block = list[t].blocks.emplace_back();
      const int* own = &key[kBlockKeyParts * i];
      require(own[0] >= 0 && at(own[0]) < head.models.size() && own[1] >= 0 &&
                  own[1] <= static_cast<int>(JointRole::kServo),
              in.path, ": step ", at(first) + t, ", block ", k,
              ": expected a joint of the scene and a known role, got ", own[0], " and ", own[1]);
      block.joint = own[0], block.role = static_cast<JointRole>(own[1]), block.part = own[2], block.coordinate = own[3];
      block.body_a = body[2 * i], block.body_b = body[2 * i + 1];
      const JointModel& model = head.models[at(block.joint)];
      require(block.body_a == model.body_a && block.body_b == model.body_b, in.path, ": step ", at(first) + t,
              ", block ", k, ": expected the bodies of joint ", block.joint, ", got ", block.body_a, " and ",
              block.body_b);
      block.a = jacobian(&J[kBlockRowParts * i]);
      block.b = jacobian(&J[kBlockRowParts * i + kBlockRowParts / 2]);
      block.set =
          BlockSet::box({impulse(bounds, 2 * i), impulse(bounds, 2 * i + 1)}).with_compliance(impulse(compliance, i));
      block.bias = impulse(bias, i), block.start = impulse(start, i), block.lambda = impulse(found, i);
    }
  }
  if (in.has(kJointOther)) read_others(in, head, first, list);
  if (!in.has(kInput)) return list;
  const auto inputs = in.rows<double>(kInput, first, count, n_controls);
  std::vector<std::uint32_t> input_sums(list.size());
  add_rows(input_sums, inputs, n_controls);
  in.check_rows(kInputChecksum, 0, 1, "inputs of step", first, input_sums);
  for (std::size_t t = 0; t < list.size(); ++t)
    list[t].inputs.assign(inputs.begin() + static_cast<std::ptrdiff_t>(n_controls * t),
                          inputs.begin() + static_cast<std::ptrdiff_t>(n_controls * (t + 1)));
  return list;
}

std::vector<std::vector<JointValues>> read_joint_positions(const Reader& in, const JointHead& head, int first,
                                                           int count) {
  const std::size_t joints = head.models.size(), stored = stored_coordinates(head.models);
  const auto q = in.rows<double>(kJointPosition, first, count, stored * joints);
  std::vector<std::uint32_t> sums(at(count));
  add_rows(sums, q, stored * joints);
  in.check_rows(kJointPositionChecksum, 0, 1, "joint positions of state", first, sums);
  std::vector<std::vector<JointValues>> list(at(count));
  for (std::size_t k = 0; k < at(count) * joints; ++k)
    std::copy_n(&q[stored * k], stored, list[k / joints].emplace_back().begin());
  return list;
}

}  // namespace repose::record
