// SPDX-License-Identifier: Apache-2.0
// What is known about the body that was picked.
import { MODE_NAMES } from "./colours";
import { h, short } from "./dom";
import { BODY_WORDS, CONTACT_WORDS, type Frame, type Header } from "./format";
import { coordinateText, limitText } from "./joint_panel";

const REST = 1e-9; // m/s and rad/s: slower is rounding

/// Components below `least`, or below a millionth of the largest, are rounding.
function triple(x: ArrayLike<number>, o: number, least = 0): string {
  const floor = Math.max(least, 1e-6 * Math.max(...[0, 1, 2].map((k) => Math.abs(x[o + k]!))));
  return [0, 1, 2].map((k) => short(Math.abs(x[o + k]!) < floor ? 0 : x[o + k]!)).join(", ");
}

/// Sum of a body's contact forces and the largest one, N, and how many contacts it has of each mode.
export function forceOn(body: number, frame: Frame): { total: number[]; largest: number; modes: number[] } {
  const { contactWords: words, contactNumbers: x } = frame;
  const total = [0, 0, 0];
  const modes = [0, 0, 0];
  let largest = 0;
  for (let o = 0; o < words.length; o += CONTACT_WORDS) {
    const sign = words[o + 1] === body ? 1 : words[o] === body ? -1 : 0;
    if (sign === 0) continue;
    for (let k = 0; k < 3; ++k) total[k]! += sign * x[o + 11 + k]!;
    largest = Math.max(largest, Math.hypot(x[o + 11]!, x[o + 12]!, x[o + 13]!));
    modes[words[o + 2]!]! += 1;
  }
  return { total, largest, modes };
}

export class BodyPanel {
  readonly element = h("section", { class: "card picked", hidden: true, "aria-live": "off" });
  private readonly title = h("h2", {});
  private readonly table = h("dl", {});
  body = -1;

  constructor(
    private readonly header: Header,
    close: () => void,
  ) {
    const shut = h("button", { type: "button", class: "plain", "aria-label": "Close", onclick: close }, "×");
    this.element.append(h("header", {}, this.title, shut), this.table);
  }

  choose(body: number): void {
    this.body = body;
    this.element.hidden = body < 0;
  }

  show(frame: Frame): void {
    const body = this.header.bodies[this.body];
    if (!body) return;
    const x = frame.bodies;
    const o = this.body * BODY_WORDS;
    this.title.textContent = body.name;
    const rows: [string, string][] = [["kind", body.kind]];
    if (body.kind === "dynamic") rows.push(["mass", `${short(body.mass)} kg`]);
    const friction = body.shapes[0]?.friction;
    if (friction !== undefined) rows.push(["friction", short(friction)]);
    if (!frame.present(this.body)) rows.push(["", "not in the scene now"]);
    else {
      rows.push(["position", `${triple(x, o)} m`]);
      rows.push(["quaternion", [3, 4, 5, 6].map((k) => short(x[o + k]!, 4)).join(", ")]);
      const speed = Math.hypot(x[o + 7]!, x[o + 8]!, x[o + 9]!);
      rows.push(["velocity", `${triple(x, o + 7, REST)} m/s`]);
      rows.push(["speed", `${short(speed < REST ? 0 : speed)} m/s`]);
      rows.push(["spin", `${triple(x, o + 10, REST)} rad/s`]);
      rows.push(...this.forces(frame));
      rows.push(...this.joints(frame));
    }
    this.table.replaceChildren(...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
  }

  /// Coordinates of the joints that the body is an end of.
  private joints(frame: Frame): [string, string][] {
    const rows: [string, string][] = [];
    const x = frame.jointNumbers(this.header.bodies.length);
    let place = 0;
    for (const joint of this.header.joints ?? [])
      for (const c of joint.coordinates) {
        if (joint.type !== "coupling" && (joint.body_a === this.body || joint.body_b === this.body))
          rows.push([c.name, `${coordinateText(c, x[place] ?? NaN)}${limitText(c) && ` (${limitText(c)})`}`]);
        ++place;
      }
    return rows;
  }

  private forces(frame: Frame): [string, string][] {
    const { total, largest, modes } = forceOn(this.body, frame);
    const shown = [1, 2, 0].filter((m) => modes[m]! > 0).map((m) => `${modes[m]} ${MODE_NAMES[m]}`);
    return [
      ["contacts", shown.join(", ") || "none"],
      ["contact force", `${triple(total, 0, 1e-6 * largest)} N`],
      ["largest", `${short(largest)} N`],
    ];
  }
}
