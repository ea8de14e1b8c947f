// SPDX-License-Identifier: Apache-2.0
// The legend below the picture: what points, colours, arrows and squares stand for in the frame that is shown.
import { MODE_COLOURS, MODE_NAMES, SCALE_CSS } from "./colours";
import { h, short } from "./dom";
import type { Frame } from "./format";
import type { Stage, ViewOptions } from "./stage";

/// `steps`: of the run; the frame after the last one has the contacts of that step.
export function legendOf(frame: Frame, stage: Stage, options: ViewOptions, steps: number): HTMLElement[] {
  const parts: HTMLElement[] = [];
  if (options.contacts) parts.push(...contactModes(frame, steps));
  if (options.colourBy === "speed" || options.colourBy === "force") {
    const strip = h("i", {});
    strip.style.background = SCALE_CSS;
    const unit = options.colourBy === "speed" ? "m/s" : "N";
    parts.push(h("span", { class: "scale" }, "0", strip, `${short(stage.scaleMax, 3)} ${unit}`));
  }
  if (options.forces && stage.forcePerMetre > 0)
    parts.push(h("span", { title: "A force pushes both bodies of a contact: one arrow each, out of the contact point" },
      `arrows: ${short(stage.square)} m is ${short(stage.forcePerMetre * stage.square, 3)} N`));
  if (options.grid && stage.hasGround) parts.push(h("span", {}, `squares of ${short(stage.square)} m`));
  return parts;
}

function contactModes(frame: Frame, steps: number): HTMLElement[] {
  const counts = [0, 0, 0];
  for (let o = 2; o < frame.contactWords.length; o += 14) counts[frame.contactWords[o]!]! += 1;
  const parts = [1, 2, 0].map((mode) => {
    const dot = h("i", { class: "dot" });
    dot.style.background = `#${MODE_COLOURS[mode]!.toString(16).padStart(6, "0")}`;
    return h("span", {}, dot, `${MODE_NAMES[mode]} ${counts[mode]}`);
  });
  if (frame.index > 0 && frame.index === steps) parts.push(h("span", {}, "of the step that ends here"));
  return parts;
}
