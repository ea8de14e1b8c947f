// SPDX-License-Identifier: Apache-2.0
// The line of thrust: where the resultant of each joint between two bodies passes, and how it goes on through the bodies.
import { CONTACT_WORDS, type Frame, type Vec } from "./format";

/// A piece of the line within one body. `force` is the larger of the two that it connects, N.
export interface Piece {
  from: Vec;
  to: Vec;
  force: number;
}

/// All contacts of two bodies as one.
interface Joint {
  bodies: [number, number];
  place: Vec; // where the resultant of the normal forces passes
  pressure: number; // sum of the normal forces, N
}

const NOTHING = 1e-6; // joints with less than this share of the largest force carry nothing

function jointsOf(frame: Frame): Joint[] {
  const { contactWords: words, contactNumbers: x } = frame;
  const joints = new Map<string, Joint>();
  for (let o = 0; o < words.length; o += CONTACT_WORDS) {
    const [a, b] = [words[o]!, words[o + 1]!];
    const normal = x[o + 6]! * x[o + 11]! + x[o + 7]! * x[o + 12]! + x[o + 8]! * x[o + 13]!;
    if (!(normal > 0) || !frame.present(a) || !frame.present(b)) continue;
    const name = `${Math.min(a, b)} ${Math.max(a, b)}`;
    const joint = joints.get(name) ?? { bodies: [a, b], place: [0, 0, 0], pressure: 0 };
    for (let k = 0; k < 3; ++k) joint.place[k]! += normal * x[o + 3 + k]!;
    joint.pressure += normal;
    joints.set(name, joint);
  }
  const list = [...joints.values()];
  for (const joint of list) for (let k = 0; k < 3; ++k) joint.place[k]! /= joint.pressure;
  const largest = Math.max(0, ...list.map((joint) => joint.pressure));
  return list.filter((joint) => joint.pressure > NOTHING * largest);
}

/// Within a body that has two joints the line leads from one to the other; with more it leads from each to their mean, weighted
/// by force; with one to `centre`, where the body's own weight acts.
export function lineOfThrust(frame: Frame, bodies: number[], centre: (body: number) => Vec): Piece[] {
  const around = new Map<number, Joint[]>();
  for (const joint of jointsOf(frame))
    for (const body of joint.bodies) around.set(body, [...(around.get(body) ?? []), joint]);
  return bodies.flatMap((body) => piecesWithin(around.get(body) ?? [], () => centre(body)));
}

function piecesWithin(joints: Joint[], centre: () => Vec): Piece[] {
  const [first, second] = joints;
  if (!first) return [];
  if (second && joints.length === 2) {
    const force = Math.max(first.pressure, second.pressure);
    return [{ from: first.place, to: second.place, force }];
  }
  const meeting = joints.length === 1 ? centre() : meanOf(joints);
  return joints.map((joint) => ({ from: joint.place, to: meeting, force: joint.pressure }));
}

function meanOf(joints: Joint[]): Vec {
  const sum = joints.reduce((total, joint) => total + joint.pressure, 0);
  const along = (k: number) => joints.reduce((total, joint) => total + joint.pressure * joint.place[k]!, 0) / sum;
  return [along(0), along(1), along(2)];
}
