// SPDX-License-Identifier: Apache-2.0
// The page: panes with pictures, the timeline, the panel at the side, the plots.
import { BodyPanel } from "./body_panel";
import { Capture } from "./capture";
import { cameraCard, colourCard, fileCard, showCard } from "./cards";
import { MARKS, MEASURES, verdictAt, WORDS, worstStep } from "./certificate";
import type { Theme } from "./colours";
import { button, h, short } from "./dom";
import type { Frame } from "./format";
import { addHover } from "./hover";
import { JointPanel, type Control } from "./joint_panel";
import { helpDialog, isTaken, keyName } from "./keys";
import { legendOf } from "./legend";
import { marksOf } from "./marks";
import { Plots } from "./plots";
import { aboutOf, certificateText, frameAt, namesOf, timeOf, type Run } from "./runs";
import { Stage, type ViewOptions } from "./stage";
import { keepTheme, startTheme } from "./theme";

const UNREACHABLE = "The program does not answer: this frame cannot be loaded.";
const REST_MS = 40; // a slider that stays so long on a frame gets its contacts, too
const NEAR = 10; // frames; smaller steps are playing and walking, larger ones jumps
const RATES = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];
interface Pane {
  run: Run;
  stage: Stage;
  element: HTMLElement;
  label: HTMLElement;
  legend: HTMLElement;
  name: string;
  asked: number; // the frame that is wanted
  shown: number; // the one that is drawn
  loading: boolean;
  rest?: ReturnType<typeof setTimeout>;
}

export class App {
  readonly side = h("aside", { class: "side", "aria-label": "What is shown" });
  readonly panes: Pane[] = [];
  readonly options: ViewOptions = {
    contacts: true,
    forces: false,
    thrust: false,
    cones: false,
    velocities: false,
    joints: true,
    colourBy: "body",
    arrowScale: 1,
    edges: true,
    grid: true,
    follow: false,
  };
  frame = 0;
  playing = false;
  /// Live runs are followed at their end until the user looks back.
  following = false;
  onFrame: (frame: Frame) => void = () => undefined;
  /// Runs or pauses the program's run, where the page may: what the play button does at the end of a live run.
  onRun?: () => void;

  private readonly root: HTMLElement;
  private readonly paneBox = h("main", { class: "panes" });
  private readonly badge = h("span", { class: "badge", role: "status" });
  private readonly clock = h("span", { class: "clock" });
  private readonly slider = h("input", { type: "range", min: "0", step: "1", "aria-label": "Frame" });
  private readonly marks = h("div", { class: "marks" });
  private readonly playButton: HTMLButtonElement;
  private readonly rateList: HTMLSelectElement;
  private readonly banner = h("div", { class: "banner", hidden: true, role: "alert" });
  private readonly help = helpDialog();
  private plots!: Plots;
  private panel!: BodyPanel;
  private joints?: JointPanel;
  private rate = 1;
  private clockTime = 0;
  private last = 0;
  private dirty = true;
  private theme: Theme;
  private locked = false;
  private optionBoxes = new Map<string, HTMLInputElement>();
  private running = false;
  private readonly capture = new Capture(() => this.panes.map((pane) => pane.stage),
    () => `${this.run.header.scene}-${this.frame}`, (on) => this.showClip(on));
  private clipButton!: HTMLButtonElement;

  constructor(root: HTMLElement, runs: Run[], first: Frame[], extra: HTMLElement[] = [], private readonly control?: Control) {
    this.root = root;
    this.theme = startTheme();
    this.playButton = button("▶", "Play (space)", () => this.togglePlay(), "main");
    this.rateList = h(
      "select",
      { "aria-label": "Speed of playing", onchange: () => (this.rate = Number(this.rateList.value)) },
      ...RATES.map((r) => h("option", { value: String(r), selected: r === 1 }, `${r}×`)),
    );
    this.build(extra);
    this.open(runs, first);
    this.slider.addEventListener("input", () => {
      this.setPlaying(false);
      this.seek(this.run.first + Number(this.slider.value));
    });
    document.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.resize()).observe(this.paneBox);
    requestAnimationFrame((t) => this.tick(t));
  }

  get run(): Run {
    return this.panes[0]!.run;
  }

  /// Other runs in place of those shown.
  open(runs: Run[], first: Frame[]): void {
    for (const pane of this.panes) {
      pane.stage.dispose();
      pane.element.remove();
    }
    this.panes.length = 0;
    const names = namesOf(runs);
    runs.forEach((run, k) => this.addPane(run, first[k]!, names[k]!));
    this.badge.hidden = runs.length > 1; // each pane then has its own
    const header = runs[0]!.header;
    document.title = `${header.scene} · Repose`;
    this.root.querySelector(".top h1")!.textContent = names.join(" | ");
    this.root.querySelector(".top .about")!.textContent = aboutOf(runs);
    this.panel?.element.remove();
    this.panel = new BodyPanel(header, () => this.pick(-1));
    this.side.prepend(this.panel.element);
    this.joints?.element.remove();
    this.joints = new JointPanel(header, this.control);
    (this.side.querySelector(".live") ?? this.panel.element).after(this.joints.element);
    this.optionBoxes.get("joints")!.parentElement!.hidden = (header.joints ?? []).length === 0;
    const shown = this.plots ? !this.plots.element.hidden : window.innerWidth > 760 && window.innerHeight > 560;
    this.plots?.element.remove();
    this.plots = new Plots(runs[0]!, (k) => this.seek(k));
    this.plots.element.hidden = true;
    this.root.append(this.plots.element);
    this.applyTheme();
    this.resize();
    for (const pane of this.panes) pane.stage.look("corner");
    this.options.follow = this.panes[0]!.stage.fewBodies;
    this.optionBoxes.get("follow")!.checked = this.options.follow;
    if (shown) this.showPlots(true);
    this.marks.replaceChildren(...marksOf(runs[0]!));
    this.seek(0);
    for (const run of runs) void run.prefetch(0).catch(() => undefined);  // what cannot be loaded is said when it is looked at
  }

  private addPane(run: Run, first: Frame, name: string): void {
    const label = h("div", { class: "name" });
    const legend = h("div", { class: "legend", hidden: true });
    const element = h("div", { class: "pane" });
    this.paneBox.append(element);
    const stage = new Stage(run.header, first, element);
    element.append(label, legend);
    addHover(stage, element, () => run.peek(pane.shown));
    const pane: Pane = { run, stage, element, label, legend, name, asked: -1, shown: -1, loading: false };
    this.panes.push(pane);
    stage.controls.addEventListener("change", () => {
      this.dirty = true;
      this.copyCamera(pane);
    });
    let down: [number, number] | undefined;
    stage.canvas.addEventListener("pointerdown", (e) => (down = [e.clientX, e.clientY]));
    stage.canvas.addEventListener("pointerup", (e) => {
      if (!down || Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 4 || e.button !== 0) return;
      this.pick(stage.pick(e.clientX, e.clientY)?.body ?? -1, pane);
    });
    stage.canvas.addEventListener("webglcontextlost", (e) => {
      e.preventDefault();
      this.say("The graphics driver has given up this page's picture; reload the page.");
    });
  }

  /// Cameras of compared runs move together.
  private copyCamera(from: Pane): void {
    if (this.locked) return;
    this.locked = true;
    for (const pane of this.panes) {
      if (pane === from) continue;
      pane.stage.camera.position.copy(from.stage.camera.position);
      pane.stage.controls.target.copy(from.stage.controls.target);
      pane.stage.controls.update();
    }
    this.locked = false;
  }

  private build(extra: HTMLElement[]): void {
    const menu = button("☰", "Show or hide the panel", () => {
      this.side.hidden = !this.side.hidden;
      this.resize();
    });
    const top = h("header", { class: "top" }, h("h1", {}), h("span", { class: "about" }), this.badge,
      button("?", "Keys", () => this.help.showModal()), menu);
    this.side.append(...extra, ...this.cards());
    this.side.hidden = window.innerWidth <= 760;
    const step = (by: number) => () => this.step(by);
    const bar = h("div", { class: "bar", role: "group", "aria-label": "Time" },
      this.playButton,
      button("‹", "One frame back (left arrow)", step(-1)),
      button("›", "One frame on (right arrow)", step(1)),
      this.clock,
      h("div", { class: "track" }, this.slider, this.marks),
      this.rateList,
      button("Worst", "Worst: go to the step with the largest residual, of r_c and nat (W)", () => this.goToWorst()),
      button("Plots", "Show or hide the plots (P)", () => this.showPlots(this.plots.element.hidden)));
    this.paneBox.append(this.banner);
    this.root.replaceChildren(top, this.paneBox, this.side, bar);
    this.root.append(this.help);
  }

  private cards(): HTMLElement[] {
    const look = cameraCard((preset) => {
      this.panes[0]!.stage.look(preset);
      this.dirty = true;
    }, () => this.fit());
    const show = showCard(this.options, () => this.refresh());
    this.optionBoxes = show.boxes;
    const files = fileCard(this.capture);
    this.clipButton = files.clip;
    return [look, show.card, colourCard(this.options, () => this.refresh(), () => this.switchTheme()), files.card];
  }

  private showClip(recording: boolean): void {
    this.clipButton.textContent = recording ? "■ Stop" : "Clip";
    this.dirty = true;
  }

  // --- time ------------------------------------------------------------------------------------------------------

  seek(k: number): void {
    const { first, last } = this.run;
    this.frame = Math.min(last, Math.max(first, Math.round(k)));
    this.clockTime = timeOf(this.run, this.frame);
    this.following = this.frame === last && (this.following || this.onRun !== undefined);
    this.refresh();
  }

  step(by: number): void {
    this.setPlaying(false);
    this.seek(this.frame + by);
  }

  setPlaying(on: boolean): void {
    if (on && this.frame >= this.run.last) this.seek(this.run.first);
    this.playing = on;
    this.showPlay();
  }

  /// Where a live run is followed, the button is the run's own; elsewhere it plays what was kept.
  private togglePlay(): void {
    if (this.onRun && this.following) this.onRun();
    else this.setPlaying(!this.playing);
  }

  showRunning(on: boolean): void {
    this.running = on;
    this.showPlay();
  }

  private showPlay(): void {
    const live = this.onRun !== undefined && this.following;
    const on = live ? this.running : this.playing;
    const words = live ? ["Pause the run (space)", "Go on with the run (space)"] : ["Pause (space)", "Play (space)"];
    this.playButton.textContent = on ? "❚❚" : "▶";
    this.playButton.title = words[on ? 0 : 1]!;
    this.playButton.setAttribute("aria-label", this.playButton.title);
  }

  goToWorst(): void {
    const worst = worstStep(this.run);
    if (worst < 0) return;
    this.setPlaying(false);
    this.seek(this.run.first + worst);
  }

  private nextEvent(): void {
    const now = timeOf(this.run, this.frame);
    const next = this.run.header.events.map((e) => frameAt(this.run, e.time)).find((k) => timeOf(this.run, k) > now);
    if (next !== undefined) this.seek(next);
  }

  private tick(now: number): void {
    const passed = Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    if (this.playing) {
      this.clockTime += passed * this.rate;
      const k = frameAt(this.run, this.clockTime);
      if (k !== this.frame) {
        this.frame = k;
        this.refresh();
      }
      if (k >= this.run.last) {
        this.following = this.onRun !== undefined;
        this.setPlaying(false);
      }
    }
    if (this.dirty) {
      this.dirty = false;
      for (const pane of this.panes) pane.stage.draw();
      this.capture.drawn();
    }
    requestAnimationFrame((t) => this.tick(t));
  }

  /// Shows the current frame as soon as it is here; a frame that comes after the user has moved on is dropped.
  refresh(): void {
    this.slider.max = String(this.run.last - this.run.first);
    this.slider.value = String(this.frame - this.run.first);
    const time = timeOf(this.run, this.frame);
    const b = h("b", {}, `${time.toFixed(time < 100 ? 3 : 1)} s`);
    this.clock.replaceChildren(b, ` · frame ${this.frame} of ${this.run.last}`);
    this.slider.setAttribute("aria-valuetext", `frame ${this.frame}, ${time.toFixed(3)} seconds`);
    this.showCertificate();
    this.showPlay();
    if (!this.plots.element.hidden) this.plots.show(this.frame);
    for (const pane of this.panes) this.showIn(pane, time);
  }

  private showIn(pane: Pane, time: number): void {
    const k = pane === this.panes[0] ? this.frame : frameAt(pane.run, time);
    pane.asked = k;
    if (k !== pane.shown && Math.abs(k - pane.shown) <= NEAR) pane.run.ahead(k, Math.sign(k - pane.shown));
    const frame = pane.run.peek(k);
    if (frame) this.draw(pane, frame);
    clearTimeout(pane.rest);
    if (frame && !frame.complete) pane.rest = setTimeout(() => void this.complete(pane, k), REST_MS);
    if (!frame && !pane.loading) void this.loadPoses(pane);
  }

  /// One load at a time, always of the frame that is wanted now.
  private async loadPoses(pane: Pane): Promise<void> {
    pane.loading = true;
    try {
      for (let k = -1; k !== pane.asked; ) {
        k = pane.asked;
        const frame = await pane.run.loadPose(k);
        // A frame that is late is shown when it is nearer to what is wanted than what is there.
        if (pane.shown < 0 || Math.abs(k - pane.asked) < Math.abs(pane.shown - pane.asked)) this.draw(pane, frame);
        if (k === pane.asked && !frame.complete) pane.rest = setTimeout(() => void this.complete(pane, k), REST_MS);
      }
    } catch {
      this.say(UNREACHABLE);
    } finally {
      pane.loading = false;
    }
  }

  /// The contacts of a frame that the user has stayed on.
  private async complete(pane: Pane, k: number): Promise<void> {
    try {
      const frame = await pane.run.load(k);
      if (k === pane.asked) this.draw(pane, frame);
    } catch {
      this.say(UNREACHABLE);
    }
  }

  private draw(pane: Pane, frame: Frame): void {
    pane.stage.show(frame, this.options);
    pane.shown = frame.index;
    this.dirty = true;
    if (this.panes.length > 1) {
      const { rc, grade } = verdictAt(pane.run, frame.index);
      pane.label.className = `name ${grade}`;
      pane.label.textContent = `${pane.name} · ${certificateText(rc)}${MARKS[grade]}`;
      pane.label.title = MEASURES;
    }
    pane.label.hidden = this.panes.length < 2;
    if (frame.complete) this.showLegend(pane, frame);
    if (pane !== this.panes[0]) return;
    if (this.panel.body >= 0) this.panel.show(frame);
    this.joints?.show(frame);
    this.onFrame(frame);
  }

  private showCertificate(): void {
    const { rc, nat, grade, step } = verdictAt(this.run, this.frame);
    this.badge.className = grade ? `badge ${grade}` : "badge";
    if (!grade) {
      this.badge.textContent = step ? WORDS[grade] : "no steps";
      return;
    }
    this.badge.title = MEASURES;
    this.badge.replaceChildren(`${WORDS[grade]} · r_c ${short(rc, 2)}`, h("span", { class: "wide" }, ` · nat ${short(nat, 2)}`));
  }

  private showLegend(pane: Pane, frame: Frame): void {
    const parts = legendOf(frame, pane.stage, this.options, pane.run.header.steps);
    pane.legend.hidden = parts.length === 0;
    pane.legend.replaceChildren(...parts);
  }

  // --- the rest --------------------------------------------------------------------------------------------------

  /// After a live run has grown.
  grown(rows: boolean): void {
    if (rows) this.plots.refresh();
    if (this.following) this.seek(this.run.last);
    else this.slider.max = String(this.run.last - this.run.first);
  }

  /// A body of one run; the others show theirs of the same name, where they have one.
  pick(body: number, from: Pane = this.panes[0]!): void {
    const name = from.run.header.bodies[body]?.name;
    const places = this.panes.map((p) => (p === from ? body : p.run.header.bodies.findIndex((b) => b.name === name)));
    this.panes.forEach((pane, k) => pane.stage.select(places[k]!));
    this.panel.choose(places[0]!);
    if (body >= 0 && window.innerWidth > 760) this.side.hidden = false;
    this.resize();
    this.refresh();
  }

  fit(): void {
    this.panes[0]!.stage.fit();
    this.dirty = true;
  }

  say(text: string): void {
    this.banner.hidden = text === "";
    this.banner.textContent = text;
  }

  showPlots(on: boolean): void {
    this.plots.element.hidden = !on;
    if (on) {
      this.plots.build();
      this.plots.resize();
      this.plots.show(this.frame);
    }
    this.resize();
  }

  private switchTheme(): void {
    this.theme = this.theme === "dark" ? "light" : "dark";
    keepTheme(this.theme);
    this.applyTheme();
    this.refresh();
  }

  private applyTheme(): void {
    document.documentElement.dataset["theme"] = this.theme;
    for (const pane of this.panes) pane.stage.setTheme(this.theme);
  }

  resize(): void {
    for (const pane of this.panes) pane.stage.resize(pane.element.clientWidth, pane.element.clientHeight);
    if (!this.plots.element.hidden) this.plots.resize();
    this.dirty = true;
  }

  private flip(key: "contacts" | "forces" | "thrust" | "cones" | "velocities" | "joints"): void {
    const box = this.optionBoxes.get(key)!;
    box.checked = this.options[key] = !this.options[key];
    this.refresh();
  }

  private changeRate(by: number): void {
    const at = RATES.indexOf(this.rate) + by;
    this.rate = RATES[Math.max(0, Math.min(RATES.length - 1, at))]!;
    this.rateList.value = String(this.rate);
  }

  private key(event: KeyboardEvent): void {
    if (this.help.open || isTaken(event, this.slider)) return;
    const far = event.shiftKey ? 10 : 1;
    const actions: Record<string, () => void> = {
      " ": () => this.togglePlay(),
      ArrowLeft: () => this.step(-far),
      ArrowRight: () => this.step(far),
      Home: () => this.step(-Infinity),
      End: () => this.step(Infinity),
      w: () => this.goToWorst(),
      n: () => this.nextEvent(),
      f: () => this.fit(),
      "1": () => this.panes[0]!.stage.look("corner"),
      "2": () => this.panes[0]!.stage.look("front"),
      "3": () => this.panes[0]!.stage.look("side"),
      "4": () => this.panes[0]!.stage.look("top"),
      c: () => this.flip("contacts"),
      g: () => this.flip("forces"),
      l: () => this.flip("thrust"),
      o: () => this.flip("cones"),
      v: () => this.flip("velocities"),
      j: () => this.flip("joints"),
      p: () => this.showPlots(this.plots.element.hidden),
      t: () => this.switchTheme(),
      "+": () => this.changeRate(1),
      "-": () => this.changeRate(-1),
      "?": () => this.help.showModal(),
      Escape: () => this.pick(-1),
    };
    const action = actions[keyName(event)];
    if (!action) return;
    event.preventDefault();
    action();
    this.dirty = true;
  }
}
