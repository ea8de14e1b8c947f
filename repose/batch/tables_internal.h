// SPDX-License-Identifier: Apache-2.0
// The data of a batch as plain bytes: what all worlds share (Tables), and the state of one world. Host and device read
// the same structs; only the addresses in them differ. SI units.
#pragma once

#include <cstdint>

#include "repose/base/pack.h"
#include "repose/batch/joint_tables_internal.h"
#include "repose/collision/polyhedron_pair_internal.h"
#include "repose/math/pose.h"
#include "repose/world/motion_kernel.h"
#include "repose/world/rotor.h"

namespace repose::batch {

/// What a model has besides bodies without corners or with flat faces that fall on things that stand still. Kernels are
/// compiled for sets of features: code that a model does not need costs registers and memory of instructions.
enum Feature : int {
  kCylinders = 1,
  kScheduled = 2,  ///< prescribed motions, events, bodies that are not there
  kJoints = 4,
  kAllFeatures = 7,
};

/// The node of something that does not move, and those of bodies with a prescribed motion, which follow below.
inline constexpr int kNoNode = -1;
REPOSE_HD constexpr int node_of_motion(int motion) { return kNoNode - 1 - motion; }
/// Place in Tables::motions of a node below kNoNode.
REPOSE_HD constexpr int motion_of_node(int node) { return kNoNode - 1 - node; }

/// A body that moves freely. Its place in the list is its node.
struct BodyTable {
  int body = 0;  ///< of the scene
  double mass = 0, inverse_mass = 0;
  Rotor rotor;
  double gravity_scale = 1;
  Vec3 force, torque;             ///< constant, N and N m
  double size = 0;                ///< as in BodyModel, m
  double spin_reach = 0;          ///< as in BodyModel, m
  double thickness = 0;           ///< as in BodyModel, m
  unsigned long long linked = 0;  ///< bodies that joints connect with this one
  int links = 0, first_link = 0;  ///< ends of joints at this body
  int held = 0;                   ///< bits: no motion along world x, y, z, no rotation about them

  REPOSE_HD [[nodiscard]] bool holds(int axis) const { return (held >> axis & 1) != 0; }
  REPOSE_HD [[nodiscard]] bool turns_freely() const { return held >> 3 == 0; }
};

struct ColliderTable {
  int node = kNoNode;
  int body = 0;    ///< of the scene
  int place = -1;  ///< in the list of moving colliders
  bool turned = false;
  Pose local;                  ///< in the frame of the mass centre
  collision::Relative fixed;   ///< in the world, where node = −1
  collision::ShapeView shape;  ///< its polyhedron lies in the block of the tables
  Vec3 centre, half;           ///< bounding box in the shape's frame, m
  double size = 0;             ///< of its body, m
};

/// Two colliders that may touch each other, by ascending (a, b).
struct CandidateTable {
  int a = 0, b = 0;
  double mu = 0, restitution = 0;
  double slop = 0;    ///< overlap that is left alone, m
  double limit = 0;   ///< overlap that waits for the next turn of the removal, m
  double sunken = 0;  ///< overlap from which contacts still point to the right side, m
};

/// A body with a prescribed motion.
struct MotionTable {
  MotionView motion;
  Pose start;             ///< of the body's frame
  double spin_reach = 0;  ///< as in BodyModel, m
  double thickness = 0;   ///< the same
};

/// An event of the scene.
struct EventTable {
  enum class Kind { kAppear, kDisappear, kSetVelocity, kPush } kind = Kind::kAppear;
  double time = 0;       ///< s
  int body = 0;          ///< of the scene
  int node = kNoNode;    ///< of that body
  Vec3 linear, angular;  ///< velocities that are set, or force and torque of a push
  double duration = 0;   ///< of a push, s
};
/// Share of a step by which times count as equal: as in Schedule.
inline constexpr double kSameTime = 1e-9;

/// The state of a body in which it appears.
struct StartTable {
  Vec3 centre;
  Quat rotation;
  Vec3 velocity, angular_velocity;
};

/// A push that acts for `left` more seconds.
struct PushState {
  long long node = 0;
  Vec3 force, torque;  ///< N, N m
  double left = 0;
};
/// Pushes by the caller that may act at the same time.
inline constexpr int kFreePushes = 8;

/// Most elements of each list. A world that needs more takes its step on the host.
struct Capacity {
  int bodies = 0, colliders = 0, candidates = 0;  ///< of the model
  int places = 0;                                 ///< colliders that move or are moved
  int motions = 0, events = 0, presence = 0;      ///< of the model; words of a bit per body of the scene
  int joints = 0, joint_blocks = 0, joint_rows = 0, coordinates = 0, actuators = 0;  ///< of the model
  int positions = 0;            ///< coordinates that callers see: the first ones, those of balls follow
  int pairs = 0, contacts = 0;  ///< pairs whose bounds overlap, and their contacts
  int blocks = 0;               ///< 6 × 6 blocks of the factor
  int updates = 0;              ///< entries of its schedule
};

/// Places of the arrays of a world at work, in bytes from its start. Elements in comments: n bodies, p pairs,
/// c contacts.
struct WorkLayout {
  int reduction = 0;                                        ///< for the sums of a team
  int x = 0, q = 0, velocity = 0, pending = 0, free = 0;    ///< 3n, 4n, 6n, 6n, 6n
  int inertia = 0, inverse_inertia = 0;                     ///< 6n each: xx xy xz yy yz zz
  int y0 = 0, y1 = 0, y_trial = 0, residual = 0, step = 0;  ///< 6n each, of the solver
  int travel = 0, least = 0, scales = 0;                    ///< n and one per prescribed motion, n, 2n
  int joint_row = 0, coordinate = 0, motor = 0, end = 0;    ///< of joints; poses at the end of the step, 7n
  int drive = 0, presence = 0;                              ///< Drive per prescribed motion, Capacity::presence
  int adjacent = 0, pattern = 0, remaining = 0;             ///< n bit masks each
  int island = 0, neighbours_first = 0, neighbours = 0;     ///< n, n + 1, 2p
  int row_first = 0, degree = 0, pivots = 0, level_first = 0, lower_first = 0, update_first = 0;  ///< n + 1 each
  int block_row = 0, block_column = 0, lowers = 0, updates = 0;                                   ///< of the schedule
  int place = 0;                                         ///< 12 per moving collider
  int found = 0;                                         ///< one bit per candidate
  int candidate = 0, first = 0, node_a = 0, node_b = 0;  ///< p + 1 each: the pairs of this step
  int last_slot = 0, pair_flags = 0;                     ///< p + 1 each
  int last_candidate = 0, last_first = 0;                ///< p + 1 each: those of the last step
  int reach = 0, frame = 0, last_normal = 0;             ///< p, 9p, 3p
  int lambda = 0, feature = 0, pair_of = 0;              ///< 3c, c, c
  int exchange = 0;                                      ///< 15c
  int blocks = 0;                                        ///< the factor; during collision the points
  int points = 0;                                        ///< how many points fit into its memory
  int bytes = 0;
};

/// Places of the arrays of a world's state in bytes from its start.
struct StateLayout {
  int pairs = 0, contacts = 0;  ///< capacity: twice that of a world at work
  int x = 0, q = 0, velocity = 0, pending = 0;
  int wrench = 0;                                        ///< 6n: force and torque that the caller applies, N and N m
  int presence = 0;                                      ///< one bit per body of the scene
  int control = 0;                                       ///< one per actuator
  int coordinate = 0;                                    ///< of joints when last asked: angles go on from there
  int joint_lambda = 0;                                  ///< 3 per block, of a limit along the coordinate
  int joint_position = 0, joint_velocity = 0;            ///< for the caller
  int pushes = 0, push_room = 0;                         ///< PushState; how many there is room for
  int candidate = 0, first = 0, normal = 0, memory = 0;  ///< memory: two lists, WorldHeader::flip is the valid one
  int depth = 0;                                         ///< overlap of a pair, m: two lists, like memory
  int lambda = 0, feature = 0;
  int bytes = 0;
};

struct Tables {
  Capacity capacity;
  WorkLayout work;
  StateLayout state;
  int threads = 0;                                                ///< of a team: the size class
  int features = 0;                                               ///< of the model
  double h = 0, margin = 0, bounce_speed = 0;                     ///< s, m, m/s
  double tolerance = 1e-8, start_share = 2e-2, aim_share = 2e-3;  ///< shares of the tolerance: solve_internal.h
  int removal_period = 1;                                         ///< BatchOptions::removal_period
  int quick_removal = 0;                                          ///< BatchOptions::quick_removal
  int newton_budget = 300;                                        ///< Newton steps before the host takes over
  double recovery = 0.2;                                          ///< of the scene
  double far = 0;                                                 ///< a body this far away has exploded, m
  EdgeNormal edge_normal = EdgeNormal::kBisecting;
  const BodyTable* bodies = nullptr;
  const ColliderTable* colliders = nullptr;
  const CandidateTable* candidates = nullptr;
  const MotionTable* motions = nullptr;
  const EventTable* events = nullptr;  ///< by time
  const StartTable* starts = nullptr;  ///< by node
  const JointTable* joints = nullptr;
  const BlockTable* blocks = nullptr;  ///< by joint
  const CoordinateTable* coordinates = nullptr;
  const TermTable* terms = nullptr;
  const ActuatorTable* actuators = nullptr;
  const LinkTable* links = nullptr;  ///< by node
};

/// Whether a world goes on, and why not.
enum class WorldStatus : int {
  kReady = 0,
  kUnsolved = 1,  ///< the solver missed the tolerance: the host takes this step
  kCapacity = 2,  ///< a list is too short for this step: the host takes it
  kOverlap = 3,   ///< overlap beyond what is left alone: the host takes this step with its recovery
  kTooLarge = 4,  ///< more contacts than the state has room for: stopped
  kBroken = 5,    ///< a number is not finite, or a body has exploded: stopped
  kAhead = 6,     ///< a struck body may reach another one beyond its margin: the host looks ahead in this step
};

/// Sums over the steps of a world since the last reset.
struct WorldTotals {
  long long steps = 0;     ///< taken
  long long solved = 0;    ///< within the tolerance
  long long overlaps = 0;  ///< left to the host because of overlap beyond what is left alone
  long long exceeded = 0;  ///< left to the host because a list was too short
  long long ahead = 0;     ///< left to the host because a struck body may reach another one
  long long finished = 0;  ///< by the host
  long long warm = 0;      ///< where the impulses of the last step were good enough
  long long newton = 0, factors = 0, contacts = 0;
  double worst = 0;        ///< largest max(r_c, nat)
  double joint_error = 0;  ///< the largest position error of a joint, as a share of its mechanism's size
};

struct WorldHeader {
  long long steps = 0;          ///< taken since t = 0 of the batch
  long long born = 0;           ///< steps when it was last reset: the time of its own begins there
  unsigned long long seed = 0;  ///< of the kicks
  Vec3 gravity;                 ///< m/s²
  double friction = 1;          ///< factor on every μ
  double kick = 0;              ///< m/s: random velocity up to this along every axis for every body in every step
  WorldStatus status = WorldStatus::kReady;
  int flip = 0, pairs = 0, contacts = 0;
  int events = 0, pushes = 0;  ///< that have happened; that act
  int unchecked = 0;           ///< the last step may have made overlap, which the host removes where there is some
  int iterated = 0;            ///< the last step was not solved by the impulses of the one before
  int distrust = 0;            ///< above kDoubt: so many more steps begin without guessed modes
  int restless = 0;            ///< the last step started far from its answer
  double r_c = 0, nat = 0;     ///< of the last step
  double joint_error = 0;      ///< the same, a share of the mechanism's size
  WorldTotals totals;
};

/// What the host adds to a step that it finishes.
struct StepHelp {
  const double* lambda = nullptr;        ///< 3 per contact: t1, t2, n, N·s
  const double* change = nullptr;        ///< 6 per body: of the velocities, by all
  const double* joint_lambda = nullptr;  ///< 3 per block of a joint
  double r_c = 0, nat = 0;
  bool solved = false;
};

/// A contact of a step that the host finishes.
struct StepContact {
  int candidate = 0;
  std::uint32_t feature = 0;
  Vec3 position, normal;
  double mu = 0, gap = 0, closing = 0, bias = 0;  ///< as in repose::Contact
  double start[3] = {};                           ///< t1, t2, n
};

/// The problem of a step that the host finishes.
struct StepProblem {
  int bodies = 0, contacts = 0;
  const StepContact* list = nullptr;
  const double *x = nullptr, *q = nullptr;              ///< 3, 4 per body, at the start
  const double *velocity = nullptr, *before = nullptr;  ///< 6 per body: with and without gravity and forces
  double friction = 1;                                  ///< factor on every μ
  const double* pending = nullptr;                      ///< 6 per body: motion that poses do not show yet
  const unsigned* presence = nullptr;                   ///< one bit per body of the scene; none: all are there
  const double* coordinates = nullptr;                  ///< of joints, at the start of the step
  const double* joint_lambda = nullptr;                 ///< 3 per block of a joint, of the last step, as in the state
  const double* controls = nullptr;                     ///< by actuator
  long long steps = 0;                                  ///< taken since the world's own t = 0
};

/// The bodies at the end of a step, for the host to remove overlap.
struct StepEnd {
  const StepProblem* step = nullptr;                       ///< none: a step that left no overlap at its start
  const unsigned* presence = nullptr;                      ///< as in StepProblem
  long long steps = 0;                                     ///< taken since the world's own t = 0, this one included
  bool far = false;                                        ///< a body has moved far enough to overlap another one
  double *x = nullptr, *q = nullptr, *velocity = nullptr;  ///< 3, 4, 6 per body
  const double* coordinates = nullptr;                     ///< of joints, at the start of the step
  double* joint_error = nullptr;                           ///< of the step: to be written
};

}  // namespace repose::batch
