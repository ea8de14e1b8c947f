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

}  // namespace repose::record
