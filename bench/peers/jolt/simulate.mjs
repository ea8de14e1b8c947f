// SPDX-License-Identifier: Apache-2.0
// Jolt (WebAssembly, single precision) on a scene description.   node simulate.mjs PACKAGES DESCRIPTION SETTING STEPS SECONDS OUT
// PACKAGES is the folder with node_modules; what OUT becomes is said in ../native.py.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [packages, description, settingText, stepsText, secondsText, out] = process.argv.slice(2);
const require = createRequire(resolve(packages, 'package.json'));
const { default: start } = await import(pathToFileURL(require.resolve('jolt-physics/wasm')));
const version = JSON.parse(readFileSync(require.resolve('jolt-physics/package.json'))).version;
const Jolt = await start();
const scene = JSON.parse(readFileSync(description));
const setting = JSON.parse(settingText);
const [FIXED, MOVING] = [0, 1];

const moves = (body) => (body.kind ?? 'dynamic') === 'dynamic';
const times = ([a, b, c, d], [w, x, y, z]) =>
  [a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y, a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w];
const turned = (q, v) => times(times(q, [0, ...v]), [q[0], -q[1], -q[2], -q[3]]).slice(1);
const vector = ([x, y, z]) => new Jolt.Vec3(x, y, z);
const place = ([x, y, z]) => new Jolt.RVec3(x, y, z);
const turn = ([w, x, y, z]) => new Jolt.Quat(x, y, z, w);
const cpuMs = () => { const u = process.cpuUsage(); return 1e-3 * (u.user + u.system); };

/** Everything meets everything but what is fixed. */
function filters(settings) {
  const pairs = new Jolt.ObjectLayerPairFilterTable(2);
  pairs.EnableCollision(FIXED, MOVING);
  pairs.EnableCollision(MOVING, MOVING);
  const layers = new Jolt.BroadPhaseLayerInterfaceTable(2, 2);
  layers.MapObjectToBroadPhaseLayer(FIXED, new Jolt.BroadPhaseLayer(FIXED));
  layers.MapObjectToBroadPhaseLayer(MOVING, new Jolt.BroadPhaseLayer(MOVING));
  settings.mObjectLayerPairFilter = pairs;
  settings.mBroadPhaseLayerInterface = layers;
  settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 2, pairs, 2);
}

function world() {
  const settings = new Jolt.JoltSettings();
  settings.mMaxWorkerThreads = 0;
  filters(settings);
  const jolt = new Jolt.JoltInterface(settings);
  const system = jolt.GetPhysicsSystem();
  const physics = system.GetPhysicsSettings();
  physics.mAllowSleeping = false;
  physics.mPenetrationSlop = setting.slop ?? physics.mPenetrationSlop;
  physics.mNumVelocitySteps = setting.velocity_steps ?? physics.mNumVelocitySteps;
  system.SetPhysicsSettings(physics);
  system.SetGravity(vector(scene.gravity));
  return [jolt, system.GetBodyInterface()];
}

function made(settings) {
  const result = settings.Create();
  if (result.HasError()) throw new Error(`shape: ${result.GetError().c_str()}`);
  return result.Get();
}

/** Its capsules and cylinders stand along y, ours along z. */
const upright = (settings) =>
  made(new Jolt.RotatedTranslatedShapeSettings(new Jolt.Vec3(0, 0, 0), turn([Math.SQRT1_2, Math.SQRT1_2, 0, 0]), settings));

function hull(vertices) {
  const settings = new Jolt.ConvexHullShapeSettings();
  for (const v of vertices) settings.mPoints.push_back(vector(v));
  settings.mMaxConvexRadius = 0;
  settings.mHullTolerance = 1e-6;
  return made(settings);
}

/** Without rounded edges: the shapes are those of the description. */
function shapeOf(shape) {
  switch (shape.type) {
    case 'plane': return new Jolt.PlaneShape(new Jolt.Plane(new Jolt.Vec3(0, 0, 1), 0), null, 1000);
    case 'sphere': return new Jolt.SphereShape(shape.radius);
    case 'box': return new Jolt.BoxShape(vector(shape.half), 0);
    case 'capsule': return upright(new Jolt.CapsuleShapeSettings(shape.half_length, shape.radius));
    case 'cylinder': return upright(new Jolt.CylinderShapeSettings(shape.half_length, shape.radius, 0));
    case 'hull': return hull(shape.vertices);
    default: throw new Error(`shape: type: expected plane, sphere, box, capsule, cylinder, hull, got ${shape.type}`);
  }
}

function massOf(mass, settings) {
  const i = mass.inertia;
  settings.mOverrideMassProperties = Jolt.EOverrideMassProperties_MassAndInertiaProvided;
  settings.mMassPropertiesOverride.mMass = mass.mass;
  for (let k = 0; k < 3; ++k) {
    settings.mMassPropertiesOverride.mInertia.SetColumn4(k, new Jolt.Vec4(i[0][k], i[1][k], i[2][k], 0));
  }
  settings.mMassPropertiesOverride.mInertia.SetColumn4(3, new Jolt.Vec4(0, 0, 0, 1));
}

/** One Jolt body for every shape of a fixed body, one for a moving one. */
function add(bodies, body, shape) {
  const kind = moves(body) ? Jolt.EMotionType_Dynamic : Jolt.EMotionType_Static;
  const attitude = body.rotation ?? [1, 0, 0, 0];
  const local = turned(attitude, shape.position ?? [0, 0, 0]);
  const at = (body.position ?? [0, 0, 0]).map((x, k) => x + local[k]);
  const settings = new Jolt.BodyCreationSettings(shapeOf(shape), place(at), turn(times(attitude, shape.rotation ?? [1, 0, 0, 0])),
    kind, moves(body) ? MOVING : FIXED);
  settings.mFriction = scene.materials[0].friction;  // a pair's is the geometric mean
  settings.mRestitution = settings.mLinearDamping = settings.mAngularDamping = 0;
  settings.mMaxLinearVelocity = settings.mMaxAngularVelocity = 1e4;  // the default of 47 rad/s would slow the ball down
  settings.mApplyGyroscopicForce = true;
  settings.mAllowSleeping = false;
  if (moves(body)) massOf(body.mass, settings);
  const added = bodies.CreateBody(settings);
  bodies.AddBody(added.GetID(), Jolt.EActivation_Activate);
  if (moves(body)) {
    added.SetLinearVelocity(vector(body.velocity ?? [0, 0, 0]));
    added.SetAngularVelocity(vector(body.angular_velocity ?? [0, 0, 0]));
  }
  return added;
}

/** 13 numbers; what is fixed stays where the description has it, as our bodies of several shapes are several of its own. */
function stateOf(body, own) {
  if (!moves(body)) return [...(body.position ?? [0, 0, 0]), ...(body.rotation ?? [1, 0, 0, 0]), 0, 0, 0, 0, 0, 0];
  const p = own.GetPosition(), q = own.GetRotation();
  const numbers = [p.GetX(), p.GetY(), p.GetZ(), q.GetW(), q.GetX(), q.GetY(), q.GetZ()];  // results share their memory
  const v = own.GetLinearVelocity();
  numbers.push(v.GetX(), v.GetY(), v.GetZ());
  const w = own.GetAngularVelocity();
  return [...numbers, w.GetX(), w.GetY(), w.GetZ()];
}

function run() {
  const [jolt, bodies] = world();
  const own = scene.bodies.map((body) => body.shapes.map((shape) => add(bodies, body, shape))[0]);
  const rows = [];
  const keep = (ms) => { rows.push(ms); scene.bodies.forEach((body, k) => rows.push(...stateOf(body, own[k]))); };
  keep(0);
  const begin = cpuMs();
  for (let k = 0; k < Number(stepsText); ++k) {
    const before = cpuMs();
    jolt.Step(scene.dt, setting.substeps ?? 1);
    keep(cpuMs() - before);
    if (cpuMs() - begin > 1e3 * Number(secondsText)) break;
  }
  writeFileSync(out, new Float64Array(rows));
}

try {
  run();
  console.log(version);
} catch (error) {
  console.error(String(error).split('\n')[0]);
  process.exitCode = 1;
}
