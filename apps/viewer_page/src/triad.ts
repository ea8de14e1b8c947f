// SPDX-License-Identifier: Apache-2.0
// The axes of the world in the upper right corner of the picture: x red, y green, z blue.
import * as THREE from "three";

const PIXELS = 72;
const COLOURS: [string, number][] = [["x", 0xe5484d], ["y", 0x30a46c], ["z", 0x3b82f6]];

function letter(text: string, colour: number): THREE.Sprite {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext("2d")!;
  pen.font = "600 52px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillStyle = `#${colour.toString(16).padStart(6, "0")}`;
  pen.fillText(text, 32, 32);
  const sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map: new THREE.CanvasTexture(canvas), toneMapped: false }));
  sprite.scale.setScalar(0.62);
  return sprite;
}

export class Triad {
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.OrthographicCamera(-1.5, 1.5, 1.5, -1.5, 0.1, 10);

  constructor() {
    const ends: THREE.Vector3[] = [];
    const colours: number[] = [];
    COLOURS.forEach(([name, colour], k) => {
      const end = new THREE.Vector3().setComponent(k, 1);
      const rgb = new THREE.Color(colour);
      ends.push(new THREE.Vector3(), end);
      colours.push(...rgb.toArray(), ...rgb.toArray());
      const sprite = letter(name, colour);
      sprite.position.copy(end).multiplyScalar(1.25);
      this.scene.add(sprite);
    });
    const axes = new THREE.BufferGeometry().setFromPoints(ends);
    axes.setAttribute("color", new THREE.Float32BufferAttribute(colours, 3));
    this.scene.add(new THREE.LineSegments(axes, new THREE.LineBasicMaterial({ vertexColors: true, toneMapped: false })));
  }

  /// Over the picture that was drawn last, turned as its camera is.
  draw(renderer: THREE.WebGLRenderer, seen: THREE.Camera): void {
    this.camera.quaternion.copy(seen.quaternion);
    this.camera.position.set(0, 0, 5).applyQuaternion(seen.quaternion);
    const size = renderer.getSize(new THREE.Vector2());
    renderer.autoClear = false;
    renderer.setViewport(size.x - PIXELS - 6, size.y - PIXELS - 6, PIXELS, PIXELS);
    renderer.clearDepth();
    renderer.render(this.scene, this.camera);
    renderer.setViewport(0, 0, size.x, size.y);
    renderer.autoClear = true;
  }

  dispose(): void {
    this.scene.traverse((part) => {
      if (part instanceof THREE.Line) {
        part.geometry.dispose();
        (part.material as THREE.Material).dispose();
      } else if (part instanceof THREE.Sprite) {
        part.material.map?.dispose();
        part.material.dispose();
      }
    });
  }
}
