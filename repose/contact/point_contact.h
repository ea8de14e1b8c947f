// SPDX-License-Identifier: Apache-2.0
// The Jacobian of a point contact, for host and device. point_contact() in body_form.h is the host's function.
#pragma once

#include "repose/math/vec3.h"

namespace repose {

inline constexpr int kStaticBody = -1;

/// Rows (t1, t2, n) of the Jacobian against one body: v += linear·v_body + angular·ω_body.
struct BodyJacobian {
  Vec3 linear[3];   ///< dimensionless
  Vec3 angular[3];  ///< m
};

/// A contact between two bodies; kStaticBody stands for anything immovable.
struct BodyContact {
  int body_a = kStaticBody, body_b = kStaticBody;
  BodyJacobian a, b;
};

/// A block's rows against a third body, and any further one: a coupling of joints depends on the motion of several.
struct FurtherEnd {
  int block = 0;  ///< ascending in a list of them
  int body = kStaticBody;
  BodyJacobian rows;
};

/// See point_contact() in body_form.h. The tangents come from the caller: computed here, their products would be fused
/// with those of the arms, and the last bits would depend on where this is inlined.
[[nodiscard]] REPOSE_HD inline BodyContact point_contact_rows(int body_a, Vec3 arm_a, int body_b, Vec3 arm_b, Vec3 t1,
                                                              Vec3 t2, Vec3 normal) {
  BodyContact contact{body_a, body_b, {}, {}};
  const Vec3 axes[3] = {t1, t2, normal};
  for (int r = 0; r < 3; ++r) {
    contact.b.linear[r] = axes[r];
    contact.b.angular[r] = cross(arm_b, axes[r]);
    contact.a.linear[r] = -1.0 * axes[r];
    contact.a.angular[r] = -1.0 * cross(arm_a, axes[r]);
  }
  return contact;
}

}  // namespace repose
