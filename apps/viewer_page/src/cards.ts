// SPDX-License-Identifier: Apache-2.0
// The cards at the side: camera, what is shown, colours, files.
import type { Capture } from "./capture";
import { button, choice, h, toggle } from "./dom";
import type { ColourBy, Preset, ViewOptions } from "./stage";

const MAKES_CLIPS = typeof MediaRecorder === "function";

type Flag = { [K in keyof ViewOptions]: ViewOptions[K] extends boolean ? K : never }[keyof ViewOptions];

const FLAGS: [key: Flag, text: string, hint: string][] = [
  ["contacts", "contact points", "C"],
  ["forces", "contact forces", "G"],
  ["thrust", "line of thrust", "L"],
  ["cones", "friction cones", "O"],
  ["velocities", "velocities", "V"],
  ["joints", "joints", "J"],
  ["edges", "edges", ""],
  ["grid", "ground", ""],
  ["follow", "follow the bodies", ""],
];

export function cameraCard(look: (preset: Preset) => void, fit: () => void): HTMLElement {
  const to = (preset: Preset) => () => look(preset);
  return h("section", { class: "card" }, h("h2", {}, "Camera"),
    h("div", { class: "row" }, button("Corner", "Look from a corner (1)", to("corner")),
      button("Front", "Look from the front (2)", to("front")), button("Side", "Look from the side (3)", to("side")),
      button("Top", "Top: look from above (4)", to("top")), button("Fit", "Fit what is there now (F)", fit)));
}

/// The card, and the box of each flag. `changed`: what to do after an option has another value.
export function showCard(options: ViewOptions, changed: () => void): { card: HTMLElement; boxes: Map<string, HTMLInputElement> } {
  const boxes = new Map<string, HTMLInputElement>();
  const flags = FLAGS.map(([key, text, hint]) => {
    const label = toggle(text, options[key], (on) => {
      options[key] = on;
      changed();
    }, hint);
    boxes.set(key, label.querySelector("input")!);
    return label;
  });
  const scale = h("input", { type: "range", min: "-1.5", max: "1.5", step: "0.05", value: "0", "aria-label": "Length of arrows",
    oninput: () => {
      options.arrowScale = 10 ** Number(scale.value);
      changed();
    } });
  const card = h("section", { class: "card" }, h("h2", {}, "Show"), ...flags,
    h("label", { class: "field" }, h("span", {}, "arrows"), scale));
  return { card, boxes };
}

export function colourCard(options: ViewOptions, changed: () => void, switchTheme: () => void): HTMLElement {
  return h("section", { class: "card" }, h("h2", {}, "Colours"),
    choice("bodies by", [["body", "material"], ["speed", "speed"], ["force", "largest force"], ["id", "number"]], "body", (v) => {
      options.colourBy = v as ColourBy;
      changed();
    }),
    h("div", { class: "row" }, button("Dark / light", "Dark / light (T)", switchTheme)));
}

export function fileCard(capture: Capture): { card: HTMLElement; clip: HTMLButtonElement } {
  const clip = button("Clip", "Clip: film what is shown", () => capture.toggleClip());
  clip.hidden = !MAKES_CLIPS;
  const card = h("section", { class: "card" }, h("h2", {}, "Save"),
    h("div", { class: "row" }, button("Picture", "Picture: save what is shown", () => capture.picture()), clip));
  return { card, clip };
}
