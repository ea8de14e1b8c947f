// SPDX-License-Identifier: Apache-2.0
// Cones with compliance in an interior-point iteration: v = w + C λ eliminated block by block.
//
//   dλ = p − D dv,  dv = dw + C dλ   ⇒   dλ = S p − S D dw,  S = (I + D C)⁻¹
#pragma once

#include <vector>

#include "repose/contact/newton_system.h"
#include "repose/set/set_list.h"

namespace repose {

class SoftCones {
 public:
  void bind(const SetList& sets) {
    cones_.clear();
    for (int i = 0; !sets.plain() && i < sets.size(); ++i)
      if (const BlockSet set = sets[i]; set.is_cone() && set.compliance().t1 + set.compliance().n > 0)
        cones_.push_back({i, {set.compliance().t1, set.compliance().t2, set.compliance().n}, {}, {}});
  }
  /// D ← S D
  void soften(SlopeArray& D) {
    for (Cone& cone : cones_) {
      const Mat3 slope = read(D, cone.block);
      Mat3 A = Mat3::identity();
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) A.m[r][c] += slope.m[r][c] * cone.compliance[c];
      cone.S = inverse(A);
      cone.D = cone.S * slope;
      write(D, cone.block, cone.D);
    }
  }
  /// p ← S p
  void soften(ContactArray& p) const {
    for (const Cone& cone : cones_) {
      const ContactVec x = p[cone.block];
      const Vec3 y = cone.S * Vec3{x.t1, x.t2, x.n};
      p.set(cone.block, {y.x, y.y, y.z});
    }
  }
  /// dv ← dw + C (p − D dw), with the p and D that soften() has written.
  void add_compliance(const ContactArray& p, ContactArray& dv) const {
    for (const Cone& cone : cones_) {
      const ContactVec w = dv[cone.block], x = p[cone.block];
      const Vec3 pull = cone.D * Vec3{w.t1, w.t2, w.n};
      dv.set(cone.block, {w.t1 + cone.compliance[0] * (x.t1 - pull.x), w.t2 + cone.compliance[1] * (x.t2 - pull.y),
                          w.n + cone.compliance[2] * (x.n - pull.z)});
    }
  }

 private:
  struct Cone {
    int block;
    double compliance[3];
    Mat3 S, D;
  };

  [[nodiscard]] static Mat3 inverse(const Mat3& A) {
    const auto& m = A.m;
    const Mat3 adjugate{{{m[1][1] * m[2][2] - m[1][2] * m[2][1], m[0][2] * m[2][1] - m[0][1] * m[2][2],
                          m[0][1] * m[1][2] - m[0][2] * m[1][1]},
                         {m[1][2] * m[2][0] - m[1][0] * m[2][2], m[0][0] * m[2][2] - m[0][2] * m[2][0],
                          m[0][2] * m[1][0] - m[0][0] * m[1][2]},
                         {m[1][0] * m[2][1] - m[1][1] * m[2][0], m[0][1] * m[2][0] - m[0][0] * m[2][1],
                          m[0][0] * m[1][1] - m[0][1] * m[1][0]}}};
    const double det = m[0][0] * adjugate.m[0][0] + m[0][1] * adjugate.m[1][0] + m[0][2] * adjugate.m[2][0];
    return (1.0 / det) * adjugate;
  }

  [[nodiscard]] static Mat3 read(const SlopeArray& D, int i) {
    const ContactSlope<Pack>& s = D[static_cast<std::size_t>(i / kLanes)];
    const int k = i % kLanes;
    return {{{s.t1t1[k], s.t1t2[k], s.t1n[k]}, {s.t2t1[k], s.t2t2[k], s.t2n[k]}, {s.nt1[k], s.nt2[k], s.nn[k]}}};
  }
  static void write(SlopeArray& D, int i, const Mat3& A) {
    ContactSlope<Pack>& s = D[static_cast<std::size_t>(i / kLanes)];
    const int k = i % kLanes;
    s.t1t1[k] = A.m[0][0], s.t1t2[k] = A.m[0][1], s.t1n[k] = A.m[0][2];
    s.t2t1[k] = A.m[1][0], s.t2t2[k] = A.m[1][1], s.t2n[k] = A.m[1][2];
    s.nt1[k] = A.m[2][0], s.nt2[k] = A.m[2][1], s.nn[k] = A.m[2][2];
  }

  std::vector<Cone> cones_;
};

}  // namespace repose
