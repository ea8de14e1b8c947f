// SPDX-License-Identifier: Apache-2.0
// Coordinates of the joints within their limits, forces of the actuators, and sliders for their controls in a live run.
import { h, short } from "./dom";
import { coordinatesOf, type Actuator, type Coordinate, type Frame, type Header } from "./format";

const UNROLLED = 16; // coordinates; a list of more starts folded

/// Tells the program what an actuator is to do; missing where nobody can.
export type Control = (actuator: number, value: number) => void;

interface Row {
  value: HTMLElement;
  mark?: HTMLElement;
}
interface Drive {
  force: HTMLElement;
  control: HTMLElement;
  slider?: HTMLInputElement;
}

export function coordinateText(c: Coordinate, value: number): string {
  const shown = Math.abs(value) < 1e-9 ? 0 : value;
  return `${short(shown, 3)} ${c.angle ? "rad" : "m"}`;
}

export class JointPanel {
  readonly element = h("section", { class: "card joints", "aria-label": "Joints" });
  private readonly rows: Row[] = [];
  private readonly drives: Drive[] = [];
  private readonly coordinates: Coordinate[];
  private readonly actuators: Actuator[];

  constructor(
    private readonly header: Header,
    control?: Control,
  ) {
    this.coordinates = coordinatesOf(header);
    this.actuators = header.actuators ?? [];
    this.element.hidden = this.coordinates.length === 0;
    if (this.element.hidden) return;
    this.element.append(h("h2", {}, "Joints"));
    if (this.actuators.length > 0) this.element.append(this.drivePart(control));
    this.element.append(this.coordinatePart());
  }

  private coordinatePart(): HTMLElement {
    const list = h("dl", {});
    for (const c of this.coordinates) {
      const value = h("span", {});
      const row: Row = { value };
      const cell = h("dd", { title: limitText(c) ? `limits ${limitText(c)}` : "no limits" }, value);
      if (c.lower !== undefined && c.upper !== undefined) cell.append(h("span", { class: "range" }, (row.mark = h("i", {}))));
      list.append(h("dt", { title: c.name }, c.name), cell);
      this.rows.push(row);
    }
    return h("details", { open: this.coordinates.length <= UNROLLED }, h("summary", {}, `${this.coordinates.length} coordinates`), list);
  }

  private drivePart(control?: Control): HTMLElement {
    const list = h("div", {});
    this.actuators.forEach((a, k) => {
      const drive: Drive = { force: h("span", {}), control: h("b", {}) };
      const [low, high] = controlRange(a);
      if (control) {
        const slider = (drive.slider = h("input", {
          type: "range", min: String(low), max: String(high), step: "any", value: String(a.control), "aria-label": `Control of ${a.name}`,
          oninput: () => {
            drive.control.textContent = short(Number(slider.value), 3);
            control(k, Number(slider.value));
          },
        }));
      }
      list.append(h("div", { class: "drive" }, h("span", { title: a.name }, a.name), h("span", {}, drive.control, " → ", drive.force), ...(drive.slider ? [drive.slider] : [])));
      this.drives.push(drive);
    });
    return h("details", { open: this.actuators.length <= UNROLLED }, h("summary", {}, "control → force of the actuators"), list);
  }

  show(frame: Frame): void {
    if (this.element.hidden) return;
    const x = frame.jointNumbers(this.header.bodies.length);
    this.rows.forEach((row, k) => {
      const c = this.coordinates[k]!;
      const value = x[k] ?? NaN;
      row.value.textContent = coordinateText(c, value);
      if (row.mark) row.mark.style.left = `${100 * Math.min(1, Math.max(0, (value - c.lower!) / (c.upper! - c.lower!)))}%`;
    });
    this.drives.forEach((drive, k) => {
      const at = this.rows.length + 2 * k;
      const [control, force] = [x[at] ?? NaN, x[at + 1] ?? NaN];
      drive.force.textContent = `${short(Math.abs(force) < 1e-9 ? 0 : force, 3)} ${this.actuators[k]!.angle ? "N m" : "N"}`;
      // A slider that somebody holds is ahead of the frames.
      if (drive.slider && document.activeElement === drive.slider) return;
      drive.control.textContent = short(control, 3);
      if (drive.slider) drive.slider.value = String(control);
    });
  }
}

/// "−1.57 … 0.785"; a dash stands for an end without a limit, nothing for a coordinate without any.
export function limitText(c: Coordinate): string {
  if (c.lower === undefined && c.upper === undefined) return "";
  return `${short(c.lower ?? -Infinity, 3)} … ${short(c.upper ?? Infinity, 3)}`;
}

/// Controls without a range get one around where they start.
function controlRange(a: Actuator): [number, number] {
  const reach = Math.max(1, 2 * Math.abs(a.control));
  return [a.lower ?? Math.min(-reach, a.upper ?? 0), a.upper ?? Math.max(reach, a.lower ?? 0)];
}
