// SPDX-License-Identifier: Apache-2.0
// Overlapping polyhedra against Bullet (double precision), which searches the deepest axis in its own way. Only the
// depth is compared: Bullet drops points near touch and shrinks hulls by a margin, which is set to zero here.
#ifdef REPOSE_HAVE_BULLET
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/NarrowPhaseCollision/btPolyhedralContactClipping.h>
#include <LinearMath/btTransform.h>
#include <gtest/gtest.h>

#include "tests/collision/support.h"

namespace repose::testing {
namespace {

btTransform transform(const Pose& pose) {
  return btTransform(btQuaternion(pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.rotation.w),
                     btVector3(pose.position.x, pose.position.y, pose.position.z));
}

std::unique_ptr<btConvexHullShape> bullet_shape(const Polyhedron& poly) {
  auto shape = std::make_unique<btConvexHullShape>();
  for (const Vec3 v : poly.vertices) shape->addPoint(btVector3(v.x, v.y, v.z), false);
  shape->setMargin(0);
  shape->recalcLocalAabb();
  shape->initializePolyhedralFeatures(0);
  return shape;
}

struct Sink : btDiscreteCollisionDetectorInterface::Result {
  void setShapeIdentifiersA(int, int) override {}
  void setShapeIdentifiersB(int, int) override {}
  void addContactPoint(const btVector3&, const btVector3&, btScalar) override {}
};

TEST(AgainstBullet, DepthOfOverlappingPolyhedra) {
  Random random(61);
  int compared = 0;
  double worst = 0;
  while (compared < 2000) {
    const Geometry ga = random_box(random), gb = compared % 2 ? random_hull(random) : random_box(random);
    const Pose a = random_pose(random, 3);
    Pose b = random_pose(random, 1.2);
    b.position = a.position + b.position;
    if (nearly_parallel(ga, gb, conjugate(a.rotation) * b.rotation)) continue;  // patches by rule, not by depth
    const auto pa = polyhedron_of(ga), pb = polyhedron_of(gb);
    const auto sa = bullet_shape(*pa), sb = bullet_shape(*pb);
    btVector3 axis;
    Sink sink;
    if (!btPolyhedralContactClipping::findSeparatingAxis(*sa->getConvexPolyhedron(), *sb->getConvexPolyhedron(),
                                                         transform(a), transform(b), axis, sink))
      continue;
    // Depth along Bullet's axis, measured by ourselves on the vertices.
    Vec3 n{axis.x(), axis.y(), axis.z()};
    n = normalized(n);
    const auto depth_along = [&](Vec3 d) {
      double top = -1e300, bottom = 1e300;
      for (const Vec3 v : pa->vertices) top = std::max(top, dot(d, a * v));
      for (const Vec3 v : pb->vertices) bottom = std::min(bottom, dot(d, b * v));
      return bottom - top;
    };
    const double bullet = std::max(depth_along(n), depth_along(-1.0 * n));
    const Contacts found = contacts(ga, a, gb, b, .01);
    ASSERT_FALSE(found.empty());
    // Ours may be less deep (Bullet skips axes) but not deeper. Patches of parallel faces and edges are within their
    // band.
    const double ours = depth_along(found.normal);
    worst = std::max(worst, bullet - ours);
    ++compared;
  }
  EXPECT_LE(worst, 1e-9);
}

}  // namespace
}  // namespace repose::testing
#endif
