// SPDX-License-Identifier: Apache-2.0
// Controls of a live run: run, pause, step, reset, speed, scene and its parameters, exact or relaxed, pull and throw.
import * as THREE from "three";
import type { App } from "./app";
import { button, choice, h, short } from "./dom";
import { BODY_WORDS } from "./format";
import type { LiveLink, Parameter } from "./live";

export class LivePanel {
  readonly element = h("section", { class: "card live", "aria-label": "The run" });
  private app!: App;
  private values: Record<string, string> = {};
  private scene = "";
  private tool: "turn" | "pull" | "throw" = "turn";
  private readonly problem = h("p", { class: "error", role: "alert" });

  constructor(private readonly link: LiveLink) {}

  attach(app: App): void {
    this.app = app;
    this.listen();
    this.build();
  }

  private async send(what: Record<string, unknown>): Promise<void> {
    this.problem.textContent = await this.link.command(what);
  }

  /// From what the program says about itself.
  build(): void {
    const { info } = this.link;
    if (info.scene !== this.scene || Object.keys(this.values).length === 0) {
      this.scene = info.scene;
      this.values = { ...info.values };
    }
    const off = !this.link.commands;
    const kind = info.scenes.find((s) => s.name === this.scene);
    this.app.onRun = off ? undefined : () => void this.send({ do: this.link.info.playing ? "pause" : "run" });
    this.app.showRunning(info.playing);
    const buttons = [button("Step", "One step", () => { this.app.following = true; void this.send({ do: "step" }); }),
      button("Reset", "Reset: from the start", () => void this.send({ do: "reset" }))];
    const parts: HTMLElement[] = [
      h("h2", {}, "Live run"),
      h("div", { class: "row" }, ...buttons),
      choice("speed", [["0.1", "0.1×"], ["0.25", "0.25×"], ["0.5", "0.5×"], ["1", "real time"], ["2", "2×"], ["4", "4×"], ["1000", "as fast as it goes"]],
        String(info.speed), (v) => void this.send({ do: "speed", value: Number(v) })),
      choice("friction law", [["exact", "exact"], ["relaxed", "relaxed"]], info.solver,
        (v) => void this.send({ do: "solver", value: v })),
      choice("mouse", [["turn", "turns view"], ["pull", "pulls bodies"], ["throw", "throws balls"]], this.tool, (v) => {
        this.tool = v as typeof this.tool;
        for (const pane of this.app.panes) pane.stage.controls.enableRotate = v === "turn";
      }),
    ];
    if (info.scenes.length > 0)
      parts.push(choice("scene", info.scenes.map((s) => [s.name, s.name]), this.scene, (v) => {
        this.values = {};
        void this.send({ do: "scene", name: v, values: {} });
      }));
    if (kind) {
      parts.push(h("p", { class: "note" }, kind.summary));
      parts.push(...kind.parameters.map((p) => this.parameter(p)));
    }
    if (off) parts.push(h("p", { class: "note" }, "This page watches only: open the address that the program printed to take part."));
    if (info.trouble) parts.push(h("p", { class: "error" }, info.trouble));
    parts.push(this.problem);
    this.element.replaceChildren(...parts);
    if (off) for (const control of this.element.querySelectorAll("button, select, input")) (control as HTMLButtonElement).disabled = true;
  }

  private change(name: string, value: string): void {
    this.values[name] = value;
    void this.send({ do: "scene", name: this.scene, values: this.values });
  }

  private parameter(p: Parameter): HTMLElement {
    const value = this.values[p.name] ?? String(p.default);
    const words = p.name.replaceAll("_", " ");
    const label = p.unit ? `${words}, ${p.unit}` : words;
    if (p.type === "choice") return choice(label, (p.choices ?? []).map((c) => [c, c]), value, (v) => this.change(p.name, v));
    if (p.type === "flag") return choice(label, [["true", "yes"], ["false", "no"]], value, (v) => this.change(p.name, v));
    const [low, high] = sliderRange(p);
    const step = p.type === "whole" ? 1 : (high - low) / 200;
    const number = h("input", { type: "number", step: "any", value, min: p.min, max: p.max, "aria-label": label, title: p.help,
      onchange: () => this.change(p.name, number.value) });
    const slider = h("input", { type: "range", min: String(low), max: String(high), step: String(step), value, "aria-label": `${label}, slider`, title: p.help,
      oninput: () => (number.value = String(Number(Number(slider.value).toPrecision(4)))),
      onchange: () => this.change(p.name, number.value) });
    return h("div", { class: "field" }, h("span", { title: p.help }, label), h("div", { class: "both" }, slider, number));
  }

  // --- the mouse -------------------------------------------------------------------------------------------------

  private listen(): void {
    let held: { body: number; local: THREE.Vector3; plane: THREE.Plane } | undefined;
    let waiting = false;
    let pull: Record<string, unknown> | undefined;
    // On the window, before the camera's own handler sees the press.
    window.addEventListener("pointerdown", (e) => {
      const stage = this.app.panes[0]?.stage;
      if (!stage || e.target !== stage.canvas || e.button !== 0 || this.tool === "turn") return;
      if (this.tool === "throw") {
        const ray = stage.ray(e.clientX, e.clientY).ray;
        this.app.following = true;
        void this.send({ do: "throw", from: ray.origin.toArray(), towards: ray.direction.toArray() });
        return;
      }
      const hit = stage.pick(e.clientX, e.clientY);
      if (!hit || stage.header.bodies[hit.body]?.kind !== "dynamic") return;
      const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(stage.camera.getWorldDirection(new THREE.Vector3()), hit.point);
      held = { body: hit.body, local: this.toBody(hit.body, hit.point), plane };
      this.app.following = true;
      stage.canvas.setPointerCapture(e.pointerId);
    }, true);
    window.addEventListener("pointermove", (e) => {
      const stage = this.app.panes[0]?.stage;
      if (!held || !stage) return;
      const to = stage.ray(e.clientX, e.clientY).ray.intersectPlane(held.plane, new THREE.Vector3());
      if (!to) return;
      stage.showPull(this.toWorld(held.body, held.local), to);
      this.app.refresh();
      pull = { do: "pull", body: held.body, at: held.local.toArray(), to: to.toArray() };
      repeat();
    });
    // Said again while the mouse rests: the program lets go of what nobody has pulled for a while.
    const repeat = () => {
      if (waiting || !held || !pull) return;
      waiting = true;
      void this.send(pull).then(() => (waiting = false));
    };
    setInterval(repeat, 500);
    window.addEventListener("pointerup", () => {
      if (!held) return;
      held = pull = undefined;
      this.app.panes[0]?.stage.showPull();
      this.app.refresh();
      void this.send({ do: "release" });
    });
  }

  private pose(body: number): [THREE.Vector3, THREE.Quaternion] {
    const x = this.app.run.peek(this.app.frame)?.bodies ?? new Float32Array(0);
    const o = body * BODY_WORDS;
    return [new THREE.Vector3(x[o], x[o + 1], x[o + 2]), new THREE.Quaternion(x[o + 4], x[o + 5], x[o + 6], x[o + 3])];
  }
  private toBody(body: number, point: THREE.Vector3): THREE.Vector3 {
    const [place, turn] = this.pose(body);
    return point.clone().sub(place).applyQuaternion(turn.invert());
  }
  private toWorld(body: number, local: THREE.Vector3): THREE.Vector3 {
    const [place, turn] = this.pose(body);
    return local.clone().applyQuaternion(turn).add(place);
  }
}

/// Ranges of scenes are what is allowed; a slider covers what is of interest around the default.
function sliderRange(p: Parameter): [number, number] {
  const start = Number(p.default);
  const reach = p.name === "mu" || p.name === "friction" ? 2 : start !== 0 ? 4 * Math.abs(start) : 10;
  const low = Math.max(p.min ?? -reach, start < 0 ? -reach : 0);
  const high = Math.min(p.max ?? reach, reach);
  return high > low ? [low, Number(short(high, 3))] : [p.min ?? 0, p.max ?? 1];
}
