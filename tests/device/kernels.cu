// SPDX-License-Identifier: Apache-2.0
// Every kernel that host and device share, called from a __global__ function: compiled for the device, not run.
// A header joins with its include below and a function that calls what it offers.
#include "repose/base/pack.h"
#include "repose/base/view.h"
#include "repose/collision/kernels_internal.h"
#include "repose/contact/body_rows.h"
#include "repose/contact/point_contact.h"
#include "repose/contact/violation.h"
#include "repose/math/block_lu.h"
#include "repose/math/fused.h"
#include "repose/math/lanes.h"
#include "repose/math/pose.h"
#include "repose/math/scalar.h"
#include "repose/math/tangents.h"
#include "repose/math/vec3.h"
#include "repose/set/alart_curnier.h"
#include "repose/set/block_mode.h"
#include "repose/set/block_set.h"
#include "repose/set/box.h"
#include "repose/set/contact_vec.h"
#include "repose/set/coulomb_cone.h"
#include "repose/set/fixed_mode.h"
#include "repose/set/local_box.h"
#include "repose/set/local_cone_qp.h"
#include "repose/set/local_coulomb.h"
#include "repose/set/lorentz.h"
#include "repose/set/mode_change.h"
#include "repose/world/contact_terms.h"
#include "repose/world/gap_filter_kernel.h"
#include "repose/world/rotor_kernel.h"

using namespace repose;

__global__ void vectors(Vec3* v, Mat3* m, Quat* q, double* s) {
  s[0] = select(s[1] > 0, larger(s[0], s[1]), smaller(s[2], root(s[3]))) + filled<double>(2.0);
  v[0] = m[0] * normalized(cross(v[1], v[2])) + fused::times(m[1], fused::normalized(fused::cross(v[1], v[2])));
  v[1] = fused::plus_scaled(fused::transposed_times(m[1], v[0]), fused::dot(v[0], v[1]), v[2]);
  m[0] = transpose(m[1]) * cholesky(m[2] + trace(m[1]) * m[3]);
  q[0] = normalized(exponential(v[0]) * q[1]);
  v[2] = rotate_back(q[0], rotate(q[1], v[2])) + inverse(Pose{v[0], q[0]}) * v[1];
  m[3] = to_matrix(q[0]);
}

__global__ void blocks(Block<Lanes<6>, 6>* b, Lanes<6>* x, bool* sound) {
  *sound = invert(b[0]);
  subtract_product(b[1], b[0], b[2]);
  add_block(b[1], b[0]);
  b[3] = minus_product(b[0], b[1]);
  x[3] = minus_column(x[2], b[0], x[1]);
  subtract_product(x[0], b[0], x[1]);
  x[2] = times(b[0], x[0]);
}

__global__ void cones(ContactVec* v, Mat3* W, double* s) {
  ContactSlope<double> D;
  v[0] = project_onto_cone(v[1], s[0]) + project_onto_dual_cone(v[2], s[0]);
  v[1] = alart_curnier(v[0], v[1], s[1], s[0], D);
  v[2] = de_saxce(v[0], v[1], s[1], s[0], D);
  v[3] = LocalConeQp(W[0], s[0]).solve(v[2]) + LocalCoulomb(W[1], s[0]).solve(v[2], s[2]);
  s[3] = lorentz_det(v[0]) + inverse_step_to_boundary(v[0], v[1]);
  v[1] = jordan_divide(v[0], jordan(v[1], v[2])) + augmented(v[3], s[0]);
}

__global__ void sets(const SetExtra<double>* extra, ContactVec* v, double* s) {
  const SetRef<double> set{s[0], extra};
  ContactSlope<double> D;
  v[0] = project(set, v[1]) + project_dual(set, augmented(set, v[2]));
  v[1] = newton_map(set, v[0], v[1], s[1], D) + de_saxce_map(set, v[0], v[1], s[1], D);
  v[2] = fixed_mode(set, v[0], v[1], s[1], s[2], D) + clip(set, trial_impulse(set, v[0], v[1], s[1]));
  v[3] = with_compliance(set, v[0], v[1]) + without_compliance(set, v[2], v[1]);
  const Violation<double> far = violation(set, v[0], v[1], s[1]);
  s[3] = far.force + far.velocity + far.gap + far.natural + coupling(set, v[0]);
  add(reinterpret_cast<Violation<double>*>(s)[1], cone_violation(s[0], v[0], v[1], s[1]));
}

__global__ void points(BodyContact* contact, Vec3* v) {
  const TangentPair t = tangent_pair(v[2]);
  *contact = point_contact_rows(0, v[0], 1, v[1], t.t1, t.t2, v[2]);
}

__global__ void boxes(const LocalBox* box, ContactVec* v) { v[0] = box->solve(v[1]); }

__global__ void rows(BodyFormView<Lanes<6>> form, ContactVec* lambda, Lanes<6>* y, Block<Lanes<6>, 6>* K,
                     const ContactSlope<double>* D) {
  const int i = threadIdx.x;
  const BodyEnds e = form.ends[i];
  scatter(form.rows[i], lambda[i], y[e.a], y[e.b]);
  lambda[i] = gather(form.rows[i], y[e.a], y[e.b]);
  Lanes<6> Y[3];
  weighted_rows(as_rows(D[i]), form.rows[i].a, Y);
  add_outer(K[e.a], Y, form.rows[i].a);
}

using Room = collision::FixedRoom<64, 16, 32>;
__global__ void pairs(const collision::ShapeView* shapes, const collision::Relative* places, Room* room,
                      collision::PairMemory* memory, collision::PairResult* found, double margin, EdgeNormal rule) {
  collision::Points points = room->empty_points();
  collision::Scratch scratch = room->empty_scratch();
  *found = collision::collide(shapes[0], places[0], shapes[1], places[1], margin, rule, *memory, scratch, points);
}

__global__ void bodies(const Rotor* rotor, Quat* q, Vec3* w, Mat3* root, double* s) {
  rotate_freely(*rotor, s[0], q[0], w[0]);
  root[0] = inverse_inertia_root(*rotor, q[0]);
  w[1] = angular_velocity(*rotor, q[0], angular_momentum(*rotor, q[0], w[0]));
  s[1] = spin_energy(*rotor, q[0], w[1]);
  s[2] = rotor_cycles(*rotor, s[0], s[1]);
}

__global__ void contacts(const ContactPoint* points, int count, Vec3* v, double* gaps, double* s) {
  filter_gaps(View<const ContactPoint>{points, count}, v[0], s[0], View<double>{gaps, count});
  const Arms arms = contact_arms(points[0].position, v[0], gaps[0], v[1], v[2], s[1] > 0);
  const double normal = dot(v[0], point_velocity(v[3], v[4], arms.b) - point_velocity(v[5], v[6], arms.a));
  s[2] = impact_bias(closing_bias(gaps[0], s[3]), s[4], normal, normal, s[5]);
  v[7] = without_held(tangent_pair(v[0]).t1, true, false, false);
}
