// SPDX-License-Identifier: Apache-2.0
// Contact points, forces, friction cones, velocities and joints: many small things drawn as few instanced meshes.
import * as THREE from "three";
import { MODE_COLOURS, type Palette } from "./colours";
import { BODY_WORDS, CONTACT_WORDS, type Frame, type Header, type JointAxis, type JointFrame, type PathPoint, type Vec } from "./format";
import { lineOfThrust } from "./thrust";

const MOST = 50000;
const ARROW = 0.075; // length of an arrow of one unit, as a share of the scene
const HALF_ARROW = 0.05; // the same of a force, which has two
const Z = new THREE.Vector3(0, 0, 1);

/// An instanced mesh that grows.
class Swarm {
  mesh: THREE.InstancedMesh;
  private count = 0;
  constructor(
    private readonly parent: THREE.Object3D,
    private readonly geometry: THREE.BufferGeometry,
    private readonly material: THREE.Material,
    private readonly order: number,
  ) {
    this.mesh = this.make(64);
  }
  private make(size: number): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(this.geometry, this.material, size);
    mesh.frustumCulled = false;
    mesh.renderOrder = this.order;
    mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * size).fill(1), 3);
    this.parent.add(mesh);
    return mesh;
  }
  begin(): void {
    this.count = 0;
  }
  add(matrix: THREE.Matrix4, colour: THREE.Color): void {
    if (this.count >= MOST) return;
    if (this.count >= this.mesh.instanceMatrix.count) {
      const bigger = this.make(2 * this.mesh.instanceMatrix.count);
      bigger.instanceMatrix.array.set(this.mesh.instanceMatrix.array);
      bigger.instanceColor!.array.set(this.mesh.instanceColor!.array);
      this.parent.remove(this.mesh);
      this.mesh.dispose();
      this.mesh = bigger;
    }
    this.mesh.setMatrixAt(this.count, matrix);
    this.mesh.setColorAt(this.count, colour);
    ++this.count;
  }
  end(): void {
    this.mesh.count = this.count;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
  dispose(): void {
    this.parent.remove(this.mesh);
    this.mesh.dispose();
  }
}

export interface GlyphOptions {
  contacts: boolean;
  forces: boolean;
  thrust: boolean;
  cones: boolean;
  velocities: boolean;
  joints: boolean;
  arrowScale: number;
}

export class Glyphs {
  readonly group = new THREE.Group();
  private readonly points: Swarm;
  private readonly hidden: Swarm; // the same points where a body is in front of them
  private readonly shafts: Swarm;
  private readonly heads: Swarm;
  private readonly cones: Swarm;
  private readonly materials: THREE.MeshBasicMaterial[] = [];
  private readonly geometries: THREE.BufferGeometry[] = [];
  private forceUnit = 0; // N that are drawn as long as `length`
  private speedUnit = 0;

  constructor(
    private readonly header: Header,
    private readonly size: number,
    private palette: Palette,
  ) {
    const ball = new THREE.SphereGeometry(1, 12, 8);
    const shaft = new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    const head = new THREE.ConeGeometry(1, 1, 14).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    // Apex at the origin, opening along z.
    const cone = new THREE.ConeGeometry(1, 1, 28, 1, true).translate(0, -0.5, 0).rotateX(-Math.PI / 2);
    this.geometries.push(ball, shaft, head, cone);
    const solid = () => this.material({ depthTest: false, transparent: true, opacity: 0.95 });
    this.cones = new Swarm(
      this.group,
      cone,
      this.material({ transparent: true, opacity: 0.22, side: THREE.DoubleSide, depthWrite: false, depthTest: false }),
      2,
    );
    this.shafts = new Swarm(this.group, shaft, solid(), 4);
    this.heads = new Swarm(this.group, head, solid(), 4);
    this.hidden = new Swarm(this.group, ball, this.material({ depthTest: false, depthWrite: false, transparent: true, opacity: 0.2 }), 3);
    this.points = new Swarm(this.group, ball, this.material({ transparent: true, opacity: 0.95 }), 5);
  }

  private material(parameters: THREE.MeshBasicMaterialParameters): THREE.MeshBasicMaterial {
    const material = new THREE.MeshBasicMaterial({ ...parameters, toneMapped: false, fog: false });
    this.materials.push(material);
    return material;
  }

  private get swarms(): Swarm[] {
    return [this.points, this.hidden, this.shafts, this.heads, this.cones];
  }

  /// Force of an arrow of 1 m, N; 0 before there was one.
  forcePerMetre(arrowScale: number): number {
    return this.forceUnit / (HALF_ARROW * this.size * arrowScale);
  }

  setPalette(palette: Palette): void {
    this.palette = palette;
  }

  update(frame: Frame, options: GlyphOptions): void {
    for (const swarm of this.swarms) swarm.begin();
    if (options.contacts || options.forces || options.cones) this.drawContacts(frame, options);
    if (options.thrust) this.drawThrust(frame);
    if (options.velocities) this.drawVelocities(frame, options);
    if (options.joints) this.drawJoints(frame);
    for (const swarm of this.swarms) swarm.end();
  }

  private drawContacts(frame: Frame, options: GlyphOptions): void {
    const { contactWords: words, contactNumbers: x } = frame;
    this.chooseForceUnit(frame);
    const place = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    const scale = new THREE.Vector3();
    const matrix = new THREE.Matrix4();
    const normal = new THREE.Vector3();
    const force = new THREE.Vector3();
    const modes = MODE_COLOURS.map((c) => new THREE.Color(c));
    const arrow = new THREE.Color(this.palette.arrow);
    const cone = new THREE.Color(this.palette.cone);
    // Few bodies fill the picture and leave room for dots that are seen.
    const dot = (this.header.bodies.length <= 6 ? 0.018 : 0.0085) * this.size;
    for (let o = 0; o < words.length; o += CONTACT_WORDS) {
      place.set(x[o + 3]!, x[o + 4]!, x[o + 5]!);
      normal.set(x[o + 6]!, x[o + 7]!, x[o + 8]!);
      force.set(x[o + 11]!, x[o + 12]!, x[o + 13]!);
      const mode = words[o + 2]!;
      // A body that joins during this step is not drawn yet; neither are its contacts.
      if (!frame.present(words[o]!) || !frame.present(words[o + 1]!)) continue;
      if (options.contacts) {
        matrix.compose(place, turn.identity(), scale.setScalar(mode === 0 ? 0.9 * dot : dot));
        this.points.add(matrix, modes[mode] ?? modes[0]!);
        this.hidden.add(matrix, modes[mode] ?? modes[0]!);
      }
      if (options.cones && mode !== 0) {
        const height = 0.045 * this.size * options.arrowScale;
        const wide = height * Math.min(x[o + 10]!, 4);
        matrix.compose(place, turn.setFromUnitVectors(Z, normal.normalize()), scale.set(wide, wide, height));
        this.cones.add(matrix, mode === 2 ? modes[2]! : cone);
      }
      // What the contact does to both bodies: the same arrows whichever of the two is called the first.
      if (options.forces)
        for (const sign of [1, -1])
          this.arrow(place, force.clone().multiplyScalar(sign), this.forceUnit, HALF_ARROW * options.arrowScale, arrow);
    }
  }

  /// Fixed once chosen, so that arrows can be compared over time: the mean push of the first frame that has one.
  private chooseForceUnit(frame: Frame): void {
    if (this.forceUnit > 0) return;
    let sum = 0;
    let count = 0;
    const x = frame.contactNumbers;
    for (let o = 0; o < x.length; o += CONTACT_WORDS) {
      const size = Math.hypot(x[o + 11]!, x[o + 12]!, x[o + 13]!);
      if (size > 0) [sum, count] = [sum + size, count + 1];
    }
    if (count > 0) this.forceUnit = sum / count;
  }

  private massCentre(frame: Frame, body: number): Vec {
    const x = frame.bodies.subarray(body * BODY_WORDS, (body + 1) * BODY_WORDS);
    const turn = new THREE.Quaternion(x[4]!, x[5]!, x[6]!, x[3]!);
    const place = new THREE.Vector3(...this.header.bodies[body]!.centre).applyQuaternion(turn);
    return [place.x + x[0]!, place.y + x[1]!, place.z + x[2]!];
  }

  /// Thicker where the force is larger: the area of the line's section is in proportion to it.
  private drawThrust(frame: Frame): void {
    const moving = this.header.bodies.flatMap((body, b) => (body.kind === "dynamic" && frame.present(b) ? [b] : []));
    const pieces = lineOfThrust(frame, moving, (b) => this.massCentre(frame, b));
    const largest = Math.max(0, ...pieces.map((piece) => piece.force));
    const colour = new THREE.Color(this.palette.thrust);
    for (const { from, to, force } of pieces) {
      const share = Math.sqrt(force / largest);
      this.line(new THREE.Vector3(...from), new THREE.Vector3(...to), colour, 0.002 + 0.004 * share);
    }
  }

  private drawVelocities(frame: Frame, options: GlyphOptions): void {
    if (this.speedUnit === 0) this.speedUnit = Math.sqrt(Math.hypot(...this.header.gravity) * this.size) || 1;
    const place = new THREE.Vector3();
    const velocity = new THREE.Vector3();
    const colour = new THREE.Color(this.palette.velocity);
    const x = frame.bodies;
    this.header.bodies.forEach((body, b) => {
      if (body.kind === "static" || !frame.present(b)) return;
      const o = b * BODY_WORDS;
      place.fromArray(this.massCentre(frame, b));
      velocity.set(x[o + 7]!, x[o + 8]!, x[o + 9]!);
      this.arrow(place, velocity, this.speedUnit / 4, ARROW * options.arrowScale, colour);
    });
  }

  /// Anchors as dots, axes as thin lines through them with a head towards +z, a line from end to end of a distance or a
  /// rope and along the path of a tendon, a head along a thrust; of a compound all axes.
  private drawJoints(frame: Frame): void {
    const colour = new THREE.Color(this.palette.axis);
    const dot = (this.header.bodies.length <= 6 ? 0.014 : 0.0085) * this.size;
    const matrix = new THREE.Matrix4();
    const values = frame.jointNumbers(this.header.bodies.length);
    let first = 0; // of the joint's coordinates
    for (const joint of this.header.joints ?? []) {
      const own = values.slice(first, first + joint.coordinates.length);
      first += joint.coordinates.length;
      if (joint.type === "coupling") {
        this.drawTendon(frame, joint.path ?? [], dot, colour);
        if (joint.thrust && frame.present(joint.body_b)) {
          const site = this.jointPose(frame, joint.body_b, joint.thrust.frame);
          const body = this.jointPose(frame, joint.body_b, { position: [0, 0, 0], quaternion: [1, 0, 0, 0] });
          const along = new THREE.Vector3(...joint.thrust.along);
          if (along.length() > 0) this.axis(site.place, along.normalize().applyQuaternion(body.turn), colour);
        }
        continue;
      }
      if (![joint.body_a, joint.body_b].every((b) => b < 0 || frame.present(b))) continue;
      const a = this.jointPose(frame, joint.body_a, joint.frame_a);
      const b = this.jointPose(frame, joint.body_b, joint.frame_b);
      for (const end of [a, b]) {
        matrix.compose(end.place, end.turn, new THREE.Vector3(dot, dot, dot));
        this.points.add(matrix, colour);
        this.hidden.add(matrix, colour);
      }
      if (joint.type === "distance" || joint.type === "rope") this.line(a.place, b.place, colour);
      else if (joint.type === "compound") this.drawCompound(a, joint.axes ?? [], own, colour);
      else if (joint.type !== "ball" && joint.type !== "fixed") this.axis(a.place, new THREE.Vector3(0, 0, 1).applyQuaternion(a.turn), colour);
      if (joint.type === "universal") this.axis(b.place, new THREE.Vector3(1, 0, 0).applyQuaternion(b.turn), colour);
    }
  }

  /// Each axis where those before it have carried it.
  private drawCompound(a: { place: THREE.Vector3; turn: THREE.Quaternion }, axes: JointAxis[], values: ArrayLike<number>, colour: THREE.Color): void {
    const pose = new THREE.Matrix4().compose(a.place, a.turn, new THREE.Vector3(1, 1, 1));
    axes.forEach((own, k) => {
      const along = new THREE.Vector3(...own.axis);
      const point = new THREE.Vector3(...own.point);
      this.axis(point.clone().applyMatrix4(pose), along.clone().transformDirection(pose), colour);
      const value = values[k] ?? 0;
      if (own.slides) {
        pose.multiply(new THREE.Matrix4().makeTranslation(along.multiplyScalar(value)));
        return;
      }
      pose.multiply(new THREE.Matrix4().makeTranslation(point));
      pose.multiply(new THREE.Matrix4().makeRotationAxis(along, value));
      pose.multiply(new THREE.Matrix4().makeTranslation(point.negate()));
    });
  }

  /// A path of points: dots and lines, while all its bodies are there.
  private drawTendon(frame: Frame, path: PathPoint[], dot: number, colour: THREE.Color): void {
    if (!path.every((p) => p.body < 0 || frame.present(p.body))) return;
    const places = path.map((p) => this.jointPose(frame, p.body, { position: p.point, quaternion: [1, 0, 0, 0] }).place);
    places.forEach((place, k) => {
      const matrix = new THREE.Matrix4().compose(place, new THREE.Quaternion(), new THREE.Vector3(dot, dot, dot));
      this.points.add(matrix, colour);
      this.hidden.add(matrix, colour);
      const next = places[k + 1];
      if (next && path[k]!.factor !== 0) this.line(place, next, colour);
    });
  }

  private jointPose(frame: Frame, body: number, local: JointFrame): { place: THREE.Vector3; turn: THREE.Quaternion } {
    const [w, x, y, z] = local.quaternion;
    const place = new THREE.Vector3(...local.position);
    const turn = new THREE.Quaternion(x, y, z, w);
    if (body < 0) return { place, turn };
    const o = body * BODY_WORDS;
    const v = frame.bodies;
    const outer = new THREE.Quaternion(v[o + 4]!, v[o + 5]!, v[o + 6]!, v[o + 3]!);
    place.applyQuaternion(outer).add(new THREE.Vector3(v[o]!, v[o + 1]!, v[o + 2]!));
    return { place, turn: outer.multiply(turn) };
  }

  private axis(at: THREE.Vector3, along: THREE.Vector3, colour: THREE.Color): void {
    const half = 0.12 * this.size;
    const end = at.clone().addScaledVector(along, half);
    this.line(at.clone().addScaledVector(along, -half), end, colour);
    const turn = new THREE.Quaternion().setFromUnitVectors(Z, along.clone().normalize());
    const thick = 0.007 * this.size;
    this.heads.add(new THREE.Matrix4().compose(end, turn, new THREE.Vector3(thick, thick, 0.025 * this.size)), colour);
  }

  private line(from: THREE.Vector3, to: THREE.Vector3, colour: THREE.Color, share = 0.003): void {
    const way = to.clone().sub(from);
    const length = way.length();
    if (!(length > 0)) return;
    const turn = new THREE.Quaternion().setFromUnitVectors(Z, way.divideScalar(length));
    const thick = share * this.size;
    this.shafts.add(new THREE.Matrix4().compose(from, turn, new THREE.Vector3(thick, thick, length)), colour);
  }

  private arrow(from: THREE.Vector3, what: THREE.Vector3, unit: number, factor: number, colour: THREE.Color): void {
    const amount = what.length();
    const length = Math.min(1.5 * this.size, (this.size * factor * amount) / (unit || 1));
    if (!(length > 0.004 * this.size)) return;
    const turn = new THREE.Quaternion().setFromUnitVectors(Z, what.clone().divideScalar(amount));
    const tip = Math.min(0.03 * this.size, 0.45 * length);
    const thick = 0.0035 * this.size;
    const matrix = new THREE.Matrix4().compose(from, turn, new THREE.Vector3(thick, thick, length - tip));
    this.shafts.add(matrix, colour);
    const place = from.clone().addScaledVector(what, (length - tip) / amount);
    matrix.compose(place, turn, new THREE.Vector3(2.6 * thick, 2.6 * thick, tip));
    this.heads.add(matrix, colour);
  }

  dispose(): void {
    for (const swarm of this.swarms) swarm.dispose();
    for (const material of this.materials) material.dispose();
    for (const geometry of this.geometries) geometry.dispose();
  }
}
