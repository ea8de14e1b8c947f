// SPDX-License-Identifier: Apache-2.0
// Names of everything in a recording. docs/recording.md explains them.
#pragma once

#include <cstddef>

namespace repose::record {

inline constexpr const char* kFormatName = "repose recording 1";
inline constexpr const char* kFormat = "/format";
inline constexpr const char* kProgram = "/program";
inline constexpr const char* kSettings = "/settings";
inline constexpr const char* kTolerance = "/tolerance";
inline constexpr const char* kAccept = "/accept";
inline constexpr const char* kHeadChecksum = "/checksum";

inline constexpr const char* kSceneName = "/scene/name";
inline constexpr const char* kSceneJson = "/scene/json";
inline constexpr const char* kStepLength = "/scene/dt";
inline constexpr const char* kGravity = "/scene/gravity";

inline constexpr const char* kNames = "/bodies/names";
inline constexpr const char* kKind = "/bodies/kind";
inline constexpr const char* kMass = "/bodies/mass";
inline constexpr const char* kMoments = "/bodies/principal_inertia";
inline constexpr const char* kAxes = "/bodies/principal_axes";
inline constexpr const char* kLocalCentre = "/bodies/centre";
inline constexpr const char* kHeld = "/bodies/fixed_dof";

inline constexpr const char* kTime = "/states/time";
inline constexpr const char* kCentre = "/states/centre";
inline constexpr const char* kPosition = "/states/position";
inline constexpr const char* kRotation = "/states/quaternion";
inline constexpr const char* kVelocity = "/states/velocity";
inline constexpr const char* kSpin = "/states/angular_velocity";
inline constexpr const char* kPresent = "/states/present";
inline constexpr const char* kStateChecksum = "/states/checksum";

inline constexpr const char* kFreeVelocity = "/steps/free_velocity";
inline constexpr const char* kFreeSpin = "/steps/free_angular_velocity";
inline constexpr const char* kCertificate = "/steps/certificate";
inline constexpr std::size_t kCertificateParts = 7;
inline constexpr const char* kIterations = "/steps/iterations";
inline constexpr std::size_t kIterationParts = 4;
inline constexpr const char* kStatus = "/steps/status";
inline constexpr const char* kMeasures = "/steps/measures";
inline constexpr std::size_t kMeasureParts = 3;
inline constexpr const char* kPhases = "/steps/ms";
inline constexpr const char* kFirstContact = "/steps/first_contact";
inline constexpr const char* kContacts = "/steps/contacts";
inline constexpr const char* kStepChecksum = "/steps/checksum";
enum StepPart : std::size_t { kReportPart, kFreePart, kContactPart, kStepParts };  // columns of the step's checksums

inline constexpr const char* kContactBody = "/contacts/body";
inline constexpr const char* kContactShape = "/contacts/shape";
inline constexpr const char* kContactFeature = "/contacts/feature";
inline constexpr const char* kContactMode = "/contacts/mode";
inline constexpr const char* kContactPosition = "/contacts/position";
inline constexpr const char* kContactNormal = "/contacts/normal";
inline constexpr const char* kContactGap = "/contacts/gap";
inline constexpr const char* kContactMu = "/contacts/friction";
inline constexpr const char* kContactBias = "/contacts/bias";
inline constexpr const char* kContactStart = "/contacts/impulse_start";
inline constexpr const char* kContactImpulse = "/contacts/impulse";

inline constexpr const char* kContactDetected = "/contacts/detected_at";
inline constexpr const char* kContactYielded = "/contacts/yielded";

inline constexpr const char* kRecovery = "/steps/recovery";
inline constexpr std::size_t kRecoveryParts = 3;
inline constexpr const char* kFirstTerm = "/steps/first_term";
inline constexpr const char* kTerms = "/steps/terms";
inline constexpr const char* kTermChecksum = "/steps/term_checksum";
inline constexpr const char* kTermKey = "/terms/key";
inline constexpr const char* kTermValues = "/terms/values";
inline constexpr std::size_t kTermParts = 13;

inline constexpr const char* kRecoveryResidual = "/steps/recovery_residual";
inline constexpr const char* kFirstPush = "/steps/first_push";
inline constexpr const char* kPushes = "/steps/pushes";
inline constexpr const char* kPushChecksum = "/steps/push_checksum";
inline constexpr const char* kPushKey = "/pushes/key";
inline constexpr std::size_t kPushKeyParts = 7;
inline constexpr const char* kPushValues = "/pushes/values";
inline constexpr std::size_t kPushParts = 9;

// Only with joints.
inline constexpr const char* kJointNames = "/joints/names";
inline constexpr const char* kActuatorNames = "/joints/actuators";
inline constexpr const char* kJointKind = "/joints/kind";
inline constexpr const char* kJointBody = "/joints/body";
inline constexpr const char* kJointFrame = "/joints/frame";
inline constexpr const char* kJointMeasures = "/joints/measures";
inline constexpr std::size_t kJointMeasureParts = 6;
inline constexpr const char* kCouplingTerm = "/joints/coupling_term";
inline constexpr const char* kCouplingFactors = "/joints/coupling_factors";
inline constexpr const char* kPath = "/joints/path";  // only with paths
inline constexpr const char* kPathPoint = "/joints/path_point";
inline constexpr const char* kAxis = "/joints/axis";  // only with compounds
inline constexpr const char* kAxisLine = "/joints/axis_line";
inline constexpr const char* kThrust = "/joints/thrust";  // only with thrusts
inline constexpr const char* kThrustSite = "/joints/thrust_site";
inline constexpr std::size_t kThrustParts = 13;
inline constexpr const char* kJointPosition = "/states/joint_position";
inline constexpr const char* kJointPositionChecksum = "/states/joint_checksum";
inline constexpr const char* kControl = "/steps/control";
inline constexpr const char* kInput = "/steps/input";  // only with activations
inline constexpr const char* kInputChecksum = "/steps/input_checksum";
inline constexpr const char* kFirstBlock = "/steps/first_block";
inline constexpr const char* kBlocks = "/steps/blocks";
inline constexpr const char* kBlockChecksum = "/steps/block_checksum";
inline constexpr const char* kBlockKey = "/blocks/key";
inline constexpr std::size_t kBlockKeyParts = 4;
inline constexpr const char* kBlockBody = "/blocks/body";
inline constexpr const char* kBlockRows = "/blocks/rows";
inline constexpr std::size_t kBlockRowParts = 36;
inline constexpr const char* kBlockBounds = "/blocks/bounds";
inline constexpr const char* kBlockCompliance = "/blocks/compliance";
inline constexpr const char* kBlockBias = "/blocks/bias";
inline constexpr const char* kBlockStart = "/blocks/impulse_start";
inline constexpr const char* kBlockImpulse = "/blocks/impulse";

// Only with couplings over more than two bodies.
inline constexpr const char* kJointOther = "/joints/other";
inline constexpr const char* kFirstOther = "/steps/first_other";
inline constexpr const char* kOthers = "/steps/others";
inline constexpr const char* kOtherChecksum = "/steps/other_checksum";
inline constexpr const char* kOtherRows = "/blocks/other_rows";

// Only with sensors.
inline constexpr const char* kSensorNames = "/sensors/names";
inline constexpr const char* kSensorSize = "/sensors/size";
inline constexpr const char* kSensor = "/steps/sensor";
inline constexpr const char* kSensorChecksum = "/steps/sensor_checksum";

}  // namespace repose::record
