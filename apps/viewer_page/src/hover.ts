// SPDX-License-Identifier: Apache-2.0
// A line beside the pointer: which body is there, how fast it is, and what its contacts bear.
import { forceOn } from "./body_panel";
import { h, short } from "./dom";
import { BODY_WORDS, type Frame } from "./format";
import type { Stage } from "./stage";

const REST_MS = 60; // a pointer that stays so long on a place asks what is there
const REST = 1e-9; // m/s: slower is rounding

export function addHover(stage: Stage, parent: HTMLElement, frame: () => Frame | undefined): void {
  const label = h("div", { class: "hover", hidden: true });
  parent.append(label);
  let rest: ReturnType<typeof setTimeout>;
  stage.canvas.addEventListener("pointermove", (event) => {
    label.hidden = true;
    clearTimeout(rest);
    if (event.buttons !== 0 || event.pointerType === "touch") return;
    rest = setTimeout(() => {
      const now = frame();
      const body = now && stage.pick(event.clientX, event.clientY)?.body;
      if (!now || body === undefined || !now.present(body)) return;
      label.textContent = textOf(stage, now, body);
      label.hidden = false;
      const area = parent.getBoundingClientRect();
      label.style.left = `${Math.min(event.clientX - area.left + 14, area.width - label.offsetWidth - 8)}px`;
      label.style.top = `${Math.max(event.clientY - area.top - 30, 4)}px`;
    }, REST_MS);
  });
  stage.canvas.addEventListener("pointerleave", () => {
    clearTimeout(rest);
    label.hidden = true;
  });
}

function textOf(stage: Stage, frame: Frame, body: number): string {
  const o = body * BODY_WORDS + 7;
  const speed = Math.hypot(...frame.bodies.subarray(o, o + 3));
  const { total, largest } = forceOn(body, frame);
  const size = Math.hypot(...total);
  const parts = [stage.header.bodies[body]!.name, `${short(speed < REST ? 0 : speed, 3)} m/s`];
  if (largest > 0) parts.push(`contact force ${short(size < 1e-6 * largest ? 0 : size, 3)} N`);
  return parts.join(" · ");
}
