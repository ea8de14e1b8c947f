// SPDX-License-Identifier: Apache-2.0
import * as THREE from "three";

export type Theme = "dark" | "light";

export interface Palette {
  background: number;
  ground: number;
  gridLine: string;
  gridBase: string;
  edge: number;
  sky: number;
  earth: number;
  arrow: number;
  velocity: number;
  cone: number;
  axis: number;
  thrust: number;
}

export const PALETTES: Record<Theme, Palette> = {
  dark: {
    background: 0x1a1f27,
    ground: 0xffffff,
    gridBase: "#3a424d",
    gridLine: "#566070",
    edge: 0x0b0d10,
    sky: 0xdfe9ff,
    earth: 0x6a6660,
    arrow: 0xffd34d,
    velocity: 0x62b6ff,
    cone: 0x7fd8ff,
    axis: 0xe58cff,
    thrust: 0x6ff0c0,
  },
  light: {
    background: 0xf3f5f8,
    ground: 0xffffff,
    gridBase: "#eceff3",
    gridLine: "#d3d9e1",
    edge: 0x2a2f36,
    sky: 0xffffff,
    earth: 0xb4b2b0,
    arrow: 0xb3371b,
    velocity: 0x1667c7,
    cone: 0x1b7fa8,
    axis: 0x9a2bbf,
    thrust: 0x0b5fd0,
  },
};

/// By mode: open, stick, slip. Told apart by people who do not see red and green, too.
export const MODE_COLOURS = [0x9aa3b2, 0x1fb58f, 0xff7b1c];
export const MODE_NAMES = ["open", "stick", "slip"];

/// Stone, brick, sand, slate, moss: calm beside each other, none mistaken for a contact.
const STONES = [0xd9cbb0, 0xcbb699, 0xe2d6bf, 0xc3b5a0, 0xd4bea3, 0xc9c1b0, 0xdec7a8, 0xbfb8aa];
const FIXED = 0x7c8794;
const DRIVEN = 0x5f7fa8;
const THROWN = 0xc8553d;

export function bodyColour(kind: string, index: number, late: boolean): THREE.Color {
  if (kind === "static") return new THREE.Color(FIXED);
  if (kind === "kinematic") return new THREE.Color(DRIVEN);
  if (late) return new THREE.Color(THROWN);
  return new THREE.Color(STONES[(index * 5) % STONES.length]!);
}

export function idColour(index: number): THREE.Color {
  return new THREE.Color().setHSL((index * 0.618034) % 1, 0.55, 0.58);
}

const SCALE = [0x30245f, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725].map(
  (c) => new THREE.Color(c),
);

/// From 0 (dark violet) to 1 (yellow).
export function scaleColour(share: number, out: THREE.Color): THREE.Color {
  const x = Math.min(1, Math.max(0, share)) * (SCALE.length - 1);
  const k = Math.min(SCALE.length - 2, Math.floor(x));
  return out.copy(SCALE[k]!).lerp(SCALE[k + 1]!, x - k);
}

export const SCALE_CSS = `linear-gradient(90deg, ${SCALE.map((c) => `#${c.getHexString()}`).join(", ")})`;
