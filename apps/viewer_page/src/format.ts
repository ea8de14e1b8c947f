// SPDX-License-Identifier: Apache-2.0
// What the program writes and the page reads. repose/export/page_data_internal.h and chunk.h are the other side.

export const BODY_WORDS = 14;
export const CONTACT_WORDS = 14;
export const SERIES_COLUMNS = 16;

export type Vec = [number, number, number];
export type Quat = [number, number, number, number]; // w, x, y, z

export interface Shape {
  type: "plane" | "sphere" | "box" | "capsule" | "cylinder" | "hull";
  radius?: number;
  half?: Vec;
  half_length?: number;
  mesh?: number;
  position: Vec;
  quaternion: Quat;
  colour?: Vec;
  friction?: number;
}

export interface Body {
  name: string;
  kind: "static" | "dynamic" | "kinematic";
  mass: number;
  centre: Vec;
  moments?: Vec;
  shapes: Shape[];
}

export interface JointFrame {
  position: Vec;
  quaternion: Quat;
}
export interface Coordinate {
  name: string;
  angle: boolean; // rad, otherwise m
  lower?: number;
  upper?: number;
}
export interface Joint {
  name: string;
  type: string;
  body_a: number; // -1: the world
  body_b: number;
  frame_a: JointFrame; // z is the axis
  frame_b: JointFrame;
  coordinates: Coordinate[];
  axes?: JointAxis[]; // of a compound
  path?: PathPoint[]; // of a tendon
  thrust?: { frame: JointFrame; along: Vec }; // on body b
}
/// A hinge or a slide of a compound, in frame a where all coordinates are 0.
export interface JointAxis {
  slides: boolean;
  axis: Vec;
  point: Vec;
}
/// A straight line leads to the next point, unless the factor is 0.
export interface PathPoint {
  body: number;
  point: Vec;
  factor: number;
}
export interface Actuator {
  name: string;
  joint: number;
  coordinate: number;
  angle: boolean; // its force is a torque
  control: number; // at the start
  lower?: number;
  upper?: number;
}

export interface Mesh {
  vertices: Vec[];
  faces: number[][];
}

export interface RunEvent {
  time: number;
  text: string;
}

export interface Blocks {
  series: [number, number];
  states: [number, number][];
  contacts: [number, number][];
}

export interface Header {
  format: string;
  program: string;
  scene: string;
  label?: string;
  parameters: Record<string, string>;
  dt: number;
  gravity: Vec;
  tolerance: number;
  accept?: number; // residual up to which a step counts as accepted; missing or 0: none does
  settings: Record<string, unknown>;
  steps: number;
  chunk: number; // frames in a block of poses
  contact_chunk: number;
  bodies: Body[];
  meshes: Mesh[];
  events: RunEvent[];
  joints?: Joint[];
  actuators?: Actuator[];
  blocks?: Blocks;
}

/// Coordinates of all joints, in the order of a frame's numbers.
export function coordinatesOf(header: Header): Coordinate[] {
  return (header.joints ?? []).flatMap((joint) => joint.coordinates);
}

/// Columns of the numbers per step.
export const enum Column {
  time,
  rc,
  nat,
  contacts,
  outer,
  inner,
  fallbacks,
  islands,
  status,
  overlap,
  energy,
  rise,
  collide,
  assemble,
  solve,
  integrate,
}

export const enum Mode {
  open,
  stick,
  slip,
}

async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/// The words of every frame of a block: undoes the planes of bytes and the differences between frames.
export async function readChunk(block: Uint8Array<ArrayBuffer>): Promise<Uint32Array[]> {
  return unpackChunk(await inflated(block));
}

export function unpackChunk(plain: ArrayBuffer): Uint32Array[] {
  const whole = new DataView(plain);
  const frames = whole.getUint32(0, true);
  const first = 4 * (1 + frames);
  const count = (plain.byteLength - first) / 4;
  if (!Number.isInteger(count) || count < 0) throw new Error("damaged block of frames");
  const planes = new Uint8Array(plain, first);
  const list: Uint32Array[] = [];
  let used = 0;
  let before = new Uint32Array(0);
  for (let f = 0; f < frames; ++f) {
    const size = whole.getUint32(4 * (1 + f), true);
    if (used + size > count) throw new Error("damaged block of frames");
    const words = new Uint32Array(size);
    for (let k = 0; k < size; ++k, ++used) {
      const word =
        planes[used]! |
        (planes[used + count]! << 8) |
        (planes[used + 2 * count]! << 16) |
        (planes[used + 3 * count]! << 24);
      words[k] = k < before.length ? word ^ before[k]! : word;
    }
    list.push(words);
    before = words;
  }
  return list;
}

export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; ++k) bytes[k] = binary.charCodeAt(k);
  return bytes;
}

/// One frame: the state, and what the step that starts there found.
export class Frame {
  /// Coordinates of the joints, then control and force of each actuator. `count`: of the bodies.
  jointNumbers(count: number): Float32Array {
    return this.bodies.subarray(count * BODY_WORDS);
  }
  readonly bodies: Float32Array; // and after them the joints
  readonly contactNumbers: Float32Array;
  constructor(
    readonly index: number,
    readonly bodyWords: Uint32Array,
    readonly contactWords: Uint32Array,
    /// False while the contacts are still on their way.
    readonly complete = true,
  ) {
    this.bodies = new Float32Array(bodyWords.buffer, bodyWords.byteOffset, bodyWords.length);
    this.contactNumbers = new Float32Array(contactWords.buffer, contactWords.byteOffset, contactWords.length);
  }
  present(body: number): boolean {
    return this.bodyWords[body * BODY_WORDS + 13] !== 0;
  }
  get contacts(): number {
    return this.contactWords.length / CONTACT_WORDS;
  }
}
