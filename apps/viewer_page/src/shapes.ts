// SPDX-License-Identifier: Apache-2.0
// Shapes of bodies as triangles, and the lines of their edges.
import * as THREE from "three";
import type { Header, Mesh, Shape } from "./format";

export interface Drawn {
  surface: THREE.BufferGeometry;
  edges: THREE.BufferGeometry | undefined;
}

function hull(mesh: Mesh): Drawn {
  const corners: number[] = [];
  const normals: number[] = [];
  const lines: number[] = [];
  const a = new THREE.Vector3();
  const b = new THREE.Vector3();
  const c = new THREE.Vector3();
  const point = (k: number, out: THREE.Vector3) => out.fromArray(mesh.vertices[k]!);
  for (const face of mesh.faces) {
    // Newell's normal, which does not care which corner is flat.
    const normal = new THREE.Vector3();
    face.forEach((from, k) => {
      point(from, a);
      point(face[(k + 1) % face.length]!, b);
      normal.add(c.crossVectors(a, b));
      if (from < face[(k + 1) % face.length]!) lines.push(...a.toArray(), ...b.toArray());
    });
    normal.normalize();
    for (let k = 1; k + 1 < face.length; ++k)
      for (const corner of [face[0]!, face[k]!, face[k + 1]!]) {
        corners.push(...mesh.vertices[corner]!);
        normals.push(...normal.toArray());
      }
  }
  const surface = new THREE.BufferGeometry();
  surface.setAttribute("position", new THREE.Float32BufferAttribute(corners, 3));
  surface.setAttribute("normal", new THREE.Float32BufferAttribute(normals, 3));
  const edges = new THREE.BufferGeometry();
  edges.setAttribute("position", new THREE.Float32BufferAttribute(lines, 3));
  return { surface, edges };
}

/// Round shapes of three run along y; ours along z.
function alongZ(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  return geometry.rotateX(Math.PI / 2);
}

function withEdges(surface: THREE.BufferGeometry, degrees: number): Drawn {
  return { surface, edges: new THREE.EdgesGeometry(surface, degrees) };
}

/// Great circles, so that one sees a ball turn.
function ballLines(): THREE.BufferGeometry {
  const lines: number[] = [];
  const count = 64;
  const r = 1.002;
  for (let k = 0; k < count; ++k) {
    const [u, v] = [k, k + 1].map((i) => (2 * Math.PI * i) / count) as [number, number];
    lines.push(r * Math.cos(u), r * Math.sin(u), 0, r * Math.cos(v), r * Math.sin(v), 0);
    lines.push(0, r * Math.cos(u), r * Math.sin(u), 0, r * Math.cos(v), r * Math.sin(v));
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(lines, 3));
  return geometry;
}

/// Balls, boxes and cylinders are one form each, of unit size: `size` makes the shape of it.
export class ShapeLibrary {
  private readonly made = new Map<string, Drawn>();
  constructor(private readonly header: Header) {}

  get(shape: Shape): { drawn: Drawn; size: THREE.Vector3 } {
    const radius = shape.radius ?? 1;
    const length = 2 * (shape.half_length ?? 0);
    const one = new THREE.Vector3(1, 1, 1);
    switch (shape.type) {
      case "sphere":
        return { drawn: this.form("sphere", () => ({ surface: new THREE.SphereGeometry(1, 40, 24), edges: ballLines() })), size: one.multiplyScalar(radius) };
      case "capsule":
        return { drawn: this.form(`capsule ${radius} ${length}`, () => ({ surface: alongZ(new THREE.CapsuleGeometry(radius, length, 10, 32)), edges: undefined })), size: one };
      case "cylinder":
        return { drawn: this.form("cylinder", () => withEdges(alongZ(new THREE.CylinderGeometry(1, 1, 1, 64)), 40)), size: one.set(radius, radius, length) };
      case "hull":
        return { drawn: this.form(`hull ${shape.mesh ?? 0}`, () => hull(this.header.meshes[shape.mesh ?? 0]!)), size: one };
      default: {
        const half = shape.half ?? [0.5, 0.5, 0.5];
        return { drawn: this.form("box", () => withEdges(new THREE.BoxGeometry(2, 2, 2), 10)), size: one.set(...half) };
      }
    }
  }

  private form(key: string, make: () => Drawn): Drawn {
    let drawn = this.made.get(key);
    if (!drawn) this.made.set(key, (drawn = make()));
    return drawn;
  }

  dispose(): void {
    for (const drawn of this.made.values()) {
      drawn.surface.dispose();
      drawn.edges?.dispose();
    }
  }
}
