// SPDX-License-Identifier: Apache-2.0
// The surfaces and edges of all bodies. Shapes of one form are drawn together, as instances of one mesh: 200 dominoes are
// one call for their surfaces, one for their shadows and one for their edges.
import * as THREE from "three";
import { BODY_WORDS, type Frame, type Shape } from "./format";
import type { Drawn, ShapeLibrary } from "./shapes";

/// Lines as instances. three asks an object for `isInstancedMesh`, not for its class, before it draws many of it.
class InstancedLines extends THREE.LineSegments {
  readonly isInstancedMesh = true;
  readonly instanceColor = null;
  readonly morphTexture = null;
  count = 0;
  constructor(
    geometry: THREE.BufferGeometry,
    material: THREE.Material,
    readonly instanceMatrix: THREE.InstancedBufferAttribute,
  ) {
    super(geometry, material);
    this.frustumCulled = false;
  }
  dispose(): void {
    this.dispatchEvent({ type: "dispose" } as unknown as never);
  }
}

interface Member {
  body: number;
  local: THREE.Matrix4; // place in the body and size of the form
  own: THREE.Color; // by material
  colour: THREE.Color; // now
}

interface Batch {
  drawn: Drawn;
  members: Member[];
  shown: number[]; // body of each instance
  mesh?: THREE.InstancedMesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  lines?: InstancedLines;
}

export class Batches {
  readonly group = new THREE.Group();
  private readonly surface = new THREE.MeshStandardMaterial({ roughness: 0.78, metalness: 0 });
  private readonly edge = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.38 });
  /// Edges of the body that is looked at, seen through everything.
  private readonly mark = new THREE.LineBasicMaterial({ color: 0x2f7dff, depthTest: false, transparent: true, toneMapped: false, fog: false });
  private readonly outlines: { member: Member; lines: THREE.LineSegments }[] = [];
  private readonly batches = new Map<Drawn, Batch>();

  constructor(
    private readonly library: ShapeLibrary,
    private readonly edges: boolean,
  ) {}

  add(body: number, shape: Shape, fallback: THREE.Color): void {
    const { drawn, size } = this.library.get(shape);
    let batch = this.batches.get(drawn);
    if (!batch) this.batches.set(drawn, (batch = { drawn, members: [], shown: [] }));
    const [w, x, y, z] = shape.quaternion;
    const local = new THREE.Matrix4().compose(new THREE.Vector3(...shape.position), new THREE.Quaternion(x, y, z, w), size);
    const own = shape.colour ? new THREE.Color().setRGB(...shape.colour, THREE.SRGBColorSpace) : fallback.clone();
    batch.members.push({ body, local, own, colour: own.clone() });
  }

  /// After the last add().
  finish(): void {
    for (const batch of this.batches.values()) {
      const count = batch.members.length;
      batch.mesh = new THREE.InstancedMesh(batch.drawn.surface, this.surface, count);
      batch.mesh.castShadow = batch.mesh.receiveShadow = true;
      batch.mesh.frustumCulled = false;
      batch.mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * count), 3);
      for (const data of [batch.mesh.instanceMatrix, batch.mesh.instanceColor]) data.setUsage(THREE.DynamicDrawUsage);
      batch.mesh.userData["batch"] = batch;
      this.group.add(batch.mesh);
      if (!batch.drawn.edges || !this.edges) continue;
      batch.lines = new InstancedLines(batch.drawn.edges, this.edge, batch.mesh.instanceMatrix);
      this.group.add(batch.lines);
    }
  }

  setEdgeColour(colour: number): void {
    this.edge.color.set(colour);
  }

  /// Chooses the colour of every shape; takes effect with place().
  paint(choose: (body: number, own: THREE.Color, out: THREE.Color) => void): void {
    for (const { members } of this.batches.values()) for (const m of members) choose(m.body, m.own, m.colour);
  }

  /// Bodies to where they are; those that are absent are left out.
  place(frame: Frame, edges: boolean): void {
    const x = frame.bodies;
    const position = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    const one = new THREE.Vector3(1, 1, 1);
    const matrix = new THREE.Matrix4();
    const put = ({ body, local }: Member) => {
      const o = body * BODY_WORDS;
      position.set(x[o]!, x[o + 1]!, x[o + 2]!);
      turn.set(x[o + 4]!, x[o + 5]!, x[o + 6]!, x[o + 3]!);
      matrix.compose(position, turn, one).multiply(local);
    };
    for (const batch of this.batches.values()) {
      const mesh = batch.mesh!;
      batch.shown.length = 0;
      for (const member of batch.members) {
        if (!frame.present(member.body)) continue;
        put(member);
        mesh.setMatrixAt(batch.shown.length, matrix);
        mesh.setColorAt(batch.shown.length, member.colour);
        batch.shown.push(member.body);
      }
      mesh.count = batch.shown.length;
      mesh.visible = mesh.count > 0;
      mesh.instanceMatrix.needsUpdate = true;
      mesh.instanceColor!.needsUpdate = true;
      mesh.boundingSphere = null; // three makes it anew when somebody picks
      if (!batch.lines) continue;
      batch.lines.count = mesh.count;
      batch.lines.visible = edges && mesh.count > 0;
    }
    for (const { member, lines } of this.outlines) {
      put(member);
      lines.matrix.copy(matrix);
      lines.visible = frame.present(member.body);
    }
  }

  /// The body that is looked at; −1 for none. Takes effect with place().
  select(body: number): void {
    for (const { lines } of this.outlines) this.group.remove(lines);
    this.outlines.length = 0;
    for (const { drawn, members } of this.batches.values())
      for (const member of members) {
        if (member.body !== body || !drawn.edges) continue;
        const lines = new THREE.LineSegments(drawn.edges, this.mark);
        lines.matrixAutoUpdate = false;
        lines.frustumCulled = false;
        lines.renderOrder = 3;
        this.group.add(lines);
        this.outlines.push({ member, lines });
      }
  }

  pick(ray: THREE.Raycaster): { body: number; point: THREE.Vector3 } | undefined {
    const meshes = [...this.batches.values()].map((batch) => batch.mesh!).filter((mesh) => mesh.visible);
    const hit = ray.intersectObjects(meshes, false)[0];
    if (hit?.instanceId === undefined) return undefined;
    const body = (hit.object.userData["batch"] as Batch).shown[hit.instanceId];
    return body === undefined ? undefined : { body, point: hit.point };
  }

  dispose(): void {
    for (const { mesh, lines } of this.batches.values()) {
      mesh?.dispose();
      lines?.dispose();
    }
    this.surface.dispose();
    this.edge.dispose();
    this.mark.dispose();
  }
}
