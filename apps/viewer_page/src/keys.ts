// SPDX-License-Identifier: Apache-2.0
// The keys of the page: their list, and which of them a focused control keeps for itself.
import { button, h } from "./dom";

const KEYS: [string, string][] = [
  ["Space", "play or pause"],
  ["← →", "one frame; with Shift ten"],
  ["Home End", "first or last frame"],
  ["W", "the step with the largest residual"],
  ["N", "next event"],
  ["F", "fit"],
  ["1 2 3 4", "corner, front, side, top"],
  ["C G L", "contacts, forces, line of thrust"],
  ["O V", "cones, velocities"],
  ["J", "joints"],
  ["P", "plots"],
  ["T", "dark or light"],
  ["+ −", "faster, slower"],
  ["Esc", "let go of the picked body"],
];

export function helpDialog(): HTMLDialogElement {
  const rows = KEYS.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)]);
  const dialog = h("dialog", { "aria-label": "Keys" }, h("h2", {}, "Keys"), h("dl", {}, ...rows),
    h("p", { class: "note" }, "Drag turns, right drag or two fingers move, the wheel zooms, a click picks a body."),
    h("div", { class: "row" }, button("Close", "Close", () => dialog.close(), "main")));
  return dialog;
}

/// Whether a key belongs to the browser or to the control that has the focus. `timeline`: its arrows are the page's own.
export function isTaken(event: KeyboardEvent, timeline: HTMLInputElement): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target as HTMLElement;
  const typing = target instanceof HTMLInputElement && target.type !== "checkbox" && target.type !== "range";
  if (typing || target instanceof HTMLSelectElement) return true;
  // A focused button keeps the keys that press it, a slider those that move it.
  if (target instanceof HTMLButtonElement) return event.key === " " || event.key === "Enter";
  return target instanceof HTMLInputElement && target !== timeline && (event.key.startsWith("Arrow") || event.key === " ");
}

export function keyName(event: KeyboardEvent): string {
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}
