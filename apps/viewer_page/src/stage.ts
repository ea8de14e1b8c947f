// SPDX-License-Identifier: Apache-2.0
// One picture of one run: bodies, ground, light, camera.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Batches } from "./batches";
import { bodyColour, idColour, PALETTES, scaleColour, type Theme } from "./colours";
import { BODY_WORDS, CONTACT_WORDS, type Frame, type Header, type Shape } from "./format";
import { Glyphs, type GlyphOptions } from "./glyphs";
import { ShapeLibrary } from "./shapes";
import { Triad } from "./triad";

export type ColourBy = "body" | "speed" | "force" | "id";
export type Preset = "corner" | "front" | "side" | "top";

export interface ViewOptions extends GlyphOptions {
  colourBy: ColourBy;
  edges: boolean;
  grid: boolean;
  /// The camera goes along with the moving bodies.
  follow: boolean;
}

/// An endless plane goes with its body.
interface Plane {
  body: number;
  group: THREE.Group;
  mesh: THREE.Mesh<THREE.PlaneGeometry, THREE.MeshStandardMaterial>;
}

const PICKED = new THREE.Color(0x4d94ff);
const DIRECTIONS: Record<Preset, [number, number, number]> = {
  corner: [0.55, -1, 0.42],
  front: [0, -1, 0.08],
  side: [1, 0, 0.08],
  top: [0, -0.001, 1],
};

export class Stage {
  readonly canvas: HTMLCanvasElement;
  readonly camera = new THREE.PerspectiveCamera(38, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  /// Largest value of the colouring seen so far, for the legend.
  scaleMax = 0;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly sun = new THREE.DirectionalLight(0xfff6ea, 2.5);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0x404040, 1.9);
  private readonly bodies: Batches;
  private readonly library: ShapeLibrary;
  private readonly glyphs: Glyphs;
  private readonly planes: Plane[] = [];
  private readonly centre = new THREE.Vector3();
  private size = 1; // radius of what is looked at, m
  private theme: Theme = "dark";
  private picked = -1;
  private shown: Frame | undefined;
  private lastColour: ColourBy = "body";
  private pull: THREE.Line | undefined;
  private middle: THREE.Vector3 | undefined;
  private readonly slide = new THREE.Vector3();
  private cell = 1; // edge of a square of the grid, m
  private readonly box = new THREE.Box3(); // around what is looked at
  private arrowScale = 1;
  private readonly triad = new Triad();

  constructor(
    readonly header: Header,
    first: Frame,
    parent: HTMLElement,
  ) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.toneMappingExposure = 1.0;
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `The bodies of ${header.label ?? header.scene}`);
    parent.append(this.canvas);
    this.library = new ShapeLibrary(header);
    this.bodies = new Batches(this.library, header.bodies.length <= 1500);
    this.measure(first);
    this.addBodies();
    this.glyphs = new Glyphs(header, this.size, PALETTES.dark);
    this.scene.add(this.glyphs.group);
    this.addLight();
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.zoomSpeed = 1.2;
    this.controls.maxDistance = 40 * this.size;
    this.controls.minDistance = 0.05 * this.size;
    this.look("corner");
    this.setTheme("dark");
  }

  // --- what is there ---------------------------------------------------------------------------------------------

  private reach(shape: Shape): number {
    switch (shape.type) {
      case "plane":
        return 0;
      case "box":
        return Math.hypot(...(shape.half ?? [0, 0, 0]));
      case "hull":
        return Math.max(...this.header.meshes[shape.mesh ?? 0]!.vertices.map((v) => Math.hypot(...v)));
      default:
        return (shape.radius ?? 0) + (shape.half_length ?? 0);
    }
  }

  /// Box around what is present, as far as it is worth a look: ground slabs much larger than the rest do not count.
  private boxOf(frame: Frame, kinds: string[]): THREE.Box3 {
    const box = new THREE.Box3();
    const local = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    this.header.bodies.forEach((body, b) => {
      if (!kinds.includes(body.kind) || !frame.present(b)) return;
      const x = frame.bodies.subarray(b * BODY_WORDS, (b + 1) * BODY_WORDS);
      turn.set(x[4]!, x[5]!, x[6]!, x[3]!);
      for (const shape of body.shapes) {
        const reach = this.reach(shape);
        if (reach === 0) continue;
        local.fromArray(shape.position).applyQuaternion(turn);
        local.x += x[0]!;
        local.y += x[1]!;
        local.z += x[2]!;
        box.expandByPoint(local.clone().addScalar(0.72 * reach));
        box.expandByPoint(local.clone().addScalar(-0.72 * reach));
      }
    });
    return box;
  }

  private measure(frame: Frame): void {
    let box = this.boxOf(frame, ["dynamic"]);
    const all = this.boxOf(frame, ["dynamic", "static", "kinematic"]);
    const own = box.isEmpty() ? 0 : box.getSize(new THREE.Vector3()).length();
    if (box.isEmpty() || (!all.isEmpty() && all.getSize(new THREE.Vector3()).length() < 4 * own)) box = all;
    if (box.isEmpty()) box = new THREE.Box3(new THREE.Vector3(-1, -1, 0), new THREE.Vector3(1, 1, 2));
    this.box.copy(box);
    box.getCenter(this.centre);
    this.size = Math.max(1e-9, 0.5 * box.getSize(new THREE.Vector3()).length());
  }

  private addBodies(): void {
    const late = new Set(this.header.events.filter((e) => e.text.endsWith("appears")).map((e) => e.text.split(" ")[0]));
    this.header.bodies.forEach((body, b) => {
      const colour = bodyColour(body.kind, b, late.has(body.name));
      for (const shape of body.shapes)
        if (shape.type === "plane") this.addPlane(b, shape);
        else this.bodies.add(b, shape, colour);
    });
    this.bodies.finish();
    this.scene.add(this.bodies.group);
  }

  private addPlane(body: number, shape: Shape): void {
    const material = new THREE.MeshStandardMaterial({ roughness: 1, metalness: 0 });
    const mesh = new THREE.Mesh(new THREE.PlaneGeometry(60 * this.size, 60 * this.size), material);
    mesh.receiveShadow = true;
    mesh.position.fromArray(shape.position);
    const [w, x, y, z] = shape.quaternion;
    mesh.quaternion.set(x, y, z, w);
    // The part of an endless plane that is drawn lies under the scene.
    const up = new THREE.Vector3(0, 0, 1).applyQuaternion(mesh.quaternion);
    const offset = this.centre.clone().sub(mesh.position);
    mesh.position.add(offset.addScaledVector(up, -offset.dot(up)));
    const group = new THREE.Group().add(mesh);
    this.scene.add(group);
    this.planes.push({ body, group, mesh });
  }

  private addLight(): void {
    const r = 2.2 * this.size;
    this.sun.position.copy(this.centre).add(new THREE.Vector3(-0.75, -1.45, 1.75).multiplyScalar(2.1 * this.size));
    this.sun.target.position.copy(this.centre);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 5;
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.004 * this.size;
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -r;
    camera.right = camera.top = r;
    camera.near = 0.1 * this.size;
    camera.far = 12 * this.size;
    this.scene.add(this.sun, this.sun.target, this.sky);
  }

  // --- how it looks ----------------------------------------------------------------------------------------------

  setTheme(theme: Theme): void {
    this.theme = theme;
    const palette = PALETTES[theme];
    const background = new THREE.Color(palette.background);
    this.scene.background = background;
    this.scene.fog = new THREE.Fog(background, 9 * this.size, 26 * this.size);
    this.sky.color.set(palette.sky);
    this.sky.groundColor.set(palette.earth);
    this.bodies.setEdgeColour(palette.edge);
    this.glyphs.setPalette(palette);
    for (const { mesh } of this.planes) {
      mesh.material.color.set(palette.ground);
      mesh.material.map?.dispose();
      mesh.material.map = this.gridTexture(palette.gridBase, palette.gridLine);
      mesh.material.needsUpdate = true;
    }
  }

  /// Squares of 1, 2 or 5 times a power of ten.
  private gridTexture(base: string, line: string): THREE.Texture {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 256;
    const pen = canvas.getContext("2d")!;
    pen.fillStyle = base;
    pen.fillRect(0, 0, 256, 256);
    pen.fillStyle = line;
    pen.fillRect(0, 0, 256, 4);
    pen.fillRect(0, 0, 4, 256);
    const texture = new THREE.CanvasTexture(canvas);
    texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.anisotropy = 8;
    const wanted = this.size / 4;
    const power = 10 ** Math.floor(Math.log10(wanted));
    const cell = power * (wanted / power >= 5 ? 5 : wanted / power >= 2 ? 2 : 1);
    this.cell = cell;
    const count = (60 * this.size) / cell;
    texture.repeat.set(count, count);
    return texture;
  }

  /// Distance from which the box fills the picture, seen against `direction`.
  private distance(direction: THREE.Vector3): number {
    const right = new THREE.Vector3().crossVectors(this.camera.up, direction).normalize();
    const up = new THREE.Vector3().crossVectors(direction, right);
    const half = Math.tan((0.5 * this.camera.fov * Math.PI) / 180);
    let far = 0;
    for (let corner = 0; corner < 8; ++corner) {
      const at = new THREE.Vector3(...[0, 1, 2].map((k) => ((corner >> k) & 1 ? this.box.max : this.box.min).getComponent(k)));
      at.sub(this.centre);
      far = Math.max(far, at.dot(direction) + Math.max(Math.abs(at.dot(up)), Math.abs(at.dot(right)) / this.camera.aspect) / half);
    }
    return 1.12 * far;
  }

  look(preset: Preset): void {
    const direction = new THREE.Vector3(...DIRECTIONS[preset]).normalize();
    const distance = this.distance(direction);
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).addScaledVector(direction, distance);
    this.camera.near = 0.01 * this.size;
    this.camera.far = 80 * this.size;
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  /// Around what is present now, seen from where the camera is.
  fit(): void {
    if (!this.shown) return;
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    const [size, centre, box] = [this.size, this.centre.clone(), this.box.clone()];
    this.measure(this.shown);
    const distance = this.distance(direction);
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).addScaledVector(direction, distance);
    this.size = size;
    this.centre.copy(centre);
    this.box.copy(box);
    this.controls.update();
  }

  resize(width: number, height: number, ratio = Math.min(window.devicePixelRatio, 2)): void {
    if (width < 1 || height < 1) return;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  // --- what moves ------------------------------------------------------------------------------------------------

  show(frame: Frame, options: ViewOptions): void {
    this.shown = frame;
    const x = frame.bodies;
    for (const { body, group, mesh } of this.planes) {
      const o = body * BODY_WORDS;
      group.visible = frame.present(body);
      group.position.set(x[o]!, x[o + 1]!, x[o + 2]!);
      group.quaternion.set(x[o + 4]!, x[o + 5]!, x[o + 6]!, x[o + 3]!);
      mesh.visible = options.grid;
    }
    this.goAlong(frame, options.follow);
    this.paint(frame, options.colourBy);
    this.bodies.place(frame, options.edges);
    this.glyphs.update(frame, options);
    this.arrowScale = options.arrowScale;
  }

  /// Edge of a square of the ground, m.
  get square(): number {
    return this.cell;
  }
  get hasGround(): boolean {
    return this.planes.length > 0;
  }
  /// Force of an arrow of 1 m, N; 0 where none is drawn.
  get forcePerMetre(): number {
    return this.glyphs.forcePerMetre(this.arrowScale);
  }

  /// Moves camera, light and centre by what the moving bodies have moved on average since the last frame.
  private goAlong(frame: Frame, follow: boolean): void {
    const mean = new THREE.Vector3();
    let count = 0;
    this.header.bodies.forEach((body, b) => {
      if (body.kind !== "dynamic" || !frame.present(b) || body.name.startsWith("thrown-")) return;
      const o = b * BODY_WORDS;
      mean.x += frame.bodies[o]!;
      mean.y += frame.bodies[o + 1]!;
      mean.z += frame.bodies[o + 2]!;
      ++count;
    });
    if (count === 0) return;
    mean.divideScalar(count);
    if (follow && this.middle) {
      const moved = mean.clone().sub(this.middle);
      for (const place of [this.camera.position, this.controls.target, this.centre, this.sun.position, this.sun.target.position])
        place.add(moved);
      for (const { mesh: plane } of this.planes) {
        // In whole squares of the grid, so that the ground seems to stay.
        const local = moved.clone().applyQuaternion(plane.quaternion.clone().invert());
        this.slide.add(new THREE.Vector3(local.x, local.y, 0));
        const whole = new THREE.Vector3(Math.round(this.slide.x / this.cell), Math.round(this.slide.y / this.cell), 0).multiplyScalar(this.cell);
        this.slide.sub(whole);
        plane.position.add(whole.applyQuaternion(plane.quaternion));
      }
      this.camera.updateMatrixWorld();
    }
    this.middle = mean;
  }

  private paint(frame: Frame, by: ColourBy): void {
    if (by !== this.lastColour) this.scaleMax = 0;
    this.lastColour = by;
    const values = by === "speed" ? this.speeds(frame) : by === "force" ? this.forces(frame) : undefined;
    // What creeps at a thousandth of the speed of a fall is not shown as fast.
    const least = by === "speed" ? 1e-3 * Math.sqrt(Math.hypot(...this.header.gravity) * this.size) : 0;
    if (values) this.scaleMax = Math.max(this.scaleMax, ...values.filter((_, b) => frame.present(b)), least, 1e-12);
    this.bodies.paint((b, own, out) => {
      const moves = this.header.bodies[b]!.kind !== "static";
      if (values && moves) scaleColour(values[b]! / this.scaleMax, out);
      else if (by === "id" && moves) out.copy(idColour(b));
      else out.copy(own);
      if (b === this.picked) out.lerp(PICKED, 0.7);
    });
  }

  private speeds(frame: Frame): number[] {
    const x = frame.bodies;
    return this.header.bodies.map((_, b) => {
      const o = b * BODY_WORDS + 7;
      return Math.hypot(x[o]!, x[o + 1]!, x[o + 2]!);
    });
  }

  /// Largest contact force on each body, N.
  private forces(frame: Frame): number[] {
    const list = new Array<number>(this.header.bodies.length).fill(0);
    const { contactWords: words, contactNumbers: x } = frame;
    for (let o = 0; o < words.length; o += CONTACT_WORDS) {
      const size = Math.hypot(x[o + 11]!, x[o + 12]!, x[o + 13]!);
      for (const b of [words[o]!, words[o + 1]!]) list[b] = Math.max(list[b] ?? 0, size);
    }
    return list;
  }

  /// The body under a point of the window, and where on it.
  pick(clientX: number, clientY: number): { body: number; point: THREE.Vector3 } | undefined {
    const ray = this.ray(clientX, clientY);
    return this.bodies.pick(ray);
  }

  ray(clientX: number, clientY: number): THREE.Raycaster {
    const area = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(
      (2 * (clientX - area.left)) / area.width - 1,
      1 - (2 * (clientY - area.top)) / area.height,
    );
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.camera);
    return ray;
  }

  select(body: number): void {
    this.picked = body;
    this.bodies.select(body);
  }

  /// So few that one wants to go along with them.
  get fewBodies(): boolean {
    return this.header.bodies.filter((b) => b.kind === "dynamic" && !b.name.startsWith("thrown-")).length <= 3;
  }

  /// A line from a body to the pointer while one drags it; none when left out.
  showPull(from?: THREE.Vector3, to?: THREE.Vector3): void {
    if (this.pull) {
      this.scene.remove(this.pull);
      this.pull.geometry.dispose();
      (this.pull.material as THREE.Material).dispose();
      this.pull = undefined;
    }
    if (!from || !to) return;
    const material = new THREE.LineBasicMaterial({ color: 0xff4d6d, depthTest: false });
    this.pull = new THREE.Line(new THREE.BufferGeometry().setFromPoints([from, to]), material);
    this.pull.renderOrder = 6;
    this.scene.add(this.pull);
  }

  draw(): void {
    this.renderer.render(this.scene, this.camera);
    this.triad.draw(this.renderer, this.camera);
  }

  get currentTheme(): Theme {
    return this.theme;
  }

  dispose(): void {
    this.glyphs.dispose();
    this.library.dispose();
    this.bodies.dispose();
    for (const { mesh: plane } of this.planes) {
      plane.geometry.dispose();
      plane.material.map?.dispose();
      plane.material.dispose();
    }
    this.controls.dispose();
    this.triad.dispose();
    this.renderer.dispose();
    this.canvas.remove();
  }
}
